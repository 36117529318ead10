"""What looks random, and what names mean."""

from __future__ import annotations

import pytest

from pytest_loadtool.correlation.classify import (
    collection_names,
    is_id_name,
    looks_like_time,
    looks_random,
    singular,
)
from pytest_loadtool.model.rule import same_name


@pytest.mark.parametrize(
    "value",
    [
        "3f2b8c1e-9d47-4a60-b1c5-7e8f90a1b2c3",
        "3F2B8C1E9D474A60",
        "c7Jq2Xv9Lm4PzR8tYw3N",
        "5f4dcc3b",
        "507f1f77bcf86cd799439011",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        "MQ:1vN3sM:8Ue2_x0Z4kD",
        "1763700123456",
        "10045871",
        "aGVsbG8gd29ybGQgZm9vYmFy0=",
        "GhYtReWqAsDfGhJkLzXc",
        "dcmqkyhcrpbwcrzljsgefohrysqzuvcnawfuqqfuimrwvqcbavjkcsbvwcscpdccdcgyzjgz",
        "V1StGXR8_Z5jdHi6B-myT",
        "eyJpdiI6Ik9ZRTZ4UT09%2BdGFnIjoi%3D",
        "3EdRaavGYExxwoJbxRNuovkJutOJhlyF",
        "nWqYtRzKbDmGxHvLpJsF4",
    ],
)
def test_random(value: str) -> None:
    """Tokens, UUIDs, object ids, base64, long numbers."""
    assert looks_random(value)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "a1b2c3",
        "password",
        "administrator",
        "how-to-win-friends",
        "donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbau",
        "abcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcd",
        "iphone15",
        "version-2.10.3",
        "checkout-step-2",
        "getUserByName",
        "application/json",
        "/admin/a1b2c3d4e5/",
        "SELECT+%2A+FROM+%60plants%60",
        "index.php%3Froute%3D%2Fsql%26db%3Dgarden",
        "http://h/a1b2c3d4e5",
        "Plan for a1b2c3d4",
        "kim2020@example.com",
        "2026-11-21",
        "2026-11-21T05:50:55.123Z",
        "05:50:55.1",
        "00000000",
        "report_2024_q3_v2",
        "UPPERCASE_CONSTANT_NAME",
        "Special:MovePage",
        "getDocumentsOfPart2",
        "MyClassWithManyNames",
    ],
)
def test_not_random(value: str) -> None:
    """Words, slugs, versions, dates, addresses, short things."""
    assert not looks_random(value)


def test_times() -> None:
    """Dates, times of day and seconds since 1970."""
    times = ("2026-11-21", "2026-11-21T05:50:55Z", "05:50:55", "1763700123", "1763700123456")
    roundup = "2026-11-21.05:50:55"
    assert all(map(looks_like_time, (*times, roundup)))
    assert not any(map(looks_like_time, ("2026", "12", "5:50", "3763700123", "1763")))


def test_names() -> None:
    """Names mean the same in every spelling."""
    ids = ("id", "item_id", "itemId", "itemID", "user[id]", "form-0-id", "uuid", "_selected_action")
    assert all(map(is_id_name, ids))
    assert not any(map(is_id_name, ("", "idea", "grid", "valid", "id_name", "identity")))
    assert {same_name(one) for one in ("X-CSRFToken", "x_csrf_token", "xCsrfToken")} == {
        "xcsrftoken"
    }


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("items", "item"), ("categories", "category"), ("boxes", "box"), ("houses", "house"),
        ("addresses", "address"), ("branches", "branch"), ("status", "status"), ("news", "new"),
        ("line-items", "line item"), ("user", "user"), ("", ""),
        ("people", "person"),
        ("sub children", "sub child"),
        ("statuses", "status"),
        ("movies", "movie"),
        ("caches", "cache"),
        ("series", "series"),
    ],
)  # fmt: skip
def test_one_of_many(many: str, one: str) -> None:
    """A path segment's name in the singular; both forms name its things."""
    assert singular(many) == one
    assert {one} - {""} <= collection_names(many)
