"""Limits: each one is documented, with the number that the code has, and none is in the way."""

from __future__ import annotations

import ast
import csv
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from http.server import BaseHTTPRequestHandler
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pytest_loadtool
from pytest_loadtool.casefile.case.reader import parse_case
from pytest_loadtool.casefile.case.writer import format_case
from pytest_loadtool.casefile.dataset import parse_dataset
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.validator import TextValidator
from pytest_loadtool.replay import compile_case
from tests.observed import Observed
from tests.served import served

#: Of libraries under mitmproxy, as that is imported.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

PACKAGE = Path(pytest_loadtool.__file__).parent
PAGE = Path(__file__).parent.parent / "docs" / "limits.md"

#: A constant with one of these words in its name is a limit.
WORDS = {"LIMIT", "LONGEST", "MOST", "PATIENCE", "SILENCE", "WIDEST"}

#: But for these, which nobody can notice.
UNNOTICED = {
    "correlation.strategies.evidence._LONGEST_SEGMENT": "of an address, before a word in it",
    "correlation.strategies.listed_ids._LONGEST_FOLDER": "of an address, before its last segment",
    "correlation.outcomes.switched._MOST_BOXES": "of a page, to see which are checked now",
    "answers.documents._LONGEST_MESSAGE": "a longer one is no sentence on what was done",
    "answers.paging._MOST_OBJECTS": "of a document, to see whether there is more",
    "auth.digest._MOST_KEPT": "a cache",
    "auth.ntlm._MOST_KEPT": "a cache",
    "correlation.outcomes.proof._LONGEST_NAME": "of what an outcome is called",
    "casefile.har.exchange._LONGEST": "30 years, for one request",
    "casefile.toml.comment_transfer._LONGEST": "of an entry, to know it again when a file is saved",
    "correlation.responses.encoded._MOST_REMEMBERED": "a cache",
    "extraction.xmlpath._LONGEST_KEPT": "a cache",
    "correlation.classify._LONGEST_SAMPLE": "of a value: as much tells whether it is random",
    "load.metrics.histogram._LONGEST": "35 years",
    "recording.request.cookies._MOST_BYTES": "of a cookie: browsers keep no larger ones",
    "recording.request.uploads._LONGEST_NAME": "of a file: what it holds is the same",
    "replay.authentication.preemptive._MOST_COURSES": "a cache",
    "replay.user.cookies._MOST_LINES": "a cache",
    "replay.user.head._LONGEST_KEPT": "a cache",
    "replay.user.head._LONGEST_LINE_KEPT": "a cache",
    "replay.user.head._MOST_KEPT": "a cache",
    "replay.user.head._MOST_LINES_KEPT": "a cache",
    "replay.user.likeness._LONGEST_KEPT": "of a body, to know it again",
    "replay.user.head._MOST_OWN": "a cache",
    "engine.load._SWEEP_MOST": "how late a time-out may be noticed",
}

UNITS = {"KB": 1 << 10, "MB": 1 << 20, "ms": 0.001}


def documented() -> dict[str, float]:
    """What the page says: the numbers by their places in the code, in bytes, seconds or pieces."""
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[-1].startswith("`") and "." in cells[-1]:
            number, _, unit = cells[1].partition(" ")
            unit = unit.partition(" ")[0]
            found[cells[-1].strip("`")] = float(number.replace(",", "")) * UNITS.get(unit, 1)
    return {name: value for name, value in found.items() if name != "pytest_loadtool"}


def actual(name: str) -> Any:
    """The number at a place in the code: a constant, the default of a field or of a parameter."""
    if name == "csv.field_size_limit()":
        return csv.field_size_limit()
    path, _, parameter = name.rstrip(")").partition("(")
    module, _, last = path.rpartition(".")
    if parameter:
        function = getattr(import_module(f"pytest_loadtool.{module}"), last)
        return inspect.signature(function).parameters[parameter].default
    owner, _, kind = module.rpartition(".")
    if kind[0].isupper():
        of = getattr(import_module(f"pytest_loadtool.{owner}"), kind)
        assert is_dataclass(of)
        return next(one.default for one in fields(of) if one.name == last)
    return getattr(import_module(f"pytest_loadtool.{module}"), last)


def constants() -> Iterator[str]:
    """The numbers in the code whose names say that they are limits."""
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in WORDS):
            continue
        for statement in ast.parse(text).body:
            targets = (
                statement.targets
                if isinstance(statement, ast.Assign)
                else [statement.target]
                if isinstance(statement, ast.AnnAssign)
                else []
            )
            for node in (node for target in targets for node in ast.walk(target)):
                if isinstance(node, ast.Name) and not WORDS.isdisjoint(node.id.split("_")):
                    name = f"{module}.{node.id}"
                    if isinstance(actual(name), int | float):
                        yield name


@pytest.mark.promise(132)
def test_the_page_says_what_the_code_does() -> None:
    """Each number in the table is the one in the code."""
    page = documented()
    assert len(page) > 40
    assert {name: actual(name) for name in page} == page


@pytest.mark.promise(132)
def test_every_limit_is_on_the_page() -> None:
    """A constant that is named like a limit has a row, or is known to be none that shows."""
    found = set(constants())
    assert found - set(documented()) - set(UNNOTICED) == set()
    assert set(UNNOTICED) <= found
    assert not set(UNNOTICED) & set(documented())


class Mirror(BaseHTTPRequestHandler):
    """Answers GET /N with N bytes, and POST with how many bytes came."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body in one piece: else each waits for an acknowledgement

    def do_GET(self) -> None:
        self._answer(b"x" * int(self.path.strip("/")))

    def do_POST(self) -> None:
        missing = total = int(self.headers["Content-Length"])
        while missing:
            missing -= len(self.rfile.read(min(missing, 1 << 20)))
        self._answer(f"{total} bytes".encode())

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


def replayed(url: str, *transactions: Transaction) -> Observed:
    """A case of one page, written, read and replayed."""
    case = TestCase("big", (Page("p", transactions),), url)
    results = Observed()
    replay_once(compile_case(parse_case(format_case(case), "big.case.toml")), observer=results)
    return results


@pytest.mark.promise(132)
def test_many_transactions() -> None:
    """A test case of 3,000 transactions goes through its file and its replay."""
    with served(Mirror) as url:
        results = replayed(url, *(Transaction(Request("GET", f"/{n}")) for n in range(3000)))
    assert set(results.failures) == {()}
    assert [len(one.body) for one in results.responses] == list(range(3000))


@pytest.mark.promise(132)
def test_large_bodies() -> None:
    """20 MB come and are searched, 5 MB go."""
    size, sent = 20_000_000, "y" * 5_000_000
    with served(Mirror) as url:
        results = replayed(
            url,
            Transaction(Request("GET", f"/{size}"), validators=(TextValidator("xxx"),)),
            Transaction(
                Request("POST", "/", body=sent),
                validators=(TextValidator("5000000 bytes"),),
            ),
        )
    assert results.failures == [(), ()]
    assert results.responses[0].body == b"x" * size


@pytest.mark.promise(132)
def test_wide_and_long_datasets() -> None:
    """2,000 columns, or 100,000 rows."""
    wide = parse_dataset(
        ",".join(f"c{n}" for n in range(2000)) + "\n" + ",".join(["v"] * 2000), "w.csv"
    )
    assert (len(wide.columns), wide.rows) == (2000, (("v",) * 2000,))
    assert len(parse_dataset("user\n" + "ann\n" * 100_000, "l.csv").rows) == 100_000


@pytest.mark.promise(132)
def test_the_limit_of_a_value_in_a_dataset() -> None:
    """Python's limit is said, with the place."""
    limit = csv.field_size_limit()
    assert parse_dataset(f"text\n{'x' * limit}\n", "d.csv").rows == (("x" * limit,),)
    with pytest.raises(FileError, match=re.escape(f"field limit ({limit})")) as caught:
        parse_dataset(f"text\n{'x' * (limit + 1)}\n", "d.csv")
    assert caught.value.line == 2
