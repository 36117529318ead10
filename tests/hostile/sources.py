"""The test suites that the responses are taken from: packages, as they were published."""

from __future__ import annotations

import hashlib
import tarfile
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.applications.installed import once
from tests.hostile import extracting

__all__ = ["SOURCES", "Source"]


@dataclass(frozen=True)
class Source:
    """A package, and where in it the responses are.

    ``files`` are patterns of paths, ``license`` is the path of a file; ``extract`` gives a name and
    the bytes of each response in the text of one of the files.
    """

    title: str
    licence: str
    url: str
    sha256: str
    files: tuple[str, ...]
    terms: str
    extract: Callable[[bytes], Iterator[tuple[str, bytes]]]

    def unpacked(self) -> Path:
        """The folder of the package, fetched when it is not there.

        Raises:
            OSError: it cannot be fetched.
            ValueError: it is not what it was.
        """

        def install(folder: Path) -> None:
            with urllib.request.urlopen(self.url, timeout=60) as answer:
                data = answer.read()
            if hashlib.sha256(data).hexdigest() != self.sha256:
                raise ValueError(f"{self.url} is not what it was: its SHA-256 is another")
            archive = folder / "archive"
            archive.write_bytes(data)
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
            archive.unlink()

        folder = once(f"hostile-{self.sha256[:16]}", self.url, install)
        [unpacked] = (one for one in folder.iterdir() if one.is_dir())
        return unpacked

    def responses(self) -> Iterator[tuple[str, bytes]]:
        """All of them, each with a name."""
        root = self.unpacked()
        for pattern in self.files:
            paths = root.glob(pattern)
            for path in sorted(paths, key=lambda one: (len(one.name), one)):  # 9 before 10
                for name, wire in self.extract(path.read_bytes()):
                    yield f"{path.parent.name}/{path.name} {name}", wire


_AIOHTTP = (
    "https://files.pythonhosted.org/packages/6c/4c/"
    "bdccd81e9ee225b69c60e7766c9a5b05364f118f4d383713b89a682d772d/aiohttp-3.14.5.tar.gz",
    "5558a7f5a05af9ecf744af91e5baefc436f93c9333e656c27ec253f9a6bbe178",
)
_HTTPTOOLS = (
    "https://files.pythonhosted.org/packages/3a/ec/"
    "deed52912ab7ca6c0b12859330c571c60c61d7267b341b28951fcbf13694/httptools-0.9.0.tar.gz",
    "d484ebb7e3a3f3597b0f645fbd1b85633674ca808c1f5ba11c2caf7c66f5c8b6",
)

SOURCES = {
    "curl": Source(
        "curl 8.14.1, `tests/data`",
        "curl",
        "http://deb.debian.org/debian/pool/main/c/curl/curl_8.14.1.orig.tar.gz",
        "6766ada7101d292b42b8b15681120acd68effa4a9660935853cf6d61f0d984d4",
        ("tests/data/test[0-9]*",),
        "COPYING",
        extracting.of_curl,
    ),
    "llhttp": Source(
        "llhttp 9.4.2 (in aiohttp 3.14.5), `test`",
        "MIT",
        *_AIOHTTP,
        ("vendor/llhttp/test/response/*.md", "vendor/llhttp/test/request/*.md"),
        "vendor/llhttp/LICENSE",
        extracting.of_llhttp,
    ),
    "http-parser": Source(
        "http-parser (in httptools 0.9.0), `test.c`",
        "MIT",
        *_HTTPTOOLS,
        ("vendor/http-parser/test.c",),
        "vendor/http-parser/LICENSE-MIT",
        extracting.of_c,
    ),
    "cpython": Source(
        "CPython 3.13.5, `test_httplib.py`",
        "PSF-2.0",
        "http://deb.debian.org/debian/pool/main/p/python3.13/python3.13_3.13.5.orig.tar.xz",
        "93e583f243454e6e9e4588ca2c2662206ad961659863277afcdb96801647d640",
        ("Lib/test/test_httplib.py",),
        "LICENSE",
        extracting.of_python,
    ),
    "aiohttp": Source(
        "aiohttp 3.14.5, `tests`",
        "Apache-2.0",
        *_AIOHTTP,
        ("tests/test_http_parser.py", "tests/test_client*.py"),
        "LICENSE.txt",
        extracting.of_python,
    ),
    "h11": Source(
        "h11 0.16.0, `h11/tests`",
        "MIT",
        "https://files.pythonhosted.org/packages/01/ee/"
        "02a2c011bdab74c6fb3c75474d40b3052059d95df7e73351460c8588d963/h11-0.16.0.tar.gz",
        "4e35b956cf45792e4caa5885e69fba00bdbc6ffafbfa020300e549b208ee5ff1",
        ("h11/tests/*.py",),
        "LICENSE.txt",
        extracting.of_python,
    ),
    "httptools": Source(
        "httptools 0.9.0, `tests`",
        "MIT",
        *_HTTPTOOLS,
        ("tests/*.py",),
        "LICENSE",
        extracting.of_python,
    ),
}
