"""Requests for what has changed since: a browser sends the entity tag of what it has, and where a
change was not done it is answered that nothing has (RFC 9110 §15.4.5), without any text."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Orders:
    """Orders with an entity tag of all of them. ``broken``: the change that is not done."""

    broken: str = ""
    orders: dict[int, str] = field(default_factory=dict)
    known: str = ""

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            made = len(self.orders) + 1
            self.orders[made] = json.loads(body)["title"]
            return json_answer({"id": made})
        if method == "DELETE":
            if not self.broken:
                del self.orders[int(target.rpartition("/")[2])]
            return json_answer({})
        listed = [{"id": id_, "title": title} for id_, title in self.orders.items()]
        tag = sha256(json.dumps(listed).encode()).hexdigest()[:20]
        if tag == self.known:  # as the header that a browser sends has it
            return 304, {"ETag": tag}, ""
        self.known = tag
        status, headers, text = json_answer(listed)
        return status, headers | {"ETag": tag}, text


def session(client: Client) -> None:
    """Two are ordered, and one is taken back."""
    client.send("GET", "/orders")
    for title in ("Tea House", "Cups Ltd"):
        client.json("POST", "/orders", {"title": title})
        client.send("GET", "/orders")
    client.send("DELETE", "/orders/2")
    client.send("GET", "/orders")


def test_what_is_not_gone() -> None:
    """That a thing is not in an answer without text shows nothing."""
    case = recorded(Orders(), session)
    assert colour(replayed(case, Orders())) == "GREEN"
    undone = replayed(case, Orders("DELETE"))
    assert colour(undone) == "red"
    assert "DELETE /orders" in "".join(one.message for each in undone.failures for one in each)
