"""Restricting hostnames."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.model.case import Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.recording import belongs, build_case, hostnames, restrict
from pytest_loadtool.recording.filter.domains import HostUse
from tests.recording.samples import load, visit

WWW, API, CDN = "https://www.shop.example", "https://api.shop.example:8443", "https://cdn.example"
RECORDED = (
    visit(f"{WWW}/", 0, "<title>Shop</title>"),
    load(f"{CDN}/app.js", 1, "text/javascript", dest="script", referer=f"{WWW}/"),
    load(f"{API}/items", 2, "application/json", referer=f"{WWW}/"),
    visit("https://login.idp.example/", 20, "<title>Sign in</title>"),
    visit(f"{WWW}/cart", 40, "<title>Cart</title>"),
)
CASE = build_case(RECORDED, name="shop").case


@pytest.mark.promise(55)
def test_hosts_are_listed_with_what_goes_there() -> None:
    """In the order of their first request; those of the first page's domain are its own."""
    assert hostnames(CASE, RECORDED) == (
        HostUse("www.shop.example", 2, 2, own=True),
        HostUse("cdn.example", 1, 0, own=False),
        HostUse("api.shop.example", 1, 0, own=True),
        HostUse("login.idp.example", 1, 1, own=False),
    )


@pytest.mark.promise(55)
def test_restricted_case_has_the_hosts_that_were_kept() -> None:
    """What went elsewhere is gone, with pages of which nothing is left; the hosts are on record."""
    case = restrict(CASE, RECORDED, {"www.shop.example", "api.shop.example"})
    assert [one.request.target for one in case.transactions()] == ["/", f"{API}/items", "/cart"]
    assert [page.name for page in case.pages] == ["Shop", "Cart"]
    assert case.hosts == ("www.shop.example", "api.shop.example")
    assert not CASE.configured
    assert case.configured


def test_case_with_correlated_values_is_configured() -> None:
    """A test case from before hosts were on record is not configured a second time unasked."""
    variable = Variable("token", recorded="x", set_by="asm")
    assert replace(CASE, variables={"token": variable}).configured
    assert not replace(CASE, variables={"token": Variable("token", value="x")}).configured


@pytest.mark.parametrize(
    ("host", "domain", "expected"),
    [
        ("shop.example", "shop.example", True),
        ("api.shop.example", "shop.example", True),
        ("myshop.example", "shop.example", False),
        ("localhost", "127.0.0.1", True),
        ("127.0.0.2", "127.0.0.1", False),
        ("localhost", "shop.example", False),
    ],
)
def test_domain_has_the_hosts_below_it(host: str, domain: str, expected: bool) -> None:
    """A name that merely ends alike is another domain; the machine itself has several names."""
    assert belongs(host, domain) is expected


def test_target_without_a_host_is_the_servers() -> None:
    """A relative target, or one that a response gives, goes where it was recorded."""
    targets = ("/", "${server}/a", "${next_page}", "https://other.example/")
    page = Page("Home", tuple(Transaction(Request("GET", target)) for target in targets))
    uses = hostnames(TestCase("x", (page,), server="http://shop.example:8000"), ())
    assert [(use.name, use.transactions) for use in uses] == [
        ("shop.example", 3),
        ("other.example", 1),
    ]
