"""Sessions whose requests have several calls each: what is whose id is known by the place of the
call. Judged by the state of the server, which others have used."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit
from uuid import uuid4

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded

_Call = tuple[str, Any]
_MESSAGE = re.compile(r"(GET|POST|PATCH|DELETE) (\S+) HTTP/1.1\r\n(?:.+\r\n)*\r\n(\{.*\})?")


@dataclass
class Tasks:
    """Shops with tasks, each numbered from 1 on; the change called ``broken`` is not done."""

    broken: str = ""
    first: int = 1
    shops: dict[int, dict[str, Any]] = field(default_factory=dict)
    tasks: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at in range(1, self.first):
            self.shops[at + 5] = {"id": at + 5, "name": f"Old shop {at}", "starred": False}
            self.tasks[at] = {"id": at, "title": f"Old task {at}", "done": False, "shop": 6}

    def do(self, called: str, sent: Any) -> Any:
        """What a call returns."""
        noun, _, verb = called.partition(".")
        things = self.shops if noun == "shop" else self.tasks
        if verb == "list":
            return [*things.values()]
        if verb == "create":
            made = max(things, default=0) + 1
            things[made] = {"id": made, "starred" if noun == "shop" else "done": False, **sent}
            return things[made]
        id_ = sent["id"] if isinstance(sent, dict) else sent
        if verb == "get" or called == self.broken:
            return things[id_] if verb == "get" else None
        if verb == "remove":
            del things[id_]
        elif verb == "rename":
            things[id_]["title"] = sent["title"]
        else:
            what = "starred" if noun == "shop" else "done"
            things[id_][what] = not things[id_][what]
        return None

    def session(self, ask: Callable[..., list[Any]]) -> None:
        """A shop with three tasks: one is renamed, one done, one removed; the shop is starred."""
        both = ("shop.list", None), ("task.list", None)
        ask(*both)
        (shop,) = ask(("shop.create", {"name": "Tea House"}))
        ask(*both)
        made = [
            ask(("task.create", {"title": title, "shop": shop["id"]}))[0]["id"]
            for title in ("Green tea", "Wash cups")
        ]
        ask(*both)
        made.append(ask(("task.create", {"title": "Order spoons", "shop": shop["id"]}))[0]["id"])
        ask(*both)
        ask(("task.get", made[0]), ("shop.get", shop["id"]))
        ask(("task.rename", {"id": made[0], "title": "Black tea"}))
        ask(("task.get", made[0]), ("shop.get", shop["id"]))
        ask(("task.toggle", made[1]))
        ask(*both)
        ask(("shop.toggle", shop["id"]))
        ask(*both)
        ask(("task.remove", made[2]))
        ask(*both)

    def left(self) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
        """What the session has left."""
        shops = [(one["name"], one["starred"]) for one in self.shops.values()]
        tasks = [(one["title"], one["done"]) for one in self.tasks.values()]
        return shops[self.first - 1 :], tasks[self.first - 1 :]


_LEFT = ([("Tea House", True)], [("Black tea", False), ("Wash cups", True)])


@dataclass
class Named(Tasks):
    """The calls are named in the path, and their arguments are under their numbers (tRPC)."""

    def answer(self, _method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        parts = urlsplit(target)
        sent = json.loads(body or parse_qs(parts.query)["input"][0])
        called = parts.path.rpartition("/")[2].split(",")
        found = [self.do(one, sent[str(at)]["json"]) for at, one in enumerate(called)]
        return json_answer([{"result": {"data": {"json": one}}} for one in found])

    def ask(self, client: Client) -> Callable[..., list[Any]]:
        """What sends calls and returns what they have returned."""

        def ask(*calls: _Call) -> list[Any]:
            sent = {str(at): {"json": one} for at, (_, one) in enumerate(calls)}
            target = f"/trpc/{','.join(called for called, _ in calls)}?batch=1"
            if calls[0][0].endswith(("list", "get")):
                client.send("GET", f"{target}&input={quote(json.dumps(sent))}")
            else:
                client.json("POST", target, sent)
            return [one["result"]["data"]["json"] for one in json.loads(_body(client))]

        return ask


@dataclass
class Listed(Tasks):
    """A list of calls of JSON-RPC."""

    def answer(self, _method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        return json_answer(
            [
                {
                    "jsonrpc": "2.0",
                    "id": one["id"],
                    "result": self.do(one["method"], *one["params"]),
                }
                for one in json.loads(body)
            ]
        )

    def ask(self, client: Client) -> Callable[..., list[Any]]:
        """What sends calls and returns what they have returned."""
        numbers = count(1)

        def ask(*calls: _Call) -> list[Any]:
            sent = [
                {"jsonrpc": "2.0", "id": next(numbers), "method": called, "params": [one]}
                for called, one in calls
            ]
            client.json("POST", "/rpc", sent)
            return [one["result"] for one in json.loads(_body(client))]

        return ask


@dataclass
class Parts(Tasks):
    """Messages of HTTP in the parts of one body (OData): ``PATCH tasks(7)``."""

    def answer(self, _method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        found = [self.message(*one.groups("{}")) for one in _MESSAGE.finditer(body)]
        parts = "".join(
            "--r\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 200 OK\r\n"
            f"Content-Type: application/json\r\n\r\n{json.dumps(one)}\r\n"
            for one in found
        )
        return 200, {"Content-Type": "multipart/mixed; boundary=r"}, f"{parts}--r--\r\n"

    def message(self, method: str, address: str, body: str) -> Any:
        """What is answered to one of them."""
        noun, _, key = address.rstrip(")").partition("s(")
        sent = json.loads(body)
        if not key:
            return self.do(
                f"{noun.removesuffix('s')}.{'list' if method == 'GET' else 'create'}", sent
            )
        verb = {"GET": "get", "DELETE": "remove"}.get(
            method, "rename" if "title" in sent else "toggle"
        )
        return self.do(f"{noun}.{verb}", {**sent, "id": int(key)})

    def ask(self, client: Client) -> Callable[..., list[Any]]:
        """What sends calls and returns what they have returned."""
        numbers = count(1)

        def ask(*calls: _Call) -> list[Any]:
            at = f"batch_{next(numbers)}"
            written = "".join(
                f"--{at}\r\nContent-Type: application/http\r\n\r\n{_message(*one)}\r\n"
                for one in calls
            )
            kind = {"Content-Type": f"multipart/mixed; boundary={at}"}
            client.send("POST", "/$batch", f"{written}--{at}--\r\n".encode(), kind)
            bodies = re.findall(r"\r\n\r\n(.*)\r\n--", _body(client))
            return [json.loads(one) for one in bodies]

        return ask


def _message(called: str, sent: Any) -> str:
    noun, _, verb = called.partition(".")
    id_ = sent.get("id") if isinstance(sent, dict) else sent
    fields = (
        {name: one for name, one in sent.items() if name != "id"} if isinstance(sent, dict) else {}
    )
    methods = {"list": "GET", "get": "GET", "create": "POST", "remove": "DELETE"}
    fields |= {"toggled": True} if verb == "toggle" else {}
    body = json.dumps(fields) if fields else ""
    key = "" if id_ is None else f"({id_})"
    head = "Content-Type: application/json\r\n" if body else "Accept: application/json\r\n"
    return f"{methods.get(verb, 'PATCH')} {noun}s{key} HTTP/1.1\r\n{head}\r\n{body}"


def _body(client: Client) -> str:
    return client.exchanges[-1].response_body.decode()


_KINDS: Mapping[str, type[Named | Listed | Parts]] = {
    "named": Named,
    "listed": Listed,
    "parts": Parts,
}


@pytest.mark.parametrize("kind", _KINDS)
def test_a_used_server(kind: str) -> None:
    """There a task and a shop have other numbers, and none the same."""
    office = _KINDS[kind]()
    case = recorded(office, lambda client: office.session(office.ask(client)))
    for first in (1, 4):
        used = _KINDS[kind](first=first)
        assert colour(replayed(case, used)) == "GREEN"
        assert used.left() == _LEFT
        assert not any(one["starred"] for one in [*used.shops.values()][: first - 1])
        assert not any(one["done"] for one in [*used.tasks.values()][: first - 1])


@pytest.mark.parametrize("broken", ["task.rename", "task.toggle", "shop.toggle", "task.remove"])
@pytest.mark.parametrize("kind", _KINDS)
def test_what_is_not_done_is_red(kind: str, broken: str) -> None:
    """Each change is shown by the answer to a call after it."""
    office = _KINDS[kind]()
    case = recorded(office, lambda client: office.session(office.ask(client)))
    assert colour(replayed(case, _KINDS[kind](broken=broken))) == "red"


@dataclass
class Documents:
    """Documents that are written many at once, and answered in that order with no more than their
    ids; they are listed in the order of these."""

    documents: dict[str, dict[str, str]] = field(default_factory=dict)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "GET":
            rows = [{"id": id_, "doc": one} for id_, one in sorted(self.documents.items())]
            return json_answer({"rows": rows})
        answers = []
        for one in json.loads(body)["docs"]:
            id_ = one.pop("_id", "") or str(uuid4())
            self.documents[id_] = self.documents.get(id_, {}) | one
            answers.append({"ok": True, "id": id_})
        return json_answer(answers, 201)


def test_the_same_many_once_more() -> None:
    """The answer tells which are this run's; by their titles, the list has those of another."""

    def session(client: Client) -> None:
        client.send("GET", "/orders/_all_docs")
        sent = [{"title": f"Saucer {number}", "status": "open"} for number in range(3)]
        made = client.json("POST", "/orders/_bulk_docs", {"docs": sent})
        client.send("GET", "/orders/_all_docs")
        changed = [{"_id": one["id"], "status": "packed"} for one in made]
        client.json("POST", "/orders/_bulk_docs", {"docs": changed})
        client.send("GET", "/orders/_all_docs")

    case = recorded(Documents(), session)
    used = Documents()
    for runs in (1, 2):
        assert colour(replayed(case, used)) == "GREEN"
        assert [one["status"] for one in used.documents.values()] == ["packed"] * 3 * runs
