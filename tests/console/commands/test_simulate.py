"""Which rows users take, beside what a load test that ran took."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener, do
from tests.console.traffic import exchange, write_har
from tests.plugin.serving import Server, serving

USERS, ITERATIONS = 3, 4


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def asking(session: Console, server: Server, tmp_path: Path) -> Console:
    """A test case whose only request says who the user is, and which row it has; with 12 rows of
    things, and a load configuration."""
    found = exchange("GET", f"{server.url}/echo?who=ann&thing=tea", 0)
    do(session, f"import {write_har(tmp_path / 'in.har', found)}")
    do(session, "configure")
    do(session, f"dataset new people name --rows {USERS} --identity --fill name=user{{}}")
    do(session, "dataset new things name --rows 12 --fill name=t{}")
    do(session, "set-field 1 who --dataset people.name")
    do(session, "set-field 1 thing --dataset things.name")
    do(session, "save")
    do(session, f"create-load users={USERS} iterations={ITERATIONS} ramp-up=0s")
    return session


def simulated(session: Console, listener: Listener, options: str = "") -> dict[str, list[str]]:
    """What the command says, by user: the rows of its iterations."""
    listener.said.clear()
    do(session, f"dataset simulate things {options}")
    lines = "\n".join(listener.said).splitlines()
    found = (re.fullmatch(r" +(\d+)  +(\d.*|none left.*)", line) for line in lines)
    return {
        f"user{one[1]}": [re.sub(r"^\d+ ", "", cell) for cell in re.split(r"  +", one[2].rstrip())]
        for one in found
        if one is not None
    }


@pytest.mark.parametrize(
    ("properties", "rows"),
    [
        ("", 12),
        ("--order random", 5),
        ("--sharable no", 5),
        ("--sharable no --order random", 7),
        ("--reusable no", 12),
        ("--lifespan virtual-user", 12),
        ("--lifespan virtual-user --sharable no --order random", 3),
    ],
)
def test_users_take_the_rows_that_were_shown(
    asking: Console, server: Server, listener: Listener, properties: str, rows: int
) -> None:
    """In each of their iterations, whatever the dataset's properties."""
    for _ in range(12 - rows):
        do(asking, "dataset remove things --row 1")
    do(asking, f"dataset properties things {properties}")
    shown = simulated(asking, listener)
    do(asking, "save --replace")
    server.requests.clear()
    do(asking, "start")
    taken: dict[str, list[str]] = {}
    for one in server.requests:
        found = re.search(r"who=(\w+)&thing=(\w+)", one)
        assert found is not None
        taken.setdefault(found[1], []).append(found[2])
    assert {len(one) for one in taken.values()} == {ITERATIONS}
    assert shown == taken


def test_what_the_load_test_would_refuse_is_told(
    asking: Console, listener: Listener, tmp_path: Path
) -> None:
    """With the numbers that would do; what has no row is seen where it is missing. What is open
    counts, though it is not saved; nothing changes."""
    do(asking, "dataset properties things --reusable no")
    (tmp_path / "things.csv").write_text("name\n" + "".join(f"t{n}\n" for n in range(1, 9)))
    undone, before = asking.document, (tmp_path / "things.csv").read_bytes()
    shown = simulated(asking, listener)
    assert shown == {
        "user1": ["t1", "t4", "t7", "none left"],
        "user2": ["t2", "t5", "t8", "none left"],
        "user3": ["t3", "t6", "none left", "none left"],
    }
    assert (
        listener.said[-1]
        .splitlines()[-1]
        .startswith("! dataset 'things' (things.csv) has 8 rows for 3 users with 4 iterations each")
    )
    assert asking.document is undone
    assert (tmp_path / "things.csv").read_bytes() == before
    with pytest.raises(CommandError, match=r"load test runs .*not saved"):
        do(asking, "start")


def test_so_many_users_and_iterations_are_shown(
    asking: Console, listener: Listener, tmp_path: Path
) -> None:
    """As many as are asked for, with the test case where there are several; secrets are cut."""
    assert len(simulated(asking, listener, "--users 2 --iterations 100")["user2"]) == 100
    assert "  and 1 more user: --users shows more" in "\n".join(listener.said)
    for option in ("--users 0", "--users 1001", "--iterations 101", "--iterations -1"):
        with pytest.raises(UsageError, match=r"(users|iterations) is 1 to 10?00?, not"):
            do(asking, f"dataset simulate things {option}")
    do(asking, "dataset new tokens password --rows 1 --fill password=geheim-1234")
    with pytest.raises(CommandError, match=r"no user of shop\.load\.toml takes rows of tokens"):
        do(asking, "dataset simulate tokens")
    do(asking, "set-field 1 thing --dataset tokens.password")
    listener.said.clear()
    do(asking, "simulate tokens")
    assert "geheim-1234" not in "\n".join(listener.said)
    other = asking.case_path.read_text().replace('name = "shop"', 'name = "Another"')
    (tmp_path / "other.case.toml").write_text(other)
    do(asking, f"load set case {tmp_path}/other.case.toml:2")
    listener.said.clear()
    do(asking, "simulate people")
    assert [line.split()[:2] for line in "\n".join(listener.said).splitlines()[2:6]] == [
        ["user", "test"],
        ["1", "Another"],
        ["2", "shop"],
        ["3", "Another"],
    ]
