"""``python -m tests.correlation.used_servers``: what replays do on servers that others have used.

A shelf of things, each with a key that nobody knows beforehand. A session puts one there, looks for
it, and writes something on it by its key. How the shelf shows its things is a row of a table: what
the third is when it is recorded may be the fifth, or on another page, when it is replayed.
"""

from __future__ import annotations

import html
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed, serving
from tests.correlation.talk import configure

__all__ = ["OFFICES", "Shelf", "become", "recorded"]

Answer = tuple[int, dict[str, str], str]
_MINE = "Tea House"
_WRITTEN = "Ring twice please"
_JSON, _HTML = {"Content-Type": "application/json"}, {"Content-Type": "text/html"}
_HEAD = "<!DOCTYPE html><html><head><title>Shelf</title></head><body>"


@dataclass
class Thing:
    """Something on the shelf."""

    number: int
    name: str
    key: str
    note: str = ""
    gone: bool = False

    @property
    def shown(self) -> dict[str, Any]:
        """As documents have it."""
        return {"name": self.name, "key": self.key, "note": self.note}

    @property
    def numbered(self) -> dict[str, Any]:
        """Likewise, by its number, among others that are like it."""
        return {"id": self.number, "name": self.name, "size": 3, "rank": 4, "note": self.note}


Show = Callable[["Shelf", str], Answer]


@dataclass
class Shelf:
    """The state. ``seed`` makes its keys, ``first`` is its first number; ``gives`` says whether the
    answer to who puts something there has its number."""

    show: Show
    seed: int = 1
    first: int = 1
    gives: bool = False
    order: Callable[[Thing], Any] = field(default=lambda one: one.number)
    shown: int = 1000
    things: list[Thing] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def put(self, name: str, **more: Any) -> Thing:
        """A new thing."""
        number = self.first + len(self.things)
        one = Thing(number, name, f"{self._random.getrandbits(96):024x}", **more)
        self.things.append(one)
        return one

    def listed(self) -> list[Thing]:
        """What is to be seen, in its order."""
        return sorted((one for one in self.things if not one.gone), key=self.order)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        path, _, query = target.partition("?")
        if (method, path) == ("POST", "/things"):
            one = self.put(json.loads(body)["name"])
            return 201, _JSON, json.dumps({"number": one.number} if self.gives else {"done": True})
        if found := re.fullmatch(r"POST /things/(\w+)/note", f"{method} {path}"):
            for one in self.things:
                if found[1] in (one.key, str(one.number)):
                    one.note = json.loads(body)["note"]
                    return 200, _JSON, json.dumps({"done": True})
            return 404, _JSON, json.dumps({"error": "no such thing"})
        if method == "GET" and path == "/things":
            return self.show(self, query)
        return 404, _JSON, json.dumps({"error": "no such page"})


def _document(make: Callable[[Sequence[Thing]], Any]) -> Show:
    """A shelf that shows JSON."""
    return lambda shelf, _: (200, _JSON, json.dumps(make(shelf.listed())))


def _page(row: str, around: str = "{}") -> Show:
    """A shelf that shows HTML, with a row for each thing."""

    def show(shelf: Shelf, _: str) -> Answer:
        rows = (
            row.format(name=html.escape(one.name), key=one.key, note=one.note, number=one.number)
            for one in shelf.listed()
        )
        return 200, _HTML, f"{_HEAD}{around.format(''.join(rows))}</body></html>"

    return show


def _text(line: str, kind: str, before: str = "", after: str = "") -> Show:
    """A shelf that shows lines of another kind of text."""

    def show(shelf: Shelf, _: str) -> Answer:
        lines = (line.format(**one.shown, number=one.number) for one in shelf.listed())
        return 200, {"Content-Type": kind}, before + "\n".join(lines) + after

    return show


def _links(shelf: Shelf, _: str) -> Answer:
    links = (f'</things/{one.key}/note>; rel="item"; title="{one.name}"' for one in shelf.listed())
    return 200, {**_JSON, "Link": ", ".join(links)}, json.dumps({"shown": True})


def _in_script(before: str, after: str) -> Show:
    def show(shelf: Shelf, _: str) -> Answer:
        state = json.dumps({"user": "anna", "things": [one.shown for one in shelf.listed()]})
        return (
            200,
            _HTML,
            f"{_HEAD}<h1>Shelf</h1><script{before}{state}{after}</script></body></html>",
        )

    return show


def _numbers_in_script(shelf: Shelf, _: str) -> Answer:
    state = json.dumps({"things": [one.numbered for one in shelf.listed()]})
    return 200, _HTML, f"{_HEAD}<script>window.things = {state};</script></body></html>"


def _cells(thing: Thing) -> list[Any]:
    return [thing.number, thing.name, thing.note]


def _columns_in_script(shelf: Shelf, _: str) -> Answer:
    rows = [_cells(one) for one in shelf.listed()]
    state = json.dumps({"table": {"columns": ["id", "name", "note"], "rows": rows}})
    return 200, _HTML, f"{_HEAD}<script>window.state = {state};</script></body></html>"


def _html_in_json(shelf: Shelf, _: str) -> Answer:
    rows = "".join(
        f"<li><a href='#thing-{one.key}'>open</a> <b>{html.escape(one.name)}</b> {one.note}</li>"
        for one in shelf.listed()
    )
    return 200, _JSON, json.dumps({"html": f"<ul>{rows}</ul>"})


def _paged(shelf: Shelf, query: str) -> Answer:
    number = int(parse_qs(query).get("page", ["1"])[0])
    things = shelf.listed()[3 * (number - 1) : 3 * number]
    return 200, _JSON, json.dumps({"things": [one.shown for one in things], "page": number})


def _tree(things: Sequence[Thing]) -> Any:
    half = len(things) // 2
    leaves = [{"folder": "x", "children": [one.shown for one in part]}
              for part in (things[:half], things[half:])]  # fmt: skip
    return {"folder": "root", "children": [one for one in leaves if one["children"]]}


def _newest(things: Sequence[Thing]) -> Any:
    return {"count": len(things), "last_thing": {"key": things[-1].key} if things else None,
            "notes": {one.name: one.note for one in things}}  # fmt: skip


def _by_number(things: Sequence[Thing]) -> Any:
    return {"things": {str(one.number): one.shown for one in things}}


_ROW = '<tr><td>{name}</td><td>{note}</td><td><button data-thing-key="{key}">x</button></td></tr>'
_XML = "<thing><name>{name}</name><key>{key}</key><note>{note}</note></thing>"


@dataclass(frozen=True)
class Situation:
    """How a shelf shows its things, and what a used one has."""

    show: Show
    others: Sequence[str] = ("Attic", "Milk Bar", "Zoo")
    more: Mapping[str, Any] = field(default_factory=dict)
    by_number: bool = False
    """The session writes on it by its number, in place of its key."""
    spoil: Callable[[Shelf], None] = lambda _: None
    """Does something else to the used one."""

    def shelf(self, *, used: bool, seed: int = 1) -> Shelf:
        """One that has two things, or one that others have used."""
        shelf = Shelf(self.show, seed, 2 if used else 1, **self.more)
        for name in self.others if used else ("Milk", "Bread Shop"):
            shelf.put(name)
        if used:
            self.spoil(shelf)
        return shelf


def _by_name(one: Thing) -> Any:
    return one.name


def _newest_first(one: Thing) -> Any:
    return -one.number


_LIST = _document(lambda things: {"things": [one.shown for one in things]})
_NUMBERED = _document(lambda things: {"total": 3, "things": [one.numbered for one in things]})
_TABLE = "<table>{}</table>"
_MANY = tuple(f"Others {at}" for at in range(9))
#: By name.
OFFICES: Mapping[str, Situation] = {
    "a JSON list": Situation(_LIST),
    "edges and nodes": Situation(
        _document(lambda things: {"data": {"edges": [{"node": one.shown} for one in things]}})
    ),
    "a JSON list of lists": Situation(
        _document(lambda things: {"rows": [[one.name, one.key, one.note] for one in things]})
    ),
    "lists beside each other": Situation(
        _document(lambda things: {"names": [one.name for one in things],
                                  "keys": [one.key for one in things],
                                  "notes": [one.note for one in things]})
    ),
    "a map by number": Situation(_document(_by_number)),
    "a map by a number that is known": Situation(_document(_by_number), more={"gives": True}),
    "a map by name": Situation(
        _document(lambda things: {"things": {one.name: one.shown for one in things}})
    ),
    "a map of paths and etags": Situation(
        _document(lambda things: {"etags": {f"/things/{one.number}": one.key for one in things},
                                  "notes": [one.note for one in things]})
    ),
    "the last one": Situation(_document(_newest)),
    "the last one by name": Situation(_document(_newest), more={"order": _by_name}),
    "a tree": Situation(_document(_tree)),
    "JSON in a script": Situation(_in_script(' type="application/json" id="state">', "")),
    "the state of a script": Situation(_in_script(">window.__APP__ = ", ";")),
    "JSON in code": Situation(_in_script(">start(", ", 7);")),
    "rows": Situation(_page(_ROW, "<table>{}</table>")),
    "rows with links": Situation(
        _page('<li><a href="/things/{key}/note">{name}</a> {note}</li>', "<ul>{}</ul>")
    ),
    "rows with links to one place": Situation(
        _page('<li>{name} {note} <a href="/edit?key={key}">Edit</a></li>', "<ul>{}</ul>")
    ),
    "rows with fragments": Situation(
        _page("<li><a href='#thing-{key}'>{name}</a> {note}</li>", "<ul>{}</ul>")
    ),
    "rows of no kind": Situation(_page('<p><b>{name}</b> {note} <i data-key="{key}"></i></p>')),
    "forms": Situation(
        _page('<tr><td>{name}</td><td>{note}<form action="/note"><input type="hidden" name="key" '
              'value="{key}"></form></td></tr>', "<table>{}</table>")
    ),
    "HTML in JSON": Situation(_html_in_json),
    "XML": Situation(_text(_XML, "application/xml", "<things>", "</things>")),
    "XML attributes": Situation(
        _text('<thing name="{name}" key="{key}">{note}</thing>', "text/xml", "<r>", "</r>")
    ),
    "links in a header": Situation(_links),
    "lines": Situation(_text("{name}: {key} {note}", "text/plain")),
    "CSV": Situation(_text("{name},{key},{note}", "text/csv", "name,key,note\n")),
    "JSON lines": Situation(
        _text('{{"name": "{name}", "key": "{key}", "note": "{note}"}}', "application/x-ndjson")
    ),
    "sorted by name": Situation(_LIST, more={"order": _by_name}),
    "newest first": Situation(_LIST, more={"order": _newest_first}),
    "rows, newest first": Situation(
        _page(_ROW, "<table>{}</table>"), more={"order": _newest_first}
    ),
    "on the second page": Situation(_paged, _MANY),
    "two of the same name": Situation(_LIST, ("Attic", _MINE, "Zoo")),
    "two rows of the same name": Situation(
        _page(_ROW, "<table>{}</table>"), ("Attic", _MINE, "Zoo")
    ),
    "one of the same name that is gone": Situation(
        _LIST, ("Attic", _MINE, "Zoo"),
        spoil=lambda shelf: setattr(shelf.things[1], "gone", True),
    ),
    "one of the same name that is shown as gone": Situation(
        _document(lambda things: {"things": [{**one.shown, "deleted": one.name == _MINE
                                              and one is not things[-1]} for one in things]}),
        ("Attic", _MINE, "Zoo"),
    ),
    "an empty shelf": Situation(_LIST, ()),
    "a count": Situation(
        _document(lambda things: {"count": len(things), "things": [one.shown for one in things]})
    ),
    "links of one name": Situation(
        _page('<p><a href="/things/{key}/note">{name}</a> {note}</p>'), ("Attic", _MINE, "Zoo")
    ),
    "numbers like others": Situation(_NUMBERED, by_number=True),
    "numbers like others, sorted by name": Situation(
        _NUMBERED, more={"order": _by_name}, by_number=True
    ),
    "numbers that are given": Situation(_NUMBERED, more={"gives": True}, by_number=True),
    "numbers in a map": Situation(_document(_by_number), by_number=True),
    "numbers in a map, given": Situation(
        _document(_by_number), more={"gives": True}, by_number=True
    ),
    "numbers in links": Situation(
        _page('<tr><td><a href="/things/{number}/note">{name}</a> {note}</td></tr>', _TABLE),
        by_number=True,
    ),
    "numbers in links of one name": Situation(
        _page('<tr><td><a href="/things/{number}/note">{name}</a> {note}</td></tr>', _TABLE),
        ("Attic", _MINE, "Zoo"), by_number=True,
    ),
    "numbers in links that say Edit": Situation(
        _page('<tr><td>{name} {note}<a href="/things/{number}/note">Edit</a></td></tr>', _TABLE),
        by_number=True,
    ),
    "numbers in data": Situation(
        _page('<li data-id="{number}"><b>{name}</b> {note}</li>', "<ul>{}</ul>"), by_number=True
    ),
    "numbers in data, newest first": Situation(
        _page('<li data-id="{number}"><b>{name}</b> {note}</li>', "<ul>{}</ul>"),
        more={"order": _newest_first}, by_number=True,
    ),
    "numbers in XML": Situation(
        _text('<thing id="{number}"><name>{name}</name><note>{note}</note></thing>',
              "application/xml", "<things>", "</things>"),
        by_number=True,
    ),
    "numbers in a script": Situation(_numbers_in_script, by_number=True),
    "numbers below columns": Situation(
        _document(lambda things: {"columns": ["id", "name", "note"],
                                  "rows": [_cells(one) for one in things]}),
        by_number=True,
    ),
    "numbers below columns that are objects": Situation(
        _document(lambda things: {"results": [{
            "Columns": [{"ColumnName": one, "Type": "s"} for one in ("note", "name", "thing_id")],
            "Rows": [_cells(one)[::-1] for one in things],
        }]}),
        by_number=True,
    ),
    "numbers below columns, newest first": Situation(
        _document(lambda things: {"fields": ["id", "name", "note"],
                                  "data": [_cells(one) for one in things]}),
        more={"order": _newest_first}, by_number=True,
    ),
    "numbers below a first row": Situation(
        _document(lambda things: {"values": [["id", "name", "note"], *map(_cells, things)]}),
        by_number=True,
    ),
    "numbers in rows without columns": Situation(
        _document(lambda things: {"draw": 1, "data": [_cells(one) for one in things]}),
        by_number=True,
    ),
    "numbers in rows without columns, given": Situation(
        _document(lambda things: {"draw": 1, "data": [_cells(one) for one in things]}),
        more={"gives": True}, by_number=True,
    ),
    "numbers below columns in a script": Situation(_columns_in_script, by_number=True),
    "keys below columns": Situation(
        _document(lambda things: {"columns": ["name", "key", "note"],
                                  "rows": [[one.name, one.key, one.note] for one in things]})
    ),
    "numbers of the newest": Situation(
        _document(lambda things: {"latest": things[-1].numbered if things else None,
                                  "things": [one.numbered for one in things]}),
        more={"order": _by_name}, by_number=True,
    ),
}  # fmt: skip


def _session(client: Client, shelf: Shelf, *, looks_first: bool, by_number: bool) -> None:
    if looks_first:
        client.send("GET", "/things")
    client.json("POST", "/things", {"name": _MINE})
    client.send("GET", "/things")
    mine = shelf.things[-1]
    key = str(mine.number) if by_number else mine.key
    client.json("POST", f"/things/{key}/note", {"note": _WRITTEN})
    client.send("GET", "/things")


def recorded(situation: Situation, *, looks_first: bool) -> TestCase:
    """The session, recorded on a shelf with two things, and configured."""
    shelf = situation.shelf(used=False)
    with serving(shelf) as url:
        client = Client(url)
        _session(client, shelf, looks_first=looks_first, by_number=situation.by_number)
        client.close()
    exchanges = tuple(client.exchanges)
    return configure(build_case(exchanges, name="shelf").case, exchanges).case


def become(situation: Situation, case: TestCase, *, used: bool = True) -> str:
    """What becomes of a replay on a used one, or on a new one with other keys: right, red, told,
    or WRONG."""
    shelf = situation.shelf(used=used, seed=7)
    before = [one.note for one in shelf.things]
    shade = colour(replayed(case, shelf))
    right = [one.note for one in shelf.things] == [*before, _WRITTEN]
    placed = any(one.by_place for each in case.transactions() for one in each.extractors)
    if shade == "told" or (shade == "GREEN" and placed):
        return f"told, {'right' if right else 'wrong'}"
    return shade if shade == "red" else "right" if right else "WRONG"


def _all() -> Iterator[str]:
    for name, situation in OFFICES.items():
        for looks_first in (True, False):
            case = recorded(situation, looks_first=looks_first)
            every = (one for each in case.transactions() for one in each.extractors)
            found = "; ".join(f"{one.source} {one.match}" for one in every)[:150]
            when = "looked before" if looks_first else ""
            new = become(situation, case, used=False)
            yield f"{name:45} {when:14} {new:12} {become(situation, case):12} {found}"


if __name__ == "__main__":
    for line in _all():
        sys.stdout.write(f"{line}\n")
