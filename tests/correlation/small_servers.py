"""Small servers: one answers each request by itself, and a session is recorded there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import serving
from tests.correlation.talk import configure

HTML = {"Content-Type": "text/html"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}

Answer = tuple[int, dict[str, str], str]


def json_answer(body: Any, status: int = 200) -> Answer:
    """What is answered in JSON."""
    return status, {"Content-Type": "application/json"}, json.dumps(body)


def three(path: str, body: Any) -> Callable[[Client], None]:
    """Look, do it, look again."""

    def session(client: Client) -> None:
        client.send("GET", "/")
        client.json("POST", path, body)
        client.send("GET", "/")

    return session


def recorded(office: Any, session: Callable[[Client], None]) -> TestCase:
    """The session at that server, configured."""
    with serving(office) as url:
        client = Client(url)
        session(client)
        client.close()
    exchanges = tuple(client.exchanges)
    return configure(build_case(exchanges, name="again").case, exchanges).case
