"""Decisions in a traffic file: beside the entries, which stay as they are."""

from __future__ import annotations

import json
import stat
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool.casefile import (
    HarWriter,
    read_decisions,
    read_har,
    read_troubles,
    write_decisions,
)
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.exchange import Exchange

EXCHANGE = Exchange(
    1_790_000_000.0, 0.1, "GET", "http://shop.test/", "HTTP/1.1", (), b"", 200,
    response_body=b'a page with \n],"_asm":[ and \n],"_troubles": in it',
)  # fmt: skip
TOKEN = Decision("t0k\nen", "csrf[1]", "1 GET /", ("2 POST /a", "3 POST /b"), "csrf", "It is.", 0.9)
TYPED = Decision("ann", "", "", ("2 POST /a",), "typed", "A person typed it.", 0.95)


def log(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["log"]
    return found


@pytest.mark.parametrize("troubles", [(), ("the browser crashed",)])
def test_decisions_come_and_go(tmp_path: Path, troubles: tuple[str, ...]) -> None:
    """They are written, replaced and taken out; the entries and all else stay to the byte."""
    path = tmp_path / "shop.har"
    with HarWriter(path) as writer:
        for _ in range(3):
            writer.append(EXCHANGE)
        for one in troubles:
            writer.trouble(one)
    before = path.read_bytes()
    write_decisions(path, [TOKEN, TYPED])
    assert [one["variable"] for one in log(path)["_asm"]] == ["csrf[1]", ""]
    assert log(path)["_asm"][0] == {
        "value": "t0k\nen",
        "variable": "csrf[1]",
        "producer": "1 GET /",
        "consumers": ["2 POST /a", "3 POST /b"],
        "rule": "csrf",
        "reason": "It is.",
        "confidence": 0.9,
        "secret": False,
    }
    assert read_har(path) == (EXCHANGE,) * 3
    assert read_troubles(path) == troubles
    assert read_decisions(path) == (TOKEN, TYPED)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    write_decisions(path, [TYPED])
    assert len(log(path)["_asm"]) == 1
    write_decisions(path, [])
    assert path.read_bytes() == before
    assert read_decisions(path) == ()
    assert [one.name for one in tmp_path.iterdir()] == ["shop.har"]


def test_nothing_new_is_not_written(tmp_path: Path) -> None:
    """The file is the same one then, not a copy of it."""
    path = tmp_path / "shop.har"
    with HarWriter(path) as writer:
        writer.append(EXCHANGE)
    write_decisions(path, [TOKEN])
    same = path.stat().st_ino
    write_decisions(path, [TOKEN])
    assert path.stat().st_ino == same


def test_bodies_that_are_read_later_are_still_there(tmp_path: Path) -> None:
    """An exchange whose body stays in the file reads it after the file was replaced, too."""
    path = tmp_path / "shop.har"
    with HarWriter(path) as writer:
        kept = writer.keep(EXCHANGE)
    write_decisions(path, [TOKEN])
    assert kept.response_body == EXCHANGE.response_body


def test_file_of_a_browser(tmp_path: Path) -> None:
    """A field of ours is added; what the browser wrote stays."""
    path = tmp_path / "shop.har"
    theirs = {"log": {"version": "1.2", "entries": [], "browser": "ü"}}
    path.write_text(json.dumps(theirs, indent=2))
    write_decisions(path, [TOKEN])
    assert log(path)["browser"] == "ü"
    assert log(path)["_asm"][0]["variable"] == "csrf[1]"
    assert read_decisions(path) == (TOKEN,)


@pytest.mark.parametrize("content", ["", "no JSON", "[]", '{"log": []}'])
def test_what_is_no_har_is_left_alone(tmp_path: Path, content: str) -> None:
    """Whoever reads it says what is wrong."""
    path = tmp_path / "shop.har"
    path.write_text(content)
    write_decisions(path, [TOKEN])
    assert path.read_text() == content
    assert read_decisions(path) == ()


@pytest.mark.parametrize("wrong", [{"rule": 7}, {"consumers": None}, {"confidence": "much"}])
def test_decisions_that_are_not_as_written_are_none(tmp_path: Path, wrong: Any) -> None:
    """A person may have been at the file."""
    path = tmp_path / "shop.har"
    path.write_text(json.dumps({"log": {"entries": [], "_asm": [asdict(TOKEN) | wrong]}}))
    assert read_decisions(path) == ()
