"""A request as text that a person edits."""

from __future__ import annotations

import pytest

from pytest_loadtool.workflow.errors import RequestError
from pytest_loadtool.workflow.request_text import edited_request, request_text

POST = (
    b"POST /login HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 8\r\n\r\nuser=ann"
)  # fmt: skip


def test_what_is_not_changed_stays_the_same() -> None:
    """To the byte, with whatever an editor adds at the end."""
    assert edited_request(request_text(POST), POST) == POST
    assert edited_request(request_text(POST) + "\n", POST) == POST


def test_body_and_path_are_changed() -> None:
    """Content-Length follows the body, in bytes."""
    text = request_text(POST).replace("/login", "/in").replace("ann", "Zoë")
    assert edited_request(text, POST) == (
        "POST /in HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 9\r\n\r\nuser=Zoë".encode()
    )


def test_body_where_there_was_none_gets_a_length() -> None:
    """A server would not read it otherwise."""
    before = b"DELETE /7 HTTP/1.1\r\nHost: a\r\n\r\n"
    assert edited_request("DELETE /7 HTTP/1.1\nHost: a\n\nwhy", before) == (
        b"DELETE /7 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nwhy"
    )


def test_lines_of_a_body_end_as_before() -> None:
    """Multipart bodies have CRLF, others what they have."""
    before = b"POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\na\r\nb\r\n"
    assert edited_request(request_text(before), before) == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no request line: write it as GET /path HTTP/1.1"),
        ("POST HTTP/1.1\n\n", "'POST HTTP/1.1' is no request line"),
        ("POST / HTTP/1.1\nHost shop\n\n", "'Host shop' is no header: write it as Name: value"),
        ("HEAD /login HTTP/1.1\n\n", "HEAD cannot take the place of POST"),
        ("POST http://other.example/ HTTP/1.1\n\n", "goes elsewhere"),
        ("POST / HTTP/1.1\nX: €\n\n", "a header has a character"),
    ],
)
def test_what_is_no_request_is_told(text: str, message: str) -> None:
    """With what to write."""
    with pytest.raises(RequestError, match=message):
        edited_request(text, POST)


def test_through_a_proxy_the_server_stays() -> None:
    """In absolute form the path may change, the host may not."""
    before = b"GET http://a.example/1 HTTP/1.1\r\n\r\n"
    after = edited_request("GET http://a.example/2 HTTP/1.1\n\n", before)
    assert after == b"GET http://a.example/2 HTTP/1.1\r\n\r\n"
    with pytest.raises(RequestError, match="goes elsewhere"):
        edited_request("GET http://b.example/1 HTTP/1.1\n\n", before)


def test_body_that_is_no_text_cannot_be_edited() -> None:
    """Rather than breaking it."""
    with pytest.raises(RequestError, match="its body is no text"):
        request_text(b"POST / HTTP/1.1\r\n\r\n\xff\xfe")
