"""Form controls are found however a page spells them."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.extraction.tags import controls, find_control


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<input type="hidden" name="tok" value="v1">', "v1"),
        ("<input value='v1' name='tok' type='hidden'>", "v1"),
        ("<INPUT NAME=tok VALUE=v1>", "v1"),
        ("<input name=tok value=v1/>", "v1/"),
        ('<input name="tok"value="v1"/>', "v1"),
        ('<input\n  name = "tok"\n  value = "v1"\n>', "v1"),
        ('<input data-x="a > b" name="tok" value="v1">', "v1"),
        ('<input data-x="a < b" name="tok" value="v1">', "v1"),
        ('<input title="it\'s" name="tok" value=\'v"1\'>', 'v"1'),
        ('<input name="tok" value="a&amp;b&quot;&#39;&#x3D;">', "a&b\"'="),
        ('<input name="tok">', ""),
        ('<input name="tok" value="v1" value="v2">', "v1"),
        ('<meta name="tok" content="v1">', "v1"),
        ('<meta content="v1" name="tok"/>', "v1"),
        ('<button name="tok" value="v1">Go</button>', "v1"),
        ('<textarea name="tok">\nline &lt;1&gt;\n</textarea>', "line <1>\n"),
        ("<select name=tok><option value=a>A<option value=v1 selected>B</select>", "v1"),
        ("<select name=tok><option> v1 </option><option>b</option></select>", "v1"),
        ('<input name="other" value="tok"><input name="tok" value="v1">', "v1"),
        ('<p class="tok">tok</p> "tok" <input name="tok" value="v1">', "v1"),
        ('<input name="tokens" value="no"><input name="tok" value="v1">', "v1"),
        ('<!-- <input name="tok" value="old"> --><input name="tok" value="v1">', "v1"),
        ('<script>\'<input name="tok" value="js">\'</script><input name=tok value=v1>', "v1"),
        ('<template><input name="tok" value="t"></template><input name="tok" value="v1">', "v1"),
        ('<div name="tok" value="no"></div>', None),
        ('<inputs name="tok" value="no">', None),
        ("no form at all: name=tok value=no", None),
    ],
)
def test_spellings(text: str, expected: str | None) -> None:
    """Attributes in any order, case and quotes; comments and scripts hold no controls."""
    assert find_control(text, "tok", 1) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<input name=a value="<input name=b>"><input name=c>', ["a", "c"]),
        ("<textarea name=a><input name=b></textarea><input name=c>", ["a", "c"]),
        ("<textarea name=a><input name=b>", ["a"]),
        ("<input name=a <input name=b>", ["a"]),
    ],
)
def test_what_stands_in_a_control_is_none(text: str, expected: list[str]) -> None:
    """Tags in attributes and in text areas are text."""
    assert [found["name"] for _, found, _, _ in controls(text)] == expected


def test_select_ends_another() -> None:
    """As browsers read it, a select that is not closed ends with the next one."""
    text = "<select name=a><select name=b><option value=1></select>"
    assert [find_control(text, name, 1) for name in ("a", "b")] == ["", "1"]


def test_matches_are_counted() -> None:
    """The n-th control of the name, in document order."""
    text = '<input name=a value=1><p>a</p><input value=2 name="a"><meta name=a content=3>'
    assert [find_control(text, "a", match) for match in (1, 2, 3, 4)] == ["1", "2", "3", None]


@pytest.mark.parametrize("spelling", ["user[e&mail]", "user&#91;e&amp;mail&#x5D;"])
def test_names_with_character_references(spelling: str) -> None:
    """A name is compared as the browser reads it."""
    assert find_control(f'<input value="v" name="{spelling}">', "user[e&mail]", 1) == "v"


class _Reference(HTMLParser):
    """What the standard library's parser sees."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        first = {name: value or "" for name, value in reversed(attrs)}
        if tag == "input":
            self.seen.append((first.get("name", ""), first.get("value", "")))


_NAMES = st.sampled_from(["a", "b", "csrf_token", "x[y]", "é", "a&b", 'q"'])
_VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=12)


@given(st.lists(st.tuples(_NAMES, _VALUES, st.sampled_from("\"'"), st.booleans()), max_size=6))
def test_agrees_with_the_standard_parser(fields: list[tuple[str, str, str, bool]]) -> None:
    """Escaped as pages escape, every value comes back, and is the one HTMLParser sees."""
    text = "<form>"
    for name, value, quote, value_first in fields:
        parts = [f"name={quote}{escape(name)}{quote}", f"value={quote}{escape(value)}{quote}"]
        text += f"<p>{escape(value)}</p><input {' '.join(parts[::-1] if value_first else parts)}>"
    reference = _Reference()
    reference.feed(text)
    assert [(found["name"], found["value"]) for _, found, _, _ in controls(text)] == reference.seen
    counts: dict[str, int] = {}
    for name, expected in reference.seen:
        counts[name] = counts.get(name, 0) + 1
        assert find_control(text, name, counts[name]) == expected
