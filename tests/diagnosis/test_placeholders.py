"""The values of placeholders, read back from a request's bytes."""

from __future__ import annotations

from pytest_loadtool.diagnosis.subject import sent_values
from pytest_loadtool.model.case import Header, Request, wire_headers


def test_every_place() -> None:
    """Target, own and shared headers and body, in this order, each placeholder once."""
    request = Request(
        "POST", "/a/${id}/b?q=${q}", (Header("X-Id", "<${id}>"), Header("Origin", "${server}")),
        '{"t": "${token[1]}"}',
    )  # fmt: skip
    head = [
        "POST /a/7/b?q=x%20y HTTP/1.1",
        "Authorization: Bearer abc",
        "X-Id: <7>",
        "Origin: http://h",
    ]
    shared = (Header("Host"), Header("authorization", "Bearer ${bearer_token[1]}"))
    headers = wire_headers(shared, request.headers)
    assert sent_values(request, headers, head, '{"t": "v"}') == {
        "id": "7",
        "q": "x%20y",
        "bearer_token[1]": "abc",
        "token[1]": "v",
    }


def test_targets_that_were_urls() -> None:
    """An absolute target goes out without scheme and host."""
    head = ["GET /x/1 HTTP/1.1"]
    for target in ("https://other:8443/x/${n}", "${server}/x/${n}"):
        assert sent_values(Request("GET", target), (), head, "") == {"n": "1"}
    assert sent_values(Request("GET", "${link}"), (), head, "") == {"link": "/x/1"}


def test_what_cannot_be_told_apart() -> None:
    """Two placeholders side by side are left out, and so is what does not look as it should."""
    head = ["GET /12 HTTP/1.1"]
    assert sent_values(Request("GET", "/${a}${b}"), (), head, "") == {}
    assert sent_values(Request("GET", "/x/${a}"), (), head, "") == {}
    assert sent_values(Request("GET", "/${a}", body=b"${a}"), (), ["garbage"], "") == {}


def test_cookies() -> None:
    """Those that the request sets, among others of the jar."""
    request = Request("GET", "/", cookies=("csrf=${csrf}; Path=/", "theme=dark", "v=1-${v}"))
    head = ["GET / HTTP/1.1", "Cookie: sid=1; csrf=abc; v=1-7; theme=dark"]
    assert sent_values(request, (), head, "") == {"csrf": "abc", "v": "7"}
