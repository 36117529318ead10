"""Requests and responses in plain text."""

from __future__ import annotations

import pytest

from pytest_loadtool.casefile import parse_exchange
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.exchange import Exchange

REQUEST = b"POST /items HTTP/1.1\nHost: api.example\nContent-Type: application/json\n\n{}\n"
RESPONSE = b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n\r\n{}\r\n"


def parsed(
    request: bytes = REQUEST, response: bytes = RESPONSE, server: str = "http://shop.example"
) -> Exchange:
    return parse_exchange((request, "q.txt"), (response, "a.txt"), server=server, started=7.0)


def test_messages_are_read_with_either_line_end() -> None:
    """Start lines, headers in order, and bodies without the line end of an editor."""
    assert parsed() == Exchange(
        started=7.0,
        took=0.0,
        method="POST",
        url="http://api.example/items",
        http_version="HTTP/1.1",
        request_headers=(("Host", "api.example"), ("Content-Type", "application/json")),
        request_body=b"{}",
        status=201,
        reason="Created",
        response_headers=(("Content-Type", "application/json"),),
        response_body=b"{}",
    )


@pytest.mark.parametrize(
    ("first", "server", "url"),
    [
        (b"GET https://a.example:8443/x?y=1 HTTP/2\n", "", "https://a.example:8443/x?y=1"),
        (b"GET /x\n", "https://a.example/", "https://a.example/x"),
        (b"GET /x\nHost: a.example\n", "https://a.example", "https://a.example/x"),
        (b"GET /x\nHost: b.example\n", "https://a.example", "https://b.example/x"),
        (b"GET /x\nHost: b.example\n", "", "http://b.example/x"),
        (b"GET /x\nHost: b.example:443\n", "", "https://b.example:443/x"),
    ],
)
def test_address_is_put_together(first: bytes, server: str, url: str) -> None:
    """Of a whole URL, of the Host header, or of the server that is meant."""
    assert parsed(first, server=server).url == url


def test_body_is_as_long_as_it_says() -> None:
    """Content-Length counts; a line end behind it is the editor's. What was decoded is not
    measured, and how it was transferred does not matter."""
    assert parsed(b"POST / HTTP/1.1\nHost: a\nContent-Length: 3\n\nab\n").request_body == b"ab\n"
    assert parsed(b"POST / HTTP/1.1\nHost: a\nContent-Length: 2\n\nab\n").request_body == b"ab"
    coded = b"HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: 99\n\nab"
    assert parsed(response=coded).response_body == b"ab"
    chunked = b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nab\n\ncd\n"
    assert parsed(response=chunked).response_body == b"ab\n\ncd"


def test_last_of_several_heads_counts() -> None:
    """What `curl -i` prints of 100 Continue and of redirects that it followed."""
    heads = (
        b"HTTP/1.1 100 Continue\n\nHTTP/1.1 302 Found\nLocation: /b\n\nHTTP/1.1 200 OK\nA: b\n\nx"
    )
    answer = parsed(response=heads)
    assert (answer.status, answer.response_headers, answer.response_body) == (
        200,
        (("A", "b"),),
        b"x",
    )


@pytest.mark.parametrize(
    ("request_text", "message"),
    [
        (b"", "q.txt:1: expected a request line such as 'GET /items HTTP/1.1', got an empty line"),
        (b"HTTP/1.1 200 OK\n", "'GET /items HTTP/1.1': this is a response, got 'HTTP/1.1 200 OK'"),
        (b"GET\n", "q.txt:1: expected a request line"),
        (b"GET items HTTP/1.1\nHost: a\n", "q.txt:1: expected a path or a URL as target"),
        (b"GET http://[::1/x HTTP/1.1\n", "q.txt:1: .* make no URL: Invalid IPv6 URL, got 'GET"),
        (b"GET /x HTTP/1.1\nHost: a:b\n", "q.txt:1: target, Host header and --server make no URL"),
        (b"GET http://a:99999/ HTTP/1.1\n", "make no URL: Port out of range"),
        (b"GET /x HTTP/1.1\nAccept\n", "q.txt:2: expected a header .*: there is no colon in it"),
        (b"GET /x HTTP/1.1\nA: b\n c\n", "q.txt:3: .* a header's value has to be on one line"),
        (b"GET /x HTTP/1.1\nA b: c\n", "q.txt:2: .*: its name holds what no header's name may"),
        (b"POST /x HTTP/1.1\nContent-Length: 9\n\nab", "Content-Length: it says 9 bytes, but the"),
        (b"POST /x HTTP/1.1\nContent-Length: x\n\nab", "Content-Length: expected a number"),
    ],
)
def test_malformed_request_is_named(request_text: bytes, message: str) -> None:
    """The file, the line, what was expected and what stands there."""
    with pytest.raises(FileError, match=message):
        parsed(request_text)


def test_request_needs_a_server() -> None:
    """Without a Host header and without a test case, nobody knows where to send it."""
    with pytest.raises(FileError, match=r"q\.txt:1: where to\? Give the request a Host header"):
        parsed(b"GET /x HTTP/1.1\n", server="")
    with pytest.raises(FileError, match="--server make no URL: Invalid IPv6 URL"):
        parsed(b"GET /x HTTP/1.1\n", server="http://[::1")


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (REQUEST, "a.txt:1: expected a status line such as 'HTTP/1.1 200 OK': this is a request"),
        (b"HTTP/1.1 OK\n", "a.txt:1: expected a status line"),
        (b"HTTP/1.1 600 Odd\n", "a.txt:1: expected a status line"),
    ],
)
def test_malformed_response_is_named(response: bytes, message: str) -> None:
    """Files in the wrong order are recognised."""
    with pytest.raises(FileError, match=message):
        parsed(response=response)
