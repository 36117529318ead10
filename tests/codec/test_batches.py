"""Several calls in one request, and the list of their answers."""

from __future__ import annotations

import json

import pytest

from pytest_loadtool.codec.batches import MIXED, BatchedCall, answers_in, calls_of, messages_in
from pytest_loadtool.codec.media import decoded

#: As OpenUI5 writes it: a change in a set of its own, and then a query.
_REQUEST = (
    "--b1\r\nContent-Type: multipart/mixed;boundary=c1\r\n\r\n"
    "--c1\r\nContent-Type:application/http\r\nContent-ID:0.0\r\n\r\n"
    "PATCH Orders(ID=7,IsActiveEntity=false)/items(3) HTTP/1.1\r\n"
    'If-Match:W/"8"\r\nContent-Type:application/json\r\n\r\n{"quantity": 3}\r\n--c1--\r\n\r\n'
    "--b1\r\nContent-Type:application/http\r\n\r\n"
    "GET Orders?$count=true HTTP/1.1\r\nAccept:application/json\r\n\r\n\r\n--b1--\r\n"
)
_ANSWER = (
    "--r\r\ncontent-type: multipart/mixed;boundary=s\r\n\r\n--s\r\n"
    "content-type: application/http\r\n\r\nHTTP/1.1 204 No Content\r\netag: 9\r\n\r\n\r\n--s--\r\n"
    "--r\r\ncontent-type: application/http\r\n\r\nHTTP/1.1 200 OK\r\n"
    'content-type: application/json\r\n\r\n{"value": [{"title": "Té"}]}\r\n--r--\r\n'
)


@pytest.mark.parametrize(
    ("target", "body", "media", "calls"),
    [
        ("/$batch", _REQUEST, MIXED, [("/Orders/items", "PATCH"), ("/Orders", "GET")]),
        ("/a", "POST Orders(7)/Shop.confirm HTTP/1.1\r\n\r\n{}", MIXED, [("/Orders", "POST")]),
        ("/trpc/task.list,user.get?batch=1", "", "", [("task.list", ""), ("user.get", "")]),
        ("/trpc/task.list?input=1&batch=1", "", "", [("task.list", "")]),
        ("/trpc/task.list?batch=10", "", "", []),
        ("/rpc", '[{"jsonrpc": "2.0", "method": "a.b"}]', "application/json", [("a.b", "")]),
        ("/rpc", '[{"jsonrpc": "2.0", "method": "a.b"}, 1]', "application/json", []),
        ("/graphql", '[{"query": "query Find { me }"}]', "application/json", [("Find", "")]),
        ("/", "[1, 2", "application/json", []),
        ("/", "{}", "application/json", []),
    ],
)  # fmt: skip
def test_calls(target: str, body: str, media: str, calls: list[tuple[str, str]]) -> None:
    """Each is known by its path without ids, or by the name of what it calls."""
    assert calls_of(target, body, media) == tuple(BatchedCall(*one) for one in calls)


def test_answers() -> None:
    """What is in them is a list; a body that has none is as it is."""
    text = decoded(_ANSWER.encode(), "multipart/mixed; boundary=r")
    assert json.loads(text) == [None, {"value": [{"title": "Té"}]}]
    assert answers_in("--r\r\n\r\nSome words\r\n--r--") == "--r\r\n\r\nSome words\r\n--r--"


def test_what_is_the_same() -> None:
    """Boundaries are other ones each time."""
    one, other = _REQUEST.encode(), _REQUEST.replace("b1", "b2").replace("c1", "c2").encode()
    assert messages_in(one) == messages_in(other)
    assert messages_in(one) != messages_in(one.replace(b"3}", b"4}"))
