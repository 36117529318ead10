"""Cookies that no response sets, and when scripts must have set or removed them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import without
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case, with_page
from pytest_loadtool.recording.request.cookies import script_cookies
from tests.recording.samples import SHOP, visit

LIB = "https://www.shop.example"


def sent(
    cookie: str,
    *set_by_it: str,
    url: str = f"{SHOP}/",
    at: float = 0,
    took: float = 0.1,
    site: str = "same-origin",
) -> Exchange:
    """A request of a browser with this Cookie header, if any, and what its response sets."""
    received = tuple(("Set-Cookie", line) for line in set_by_it)
    one = visit(url, at, "<p>", took=took, extra=received)
    headers = (("Cookie", cookie),) if cookie else ()
    return replace(one, request_headers=(*one.request_headers, ("Sec-Fetch-Site", site), *headers))


def found(*exchanges: Exchange) -> list[tuple[str, ...]]:
    """What scripts have set before each; one a second, where they do not say when."""
    in_time = [
        one if one.started % 1000 else replace(one, started=one.started + number)
        for number, one in enumerate(exchanges)
    ]
    lines = script_cookies(in_time, range(len(in_time)))
    return [lines.get(index, ()) for index in range(len(in_time))]


@pytest.mark.parametrize(
    "exchanges",
    [
        (sent("", "a=1; Path=/"), sent("a=1"), sent("a=1", "a=2; Path=/"), sent("a=2")),
        (sent("", "a=1; Path=/; Max-Age=0"), sent("")),
        (sent("", "a=1; Path=/", took=5), sent("a=1")),  # before the body had ended
        (sent("", "a=1; Path=/"), sent("a=1", "a=2; Path=/"), sent("a=1", at=2.05), sent("a=2")),
        (sent("", "a=1; Path=/"), sent("a=1"), sent(""), sent("a=1")),  # asked without cookies
        (sent("", "a=1; Path=/"), sent("a=1", "b=1; Path=/"), sent("b=1", site="cross-site")),
        (sent("", "a=1; Path=/; Domain=127.0.0.1"), sent("a=1", url="http://127.0.0.1:9/")),
        (sent("", "a=1; Path=/x"), sent(""), sent("a=1", url=f"{SHOP}/x/y")),
    ],
)
def test_what_responses_set(exchanges: tuple[Exchange, ...]) -> None:
    """Nothing of it is a script's, whatever the browser sends and leaves out."""
    assert not any(found(*exchanges))


def test_what_a_script_sets_and_changes() -> None:
    """From the first request that has it; another value stands with the first that has that one."""
    assert found(sent(""), sent("theme=dark"), sent("theme=dark"), sent("theme=red; x=")) == [
        (), ("theme=dark",), (), ("theme=red", "x="),
    ]  # fmt: skip


def test_what_a_script_changes_of_a_response() -> None:
    """It stays the cookie that it was: its path and domain; and may get its old value again."""
    lang = sent("", "lang=en; Path=/a; Domain=shop.example", url=f"{LIB}/a/")
    values = ("en", "de", "de", "en")
    assert found(lang, *(sent(f"lang={one}", url=f"{LIB}/a/x") for one in values)) == [
        (), (), ("lang=de; Path=/a; Domain=shop.example",), (),
        ("lang=en; Path=/a; Domain=shop.example",),
    ]  # fmt: skip


def test_what_a_script_removes() -> None:
    """What was set and is never sent again, or not before it has another value."""
    assert found(sent("a=1; b=2", "note=saved"), sent("b=2"), sent("b=2")) == [
        ("a=1", "b=2"), ("a=; Max-Age=0", "note=; Max-Age=0"), (),
    ]  # fmt: skip
    assert found(sent("a=1; b=2"), sent("b=2"), sent("a=3; b=2")) == [
        ("a=1", "b=2"), ("a=; Max-Age=0",), ("a=3",),
    ]  # fmt: skip


def test_what_is_loaded_late() -> None:
    """An icon of the first page has the cookies of the second, which replay sends after it."""
    first, icon = sent("", at=1), sent("sid=1; a=1", at=4, url=f"{SHOP}/icon.svg")
    second, third = sent("", "sid=1; Path=/", at=2), sent("sid=1; a=1", at=6)
    assert script_cookies((first, icon, second, third), range(4)) == {3: ("a=1",)}


def test_path_is_told_by_the_requests_that_follow() -> None:
    """The shortest one that fits them; one that is removed later has it, too."""
    shop, cart, home = f"{SHOP}/shop/", f"{SHOP}/shop/cart/x", f"{SHOP}/home"
    assert found(sent("c=1", url=cart), sent("a=", url=home), sent("c=1", url=shop))[0] == (
        "c=1; Path=/shop",
    )
    assert found(sent("c=1", url=cart), sent("a=", url=home), sent("c=1", url=home))[0] == ("c=1",)
    assert found(
        sent("c=1", url=cart), sent("a=", url=home), sent("a=; c=1", url=shop), sent("a=", url=shop)
    ) == [("c=1; Path=/shop",), ("a=",), (), ("c=; Path=/shop; Max-Age=0",)]


def test_each_host_has_its_own() -> None:
    """A domain that a script has named is not known: hosts below it get the cookie one by one."""
    api = "https://api.shop.example/x"
    assert found(sent("a=1", url=LIB), sent("a=1", url=api), sent("a=1", url=LIB)) == [
        ("a=1",), ("a=1",), (),
    ]  # fmt: skip


def test_what_analytics_scripts_count() -> None:
    """The first value says it all."""
    first, second = "_ga_X=GS1.1.1.0; _ga=GA1.1.7", "_ga_X=GS1.1.2.0; _ga=GA1.1.7"
    assert found(sent(""), sent(first), sent(second), sent("a=1; " + second)) == [
        (), tuple(first.split("; ")), (), ("a=1",),
    ]  # fmt: skip


def test_text_is_text() -> None:
    """What reads like a placeholder, and what is no ASCII."""
    (lines,) = found(sent("a=${x}; b=" + "é".encode().decode("latin-1")))
    assert lines == ("a=$${x}", "b=é")


def _case(*cookies: str) -> TestCase:
    exchanges = [sent(one, at=at, url=f"{SHOP}/{at}") for at, one in enumerate(cookies, 1)]
    return build_case(exchanges, name="x").case


def _cookies(case: TestCase) -> list[tuple[str, ...]]:
    return [one.request.cookies for one in case.transactions()]


def test_a_transaction_that_is_deleted_leaves_its_cookies() -> None:
    """To the next one of that host, whose own values are newer."""
    case = _case("a=1; b=1", "a=2; b=1", "a=2; b=1", "a=2")
    assert _cookies(case) == [("a=1", "b=1"), ("a=2",), (), ("b=; Max-Age=0",)]
    assert _cookies(without(case, {0, 1})) == [("a=2", "b=1"), ("b=; Max-Age=0",)]
    assert _cookies(without(case, {2, 3})) == [("a=1", "b=1"), ("a=2",)]
    third_party = build_case(
        [sent("a=1", url=f"{SHOP}/"), sent("b=1", url=LIB, at=1), sent("a=1", at=2)], name="x"
    ).case
    assert _cookies(without(third_party, {1})) == [("a=1",), ()]


def test_imported_pages_bring_what_is_new() -> None:
    """The rest is of another session: each virtual user has that of its own by then."""
    before = (sent("theme=red", "sid=1; Path=/", at=1), sent("theme=red; sid=1", at=2))
    case = build_case(before, name="x").case
    copied = sent("sid=9; theme=dark; cart=3", at=9)
    assert _cookies(with_page(case, copied, 2, before=before))[-1] == ("cart=3",)
    assert _cookies(with_page(case, copied, None))[-1] == ()
    everything = ("sid=9", "theme=dark", "cart=3")
    assert _cookies(with_page(TestCase("new", ()), copied, 0)) == [everything]
