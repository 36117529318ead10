"""One diagnosis, wherever a replay fails: pytest, `play`, `why` and `configure --replay`."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.console.running import console_environment
from tests.diagnosis.situations import golden, warm
from tests.diagnosis.situations.bench import CASE, in_the_shop
from tests.diagnosis.situations.sessions import by_pages

SCRIPT = ["--record", CASE, "--record-script", "-"]


def _block(text: str) -> list[str]:
    found = re.search(r"^FIX FIRST.*?(?=\n\s*\n)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, text
    return golden.words(golden.steady(found[0]))


@pytest.mark.promise(122)
def test_the_same_everywhere(tmp_path: Path) -> None:
    """The block at the top is the same, and JUnit has it with what to mend in its message and its
    properties; pytest's summary has the status first."""
    environment = console_environment(tmp_path)
    with in_the_shop(by_pages, "no cookie")(tmp_path / CASE):
        _, by_pytest = warm.run(tmp_path, [CASE, "--junitxml=junit.xml"], environment)
        _, by_play = warm.run(tmp_path, SCRIPT, environment, "play\n")
        _, by_why = warm.run(tmp_path, SCRIPT, environment, "why\n")
        _, by_replays = warm.run(tmp_path, SCRIPT, environment, "configure --replay\n")
    assert _block(by_pytest) == _block(by_play) == _block(by_why) == _block(by_replays)
    assert "\nFAILED shop.case.toml::shop - 401 at Account" in by_pytest
    case = next(ET.parse(tmp_path / "junit.xml").iter("testcase"))
    failure = case.find("failure")
    assert failure is not None
    assert failure.text is not None
    fixed = "FIX FIRST 2 of 8 POST /login: 2 POST /login set the cookie sid when recorded"
    assert fixed in failure.attrib["message"]
    assert _block(failure.text) == _block(by_pytest)
    properties = {one.attrib["name"]: one.attrib["value"] for one in case.iter("property")}
    assert properties["fix first"].endswith("POST /login (shop.case.toml:41)")
    assert properties["cause"].startswith("2 POST /login set the cookie sid")
    assert properties["remedy"] == "see why the server sets none: its answer, and its log"
