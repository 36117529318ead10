"""Texts that are made to take long: configuring grows with their size, not with its square."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_loadtool.correlation.requests.positions import MOST_IN_ADDRESS
from pytest_loadtool.correlation.requests.slots import MOST_SLOTS
from tests.console.running import ROOT
from tests.correlation.exchanges import exchange, html
from tests.correlation.hostile import KINDS, TEXTS
from tests.correlation.talk import TOKEN, get, made, post, requests, run

#: Characters. Of what was quadratic, each of the texts took longer than all of them may together.
_SIZE = 1 << 19


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_texts_are_configured(kind: str) -> None:
    """Half a megabyte of each takes seconds at most, and the token beside it is found."""
    command = [sys.executable, "-m", "tests.correlation.hostile", kind, str(_SIZE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=400)
    assert done.stdout.splitlines() == list(TEXTS), done.stderr


def test_what_is_not_looked_at_is_told() -> None:
    """Of a form with more fields than are looked at, the others are sent as recorded, and a
    decision says so."""
    page = html(f'<form action="/use"><input type="hidden" name="token" value="{TOKEN}"></form>')
    body = "&".join((*("a=1" for _ in range(MOST_SLOTS)), f"token={TOKEN}"))
    found = run(get("/page", page), post("/use", f"token={TOKEN}"), post("/use", body))
    assert requests(found)[1:] == ["/use token=${csrf_token[1]}", f"/use {body}"]
    notes = [one for one in found.decisions if one.rule == "limit"]
    assert [(one.consumers, one.reason) for one in notes] == [
        (
            ("3 POST /use",),
            'Of "3 POST /use" the first 20,000 values of its body were looked at. '
            "Those behind them are sent as recorded.",
        )
    ]


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("/a" * (MOST_IN_ADDRESS + 1), "segments of its path"),
        ("/a?" + "&".join(["b=1"] * (MOST_IN_ADDRESS + 1)), "values of its query"),
    ],
)
def test_long_addresses_are_looked_at_in_part(address: str, what: str) -> None:
    """Likewise of a path or a query."""
    found = run(get(address))
    assert made(found) == []
    assert [f"first 200 {what} were" in one.reason for one in found.decisions] == [True]


@pytest.mark.parametrize("depth", [100, 400, 700, 900])
def test_deep_json_is_read_as_far_as_it_can_be(depth: int) -> None:
    """Also where a parser goes deeper than what looks for rows of tables in it."""
    deep = f'{{"token": "{TOKEN}", "deep": {"[" * depth}{"]" * depth}}}'.encode()
    page = exchange(received=(("Content-Type", "application/json"),), answer=deep)
    found = run(get("/page", page), post("/use", f"token={TOKEN}"))
    assert requests(found)[1] == "/use token=${bearer_token[1]}"
