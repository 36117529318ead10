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

from pytest_loadtool.codec.content_coding import DECODED_LIMIT, ContentError, decode


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


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_bytes_after_the_end_are_ignored(name: str) -> None:
    """As browsers do."""
    encode = CODINGS[name][1]
    assert decode(encode(b"page") + b"\r\n\0\0", name) == b"page"


def test_frames_of_zstd() -> None:
    """A body may have several, one after the other, and such as carry nothing (RFC 8878 §3)."""
    skippable = b"\x50\x2a\x4d\x18" + b"\3\0\0\0" + b"abc"
    assert decode(zstd(b"one ") + skippable + zstd(b"two"), "zstd") == b"one two"


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
from pytest_loadtool.codec.content_coding import ContentError, decode

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
