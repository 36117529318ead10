"""Which browser is recorded with."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener, do


@pytest.mark.promise(48)
@pytest.mark.parametrize("answer", ["2", "brave"])
def test_person_chooses_a_browser(
    session: Console,
    listener: Listener,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
) -> None:
    """A list of those that are found, by number or the beginning of a name; the plain one is
    proposed. A script takes that."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("chromium", "brave-browser"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 3\n")
        (tmp_path / name).chmod(0o755)
    object.__setattr__(session.settings, "browser", "")
    listener.interactive = True
    listener.lines = [answer]
    with pytest.raises(CommandError):  # it ends at once
        do(session, "record http://127.0.0.1:9/")
    assert f"   1  chromium       the Virtual Browser, {tmp_path}/chromium" in listener.said
    assert "   3  none" in listener.text
    assert session.log.entries[-1].line.endswith(f"--browser {tmp_path}/brave-browser")
    listener.interactive = False
    listener.asked.clear()
    with pytest.raises(CommandError):
        do(session, "record http://127.0.0.1:9/")
    assert listener.asked == []
