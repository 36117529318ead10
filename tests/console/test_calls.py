"""Functions that are called between transactions, in the console."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener, do
from tests.console.screens.shop import SHOP


def said(session: Console, listener: Listener, line: str) -> str:
    listener.clear()
    do(session, line)
    return "\n".join(map(str, listener.said))


def test_calls_are_set_shown_and_removed(
    session: Console, listener: Listener, tmp_path: Path
) -> None:
    """With where they are defined; the tree shows them, and what is no function is refused."""
    (tmp_path / "steps.py").write_text("\ndef sets(user): ...\nasync def waits(user): ...\n")
    session.document = SHOP
    assert "2 functions to call: steps:sets, steps:waits" in said(session, listener, "call")
    told = said(session, listener, "call 5 steps:sets steps:waits")
    assert "steps:waits is defined in steps.py:3" in told
    assert "calls steps:sets, steps:waits" in told
    assert "(calls steps:sets, steps:waits)" in said(session, listener, "tree")
    assert session.opened().case.pages[2].transactions[0].call == ("steps:sets", "steps:waits")
    for name, why in {
        "steps:set": "steps.py defines no function set: did you mean 'sets'?",
        "os:system": "there is no os.py beside the test case",
        "sets": 'expected "module:function"',
    }.items():
        with pytest.raises(UsageError, match=re.escape(why)):
            do(session, f"call 5 {name}")
    assert "calls steps:sets, steps:waits" in said(session, listener, "call 5")
    assert "calls nothing" in said(session, listener, "call 5 --remove")
