"""Extractors with placeholders: what a user's own values find, whatever characters they hold."""

from __future__ import annotations

import base64
import html as markup
import json
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.bound import bind_source
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Boundary,
    CookieValue,
    Decoded,
    FormField,
    HeaderValue,
    JsonPath,
    RegularExpression,
    Source,
)
from tests.correlation.exchanges import html, json_body

_NAMES = ("mine", "id")


def fills(template: Template) -> Callable[[Sequence[str]], str]:
    """As a plan compiles templates: the values are those of `_NAMES`."""

    def fill(values: Sequence[str]) -> str:
        return "".join(
            filtered(values[_NAMES.index(one.name)], one.filters)
            if isinstance(one, Reference)
            else one
            for one in template.parts
        )

    return fill


def found(
    source: Source, response: Exchange, mine: str = "", id_: str = "", match: int = 1
) -> str | None:
    return bind_source(source, match, fills)(RecordedResponse(response), (mine, id_))


ITEMS = json_body(
    {
        "items": [
            {"id": 4, "name": "tea", "of": {"name": "ann", "n": 9}},
            {"id": 5, "name": 'a "b" \\ ${c} ]', "of": {"name": "bob", "n": 8}},
            {"id": 6, "name": "tea", "of": {"name": "17", "n": 17}},
            {"id": None, "name": True, "of": 3},
            7,
        ],
        "by name": {"a.b": {"id": 70}},
        "names": ["kim", "tea"],
        "rows": [["kim", 8, {"n": 1}], ["tea", 9, {"n": 2}], ["tea"], []],
    }
)


@pytest.mark.parametrize(
    ("path", "mine", "match", "expected"),
    [
        ('$.items[?(@.name=="${mine}")].id', "tea", 1, "4"),
        ('$.items[?(@.name=="${mine}")].id', "tea", 2, "6"),
        ('$.items[?(@.name=="${mine}")].id', "te", 1, None),
        ('$.names[?(@=="${mine}")]', "tea", 1, "tea"),
        ('$.names[?(@=="${mine}")]', "te", 1, None),
        ('$.items[?(@.name=="${mine}")].id', 'a "b" \\ ${c} ]', 1, "5"),
        ('$.items[?(@.name=="${mine}")].id', "true", 1, None),
        ("$.items[?(@.of.name=='${mine}')].name", "ann", 1, "tea"),
        ("$.items[?(@.of.n==${mine})].id", "17", 1, "6"),
        ("$.items[?(@.of.n==${mine})].id", "1", 1, None),
        ("$.items[?(@.of.name==${mine})].id", "17", 1, "6"),
        ('$.items[?(@.of.n=="${mine}")].id', "17", 1, None),
        ('$.items[?(@.of.name=="b${mine}")].id', "ob", 1, "5"),
        ('$.items[?(@.name=="${mine|unurl}")].id', "%74ea", 1, "4"),
        ("$['by name']['${mine}'].id", "a.b", 1, "70"),
        ("$.items[?(@.of.name==17)].id", "", 1, "6"),
        ('$.rows[?(@[0]=="${mine}")][1]', "tea", 1, "9"),
        ('$.rows[?(@[0]=="${mine}")][1]', "tea", 2, None),
        ("$.rows[?(@[1]==${mine})][0]", "8", 1, "kim"),
        ("$.rows[?(@[2].n==${mine})][0]", "2", 1, "tea"),
        ("$['by name'][?(@.id==${mine})]~", "70", 1, "a.b"),
        ("$['by name'][?(@.id==${mine})]~", "7", 1, None),
        ("$['by name']['${mine}']~", "a.b", 1, "a.b"),
        ("$['by name'].*~", "", 1, "a.b"),
        ("$.names.*~", "", 1, None),
        ("$.items~.id", "", 1, ValueError),
        ("$~", "", 1, ValueError),
        ('$.items[?(@.name=="a \\"${mine}")].id', "", 1, ValueError),
        ("$.items[${mine}].id", "0", 1, ValueError),
        ("$..${mine}", "id", 1, ValueError),
    ],
)
def test_in_a_json_path(
    path: str, mine: str, match: int, expected: str | type[ValueError] | None
) -> None:
    """A text to compare with, or a key; without quotes also that of a number."""
    if isinstance(expected, type):
        with pytest.raises(expected, match="placeholders"):
            found(JsonPath(path), ITEMS, mine, match=match)
        return
    assert found(JsonPath(path), ITEMS, mine, match=match) == expected


@given(st.lists(st.text(max_size=6), min_size=1, max_size=8, unique=True), st.data())
def test_any_text_of_a_list_finds_its_own_item(names: list[str], data: st.DataObject) -> None:
    """None is another's, whatever characters the texts have."""
    response = json_body([{"n": {"name": one}, "at": at} for at, one in enumerate(names)])
    mine = data.draw(st.sampled_from(names))
    path = JsonPath('$[?(@.n.name=="${mine}")].at')
    assert found(path, response, mine) == str(names.index(mine))


#: What people write around placeholders: found as text, and by a pattern.
_PATTERNS = st.sampled_from(
    [
        "<i>${mine}</i><b>([^<]*)</b>",
        r"<i>${mine}<\/i>",
        "${mine}",
        r"a\.b${mine}",
        "<b>([^<]*)</b>[^<]*<i>${mine}<",
        r"\.b>?(.?)[^<]*>\s*${mine}\s*<",
        r">\s*${mine}\s*</i><b>(.*?)<",
        "<i>.*?${mine}",
        "(<?)[^<]*${mine}",
        "<i>(.*)${mine}",
        "(?:<i>|>)+(?P<x>.?)${mine}",
        r"(.?)\b${mine}",
        r"[\s\S]*+${mine}",
        "[^>]++>?(.)${mine}",
        r"(.)\1${mine}",
        r"([\]^$|<]i?)>${mine}",
        "([ab]?)${mine}([ab]?)",
        "${mine}+",
        "<i>${mine}|<b>(.)",
        "<i>(?:a|${mine})</i>(<b>)?",
        "${mine}.*?${id}",
        "(?i)<I>${mine}",
    ]
)
_TEXTS = st.text("ab.*+<>&'\"\\1 ", min_size=1, max_size=4)


@given(_PATTERNS, st.lists(st.tuples(_TEXTS, st.text("ab1.", max_size=3)), max_size=6), st.data())
def test_in_a_pattern_as_if_it_stood_there(
    pattern: str, rows: list[tuple[str, str]], data: st.DataObject
) -> None:
    """The same match as of the pattern with the text in it, escaped: in markup, too."""
    quoted = data.draw(st.booleans())
    page = "".join(
        f"<i>{markup.escape(one) if quoted else one}</i><b>{other}</b> a.b" for one, other in rows
    )
    mine = data.draw(_TEXTS if not rows else st.sampled_from([one for one, _ in rows]) | _TEXTS)
    match = data.draw(st.integers(1, 3))
    written = "".join(
        f"(?:{re.escape(one)}|&{name};|&#{ord(one)};|&#x{ord(one):x};)"
        if (name := {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}.get(one))
        else re.escape(one)
        for one in mine
    )
    plain = pattern.replace("${mine}", f"(?:{written})").replace("${id}", "1")
    expected = compile_source(RegularExpression(plain), match)(RecordedResponse(html(page)))
    assert found(RegularExpression(pattern), html(page), mine, "1", match) == expected


_ENCODED = base64.b64encode(b'[{"n": "A+B", "v": 7}]').decode()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (Boundary("<td>${mine}</td><td>", "<"), "1"),
        (Boundary("<td>", "</td><td>1</td>${id}"), None),
        (FormField("qty[${id}]"), "8"),
        (CookieValue("s-${id}"), "yes"),
        (HeaderValue("Location", r"/${mine|url}/(\d+)"), "99"),
        (
            Decoded(
                RegularExpression('data-${id}="([^"]*)"'),
                ("base64",),
                JsonPath('$[?(@.n=="${mine}")].v'),
            ),
            "7",
        ),
        (Decoded(CookieValue("s-${id}"), (), RegularExpression("e(.)")), "s"),
        (RegularExpression(r'action="/items/${id}/delete"[\s\S]*?value="([^"]*)"'), "t17"),
    ],
)
def test_in_the_other_kinds(source: Source, expected: str | None) -> None:
    """Between boundaries, in names, in the pattern for a header."""
    page = html(
        '<td>a.b</td><td>0</td><td>A+B</td><td>1</td><input name="qty[17]" value="8">'
        '<form action="/items/170/delete"><input value="t170"></form>'
        '<form action="/items/17/delete"><input value="t17"></form>'
        f'<p data-17="{_ENCODED}">',
        ("Set-Cookie", "s-17=yes"),
        ("Location", "/A%2BB/99"),
    )
    assert found(source, page, "A+B", "17") == expected


@pytest.mark.parametrize(
    "source",
    [
        Boundary("<td>${mine}", "<"),
        FormField("qty${mine}"),
        CookieValue("s${mine}"),
        HeaderValue("Location", "/${mine}"),
        RegularExpression("<td>${mine}([^<]*)"),
        RegularExpression("(<td>)${mine}"),
    ],
)
def test_an_empty_value_finds_nothing(source: Source) -> None:
    """Any row would have it."""
    page = html('<td>x</td><input name="qty" value="8">', ("Set-Cookie", "s=1"), ("Location", "/"))
    assert found(source, page, "") is None


def test_an_empty_text_is_a_text_in_json() -> None:
    """It is compared, not looked for."""
    rows = json_body([{"name": "x", "id": 1}, {"name": "", "id": 2}])
    assert found(JsonPath('$[?(@.name=="${mine}")].id'), rows, "") == "2"


def test_what_needs_a_user_is_not_read_without_one() -> None:
    """And the escape of a placeholder is the text itself."""
    rows = RecordedResponse(json_body([{"name": "${x}", "id": 1}]))
    with pytest.raises(ValueError, match="no user"):
        compile_source(JsonPath('$[?(@.name=="${x}")].id'))
    assert compile_source(JsonPath('$[?(@.name=="$${x}")].id'))(rows) == "1"
    assert found(JsonPath('$[?(@.name=="$${x}")].id'), json_body(json.loads(rows.text))) == "1"


def test_a_body_that_is_not_json() -> None:
    """Holds no item of anybody."""
    assert found(JsonPath('$[?(@.name=="${mine}")].id'), html("<p>"), "x") is None


def test_match_counts_from_1() -> None:
    """As without placeholders."""
    with pytest.raises(ValueError, match="from 1"):
        bind_source(JsonPath("$['${mine}']"), 0, fills)


@pytest.mark.parametrize("mine", ["tea", "${c}", "$"])
def test_text_that_looks_like_a_placeholder(mine: str) -> None:
    """A user's value may hold "${", and so may the text around it, of each kind of source."""
    text = "${" + mine + "}=5;"
    assert found(Boundary("$${${mine}}=", ";"), html(text), mine) == "5"
    assert found(RegularExpression(r"x|\$\{${mine}\}=(\d)"), html(text), mine) == "5"
    assert found(CookieValue("$${${mine}}"), html("", ("Set-Cookie", text)), mine) == "5"
    assert found(FormField("${mine}"), html(f'<input name="{mine}" value="5">'), mine) == "5"


def test_in_a_text_that_is_decoded() -> None:
    """Outside, inside, or in neither, with the escape: `$${` is `${`."""
    packed = base64.b64encode(b'{"tea": "4", "${": 5}').decode()
    response = json_body({"tea": packed})
    decode = ("base64",)
    inner = JsonPath("$['${mine}']")
    assert found(Decoded(JsonPath("$['${mine}']"), decode, inner), response, "tea") == "4"
    assert found(Decoded(JsonPath("$.tea"), decode, inner), response, "${") == "5"
    assert found(Decoded(JsonPath("$['${mine}']"), decode), response, "tea", match=2) is None
    literal = Decoded(JsonPath("$.tea"), decode, Boundary('"$${": ', "}"))
    assert compile_source(literal)(RecordedResponse(response)) == "5"
