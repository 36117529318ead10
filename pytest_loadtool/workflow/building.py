"""From files, or from recorded traffic, to a document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from pytest_loadtool.auth import scheme_name
from pytest_loadtool.auth.recorded import recorded_identities
from pytest_loadtool.casefile import har_comment, read_case, read_har, read_troubles
from pytest_loadtool.casefile.trust import UNTRUSTED, named_path
from pytest_loadtool.codec.suffixes import case_name, har_path
from pytest_loadtool.codec.template import Reference
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.authentication import Proxy
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.recording import build_case, what_sockets_did
from pytest_loadtool.replay.compile.proxies import ProxyUrl
from pytest_loadtool.workflow.accounts import unconfigured
from pytest_loadtool.workflow.configuring import with_decisions
from pytest_loadtool.workflow.credentials import CredentialChoice, CredentialSource, env_name, place
from pytest_loadtool.workflow.document import Document, of_users, was_recorded
from pytest_loadtool.workflow.errors import NothingRecordedError
from pytest_loadtool.workflow.files import MASKED
from pytest_loadtool.workflow.project import Project
from pytest_loadtool.workflow.recording import Captured
from pytest_loadtool.workflow.telling import account, notes, replayed


@dataclass(frozen=True, slots=True)
class Opened:
    """A document that was read from its files; ``note`` says why its traffic is not at hand."""

    document: Document
    note: str = ""


@dataclass(frozen=True, slots=True)
class Built:
    """A document made of traffic.

    ``left_out`` are lines on what is not in the test case, or not as it was, ``notes`` on what is
    in it; ``placed`` says what was put where for the proxy.
    """

    document: Document
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    placed: tuple[str, ...] = ()


def read_document(project: Project, case_path: Path) -> Opened:
    """Read a test case and its traffic, as far as that is there.

    Raises:
        FileError: the test case cannot be read.
    """
    case = read_case(case_path, project.trust)
    evidence, exchanges, note = har_path(case_path), tuple[Exchange, ...](), ""
    if project.trust.untrusted:
        note = f"  {evidence.name} is not read: {UNTRUSTED}."
    elif not evidence.exists():
        if was_recorded(case):  # else it was written by hand, and nothing is missing
            note = f"  {evidence.name} is not there; `configure` and `show` need the traffic in it."
    else:
        try:
            exchanges = read_har(named_path(case_path, evidence.name, project.trust, limit=None))
        except FileError as error:  # the test case is whole without its traffic
            note = f"  {error}"
    if not exchanges:
        return Opened(Document(case), note)
    masked = _is_masked(evidence)
    troubles = read_troubles(evidence)
    document = Document(case, exchanges, evidence, masked=masked, troubles=troubles)
    return Opened(with_decisions(document), note)


def build(
    project: Project,
    case_path: Path,
    captured: Captured,
    old: TestCase | None = None,
    told: Told = silent,
) -> Built:
    """Make a test case of recorded traffic. What a person said about ``old``, which is in the same
    file, stays.

    Raises:
        NothingRecordedError: no exchange can be replayed.
    """
    exchanges = captured.exchanges
    lost = f"  not all of it is on disk: {captured.problem}"
    left_out = [lost] if captured.problem else []
    if not exchanges:
        raise NothingRecordedError("nothing was recorded", tuple(left_out))
    recording = build_case(
        exchanges, name=case_name(case_path), grouping=project.grouping, told=told
    )
    troubles = read_troubles(captured.evidence)
    left_out += (f"  {one}: record again" for one in troubles)
    left_out += notes(recording.notes)
    if did := what_sockets_did(exchanges):
        left_out.append(f"  {did}")
    if not recording.case.pages:
        raise NothingRecordedError("none of the recorded traffic can be replayed", tuple(left_out))
    case = recording.case if old is None else _settled(recording.case, old)
    evidence = None if captured.problem else captured.evidence  # saving writes what is in memory
    document = Document(
        case,
        exchanges,
        evidence,
        masked=_is_masked(captured.evidence),
        troubles=troubles,
        uploads=recording.uploads,
    )
    said = [*_authentication(document)]
    if document.masked:
        said.append("  Its credentials and tokens are stand-ins: what was typed is elsewhere.")
    if unverified := _unverified(case, captured):
        case = replace(case, tls=replace(case.tls, verify=False))
        said += unverified
    case, placed = _through_proxy(project, case_path, case, captured.upstream)
    return Built(replace(document, case=case), tuple(left_out), tuple(said), placed)


def _is_masked(evidence: Path) -> bool:
    return har_comment(evidence) == MASKED


def _settled(case: TestCase, old: TestCase) -> TestCase:
    """Return a test case recorded anew, which keeps what a person said about the one in the same
    file."""
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


def _authentication(document: Document) -> Iterator[str]:
    """Yield what is to be known before a replay: pauses, and who the users are."""
    case = document.case
    yield from replayed(case)
    for one in unconfigured(document):
        yield f"  {account(case, one)}: `test-case-configuration` says who the users are."
    for identity in recorded_identities(document.exchanges):
        if identity.proxy:
            yield (
                f"  {scheme_name(identity.scheme)} at a proxy, recorded as {identity.username}: "
                "`properties --proxy URL` is for one that the test case is to go through, too."
            )


def _unverified(case: TestCase, captured: Captured) -> list[str]:
    """Return a server whose certificate did not pass while recording will not pass on replay
    either."""
    targets = [case.server, *(one.request.target for one in case.transactions())]
    hosts = {urlsplit(target).hostname for target in targets if "://" in target}
    return [
        f"  the certificate of {host} is not trusted ({why}): replay will not check it"
        for host, why in captured.unverified.items()
        if host in hosts
    ]


def _through_proxy(
    project: Project, case_path: Path, case: TestCase, upstream: ProxyUrl | None
) -> tuple[TestCase, tuple[str, ...]]:
    """Let a recorded test case go through the proxy that it was recorded through, unless it has
    one: as the same user, whose password is in the environment."""
    if upstream is None or case.proxy is not None:
        return case, ()
    if not upstream.username:
        return replace(case, proxy=Proxy(upstream.origin)), ()
    name = env_name(case_path, "proxy_password")
    password = CredentialSource(variable=Variable(name, env=name))
    found = CredentialChoice(
        CredentialSource(upstream.username), password, secret=upstream.password
    )
    placed = place(project, case_path, case, found)
    return replace(placed.case, proxy=Proxy(upstream.origin, *placed.templates)), placed.notes
