"""What docs/authentication.md says about the schemes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_loadtool.auth import METHODS
from pytest_loadtool.casefile import parse_case
from pytest_loadtool.structure.renewal import successors

PAGE = (Path(__file__).parents[2] / "docs/authentication.md").read_text()
TEXT = re.sub(r"\s+", " ", PAGE)

LOGIN = """\
format = 1
name = "orders"
server = "http://127.0.0.1:8000"

[[page]]
name = "Orders"

[[page.transaction]]
request = "POST /token"
extractors = [
  { variable = "bearer_token[1]", json = "$.access_token" },
  { variable = "refresh_token[1]", json = "$.refresh_token" },
]

"""


def test_the_page_has_every_scheme() -> None:
    """A row for each."""
    assert {name.lower() for name in re.findall(r"\| (\w+) \(RFC", TEXT)} == set(METHODS)


@pytest.mark.promise(73)
def test_it_says_that_base64_protects_nothing() -> None:
    """Nobody shall take it for encryption."""
    assert "Base64 protects nothing" in TEXT


@pytest.mark.promise(94)
def test_it_recommends_unique_credentials() -> None:
    """And says why."""
    recommended = "**Recommended: unique credentials for each virtual user.**"
    _, found, reason = TEXT.partition(recommended)
    assert found
    assert "many servers end the earlier sessions of that user" in reason


@pytest.mark.promise(133)
def test_it_says_which_versions_have_session_security() -> None:
    """Of the original tool."""
    assert "versions up to 5.3 lack it, and versions from 5.4 on have it" in TEXT


def test_the_transaction_that_refreshes_a_token_can_be_used() -> None:
    """After a login it is right as it stands, and replaces what the page says it does."""
    examples = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (example,) = [one for one in examples if "refreshes" in one]
    case = parse_case(LOGIN + example, "orders.case.toml")
    _, renewing = case.transactions()
    assert successors(case, renewing) == {
        "bearer_token[1]": "bearer_token[2]",
        "refresh_token[1]": "refresh_token[2]",
    }
