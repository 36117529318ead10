"""Functions of a project that a test case calls between its transactions: as docs/hooks.md has
them, at servers that see what comes of them."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.plugin.loading import Project
from tests.plugin.serving import case, transaction
from tests.plugin.test_hooks import LOAD, Judge, strict

DOCS = (Path(__file__).parents[2] / "docs" / "calls.md").read_text(encoding="utf-8")
CASE, *_ = re.findall(r"```toml case\n(.*?)```", DOCS, re.DOTALL)
MODULE, *_ = re.findall(r"```python\n(# orders.py\n.*?)```", DOCS, re.DOTALL)
WRONG, RAISED = re.findall(r"```text\n(.*?)\n```", DOCS, re.DOTALL)


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    """A load configuration."""
    project = Project(pytester.path, pytester)
    project.write(rush__load__toml=LOAD)
    return project


CALLED = """
    import asyncio, time

    def sets(user):
        user.variables["n"] = user.variables["n"] + "!"

    async def waits(user):
        await asyncio.sleep(0.01)
        user.variables["n"] += "~"

    def breaks(user):
        raise KeyError(user.variables["n"])

    async def breaks_later(user):
        await asyncio.sleep(0)
        raise SystemExit(3)

    def interrupts(user):
        raise KeyboardInterrupt

    def sleeps(user):
        time.sleep(60)

    def loops(user):
        while True:
            pass

    async def hangs(user):
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass

    async def blocks(user):
        await asyncio.sleep(0)
        while True:
            pass

    def drop_all(): ...

    def needs(user, name): ...

    from os import system
"""


def shop(url: str, *calls: str, call: str = "") -> str:
    written = [f'call = "steps:{one}"' for one in calls] or [call]
    posts = [transaction("POST /n", one, 'body = "${n}"') for one in written]
    return case(url, "GET /", *posts, "GET /last") + '[variables]\nn = "7"\n'


def noting(seen: list[str], *parts: int) -> Judge:
    """A server that answers 200, and notes the first of these parts of a request that is there."""

    def judge(*asked: Any) -> bool:
        found = (asked[part] for part in parts if asked[part])
        one = next(found, "")
        seen.append(one.decode() if isinstance(one, bytes) else one)
        return True

    return judge


@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_variables_are_set_between_transactions(project: Project, transport: str) -> None:
    """By a function, and by one that is awaited; each before its transaction and behind all
    others."""
    seen: list[str] = []
    with strict(noting(seen, 3)) as url:
        project.write(shop__case__toml=shop(url, "sets", "waits", "sets"), steps__py=dedent(CALLED))
        assert project.run("--loadtool-transport", transport).returncode == 0
    assert seen == ["", "7!", "7!~", "7!~!", ""]


@pytest.mark.promise(141)
def test_functions_are_called_as_the_docs_show_it(project: Project) -> None:
    """In a test, at load with workers, and in the console's play; within a flow each time."""
    seen: list[str] = []
    with strict(noting(seen, 3, 1)) as url:
        shop_case = CASE.replace("http://127.0.0.1:8000", url)
        project.write(shop__case__toml=shop_case, orders__py=MODULE, play__txt="play\n")
        assert project.run("-W", "error").returncode == 0
        once = ["1", "2", "3", "/orders/3"]
        assert seen == once
        console = project.run("--record", "shop.case.toml", "--record-script", "play.txt")
        assert console.returncode == 0, console.stdout
        assert seen == once * 2
        seen.clear()
        done = project.run("--load", "--load-json", "out.json")
        assert done.returncode == 0, done.stdout
    data = project.json()
    assert data["totals"]["status"] == {"200": 24}
    assert data["hooks"]["calls"] == 30
    assert sorted(seen) == sorted(
        f"{path}{100 * user + at}"
        for user in range(3)
        for _ in range(2)
        for path, at in (("", 1), ("", 2), ("", 3), ("/orders/", 3))
    )


#: The run inside imports modules of its own.
IMPATIENT = """
    from importlib import import_module

    for name in ("engine.time_limit", "replay.hooking"):
        import_module(f"pytest_loadtool.{name}").PATIENCE = 0.05
"""

FAILING = {
    "breaks": "steps.py:11: breaks raised KeyError in line 12: '7'",
    "breaks_later": "steps.py:14: breaks_later raised SystemExit in line 16: 3",
    "interrupts": "steps.py:18: interrupts raised KeyboardInterrupt in line 19",
    "sleeps": "steps.py:21: sleeps took longer than 0.05 s: stopped in line 22",
    "loops": "steps.py:24: loops took longer than 0.05 s: stopped in line ",
    "hangs": "steps.py:28: hangs took longer than 0.05 s: stopped in line 31",
    "blocks": "steps.py:35: blocks took longer than 0.05 s: stopped in line ",
}


def test_a_call_that_fails_is_told_with_its_place(project: Project) -> None:
    """Its own line and that of the test case; what comes behind it goes on, and all others. One
    that never ends is stopped, whether it sleeps, works or waits."""
    with strict(lambda *asked: asked[3] != b"7") as url:
        for name in FAILING:
            (project.path / f"{name}.case.toml").write_text(shop(url, name))
        files = "".join(f'[[case]]\nfile = "{name}.case.toml"\n' for name in FAILING)
        project.write(
            conftest__py=dedent(IMPATIENT),
            steps__py=dedent(CALLED),
            rush__load__toml=LOAD.partition("[[case]]")[0].replace("3", "7") + files,
        )
        done = project.run("-rN")
        assert f"{len(FAILING)} failed" in done.stdout
        for name, said in FAILING.items():
            assert said in done.stdout
            assert f"{name}.case.toml:9: page 'Home', transaction 2 'POST /n'" in done.stdout
        assert done.stdout.count("1 of 3 transactions failed") == len(FAILING)
        assert "Traceback" not in done.stdout
        assert project.run("--load", "--load-json", "out.json").returncode == 1
    data = project.json()
    assert data["totals"]["status"] == {"200": 28, "0": 14}
    assert {one["cause"] for one in data["errors"]} == {"hook"}
    assert len({one["message"] for one in data["errors"]}) >= len(FAILING)


REFUSED = {
    'call = "steps:set"': "steps.py defines no function set: did you mean 'sets'?",
    'call = "steps:system"': "steps.py defines no function system: write def system(user)",
    'call = "steps:drop_all"': "steps.py:40: drop_all is not there to be called: its first",
    'call = "steps:needs"': "steps.py:42: needs is not there to be called: its first",
    'call = "os:system"': "there is no os.py beside the test case: modules of the project",
    'call = "up.steps:sets"': "there is no up/steps.py beside the test case",
    'call = "link:sets"': "outside of the root directory",
    'call = "broken:sets"': "broken.py:1: it cannot be imported: ZeroDivisionError: division",
    'call = "ends:sets"': "ends.py:2: it cannot be imported: SystemExit: 4",
    'call = "no_python:sets"': "this is no Python",
    'call = "steps"': 'expected "module:function" such as "orders:new_number", got "steps"',
    'call = ["steps:sets", 7]': "call[1]: expected text",
}


def test_what_cannot_be_called(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    """It is an error of the test case, with its line, and nothing is sent; nor is a module run that
    has nothing for it."""
    seen: list[str] = []
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "link.py"
    elsewhere.write_text("def sets(user): ...\n")
    (project.path / "link.py").symlink_to(elsewhere)
    with strict(noting(seen, 1)) as url:
        for number, call in enumerate(REFUSED):
            (project.path / f"c{number}.case.toml").write_text(shop(url, call=call))
        (project.path / "unsafe.case.toml").write_text(shop(url, call='call = "manage:main"'))
        project.write(
            steps__py=dedent(CALLED),
            broken__py="1 / 0\ndef sets(user): ...\n",
            ends__py="import sys\nsys.exit(4)\ndef sets(user): ...\n",
            no_python__py="def sets(user)\n",
            manage__py="open('harm', 'w')\ndef main(): ...\n",
            rush__load__toml=LOAD.replace("shop", "c0"),
        )
        done = project.run("--continue-on-collection-errors")
        load = project.run("--load")
    text = " ".join(done.stdout.split())
    for number, said in enumerate(REFUSED.values()):
        assert said in text
        assert f"c{number}.case.toml:11: page" in text
    assert "Traceback" not in done.stdout + load.stdout
    assert "c0.case.toml:11: page.transaction.call: steps.py defines no function set" in load.stdout
    assert not seen
    assert not (project.path / "harm").exists()
