"""Importing and saving."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from pytest_loadtool import CASE_SUFFIX, LOAD_SUFFIX
from pytest_loadtool.casefile import format_case, read_exchange, read_har
from pytest_loadtool.codec.suffixes import case_name, har_path
from pytest_loadtool.console.arguments import CaseFile, HarFile, SecretsChoice
from pytest_loadtool.console.commands.case_file import agree_with_outside
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.opening import domains, may_drop, open_traffic
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.console.wizard import one_of, question
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import Domain, Uploads, with_page
from pytest_loadtool.structure.uses import case_files
from pytest_loadtool.workflow.changed_outside import text_of
from pytest_loadtool.workflow.configuring import rules_of
from pytest_loadtool.workflow.document import Document, was_recorded
from pytest_loadtool.workflow.files import absolute, as_case_path, is_recording, load_path
from pytest_loadtool.workflow.importing import (
    Imported,
    folder_of,
    import_document,
    is_traffic,
    write_beside,
    write_files,
)
from pytest_loadtool.workflow.known import fingerprint
from pytest_loadtool.workflow.recording import Captured
from pytest_loadtool.workflow.saving import check_savable, relocated, reminders
from pytest_loadtool.workflow.saving import save as _save
from pytest_loadtool.workflow.secrets import SECRETS_CHOICES, dataset_path, warnings
from pytest_loadtool.workflow.telling import counted


async def import_(
    session: Console,
    file: HarFile,
    *,
    only: tuple[Domain, ...] = (),
    block: tuple[Domain, ...] = (),
    block_trackers: bool = False,
    server: str = "",
    environment: Path | None = None,
    discard: bool = False,
) -> None:
    """Make a test case from a HAR file, or from a document of another tool.

    A HAR file is one that a browser exported, or an interrupted recording. Documents of other tools
    are curl commands, Postman collections, OpenAPI descriptions and JMeter plans.
    --only, --block and --block-trackers leave domains of a HAR file out, as with `record`. A test
    case that is open and not saved is dropped only with --discard, or if you agree.

    What FILE is, its content says. What of another tool's document no test case can hold is told,
    each with its place there. --server is the base URL of requests that name none, --environment an
    environment that Postman has exported. A document of several test cases (an operation of an API
    each, a thread group each) is written to a folder that is named like it, beside the test case.

    Example: `import shop.har --block-trackers`
    """
    if session.live is not None:
        raise CommandError("a recording is running: `stop` ends it")
    if not is_traffic(file):
        if only or block or block_trackers:
            raise UsageError("--only, --block and --block-trackers are for HAR files")
        await _from_document(session, file, server, environment, discard=discard)
        return
    if server or environment is not None:
        raise UsageError("--server and --environment are for documents of other tools")
    await may_drop(session, "import", discard)
    wanted = domains(session, only, block, block_trackers=block_trackers)
    with session.frontend.progress() as told:
        told(f"Reading {file.name}", 0, 0)
        exchanges = tuple(map(wanted.kept, read_har(file)))
    open_traffic(session, Captured(exchanges, absolute(file)))
    if not is_recording(file):
        session.stranger = sha256(format_case(session.opened().case).encode()).hexdigest()


async def _from_document(
    session: Console, file: Path, server: str, environment: Path | None, *, discard: bool
) -> None:
    """Open the test case of another tool's document, or write those of one that has several."""
    imported = import_document(absolute(file), server, environment)
    several = len(imported.cases) > 1
    folder = folder_of(file, session.case_path.parent) if several else session.case_path.parent
    if several and folder.exists():
        raise CommandError(f"{session.shown(folder)} is there already: move it away first")
    if not several:
        await may_drop(session, "import", discard)
    session.say(f"{session.shown(absolute(file))}: {imported.kind}.")
    if imported.left:
        session.say(f"Left out, or not as it was ({len(imported.left)}):")
        session.tell(f"  {one}" for one in imported.left)
    if several:
        written = write_files(imported, folder)
        session.say(f"Wrote {counted(len(written), 'file')} to {session.shown(folder)}:")
        session.tell(f"  {one.name}" for one in written)
        return
    _open_imported(session, imported)


def _open_imported(session: Console, imported: Imported) -> None:
    """Open the only test case of a document; what stands beside it is written, but for files that
    are there."""
    (case,) = imported.cases
    session.document, session.saved = Document(case), None
    session.stranger = sha256(format_case(case).encode()).hexdigest()
    session.say(f"The test case has {summary(session.document)}.")
    beside = session.case_path.parent
    for name, text in imported.files:
        if name.endswith(CASE_SUFFIX):
            continue
        path = load_path(session.case_path) if name.endswith(LOAD_SUFFIX) else beside / name
        if path.exists():
            session.say(f"  {session.shown(path)} is there already, and stays as it is")
            continue
        write_beside(path, text, session.case_path)
        session.say(f"  wrote {session.shown(path)}")


async def import_page(
    session: Console, request: Path, response: Path, *, name: str = "", server: str = ""
) -> None:
    """As New Web Page: add a page with one transaction from two plain-text files.

    REQUEST holds a request: `POST /items HTTP/1.1`, headers, an empty line, the body. RESPONSE
    holds what it was answered with, as `curl -i` prints it. The transaction expects a status of
    200-399, as a recorded one does. --name is the page's name; without it, it is named as a
    recorded page would be. --server is the base URL for a request without a Host header. Without a
    test case, one is made.

    Example: `import-page token.request.txt token.response.txt --name "Sign in"`
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
    kept = bool(document.exchanges) or not was_recorded(document.case)
    entry = len(document.exchanges) if kept else None
    uploads = Uploads(case_name(session.case_path), frozenset(case_files(document.case)))
    session.document = dataclasses.replace(
        document,
        case=with_page(document.case, exchange, entry, name, document.exchanges, uploads),
        uploads={**document.uploads, **uploads.files},
        exchanges=(*document.exchanges, *([exchange] if entry is not None else [])),
        evidence=None,
        masked=False,
        configuration=None,  # it was made without this page
    )
    page = session.document.case.pages[-1]
    session.say(f"Added the page {page.name}: {page.transactions[0].title}, {exchange.status}.")
    if entry is None:
        session.say("  The recorded traffic is not at hand, so the response is not kept.")


async def save(
    session: Console,
    file: CaseFile | None = None,
    *,
    replace: bool = False,
    secrets: SecretsChoice | None = None,
) -> None:
    """Write the test case, and the recorded traffic next to it.

    FILE is a name for it; without one it goes where it came from. A test case or traffic that this
    console neither opened nor saved is written over only with --replace, or if you agree; of one
    that was changed outside since, you are told where, and asked.
    --secrets says what becomes of credentials and tokens; without it you are asked, and a script
    keeps them: `keep` leaves them in the files, `dataset` moves what was typed to a CSV file for
    you alone, `env` to environment variables. With these two the traffic gets stand-ins for them.

    Example: `save --secrets dataset`
    """
    document = session.opened()
    if session.live is not None:
        raise CommandError("a recording is running: `stop` makes its test case first")
    path = session.case_path if file is None else as_case_path(absolute(file))
    if path.parent != session.case_path.parent:
        case = relocated(document.case, session.case_path.parent, path.parent, document.uploads)
        document = dataclasses.replace(document, case=case)
    check_savable(document, path)
    target = har_path(path) if document.exchanges else None
    if not replace and not await _may_replace(session, document, path, target, secrets):
        return
    how, told = await _secrets_choice(session, document, secrets or "")
    if how != SECRETS_CHOICES[0]:
        session.history.note(f"save --secrets {how}", session.state)
    before = session.opened()

    def placed(evidence: Path | None) -> None:
        session.document = dataclasses.replace(before, evidence=evidence)

    with session.frontend.progress() as progress:
        saved = _save(
            session.settings,
            document,
            path,
            secrets=how,
            own=not session.stranger,
            layout=session.layout if path == session.case_path else "",
            placed=placed,
            told=progress,
        )
    session.case_path = path
    session.document = session.saved = saved.document
    session.on_disk, session.layout = text_of(path), ""
    if session.stranger:
        session.stranger = fingerprint(path)
    if before.evidence is not None and target is not None and is_recording(before.evidence):
        session.log.renamed(session.shown(before.evidence), session.shown(target))
        if saved.document.masked:
            session.log.masked()
    session.history.written(saved.document, frozenset(filter(None, (before.evidence, target))))
    session.tell(saved.moved)
    session.say(f"Saved {session.settings.brief(path)}: {summary(document)}.")
    session.tell(reminders(session.settings, path, saved, told=told))


async def _may_replace(
    session: Console,
    document: Document,
    path: Path,
    target: Path | None,
    secrets: str | None,
) -> bool:
    """Ask whether what is there may be written over; return False if it is better left as somebody
    else has changed it.

    Raises:
        CommandError: it may not.
    """
    others = _in_the_way(session, document, path, target)
    # Of traffic with stand-ins, it has what they stand for, and is not written over.
    made = secrets == "dataset" and not document.masked
    dataset = [dataset_path(path)] if made else []
    await _agree_to_replace(session, [*others, *(one for one in dataset if one.exists())])
    return await agree_with_outside(session, path)


async def _secrets_choice(session: Console, document: Document, wanted: str) -> tuple[str, bool]:
    """Return what to do with the credentials and tokens; ``wanted`` is what the command said. And
    whether it was told which there are.

    Raises:
        UsageError: that is none of `SECRETS_CHOICES`.
        CommandError: dynamic values are not configured yet.
    """
    if wanted:
        return _understood(wanted, document), False
    if not document.case.configured:
        return SECRETS_CHOICES[0], False
    rules = rules_of(session.settings, session.case_path, document.case)
    found = list(warnings(session.settings, document, session.case_path, rules))
    if not found:
        return SECRETS_CHOICES[0], True
    session.tell(found)
    way = await session.consult(
        question(
            "Credentials and tokens: keep them in the files, or move them to a dataset or to "
            "environment variables (keep, dataset, env)?",
            SECRETS_CHOICES[0],
            lambda answer: _understood(answer, document),
            why=(
                "Who reads the files reads what is in them. `keep` leaves it there; `dataset` "
                "moves what was typed to a CSV file for you alone, with a row for each virtual "
                "user; `env` to environment variables, as CI keeps secrets. With these two the "
                "traffic gets stand-ins."
            ),
        )
    )
    session.decided(f"--secrets {way}")
    return way, True


def _understood(answer: str, document: Document) -> str:
    answer = one_of(SECRETS_CHOICES, answer)
    if answer != SECRETS_CHOICES[0] and document.exchanges and not document.case.configured:
        raise CommandError(
            "`configure` first: only then the tokens that the server gives out are told from yours"
        )
    return answer


def _in_the_way(
    session: Console, document: Document, path: Path, target: Path | None
) -> list[Path]:
    """Files that are not this console's own and that saving would replace."""
    if session.saved is not None and path == session.case_path:
        return []
    return [one for one in (path, target) if one and one.exists() and one != document.evidence]


async def _agree_to_replace(session: Console, files: Sequence[Path]) -> None:
    if not files:
        return
    shown = " and ".join(session.shown(one) for one in files)
    await session.agree(
        f"{shown} would be written over. Replace?",
        f"{shown} would be written over: give `save --replace`, or save under another name",
        "--replace",
    )
