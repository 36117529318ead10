"""What a test case that was not made here would read, and where it would send it: said before its
first replay.

Which files somebody has said yes to, or has written here, is kept for this user: by what is in
them, so that one that has changed is asked about again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.casefile.trust import UNTRUSTED, Kind, reached
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.session import Session
from pytest_loadtool.console.wizard import Question
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.replay.compile.proxies import through


def fingerprint(path: Path) -> str:
    """What a file is known again by.

    Raises:
        FileError: it cannot be read.
    """
    return sha256(read_bytes(path)).hexdigest()


def state_file(name: str) -> Path:
    """A file of ours for this user alone, in a folder that is made if it is not there.

    Raises:
        OSError: there is no place for it.
        RuntimeError: nobody's home is known.
    """
    home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    path = Path(home).expanduser() / "pytest-loadtool" / name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)
    return path


def as_known(known: str) -> None:
    """Keep what a file is known again by: nobody is asked about it. Without a place for it, they
    are asked again."""
    with suppress(OSError, RuntimeError), state_file("replayed").open("a") as file:
        file.write(f"{known}\n")


def is_known(known: str) -> bool:
    """Whether that was kept."""
    try:
        return known in state_file("replayed").read_text().splitlines()
    except (OSError, RuntimeError):
        return False


async def may_replay(session: Session, server: str) -> None:
    """Make sure that the open test case may be replayed against ``server``, or its own.

    Raises:
        CommandError: as `agree_to_replay`.
    """
    case = through(session.opened().case, session.settings.proxy)
    if session.stranger and await agree_to_replay(session, case, session.stranger, server):
        session.stranger = ""


async def agree_to_replay(session: Session, case: TestCase, stranger: str, server: str) -> bool:
    """Say what ``case`` reaches, and ask whether to replay it. Whether somebody has said yes: a
    script is not asked. ``stranger`` is what its file is known by.

    Raises:
        CommandError: somebody has said no.
    """
    if is_known(stranger):
        return True
    session.say(f"{case.name} was not made here. To replay it")
    for line in _reaches(case, server):
        session.say(f"  {line}")
    answer = await session.frontend.ask(Question("Replay it (yes, no)?", "no"))
    if answer is None:
        return False
    if answer.strip().lower() not in ("y", "yes"):
        raise CommandError("not replayed: `tree` and `show` tell what it would send")
    as_known(stranger)
    return True


def check_server(session: Session, server: str) -> None:
    """Make sure that somebody here has named the server of test cases from elsewhere.

    Raises:
        CommandError: nobody has.
    """
    if session.settings.trust.untrusted and not server:
        raise CommandError(f"{UNTRUSTED}: name the server that it may send to, with --server URL")


def _reaches(case: TestCase, server: str) -> Iterator[str]:
    found = (one for one in reached(case) if one.kind is not Kind.FIXTURE)
    if server:  # in place of its application, too
        found = (one for one in found if one.kind is not Kind.APPLICATION)
    yield from dict.fromkeys(f"{one.kind.value} {one.name}" for one in found)
    own = server or case.server
    targets = (one.request.target for one in case.transactions())
    urls = (urlsplit(one) for one in targets if one.lower().startswith("http"))
    others = (f"{one.scheme}://{one.netloc.rpartition('@')[2]}" for one in urls)
    servers = dict.fromkeys((*((own,) if own else ()), *others))
    yield f"sends to {', '.join(servers) or 'no server'}"
