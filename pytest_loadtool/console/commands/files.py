"""Importing and saving."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from pytest_loadtool.casefile import (
    format_case,
    read_exchange,
    read_har,
    save_case,
    write_decisions,
)
from pytest_loadtool.console.arguments import SecretsWay
from pytest_loadtool.console.configuring import configured, standing
from pytest_loadtool.console.document import check, readable
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.files import (
    MASKED,
    as_case_path,
    case_name,
    har_path,
    is_recording,
    place_evidence,
    write_evidence,
)
from pytest_loadtool.console.filters import domains
from pytest_loadtool.console.opening import may_drop, open_traffic
from pytest_loadtool.console.reaching import as_known, fingerprint
from pytest_loadtool.console.relocating import relocated
from pytest_loadtool.console.secrets import dataset_path, move, warnings, way
from pytest_loadtool.console.session import Document, Session
from pytest_loadtool.console.uploads import written
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.console.views.text import counted
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import Domain, Uploads, with_page


async def import_(
    session: Session,
    file: Path,
    *,
    only: tuple[Domain, ...] = (),
    block: tuple[Domain, ...] = (),
    block_trackers: bool = False,
    discard: bool = False,
) -> None:
    """Make a test case from a HAR file: one that a browser exported, or an interrupted recording.

    --only, --block and --block-trackers leave domains out, as with `record`. A test case that is
    open and not saved is dropped only with --discard, or if you agree.
    """
    if session.live is not None:
        raise CommandError("a recording is running: `stop` ends it")
    await may_drop(session, "import", discard)
    wanted = domains(session, only, block, block_trackers=block_trackers)
    with session.frontend.progress() as told:
        told(f"Reading {file.name}", 0, 0)
        exchanges = tuple(map(wanted.kept, read_har(file)))
    open_traffic(session, exchanges, _absolute(file))
    if not is_recording(file):
        session.stranger = sha256(format_case(session.opened().case).encode()).hexdigest()


async def import_page(
    session: Session, request: Path, response: Path, *, name: str = "", server: str = ""
) -> None:
    """As New Web Page: add a page with one transaction from two plain-text files.

    REQUEST holds a request: `POST /items HTTP/1.1`, headers, an empty line, the body. RESPONSE
    holds what it was answered with, as `curl -i` prints it. The transaction expects a status of
    200-399, as a recorded one does. --name is the page's name; without it, it is named as a
    recorded page would be. --server is the base URL for a request without a Host header. Without a
    test case, one is made.
    """
    if session.live is not None:
        raise CommandError("a recording is running: `stop` makes its test case first")
    document = session.document
    exchange = read_exchange(
        request,
        response,
        server=server or (document.case.server if document else ""),
        started=time.time(),
    )
    if document is None:
        document = Document(TestCase(case_name(session.case_path), ()))
    entry = len(document.exchanges) if document.exchanges or not _has_evidence(document) else None
    uploads = Uploads(case_name(session.case_path), frozenset(document.case.files))
    session.document = dataclasses.replace(
        document,
        case=with_page(document.case, exchange, entry, name, document.exchanges, uploads),
        uploads={**document.uploads, **uploads.files},
        exchanges=(*document.exchanges, *([exchange] if entry is not None else [])),
        evidence=None,
        masked=False,
    )
    page = session.document.case.pages[-1]
    session.say(f"Added the page {page.name}: {page.transactions[0].title}, {exchange.status}.")
    if entry is None:
        session.say("  The recorded traffic is not at hand, so the response is not kept.")


def _has_evidence(document: Document) -> bool:
    """Whether the test case was made of traffic, at hand or not."""
    recorded = (one.recorded for one in document.case.transactions())
    return any(one is not None and one.entry is not None for one in recorded)


async def save(
    session: Session,
    file: Path | None = None,
    *,
    replace: bool = False,
    secrets: SecretsWay | None = None,
) -> None:
    """Write the test case, and the recorded traffic next to it.

    FILE is a name for it; without one it goes where it came from. A test case or traffic that this
    console neither opened nor saved is written over only with --replace, or if you agree.
    --secrets says what becomes of credentials and tokens; without it you are asked, and a script
    keeps them: `keep` leaves them in the files, `dataset` moves what was typed to a CSV file for
    you alone, `env` to environment variables. With these two the traffic gets stand-ins for them.
    """
    document = session.opened()
    if session.live is not None:
        raise CommandError("a recording is running: `stop` makes its test case first")
    path = session.case_path if file is None else as_case_path(_absolute(file))
    if path.parent != session.case_path.parent:
        case = relocated(document.case, session.case_path.parent, path.parent, document.uploads)
        document = dataclasses.replace(document, case=case)
    check(document.case)
    readable(document.case, path)
    target = har_path(path) if document.exchanges else None
    if not replace:
        others = _in_the_way(session, document, path, target)
        dataset = [dataset_path(path)] if secrets == "dataset" else []
        await _agree_to_replace(session, [*others, *(one for one in dataset if one.exists())])
    how = await way(session, document, secrets or "")
    path.parent.mkdir(parents=True, exist_ok=True)
    before = document.evidence
    if how != "keep":
        session.history.note(f"save --secrets {how}", session.state)
        document = move(session, document, path, how)
    _write(session, document, path, target)
    session.say(f"Saved {session.shown(path)}: {summary(document)}.")
    if how == "keep":
        for line in warnings(session, document, path):
            session.say(line)
    elif before is not None and before != target:
        _leave(session, before)
    _hint(session, document)


def _write(session: Session, document: Document, path: Path, target: Path | None) -> None:
    """Write the test case and, to ``target``, its traffic: from now on the session has these."""
    before = session.opened().evidence
    document = written(session, document, path)
    made = standing(session, document)
    if target is not None:
        _place(session, document, target)
        # Even if what follows is interrupted, the traffic is there now, or only in memory.
        placed = None if document.evidence is None else target
        session.document = dataclasses.replace(session.opened(), evidence=placed)
        write_decisions(target, made)
    save_case(path, document.case)
    if not session.stranger:
        as_known(fingerprint(path))
    session.case_path = path
    session.document = session.saved = dataclasses.replace(document, evidence=target)
    session.history.written(session.document, frozenset(filter(None, (before, target))))


def _absolute(path: Path) -> Path:
    return path.absolute()


def _place(session: Session, document: Document, target: Path) -> None:
    if document.evidence is None:
        comment = MASKED if document.masked else ""
        with session.frontend.progress() as told:
            write_evidence(document.exchanges, target, comment, document.troubles, told)
    else:
        place_evidence(document.evidence, target)


def _leave(session: Session, evidence: Path) -> None:
    """What becomes of the file that the traffic was in, with all that is now masked."""
    if is_recording(evidence):
        evidence.unlink(missing_ok=True)
    else:
        session.say(f"  {session.shown(evidence)} still holds the credentials and tokens.")


def _in_the_way(
    session: Session, document: Document, path: Path, target: Path | None
) -> list[Path]:
    """Files that are not this console's own and that saving would replace."""
    if session.saved is not None and path == session.case_path:
        return []
    return [one for one in (path, target) if one and one.exists() and one != document.evidence]


async def _agree_to_replace(session: Session, files: Sequence[Path]) -> None:
    if not files:
        return
    shown = " and ".join(session.shown(one) for one in files)
    await session.agree(
        f"{shown} would be written over. Replace?",
        f"{shown} would be written over: say `save --replace`, or save under another name",
    )


def _hint(session: Session, document: Document) -> None:
    """Say so if dynamic values are still sent as they were recorded."""
    if not document.exchanges:
        return
    found = configured(session, document).case.variables
    missing = len(set(found) - set(document.case.variables))
    if missing:
        session.say(
            f"  {counted(missing, 'dynamic value')} will be sent as recorded: "
            "`configure` connects them to the responses that set them."
        )
