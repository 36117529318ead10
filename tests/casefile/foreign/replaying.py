"""Documents of other tools, imported as they are and replayed against a server of the test."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pytest_loadtool.casefile import read_case
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.engine.prepare.resources import compile_from
from pytest_loadtool.errors import FileError, LoadToolError
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.workflow.importing import import_document, write_files
from tests.observed import Observed
from tests.served import served

__all__ = ["Echo", "Outcome", "echo_server", "imported_and_replayed"]


@dataclass
class Echo:
    """A server that answers anything with what it was asked, as JSON; ``/status/404`` with that
    status. ``requests`` are what came."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def echo_server() -> Iterator[Echo]:
    """An `Echo` while the block runs."""
    echo = Echo()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            super().handle_one_request()

        def answer(self) -> None:
            told = asked(self.command, self.path, self.headers.items(), self.body())
            echo.requests.append(told)
            status = re.fullmatch(r"/status/(\d{3})", urlsplit(self.path).path)
            content = b"" if self.command == "HEAD" else json.dumps(told).encode()
            self.send_response(int(status[1]) if status else 200)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def body(self) -> bytes:
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.answer
            raise AttributeError(name)

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002

    with served(Handler) as echo.url:
        yield echo


def asked(method: str, target: str, headers: Any, body: bytes) -> dict[str, Any]:
    """A request as Postman's echo service tells it."""
    found = {name.lower(): value for name, value in headers}
    kind = found.get("content-type", "")
    form: dict[str, str] = {}
    data: Any = body.decode("utf-8", "replace")
    if kind.startswith("application/x-www-form-urlencoded"):
        form = dict(parse_qsl(data, keep_blank_values=True))
    elif kind.startswith("multipart/"):
        parsed = message_from_bytes(b"Content-Type: %b\r\n\r\n%b" % (kind.encode(), body))
        for part in parsed.walk():
            if name := part.get_param("name", header="content-disposition"):
                content = part.get_payload(decode=True)
                form[str(name)] = content.decode() if isinstance(content, bytes) else ""
    elif "json" in kind:
        with suppress(ValueError):
            data = json.loads(data)
    return {
        "method": method,
        "args": dict(parse_qsl(urlsplit(target).query, keep_blank_values=True)),
        "headers": found,
        "data": data,
        "form": form,
        "json": data if isinstance(data, dict) else None,
        "url": f"http://{found.get('host', '')}{target}",
    }


@dataclass
class Outcome:
    """What became of a document: how many test cases and requests, how many of these were answered,
    how many were green, and what was left out."""

    cases: int = 0
    requests: int = 0
    answered: int = 0
    green: int = 0
    left: tuple[str, ...] = ()
    problem: str = ""
    failures: Counter[str] = field(default_factory=Counter)

    @property
    def replays(self) -> bool:
        """Whether each of its requests was sent and answered, without anything edited."""
        return not self.problem and bool(self.requests) and self.answered == self.requests

    @property
    def is_green(self) -> bool:
        """Whether the checks that came with it held, too."""
        return self.replays and self.green == self.requests


def imported_and_replayed(document: Path, folder: Path, echo: Echo) -> Outcome:
    """Import a document; replay each of its test cases, as it is but for its hosts."""
    outcome = Outcome()
    try:
        imported = import_document(document)
    except FileError as error:
        outcome.problem = str(error)
        return outcome
    outcome.cases, outcome.left = len(imported.cases), imported.left
    write_files(imported, folder)
    for name, _ in imported.files:
        if name.endswith(".case.toml"):
            try:
                _replay(folder / name, echo, outcome)
            except LoadToolError as error:
                outcome.problem = str(error).partition("\n")[0]
    return outcome


def _replay(path: Path, echo: Echo, outcome: Outcome) -> None:
    case = _here(read_case(path), echo.url)
    outcome.requests += sum(1 for _ in case.transactions())
    observed = Observed()
    replay_once(compile_from(path, case), observer=observed, timeout=20)
    outcome.answered += sum(one.status > 0 for one in observed.responses)
    outcome.green += sum(not any(one.certain for one in each) for each in observed.failures)
    for each in observed.failures:
        outcome.failures.update(one.message for one in each)


def _here(case: TestCase, url: str) -> TestCase:
    """``case`` with all its hosts here, no pauses, and what comes from the environment."""
    steps = [
        replace(one, request=replace(one.request, target=_path(one.request.target)))
        for one in case.transactions()
    ]
    case = with_transactions(replace(case, server=url, recorded_hosts=()), steps)
    variables = {
        name: one if one.env is None else Variable(name, "value")
        for name, one in case.variables.items()
    }
    return replace(
        case,
        identities=tuple(replace(one, host="") for one in case.identities),
        pages=tuple(replace(one, think_time=0.0) for one in case.pages),
        variables=MappingProxyType(variables),
    )


def _path(target: str) -> str:
    return re.sub(r"^https?://[^/?#]+", "", target) or "/"
