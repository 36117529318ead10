"""Numbers that the page says to which a change leads: of an order that was placed by paying, of
which no list has a text that was sent. Judged by the state of the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, recorded


@dataclass
class Checkout:
    """Baskets that become orders, which are numbered and have no name, as django-oscar has them."""

    said: str
    first: int = 100_001
    others: int = 0
    orders: dict[int, str] = field(default_factory=dict)
    placed: int = 0

    def __post_init__(self) -> None:
        self.orders |= {self.first + at: "pending" for at in range(self.others)}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        number = target.rpartition("/")[2]
        if target == "/checkout/pay" and method == "POST":
            self.placed = max(self.orders, default=self.first - 1) + 1
            self.orders[self.placed] = "pending"
            return 302, {"Location": "/checkout/thank-you"}, ""
        if number.isdigit():
            if int(number) not in self.orders:
                return 404, HTML, "<title>Not found</title>"
            if method == "POST":
                self.orders[int(number)] = parse_qs(body)["status"][0]
                return 302, {"Location": target}, ""
            return self.page(f"Order {number}", f"<p>It is {self.orders[int(number)]}.</p>")
        if target == "/orders":
            rows = [f'<li><a href="/orders/{one}">{one}</a> {self.orders[one]}</li>' for one in
                    reversed(self.orders)]  # fmt: skip
            return self.page("All", f"<ul>{''.join(rows)}</ul>")
        if target == "/checkout/thank-you":
            return self.page("Thank you", self.said.format(self.placed))
        return self.page("Pay", '<form method="post"><input name="card"></form>')

    def page(self, title: str, inner: str) -> Answer:
        """A page of that title."""
        return 200, HTML, f"<title>{title}</title><h1>Tea &amp; Co</h1>{inner}"

    def session(self, client: Client) -> None:
        """One pays, and sends what was ordered."""
        client.send("GET", "/checkout/pay")
        client.send("POST", "/checkout/pay", urlencode({"card": "4111"}).encode(), FORM)
        client.send("GET", "/checkout/thank-you")
        client.send("GET", "/orders")
        address = f"/orders/{self.placed}"
        client.send("GET", address)
        client.send("POST", address, b"status=sent", FORM)
        client.send("GET", address)


@pytest.mark.parametrize(
    "said", ["<p>Order {}: confirmation</p>", "<p>Your order #{} was placed.</p>"]
)
def test_the_number_that_a_confirmation_says(said: str) -> None:
    """It is that of one's own order, and the recorded one is another's."""
    office = Checkout(said)
    case = recorded(office, office.session)
    for first, others in ((100_001, 0), (100_001, 3), (200_001, 2)):
        used = Checkout(said, first, others)
        assert colour(replayed(case, used)) == "GREEN", (first, others)
        assert [*used.orders.values()] == ["pending"] * others + ["sent"]


def test_a_number_of_a_list_is_none() -> None:
    """Where the page has several such numbers, none is known to be one's own."""
    said = "<p>Order {}</p><p>Order 7</p>"
    office = Checkout(said)
    case = recorded(office, office.session)
    assert [one.request.target for one in case.transactions()][-1] == "/orders/100001"
