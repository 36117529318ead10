"""What runs for each request: as Python, or compiled."""

from __future__ import annotations

from pytest_loadtool.load.metrics import histogram


def build() -> str:
    """Return ``compiled`` or ``pure Python``: all of its modules are compiled, or none of them."""
    return "pure Python" if histogram.__file__.endswith(".py") else "compiled"
