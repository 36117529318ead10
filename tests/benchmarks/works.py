"""What is asked of the server, in the language of each contender.

- A: a plain GET of 12 bytes.
- B: a correlated session of four requests. Log in (token from JSON, session cookie); an API call
  with the bearer token and the cookie (text check); a 19 KB page (regular expression extraction); a
  request that uses what was extracted.
- P100: a login, then a page group of 100 transactions: the 19 KB page, 50 style sheets of 2 KB and
  48 API calls over 6 connections, overlapping as a browser's do, and a request that uses what was
  extracted from the page.
- soak: B, and a response that fails with another text each time.

Status codes are checked everywhere, and all metrics are on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

__all__ = ["WORKS", "large_case", "write_load", "write_locustfile", "write_wrk_script"]

_HEAD = """
format = 1
name = "{name}"
server = "{url}"
headers = ["Host", "User-Agent: benchmark", "Accept: */*", "Cookie"]
tls = {{ verify = false }}
"""

_A = """
[[page]]
name = "Plain"
[[page.transaction]]
request = "GET /plain"
"""

_LOGIN = """
[[page]]
name = "{page}"

[[page.transaction]]
request = "POST /login"
headers = ["Content-Type: application/json"]
body = '{{"username": "alice", "password": "secret"}}'
extractors = [{{ variable = "token", json = "$.access_token" }}]
"""

_B = """
[[page.transaction]]
request = "GET /api/me"
headers = ["Authorization: Bearer ${token}"]
validators = [{ text = "alice" }]

[[page.transaction]]
request = "GET /page"
extractors = [{ variable = "item", regex = 'data-item="(\\d+)"' }]

[[page.transaction]]
request = "GET /item/${item}"
"""

#: A response whose content coding nobody knows, and which is named otherwise each time.
_UNLIKE = """
[[page.transaction]]
request = "GET /unlike"
validators = [{ text = "unlike" }]
"""


def _hundred() -> Iterator[str]:
    """A page group as a browser records it: the document, then six at a time."""
    first, *rest = _page_transactions()
    yield '\n[[page]]\nname = "Shop"\n'
    yield first + "recorded = { status = 200, at = 0, took = 0.05 }\n"
    for number, transaction in enumerate(rest):
        at = 0.06 + number // 6 * 0.02 + number % 6 * 0.001
        yield transaction + f"recorded = {{ status = 200, at = {at:.3f}, took = 0.015 }}\n"


def _page_transactions() -> Iterator[str]:
    yield (
        '[[page.transaction]]\nrequest = "GET /page"\n'
        'extractors = [{ variable = "item", regex = \'data-item="(\\d+)"\' }]\n'
    )
    for number in range(50):
        yield f'[[page.transaction]]\nrequest = "GET /static/{number}.css"\n'
    for _ in range(48):
        yield (
            '[[page.transaction]]\nrequest = "GET /api/me"\n'
            'headers = ["Authorization: Bearer ${token}"]\nvalidators = [{ text = "alice" }]\n'
        )
    yield '[[page.transaction]]\nrequest = "GET /item/${item}"\n'


_SESSION = _LOGIN.format(page="Session")

#: The pages of a test case, by the name of the work.
WORKS = {
    "A": _A,
    "B": _SESSION + _B,
    "P100": _LOGIN.format(page="Login") + "".join(_hundred()),
    "soak": _SESSION + _B + _UNLIKE,
}

_LOAD = """
format = 1
name = "{name}"
users = {users}
duration = "{seconds}s"
grace = "5s"
keep_connections = true
"""


def write_load(folder: Path, work: str, url: str, users: int, seconds: float, more: str) -> Path:
    """A load configuration with ``more`` lines, and the test case that it runs."""
    (folder / f"{work}.case.toml").write_text(_HEAD.format(name=work, url=url) + WORKS[work])
    load = _LOAD.format(name=work, users=users, seconds=seconds)
    path = folder / f"{work}.load.toml"
    path.write_text(f'{load}{more}\n[[case]]\nfile = "{work}.case.toml"\n')
    return path


def large_case(transactions: int) -> str:
    """A test case of so many transactions: B, again and again, a page group of 20 each."""
    pages = [
        _LOGIN.format(page=f"Page {number}") + _B + (_B + _A_REQUEST) * 4
        for number in range(transactions // 20)
    ]
    return _HEAD.format(name="large", url="http://127.0.0.1:1") + "".join(pages)


_A_REQUEST = '[[page.transaction]]\nrequest = "GET /plain"\n'

#: The same as Locust's users write it. FastHttpUser keeps connections, counts any status from 400
#: up as a failure and records every request, by name and in total, as pytest-loadtool does.
_LOCUST = """
import re

from gevent import ssl
from locust import FastHttpUser, task

# One for all users, as in our runs: making one takes as long as many requests.
CONTEXT = ssl._create_unverified_context()
ITEM = re.compile(r'data-item="(\\d+)"')


class A(FastHttpUser):
    @task
    def plain(self):
        self.client.get("/plain")


class B(FastHttpUser):
    ssl_context_factory = staticmethod(lambda **_: CONTEXT)

    @task
    def session(self):
        answer = self.client.post("/login", json={"username": "alice", "password": "secret"})
        headers = {"Authorization": "Bearer " + answer.json()["access_token"]}
        with self.client.get("/api/me", headers=headers, catch_response=True) as answer:
            if "alice" not in answer.text:
                answer.failure("text not found")
        item = ITEM.search(self.client.get("/page").text)[1]
        self.client.get("/item/" + item, name="/item")
"""

#: The four requests of B in turn, each made once and for all. Nothing is taken from any response,
#: and no user follows another: what the machine and the server can do, not what a session takes.
_WRK = """
local cookie = "sessionid=8f14e45fceea167a5a36dedd4bea2543"
local bearer = "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIi"
local requests, turn = {}, 0
function init()
  requests[0] = wrk.format("POST", "/login", {["Content-Type"] = "application/json"}, %s)
  requests[1] = wrk.format("GET", "/api/me", {["Authorization"] = bearer, ["Cookie"] = cookie})
  requests[2] = wrk.format("GET", "/page", {["Cookie"] = cookie})
  requests[3] = wrk.format("GET", "/item/4711", {["Cookie"] = cookie})
end
function request()
  turn = (turn + 1) %% 4
  return requests[turn]
end
"""


def write_locustfile(folder: Path) -> Path:
    """A and B as classes of users."""
    path = folder / "locustfile.py"
    path.write_text(_LOCUST)
    return path


def write_wrk_script(folder: Path) -> Path:
    """B's requests without its correlation."""
    path = folder / "session.lua"
    body = json.dumps('{"username": "alice", "password": "secret"}')
    path.write_text(_WRK % body)
    return path
