"""Lists of a back office that say by their path alone of what kind their rows are: each row has its
number in attributes and fields that all lists call alike, as Flask-Admin and sqladmin have them; or
what there is to choose from is looked up by scripts, as with starlette-admin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from pytest_loadtool.editing.unique_values import make_unique
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded

#: By each kind, that of which its things have one.
_PARENTS = {"shop": "", "product": "shop", "order": "product"}


@dataclass
class Office:
    """Shops with products, of which there are orders, each kind numbered from 1."""

    works: bool = True
    looks_up: bool = False
    rows: dict[str, dict[int, dict[str, Any]]] = field(
        default_factory=lambda: {kind: {} for kind in _PARENTS}
    )
    last: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_PARENTS, 0))

    def add(self, kind: str, **values: str) -> None:
        """A new one."""
        self.last[kind] += 1
        self.rows[kind][self.last[kind]] = values

    def use(self) -> None:
        """Others have more orders than products, and more products than shops."""
        for count, kind in enumerate(_PARENTS, 2):
            for at in range(1, count + 1):
                self.add(kind, name=f"old {kind} {at}", note="old", parent="1")

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        parts = urlsplit(target)
        if parts.path.startswith("/_api/"):
            return self.called(parts.path.split("/")[2:], dict(parse_qsl(f"{parts.query}&{body}")))
        kind, *rest = parts.path.strip("/").split("/")
        sent = dict(parse_qsl(f"{parts.query}&{body}"))
        things = self.rows[kind]
        if rest == ["new"] and method == "GET":
            return 200, HTML, f"<form method=post><input name=name>{self.options(kind)}</form>"
        if method == "GET":
            return 200, HTML, f"<table>{''.join(self.row(kind, id_) for id_ in things)}</table>"
        if rest == ["new"]:
            parent = sent.get(_PARENTS[kind], "")
            more = {"label": sent["label"]} if self.looks_up else {}
            self.add(kind, name=sent["name"], note=sent["note"], parent=parent, **more)
        elif self.works and rest == ["ajax", "update"]:
            things.get(int(sent["list_form_pk"]), {})["note"] = sent["note"]
        elif self.works and rest == ["delete"]:
            things.pop(int(sent["pks"]), None)
        return 303, {"Location": f"/{kind}"}, ""

    def called(self, path: list[str], sent: dict[str, str]) -> Answer:
        """What is answered to a script."""
        kind, done = path
        things = self.rows.get(kind, {})
        if done == "relation-lookup":
            names = {id_: str(one["name"]) for id_, one in things.items()}
            wanted = sent.get("q", ""), sent.get("pks")
            found = [
                {"id": id_, "name": name}
                for id_, name in (names or {1: "old label", 2: "new label"}).items()
                if wanted[0] in name and wanted[1] in (None, str(id_))
            ]
            return json_answer({"items": found})
        if self.works and done == "inline-edit":
            things[int(sent["pk"])]["note"] = sent["note"]
        elif self.works:
            things.pop(int(sent["pk"]), None)
        return json_answer({"msg": "done"})

    def options(self, kind: str) -> str:
        """What there is to choose from in a form."""
        parent = _PARENTS[kind]
        offered = self.rows.get(parent, {}).items()
        if self.looks_up:
            return f'<select name="{parent}" data-pk="id"></select><input name="label">'
        inner = (f'<option value="{id_}">{one["name"]}</option>' for id_, one in offered)
        return f'<select name="{parent}">{"".join(inner)}</select>' if parent else ""

    def row(self, kind: str, id_: int) -> str:
        """The row of a list."""
        one = self.rows[kind][id_]
        name, parent = one["name"], self.parent(kind, one)
        if self.looks_up:
            above = f"/{_PARENTS[kind]}/detail?pk={one['parent']}&from={kind}"
            return (
                f'<tr data-ui-pk="{id_}"><td><input type="checkbox" value="{id_}"></td>'
                f"<td>{id_}</td>"
                f'<td><a href="/{kind}/detail?pk={id_}&amp;from={kind}">View</a></td>'
                f'<td>{name}</td><td>{one["note"]}</td><td><a href="{above}">{parent}</a></td></tr>'
            )
        return (
            f'<tr><td><input type="hidden" name="id" value="{id_}"><input type="checkbox"'
            f' name="rowid" value="{id_}"></td><td><a href="#" data-pk="{id_}"'
            f' data-url="/{kind}/delete?pks={id_}">Delete</a></td><td>{name}</td>'
            f"<td>\n  {one['note']}\n</td><td>\n  {parent}\n</td></tr>"
        )

    def parent(self, kind: str, one: dict[str, Any]) -> str:
        """The name of what it is of."""
        found = self.rows.get(_PARENTS[kind], {}).get(int(one["parent"] or 0), {})
        return str(found.get("name", ""))

    @property
    def state(self) -> list[tuple[str, str, str, str]]:
        """All things."""
        return sorted(
            (kind, one["name"], one["note"], self.parent(kind, one))
            for kind, things in self.rows.items()
            for one in things.values()
            if one.get("label", "2") == "2"  # as the session sends it
        )


_NAMES = ("Tea House", "Cups of clay", "Green tea", "Large saucers", "For Monday", "For Sunday")


def _session(client: Client) -> None:
    """Two things of each kind, of which the second is written to, and goes."""

    def post(path: str, **sent: str) -> None:
        client.send("POST", path, urlencode(sent).encode(), FORM)

    for at, (kind, parent) in enumerate(_PARENTS.items()):
        for number, name in enumerate(_NAMES[2 * at : 2 * at + 2], 1):
            client.send("GET", f"/{kind}")
            client.send("GET", f"/{kind}/new")
            more = {parent: str(number)} if parent else {}
            post(f"/{kind}/new", name=name, note="plain", **more)
            client.send("GET", f"/{kind}")
    for kind in ("product", "shop", "order"):
        client.send("GET", f"/{kind}")
        post(f"/{kind}/ajax/update", list_form_pk="1", note=f"good {kind}")
        client.send("GET", f"/{kind}")
    for kind in ("order", "product", "shop"):
        client.send("GET", f"/{kind}")
        client.send("DELETE", f"/{kind}/delete?pks=2")
        client.send("GET", f"/{kind}")


def _by_scripts(client: Client) -> None:
    """Likewise, with what a script looks up, labels among it that nobody has made."""
    for at, (kind, parent) in enumerate(_PARENTS.items()):
        for number, name in enumerate(_NAMES[2 * at : 2 * at + 2], 1):
            client.send("GET", f"/{kind}")
            client.send("GET", f"/{kind}/new")
            more = {parent: str(number)} if parent else {}
            if parent:
                wanted = urlencode({"q": _NAMES[2 * at - 3 + number]})
                client.send("GET", f"/_api/{parent}/relation-lookup?{wanted}")
            client.send("GET", "/_api/label/relation-lookup?pks=2")
            sent = urlencode({"name": name, "note": "plain", "label": "2", **more})
            client.send("POST", f"/{kind}/new", sent.encode(), FORM)
            client.send("GET", f"/{kind}")
    for kind in ("product", "shop", "order"):
        client.send("GET", f"/{kind}")
        note = urlencode({"note": f"good {kind}"}).encode()
        client.send("POST", f"/_api/{kind}/inline-edit?pk=1", note, FORM)
        client.send("GET", f"/{kind}")
    for kind in ("order", "product", "shop"):
        client.send("GET", f"/{kind}")
        client.send("POST", f"/_api/{kind}/row-action?name=delete&pk=2")
        client.send("GET", f"/{kind}")


_SESSIONS = pytest.mark.parametrize(
    ("session", "looks_up"), [(_session, False), (_by_scripts, True)], ids=["forms", "scripts"]
)
#: What a session leaves.
_LEFT = [
    ("shop", "Tea House", "good shop", ""),
    ("product", "Green tea", "good product", "Tea House"),
    ("order", "For Monday", "good order", "Green tea"),
]


@pytest.mark.promise(26)
@pytest.mark.parametrize("used", [False, True], ids=["new", "used"])
@_SESSIONS
def test_kinds_of_rows(session: Callable[[Client], None], looks_up: bool, used: bool) -> None:
    """What is sent is the number of a row of the very list, and so is what shows it afterwards."""
    case = recorded(Office(looks_up=looks_up), session)
    office = Office(looks_up=looks_up)
    if used:
        office.use()
    expected = sorted([*office.state, *_LEFT])
    observed = replayed(case, office)
    assert (failures(observed), office.state) == ([], expected)


@pytest.mark.promise(26)
@_SESSIONS
def test_kinds_of_rows_again(session: Callable[[Client], None], looks_up: bool) -> None:
    """With names of their own, so is the second of two runs."""
    case = recorded(Office(looks_up=looks_up), session)
    for name in _NAMES:
        made = make_unique(case, name)
        assert made is not None
        case = made.case
    office = Office(looks_up=looks_up)
    assert [failures(replayed(case, office)) for _ in range(2)] == [[], []]
    assert [(one[0], one[2]) for one in office.state] == [
        (kind, f"good {kind}") for kind in sorted(_PARENTS) for _ in range(2)
    ]


@pytest.mark.promise(26)
@_SESSIONS
def test_nothing_done_to_rows(session: Callable[[Client], None], looks_up: bool) -> None:
    """A server that changes nothing is seen."""
    case = recorded(Office(looks_up=looks_up), session)
    assert colour(replayed(case, Office(works=False, looks_up=looks_up))) == "red"
