"""Datasets as values, and the test case that uses them."""

from __future__ import annotations

import pytest

from pytest_loadtool.casefile import format_case, parse_case
from pytest_loadtool.editing.datasets import (
    filled,
    generated,
    renamed,
    users_of,
    with_column,
    with_value,
    without_column,
    without_row,
)
from pytest_loadtool.model.dataset import Dataset

CASE = """
format = 1
name = "shop"
server = "http://127.0.0.1:8000"
headers = ["X-Tenant: ${users.tenant}", "Cookie"]

[proxy]
url = "http://127.0.0.1:3128"
username = "${users.name}"
password = "${users.password}"

[datasets.users]
file = "users.csv"

[datasets.usersb]
file = "b.csv"

[[identity]]
username = "${users.name}"
password = "${users.password}"

[[page]]
name = "Home"

[[page.transaction]]
request = "GET /${users.name|url}/${usersb.name}?a=$${users.name}"
cookies = ["who=${users.name}"]
extractors = [{ variable = "id", json = '$.items[?(@.name=="${users.name}")].id' }]
validators = [
  { text = "${users.name}", row = "${users.tenant}" },
  { json = "$.name", equals = "${users.name}" },
  { regex = "users.name" },
]

[[page.transaction]]
request = "POST /login"
body = "login=${login}"

[variables]
login = { template = "${users.name}:${users.password}" }
"""

PEOPLE = Dataset(("name", "age"), (("anna", "30"), ("bert", "40")))


def test_everything_that_uses_a_dataset_follows_its_name() -> None:
    """Requests, header sets, cookies, actors, variables, identities, the proxy; nothing else."""
    case = parse_case(CASE, "shop.case.toml")
    text = format_case(renamed(case, "users", "people"))
    assert text == format_case(case).replace("${users.", "${people.").replace(
        "$${people.", "$${users."
    ).replace("[datasets.users]", "[datasets.people]")
    assert parse_case(text, "shop.case.toml") == renamed(case, "users", "people")


def test_users_of_a_dataset_are_named() -> None:
    """Of a column, too; through variables that are made of it."""
    case = parse_case(CASE, "shop.case.toml")
    assert list(users_of(case, "usersb")) == ["1 GET /${users.name|url}/${usersb.name}: path[2]"]
    found = list(users_of(case, "users.password"))
    assert found == ["2 POST /login: login", "the user identity", "the proxy"]
    assert "1 GET /${users.name|url}/${usersb.name}: an extractor" in users_of(case, "users.name")
    assert "1 GET /${users.name|url}/${usersb.name}: a validator" in users_of(case, "users.tenant")


@pytest.mark.promise(32)
@pytest.mark.parametrize(
    ("pattern", "values"),
    [
        ("{}", ("8", "9", "10")),
        ("user{:03}", ("user008", "user009", "user010")),
        ("{}-{:02}", ("8-08", "9-09", "10-10")),
        ("same", ("same", "same", "same")),
        ("{{{}}}", ("{8}", "{9}", "{10}")),
    ],
)
def test_numbers_are_generated(pattern: str, values: tuple[str, ...]) -> None:
    """Each number in the pattern."""
    assert generated(pattern, range(8, 11)) == values


@pytest.mark.parametrize("pattern", ["{", "}", "{x}", "{0.__class__}", "{!r}", "{:q}", "{:{}}"])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    """Nothing but numbers can be put in."""
    with pytest.raises(ValueError, match="is no pattern"):
        generated(pattern, range(1, 3))


def test_columns_and_rows() -> None:
    """Each gives a new dataset; what is not named stays."""
    assert filled(PEOPLE, "age", "123").rows == (("anna", "1"), ("bert", "2"), ("", "3"))
    assert filled(PEOPLE, "age", "1").rows == (("anna", "1"), ("bert", "40"))
    assert with_value(PEOPLE, 2, "name", "bo").rows[1] == ("bo", "40")
    assert with_column(PEOPLE, "town", "Kiel").rows[0] == ("anna", "30", "Kiel")
    assert without_column(PEOPLE, "name").rows == (("30",), ("40",))
    assert without_row(PEOPLE, 1).rows == (("bert", "40"),)
    with pytest.raises(ValueError, match="'name' is its only column"):
        without_column(Dataset(("name",), ()), "name")
