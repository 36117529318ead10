"""The table of strategies: each can be taken out and put in, and none changes what is judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pytest_loadtool.casefile import package_rules, read_har
from pytest_loadtool.correlation.index.indexing import read_traffic
from pytest_loadtool.correlation.index.traffic import Traffic, steps_of
from pytest_loadtool.correlation.proposals import ByClient, Miss
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.resolve import Resolution, resolve
from pytest_loadtool.correlation.strategies.strategy import Settled, Strategy, Turn
from pytest_loadtool.correlation.strategies.table import strategies
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.generator import Uuid
from pytest_loadtool.model.rule import Rule
from pytest_loadtool.recording import build_case
from tests.correlation.exchanges import html
from tests.correlation.talk import TOKEN, UUID, call, get, post, requests, run

_RECORDING = Path(__file__).parents[2] / "applications" / "recordings" / "django-admin.har"
#: What a session says that all strategies find something in.
_TALK = (
    post("/login", f"user=anna&password=s3cret&csrf_token={TOKEN}"),
    get("/new", html(f'<form><input type="hidden" name="csrf_token" value="{TOKEN}x"></form>')),
    post("/notes", f"csrf_token={TOKEN}x&text=Tea"),
    call("POST", "/api/events", {"name": "Tea", "event_id": UUID}),
    get("/edit", html('<form><input type="hidden" name="post_ID" value="57"></form>/?p=57"')),
    get("/?p=57"),
    post("/save", "post_ID=57&title=Tea"),
    post("/comments", "p=57&text=Good"),
)


def _traffic(exchanges: Sequence[Exchange]) -> Traffic:
    case = build_case(exchanges, name="recorded").case
    return read_traffic(case, steps_of(case, exchanges), package_rules())


def _bound(resolution: Resolution) -> set[tuple[str, str]]:
    proposals = {(one.strategy, one.slot.name) for one in resolution.proposals}
    return proposals | {(one.strategy, slot.name) for one in resolution.made for slot in one.slots}


@pytest.mark.parametrize("exchanges", [_TALK, read_har(_RECORDING)], ids=["talk", "django"])
def test_judging_changes_nothing_that_is_judged(exchanges: Sequence[Exchange]) -> None:
    """The same traffic is judged alike again, by strategies that have judged it before."""
    traffic, table = _traffic(exchanges), strategies(package_rules())
    first = resolve(traffic, table)
    assert first.proposals
    assert resolve(traffic, table) == first


def test_what_a_strategy_is_worth() -> None:
    """Without it, what it alone has found is not found; the rest is."""
    traffic, table = _traffic(_TALK), strategies(package_rules())
    everything = _bound(resolve(traffic, table))
    assert everything >= {
        ("rules", "csrf_token"), ("listed-ids", "p"), ("client-ids", "event_id"),
    }  # fmt: skip
    for gone in ("listed-ids", "client-ids"):
        found = _bound(resolve(traffic, [one for one in table if one.name != gone]))
        assert found == {one for one in everything if one[0] != gone}


def test_one_more_strategy() -> None:
    """Whatever has the interface can be put into the table."""

    class Names:
        """Every name is made up."""

        name = "names"
        why = "A test says so."
        source = "this test"
        turns = frozenset({Turn.LAST})

        def propose(self, slots: Sequence[Slot], _: Traffic, __: Settled) -> Iterator[ByClient]:
            """Those that are called so."""
            for slot in slots:
                if slot.name == "name":
                    yield ByClient((slot,), Rule("name"), Uuid(), slot.value)

    table: tuple[Strategy, ...] = (*strategies(package_rules()), Names())
    assert ("names", "name") in _bound(resolve(_traffic(_TALK), table))


def test_what_one_strategy_missed_is_asked_again() -> None:
    """It saw a value and could not take it when it was sent; a later request shows what it is."""

    class Misses:
        """Every post is seen, and no place is found to take it from."""

        name = "misses"
        why = "A test says so."
        source = "this test"
        turns = frozenset({Turn.IN_ORDER})

        def propose(self, slots: Sequence[Slot], _: Traffic, __: Settled) -> Iterator[Miss]:
            """Those that are called so."""
            return (Miss(one, Rule("misses"), "not found") for one in slots if one.name == "p")

    table: tuple[Strategy, ...] = (Misses(), *strategies(package_rules()))
    assert ("listed-ids", "p") in _bound(resolve(_traffic(_TALK), table))


def test_names_and_provenance() -> None:
    """Each strategy has a name of its own, and says what it goes by and where from."""
    table = strategies(())
    assert len({one.name for one in table}) == len(table)
    for one in table:
        assert one.why.endswith(".")
        assert one.source
        assert one.turns


def test_what_is_known_late_makes_more_known() -> None:
    """An address shows late that ``p`` is a post; so a form's field ``p`` is that post, too."""
    *_, visit, _, comment = requests(run(*_TALK))
    assert visit == "/?p=${post_ID[1]}"
    assert comment == "/comments p=${post_ID[1]}&text=Good"
