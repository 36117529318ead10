"""Bodies for reading."""

from __future__ import annotations

import json

from pytest_loadtool.console.screens.content import (
    LONGEST_LAID_OUT,
    LONGEST_SHOWN,
    content,
)
from pytest_loadtool.masking.text import BY_NAME


def test_json_has_a_member_on_each_line() -> None:
    """Keys and values are of their kinds, and each token is as it was written."""
    lines = content(b'{"id":1.50,"tags":[],"of":{"name":"Tea"}}', "application/json", BY_NAME)
    assert [str(line) for line in lines] == [
        "{",
        '  "id": 1.50,',
        '  "tags": [],',
        '  "of": {',
        '    "name": "Tea"',
        "  }",
        "}",
    ]
    assert ('"name"', "tag") in lines[4].spans
    assert ('"Tea"', "string") in lines[4].spans


def test_a_form_has_a_field_on_each_line_and_no_password() -> None:
    """It is decoded; what its name says is secret is cut."""
    form = b"user=anne%20b&password=correct+horse+7"
    lines = content(form, "application/x-www-form-urlencoded", BY_NAME)
    assert [str(line) for line in lines] == ["user=anne b", "password=corr…"]


def test_raw_is_as_it_was_sent() -> None:
    """Nothing is laid out; secrets stay cut."""
    form = b"user=anne%20b&password=correct+horse+7"
    (line,) = content(form, "application/x-www-form-urlencoded", BY_NAME, raw=True)
    assert str(line) == "user=anne%20b&password=corr…"


def test_what_is_no_text_is_told_by_size() -> None:
    """An image has no lines; control characters of a text can be seen."""
    assert [str(line) for line in content(b"\x89PNG\0\xff", "image/png", BY_NAME)] == [
        "(6 B of image/png)"
    ]
    (line,) = content(b"a\x1b[31mb", "text/plain", BY_NAME)
    assert str(line) == "a\\x1b[31mb"


def test_a_large_body_is_shown_plain_and_a_larger_one_in_part() -> None:
    """Beyond some size nothing is laid out; beyond a larger one the rest is counted."""
    large = json.dumps(["x" * 10] * (LONGEST_LAID_OUT // 10)).encode()
    assert len(content(large, "application/json", BY_NAME)) == 1
    lines = content(b"y" * (LONGEST_SHOWN + 7), "text/plain", BY_NAME)
    assert len(lines[0]) == LONGEST_SHOWN
    assert str(lines[1]).startswith("… 7 more characters")
