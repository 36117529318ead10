"""Lists that write their things in other ways than as objects with an ``id``: what is changed there
is found, on a server that others have used, and a server that did nothing is seen."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import count
from typing import Any
from urllib.parse import parse_qs, quote

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded

Notes = Mapping[str, Mapping[str, Any]]

#: What is drawn as a random id, of which no two servers give out one.
_CODES = count(0x1FF67A48_CB8947DB_B919A0E8_393DD319, 0x35B1_F35B_77A1_0C57)


def in_base64(number: str) -> str:
    """A global id of GraphQL (Relay): ``Tm90ZToz``."""
    return b64encode(f"Note:{number}".encode()).decode()


@dataclass(frozen=True)
class Kind:
    """How notes are listed, and how an id is written there and in requests."""

    show: Callable[[Notes], Answer]
    spell: Callable[[str], str] = str
    read: Callable[[str], str] = str
    as_form: bool = False
    """Whether a page sends its changes, and not a script."""
    in_path: bool = False


def listed(shape: Callable[[str, Mapping[str, Any]], Any], **more: Any) -> Kind:
    """A list of objects of that shape."""
    spell = more.get("spell", str)
    return Kind(
        lambda notes: json_answer([shape(spell(k), one) for k, one in notes.items()]), **more
    )


def typed(text: str, media: str) -> Answer:
    """An answer of that type."""
    return 200, {"Content-Type": media}, text


def page(row: Callable[[str, Mapping[str, Any]], str], around: str = "{}") -> Kind:
    """A page with a row for each note."""

    def show(notes: Notes) -> Answer:
        rows = "".join(row(k, {**one, "title": escape(one["title"])}) for k, one in notes.items())
        return 200, HTML, f"<title>Notes</title><h1>Notes</h1>{around.format(rows)}"

    return Kind(show, as_form=True)


def _objects(notes: Notes) -> list[dict[str, Any]]:
    return [{"id": key, **one} for key, one in notes.items()]


def _elements(notes: Notes) -> str:
    rows = (
        f'<note id="{key}" title="{escape(one["title"])}" state="{one["state"]}"/>'
        for key, one in notes.items()
    )
    return f"<notes>{''.join(rows)}</notes>"


def _lines(notes: Notes) -> str:
    return "".join(f"{key} {one['title']} [{one['state']}]\n" for key, one in notes.items())


_SELECT = '<form method="post" action="/close"><select name="n" size="9">{}</select></form>'
KINDS = {
    "kept under their ids": Kind(lambda notes: json_answer(notes)),
    "kept under their ids, within": Kind(
        lambda notes: json_answer({"notes": notes, "order": [*notes]})
    ),
    "arrays": listed(lambda key, one: [key, one["title"], one["state"]]),
    "guarded": Kind(lambda notes: typed(")]}',\n" + json.dumps(_objects(notes)), "text/json")),
    "events": Kind(
        lambda notes: typed(
            "".join(f"data: {json.dumps(one)}\n\n" for one in _objects(notes)), "text/event-stream"
        )
    ),
    "attributes of XML": Kind(
        lambda notes: typed(_elements(notes), "application/xml"), in_path=True
    ),
    "links to themselves": listed(
        lambda key, one: {**one, "_links": {"self": {"href": f"/api/notes/{key}"}}}, in_path=True
    ),
    "names of resources": listed(
        lambda key, one: {"urn": key, **one},
        spell=lambda key: f"urn:note:{key}", read=lambda text: text.rpartition(":")[2],
    ),
    "global ids": listed(
        lambda key, one: {"id": key, **one},
        spell=in_base64, read=lambda text: b64decode(text).decode().partition(":")[2],
    ),
    "business numbers": listed(
        lambda key, one: {"no": key, **one},
        spell=lambda key: f"N-{key:0>5}", read=lambda text: text.removeprefix("N-").lstrip("0"),
    ),
    "options": page(
        lambda key, one: f'<option value="{key}" class="{one["state"]}">{one["title"]}</option>',
        _SELECT,
    ),
    "options with their states": page(
        lambda key, one: f"<option value={key}>{one['title']} ({one['state']})</option>", _SELECT
    ),
    "radio buttons": page(
        lambda key, one: (
            f'<p><input type="radio" name="n" value="{key}" id="r{key}">'
            f'<label for="r{key}">{one["title"]}</label> <i>{one["state"]}</i></p>'
        )
    ),
}  # fmt: skip


@dataclass
class Notepad:
    """Notes that are closed and removed by ids: numbers, or random ones."""

    kind: Kind
    first: int = 1
    random: bool = False
    works: bool = True
    notes: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at in range(1, self.first):
            self.add(f"Old {at}")

    def add(self, title: str) -> None:
        """A new one, with the next id."""
        id_ = f"{next(_CODES):032x}" if self.random else str(len(self.notes) + 1)
        self.notes[id_] = {"title": title, "state": "open"}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "GET":
            return self.kind.show(self.notes)
        sent = {k: v[0] for k, v in parse_qs(body).items()} if self.kind.as_form else None
        sent = sent or json.loads(body or "{}")
        path = target.split("/")[1:]
        if path[-1] == "new":
            self.add(sent["title"])
        else:
            own = self.notes.get(path[2] if self.kind.in_path else self.kind.read(sent["n"]))
            if own is None:
                return json_answer({"error": "no such note"}, 404)
            if self.works and path[-1] == "close":
                own["state"] = "closed"
            elif self.works:
                self.notes = {key: one for key, one in self.notes.items() if one is not own}
        return (303, {"Location": "/"}, "") if self.kind.as_form else json_answer({"ok": True})

    def session(self, client: Client) -> None:
        """Three notes, of which one is closed and another removed."""

        def look() -> None:
            client.send("GET", "/")

        def send(what: str, **fields: str) -> None:
            if self.kind.as_form:
                body = "&".join(f"{key}={quote(value)}" for key, value in fields.items())
                client.send("POST", f"/{what}", body.encode(), FORM)
            elif self.kind.in_path and "n" in fields:
                client.json("POST", f"/api/notes/{fields['n']}/{what}", {})
            else:
                client.json("POST", f"/api/{what}", fields)

        look()
        for title in ("Tea House", "Cups Ltd", "Spoon & Co"):
            send("new", title=title)
            look()
        _, closed, removed = [*self.notes][-3:]
        send("close", n=self.kind.spell(closed))
        look()
        send("remove", n=self.kind.spell(removed))
        look()

    @property
    def state(self) -> list[str]:
        """All that there is."""
        return [f"{one['title']}: {one['state']}" for one in self.notes.values()]


def test_lines_of_a_text() -> None:
    """Which line is changed is not known; that none was, is told."""
    kind = Kind(lambda notes: typed(_lines(notes), "text/plain"))
    case = recorded(notepad := Notepad(kind), notepad.session)
    assert colour(replayed(case, Notepad(kind))) == "GREEN"
    assert colour(replayed(case, Notepad(kind, works=False))) == "told"


@pytest.mark.promise(26)
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("random", [False, True], ids=["numbers", "random ids"])
def test_lists(name: str, random: bool) -> None:
    """On a new server and a used one the session's own notes are changed; one that does nothing is
    red."""
    notepad = Notepad(KINDS[name], random=random)
    case = recorded(notepad, notepad.session)
    for first in (1, 6):
        used = Notepad(KINDS[name], first, random)
        expected = [*used.state, "Tea House: open", "Cups Ltd: closed"]
        observed = replayed(case, used)
        assert (failures(observed), used.state) == ([], expected)
    assert colour(replayed(case, Notepad(KINDS[name], random=random, works=False))) == "red"
