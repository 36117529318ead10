"""Bodies of requests in a content coding: text is decoded, and coded again as it was."""

from __future__ import annotations

import pytest

from pytest_loadtool.codec.content import decode
from pytest_loadtool.codec.request_coding import coder, uncoded

TEXT = '{"name": "Žižkov"}'.encode() * 20
JSON = ("Content-Type", "application/json")


@pytest.mark.parametrize("codings", ["gzip", "x-gzip", "deflate", "br", "zstd", "gzip, br"])
def test_text_is_decoded(codings: str) -> None:
    """As its headers say; and the same goes out again."""
    code = coder(codings)
    assert code is not None
    coded = code(TEXT)
    assert (uncoded(coded, [("content-encoding", codings), JSON]), decode(coded, codings)) == (
        TEXT,
        TEXT,
    )


@pytest.mark.parametrize(
    ("codings", "body"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", TEXT),  # it is none
        ("gzip", b"\x1f\x8b\x08\x00\xff"),
        ("compress", b"\x1f\x9d\x90\xff\x00"),
        ("gzip", coder("gzip")(b"\x0a\x01\x00\xff")),  # type: ignore[misc]
    ],
)
def test_other_bodies_are_left(codings: str, body: bytes) -> None:
    """What is in no known coding, is broken, or is no text."""
    assert uncoded(body, [("Content-Encoding", codings), JSON]) == body
