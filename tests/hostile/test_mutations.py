"""Files and responses that are nearly right: they are read, or refused in words.

``--hypothesis-profile=nightly`` tries 100,000.
"""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.casefile import (
    HarWriter,
    format_case,
    format_dataset,
    format_load,
    parse_case,
    parse_dataset,
    parse_har,
    parse_load,
    parse_rules,
    read_har,
)
from pytest_loadtool.errors import FileError, LoadToolError
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay import Over, Response, Send, Wait, compile_case
from pytest_loadtool.replay.acting import actor_for
from pytest_loadtool.replay.user.user import VirtualUser
from pytest_loadtool.transport.wire.http1 import ProtocolError, ResponseReader
from tests.hostile.corpus import read_responses
from tests.hostile.mutating import mutated, within
from tests.hostile.readers import ours
from tests.replay.playbook import Diary, first_row

C = TypeVar("C", str, bytes)
T = TypeVar("T")

ROOT = Path(__file__).parents[2]

#: Seconds: none takes one, on a busy machine either.
HANGS = 60.0


def texts(*patterns: str) -> list[str]:
    """Those files of this project that are UTF-8."""
    found = []
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            try:
                found.append(path.read_text(encoding="utf-8"))
            except UnicodeDecodeError:
                continue
    return found


def examples(kind: str) -> list[str]:
    """Those of the documentation, which are whole files."""
    fence = f"```toml {kind}\n"
    pages = texts("docs/formats.md", "docs/load.md", "docs/correlation.md")
    return [part.partition("```")[0] for page in pages for part in page.split(fence)[1:]]


def hars() -> Iterator[str]:
    """Recorded ones, of two entries each, with the beginning of each long text."""
    for text in texts("example_suite/cases/*.har", "tests/applications/recordings/*.har"):
        document = json.loads(text, object_hook=_shortened)
        entries = document["log"]["entries"]
        for start in range(0, min(len(entries), 30), 2):
            document["log"]["entries"] = entries[start : start + 2]
            yield json.dumps(document)


def _shortened(part: dict[str, Any]) -> dict[str, Any]:
    if isinstance(part.get("text"), str):
        part["text"] = part["text"][:400]  # whole groups, if it is base64
    return part


CASES = [
    *texts("tests/casefile/golden/*.case.toml", "example_suite/cases/*.case.toml"),
    *examples("case"),
]
LOADS = [
    *texts("tests/casefile/golden/*.load.toml", "example_suite/cases/*.load.toml"),
    *examples("load"),
]
RULES = [
    *texts("tests/casefile/golden/*.rules.toml", "pytest_loadtool/**/*.rules.toml"),
    *examples("rules"),
]
SHEETS = [*texts("tests/casefile/golden/**/*.csv", "example_suite/**/*.csv"), 'a,b\r\n1,"2"\r\n']
TRAFFIC = [*hars(), *texts("tests/casefile/golden/*.har")]
WIRES = [case.wire.decode("latin-1") for case in read_responses()]


def parsed(content: C, parse: Callable[[C, str], T]) -> T | None:
    """What is read of it; None if it is refused, with its name."""
    try:
        return parse(content, "x")
    except FileError as error:
        if not str(error).startswith("x"):
            raise
        return None


def same_again(text: str, read: Callable[[str, str], Any], write: Callable[[Any], str]) -> Any:
    """What is read of a text is the same once it is written and read again."""
    with within(HANGS):
        found = parsed(text, read)
        if found is None:
            return None
        written = write(found)
        assert read(written, "x") == found
        assert write(read(written, "x")) == written
    return found


@given(mutated(CASES, "\n"))
def test_test_cases(text: str) -> None:
    """A test case is read, written and read again; then it can be played, or that is refused."""
    case = same_again(text, parse_case, format_case)
    if case is not None:
        with within(HANGS):
            try:
                compile_case(case, server="http://127.0.0.1:1")
            except LoadToolError:
                return


@given(mutated(LOADS, "\n"))
def test_load_configurations(text: str) -> None:
    """As test cases."""
    same_again(text, parse_load, format_load)


@given(mutated(SHEETS, "\n"))
def test_datasets(text: str) -> None:
    """As test cases."""
    same_again(text, parse_dataset, format_dataset)


@given(mutated(RULES, "\n"))
def test_rules(text: str) -> None:
    """They are read, or refused."""
    with within(HANGS):
        parsed(text, parse_rules)


@given(mutated(TRAFFIC, ","))
def test_traffic(text: str) -> None:
    """A HAR file is read, written by our recorder and read again, or refused."""
    with within(HANGS), tempfile.TemporaryDirectory() as folder:
        found = parsed(text.encode("utf-8", "surrogatepass"), parse_har)
        if found is None:
            return
        path = Path(folder) / "x.har"
        with HarWriter(path) as writer:
            for one in found:
                writer.append(one)
        assert read_har(path) == found


#: Looks into a response in every way, and sends what it took from it.
LOOKING = """
format = 1
name = "x"
server = "http://h"

[[identity]]
username = "ann"
password = "${secret}"

[[page]]
name = "first"

[[page.transaction]]
request = "GET /"
validators = [
  { text = "a" }, { regex = "a+" }, { json = "$.a" }, { json = "$..b", absent = true },
]
extractors = [
  { variable = "v1", json = "$.a" },
  { variable = "v2", form = "a" },
  { variable = "v3", header = "Location" },
  { variable = "v4", cookie = "foobar" },
  { variable = "v5", regex = "(?s)HTTP(.*)" },
  { variable = "v6", boundary = ["<", ">"] },
]

[[page]]
name = "then"

[[page.transaction]]
request = "POST /${v1}${v2}${v3}"
headers = ["Location: ${v3}"]
cookies = ["a=${v4}"]
body = "${v5}${v6}"

[variables]
secret = { generate = "uuid" }
"""
PLAN = compile_case(parse_case(LOOKING, "x"))


@given(mutated(WIRES, "\n"), st.lists(st.integers(0, 2000), max_size=5))
def test_responses(text: str, cuts: list[int]) -> None:
    """A response is the same in whatever pieces; nothing that a user does with it is our fault."""
    wire = text.encode("latin-1", "replace")
    ends = sorted({0, len(wire), *(cut for cut in cuts if cut < len(wire))})
    with within(HANGS):
        assert ours([wire]) == ours([wire[a:b] for a, b in itertools.pairwise(ends)])
        reader = ResponseReader()
        reader.begin(False)
        try:
            complete = reader.feed(wire) or reader.end()
        except ProtocolError:
            return
        if complete:
            for failure in played(reader):
                assert failure.cause != "internal", failure


def played(reader: ResponseReader) -> Iterator[Failure]:
    """What a user has against this answer to each of its requests."""
    diary = Diary()
    user = actor_for(VirtualUser(PLAN, first_row, diary))
    commands = user.act(PLAN.visits.first, 0, 0.0)
    event: Response | None = None
    waiting: list[Send] = []
    while not isinstance(command := commands.send(event), Over):
        if not isinstance(command, Wait):
            waiting += command
        event = None
        if waiting:
            event = Response(waiting.pop(0))
            assert reader.head is not None
            event.begin(reader.head_bytes, reader.head)
            event.body = reader.body
    for _, failures in diary.transactions:
        yield from failures
