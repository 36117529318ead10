"""Texts laid out on lines."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.codec.layout import json_layout, markup_layout

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_json_stays_the_same_value(value: object) -> None:
    """Laying it out changes nothing but white space."""
    assert json.loads(json_layout(json.dumps(value))) == value


def test_escaped_letters_are_readable() -> None:
    """Those of a person's language, and emoji; what moves the cursor, half a pair and an escaped
    backslash stay."""
    text = (
        r'{"a": "f\u00fcr \u4e16\u754c \ud83e\uded6", "b": "\u001b \u202e \ud83e \\u00fc \u0041"}'
    )
    assert json_layout(text).split("\n") == [
        "{",
        '  "a": "für 世界 🫖",',
        r'  "b": "\u001b \u202e \ud83e \\u00fc \u0041"',
        "}",
    ]


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
