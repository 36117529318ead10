"""A list of things with a link to the category of each, which several have."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.validator import TextValidator
from pytest_loadtool.recording import build_case
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed, serving
from tests.correlation.outcomes.office import Answer
from tests.correlation.talk import configure

_PAGE = 10


@dataclass
class Shop:
    """Its first page lists the products that are there longest. ``idle`` says that it has changed
    one, and has not."""

    idle: bool = False
    products: list[dict[str, str]] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        sent = dict(parse_qsl(body))
        path = target.strip("/").split("/")
        if method == "POST" and path == ["categories"]:
            self.categories.append(sent["name"])
            return 303, {"Location": f"/categories/{len(self.categories)}"}, ""
        if method == "POST" and path == ["products"]:
            self.products.append(sent)
            return 303, {"Location": f"/products/{len(self.products)}"}, ""
        if method == "POST":
            if not self.idle:
                self.products[int(path[1]) - 1].update(sent)
            return 303, {"Location": target}, ""
        rows = "".join(map(self._row, range(1, len(self.products) + 1)[:_PAGE]))
        page = f"<table>{rows}</table>" if path == ["products"] else "<p>Saved</p>"
        return 200, {"Content-Type": "text/html"}, f"<html><body>{page}</body></html>"

    def _row(self, number: int) -> str:
        one = self.products[number - 1]
        kind = one.get("category", "")
        link = f'<a href="/categories/{kind}">{self.categories[int(kind) - 1]}</a>' if kind else ""
        return (
            f'<tr><td><a href="/products/{number}">{one["title"]}</a></td><td>{one["price"]}</td>'
            f"<td>{link}</td></tr>"
        )


def _recorded() -> TestCase:
    """A product of a category is made, and gets another price."""
    with serving(Shop()) as url:
        client = Client(url)
        form = {"Content-Type": "application/x-www-form-urlencoded"}

        def post(target: str, body: str) -> str:
            client.send("POST", target, body.encode(), form)
            headers = dict(client.exchanges[-1].response_headers)
            made = str(headers["Location"])
            client.send("GET", made)
            return made

        kind = post("/categories", "name=Teas").rpartition("/")[2]
        made = post("/products", f"title=Sencha&price=12&category={kind}")
        client.send("GET", "/products")
        post(made, f"title=Sencha&price=13&category={kind}")
        client.send("GET", "/products")
        client.close()
    exchanges = tuple(client.exchanges)
    return configure(build_case(exchanges, name="shop").case, exchanges).case


def _used(others: int, *, idle: bool = False) -> Shop:
    """A shop with so many products of others, of two categories and of none."""
    shop = Shop(idle, categories=["Cups", "Pots"])
    for at in range(others):
        kind = {"category": str(at % 3)} if at % 3 else {}
        shop.products.append({"title": f"Other {at}", "price": "5", **kind})
    return shop


def test_a_row_on_a_further_page() -> None:
    """A page of ten rows is full, be it that they have fewer categories: what goes by the row of a
    category that it does not show is told, and what is not done where all is shown is red."""
    case = _recorded()
    by_category = [
        one
        for each in case.transactions()
        for one in each.validators
        if isinstance(one, TextValidator) and one.row.startswith("/categories/")
    ]
    assert by_category
    assert [colour(replayed(case, _used(others))) for others in (0, 3, 9)] == ["GREEN"] * 3
    full = replayed(case, _used(12))
    assert (colour(full), failures(full)) == ("told", [])
    for others in (0, 3):
        idle = replayed(case, _used(others, idle=True))
        assert colour(idle) == "red"
        assert "did not take effect: not so: 13 is shown with the product" in failures(idle)[0]
