"""How much is done for many values of one page: it grows with the page, and comes to an end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from hashlib import sha256
from types import FrameType
from typing import Any

import pytest

from pytest_loadtool.correlation.responses.escaped import escaped
from pytest_loadtool.correlation.search_budget import EXTRACTOR, MOST_SEARCHED, Searches
from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import exchange, html
from tests.correlation.talk import TOKEN, get, made, post, run

#: Characters of a long page, and how often each counts in tests that take `counted`.
SIZE, TIMES = 1 << 20, 32


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each character count for many: the pages need not be so long."""
    allow = Searches.allow
    monkeypatch.setattr(Searches, "allow", lambda self, size: allow(self, TIMES * size))


def value(number: int) -> str:
    """A token."""
    return f"{sha256(str(number).encode()).hexdigest()[:12]}Zq9"


def names(count: int, *, same: bool) -> list[tuple[str, str]]:
    """Fields, each with its value."""
    return [(f"a{n}", TOKEN if same else value(n)) for n in range(count)]


def page_of_one_value(count: int) -> tuple[Exchange, ...]:
    """It comes back in as many fields, of other names."""
    fields = names(count, same=True)
    page = "".join(f'<input type="hidden" name="{one}" value="{text}">' for one, text in fields)
    form = "&".join(f"b{one}={text}" for one, text in fields)
    return get("/page", html(f'<form action="/use">{page}</form>')), post("/use", form)


def redirect_of_one_value(count: int) -> tuple[Exchange, ...]:
    """Likewise, from the address of a redirect and from a header."""
    pairs = "&".join(["a=12"] * count)
    answer = exchange(received=(("Location", f"/use?{pairs}"), ("X-Page", "12")))
    return get("/page", answer), post("/use", pairs.replace("a=", "b="))


def fields_of_one_name(count: int) -> tuple[Exchange, ...]:
    """Of which an extractor can name fifty."""
    fields = names(count, same=False)
    page = "".join(f'<input type="hidden" name="a" value="{text}">' for _, text in fields)
    return get("/page", html(page)), post("/use", "&".join(f"a={text}" for _, text in fields))


def elements_of_one_name(count: int) -> tuple[Exchange, ...]:
    """Of XML."""
    fields = names(count, same=False)
    page = "".join(f"<a>{text}</a>" for _, text in fields)
    answer = exchange(received=(("Content-Type", "text/xml"),), answer=f"<r>{page}</r>".encode())
    return get("/page", answer), post("/use", "&".join(f"{one}={text}" for one, text in fields))


def calls(work: Callable[[], Any]) -> int:
    """How many functions are called, those of Python itself included."""
    count = 0

    def profile(_: FrameType, event: str, __: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


#: Calls for each value, at most: it was three times as much and more, or grew with their number.
MOST_CALLS: dict[Callable[[int], tuple[Exchange, ...]], int] = {
    page_of_one_value: 5000,
    redirect_of_one_value: 6000,
    fields_of_one_name: 5000,
    elements_of_one_name: 5000,
}


@pytest.mark.slow
@pytest.mark.parametrize("recording", MOST_CALLS)
def test_work_grows_as_the_page_does(recording: Callable[[int], tuple[Exchange, ...]]) -> None:
    """Of many values, each takes no more work than of a few."""
    exchanges = recording(400)
    assert calls(lambda: run(*exchanges)) < 400 * MOST_CALLS[recording]


def test_escapes_are_read_once() -> None:
    """However many values of a script are written with some."""

    def work(count: int) -> int:
        values = frozenset(f"{value(n)}/{value(-n)}" for n in range(count))
        text = " ".join(values).replace("/", "\\/")
        return calls(lambda: len(list(escaped(text, values))) == count)

    assert work(400) < 2.2 * work(200)


@pytest.mark.usefixtures("counted")
def test_what_is_not_looked_through_is_told() -> None:
    """Of a page with more values than can be looked for in one so long, those that come later are
    sent as recorded, and decisions say so."""
    count = 2 * MOST_SEARCHED // EXTRACTOR // (TIMES * SIZE)
    fields = names(count, same=False)
    form = "".join(f'<input type="hidden" name="{one}" value="{text}">' for one, text in fields)
    page = html(f"<form>{form}</form>" + "\n" * SIZE)
    found = run(get("/page", page), post("/use", "&".join(map("=".join, fields))))
    assert 0 < len(made(found)) < count
    *_, last = (one for one in found.decisions if "no extractor was looked for" in one.reason)
    assert (last.value, last.variable) == (fields[-1][1], "")
    assert last.reason == (
        '"1 GET /page" holds the value, but no extractor was looked for: before it, '
        "20,000,000,000 characters of responses were looked through."
    )


@pytest.mark.usefixtures("counted")
def test_tokens_that_are_not_looked_for_are_told() -> None:
    """Likewise of tokens that stand in a text without a name."""
    count = 2 * MOST_SEARCHED // (TIMES * SIZE)
    fields = names(count, same=False)
    page = html(" ".join(text for _, text in fields) + "\n" * SIZE)
    found = run(get("/page", page), post("/use", "&".join(map("=".join, fields))))
    assert [one.reason for one in found.decisions if one.rule == "limit"] == [
        "20,000,000,000 characters of responses were looked through for values, up to those of "
        '"1 GET /page". What only the text of later ones holds is sent as recorded.'
    ]
