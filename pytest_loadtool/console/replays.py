"""Which kept replay the commands look at: the one that a person has chosen, or else the latest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.selection import Filters, Selection, select
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.replays import replay_summary
from pytest_loadtool.diagnosis.kept import matched
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.workflow.filtering import is_expression
from pytest_loadtool.workflow.keeping import kept_replays
from pytest_loadtool.workflow.replays import OpenReplay


def replay_at_hand(session: Console) -> OpenReplay:
    """Return the kept replay that was chosen, else the latest of the open test case.

    Raises:
        CommandError: there is none.
        FileError: it cannot be read.
    """
    if session.chosen and session.replay is not None:
        return session.replay
    return latest_replay(session)


def replay_if_any(session: Console) -> OpenReplay | None:
    """Return the kept replay as `replay_at_hand`; None if there is none.

    Raises:
        FileError: it cannot be read.
    """
    if session.replay is None and not kept_replays(session.case_path):
        return None
    return replay_at_hand(session)


def latest_replay(session: Console) -> OpenReplay:
    """Return the latest kept replay of the open test case; from now on it is that one.

    Raises:
        CommandError, FileError: as `replay_at_hand`.
    """
    paths = kept_replays(session.case_path)
    if not paths:
        raise CommandError("nothing was replayed yet: `play` does, and keeps what came")
    return _opened(session, paths[0], chosen=False)


def choose(session: Console, path: Path) -> OpenReplay:
    """Look at this one from now on, until the next `play`.

    Raises:
        FileError: it cannot be read, or is no kept replay.
    """
    return _opened(session, path, chosen=True)


def described(session: Console, opened: OpenReplay) -> Iterator[str]:
    """Say what a kept replay is, and whether it is one of the open test case."""
    yield f"{session.shown(opened.path)}: {replay_summary(opened.replay)}"
    document = session.document
    if document is not None and document.case.name != opened.replay.case:
        yield f"  It is a replay of a test case called {opened.replay.case}."


def _opened(session: Console, path: Path, *, chosen: bool) -> OpenReplay:
    known = session.replay
    if known is None or known.path != path or known.stamp != path.stat().st_mtime_ns:
        known = OpenReplay.read(path)
    session.replay, session.chosen = known, chosen
    return known


def failed_transactions(session: Console) -> frozenset[int]:
    """Return the indexes of the transactions that failed in the replay at hand; none without one,
    or if it cannot be read."""
    try:
        opened = replay_at_hand(session)
    except LoadToolError:
        return frozenset()
    case = session.opened().case
    return frozenset(index for index, one in matched(case, opened.replay).items() if one.failures)


def selected_by(session: Console, words: Sequence[str], filters: Filters) -> Selection:
    """Return what is selected of the open test case; what failed is by the replay at hand.

    Raises:
        CommandError: there is no test case.
        UsageError: as `select`.
    """
    asks = filters.failed or any(map(is_expression, words))
    failed = failed_transactions(session) if asks else frozenset()
    return select(session.opened(), words, filters, failed=failed)
