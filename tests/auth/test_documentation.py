"""What docs/authentication.md says about the schemes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_loadtool.auth import METHODS

TEXT = re.sub(r"\s+", " ", (Path(__file__).parents[2] / "docs/authentication.md").read_text())


def test_the_page_has_every_scheme() -> None:
    """A row for each."""
    assert {name.lower() for name in re.findall(r"\| (\w+) \(RFC", TEXT)} == set(METHODS)


@pytest.mark.promise(73)
def test_it_says_that_base64_protects_nothing() -> None:
    """Nobody shall take it for encryption."""
    assert "Base64 protects nothing" in TEXT


@pytest.mark.promise(133)
def test_it_says_which_versions_have_session_security() -> None:
    """Of the original tool."""
    assert "versions up to 5.3 lack it, and versions from 5.4 on have it" in TEXT
