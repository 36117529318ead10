"""What passes and is not as recorded: the same words in tests, in `play` and in load tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console, Settings
from pytest_loadtool.diagnosis.outcome import SEPARATOR
from tests.answers.samples import HTML, JSON, LOGIN, Raw, page
from tests.console.listener import Listener, do
from tests.plugin.loading import Project, load
from tests.plugin.serving import case, transaction, write
from tests.served import served

ACCOUNT = page("Account · Shop")
PAID = '{"jsonrpc": "2.0", "id": 1, "result": "paid"}'
ITEMS = '{"items": [1], "total": 1}'

CASE = (
    transaction(
        "GET /account",
        'recorded = { status = 200, kind = "HTML", answer = '
        '{ size = 130, title = "Account · Shop" } }',
    ),
    transaction(
        "POST /pay",
        'recorded = { status = 200, kind = "JSON", answer = '
        '{ size = 45, json = "object", keys = ["jsonrpc", "id", "result"] } }',
    ),
    transaction(
        "GET /items",
        'recorded = { status = 200, kind = "JSON", answer = '
        '{ size = 26, json = "object", keys = ["items", "total"], lists = ["items"] } }',
    ),
)

THROWN = Raw(302, HTML, "", "/login?next=/account")
EMPTY = Raw(200, JSON, '{"items": [], "total": 0}')
MOVED = "GET /account: 302 -> /login where 200 was recorded"
NOTHING = 'GET /items: an empty list: "items"'


@dataclass
class Shop:
    """A server, and what it answers by path."""

    url: str = ""
    answers: dict[str, Raw] = field(
        default_factory=lambda: {
            "/account": Raw(200, HTML, ACCOUNT),
            "/pay": Raw(200, JSON, PAID),
            "/items": Raw(200, JSON, ITEMS),
        }
    )
    every: int = 1
    """Of so many requests one is answered like that, the others as recorded."""
    asked: Iterator[int] = field(default_factory=lambda: count(1))
    """Counts requests, whichever threads they are answered by."""


@pytest.fixture
def shop() -> Iterator[Shop]:
    """It listens on a port of its own."""
    state, usual = Shop(), Shop().answers

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answers = usual if next(state.asked) % state.every else state.answers
            raw = answers[self.path]
            body = raw.text.encode()
            self.send_response(raw.status)
            self.send_header("Content-Type", raw.content_type)
            self.send_header("Content-Length", str(len(body)))
            if raw.location:
                self.send_header("Location", raw.location)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Nobody reads it."""

    with served(Handler) as state.url:
        yield state


def played(folder: Path, *, strict: bool = False) -> Listener:
    """What the console says of a replay."""
    heard = Listener()
    session = Console(
        Settings(directory=folder, strict=strict), heard, COMMANDS, folder / "shop.case.toml"
    )
    open_file(session)
    do(session, "play")
    return heard


def test_as_recorded_nothing_is_said(pytester: pytest.Pytester, shop: Shop) -> None:
    """Neither in a test, nor by `play`, nor of a load test, strict ones included."""
    write(pytester, "shop", case(shop.url, *CASE))
    project = Project(pytester.path, pytester)
    project.write(shop__load__toml=load("shop.case.toml", more="iterations = 3"))
    assert "as recorded" not in project.run("--loadtool-strict").stdout
    assert played(pytester.path).said[-1] == "3 transactions passed."
    done = project.run("--load", "--load-json=out.json", "--loadtool-strict")
    assert done.returncode == 0, done.stdout
    assert "as recorded" not in done.stdout
    assert project.json()["totals"]["not_as_recorded"] == 0


def test_a_test_says_what_differs(pytester: pytest.Pytester, shop: Shop) -> None:
    """In its last lines, and in the JUnit file."""
    shop.answers |= {"/account": THROWN, "/items": EMPTY}
    write(pytester, "shop", case(shop.url, *CASE))
    result = pytester.runpytest("--junitxml=out.xml")
    result.assert_outcomes(passed=1)
    said = f"Home{SEPARATOR}{MOVED}; Home{SEPARATOR}{NOTHING}"
    assert f"loadtool: shop.case.toml::shop passed, but not as recorded: {said}" in result.outlines
    tree = ElementTree.parse(pytester.path / "out.xml")
    found = tree.iterfind(".//property[@name='not as recorded']")
    assert [one.get("value") for one in found] == [said]


def test_play_says_what_differs(pytester: pytest.Pytester, shop: Shop) -> None:
    """Below the transaction, and in the last line."""
    shop.answers |= {"/account": THROWN, "/items": EMPTY}
    write(pytester, "shop", case(shop.url, *CASE))
    said = played(pytester.path).said
    assert said[-1] == "3 transactions passed, but 2 not as recorded."
    told = [one.strip() for one in said if "passed, but not as recorded: " in one]
    assert told == [
        f"passed, but not as recorded: {one.partition(': ')[2]}" for one in (MOVED, NOTHING)
    ]


def test_a_load_test_says_what_differs(pytester: pytest.Pytester, shop: Shop) -> None:
    """In a row, in the JSON file; what never came as recorded makes it inconclusive."""
    shop.answers["/account"] = THROWN
    write(pytester, "shop", case(shop.url, *CASE))
    project = Project(pytester.path, pytester)
    project.write(
        shop__load__toml=load("shop.case.toml", users=2, duration="60s", more="iterations = 4")
    )
    done = project.run("--load", "--load-json=out.json")
    assert done.returncode == 10, done.stdout
    lines = done.stdout.splitlines()
    row = lines.index("not as recorded 8 of 24 requests")
    assert lines[row + 1].strip() == f"8 x {MOVED}"
    report = project.json()
    assert report["verdict"] == "inconclusive"
    assert report["reasons"][0].startswith(
        f"'GET /account' never once came as recorded (8 requests): {MOVED.partition(': ')[2]}"
    )
    assert report["totals"]["not_as_recorded"] == 8
    (found,) = report["not_as_recorded"]
    assert (found["transaction"], found["count"]) == ("GET /account", 8)
    assert [one["not_as_recorded"] for one in report["transactions"]] == [8, 0, 0]


NGINX = Raw(200, HTML, page("Welcome to nginx!", "<h1>Welcome to nginx!</h1>"))
ROOTS = [
    ('status = 302, answer = { location = "/app/" }', NGINX, "200 where 302 was recorded"),
    ('status = 302, answer = { location = "/" }', Raw(302, HTML, "", "https://other.example"),
     "redirected to //other.example/ where / was recorded"),
    ('status = 200, kind = "HTML", answer = { size = 900 }', NGINX,
     'the title "Welcome to nginx!" where none was recorded'),
]  # fmt: skip


@pytest.mark.parametrize(("recorded", "now", "text"), ROOTS)
def test_the_root_of_something_else_is_told_in_each_way(
    pytester: pytest.Pytester, shop: Shop, recorded: str, now: Raw, text: str
) -> None:
    """A server that has another application at its root, or none: its own page, a redirect to
    somebody else."""
    shop.answers["/"] = now
    write(pytester, "shop", case(shop.url, transaction("GET /", f"recorded = {{ {recorded} }}")))
    project = Project(pytester.path, pytester)
    project.write(shop__load__toml=load("shop.case.toml", users=1, more="iterations = 1"))
    assert f"passed, but not as recorded: Home{SEPARATOR}GET /: {text}" in project.run().stdout
    assert f"passed, but not as recorded: {text}" in "\n".join(played(pytester.path).said)
    done = project.run("--load", "--load-json=out.json")
    assert f"1 x GET /: {text}" in done.stdout
    assert project.json()["verdict"] == "inconclusive"


DOUBTS = (
    "taken by its place in the list",
    "sent as recorded, in a body that cannot be followed",
)


@pytest.mark.promise(142)
def test_doubts_are_told_in_each_way(pytester: pytest.Pytester, shop: Shop) -> None:
    """What is taken by its place, and a body that is binary; if strict, each is a failure."""
    doubtful = transaction(
        "POST /pay",
        'headers = ["Content-Type: application/cbor"]',
        'body_base64 = "oWJpZAE="',
        'opaque = "cbor, 5 bytes"',
        'extractors = [{ variable = "paid", json = "$.result", by_place = true }]',
    )
    write(pytester, "shop", case(shop.url, doubtful))
    project = Project(pytester.path, pytester)
    project.write(shop__load__toml=load("shop.case.toml", users=1, more="iterations = 1"))
    runs = [project.run().stdout, project.run("--load").stdout]
    for said in (*runs, "\n".join(played(pytester.path).said)):
        assert [one in said for one in DOUBTS] == [True, True], said
    strict = project.run("--loadtool-strict").stdout
    assert f"its request is {DOUBTS[1]}: cbor, 5 bytes" in strict
    assert project.run("--load", "--loadtool-strict").returncode == 1
    with pytest.raises(CommandError, match="1 of 1 transaction failed"):
        played(pytester.path, strict=True)


@pytest.mark.alone
def test_workers_add_up_what_differs(tmp_path: Path, shop: Shop) -> None:
    """What some answers were is in the report; most came as recorded, so it passes."""
    shop.answers, shop.every = dict.fromkeys(shop.answers, THROWN), 4
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "shop.case.toml").write_text(case(shop.url, CASE[0]))
    project = Project(tmp_path)
    project.write(
        shop__load__toml=load("shop.case.toml", users=2, duration="60s", more="iterations = 20")
    )
    done = project.run("--load", "--load-json=out.json", "-n", "2")
    report = project.json()
    assert report["totals"]["not_as_recorded"] == report["not_as_recorded"][0]["count"] == 10
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("how", ["option", "file", "case"])
def test_strict(pytester: pytest.Pytester, shop: Shop, how: str) -> None:
    """Each difference is a failure, in all three ways to replay."""
    shop.answers["/items"] = EMPTY
    strict = "strict = true\n" if how == "case" else ""
    written = case(shop.url, *CASE).replace("\nserver = ", f"\n{strict}server = ", 1)
    write(pytester, "shop", written)
    if how == "file":
        pytester.makeini("[pytest]\nloadtool_strict = true\n")
    project = Project(pytester.path, pytester)
    project.write(shop__load__toml=load("shop.case.toml", more="iterations = 1"))
    options = ["--loadtool-strict"] if how == "option" else []
    message = 'Not as recorded: an empty list: "items"'
    assert message in project.run(*options).stdout
    done = project.run("--load", "--load-json=out.json", *options)
    assert done.returncode == 1
    (error,) = project.json()["errors"]
    assert (error["cause"], error["message"]) == ("answer", message)
    if how != "file":
        with pytest.raises(CommandError, match="1 of 3 transactions failed"):
            played(pytester.path, strict=how == "option")


@pytest.mark.parametrize(
    ("path", "answer", "message"),
    [
        (
            "/pay",
            Raw(200, JSON, '{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601}}'),
            "The answer says that it failed: JSON-RPC error -32601",
        ),
        (
            "/account",
            Raw(200, HTML, LOGIN),
            "The answer asks to log in, which the recorded one did not",
        ),
    ],
)
def test_an_answer_that_says_that_it_failed(
    pytester: pytest.Pytester, shop: Shop, path: str, answer: Raw, message: str
) -> None:
    """It fails, with status 200, in all three ways to replay."""
    shop.answers[path] = answer
    write(pytester, "shop", case(shop.url, *CASE))
    project = Project(pytester.path, pytester)
    project.write(shop__load__toml=load("shop.case.toml", more="iterations = 2"))
    assert message in project.run().stdout
    with pytest.raises(CommandError, match="1 of 3 transactions failed"):
        played(pytester.path)
    assert project.run("--load", "--load-json=out.json").returncode == 1
    report = project.json()
    assert [(one["cause"], one["message"]) for one in report["errors"]] == [("answer", message)]
    assert json.dumps(report["not_as_recorded"]) == "[]"
