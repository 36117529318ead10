"""How a test case comes into the console: from its file, or from traffic."""

from __future__ import annotations

from pytest_loadtool.console.replays import choose, described
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.recording import TRACKERS, Domain, DomainFilter
from pytest_loadtool.workflow.building import build, read_document
from pytest_loadtool.workflow.changed_outside import text_of
from pytest_loadtool.workflow.errors import NothingRecordedError
from pytest_loadtool.workflow.files import recordings_left
from pytest_loadtool.workflow.known import fingerprint, is_known
from pytest_loadtool.workflow.recording import Captured
from pytest_loadtool.workflow.telling import missing


def open_file(session: Console) -> None:
    """Read the session's test case file and its traffic, as far as they are there; say so.

    Raises:
        FileError: the test case cannot be read, or the kept replay that was named.
    """
    path = session.case_path
    if path.exists():
        opened = read_document(session.settings, path)
        known = fingerprint(path)
        session.stranger = "" if is_known(known) else known
        session.document = session.saved = opened.document
        session.on_disk, session.layout = text_of(path), ""
        if opened.note:
            session.say(opened.note)
        session.say(f"{session.shown(path)}: {summary(opened.document)}.")
        session.tell(missing(opened.document.case, opened.document.exchanges))
    if session.settings.replay_har is not None:
        session.tell(described(session, choose(session, session.settings.replay_har)))
    for left in recordings_left(path):
        shown = session.shown(left)
        session.say(
            f"{shown} holds a recording that was never saved: "
            f"`import {shown}` makes a test case of it."
        )


def open_traffic(session: Console, captured: Captured) -> None:
    """Make a test case of recorded traffic, open it, and say what it holds and what it leaves out.

    Raises:
        NothingRecordedError: no exchange can be replayed.
    """
    old = session.saved.case if session.saved is not None else None
    try:
        with session.frontend.progress() as told:
            built = build(session.settings, session.case_path, captured, old, told)
    except NothingRecordedError as error:
        session.tell(error.notes)
        raise
    session.tell(built.left_out)
    session.document, session.saved = built.document, None
    made = summary(built.document)
    session.say(f"The test case has {made}. `configure` finds its dynamic values.")
    session.tell((*built.notes, *built.placed))


async def may_drop(session: Console, command: str, discard: bool) -> None:
    """Make sure that the open test case may be replaced by another one.

    Raises:
        CommandError: it is not saved, and nobody said that it may be dropped.
    """
    if session.unsaved and not discard:
        await session.agree(
            "The open test case is not saved. Drop it?",
            f"the open test case is not saved: `save` it, or give `{command} --discard`",
            "--discard",
        )


def domains(
    session: Console,
    only: tuple[Domain, ...],
    block: tuple[Domain, ...],
    *,
    block_trackers: bool,
) -> DomainFilter:
    """Return the filter of a recording, or of an import."""
    given = session.settings.domains
    if block_trackers:
        block += TRACKERS
    return DomainFilter(only or given.only, block or given.block)
