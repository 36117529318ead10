"""Links, forms, choices and items of lists: what their extractors take from pages as they are."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.casefile import read_case
from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.extraction.bound import bind_source
from pytest_loadtool.extraction.extract import PlainText, compile_source
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    FormField,
    InItem,
    Link,
    RegularExpression,
    Source,
    XmlPath,
)
from pytest_loadtool.structure.uses import references

FORMATS = Path(__file__).parents[2] / "docs" / "formats.md"


def with_values(values: dict[str, str]) -> Callable[[Template], Callable[[Sequence[str]], str]]:
    """Compiles templates, as a plan does, for a user with these values."""

    def fills(template: Template) -> Callable[[Sequence[str]], str]:
        def fill(_: Sequence[str]) -> str:
            return "".join(
                filtered(values[one.name], one.filters) if isinstance(one, Reference) else one
                for one in template.parts
            )

        return fill

    return fills


def taken(source: Source, page: str, match: int = 1, **values: str) -> str | None:
    """What a user with these values takes."""
    if references(source):
        return bind_source(source, match, with_values(values))(PlainText(page), ())
    return compile_source(source, match)(PlainText(page))


@pytest.mark.promise(138)
def test_the_example_of_the_documentation(tmp_path: Path) -> None:
    """Each of its extractors takes what the page below it is said to give."""
    section = FORMATS.read_text().partition("#### Links, forms and choices")[2]
    code = re.findall(r"```(?:toml transaction|text)\n(.*?)```", section, re.DOTALL)
    head = (
        'format = 1\nname = "a"\nserver = "http://h"\n[[page]]\nname = "p"\n[[page.transaction]]\n'
    )
    (tmp_path / "a.case.toml").write_text(head + code[0])
    (transaction,) = read_case(tmp_path / "a.case.toml").transactions()
    values: dict[str, str] = {}
    for one in transaction.extractors:
        values[one.variable] = taken(one.source, code[1], one.match, **values) or "nothing"
    said = re.search(r"On this page they take (.*):", section)
    assert said is not None
    assert [f"`{one}`" for one in values.values()] == re.split(", | and ", said[1])


PAGE = """<html><a href="/orders/1/edit?tab=a">One</a><a href='http://h:1/orders/2/edit'>Two</a>
<a href=/orders/3/edit#top> <i class="icon"></i> Three &amp; more</a>
<script>location = "/orders/4/edit"; x = '/order/edit'</script>
<a href="/find?q=a&amp;page=2&#038;sig=k%2F1">next</a><a href="edit.php?id=7">relative</a>
<a href="/orders/5">bare</a> <a href="/login?next=/orders/6">in</a> <a href="/a/x-9-y">mixed</a>
<img src="/media/8.png"><button formaction="/orders/10/stop">Stop</button>
<a href="m11">m11 (see)</a>
</html>"""


@pytest.mark.parametrize(
    ("source", "match", "value"),
    [
        (Link("/orders/*/edit"), 1, "1"),
        (Link("/orders/*/edit"), 2, "2"),
        (Link("/orders/*/edit"), 3, "3"),
        (Link("/orders/*/edit"), 4, "4"),
        (Link("/orders/*/edit"), 5, None),
        (Link("http://h:1/orders/*/edit"), 1, "2"),
        (Link("http://other/orders/*/edit"), 1, None),
        (Link("/orders/*"), 1, "5"),
        (Link("/orders/*/edit?tab=a"), 1, "1"),
        (Link("/orders/*/edit?tab=b"), 1, None),
        (Link("/find?sig=*&page=..."), 1, "k%2F1"),
        (Link("/find?page=*&q=a"), 1, "2"),
        (Link("/find?page=*&q=b"), 1, None),
        (Link("edit.php?id=*"), 1, "7"),
        (Link("/.../5?x=*"), 1, None),
        (Link("/.../*/stop"), 1, "10"),
        (Link("/a/x-*-y"), 1, "9"),
        (Link("/a/x-*-z"), 1, None),
        (Link("/media/*.png"), 1, "8"),
        (Link("/orders/*/edit", "Two"), 1, "2"),
        (Link("/orders/*/edit", "Three & more"), 1, "3"),
        (Link("/orders/*/edit", "Three"), 1, None),
        (Link("*", "* (see)"), 1, "m11"),
        (Link("/orders/*/edit", "*"), 1, None),
    ],
)
def test_links(source: Source, match: int, value: str | None) -> None:
    """Addresses as pages write them: the path as a whole, of the query what is named."""
    assert taken(source, PAGE, match) == value


FORMS = """<html><form action="/search"><input name="t" value="s"></form>
<FORM method=post action='/items/1/delete?a=1&amp;b=2'><input type=hidden name=t value=a1></FORM>
<form action="http://h/items/2/delete"><input name="t" value="a2"><input name="t" value="b2"></form>
<form action="/items/3/delete"><p>none</p></form><input name="t" value="outside"></html>"""


@pytest.mark.parametrize(
    ("source", "match", "value"),
    [
        (FormField("t", action="/items/1/delete"), 1, "a1"),
        (FormField("t", action="/items/1/delete?b=2"), 1, "a1"),
        (FormField("t", action="/items/1/delete?b=3"), 1, None),
        (FormField("t", action="/items/2/delete"), 1, "a2"),
        (FormField("t", action="/items/2/delete"), 2, "b2"),
        (FormField("t", action="/items/3/delete"), 1, None),
        (FormField("t", action="/items/.../delete"), 3, "b2"),
        (FormField("t", action="/items/.../delete"), 4, None),
        (FormField("u", action="/items/1/delete"), 1, None),
    ],
)
def test_fields_of_forms(source: Source, match: int, value: str | None) -> None:
    """Of the form that submits there, and of no other."""
    assert taken(source, FORMS, match) == value


@pytest.mark.parametrize(
    ("page", "label", "value"),
    [
        ('<select name="a"><option value=1>X<option value=2> B &amp; C\n</select>', "B & C", "2"),
        ("<select name=a><option>B & C</option></select>", "B & C", "B & C"),
        ('<select name="b"><option value="1">B</option></select>', "B", None),
        ('<input type=radio name=a value=1 id=x><label for="x">B</label>', "B", "1"),
        ('<label><input type="checkbox" name="a" value="2"> <b>B</b></label>', "B", "2"),
        ('<button name="a" value="3">\nB</button>', "B", "3"),
        ('<input type="hidden" name="a" value="B">', "B", None),
    ],
)  # fmt: skip
def test_choices(page: str, label: str, value: str | None) -> None:
    """By what a person reads."""
    assert taken(Choice("a", label), page) == value


LIST = """<html><h1>Tea</h1><ul><li><b>Milk</b> <a href="/i/1">x</a></li>
<li><a href="/i/2">x</a> <i>by</i> <b> Tea\n</b></li><li>Tea bag <a href="/i/3">x</a></li>
<li><b>Tea</b> <a href="/i/4">x</a><a href="/i/5">x</a></li></ul>
<div class="big card"><p>Oil</p><div class="foot"><a href="/i/6">x</a></div></div>
<div class="card"><p>O&#39;Neill &amp; Co</p><div class="foot"><a href="/i/7">x</a></div></div>
<div class="card"><p>Salt</p></div><a href="/i/8">x</a></html>"""


@pytest.mark.parametrize(
    ("source", "match", "value"),
    [
        (InItem(Link("/i/*"), "Milk"), 1, "1"),
        (InItem(Link("/i/*"), "Tea"), 1, "2"),
        (InItem(Link("/i/*"), "Tea"), 2, "5"),
        (InItem(Link("/i/*"), "Te"), 1, None),
        (InItem(Link("/i/*"), "Oil"), 1, None),
        (InItem(Link("/i/*"), "Oil", "div.card"), 1, "6"),
        (InItem(Link("/i/*"), "Oil", "div.foot"), 1, None),
        (InItem(Link("/i/*"), "O'Neill & Co", "div.card"), 1, "7"),
        (InItem(Link("/i/*"), "Salt", "div.card"), 1, None),
        (InItem(RegularExpression("/i/(.)"), "Milk"), 1, "1"),
        (InItem(Boundary('href="', '"'), "Milk", "ul"), 1, "/i/1"),
        (InItem(InItem(Link("/i/*"), "Tea"), "Milk", "ul"), 1, "2"),
    ],
)
def test_items(source: Source, match: int, value: str | None) -> None:
    """Of those with an element that has exactly the text, the first that has a value."""
    assert taken(source, LIST, match) == value


@pytest.mark.parametrize("behind", ["<h2>Orders</h2>", "</div>", "<form>", "<ul><li>", "<P>"])
def test_where_a_paragraph_ends(behind: str) -> None:
    """Without an end tag: where what begins or ends that no paragraph has in it."""
    page = f'<html><div><p><b>Tea</b> <a href="/i/1">x</a>{behind}<a href="/i/2">y</a>'
    assert taken(InItem(Link("/i/*"), "Tea", "p"), page) == "1"
    assert taken(InItem(Link("/i/*", label="y"), "Tea", "p"), page) is None


def test_elements_of_xml() -> None:
    """The element around that with the text."""
    orders = "<r><o><n>Milk</n><k>1</k></o><o><n>Tea</n><k>2</k></o></r>"
    assert taken(InItem(RegularExpression("<k>(.*?)<"), "Tea"), orders) == "2"
    assert taken(XmlPath('//o[n="Tea"]/k'), orders) == "2"


@pytest.mark.parametrize(
    "source",
    [
        Link("/i/${mine}/edit?t=*"),
        Link("/x?n=${mine}&t=*"),
        Link("/x/*", "${mine}"),
        FormField("t", action="/i/${mine}/edit"),
        Choice("t", "${mine}"),
        InItem(Link("/x/*"), "${mine}"),
        InItem(Link("/x/*"), "Tea", "div.card"),
    ],
)
def test_an_empty_value_finds_nothing(source: Source) -> None:
    """Any would fit."""
    page = '<li><a href="/i//edit?t=1"></a><a href="/x/1?n=&t=1"></a></li><form action="/i//edit">'
    page += "<input name=t></form>"
    assert taken(source, page, mine="") is None


_TEXTS = st.text("ab*.$ &<>'\"/?=%{}é", min_size=1, max_size=5).map(str.strip).filter(bool)


@pytest.mark.promise(138)
@given(st.lists(_TEXTS, min_size=1, max_size=6, unique=True), st.data())
def test_each_user_finds_its_own(names: list[str], data: st.DataObject) -> None:
    """Whatever characters the texts have, as markup writes them."""
    mine = data.draw(st.sampled_from(names))
    at = str(names.index(mine))
    rows = "".join(
        f"<tr><td>{html.escape(one)}</td><td>"
        f'<a href="/i/{number}?n={html.escape(filtered(one, ("url",)))}">{html.escape(one)}</a>'
        "</td></tr>"
        for number, one in enumerate(names)
    )
    options = "".join(
        f'<option value="{number}">{html.escape(one)}</option>' for number, one in enumerate(names)
    )
    page = f"<html><table>{rows}</table><select name='s'>{options}</select></html>"
    for source in (
        InItem(Link("/i/*"), "${mine}"),
        Link("/i/*?n=${mine|url}"),
        Link("/i/*", "${mine}"),
        Choice("s", "${mine}"),
    ):
        assert taken(source, page, mine=mine) == at, source


_SOURCES = (
    Link("/a/*/b?c=..."), Link("*", "x"), Link("a...b...*"), FormField("a", action="/b"),
    Choice("a", "x"), InItem(Link("/a/*"), "x"), InItem(Link("*"), "x", "div.a"),
)  # fmt: skip
_PIECES = (
    "<a ", 'href="', "/a/", "1/b", "?c=", '"', "'", ">", "<", "x", "</a>", "<form action=", "/b",
    '<input name="a" value="1">', "<select name=a>", "<option>", "<li>", "<div class=a>", "</div>",
    " ", "&amp;", "=",
)  # fmt: skip


@given(st.sampled_from(_SOURCES), st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
def test_broken_pages_have_an_end(source: Source, page: str) -> None:
    """A value, or nothing."""
    value = taken(source, page)
    assert value is None or value in html.unescape(page)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "page"),
    [
        (FormField("a", action="/b"), "/b " * 500_000),
        (Link("/a/*", "x"), ">x<" * 500_000),
        (InItem(Link("/a/*"), "x"), ">x<" * 500_000),
        (Choice("a", "x"), ">x<" * 500_000),
    ],
)
def test_many_places_that_are_none_take_no_time(source: Source, page: str) -> None:
    """To look through the page again for each of them would take half an hour."""
    assert taken(source, page) is None
