"""Content codings: what servers send is undone, and what they should not send is named."""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from typing import Any

import brotli
import pytest
import zstandard

from pytest_loadtool.capture.proxy import body as capture
from pytest_loadtool.codec.content import DECODED_LIMIT, ContentError, decode, decoded


def raw_deflate(body: bytes) -> bytes:
    """A deflate stream without the zlib format around it, as some servers send it."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


def zstd(body: bytes) -> bytes:
    """As a server that streams: without the size in the head."""
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(body) + packer.flush()


CODINGS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "identity": ("identity", bytes),
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-GZIP", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
    "br": ("br", lambda body: brotli.compress(body, quality=1)),
    "zstd": ("zstd", zstd),
    "zstd with its size": ("zstd", zstandard.ZstdCompressor().compress),
    "two": ("gzip, br", lambda body: brotli.compress(gzip.compress(body), quality=1)),
    "an empty member": (" gzip,, ", gzip.compress),
}

coding = pytest.mark.parametrize(("name", "encode"), CODINGS.values(), ids=CODINGS)


@coding
@pytest.mark.parametrize("size", [1, 1000, 65536, 65537, 300_000])
def test_what_was_encoded_comes_back(
    name: str, encode: Callable[[bytes], bytes], size: int
) -> None:
    """Whatever the size: as text, which shrinks much, and as noise, which does not."""
    noise = random.Random(size).randbytes(size)
    for body in (bytes(size), noise):
        assert decode(encode(body), name) == body


@coding
def test_a_body_that_ends_too_early(name: str, encode: Callable[[bytes], bytes]) -> None:
    """Half a page must not pass for a page."""
    whole = encode(random.Random(1).randbytes(200_000))
    if name == "identity":
        pytest.skip("nothing tells where it should end")
    for length in (len(whole) - 1, len(whole) // 2, 3):
        with pytest.raises(ContentError, match=r"^broken \S+ body: it ends too early$"):
            decode(whole[:length], name)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("body", [b"<html>this is no such thing</html>", b"\xff" * 100])
def test_a_body_of_something_else(name: str, body: bytes) -> None:
    """Not in the words of the codec, which differ from one piece of garbage to the next."""
    with pytest.raises(ContentError, match=f"^broken {name} body: it is not valid {name}$"):
        decode(body, name)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_an_empty_body(name: str) -> None:
    """Is empty, on the way to another coding, too."""
    assert decode(b"", name) == b""
    assert decode(gzip.compress(b""), f"{name}, gzip") == b""


PAGE = b"one " * 20_000 + b"two"
HALVES = PAGE[:70_000], PAGE[70_000:]
SKIPPABLE = b"\x5f\x2a\x4d\x18" + b"\3\0\0\0" + b"abc"

#: Bodies of one page, with their coding.
SAME: dict[str, tuple[str, bytes]] = {
    **{name: (coding, encode(PAGE)) for name, (coding, encode) in CODINGS.items()},
    "members of gzip": ("gzip", b"".join(map(gzip.compress, HALVES))),
    "an empty member between": ("gzip", gzip.compress(b"").join(map(gzip.compress, HALVES))),
    "bytes after gzip": ("gzip", gzip.compress(PAGE) + b"\r\n\0\0"),
    "a byte after gzip": ("gzip", gzip.compress(PAGE) + b"\x1f"),
    "bytes after zlib": ("deflate", zlib.compress(PAGE) + b"\r\n\0\0"),
    "bytes after raw deflate": ("deflate", raw_deflate(PAGE) + b"\x1f\x8b"),
    "frames of zstd": ("zstd", SKIPPABLE.join(map(zstd, HALVES)) + SKIPPABLE),
    "bytes after zstd": ("zstd", zstd(PAGE) + b"\r\n\0\0"),
    "members in a chain": ("gzip, br", brotli.compress(b"".join(map(gzip.compress, HALVES)))),
}

#: Bodies that nothing can be made of, and what is said.
BROKEN: dict[str, tuple[str, bytes, str]] = {
    "a member that is cut": ("gzip", gzip.compress(PAGE) + gzip.compress(PAGE)[:-1], "early"),
    "a member that is none": ("gzip", gzip.compress(PAGE) + b"\x1f\x8bpage", "not valid"),
    "bytes after brotli": ("br", brotli.compress(PAGE) + b"\r\n\0\0", "not valid"),
    "a cut frame of zstd": ("zstd", zstd(PAGE) + zstd(PAGE)[:-1], "early"),
    "within a chain": ("gzip, br", brotli.compress(gzip.compress(PAGE)[:-1]), "gzip .* early"),
    "members without end": ("gzip", gzip.compress(b"") * 10_001, "more than 10,000 members"),
}

PIECES = pytest.mark.parametrize("size", [1, 1000, 1 << 20])


def recorded(body: bytes, coding: str, size: int) -> bytes:
    """What the recorder makes of a body that comes in pieces of that size, and is on disk."""
    spool = capture.Spool(in_memory=0)
    for start in range(0, len(body), size):
        spool.write(body[start : start + size])
    plain, loss = capture.decoded(spool.held(), coding)
    assert loss == ""
    return plain if isinstance(plain, bytes) else b"".join(plain.chunks())


@pytest.mark.promise(136)
@pytest.mark.parametrize(("coding", "body"), SAME.values(), ids=SAME)
@PIECES
def test_recorded_and_replayed_bodies_are_the_same(coding: str, body: bytes, size: int) -> None:
    """All members of gzip (RFC 1952 §2.2) and frames of zstd (RFC 8878 §3), which may carry
    nothing; what follows is ignored, as browsers do. The pieces in which a body comes do not
    matter."""
    if size > 1 or len(body) < 5000:
        assert recorded(body, coding, size) == decode(body, coding) == PAGE
    assert b"".join(decoded((body[i : i + 3] for i in range(0, len(body), 3)), coding)) == PAGE


@pytest.mark.parametrize(("coding", "body", "said"), BROKEN.values(), ids=BROKEN)
@PIECES
def test_a_body_that_is_broken_on_replay_is_recorded_as_it_is(
    coding: str, body: bytes, said: str, size: int
) -> None:
    """However it comes."""
    with pytest.raises(ContentError, match=said):
        decode(body, coding)
    with pytest.raises(ContentError, match=said):
        list(decoded((body[i : i + 3] for i in range(0, len(body), 3)), coding))
    if size > 1 or len(body) < 5000:
        assert recorded(body, coding, size) == body


def test_a_window_that_no_browser_would_take() -> None:
    """A frame that wants 128 MB of memory is refused before it gets them (RFC 9659)."""
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    with pytest.raises(ContentError, match="broken zstd body"):
        decode(packer.compress(b"x" * 1000) + packer.flush(), "zstd")


def test_unknown_coding() -> None:
    """Named, but not at any length."""
    with pytest.raises(ContentError, match="unknown content coding 'compress'"):
        decode(b"x", "gzip, compress")
    with pytest.raises(ContentError) as raised:
        decode(b"x", "y" * 100_000)
    assert len(str(raised.value)) < 120


def test_no_chain_of_codings_without_end() -> None:
    """Each could take as long as the one before."""
    body = b"page"
    for _ in range(5):
        body = gzip.compress(body)
    assert decode(body, ", ".join(["gzip"] * 5)) == b"page"
    with pytest.raises(ContentError, match="more than 5 content codings"):
        decode(gzip.compress(body), ", ".join(["gzip"] * 6))


#: Decodes a bomb in a process of its own, and prints the error and how far its memory rose (MB).
BOMB = """
import sys
from pytest_loadtool.codec.content import ContentError, decode

def highest():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) >> 10

body = sys.stdin.buffer.read()
try:
    decode(body[:10], sys.argv[1])   # imports its codec
except ContentError:
    pass
before = highest()
try:
    decode(body, sys.argv[1])
except ContentError as error:
    print(error)
print(highest() - before)
"""


def zeros(name: str, megabytes: int) -> bytes:
    """So many megabytes of zeros in one coding, made without having them."""
    packers: dict[str, Callable[[], Any]] = {
        "gzip": lambda: zlib.compressobj(9, wbits=16 + zlib.MAX_WBITS),
        "deflate": lambda: zlib.compressobj(9),
        "br": lambda: brotli.Compressor(quality=1),
        "zstd": lambda: zstandard.ZstdCompressor().compressobj(),
    }
    packer = packers[name]()
    add = packer.process if name == "br" else packer.compress
    end = packer.finish if name == "br" else packer.flush
    megabyte = bytes(1 << 20)
    return b"".join([*(add(megabyte) for _ in range(megabytes)), end()])


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd", "gzip, gzip"])
def test_a_decompression_bomb(name: str) -> None:
    """It is refused, and took no more memory than a body of the allowed size would have."""
    bomb = zeros(name.partition(",")[0], 100)
    if name == "gzip, gzip":
        bomb = gzip.compress(bomb)
    assert len(bomb) < 1 << 20
    done = subprocess.run(
        [sys.executable, "-c", BOMB, name], input=bomb, capture_output=True, check=True
    )
    error, rise = done.stdout.decode().splitlines()
    last = name.rpartition(" ")[2]
    assert error == f"{last} body of more than 64 MB decoded, which is the limit"
    assert int(rise) < 1.5 * (DECODED_LIMIT >> 20)
