"""Cookies that scripts set, as consumers of values."""

from __future__ import annotations

import base64
from dataclasses import replace
from urllib.parse import quote

import pytest

from pytest_loadtool.correlation import Configuration
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.generator import Uuid
from pytest_loadtool.recording import build_case
from tests.correlation.exchanges import answered, exchange, json_body
from tests.correlation.talk import TOKEN, UUID, configure

PACKED = base64.b64encode(f"anna:{TOKEN}".encode()).decode()


def run(*exchanges: Exchange) -> tuple[Configuration, list[tuple[str, ...]]]:
    """A recording of these, one a second, configured; and its cookies."""
    timed = [replace(one, started=1e9 + number) for number, one in enumerate(exchanges)]
    result = configure(build_case(timed, name="x").case, timed)
    assert configure(result.case, timed).case == result.case
    return result, [one.request.cookies for one in result.case.transactions()]


def get(cookie: str = "", answer: Exchange | None = None) -> Exchange:
    """A request with these cookies."""
    sent = (("Cookie", cookie),) if cookie else ()
    return answered("GET", "/x", answer or json_body({}), sent=sent)


@pytest.mark.parametrize(
    ("token", "cookie", "expected"),
    [
        (TOKEN, f"key={TOKEN}", "key=${key[1]}"),
        (f"{TOKEN}/==", f"key={TOKEN}%2F%3D%3D", "key=${key[1]|url}"),
        (f"{TOKEN}/==", f"key={TOKEN}/==", "key=${key[1]}"),
        (TOKEN, f"key=v1.anna|{TOKEN}", "key=v1.anna|${key[1]}"),
        (TOKEN, f"key=%7B%22t%22%3A%22{TOKEN}%22%7D", "key=%7B%22t%22%3A%22${t[1]|json|url}%22%7D"),
        (TOKEN, f"key={quote(PACKED, safe='')}", "key=${key[2]|base64|url}"),
    ],
)
def test_a_token_in_a_cookie(token: str, cookie: str, expected: str) -> None:
    """As it is, percent-encoded, or within other text."""
    _, cookies = run(get("", json_body({"value": token})), get(cookie))
    assert cookies[1] == (expected,)


def test_a_picture_may_be_the_first_to_have_it() -> None:
    """Whatever it is that the browser fetches next, the script was there before."""
    picture = exchange(received=(("Content-Type", "image/png"),), answer=b"png")
    _, cookies = run(get("", json_body({"value": TOKEN})), get(f"key={TOKEN}", picture))
    assert cookies[1] == ("key=${key[1]}",)


def test_ids_that_scripts_make_up() -> None:
    """Each user its own, wherever it is sent; one that is older than the recording stays."""
    first = (get(), get(f"visitor={UUID}"))
    result, cookies = run(*first, answered("GET", f"/v?id={UUID}", json_body({})))
    assert cookies[1] == ("visitor=${visitor[1]}",)
    assert list(result.case.transactions())[2].request.target == "/v?id=${visitor[1]}"
    assert result.case.variables["visitor[1]"].generate == Uuid()
    older, cookies = run(get(f"visitor={UUID}"), get(f"visitor={UUID}"))
    assert cookies == [(f"visitor={UUID}",), ()]
    (decision,) = older.decisions
    assert (decision.rule, decision.value) == ("script-cookie", UUID)
    assert 'from "1 GET /x" on' in decision.reason
