"""What a test case that was not made here would read, and where it would send it: said before its
first replay.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from pytest_loadtool.casefile.trust import UNTRUSTED, Reach, reached
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.wizard import Question
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.replay import Plan
from pytest_loadtool.replay.compile.proxies import through
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.known import as_known, is_known
from pytest_loadtool.workflow.replaying import plan_of

_WHY = (
    "A test case that somebody else has written may read files of yours and send them anywhere. "
    "Once you have said yes it is not asked about again, until its file is changed outside."
)


async def may_replay(session: Console, server: str) -> None:
    """Make sure that the open test case may be replayed against ``server``, or its own.

    Raises:
        CommandError: as `agree_to_replay`.
    """
    case = through(session.opened().case, session.settings.proxy)
    if session.stranger and await agree_to_replay(session, case, session.stranger, server):
        session.stranger = ""


async def agree_to_replay(session: Console, case: TestCase, stranger: str, server: str) -> bool:
    """Say what ``case`` reaches, and ask whether to replay it. Return whether somebody has said
    yes: a script is not asked. ``stranger`` is what its file is known by.

    Raises:
        CommandError: somebody has said no.
    """
    if is_known(stranger):
        return True
    session.say(f"{case.name} was made or changed elsewhere. To replay it")
    for line in _reaches(case, server):
        session.say(f"  {line}")
    answer = await session.answer(Question("Replay it (yes, no)?", "no", why=_WHY))
    if answer is None:
        return False
    if answer.strip().lower() not in ("y", "yes"):
        raise CommandError("not replayed: `tree` and `show` tell what it would send")
    as_known(stranger)
    return True


def check_server(session: Console, server: str) -> None:
    """Make sure that somebody here has named the server of test cases from elsewhere.

    Raises:
        CommandError: nobody has.
    """
    if session.settings.trust.untrusted and not server:
        raise CommandError(f"{UNTRUSTED}: name the server that it may send to, with --server URL")


def planned(session: Console, document: Document, *, server: str, fast: bool = False) -> Plan:
    """Return what replaying a document does, as `plan_of`; say so if it does not check
    certificates.

    Raises:
        CommandError: nobody has named the only server.
        LoadToolError: it cannot be replayed.
    """
    check_server(session, server)
    plan = plan_of(session.settings, session.case_path, document, server=server, fast=fast)
    if not document.case.tls.verify:
        session.say("Certificates are not verified: the test case says so.")
    return plan


def _reaches(case: TestCase, server: str) -> Iterator[str]:
    found = (one for one in reached(case) if one.kind is not Reach.FIXTURE)
    if server:  # in place of its application, too
        found = (one for one in found if one.kind is not Reach.APPLICATION)
    yield from dict.fromkeys(f"{one.kind.value} {one.name}" for one in found)
    own = server or case.server
    targets = (one.request.target for one in case.transactions())
    urls = (urlsplit(one) for one in targets if one.lower().startswith("http"))
    others = (f"{one.scheme}://{one.netloc.rpartition('@')[2]}" for one in urls)
    servers = dict.fromkeys((*((own,) if own else ()), *others))
    yield f"sends to {', '.join(servers) or 'no server'}"
