"""Things of a list that is within another thing, and links to others that have ids of their own: as
Directus has them. A change names them by these ids, under what is done to them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Shop:
    """Products with variants, tags and remarks; each kind is numbered from 1, and so are links."""

    works: bool = True
    rows: dict[str, dict[int, dict[str, Any]]] = field(
        default_factory=lambda: {one: {} for one in ("products", "tags", "variants", "links")}
    )
    remarks: list[dict[str, Any]] = field(default_factory=list)
    last: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, **values: Any) -> int:
        """A new one, of which the number is returned."""
        self.last[kind] = id_ = self.last.get(kind, 0) + 1
        self.rows[kind][id_] = values
        return id_

    def use(self) -> None:
        """Others have more links than variants, more variants than products, and no tag left."""
        for name in ("Old", "Older", "Oldest"):
            product = self.add("products", name=name, price=1)
            for size in ("tiny", "huge"):
                self.add("variants", name=size, stock=1, product=product)
            for tag in [self.add("tags", name=f"{name} tag {at}") for at in range(3)]:
                self.add("links", product=product, tag=tag)
        self.add("tags", name="unused")

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        parts = urlsplit(target)
        kind, *rest = parts.path.strip("/").split("/")
        sent = json.loads(body) if body else {}
        if kind == "remarks":
            if method == "POST":
                self.remarks.append({**sent, "id": len(self.remarks) + 1})
            wanted = dict(parse_qsl(parts.query))
            keys = (("item", "filter[item][_eq]"), ("collection", "filter[collection][_eq]"))
            return json_answer(
                {"data": [
                    {"id": one["id"], "text": one["text"]}
                    for one in self.remarks
                    if all(str(one[key]) == wanted.get(name, str(one[key])) for key, name in keys)
                ]}
            )  # fmt: skip
        if kind == "sort":
            names = [one for one in self.rows["products"] if one != sent["item"]]
            names.insert(names.index(sent["to"]), sent["item"])
            self.rows["products"] = {one: self.rows["products"][one] for one in names}
            return json_answer({"data": None})
        if method == "GET":
            shown = [self.shown(kind, one) for one in self.rows[kind]]
            one = next((one for one in shown if rest and str(one["id"]) == rest[0]), None)
            return json_answer({"data": one if rest else shown}, 200 if one or not rest else 404)
        if method == "POST":
            nested = {one: sent.pop(one) for one in ("variants", "tags") if one in sent}
            id_ = self.add(kind, **sent)
        else:
            id_ = int(rest[0])
            nested = {one: sent.pop(one) for one in ("variants", "tags") if one in sent}
            if id_ not in self.rows[kind]:
                return json_answer({"error": "no such thing"}, 404)
            self.rows[kind][id_].update(sent if self.works else {})
        if self.works or method == "POST":
            self.change(id_, **nested)
        return json_answer({"data": {**self.shown(kind, id_), **self.ids(kind, id_)}})

    def ids(self, kind: str, id_: int) -> dict[str, Any]:
        """What an answer to a change has in place of the things within."""
        own = [key for key, one in self.rows["variants"].items() if one["product"] == id_]
        return {"variants": own} if kind == "products" else {}

    def change(self, product: int, variants: Any = None, tags: Any = None) -> None:
        """What is done to the variants of a product, and to its links to tags."""
        for kind, what in (("variants", variants or {}), ("links", tags or {})):
            for one in what.get("create", ()):
                values = one if kind == "variants" else {"tag": one["tags_id"]["id"]}
                self.add(kind, **values, product=product)
            for one in what.get("update", ()):
                id_ = one.pop("id")
                self.rows[kind][id_] = {**self.rows[kind].get(id_, {}), **one, "product": product}
            for id_ in what.get("delete", ()):
                self.rows[kind].pop(id_, None)

    def shown(self, kind: str, id_: int) -> dict[str, Any]:
        """A thing with what is within it."""
        found = {"id": id_, **self.rows[kind][id_]}
        if kind == "products":
            mine = {
                within: [(key, one) for key, one in self.rows[within].items()
                         if one["product"] == id_]
                for within in ("variants", "links")
            }  # fmt: skip
            found["variants"] = [
                {"id": key, "name": one["name"], "stock": one["stock"]}
                for key, one in mine["variants"]
            ]
            found["tags"] = [
                {"id": key, "tags_id": self.shown("tags", one["tag"])} for key, one in mine["links"]
            ]
        return found

    @property
    def state(self) -> dict[str, Any]:
        """All products, with what they have, and the remarks on them."""
        products = [self.shown("products", one) for one in self.rows["products"]]
        return {
            one["name"]: (
                one["price"],
                [(each["name"], each["stock"]) for each in one["variants"]],
                [each["tags_id"]["name"] for each in one["tags"]],
                [each["text"] for each in self.remarks if str(each["item"]) == str(one["id"])],
            )
            for one in products
        }


def _edit(client: Client) -> None:
    """A product with two variants, of which one is changed and one goes; one with two tags, of
    which one goes; and a remark on that, which is looked for by what it is on."""

    def ask(method: str, target: str, sent: Any = None) -> Any:
        if sent is None:
            return json.loads(client.send(method, target).text)["data"]
        return client.json(method, target, sent)["data"]

    ask("GET", "/products")
    tags = [ask("POST", "/tags", {"name": one})["id"] for one in ("green", "cheap", "blue")]
    ask("GET", "/tags")
    sizes = [{"name": "small bag", "stock": 4}, {"name": "large bag", "stock": 7}]
    within = {"create": sizes, "update": [], "delete": []}
    green = {"create": [{"tags_id": {"id": tags[0]}}]}
    sencha = {"name": "Sencha", "price": 12, "variants": within, "tags": green}
    tea = ask("POST", "/products", sencha)["id"]
    mug = ask("POST", "/products", {"name": "Mug", "price": 6})["id"]
    ask("GET", "/products")
    small, large = (one["id"] for one in ask("GET", f"/products/{tea}")["variants"])
    ask("PATCH", f"/products/{tea}", {"price": 13, "variants": {
        "create": [], "update": [{"id": large, "stock": 9}], "delete": [small]}})  # fmt: skip
    ask("GET", f"/products/{tea}")
    given = [{"tags_id": {"id": one}} for one in tags[1:]]
    ask("PATCH", f"/products/{mug}", {"tags": {"create": given, "update": [], "delete": []}})
    cheap = ask("GET", f"/products/{mug}")["tags"][0]["id"]
    ask("PATCH", f"/products/{mug}", {"tags": {"create": [], "update": [], "delete": [cheap]}})
    ask("GET", f"/products/{mug}")
    ask("POST", "/remarks", {"collection": "products", "item": str(mug), "text": "Only in blue"})
    asked = f"filter%5Bcollection%5D%5B_eq%5D=products&filter%5Bitem%5D%5B_eq%5D={mug}"
    ask("GET", f"/remarks?{asked}")
    ask("GET", "/products")
    ask("GET", "/tags")


_OWN = {
    "Sencha": (13, [("large bag", 9)], ["green"], []),
    "Mug": (6, [], ["blue"], ["Only in blue"]),
}


@pytest.mark.promise(26)
@pytest.mark.parametrize("used", [False, True], ids=["new", "used"])
def test_within_things(used: bool) -> None:
    """The session's own variants and links are changed, and nobody else's, whatever numbers things
    of other kinds have."""
    case = recorded(Shop(), _edit)
    shop = Shop()
    if used:
        shop.use()
    expected = shop.state | _OWN
    observed = replayed(case, shop)
    assert (failures(observed), shop.state) == ([], expected)


def _move(client: Client) -> None:
    """The last of three products becomes the first, after a remark on another one."""
    client.send("GET", "/products")
    ids = [client.json("POST", "/products", {"name": one})["data"]["id"] for one in _NAMES]
    for one in ids:
        client.send("GET", f"/products/{one}")
    client.send("GET", "/products")
    client.json("POST", "/remarks", {"collection": "products", "item": ids[1], "text": "Blue"})
    client.json("POST", "/sort/products", {"item": ids[2], "to": ids[0]})
    client.send("GET", "/products")


_NAMES = ("Sencha", "Mug", "Kettle")


@pytest.mark.promise(26)
def test_moved_after_a_change_of_something_else() -> None:
    """Beside which thing is the session's own, in a second run, too, though names are the same."""
    case, shop = recorded(Shop(), _move), Shop()
    shop.use()
    for turn in (1, 2):
        replayed(case, shop)
        names = [one["name"] for one in shop.rows["products"].values()]
        assert names[3:] == ["Kettle", "Sencha", "Mug"] * turn


@pytest.mark.promise(26)
def test_nothing_done() -> None:
    """A server that changes nothing is seen."""
    assert colour(replayed(recorded(Shop(), _edit), Shop(works=False))) == "red"
