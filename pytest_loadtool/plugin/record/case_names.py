"""What the test case that is recorded from a test is called."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

from pytest_loadtool import CASE_SUFFIX
from pytest_loadtool.plugin.paths import slug

#: Characters. File systems allow 255 bytes, and a recording's files add to the name.
_LONGEST = 120


def case_path(directory: Path, nodeid: str) -> Path:
    """Return the test case of a test: ``tests/test_shop.py::TestCart::test_add[2]`` becomes
    ``tests/test_shop.TestCart.test_add-2.case.toml`` below ``directory``.

    Two tests never have the same: where it cannot say all, it ends with a digest.
    """
    file, _, name = nodeid.partition("::")
    name, bracket, parameters = name.partition("[")
    path = PurePosixPath(file)
    last = ".".join(filter(None, (path.stem, *name.split("::"))))
    said = [*path.parts[:-1], last + ("-" + parameters.removesuffix("]") if bracket else "")]
    plain = [slug(part).strip(".") for part in said]
    if plain != said or len(plain[-1]) > _LONGEST:
        digest = hashlib.sha256(nodeid.encode()).hexdigest()[:8]
        plain[-1] = f"{plain[-1][:_LONGEST]}-{digest}"
    *folders, last = filter(None, plain)
    return directory.joinpath(*folders, last + CASE_SUFFIX)
