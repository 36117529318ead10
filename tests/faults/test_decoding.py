"""Content codings over sockets: values are found in good bodies, and broken ones are named, but
only where somebody looks into them."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard

from pytest_loadtool.model.case import Request, Transaction, Variable
from pytest_loadtool.model.extractor import Extractor, JsonPath, RegularExpression
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import JsonValidator, TextValidator
from tests import observed
from tests.faults.replaying import load, replay
from tests.faults.server import by_path, serving

PAGE = b"<html>" + b"<p>filler</p>" * 2000 + b"<a id='token'>t0k3n</a></html>"

CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "gzip, br": lambda body: brotli.compress(gzip.compress(body)),
}

each_coding = pytest.mark.parametrize("coding", CODINGS)


def response(body: bytes, coding: str) -> Callable[[object], None]:
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {len(body)}\r\n\r\n"
    data = head.encode() + body
    return lambda peer: peer.send(data)  # type: ignore[attr-defined]  # a Peer


SOURCE = RegularExpression("<a id='token'>(.*?)</a>")
EXTRACTING = Transaction(Request("GET", "/page"), extractors=(Extractor("token", SOURCE),))
VALIDATING = Transaction(Request("GET", "/page"), validators=(TextValidator("t0k3n"),))


@each_coding
def test_values_come_from_the_decoded_body(coding: str) -> None:
    """What was extracted is in the next request."""
    answers = {"/page": response(CODINGS[coding](PAGE), coding)}
    with serving(by_path(answers)) as server:
        play = replay(server.http, EXTRACTING, "/use/${token}")
    assert play.failures == [(), ()]
    assert server.lines == ["GET /page", "GET /use/t0k3n"]


@each_coding
def test_broken(coding: str) -> None:
    """It is one failure, with the coding in it; the user goes on, with the old value."""
    whole = CODINGS[coding](PAGE)
    name = coding.rpartition(" ")[2]
    with serving(by_path({"/page": response(whole[: len(whole) // 2], coding)})) as server:
        play = replay(server.http, EXTRACTING, VALIDATING, "/next")
    failure = Failure("decoding", f"broken {name} body: it ends too early")
    assert play.failures == [(failure,), (failure,), ()]
    assert [one.status for one in play.responses] == [200, 200, 200]
    assert server.lines[-1] == "GET /next"


@pytest.mark.parametrize("path", ["$.a", "$.items[?(@.name=='${name}')]"])
def test_broken_json(path: str) -> None:
    """What is broken is the coding, whatever is looked for in the body, and however."""
    looking = (
        Transaction(Request("GET", "/page"), validators=(JsonValidator(path),)),
        Transaction(Request("GET", "/page"), extractors=(Extractor("token", JsonPath(path)),)),
    )
    with serving(by_path({"/page": response(b"{}", "gzip")})) as server:
        play = observed.replay(server.http, *looking, variables={"name": Variable("name", "x")})
    failure = Failure("decoding", "broken gzip body: it is not valid gzip")
    assert play.failures == [(failure,), (failure,)]


@each_coding
def test_nobody_looks_into_it(coding: str) -> None:
    """A broken body that nothing is looked up in is no failure: it was received as it was sent."""
    with serving(by_path({"/page": response(b"\0broken", coding)})) as server:
        play = replay(server.http, "/page", "/next")
    assert play.failures == [(), ()]
    assert play.responses[0].body == b"\0broken"


def test_unknown_coding() -> None:
    """Named, with what to do."""
    with serving(by_path({"/page": response(PAGE, "compress")})) as server:
        [(failure,)] = replay(server.http, VALIDATING).failures
    assert failure.cause == "decoding"
    assert "'compress'" in failure.message
    assert "Accept-Encoding" in failure.message


def test_bombs_under_load() -> None:
    """Each is a failure of its own transaction alone; the requests after it pass, and all are
    counted."""
    packer = zlib.compressobj(9, wbits=16 + zlib.MAX_WBITS)
    megabyte = bytes(1 << 20)
    bomb = b"".join([*(packer.compress(megabyte) for _ in range(100)), packer.flush()])
    with serving(by_path({"/page": response(bomb, "gzip")})) as server:
        metrics = load(server.http, VALIDATING, "/next", duration=1.0)
    page, following = metrics.transactions
    [error] = metrics.errors
    assert error.cause == "decoding"
    assert "64 MB" in error.message
    assert error.count == page.requests == metrics.failed_requests == server.counts["GET /page"]
    assert following.requests == server.counts["GET /next"] == page.requests > 0
