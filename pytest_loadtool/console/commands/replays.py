"""The replays that were kept: which one to look at, and why it failed."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.console.arguments import ReplayName, TransactionName
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.replays import choose, described, replay_at_hand
from pytest_loadtool.console.selection import transaction_index
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import replays as views
from pytest_loadtool.workflow.keeping import kept_replays
from pytest_loadtool.workflow.replays import OpenReplay
from pytest_loadtool.workflow.replays import why as explained


async def replays(session: Console, which: ReplayName | None = None) -> None:
    """List the replays that were kept, the last five, or choose the one to look at.

    Without WHICH, lists them, the latest first: when, how long, what failed, against which server.
    WHICH is a number of that list, or a file that --loadtool-keep-replay has kept elsewhere: its
    transactions are listed, and from then on `why` and the like look at that one, until the next
    `play`. The files are HAR: a browser's developer tools open them. They hold what was sent,
    passwords too: keep them to yourself.

    Example: `replays 2`
    """
    paths = kept_replays(session.case_path)
    if which:
        opened = choose(session, _chosen(paths, which, session))
        session.tell(described(session, opened))
        session.tell(views.outcomes(opened.replay))
        return
    if not paths and session.replay is None:
        raise CommandError("nothing was replayed yet: `play` does, and keeps what came")
    hand = replay_at_hand(session)
    if hand.path not in paths:
        paths.append(hand.path)
    for number, path in enumerate(paths, 1):
        opened = hand if path == hand.path else OpenReplay.read(path)
        session.say(views.replay_line(number, opened.replay, at_hand=opened is hand))


def _chosen(paths: list[Path], which: str, session: Console) -> Path:
    if which.isascii() and which.isdigit():
        if not 1 <= int(which) <= len(paths):
            raise UsageError(
                f"there is no replay {which}: `replays` numbers them 1 to {len(paths)}"
            )
        return paths[int(which) - 1]
    return session.settings.directory / Path(which).expanduser()


async def why(session: Console, which: TransactionName | None = None) -> None:
    """Say why a transaction of the last replay failed, as pytest does.

    WHICH is its number in `tree`, or what it is; without it, it is the first that failed, which the
    others may only follow from. Shows the cause and what to do, what was sent with which values,
    and what came, against what was recorded.

    Example: `why POST /login`
    """
    document = session.opened()
    opened = replay_at_hand(session)
    if not opened.replay.failed:
        raise CommandError("nothing failed in that replay; `replays` lists others")
    about = transaction_index(document, which) if which is not None else None
    if about is not None:
        kept = opened.transaction(document.case, about)
        if kept is None or not kept.failures:
            what = "is not in that replay" if kept is None else f"has not failed: {kept.outcome}"
            raise CommandError(f"transaction {about + 1} {what}")
    text = explained(document, opened, session.settings, session.case_path, about=about)
    await session.page(text.split("\n"))
