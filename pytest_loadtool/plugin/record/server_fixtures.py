"""Which fixtures gave a test its server: its test case can use them too."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest

from pytest_loadtool.plugin.private import fixture_place
from pytest_loadtool.plugin.server import checked_server

#: Has a value only where an option gives it one (pytest-base-url, pytest-playwright).
_OPTIONAL = "base_url"


def server_fixtures(item: pytest.Item, directory: Path) -> dict[str, str]:
    """By base URL the fixture that gave it to a test that is set up, if tests in ``directory`` see
    that fixture as well."""
    found: dict[str, str] = {}
    if not isinstance(item, pytest.Function) or not directory.is_relative_to(item.config.rootpath):
        return found
    folder = directory.relative_to(item.config.rootpath)
    for name, value in item.funcargs.items():
        place = fixture_place(item, name)
        if name == _OPTIONAL or place is None or not is_seen_from(folder, place):
            continue
        url = value if isinstance(value, str) else getattr(value, "url", None)
        if isinstance(url, str):
            try:
                found.setdefault(checked_server(url), name)
            except ValueError:  # some other text
                continue
    return found


def is_seen_from(folder: PurePath, baseid: str) -> bool:
    """Return whether tests in ``folder`` see the fixtures of a conftest in ``baseid``, both from
    pytest's rootdir on; those of plugins have none."""
    return "::" not in baseid and folder.is_relative_to(baseid or ".")
