"""The life of many users: each logs in once, works, and logs out once, by the server's own log."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.plugin.loading import Project

USERS, ITERATIONS = 1_000, 10

CASE = """\
format = 1
name = "A day"
server = "http://127.0.0.1:{port}"
[[page]]
name = "Log in"
once = "start"
[[page.transaction]]
request = "POST /login"
[[page]]
name = "Work"
[[page.transaction]]
request = "GET /work"
[[page]]
name = "Log out"
once = "end"
[[page.transaction]]
request = "POST /logout"
"""

LOAD = f"""\
format = 1
name = "Days"
users = {USERS}
iterations = {ITERATIONS}
duration = "10m"
ramp_up = "5s"
keep_connections = true
[[case]]
file = "day.case.toml"
"""


class Sessions:
    """A server that gives each login a session, and counts what is asked in which."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, str]] = Counter()
        self._given = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, to its end."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                target = head.split(" ", 2)[1]
                session = head.partition("session=")[2].partition("\r\n")[0]
                more = ""
                if target == "/login":
                    self._given += 1
                    session = str(self._given)
                    more = f"Set-Cookie: session={session}\r\n"
                self.asked[target, session] += 1
                writer.write(f"HTTP/1.1 200 OK\r\n{more}Content-Length: 0\r\n\r\n".encode())
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


@contextmanager
def serving(sessions: Sessions) -> Iterator[int]:
    """Its port, as long as it serves."""
    known: queue.Queue[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = queue.Queue()

    async def serve() -> None:
        over = asyncio.Event()
        async with await asyncio.start_server(
            sessions.serve, "127.0.0.1", 0, backlog=1024
        ) as server:
            port = server.sockets[0].getsockname()[1]
            known.put((port, asyncio.get_running_loop(), over))
            await over.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    port, loop, over = known.get()
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()


@pytest.mark.slow
@pytest.mark.promise(3)
def test_a_thousand_users_over_two_workers(tmp_path: Path) -> None:
    """A thousand logins, ten thousand pages of work, a thousand logouts, in their sessions."""
    project, sessions = Project(tmp_path), Sessions()
    with serving(sessions) as port:
        project.write(day__case__toml=CASE.format(port=port), days__load__toml=LOAD)
        done = project.run("--load", "-n", "2", "--load-json", "out.json")
    assert done.returncode == 0, done.stdout
    wanted = {"/login": 1, "/work": ITERATIONS, "/logout": 1}
    found = {
        target: Counter(count for (one, _), count in sessions.asked.items() if one == target)
        for target in wanted
    }
    assert found == {target: {count: USERS} for target, count in wanted.items()}
    assert project.json()["totals"]["requests"] == sum(sessions.asked.values()) == 12_000
    assert [one["users"] for one in project.json()["workers"]] == [500, 500]
