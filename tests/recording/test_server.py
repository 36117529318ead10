"""``${server}`` instead of the recorded server's URL."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.places import body_places, encode, header_places, target_places
from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.model.place import Place
from pytest_loadtool.recording import build_case
from pytest_loadtool.recording.request.template import body_text, header_text, target_text
from tests.recording.samples import SHOP, call, load, visit

FORM = "application/x-www-form-urlencoded"


def test_the_first_navigation_decides() -> None:
    """Not what was loaded more often from elsewhere."""
    case = build_case(
        [
            load("http://cdn.example/x.js", 0, "text/javascript"),
            visit("https://Shop.Example:443/a", 1, "<p>"),
            load("http://cdn.example/y.js", 2, "text/javascript"),
        ],
        name="case",
    ).case
    assert case.server == "https://shop.example"
    assert [one.request.target for one in case.transactions()] == [
        "http://cdn.example/x.js", "/a", "http://cdn.example/y.js",
    ]  # fmt: skip


def test_without_a_navigation_the_most_used_server_is_it() -> None:
    """An API client's calls; and no requests, no server."""
    calls = [
        call("GET", f"{url}/x", at) for at, url in enumerate(["http://a", "http://b", "http://b"])
    ]
    assert build_case(calls, name="case").case.server == "http://b"
    assert build_case([], name="case").case.server == ""


@pytest.mark.parametrize(
    ("url", "target"),
    [
        (f"{SHOP}/a/b?c=d&e", "/a/b?c=d&e"),
        (SHOP, "/"),
        (f"{SHOP}?a=1", "/?a=1"),
        (f"{SHOP}/?", "/?"),
        (f"{SHOP}//a", "//a"),
        (f"{SHOP}/a#b?c", "/a"),
        (f"{SHOP}/a?x=${{y}}", "/a?x=$${y}"),
        (f"{SHOP}/$%7B", "/$%7B"),
        ("http://127.0.0.1:80001/a", "http://127.0.0.1:80001/a"),
        ("https://127.0.0.1:8000/a", "https://127.0.0.1:8000/a"),
        ("http://other/?u=http%3A%2F%2F127.0.0.1%3A8000%2Fx", "http://other/?u=${server}%2Fx"),
        (f"{SHOP}/?u=http%3a%2f%2f127.0.0.1%3a8000", "/?u=http%3a%2f%2f127.0.0.1%3a8000"),
        (f"{SHOP}/?u=http://127.0.0.1:8000/x", "/?u=http://127.0.0.1:8000/x"),
        (f"{SHOP}/http%3A%2F%2F127.0.0.1%3A8000", "/http%3A%2F%2F127.0.0.1%3A8000"),
        (f"{SHOP}/?u=http%3A%2F%2F127.0.0.1%3A80001", "/?u=http%3A%2F%2F127.0.0.1%3A80001"),
        (f"{SHOP}/?u=a%20http%3A%2F%2F127.0.0.1%3A8000", "/?u=a%20${server}"),
        (f"{SHOP}/?u=$http%3A%2F%2F127.0.0.1%3A8000", "/?u=$http%3A%2F%2F127.0.0.1%3A8000"),
    ],
)  # fmt: skip
def test_targets(url: str, target: str) -> None:
    """Relative on the server; in a query, where replay would encode it as it was recorded."""
    assert target_text(url, SHOP) == target


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (SHOP, "${server}"),
        (f"{SHOP}/a?b", "${server}/a?b"),
        (f"<{SHOP}/a>; {SHOP}/b", "<${server}/a>; ${server}/b"),
        (f"{SHOP}/a?u=http%3A%2F%2F127.0.0.1%3A8000%2Fb", "${server}/a?u=${server|url}%2Fb"),
        ("/a?u=http%3A%2F%2F127.0.0.1%3A80001", "/a?u=http%3A%2F%2F127.0.0.1%3A80001"),
        (f"{SHOP}0/a", f"{SHOP}0/a"),
        ("http://127.0.0.1:8000.example/", "http://127.0.0.1:8000.example/"),
        (f"x{SHOP}", f"x{SHOP}"),
        (f"${SHOP}", f"${SHOP}"),
        ("a ${b} c", "a $${b} c"),
    ],
)
def test_headers(value: str, text: str) -> None:
    """Origin and Referer above all; never within another name or number."""
    assert header_text(value, SHOP) == text


def test_a_server_without_a_port_is_not_one_with_a_port() -> None:
    """``http://shop:8080`` is another server than ``http://shop``."""
    assert header_text("http://shop:8080/", "http://shop") == "http://shop:8080/"
    assert target_text("http://o/?u=http%3A%2F%2Fshop%3A8080", "http://shop").endswith("%3A8080")
    assert header_text("http://shop/", "http://shop") == "${server}/"


@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        (FORM, "next=http%3A%2F%2F127.0.0.1%3A8000%2Fx&a=1", "next=${server}%2Fx&a=1"),
        (f"{FORM}; charset=UTF-8", "u=http%3A%2F%2F127.0.0.1%3A8000", "u=${server}"),
        (FORM, "u=http://127.0.0.1:8000/x", "u=http://127.0.0.1:8000/x"),
        ("application/json", f'{{"u": "{SHOP}/x"}}', '{"u": "${server}/x"}'),
        ("application/json", '"http:\\/\\/127.0.0.1:8000"', '"http:\\/\\/127.0.0.1:8000"'),
        ("text/xml", f"<u>{SHOP}</u>", "<u>${server}</u>"),
        ("", f"{SHOP} ${{x}}", "${server} $${x}"),
    ],
)  # fmt: skip
def test_bodies(content_type: str, body: str, text: str) -> None:
    """Encoded in forms, as it is elsewhere."""
    assert body_text(body, content_type, SHOP) == text


_ENCODED = "http%3A%2F%2F127.0.0.1%3A8000"
_PIECES = st.lists(
    st.sampled_from([SHOP, _ENCODED, "${", "$", "}", "?", "&a=", '"', "\\", "/", "%20", "x"])
).map("".join)


@given(text=_PIECES, content_type=st.sampled_from([FORM, "application/json", "text/xml", ""]))
def test_replay_sends_what_was_recorded(text: str, content_type: str) -> None:
    """Whatever stands around the URL: encoding the placeholders gives back the recorded text."""
    body = Template.parse(body_text(text, content_type, SHOP))
    assert _sent(body, body_places(body, content_type)) == text
    header = Template.parse(header_text(text, SHOP))
    assert _sent(header, header_places(header)) == text
    target = Template.parse(target_text(f"http://other/{text}", SHOP))
    assert _sent(target, target_places(target)) == f"http://other/{text}"


def _sent(template: Template, places: tuple[Place, ...]) -> str:
    upcoming = iter(places)
    return "".join(
        encode(next(upcoming), filtered(SHOP, part.filters))
        if isinstance(part, Reference)
        else part
        for part in template.parts
    )
