"""Wherever the row of a page has the id of a thing, a replay on a used server does to its own thing
what the session did to that of the recording, and to no other."""

from __future__ import annotations

import pytest

from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import failures
from tests.correlation.rows import NOTE, WAYS, Book, serving
from tests.correlation.talk import configure
from tests.observed import Observed


def session(book: Book) -> TestCase:
    """Two things are made; of one the note is changed, one is dropped. Recorded and configured."""
    with serving(book) as url:
        client = Client(url)
        page = client.open("/things")
        for name in ("Tea & Tales", "Cup Shop"):
            page = client.submit(page, {"name": name}, action="/things")
        for act, id_, note in zip(("edit", "drop"), list(book.things), (NOTE, ""), strict=True):
            target, body = book.sent(act, id_, note)
            client.send("POST", target, body.encode(), {"Content-Type": book.way.kind})
            client.open("/things")
        client.close()
    exchanges = tuple(client.exchanges)
    return configure(build_case(exchanges, name="rows").case, exchanges).case


@pytest.mark.parametrize("random", [False, True], ids=["numbers", "random"])
@pytest.mark.parametrize("way", WAYS)
def test_rows(way: str, random: bool) -> None:
    """The state is right, and no check says otherwise. Numbers begin where those of the recording
    did: each of its ids is that of somebody else's thing there."""
    case = session(Book(WAYS[way], random))
    used = Book(WAYS[way], random, first=71 if random else 1)
    for number in range(12):
        used.put(f"Other {number}")
    others = {id_: list(thing) for id_, thing in used.things.items()}
    observed = Observed()
    with serving(used) as url:
        replay_once(compile_case(case, server=url), observer=observed)
    own = [used.things.pop(one) for one in list(used.things) if one not in others]
    assert used.things == others
    assert own == [["Tea & Tales", NOTE]]
    assert failures(observed) == []
