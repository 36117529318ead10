"""Rules of one's own in the console: by an option, from the project's configuration."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pytest_loadtool.casefile import HarWriter, read_case
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener
from tests.console.running import run_script
from tests.correlation.exchanges import html
from tests.correlation.talk import get

RULES = """\
format = 1

[[rule]]
name = "wizard-step"
used_as = ["step"]
pattern = 'start\\("(\\w+)"\\)'
"""


@pytest.fixture
def har(tmp_path: Path) -> Path:
    """Traffic with a value in a script that does not look like one."""
    path = tmp_path / "in.har"
    with HarWriter(path) as writer:
        writer.append(get("/wizard", html('<script>start("b")</script>')))
        writer.append(get("/next?step=b", html("next")))
    return path


def do(session: Console, line: str) -> None:
    asyncio.run(execute(session, line))


def test_an_option_adds_them_to_the_test_case(
    session: Console, listener: Listener, har: Path, tmp_path: Path
) -> None:
    """They count at once, and later, because the saved test case names them."""
    (tmp_path / "own.rules.toml").write_text(RULES)
    do(session, f"import {har}")
    do(session, f"configure --rules {tmp_path / 'own.rules.toml'}")
    assert "wizard-step" in listener.text
    do(session, "save")
    case = read_case(session.case_path)
    assert case.asm.rules == ("own.rules.toml",)
    assert [one.request.target for one in case.transactions()][1] == "/next?step=${step[1]}"
    do(session, "configure")
    assert session.opened().case == case


def test_a_file_that_is_wrong(session: Console, har: Path, tmp_path: Path) -> None:
    """The error says where, and no application state is configured."""
    (tmp_path / "own.rules.toml").write_text(RULES.replace("used_as", "use_as"))
    do(session, f"import {har}")
    before = session.opened().case
    with pytest.raises(CommandError, match=r"own\.rules\.toml:5: rule\[0\]\.use_as: unknown key"):
        do(session, f"configure --rules {tmp_path / 'own.rules.toml'}")
    assert session.opened().case.pages == before.pages
    assert session.opened().case.asm == before.asm


def test_the_projects_rules(har: Path, tmp_path: Path) -> None:
    """The configuration file names them for all test cases, relative to itself."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "team.rules.toml").write_text(RULES)
    (tmp_path / "pytest.ini").write_text("[pytest]\nloadtool_asm_rules = rules/team.rules.toml\n")
    done = run_script(tmp_path, f"import {har.name}\nconfigure\nsave\n")
    assert "wizard-step" in done.stdout
    case = read_case(tmp_path / "shop.case.toml")
    assert [one.request.target for one in case.transactions()][1] == "/next?step=${step[1]}"
    assert case.asm.rules == ()
