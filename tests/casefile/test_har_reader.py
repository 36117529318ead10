"""Reading HAR files: whole, torn, and wrong."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.casefile import HarWriter, parse_har, read_har
from pytest_loadtool.casefile.har.exchange import CREATOR, entry_from
from pytest_loadtool.errors import FileError
from tests.casefile.models import FILES
from tests.casefile.test_har import EXCHANGE

OTHERS = [replace(EXCHANGE, url=f"http://h/{number}", note="ü\n") for number in range(3)]


def written(path: Path, count: int) -> bytes:
    """The content of a file with so many entries."""
    with HarWriter(path) as writer:
        for exchange in OTHERS[:count]:
            writer.append(exchange)
    return path.read_bytes()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_write_torn_anywhere_loses_only_itself(tmp_path: Path, count: int) -> None:
    """Killed after any number of bytes of a write, the file still gives all entries before it."""
    before = written(tmp_path / "before.har", count)
    after = written(tmp_path / "after.har", count + 1)
    for torn in range(len(after) + 1):
        content = after[:torn] + before[torn:]
        exchanges = parse_har(content, "x.har") if torn >= 40 else parse_har(before, "x.har")
        assert exchanges in (tuple(OTHERS[:count]), tuple(OTHERS[: count + 1])), torn


def test_what_is_torn_may_be_nested_deeply(tmp_path: Path) -> None:
    """Then it is no entry, as what has no end is none."""
    whole = written(tmp_path / "x.har", 2).removesuffix(b"\n]}}\n")
    torn = whole + b',\n{"startedDateTime": ' + b"[" * 100_000
    assert parse_har(torn, "x.har") == tuple(OTHERS[:2])


def test_a_break_in_the_middle_is_not_taken_for_a_torn_end(tmp_path: Path) -> None:
    """If whole entries follow, something else has damaged the file; that is said, with its line."""
    content = written(tmp_path / "x.har", 3).replace(b"http://h/1", b'http"//h/1')
    with pytest.raises(FileError, match=r"^x\.har:3: this entry is not valid JSON"):
        parse_har(content, "x.har")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"",
            "x.har:1: not valid JSON: Expecting value, column 1 "
            "(the file ends early: export it again)",
        ),
        (
            b"{\n  'a': 1}",
            "x.har:2: not valid JSON: Expecting property name enclosed in double quotes, column 3",
        ),
        (b"\xff\xfe{", "x.har:1: not a HAR file: expected UTF-8 text"),
        (b"[" * 100_000, "x.har: not valid JSON: nested too deeply"),
        (b"[]", "x.har: not a HAR file: expected an object with log.entries"),
        (b'{"log": {}}', "x.har: not a HAR file: expected an object with log.entries"),
        (b'{"log": {"entries": [5]}}', "x.har: log.entries[0]: expected an object"),
        (
            b'{"log": {"entries": [{"request": {"method": "GET"}}]}}',
            "x.har: log.entries[0].request.url: missing",
        ),
        *(
            (
                b'{"log": {"entries": [{"startedDateTime": "2026-01-02T03:04:05Z", "time": 1, '
                b'"request": {"method": "GET", "url": "%b"}, "response": {}}]}}' % url,
                f"x.har: log.entries[0].request.url: '{url.decode()}' is no URL: {why}",
            )
            for url, why in (
                (b"http://[::1/", "Invalid IPv6 URL"),
                (b"http://a:99999/", "Port out of range 0-65535"),
            )
        ),
    ],
)
def test_what_is_no_har_says_so(content: bytes, message: str) -> None:
    """Each way of being wrong has its message."""
    with pytest.raises(FileError) as caught:
        parse_har(content, "x.har")
    assert str(caught.value) == message


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
) | st.sampled_from([10**400, "0001-01-01T00:00:00+23:59", "data:", [{"name": "a", "value": 1}]])


def test_a_bad_entry_costs_no_other(tmp_path: Path) -> None:
    """It keeps its number, and says what is wrong; a start is that of the entry before, or of the
    first that has one."""
    entries: list[Any] = [entry_from(one) for one in OTHERS]
    entries[0]["startedDateTime"] = "soon"
    entries[1]["startedDateTime"] = entries[1]["startedDateTime"].replace(":20.", ":29.")
    entries[2]["startedDateTime"] = None
    content = json.dumps({"log": {"creator": {"name": CREATOR}, "entries": [*entries, 5]}})
    first, second, third, fourth = parse_har(content.encode(), "x.har")
    later = OTHERS[1].started + 9
    assert second == replace(OTHERS[1], started=later)
    lost = ("startedDateTime: expected an ISO 8601 time, got 'soon'",)
    assert first == replace(OTHERS[0], started=later, lost=lost)
    assert third == replace(OTHERS[2], started=later, lost=("startedDateTime: missing",))
    assert (fourth.url, fourth.started) == ("", later)
    assert fourth.lost == ("log.entries[3]: expected an object",)


@FILES
@given(st.sampled_from([CREATOR, "mitmproxy", "x"]), st.data())
def test_any_value_anywhere_is_read_or_refused(creator: str, data: st.DataObject) -> None:
    """Whatever JSON stands in a field: exchanges or an error for the user, nothing else."""
    entry = entry_from(replace(EXCHANGE, note="x", error="y"))
    for _ in range(data.draw(st.integers(1, 3))):
        table = entry
        while True:
            key = data.draw(st.sampled_from(sorted(table)))
            if not table[key] or not isinstance(table[key], dict) or data.draw(st.booleans()):
                break
            table = table[key]
        table[key] = data.draw(_JSON)
    log = {"creator": {"name": creator}, "entries": [entry]}
    with contextlib.suppress(FileError):
        parse_har(json.dumps({"log": log}).encode(), "x.har")


def test_a_missing_file_names_the_nearest(tmp_path: Path) -> None:
    """A typo in a file name is answered with the name that exists."""
    (tmp_path / "checkout.har").touch()
    with pytest.raises(FileError, match=r"no such file: did you mean 'checkout.har'\?"):
        read_har(tmp_path / "chekout.har")


def test_a_byte_order_mark_and_any_layout_are_read(tmp_path: Path) -> None:
    """Our own file, formatted anew by an editor, means the same."""
    path = tmp_path / "x.har"
    data = json.loads(written(path, 2))
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(data, indent=4).encode())
    assert read_har(path) == tuple(OTHERS[:2])
