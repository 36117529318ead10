"""Replacing is exact: with recorded values, a configured case sends what was recorded."""

from __future__ import annotations

import json
from html import escape
from urllib.parse import quote, quote_plus

from hypothesis import example, given
from hypothesis import strategies as st

from pytest_loadtool.correlation.index.traffic import steps_of
from pytest_loadtool.correlation.requests.parts import rendered, text_parts
from pytest_loadtool.correlation.writing.revert import revert
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import FORM, JSON, SERVER, case_of, exchange, html
from tests.correlation.talk import configure

TOKENS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=12),
    st.text("ab01+/=$ {}\"'\\&%é", min_size=1, max_size=12),
    st.from_regex(r"[A-Za-z0-9_-]{16}", fullmatch=True),
)
NOISE = st.text('ab1$ {}"&=?/\\', max_size=8)


def _form(token: str, noise: str) -> Exchange:
    body = f"a={quote_plus(noise)}&csrf_token={quote_plus(token)}&b=${{{noise}"
    return exchange("POST", f"{SERVER}/form", sent=(FORM,), body=body.encode())


def _browser_form(token: str, noise: str) -> Exchange:
    encoded = quote_plus(token, safe="*-._").replace("~", "%7E")
    body = f"{noise}&csrf_token={encoded}"
    return exchange("POST", f"{SERVER}/form", sent=(FORM,), body=body.encode())


def _json(token: str, noise: str) -> Exchange:
    body = json.dumps({noise: [{"csrf_token": token, "n": 5}], "z": noise}, ensure_ascii=False)
    return exchange("POST", f"{SERVER}/json", sent=(JSON,), body=body.encode())


def _ascii_json(token: str, noise: str) -> Exchange:
    body = json.dumps({"csrf_token": token, noise: None}) + noise
    return exchange("POST", f"{SERVER}/json", sent=(JSON,), body=body.encode())


def _plain_json(token: str, noise: str) -> Exchange:
    body = json.dumps({"csrf_token": token, "x": noise})
    sent = (("Content-Type", "text/plain"),)
    return exchange("POST", f"{SERVER}/json", sent=sent, body=body.encode())


def _query(token: str, noise: str) -> Exchange:
    return exchange("GET", f"{SERVER}/{quote(noise)}/?csrf_token={quote(token, safe='')}&{noise}")


def _path(token: str, noise: str) -> Exchange:
    return exchange("GET", f"{SERVER}/{quote(token, safe='')}/{quote(noise)};csrf_token={token}")


def _header(token: str, noise: str) -> Exchange:
    sent = (("X-CSRF-Token", token), ("X-Other", noise), ("X-CSRF-Token", f"Bearer {token}"))
    return exchange("GET", f"{SERVER}/", sent=sent)


def _multipart(token: str, noise: str) -> Exchange:
    body = (
        f'--B\r\nContent-Disposition: form-data; name="x"\r\n\r\n{noise}\r\n'
        f'--B\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n{token}\r\n--B--\r\n'
    )
    sent = (("Content-Type", 'multipart/form-data; boundary="B"'),)
    return exchange("POST", f"{SERVER}/up", sent=sent, body=body.encode())


REQUESTS = st.sampled_from(
    [
        _form, _browser_form, _json, _ascii_json, _plain_json, _query, _path, _header, _multipart,
    ]
)  # fmt: skip


def page(token: str, other: str) -> Exchange:
    """A page that gives both tokens out in several ways."""
    return html(
        f'<meta name="csrf-token" content="{escape(other)}"><form>'
        f'<input type="hidden" name="csrf_token" value="{escape(token)}"></form>'
        f"<script>var t = {json.dumps(other)};</script>",
        ("Set-Cookie", "csrftoken=c00kie1v2a3l4u5e"),
    )


def assert_exact(case: TestCase, configured: TestCase, exchanges: list[Exchange]) -> int:
    """Compare every text of every request. Returns how many placeholders there are."""
    values = {name: one.recorded or "" for name, one in configured.variables.items()}
    steps = zip(steps_of(case, exchanges), steps_of(configured, exchanges), strict=True)
    count = 0
    for before, after in steps:
        old, new = before.transaction.request, after.transaction.request
        for (part, text), (_, other) in zip(text_parts(old), text_parts(new), strict=True):
            recorded = rendered(text, part, before.content_type, {})
            assert rendered(other, part, before.content_type, values) == recorded
            count += text != other
    return count


@given(TOKENS, TOKENS, st.lists(st.tuples(REQUESTS, st.booleans(), NOISE), min_size=1, max_size=4))
@example("tok$en", "x", [(_form, True, "$"), (_browser_form, True, "$"), (_path, True, "${")])
def test_replacing_is_exact(
    token: str, other: str, requests: list[tuple[object, bool, str]]
) -> None:
    """Whatever the values and their surroundings, the bytes stay, and all can be taken back."""
    exchanges = [page(token, other)]
    for make, first, noise in requests:
        assert callable(make)
        exchanges.append(make(token if first else other, noise))
    case = case_of(*exchanges)
    configured = configure(case, exchanges).case
    assert_exact(case, configured, exchanges)
    assert revert(configured, steps_of(configured, exchanges)) == case
    assert configure(configured, exchanges).case == configured


def test_every_way_of_sending_is_replaced() -> None:
    """The property above is not empty: an ordinary token is replaced in each kind of request."""
    token = "c7Jq2Xv9Lm4PzR8tYw3N"
    for make in (_form, _browser_form, _json, _plain_json, _query, _path, _header, _multipart):
        exchanges = [page(token, "x"), make(token, "noise")]
        case = case_of(*exchanges)
        assert assert_exact(case, configure(case, exchanges).case, exchanges) >= 1, make
