"""Lists whose order the server draws for each answer: another order shows that nothing was done,
nor that it was not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded

NAMES = ("Tea House", "Coffee Bar", "Milk Kiosk")


@dataclass
class Shelf:
    """Things with notes, which the list does not show. ``turns`` tells for which of its answers it
    begins at the end."""

    turns: frozenset[int]
    page: bool = True
    notes: dict[int, str] = field(default_factory=dict)
    answered: int = 0

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST" and target == "/":
            self.notes[7 * len(self.notes) + 23] = parse_qs(body)["name"][0]
        if method == "POST":
            return 303, {"Location": "/"}, ""
        self.answered += 1
        step = -1 if self.answered in self.turns else 1
        shown = [*self.notes.items()][::step]
        if not self.page:
            return json_answer([{"id": id_, "name": name} for id_, name in shown])
        rows = "".join(f'<tr><td>{n}</td><td><a href="/{i}">open</a></td></tr>' for i, n in shown)
        return 200, HTML, f"<html><table>{rows}</table>"


def session(client: Client) -> None:
    """Three things are made, and one of them is given a note."""
    for name in NAMES:
        client.send("POST", "/", f"name={name.replace(' ', '+')}".encode(), FORM)
    there = client.send("GET", "/").text
    ids = re.findall(r"\d+", there)
    names = re.findall("|".join(NAMES), there)
    client.send("POST", f"/{ids[names.index(NAMES[1])]}", b"note=best+of+all", FORM)
    client.send("GET", "/")


@pytest.mark.parametrize("page", [True, False], ids=["page", "json"])
def test_another_order_is_no_difference(page: bool) -> None:
    """As recorded the order was another one afterwards. Replayed it is the same."""
    case = recorded(Shelf(frozenset({1}), page), session)
    assert colour(replayed(case, Shelf(frozenset(), page))) in ("GREEN", "told")
