"""Collecting bodies on their way through, and undoing their content codings."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest
import zstandard

from pytest_loadtool.capture.proxy.body import Collector, Spool, decoded
from pytest_loadtool.capture.proxy.coding import CODINGS
from pytest_loadtool.model.exchange import Body


def whole(body: bytes | Body) -> bytes:
    """All of a body, wherever it is."""
    return body if isinstance(body, bytes) else b"".join(body.chunks())


def test_a_body_is_passed_on_and_kept() -> None:
    """Chunk by chunk, and whole at the end."""
    collector = Collector()
    assert [collector(chunk) for chunk in (b"ab", b"c", b"")] == [b"ab", b"c", b""]
    assert (collector.body, collector.size, collector.loss) == (b"abc", 3, "")


def test_a_body_beyond_the_limit_is_passed_on_whole_and_kept_in_part() -> None:
    """The client gets everything; what is missing from the record is said."""
    collector = Collector(limit=4)
    assert collector(b"abc") + collector(b"def") + collector(b"g") == b"abcdefg"
    assert collector.body == b"abcd"
    assert collector.loss == "only the first 4 of 7 bytes of the response body were kept"
    exact = Collector(limit=3)
    exact(b"abc")
    assert exact.loss == ""


def test_a_large_body_is_on_disk_without_a_name(tmp_path: Path) -> None:
    """Nothing is left to clean up, even while it is there; and the file goes with the body."""
    spool = Spool(tmp_path, in_memory=4)
    spool.write(b"abc")
    assert spool.held() == b"abc"
    before = set(Path("/proc/self/fd").iterdir())
    spool.write(b"def")
    spool.write(b"g")
    assert spool.held() is spool
    assert (b"".join(spool.chunks()), spool.size) == (b"abcdefg", 7)
    assert list(tmp_path.iterdir()) == []
    (opened,) = set(Path("/proc/self/fd").iterdir()) - before
    del spool
    assert opened not in Path("/proc/self/fd").iterdir()


TEXT = "Größe: 42\n".encode() * 100_000

_raw = zlib.compressobj(wbits=-15)
RAW = _raw.compress(TEXT) + _raw.flush()


@pytest.mark.promise(136)
@pytest.mark.parametrize(
    ("codings", "encoded"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT[:500]) + gzip.compress(TEXT[500:])),
        ("gzip", gzip.compress(TEXT) + b"\0\0 what some servers add"),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", RAW),
        ("br", brotli.compress(TEXT, quality=1)),
        ("ZSTD", zstandard.ZstdCompressor().compress(TEXT)),
        ("gzip, br", brotli.compress(gzip.compress(TEXT), quality=1)),
    ],
)
@pytest.mark.parametrize("large", [False, True], ids=["memory", "disk"])
def test_codings_are_undone(codings: str, encoded: bytes, large: bool) -> None:
    """In one piece or in many, in memory or on disk."""
    spool = Spool(in_memory=0 if large else len(encoded))
    for start in range(0, len(encoded), 1000):
        spool.write(encoded[start : start + 1000])
    plain, loss = decoded(spool.held(), codings)
    assert (whole(plain), loss) == (TEXT, "")


@pytest.mark.parametrize("more", [0, 1, 258, 3000])
def test_the_last_bytes_are_there(more: int) -> None:
    """Without the trailer of zlib, all may be read before what it stands for has been written."""
    text = bytes(1024 * 1024 + more)
    deflate = zlib.compressobj(wbits=-15)
    plain, _ = decoded(deflate.compress(text) + deflate.flush(), "deflate")
    assert whole(plain) == text


@pytest.mark.parametrize(
    ("codings", "encoded"),
    [
        ("gzip", b"no gzip"),
        ("gzip", gzip.compress(TEXT)[:-9]),
        ("deflate", b"\x78\x9cno zlib"),
        ("deflate", RAW[:-5]),
        ("br", b"no brotli"),
        ("br", brotli.compress(TEXT, quality=1)[:-5]),
        ("zstd", b"no zstd at all"),
        ("zstd", zstandard.ZstdCompressor().compress(TEXT)[:-5]),
        ("rot13", b"uryyb"),
        ("gzip", b""),
    ],
)
def test_what_cannot_be_decoded_is_kept_as_it_is(codings: str, encoded: bytes) -> None:
    """A broken body, one that ends early, an unknown coding."""
    assert decoded(encoded, codings) == (encoded, "")


BOMBS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", lambda data: gzip.compress(data, 1)),
    ("deflate", lambda data: zlib.compress(data, 1)),
    ("br", lambda data: brotli.compress(data, quality=1)),
    ("zstd", lambda data: zstandard.ZstdCompressor().compress(data)),
]


@pytest.mark.parametrize(("coding", "encode"), BOMBS)
def test_one_step_is_bounded(coding: str, encode: Callable[[bytes], bytes]) -> None:
    """So that no more is in memory at a time, however much the whole stands for."""
    encoded = encode(bytes(40_000_000))
    sizes = [len(piece) for piece in CODINGS[coding]([encoded])]
    assert max(sizes) < 9_000_000 < 40_000_000 == sum(sizes)


@pytest.mark.parametrize(("coding", "encode"), BOMBS)
def test_little_data_that_stands_for_much_is_kept_in_part(
    coding: str, encode: Callable[[bytes], bytes]
) -> None:
    """And said to be."""
    plain, loss = decoded(encode(bytes(3_000_000)), coding, limit=2_000_000)
    assert whole(plain) == bytes(2_000_000)
    assert loss == "only 2000000 bytes of the decoded response body were kept"
    assert decoded(encode(bytes(9)), coding, limit=9) == (bytes(9), "")
