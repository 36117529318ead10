"""``python -m tests.correlation.outcomes.lists``: what replays see of changes that a list alone
shows.

A stall has things, and one list of them, written in one of many ways, with ids in it and without. A
session puts two things there, writes a note on the one, and drops the other. The stall does what it
is asked, or says so and does not.
"""

# ruff: noqa: E501 - a table of pages
from __future__ import annotations

import html
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from pytest_loadtool.correlation.configuration import asserted_anew
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import at_once, colour, failures, replayed, serving
from tests.correlation.talk import configure

__all__ = ["KEPT", "VIEWS", "Stall", "become", "recorded"]

Answer = tuple[int, dict[str, str], str]
Id = int | str
#: What the session makes: the one is written on, the other is dropped.
KEPT, DROPPED = "Tea House & Co", "Cup Shop"
NOTE = "Ring twice please"
_TYPE = "application/x-www-form-urlencoded"


class View(NamedTuple):
    """How a list shows its things: a line for each, in which ``row`` is what tells the id."""

    line: str
    around: str = "{lines}"
    row: str = ""
    kind: str = "text/html"
    between: str = "\n"


_PAGE = (
    "<!DOCTYPE html><html><head><title>Stall</title></head><body><h1>Stall</h1>"
    '<div class="menu"><a href="/">Home</a></div>{lines}<div class="foot">Stall 1.0</div>'
    "</body></html>"
)
_LINK = '<a href="/orders/{id}/edit">Edit</a>'


def _page(line: str, around: str = "{lines}", row: str = _LINK) -> View:
    return View(line, _PAGE.replace("{lines}", around), row)


#: By name.
VIEWS: Mapping[str, View] = {
    "JSON": View(
        '{{"name": {json}, "note": {json_note}{row}}}', '{{"orders": [{lines}]}}', ', "id": {json_id}',
        "application/json", ","),
    "JSON at the top": View(
        '{{"name": {json}, "note": {json_note}{row}}}', "[{lines}]", ', "id": {json_id}',
        "application/json", ","),
    "JSON of texts": View("{json}", '{{"names": [{lines}]}}', "", "application/json", ","),
    "JSON of texts at the top": View("{json}", "[{lines}]", "", "application/json", ","),
    "JSON by name": View(
        "{json}: {{\"note\": {json_note}{row}}}", '{{"orders": {{{lines}}}}}', ', "id": {json_id}',
        "application/json", ","),
    "rows": _page("<tr><td>{name}</td><td>{note}</td><td>{row}</td></tr>", "<table>{lines}</table>"),
    "rows with a button": _page(
        "<tr><td>{name}</td><td>{note}</td><td>{row}</td></tr>", "<table>{lines}</table>",
        '<button data-id="{id}">x</button>'),
    "list": _page("<li>{name} <i>{note}</i> {row}</li>", "<ul>{lines}</ul>"),
    "list of names in bold": _page("<li><b>{name}</b> <i>{note}</i> {row}</li>", "<ul>{lines}</ul>"),
    "articles": _page("<article><h2>{name}</h2><p>{note}</p>{row}</article>"),
    "cards": _page(
        '<div class="card"><h2>{name}</h2><p>{note}</p>{row}</div>', '<div class="cards">{lines}</div>'),
    "cards in columns": _page(
        '<div class="col"><div class="card"><div class="card-body"><h5 class="card-title">{name}</h5>'
        '<p class="card-text">{note}</p>{row}</div></div></div>', '<div class="row">{lines}</div>'),
    "cards of utility classes": _page(
        '<div class="p-4 mt-2 flex"><div class="flex"><span class="font-bold">{name}</span></div>'
        '<div class="flex">{note}</div>{row}</div>', '<div class="grid gap-4">{lines}</div>'),
    "cards without classes": _page(
        "<div><b>{name}</b><span>{note}</span>{row}</div>", '<div id="things">{lines}</div>'),
    "cards in capitals": _page(
        '<DIV CLASS=card><H2>{name}</H2><P>{note}</P>{row}</DIV>', '<DIV CLASS=cards>{lines}</DIV>'),
    "cards with a state": _page(
        '<div class="card {parity}"><h2>{name}</h2><p>{note}</p>{row}</div>', "<main>{lines}</main>"),
    "sections": _page("<section><h2>{name}</h2><p>{note}</p>{row}</section>", "<main>{lines}</main>"),
    "links that are cards": _page(
        '<a class="card" href="#"><strong>{name}</strong><em>{note}</em>{row}</a>', "<nav>{lines}</nav>",
        '<i data-id="{id}"></i>'),
    "paragraphs": _page("<p><b>{name}</b> <i>{note}</i> {row}</p>", '<div id="things">{lines}</div>'),
    "definitions": _page("<dt>{name}</dt><dd>{note} {row}</dd>", "<dl>{lines}</dl>"),
    "definitions of several": _page(
        "<dt>{name}</dt><dd>{note}</dd><dd>{row}</dd>", "<dl>{lines}</dl>"),
    "definitions in groups": _page(
        "<div><dt>{name}</dt><dd>{note}</dd><dd>{row}</dd></div>", "<dl>{lines}</dl>"),
    "a definition list each": _page(
        "<dl><dt>Name</dt><dd>{name}</dd><dt>Note</dt><dd>{note}</dd><dt>Do</dt><dd>{row}</dd></dl>"),
    "options": _page(
        "<option{row}>{name}</option>", '<select name="order">{lines}</select>', ' value="{id}"'),
    "boxes": _page(
        '<label><input type="checkbox" name="order"{row}> {name}</label><br>', "<fieldset>{lines}</fieldset>",
        ' value="{id}"'),
    "details": _page("<details><summary>{name}</summary><p>{note}</p>{row}</details>"),
    "elements of a script": _page(
        '<shop-order><span>{name}</span><span>{note}</span>{row}</shop-order>', "<main>{lines}</main>"),
    "lines": View("{text}", row="", kind="text/plain"),
    "lines with ids": View("{row}{text}: {note}", row="{id} ", kind="text/plain"),
    "lines with marks": View("- {text} ({note}){row}", row=" #{id}", kind="text/markdown"),
    "CSV": View('"{text}","{note}"{row}', 'name,note,id\n{lines}\n', ",{id}", "text/csv"),
    "lines of JSON": View('{{"name": {json}, "note": {json_note}{row}}}', "{lines}\n", ', "id": {json_id}',
                          "application/x-ndjson"),
    "YAML": View("- name: {json}\n  note: {json_note}{row}", "orders:\n{lines}\n", "\n  id: {id}",
                 "application/yaml"),
    "XML": View("<order>{row}<name>{name}</name><note>{note}</note></order>",
                "<?xml version='1.0'?><orders>{lines}</orders>", "<id>{id}</id>", "application/xml"),
    "XML of attributes": View('<order{row} name="{name}" note="{note}"/>',
                "<?xml version='1.0'?><orders>{lines}</orders>", ' id="{id}"', "application/xml"),
    "XML of names": View("<name>{name}</name>", "<orders>{lines}</orders>", "", "application/xml"),
    "HTML in JSON": View("<li><b>{name}</b> <i>{note}</i> {row}</li>", "<ul>{lines}</ul>", _LINK,
                         "application/json", ""),
}  # fmt: skip
#: Of these, how many show no notes.
WITHOUT_NOTES = frozenset(name for name, view in VIEWS.items() if "note" not in view.line)
WITHOUT_IDS = frozenset(name for name, view in VIEWS.items() if not view.row)


@dataclass
class Stall:
    """The state. Ids are numbers from ``first`` on, or of ``letters``; the list ``tells`` them.

    Who makes a thing is told its id if ``gives``; in JSON, or, of ``forms``, by an address.
    ``trick`` names the change that is not done.
    """

    view: View
    tells: bool = True
    gives: bool = True
    forms: bool = False
    first: int = 1
    letters: int = 0
    trick: str = ""
    newest_first: bool = False
    things: dict[Id, list[str]] = field(default_factory=dict)
    between: Callable[[Stall], None] = lambda _: None
    shown: int = 1000

    def __post_init__(self) -> None:
        self._numbers = count(self.first)
        self._drawn = Random(self.first)

    def put(self, name: str, note: str = "") -> Id:
        """A new thing."""
        id_: Id = next(self._numbers)
        if self.letters:
            id_ = "".join(self._drawn.choices("abcdefghijkmnpqrstuvwxyzABCDEFGHJK", k=self.letters))
        self.things[id_] = [name, note]
        return id_

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        self.between(self)
        if (method, target) == ("GET", "/orders"):
            return 200, {"Content-Type": self.view.kind}, self._list()
        sent = {key: one[0] for key, one in parse_qs(body).items()}
        if (method, target) == ("POST", "/orders"):
            return self._made(self.put(sent["name"]))
        found = re.fullmatch(r"(POST|DELETE) /orders/(\w+)(?:/(note|drop))?", f"{method} {target}")
        mine = next((one for one in self.things if found and str(one) == found[2]), None)
        if found is None or mine is None:
            return 404, {}, ""
        act = found[3] or "drop"
        others = [one for one in self.things if one != mine]
        if self.trick == f"{act}: another":
            mine = others[0]
        if self.trick != f"{act}: nothing":
            if act == "drop":
                del self.things[mine]
            else:
                self.things[mine][1] = sent["note"]
        return (303, {"Location": "/orders"}, "") if self.forms else self._said({"done": True})

    def _made(self, id_: Id) -> Answer:
        if not self.forms:
            return self._said({"id": id_} if self.gives else {"done": True}, 201)
        return 303, {"Location": f"/orders?made={id_}" if self.gives else "/orders"}, ""

    @staticmethod
    def _said(what: Any, status: int = 200) -> Answer:
        return status, {"Content-Type": "application/json"}, json.dumps(what)

    def _list(self) -> str:
        things = [*self.things.items()]
        if self.newest_first:
            things.reverse()
        lines = self.view.between.join(map(self._line, things[: self.shown], count()))
        whole = self.view.around.replace("{lines}", lines).replace("{{", "{").replace("}}", "}")
        if self.view.kind == "application/json" and whole.startswith("<"):
            return json.dumps({"html": whole})
        return whole

    def _line(self, thing: tuple[Id, list[str]], at: int) -> str:
        id_, (name, note) = thing
        written = {
            "id": id_, "json_id": json.dumps(id_), "text": name,
            "json": json.dumps(name), "json_note": json.dumps(note),
            "name": html.escape(name), "note": html.escape(note), "parity": ("odd", "even")[at % 2],
        }  # fmt: skip
        row = self.view.row.format(**written) if self.tells else ""
        return self.view.line.format(row=row, **written)


def session(client: Client, stall: Stall, *, looks: bool = True) -> None:
    """What a client does that knows the ids of what it has made."""

    def do(method: str, target: str, **sent: str) -> None:
        text = "&".join(f"{key}={value.replace(' ', '+').replace('&', '%26')}"
                        for key, value in sent.items())  # fmt: skip
        client.send(method, target, text.encode(), {"Content-Type": _TYPE} if text else {})
        if looks or target.endswith("s"):
            client.send("GET", "/orders")

    client.send("GET", "/orders")
    do("POST", "/orders", name=KEPT)
    kept = [*stall.things][-1]
    do("POST", "/orders", name=DROPPED)
    dropped = [*stall.things][-1]
    do("POST", f"/orders/{kept}/note", note=NOTE)
    if stall.forms:
        do("POST", f"/orders/{dropped}/drop")
    else:
        do("DELETE", f"/orders/{dropped}")
    client.send("GET", "/orders")


_BEFORE = ("Milk", "Bread Shop", "Coffee")


def opened(view: str, *, used: bool = False, **settings: Any) -> Stall:
    """A stall with three things; a used one has others, before and behind, of other ids."""
    stall = Stall(VIEWS[view], first=71 if used else 1, **settings)
    for name in ("Attic", "Zoo", *_BEFORE) if used else _BEFORE:
        stall.put(name, NOTE if name == "Attic" else "")
    return stall


def recorded(view: str, *, unique: bool = True, **settings: Any) -> TestCase:
    """The session, configured; with names that are each run's own if ``unique``."""
    stall = opened(view, **settings)
    with serving(stall) as url:
        client = Client(url)
        session(client, stall)
        client.close()
    exchanges = tuple(client.exchanges)
    case = configure(build_case(exchanges, name="stall").case, exchanges).case
    for name in (KEPT, DROPPED) if unique else ():
        made = make_unique(case, name)
        assert made is not None, "it was typed"
        case = asserted_anew(made.case, exchanges).case
    return case


def is_right(stall: Stall, before: Mapping[Id, Sequence[str]], sessions: int = 1) -> bool:
    """Whether it is as ``sessions`` leave it."""
    added = {id_: one for id_, one in stall.things.items() if id_ not in before}
    return (
        all(stall.things.get(id_) == [*one] for id_, one in before.items())
        and len(added) == sessions
        and all(name.startswith(KEPT[:3]) and note == NOTE for name, note in added.values())
    )


def become(case: TestCase, stall: Stall) -> tuple[str, str]:
    """What becomes of a replay: right, WRONG, told, red, and the first failure."""
    before = {id_: [*one] for id_, one in stall.things.items()}
    observed = replayed(case, stall)
    shade, said = colour(observed), failures(observed)
    right = is_right(stall, before)
    told = [one.not_as_recorded for one in observed.responses if one.not_as_recorded]
    state = "" if right else ", wrong"
    if shade == "GREEN":
        placed = any(one.by_place for each in case.transactions() for one in each.extractors)
        shade = (
            ("told by place" + state if placed else "green")
            if right or placed
            else "GREEN AND WRONG"
        )
        return shade, ""
    return shade + state, (said or told or [""])[0]


def _all(names: Sequence[str], **settings: Any) -> Iterator[str]:
    for name in names:
        for tells, gives in ((True, True), (True, False), (False, True)):
            if (tells and name in WITHOUT_IDS) or (not tells and not gives):
                continue
            how = {**settings, "tells": tells, "gives": gives}
            for unique in (True, False):
                label = f"{name:25} {'ids' if tells else '':4}{'given' if gives else '':6}{'unique' if unique else '':7}"
                try:
                    case = recorded(name, unique=unique, **how)
                except Exception as error:
                    yield f"{label} {error!r}"
                    continue
                found = {}
                found["new"] = become(case, opened(name, **how))
                stall = opened(name, used=True, **how)
                found["used"] = become(case, stall)
                found["again"] = become(case, stall)
                stall = opened(name, used=True, **how)
                before = {id_: [*one] for id_, one in stall.things.items()}
                many = at_once(case, stall, 10, 2)
                shades = [colour(one) for one in many]
                bad = [one for each in many for one in failures(each)[:1]]
                right = is_right(stall, before, len(many))
                found["ten"] = (
                    f"{shades.count('red')} red {shades.count('told')} told{'' if right else ' wrong'}",
                    (bad or [""])[0],
                )
                acts = ("drop",) if name in WITHOUT_NOTES else ("note", "drop")
                for act in acts:
                    for trick in ("nothing", "another"):
                        one = become(case, opened(name, used=True, trick=f"{act}: {trick}", **how))
                        shade, said = one
                        if shade.startswith("red") and "did not take effect" not in said:
                            shade += " (blames another)"
                        found[f"{act} {trick}"] = shade, said
                yield label + " | ".join(f"{key}: {one}" for key, (one, _) in found.items())
                if "-v" in sys.argv:
                    yield from (
                        f"      {key}: {said[:150]}" for key, (one, said) in found.items() if said
                    )


if __name__ == "__main__":
    chosen = [one for one in sys.argv[1:] if one in VIEWS] or [*VIEWS]
    settings: dict[str, Any] = {}
    for one in sys.argv[1:]:
        if "=" in one:
            key, _, value = one.partition("=")
            settings[key] = int(value)
    for line in _all(chosen, **settings):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
