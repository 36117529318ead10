"""Which build of the package is installed: compiled where it is hot, or pure Python."""

from __future__ import annotations

from pytest_loadtool.load.metrics import histogram

#: All modules of the hot path are compiled, or none of them is.
BUILD = "pure Python" if histogram.__file__.endswith(".py") else "compiled"
