"""This package as a wheel, for machines of a cluster that have another version of it.

It is made of what is installed here: nothing is built, and what is compiled stays so.
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest_loadtool

_NAME = "pytest-loadtool"

#: Metadata that is not of the installation but of what was installed.
_METADATA = ("METADATA", "WHEEL", "entry_points.txt")


def wheel() -> tuple[str, bytes]:
    """Return the name of the wheel's file, and what is in it."""
    found = distribution(_NAME)
    version = pytest_loadtool.__version__
    stem = f"{_NAME.replace('-', '_')}-{version}"
    texts = {name: text for name in _METADATA if (text := found.read_text(name)) is not None}
    # Of an editable installation the version may have changed since.
    texts["METADATA"] = texts["METADATA"].replace(
        f"\nVersion: {found.version}\n", f"\nVersion: {version}\n", 1
    )
    files = dict(_files(found))
    files |= {f"{stem}.dist-info/{name}": text.encode() for name, text in texts.items()}
    record = f"{stem}.dist-info/RECORD"
    lines = [f"{name},sha256={_hash(content)},{len(content)}" for name, content in files.items()]
    files[record] = "".join(f"{line}\n" for line in [*lines, f"{record},,"]).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    (tag,) = (line[5:] for line in texts["WHEEL"].splitlines() if line.startswith("Tag: "))
    return f"{stem}-{tag}.whl", packed.getvalue()


def _files(found: Distribution) -> Iterator[tuple[str, bytes]]:
    """Yield the package's files, and the library that its compiled modules share."""
    package = Path(pytest_loadtool.__file__).parent
    for path in sorted(package.rglob("*")):
        if path.is_file() and path.parent.name != "__pycache__":
            yield path.relative_to(package.parent).as_posix(), path.read_bytes()
    for one in found.files or ():
        if len(one.parts) == 1 and one.suffix in {".so", ".pyd"}:
            yield one.name, one.read_binary()


def _hash(content: bytes) -> str:
    digest = hashlib.sha256(content).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
