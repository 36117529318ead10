"""How a test case comes into the console: from its file, or from traffic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.auth import scheme_name
from pytest_loadtool.auth.recorded import recorded_identities
from pytest_loadtool.casefile import har_comment, read_case, read_har, read_troubles
from pytest_loadtool.casefile.trust import UNTRUSTED, named_path
from pytest_loadtool.codec.template import Reference
from pytest_loadtool.console.accounts import unconfigured
from pytest_loadtool.console.document import of_users
from pytest_loadtool.console.errors import NothingRecordedError
from pytest_loadtool.console.files import MASKED, case_name, har_path, recordings_left
from pytest_loadtool.console.reaching import fingerprint, is_known
from pytest_loadtool.console.session import Document, Session
from pytest_loadtool.console.views.case import notes, summary
from pytest_loadtool.console.views.identity import account as shown
from pytest_loadtool.console.views.pauses import missing, replayed
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case, what_sockets_did


def open_file(session: Session) -> None:
    """Read the session's test case file and its traffic, as far as they are there; say so.

    Raises:
        FileError: the test case cannot be read.
    """
    path = session.case_path
    if path.exists():
        case = read_case(path, session.settings.trust)
        known = fingerprint(path)
        session.stranger = "" if is_known(known) else known
        exchanges = _traffic(session, har_path(path))
        evidence = har_path(path) if exchanges else None
        troubles = read_troubles(evidence) if evidence else ()
        masked = evidence is not None and har_comment(evidence) == MASKED
        session.document = session.saved = Document(
            case, exchanges, evidence, masked=masked, troubles=troubles
        )
        session.say(f"{session.shown(path)}: {summary(session.document)}.")
        for line in missing(case, exchanges):
            session.say(line)
    for left in recordings_left(path):
        shown = session.shown(left)
        session.say(
            f"{shown} holds a recording that was never saved: "
            f"`import {shown}` makes a test case of it."
        )


def open_traffic(session: Session, exchanges: Sequence[Exchange], evidence: Path) -> None:
    """Make a test case of recorded traffic, open it, and say what it holds and what it leaves out.

    Raises:
        NothingRecordedError: no exchange can be replayed.
    """
    if not exchanges:
        raise NothingRecordedError("nothing was recorded")
    with session.frontend.progress() as told:
        recording = build_case(
            exchanges,
            name=case_name(session.case_path),
            grouping=session.settings.grouping,
            told=told,
        )
    case = _settled(recording.case, session)
    troubles = read_troubles(evidence)
    document = Document(
        case, tuple(exchanges), evidence, troubles=troubles, uploads=recording.uploads
    )
    for trouble in troubles:
        session.say(f"  {trouble}: record again")
    for line in notes(recording.notes):
        session.say(line)
    if did := what_sockets_did(exchanges):
        session.say(f"  {did}")
    if not recording.case.pages:
        raise NothingRecordedError("none of the recorded traffic can be replayed")
    session.document, session.saved = document, None
    session.say(f"The test case has {summary(document)}. `configure` finds its dynamic values.")
    for line in replayed(case):
        session.say(line)
    for account in unconfigured(document):
        session.say(f"  {shown(case, account)}: `test-case-configuration` says who the users are.")
    for one in recorded_identities(document.exchanges):
        if one.proxy:
            session.say(
                f"  {scheme_name(one.scheme)} at a proxy, recorded as {one.username}: "
                "`properties --proxy URL` is for one that the test case is to go through, too."
            )


def _settled(case: TestCase, session: Session) -> TestCase:
    """A test case recorded anew keeps what a person said about the one in the same file."""
    if session.saved is None:
        return case
    old = session.saved.case
    own = of_users(old)
    datasets = {Reference(name).dataset for name in own}
    return replace(
        case,
        name=old.name,
        server_fixture=old.server_fixture,
        transport=old.transport,
        app=old.app,
        fixtures=old.fixtures,
        marks=old.marks,
        tls=old.tls,
        identities=old.identities,
        proxy=old.proxy,
        show_negotiation=old.show_negotiation,
        datasets=tuple(one for one in old.datasets if one.name in datasets),
        variables={name: one for name, one in old.variables.items() if name in own},
    )


async def may_drop(session: Session, command: str, discard: bool) -> None:
    """Make sure that the open test case may be replaced by another one.

    Raises:
        CommandError: it is not saved, and nobody said that it may be dropped.
    """
    if session.unsaved and not discard:
        await session.agree(
            "The open test case is not saved. Drop it?",
            f"the open test case is not saved: `save` it, or say `{command} --discard`",
        )


def _traffic(session: Session, path: Path) -> tuple[Exchange, ...]:
    if session.settings.trust.untrusted:
        session.say(f"  {path.name} is not read: {UNTRUSTED}.")
        return ()
    try:
        if path.exists():
            return read_har(
                named_path(session.case_path, path.name, session.settings.trust, limit=None)
            )
        session.say(f"  {path.name} is not there; `configure` and `show` need the traffic in it.")
    except FileError as error:  # the test case is whole without its traffic
        session.say(f"  {error}")
    return ()
