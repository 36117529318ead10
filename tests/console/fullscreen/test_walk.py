"""A day in the views at a real terminal (tmux): what keys have made, and that the session log makes
the same again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.console.fullscreen.test_view import LARGE, SMALL, opened
from tests.console.running import run
from tests.console.terminal import Terminal

#: The line above the keys, where a command that has not ended stands, and what one has said.
_ENDED = r"^─{40,}$"


def go_to(view: Terminal, number: int) -> None:
    """Put the cursor on a transaction, in the tree."""
    view.press("Escape")
    view.press("Escape")
    view.type(f":view {number}")
    view.wait_for(rf"^ : view {number}")  # what it takes stands above it until it has ended
    view.press("Enter")
    view.wait_for(_ENDED)
    view.wait_for(rf"│ {number} [A-Z]+ ")


def edit_field(view: Terminal, number: int, field: str, key: str, *typed: str) -> None:
    """Open the form of a field by a key, and press keys in it: what is longer is typed."""
    go_to(view, number)
    view.type("3")
    view.press("Enter")
    view.type("/")
    view.enter(field)
    view.wait_for(rf"filter: {field}")
    view.press(key) if key == "Enter" else view.type(key)
    view.wait_for(r"^── Edit ")
    for one in typed:
        view.press(one) if one in ("Down", "Space", "C-u", "C-n", "Enter") else view.type(one)


@pytest.mark.promise(68)
@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_what_is_done_by_keys_is_done_again_by_the_log(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """Pages marked, merged, split and duplicated; a field to each datasource that may be; a
    validator; a dataset filled behind its first screen; a load configuration."""
    here, again = tmp_path / "here", tmp_path / "again"
    here.mkdir()
    again.mkdir()
    for view in opened(here, size):
        # Under a filter, a page is what is seen of it.
        view.type("/")
        view.enter("~m POST")
        view.wait_for(r"^ Filter: ~m POST  2")
        view.type("C")
        view.wait_for(r"Duplicated 1 transaction\.")
        view.type("u")
        view.wait_for(r"Undid `duplicate ")
        view.press("Escape")
        view.press("Escape")
        view.wait_for(r"^ Test case ")
        view.press("Home")
        view.press("Space")
        view.type("}")
        view.press("Space")
        view.wait_for(r"2 marked")
        view.type("m")
        view.wait_for(r"^ : merge P1-P2 ")
        view.enter(" --name Both")
        view.wait_for(r"P1 Both has 2 transactions now\.")
        go_to(view, 2)
        view.type("|")
        view.wait_for(r"P2 login has 1 transaction\.")
        view.wait_for(_ENDED)
        view.type("t")
        view.wait_for(r"^ : think P2 ")
        view.enter("2s")
        view.wait_for(r"^ +P2 +2s +login")
        # The five datasources.
        edit_field(view, 2, "user", "d", "users.username", "Enter")
        view.wait_for(r"Make it, with the present value in its first row\?")
        view.enter("y")
        view.wait_for(r"user: Dataset, \$\{users\.username\}")
        view.wait_for(_ENDED)
        edit_field(view, 5, "amount", "v", "amount", "Enter")
        view.wait_for(r"amount: User variable, \$\{amount\}")
        view.wait_for(_ENDED)
        edit_field(view, 2, "csrf", "Enter", "C-u", "a b&c", "Enter")
        view.wait_for(r"csrf: Constant value, a b&c")
        view.type(":")
        view.enter("extract 1 csrf --form csrf --use 2 --anyway")
        view.wait_for(r"csrf: Extractor\[1\]")
        view.wait_for(_ENDED)
        edit_field(view, 2, "csrf", "Enter", *["Down"] * 3, "Space", "csrf", "Enter")
        view.wait_for(r"csrf: Extractor\[1\], \$\{csrf\}")
        # The grid has more rows than a screen, and than `dataset show` alone.
        view.type("D")
        view.wait_for(r"^── datasets ")
        view.press("Enter")
        view.wait_for(r"^── dataset show users ")
        view.type("f")
        view.enter("1 60 --pattern 'user{:03}'")
        view.wait_for(r"^ Filled username of 60 rows")
        for _ in range(59):
            view.press("Down")
        view.type("e")
        view.wait_for(r"^ : dataset set users 60 username")
        view.enter("'zoë 注文'")
        view.wait_for(r"60  zoë 注文")
        view.press("Escape")
        view.type(":")
        view.enter("save --secrets keep")
        view.wait_for(r"Saved shop\.case\.toml")
        view.press("Escape")
        # The plot is made for the terminal that there is.
        view.type(":")
        view.enter("create load configuration users=40 duration=10m")
        view.wait_for(r"Wrote shop\.load\.toml")
        view.type("L")
        view.wait_for(r"^ 40 users \|")
        view.type("S")
        view.enter("50:10m:2m 0:1m:1m")
        view.wait_for(r"^ 0 → 50 → 0 users over 11 min")
        view.resize(100, 30)
        view.wait_for(r"^ 50 users \|.{80,90}$")
        assert "missing" not in view.screen()
        view.type("q")
        view.wait_for(r"^ shop\.case\.toml  http")
        view.type(":")
        view.enter("log --save log.txt")
        view.wait_for(r"^ Wrote log\.txt")
    shutil.copy(here / "in.har", again)
    shutil.copy(here / "log.txt", again)
    run(
        again,
        "--record",
        "shop.case.toml",
        "--record-script",
        "log.txt",
        "--record-browser",
        "none",
    )
    made = {one.name: one.read_bytes() for one in here.iterdir() if one.is_file()}
    assert {"shop.case.toml", "shop.load.toml", "users.csv"} <= set(made)
    for name, content in made.items():
        assert (again / name).read_bytes() == content, name
