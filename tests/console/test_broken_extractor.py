"""An extractor of a recorded test case that is broken on purpose: the failure names it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.console.session import Console
from tests.console.desk import Desk, record, serving
from tests.console.listener import do
from tests.console.running import run


@pytest.fixture
def desk() -> Iterator[Desk]:
    with serving() as desk:
        yield desk


@pytest.fixture
def saved(session: Console, desk: Desk, tmp_path: Path) -> Path:
    """A recorded and configured test case, which passes."""
    do(session, f"import {record(desk, tmp_path / 'in.har')}")
    do(session, "configure --replay")
    do(session, "save")
    run(tmp_path, "shop.case.toml")
    return session.case_path


@pytest.mark.promise(4)
def test_extractor_that_was_edited(saved: Path) -> None:
    """Its variable, its source, its transaction, what came there, and who needs it."""
    text = saved.read_text()
    broken = text.replace(r"regex = '\bticket", r"regex = '\btikket")
    assert broken != text
    saved.write_text(broken)
    said = run(saved.parent, "shop.case.toml", status=1).stdout
    assert "Extractor found nothing for ${ticket[1]}: regular expression '\\\\btikket" in said
    assert re.search(r"\$\{ticket\[1\]\}: regular .*, in the response of transaction 1", said)
    assert "the response was 200 OK, text/html; charset=utf-8, " in said
    assert "titled 'Desk'" in said
    assert "needed by 2 POST /tickets, 4 POST /pay (sent as recorded)" in said
    assert "if the response is right, mend the extractor" in said
    assert "desk.open({ticket: " in said  # the response itself
    assert "409" in said[said.index("later failures") :]


@pytest.mark.promise(4)
def test_value_that_the_server_gives_no_more(saved: Path, desk: Desk) -> None:
    """Then the response is not what was recorded, and both are shown."""
    desk.told = False
    said = run(saved.parent, "shop.case.toml", status=1).stdout
    assert "Extractor found nothing for ${queue_id[1]}: boundary" in said
    assert "needed by 3 GET /queue/${queue_id[1]} (sent as recorded)" in said
    assert "Please wait." in said
    assert "Your number is 51" in said
