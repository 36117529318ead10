"""Changes that say nothing of what they are about: a server that does nothing is told by what has
become of the things that the session has named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded


def _restore(queue: Queue) -> None:
    queue.items.append(queue.bin.pop())


def _done(queue: Queue) -> None:
    queue.items = [f"{one} (done)" for one in queue.items]


#: What is done, by the last segment of the path.
_WAYS: dict[str, Callable[[Queue], object]] = {
    "next": lambda queue: queue.bin.append(queue.items.pop(0)),
    "undo": lambda queue: queue.bin.append(queue.items.pop()),
    "clear": lambda queue: queue.items.clear(),
    "reverse": lambda queue: queue.items.reverse(),
    "restore": _restore,
    "done": _done,
}


@dataclass
class Queue:
    """Items by their names, in JSON or on a page."""

    way: str
    is_page: bool
    works: bool = True
    items: list[str] = field(default_factory=list)
    bin: list[str] = field(default_factory=list)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST" and target == "/items":
            self.items.append(dict(parse_qsl(body))["title"])
        elif method == "POST" and self.works:
            _WAYS[target[1:]](self)
        if method == "POST":
            is_page = self.is_page
            return (303, {"Location": "/items"}, "") if is_page else json_answer({"ok": True})
        if not self.is_page:
            return json_answer([{"title": one} for one in self.items])
        rows = "".join(f"<li><b>{one}</b></li>" for one in self.items)
        return 200, HTML, f"<html><title>Items</title><ul>{rows}</ul></html>"

    def session(self, client: Client) -> None:
        """Three are added, and then something is done to one of them or to all."""
        client.send("GET", "/items")
        for title in ("Tea House", "Cups Ltd", "Spoons"):
            client.send("POST", "/items", urlencode({"title": title}).encode(), FORM)
            client.send("GET", "/items")
        for way in ("undo", "restore") if self.way == "restore" else (self.way,):
            client.send("POST", f"/{way}", b"go=1", FORM)
            client.send("GET", "/items")


@pytest.mark.parametrize("is_page", [False, True], ids=["json", "page"])
@pytest.mark.parametrize("way", _WAYS)
def test_what_has_become_of_what_was_named(way: str, is_page: bool) -> None:
    """Nothing done is red, as the answer is that before; on a used server it is green, unless
    it was another's thing that came first in the queue."""
    case = recorded(office := Queue(way, is_page), office.session)
    used = Queue(way, is_page, items=["Old news"])
    assert colour(replayed(case, Queue(way, is_page))) == "GREEN"
    assert colour(replayed(case, used)) == ("told" if way == "next" else "GREEN")
    assert colour(replayed(case, Queue(way, is_page, works=False))) == "red"
