"""Bodies for reading."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.console.screens.content import (
    LONGEST_LAID_OUT,
    LONGEST_SHOWN,
    content,
    json_layout,
    markup_layout,
)
from pytest_loadtool.masking.text import BY_NAME

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


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


@given(VALUES)
def test_json_stays_the_same_value(value: object) -> None:
    """Laying it out changes nothing but white space."""
    assert json.loads(json_layout(json.dumps(value))) == value


def test_tags_that_stand_together_get_lines_of_their_own() -> None:
    """Elements are indented; a text stays on the line of its element, a script as it is."""
    page = "<ul><li><b>Tea</b> 3 €</li><li></li></ul><br><script>if (a<b) {<i>}</script><p>End</p>"
    assert markup_layout(page).split("\n") == [
        "<ul>",
        "  <li>",
        "    <b>Tea</b> 3 €</li>",
        "  <li></li>",
        "</ul>",
        "<br>",
        "<script>if (a<b) {<i>}</script>",
        "<p>End</p>",
    ]


@given(st.text(st.sampled_from("<>/ab \n\"='!-?"), max_size=60))
def test_any_markup_keeps_its_characters(text: str) -> None:
    """What is no HTML at all is laid out somehow, and loses nothing but white space."""
    assert "".join(markup_layout(text).split()) == "".join(text.split())


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
