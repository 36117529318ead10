"""Things of one kind that are given to one of another, in the ways in which requests say it: right
on a server that others have used, where both kinds are numbered otherwise; and a server that did
nothing is seen."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded

#: What is drawn as a random id, of which no two servers give out one.
_CODES = count(0x2FF67A48_CB8947DB_B919A0E8_393DD319, 0x35B1_F35B_77A1_0C57)
_ASSIGN = "mutation Tag($n: ID!, $t: [ID!]!) { assignTags(noteId: $n, tagIds: $t) { ok } }"


@dataclass(frozen=True)
class Way:
    """How a request says which tags a note has now."""

    write: Callable[[Any, Sequence[Any]], Any]
    """Its body, of the ids of a note and of tags: a document of JSON, or the fields of a form."""
    read: Callable[[Any], Sequence[Any]]
    """The tags, of what was sent; with the note first, if the path does not have it."""
    path: str = "/notes/{}/tags"
    control: str = ""
    """The name of what a page has to pick tags with; empty: there are no pages."""
    option: str = '<option value="{0}"{1}>{2}</option>'


def _boxes(name: str, value: str) -> str:
    return f'<label><input type="checkbox" name="{name}" value="{value}"{{1}}> {{2}}</label>'


WAYS = {
    "connected": Way(
        lambda _, tags: {"tags": {"connect": [{"id": one} for one in tags]}},
        lambda sent: [one["id"] for one in sent["tags"]["connect"]],
    ),
    "arguments": Way(
        lambda note, tags: {
            "jsonrpc": "2.0",
            "id": 9,
            "method": "note.tag",
            "params": [note, tags],
        },
        lambda sent: [sent["params"][0], *sent["params"][1]],
        "/rpc",
    ),
    "variables": Way(
        lambda note, tags: {"query": _ASSIGN, "variables": {"n": note, "t": tags}},
        lambda sent: [sent["variables"]["n"], *sent["variables"]["t"]],
        "/graphql",
    ),
    "operations": Way(
        lambda note, tags: [{"op": "tag", "args": [note, one]} for one in tags],
        lambda sent: [sent[0]["args"][0], *(one["args"][1] for one in sent)],
        "/operations",
    ),
    "a list": Way(
        lambda _, tags: [("tags", one) for one in tags],
        lambda sent: [value for _, value in sent],
        control='<select multiple name="tags">{}</select>',
    ),
    "boxes": Way(
        lambda _, tags: [(f"tag_{one}", "on") for one in tags],
        lambda sent: [name.removeprefix("tag_") for name, _ in sent],
        control="{}",
        option=_boxes("tag_{0}", "on"),
    ),
    "several forms in one": Way(
        lambda _, tags: [(f"items[{at}][tag]", one) for at, one in enumerate(tags)],
        lambda sent: [value for _, value in sent],
        control="".join(f'<select name="items[{at}][tag]">{{0}}</select>' for at in range(2)),
    ),
    "a field that a script fills": Way(
        lambda _, tags: [("tags", json.dumps(list(tags)))],
        lambda sent: json.loads(sent[0][1]),
        control='<input type="hidden" name="tags" value="[]"><select id="pick">{}</select>',
    ),
}


@dataclass
class Notepad:
    """Notes and tags, each kind with ids of its own: numbers, or random ones."""

    way: Way
    first: int = 1
    random: bool = False
    works: bool = True
    names: dict[str, dict[Any, str]] = field(default_factory=lambda: {"notes": {}, "tags": {}})
    tagged: dict[Any, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at in range(1, self.first):
            self.add("tags", f"old tag {at}")
            self.add("tags", f"older tag {at}")
            self.tagged[self.add("notes", f"Old {at}")] = [self.ids("tags")[0]]

    def ids(self, kind: str) -> list[Any]:
        """Those of a kind, in their order."""
        return [*self.names[kind]]

    def add(self, kind: str, name: str) -> Any:
        """A new thing with the next id, which it returns: tags are counted from 5."""
        at = len(self.names[kind]) + (5 if kind == "tags" else 1)
        id_ = f"{next(_CODES):032x}" if self.random else at
        self.names[kind][id_] = name
        return id_

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        kind, *rest = target.split("/")[1:]
        sent: Any = None
        if body:
            sent = parse_qsl(body) if self.way.control else json.loads(body)
        if method == "GET":
            return self.page(kind, rest) if self.way.control else self.document(kind, rest)
        if kind in self.names and not rest:
            self.add(kind, dict(sent)["name"])
        else:
            in_path = rest[:1] if kind == "notes" else []
            given: list[Any] = [*in_path, *self.way.read(sent)]
            ids = [one if self.random else int(one) for one in given]
            if ids[0] not in self.names["notes"] or not {*ids[1:]} <= {*self.names["tags"]}:
                return json_answer({"error": "no such thing"}, 404)
            if self.works:
                self.tagged[ids[0]] = ids[1:]
        if self.way.control:
            return 303, {"Location": "/notes"}, ""
        return json_answer(
            {"ok": True, **({"id": self.ids(kind)[-1]} if kind in self.names else {})}
        )

    def document(self, kind: str, rest: Sequence[str]) -> Answer:
        """A list, or a note, in JSON."""

        def tag(id_: Any) -> dict[str, Any]:
            return {"id": id_, "name": self.names["tags"][id_]}

        things = [
            {"id": id_, "name": name, "tags": [*map(tag, self.tagged.get(id_, []))]}
            for id_, name in self.names[kind].items()
        ]
        if rest:
            return json_answer(next(one for one in things if str(one["id"]) == rest[0]))
        return json_answer([tag(id_) for id_ in self.names["tags"]] if kind == "tags" else things)

    def page(self, kind: str, rest: Sequence[str]) -> Answer:
        """A list, or the form in which the tags of a note are picked."""
        tags = self.names["tags"]
        if rest:
            own = self.tagged.get(rest[0] if self.random else int(rest[0]), [])
            marked = "checked" if "checkbox" in self.way.option else "selected"
            options = "".join(
                self.way.option.format(id_, f" {marked}" if id_ in own else "", name)
                for id_, name in tags.items()
            )
            form = f'<form method="post" action="/notes/{rest[0]}/tags">'
            return 200, HTML, f"<title>Edit</title>{form}{self.way.control.format(options)}</form>"
        if kind == "tags":
            return 200, HTML, f"<ul>{''.join(f'<li>{name}</li>' for name in tags.values())}</ul>"
        rows = (
            f'<tr><td><a href="/notes/{id_}/edit">{name}</a></td>'
            f"<td>{', '.join(tags[one] for one in self.tagged.get(id_, []))}</td></tr>"
            for id_, name in self.names["notes"].items()
        )
        return 200, HTML, f"<title>Notes</title><table>{''.join(rows)}</table>"

    def session(self, client: Client) -> None:
        """Two tags and two notes, of which one gets both tags."""

        def post(path: str, sent: Any) -> None:
            if self.way.control:
                client.send("POST", path, urlencode(sent).encode(), FORM)
            else:
                client.json("POST", path, sent)

        for kind, names in (
            ("tags", ("green things", "black things")),
            ("notes", ("Tea House", "Cups Ltd")),
        ):
            client.send("GET", f"/{kind}")
            for name in names:
                post(f"/{kind}", {"name": name})
                client.send("GET", f"/{kind}")
        note, tags = self.ids("notes")[-2], self.ids("tags")[-2:]
        one = f"/notes/{note}/edit" if self.way.control else f"/notes/{note}"
        client.send("GET", one)
        post(self.way.path.format(note), self.way.write(note, tags))
        client.send("GET", "/notes")
        client.send("GET", one)

    @property
    def state(self) -> dict[str, list[str]]:
        """The notes with their tags."""
        tags = self.names["tags"]
        return {
            name: [tags[one] for one in self.tagged.get(id_, [])]
            for id_, name in self.names["notes"].items()
        }


@pytest.mark.promise(26)
@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("random", [False, True], ids=["numbers", "random ids"])
def test_assigned(name: str, random: bool) -> None:
    """The session's own note has its own tags, and nobody else's has others."""
    case = recorded(notepad := Notepad(WAYS[name], random=random), notepad.session)
    for first in (1, 5):
        used = Notepad(WAYS[name], first, random)
        own = {"Tea House": ["green things", "black things"], "Cups Ltd": []}
        expected = used.state | own
        observed = replayed(case, used)
        assert (failures(observed), used.state) == ([], expected)
    assert colour(replayed(case, Notepad(WAYS[name], random=random, works=False))) == "red"
