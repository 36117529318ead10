"""Lists of a back office in which rows are ticked, as ActiveAdmin has them: one number stands for
things of several kinds, in the boxes of rows, in what the list is filtered by, and in a form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, recorded

#: What the fields of a product are called, and of what is within it.
_TITLE, _PRICE, _LABELS = "product[title]", "product[price]", "product[label_ids][]"
_SIZE = "product[sizes_attributes][{}][{}]"


@dataclass
class Office:
    """Products with labels and sizes, all numbered from 1."""

    works: bool = True
    labels: dict[int, str] = field(default_factory=dict)
    products: dict[int, dict[str, Any]] = field(default_factory=dict)
    sizes: dict[int, tuple[int, str, str]] = field(default_factory=dict)

    def use(self) -> None:
        """Others have labels and sizes, more than products."""
        for at in range(1, 5):
            self.labels[at] = f"old label {at}"
            self.sizes[at], self.sizes[at + 4] = (1, f"old {at}", "7"), (1, f"older {at}", "8")
        self.products = {1: self.product("Old"), 2: self.product("Older")}

    @staticmethod
    def product(title: str) -> dict[str, Any]:
        """A new one."""
        return {"title": title, "price": "1", "state": "draft", "labels": []}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        kind, *rest = target.strip("/").split("/")
        sent = parse_qsl(body, keep_blank_values=True)
        if method == "GET":
            return 200, HTML, f"<title>{kind}</title>{self.page(kind, rest)}"
        if kind == "labels":
            self.labels[max(self.labels, default=0) + 1] = dict(sent)["label[name]"]
            return 303, {"Location": "/labels"}, ""
        if rest == ["batch_action"]:
            for one in (value for name, value in sent if name == "collection_selection[]"):
                if self.works and int(one) in self.products:
                    self.products[int(one)]["state"] = "published"
            return 303, {"Location": "/products"}, ""
        id_ = int(rest[0]) if rest else max(self.products, default=0) + 1
        if id_ not in self.products:
            self.products[id_] = self.product("")
        if self.works or not rest:
            self.change(id_, sent)
        return 303, {"Location": f"/products/{id_}"}, ""

    def change(self, id_: int, sent: list[tuple[str, str]]) -> None:
        """What a form says of a product."""
        found = dict(sent)
        labels = [int(value) for name, value in sent if name == _LABELS and value]
        one = {"title": found[_TITLE], "price": found[_PRICE], "labels": labels}
        self.products[id_].update(one)
        for at in range(3):
            name, stock, own, gone = (
                found.get(_SIZE.format(at, key)) for key in ("name", "stock", "id", "_destroy")
            )
            if name is None:
                continue
            number = int(own or max(self.sizes, default=0) + 1)
            self.sizes[number] = (id_, name, stock or "")
            if gone == "1":
                del self.sizes[number]

    def page(self, kind: str, rest: list[str]) -> str:
        """A list, a form or a product."""
        if kind == "labels":
            return f"<ul>{''.join(f'<li>{name}</li>' for name in self.labels.values())}</ul>"
        if not rest:
            rows = (
                f'<tr id="product_{id_}"><td><input type="checkbox" id="batch_item_{id_}"'
                f' value="{id_}" name="collection_selection[]"></td>'
                f'<td><a href="/products/{id_}">View</a></td><td>{one["title"]}</td>'
                f"<td>{one['price']}</td><td>{one['state']}</td></tr>"
                for id_, one in self.products.items()
            )
            named = (("labels", self.labels), ("sizes", {k: v[1] for k, v in self.sizes.items()}))
            filters = "".join(
                f'<select name="q[{name}_id_eq]"><option value="">Any</option>'
                + "".join(f'<option value="{k}">{v}</option>' for k, v in things.items())
                + "</select>"
                for name, things in named
            )
            batch = '<form method="post" action="/products/batch_action"><table>'
            return f"{batch}{''.join(rows)}</table></form><form action='/products'>{filters}</form>"
        one = self.products[int(rest[0])] if rest[0] != "new" else self.product("")
        if rest[1:] != ["edit"] and rest[0] != "new":
            names = ", ".join(self.labels[each] for each in one["labels"])
            return f"<h1>{one['title']}</h1><p>{one['price']}</p><p>{names}</p>"
        boxes = "".join(
            f'<li><label><input type="checkbox" name="{_LABELS}" id="product_label_ids_{id_}"'
            f' value="{id_}"{" checked" if id_ in one["labels"] else ""}>{name}</label></li>'
            for id_, name in self.labels.items()
        )
        own = [(k, v) for k, v in self.sizes.items() if rest[0] == str(v[0])]
        sizes = "".join(
            f'<fieldset><input name="{_SIZE.format(at, "name")}" value="{v[1]}">'
            f'<input type="number" name="{_SIZE.format(at, "stock")}" value="{v[2]}">'
            f'<input type="checkbox" name="{_SIZE.format(at, "_destroy")}" value="1">'
            f'<input type="hidden" name="{_SIZE.format(at, "id")}" value="{k}"></fieldset>'
            for at, (k, v) in enumerate(own)
        )
        return (
            f'<form method="post" action="/products/{rest[0]}">'
            f'<input name="{_TITLE}" value="{one["title"]}">'
            f'<input type="number" name="{_PRICE}" value="{one["price"]}">'
            f"<ol>{boxes}</ol>{sizes}</form>"
        )

    @property
    def state(self) -> dict[str, Any]:
        """All products, with what they have."""
        return {
            one["title"]: (
                one["price"],
                one["state"],
                [self.labels[each] for each in one["labels"]],
                sorted(v[1:] for v in self.sizes.values() if v[0] == id_),
            )
            for id_, one in self.products.items()
        }


def _session(client: Client) -> None:
    """Two products, of which one is edited, with one size more and one that goes, and both are
    published."""

    def post(path: str, *sent: tuple[str, str]) -> None:
        client.send("POST", path, urlencode(sent).encode(), FORM)

    client.send("GET", "/products")
    for name in ("green things", "cheap things"):
        post("/labels", ("label[name]", name))
        client.send("GET", "/labels")
    client.send("GET", "/products/new")
    sizes = [("small bag", "4"), ("large bag", "9")]
    within = [
        (_SIZE.format(at, key), value)
        for at, one in enumerate(sizes)
        for key, value in zip(("name", "stock"), one, strict=True)
    ]
    post("/products", (_TITLE, "Sencha"), (_PRICE, "12"), (_LABELS, "1"), *within)
    client.send("GET", "/products/1")
    client.send("GET", "/products/new")
    post("/products", (_TITLE, "Mug of clay"), (_PRICE, "6"))
    client.send("GET", "/products/2")
    client.send("GET", "/products")
    client.send("GET", "/products/1/edit")
    edited = {
        _SIZE.format(0, "name"): "small bag", _SIZE.format(0, "stock"): "4",
        _SIZE.format(0, "_destroy"): "1", _SIZE.format(0, "id"): "1",
        _SIZE.format(1, "name"): "large bag", _SIZE.format(1, "stock"): "9",
        _SIZE.format(1, "id"): "2",
        _SIZE.format(2, "name"): "tin of tea", _SIZE.format(2, "stock"): "1",
    }  # fmt: skip
    post("/products/1", (_TITLE, "Sencha"), (_PRICE, "13"), (_LABELS, "1"), *edited.items())
    client.send("GET", "/products/1")
    client.send("GET", "/products")
    ticked = [("collection_selection[]", one) for one in ("1", "2")]
    post("/products/batch_action", ("batch_action", "publish"), *ticked)
    client.send("GET", "/products")


_OWN = {
    "Sencha": ("13", "published", ["green things"], [("large bag", "9"), ("tin of tea", "1")]),
    "Mug of clay": ("6", "published", [], []),
}


@pytest.mark.promise(26)
@pytest.mark.parametrize("used", [False, True], ids=["new", "used"])
def test_rows_with_boxes(used: bool) -> None:
    """The session's own rows are ticked, and what a person has typed is sent as typed."""
    case = recorded(Office(), _session)
    office = Office()
    if used:
        office.use()
    expected = office.state | _OWN
    observed = replayed(case, office)
    assert (failures(observed), office.state) == ([], expected)


@pytest.mark.promise(26)
def test_rows_with_boxes_again() -> None:
    """A second run ticks its own rows, though others are called like them."""
    case = recorded(Office(), _session)
    office = Office()
    replayed(case, office)
    colour(replayed(case, office))
    states = [one["state"] for one in office.products.values()]
    assert states == ["published"] * 4


@pytest.mark.promise(26)
def test_nothing_ticked() -> None:
    """A server that changes nothing is seen."""
    assert colour(replayed(recorded(Office(), _session), Office(works=False))) == "red"
