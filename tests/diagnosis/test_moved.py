"""Where a value is now that an extractor did not find: what is proposed takes it from there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.diagnosis.diagnose import diagnose
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import Kind, Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Boundary,
    CookieValue,
    Extractor,
    FormField,
    HeaderValue,
    JsonPath,
    Link,
    RegularExpression,
    Source,
)
from pytest_loadtool.model.result import Failure
from tests.report.outcomes import Answer, outcome

THEN, NOW = "7f3a9c21e0b84d65", "b8e04d6517f3a9c2"
Headers = tuple[tuple[str, str], ...]


def proposed(source: Source, then: str, now: str, before: Headers = (), after: Headers = ()) -> str:
    """The command that is proposed first; empty without one."""
    one = Transaction(
        Request("GET", "/page"),
        extractors=(Extractor("it", source),),
        recorded=Recorded(200, Kind.HTML, entry=0),
    )
    exchange = Exchange(
        0.0, 0.01, "GET", "http://shop/page", "HTTP/1.1", (), b"", 200, "OK",
        before, then.replace("VALUE", THEN).encode(),
    )  # fmt: skip
    headers = [(name.encode(), value.encode()) for name, value in after]
    body = now.replace("VALUE", NOW).encode()
    answer = Answer(b"GET /page HTTP/1.1\r\n\r\n", 200, tuple(headers), body=body)
    lost = (Failure("extractor", "nothing for ${it}"),)
    failed = replace(outcome(0, "p", one, answer), failures=lost)
    found = diagnose(
        TestCase("shop", (Page("p", (one,)),)),
        [failed],
        path="x.case.toml",
        evidence=Evidence((exchange,)),
        mask=Mask(),
    )
    commands = [line for each in found.causes[0].remedies for line in each.commands]
    return next((line for line in commands if line.startswith("extract ")), "")


def _cookies(name: str, value: str) -> Headers:
    return (("Set-Cookie", "theme=dark; Path=/"), ("Set-Cookie", f"{name}={value}; Path=/"))


@pytest.mark.parametrize(
    ("source", "then", "now", "expected"),
    [
        (JsonPath("$.id"), '{"id": "VALUE"}', '{"key": "VALUE"}', "--json '$.key'"),
        (JsonPath("$.id"), '{"id": "VALUE"}', '{"data": {"id": "VALUE"}}', "--json '$.data.id'"),
        (
            FormField("csrf_token"),
            "<form><input name=csrf_token value=VALUE></form>",
            "<form><input name=form_token value=VALUE><input name=title></form>",
            "--form form_token",
        ),
        (
            Link("/orders/*/edit"),
            "<a href=/orders>All</a><a href=/orders/VALUE/edit>Edit</a>",
            "<a href=/orders>All</a><a href=/purchases/VALUE/edit>Edit</a>",
            "--link '/purchases/*/edit'",
        ),
        (
            Link("/orders/*/edit"),
            "<a href=/orders/VALUE/edit>Edit</a>",
            "<a href=/v2/shop/orders/VALUE/edit>Edit</a><a href=/v2/help>Help</a>",
            "--link '/v2/shop/orders/*/edit'",
        ),
        (
            Link("/orders/*", "Edit"),
            "<a href=/orders/VALUE>Edit</a>",
            "<a href=/orders/VALUE>Change</a>",
            "--link '/orders/*'",
        ),
        (
            RegularExpression('data-order="(\\w+)"'),
            '<tr data-row="4" data-order="VALUE">',
            '<tr data-row="5" data-purchase="VALUE">',
            "--regex 'data-purchase=\"(\\w+)\"'",
        ),
        (
            RegularExpression("orderId: '(\\w+)'"),
            "<script>start({orderId: 'VALUE'})</script>",
            "<script>start({purchaseId: 'VALUE', page: 'orders'})</script>",
            "--regex 'purchaseId: '\"'\"'(\\w+)'\"'\"''",
        ),
        (
            Boundary('data-order="', '"'),
            '<tr data-order="VALUE">',
            '<tr data-purchase="VALUE">',
            "--left 'data-purchase=\"' --right '\"'",
        ),
        # Nothing is proposed where it may be either, or nothing like it is there.
        (JsonPath("$.id"), '{"id": "VALUE"}', '{"one": "VALUE", "two": "VALUE"}', ""),
        (
            RegularExpression('data-order="(\\w+)"'),
            '<tr data-order="VALUE">',
            '<tr data-one="VALUE" data-two="VALUE">',
            "",
        ),
        (Link("/orders/*"), "<a href=/orders/VALUE>A</a>", "<a href=/help/contact>A</a>", ""),
    ],
)
def test_another_name_in_a_body(source: Source, then: str, now: str, expected: str) -> None:
    """Of a name in JSON, a form, an address, an attribute, a script."""
    command = proposed(source, then, now)
    assert command == (f"extract 1 it {expected} --anyway" if expected else "")


@pytest.mark.parametrize(
    ("source", "before", "after", "expected"),
    [
        (
            CookieValue("csrftoken"),
            _cookies("csrftoken", THEN),
            _cookies("shop_csrf", NOW),
            "--cookie shop_csrf",
        ),
        (
            HeaderValue("X-Upload-Id"),
            (("X-Upload-Id", THEN),),
            (("Upload-Key", NOW), ("X-Request-Id", NOW)),
            "--header Upload-Key",
        ),
        (
            HeaderValue("Location", "/orders/(\\w+)"),
            (("Location", f"/orders/{THEN}"),),
            (("Content-Location", f"/orders/{NOW}"),),
            "--header Content-Location --pattern '/orders/(\\w+)'",
        ),
        (
            HeaderValue("Location", "id=(\\w+)"),
            (("Location", f"/order?id={THEN}"),),
            (("Location", f"/order?key={NOW}"),),
            "--header Location --pattern 'key=(\\w+)'",
        ),
        (CookieValue("sid"), _cookies("sid", THEN), (("Set-Cookie", "lang=de"),), ""),
    ],
)
def test_another_name_in_a_head(
    source: Source, before: Headers, after: Headers, expected: str
) -> None:
    """Of a cookie, of a header, of a part of an address in one."""
    command = proposed(source, "", "", before, after)
    assert command == (f"extract 1 it {expected} --anyway" if expected else "")
