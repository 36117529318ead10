"""Calls of procedures: JSON-RPC, one address for each procedure, and SOAP."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from random import Random
from typing import Any

from tests.synthetic.server import IDS, Server
from tests.synthetic.talk import Talk
from tests.synthetic.words import NOUNS, TYPED, Spelling, Thing, plural

__all__ = ["rpc"]

_FLAVOURS = ("named", "named", "positional", "addresses", "addresses", "SOAP")
_ANSWERS = ("thing", "thing", "id", "object id")


class _Calls:
    """What one application is like, and a session that uses it."""

    def __init__(self, pick: Random, server: Server, talk: Talk) -> None:
        self.pick, self.server, self.talk = pick, server, talk
        self.spelling = Spelling(pick)
        self.nouns = pick.choice(NOUNS)
        self.names = iter(pick.sample(TYPED, len(TYPED)))
        self.flavour, self.answers = pick.choice(_FLAVOURS), pick.choice(_ANSWERS)
        self.kinds = [self._kind(), self._kind()]
        self.base = pick.choice(("/rpc", "/api/rpc", "/jsonrpc"))
        self.style = pick.choice(("{noun}.{verb}", "{verb}{Noun}", "{Noun}Service.{Verb}"))
        self.bare = pick.random() < 0.3
        self.versioned = pick.choice(("", "version", "rowVersion"))
        self.versions: dict[str, Any] = {}
        self.calls = pick.choice((0, 1))

    def _kind(self) -> str:
        return "number" if self.pick.random() < 0.6 else self.pick.choice(tuple(IDS))

    def id_name(self, noun: str) -> str:
        return "id" if self.bare else self.spelling.field(f"{noun} id")

    def name(self, verb: str, noun: str) -> str:
        whole = "".join(word.capitalize() for word in noun.split())
        return self.style.format(
            noun=noun.replace(" ", "_"), verb=verb, Noun=whole, Verb=verb.capitalize()
        )

    def call(self, verb: str, noun: str, given: dict[str, Any], result: Any) -> None:
        """Call a procedure."""
        name = self.name(verb, noun)
        match self.flavour:
            case "addresses":
                path = f"/api/{name.replace('Service.', 'Service/')}"
                answer = result if isinstance(result, dict) else {"result": result}
                self.talk.call("POST", path, given, answer=answer)
            case "SOAP":
                inside = _xml(given)
                self.talk.soap(
                    "/service", _envelope(f"<{name}>{inside}</{name}>"),
                    _envelope(f"<{name}Response>{_xml({'result': result})}</{name}Response>"),
                )  # fmt: skip
            case flavour:
                params = given if flavour == "named" else self._positional(given)
                body = {"jsonrpc": "2.0", "id": self.calls, "method": name, "params": params}
                answer = {"jsonrpc": "2.0", "id": self.calls, "result": result}
                self.calls += 1
                self.talk.call("POST", self.base, body, answer=answer)

    def _positional(self, given: dict[str, Any]) -> list[Any]:
        """First what it is about, one or several, then the rest as an object."""
        ids = {*map(self.id_name, self.nouns), "ids", "keys"}
        names = [name for name in given if name in ids or name.endswith(("_ids", "Ids"))]
        about = names[0] if names and next(iter(given)) in names else None
        rest = {name: value for name, value in given.items() if name != about}
        return [given[about], rest] if about else [rest]

    def written(self, thing: Thing) -> dict[str, Any]:
        found = {self.id_name(thing.noun): thing.id, "name": thing.name}
        if self.versioned:
            found[self.versioned] = self.versions[thing.name]
        return found

    def changed(self, thing: Thing) -> None:
        self.versions[thing.name] = (
            self.server.token("row version")
            if self.versioned == "rowVersion"
            else self.server.number(1, 400)
        )

    def begin(self) -> None:
        self.call("ping", "system", {"client": "web", "level": 1}, "ok")
        self.listing(self.nouns[0], [])

    def create(self, noun: str, parent: Thing | None = None) -> Thing:
        kind = self.kinds[self.nouns.index(noun)]
        thing = Thing(noun, self.server.id(kind, noun), next(self.names), parent)
        given: dict[str, Any] = {"name": thing.name}
        if self.pick.random() < 0.6:
            given |= {"quantity": self.pick.choice((1, 2, 3)), "priority": self.pick.randint(1, 5)}
        if parent is not None:
            given[self.spelling.field(f"{parent.noun} id")] = parent.id
        self.changed(thing)
        result: Any = thing.id
        if self.answers == "thing" or self.versioned:
            result = self.written(thing)
        elif self.answers == "object id":
            result = {self.id_name(noun): thing.id}
        self.call("create", noun, given, result)
        return thing

    def listing(self, noun: str, own: list[Thing]) -> None:
        kind = self.kinds[self.nouns.index(noun)]

        def other(name: str) -> dict[str, Any]:
            thing = Thing(noun, self.server.id(kind, noun), name)
            self.changed(thing)
            return self.written(thing)

        rows = self.server.among([self.written(one) for one in own], other)
        verb = self.pick.choice(("list", "find", "search", "get"))
        self.call(verb, plural(noun), {"page": 1, "limit": 20}, {"rows": rows, "total": len(rows)})

    def read(self, thing: Thing) -> None:
        self.call("get", thing.noun, {self.id_name(thing.noun): thing.id}, self.written(thing))

    def update(self, thing: Thing) -> None:
        given = {self.id_name(thing.noun): thing.id, "quantity": self.pick.choice((1, 2, 7))}
        if self.versioned:
            given[self.versioned] = self.versions[thing.name]
        self.changed(thing)
        self.call("update", thing.noun, given, self.written(thing))

    def bulk(self, things: list[Thing]) -> None:
        ids = [one.id for one in things]
        noun = things[0].noun
        name = self.pick.choice(("ids", "keys", self.spelling.field(f"{noun} ids")))
        self.call("archive", plural(noun), {name: ids, "level": 1}, True)

    def delete(self, thing: Thing) -> None:
        self.call("delete", thing.noun, {self.id_name(thing.noun): thing.id}, True)


def _xml(value: Any, name: str = "") -> str:
    if isinstance(value, dict):
        inside = "".join(_xml(one, key) for key, one in value.items())
    elif isinstance(value, list):
        return f"<{name}>{''.join(_xml(one, 'item') for one in value)}</{name}>"
    else:
        inside = escape(str(value))
    return f"<{name}>{inside}</{name}>" if name else inside


def _envelope(inside: str) -> str:
    return (
        '<?xml version="1.0"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">'
        f"<soap:Body>{inside}</soap:Body></soap:Envelope>"
    )


def rpc(pick: Random, server: Server, talk: Talk) -> None:
    """Make some things and what belongs to them, look, change, do things in bulk, delete."""
    calls = _Calls(pick, server, talk)
    calls.begin()
    outer, inner = calls.nouns
    first = calls.create(outer)
    things = [calls.create(inner, first) for _ in range(pick.randint(1, 3))]
    last = things[-1]
    moves: tuple[Callable[[], None], ...] = (
        lambda: calls.read(last),
        lambda: calls.read(first),
        lambda: calls.update(first),
        lambda: calls.update(last),
        lambda: calls.listing(inner, things),
        lambda: calls.bulk(pick.sample(things, len(things))),
    )
    for move in pick.sample(moves, pick.randint(3, len(moves))):
        move()
    calls.delete(last)
    calls.delete(first)
