"""A text in the row that has another one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_loadtool.codec.entities import in_markup
from pytest_loadtool.extraction.row_search import in_row

TABLE = """<html><table>
<tr><td><a href="/items/1">Tea &amp; Co</a></td><td>open</td></tr>
<TR><td><a href="/items/17">Milk</a></td><td>open</td></TR>
<tr class="x"><td><a href="/items/7/">O&#x27;Neill</a><track></td><td>sent</td></tr>
</table><a href="/items/9">elsewhere</a>"""
LIST = """<ul><li data-id="1">Tea<ul><li data-id="2">Green</li></ul>open</li>
<li data-id="3">Cup</li>"""
#: As minifiers write it, without end tags.
OPEN = """<html><ul><li><a href=/me>Kim</a><li>Top</ul><a href=/talks>Talks</a><table><tbody>
<tr><td><ul><li>hot<li>new</ul>Tea<td><a href=/items/1>open</a><tr><td>Cup<table><tr><td>small
</table><td>sent</table><a href=/items/9>elsewhere</a>"""
SOAP = """<?xml version="1.0"?><s:Envelope><s:Body><List>
<Order><id>1</id><count unit="kg">3</count></Order><Order/>
<Order><id>2</id><count>4</count><Order><id>9</id></Order></Order></List></s:Body></s:Envelope>"""
#: A row of a page as answers to scripts have it, whose first text is long or short.
PART = """<?xml version='1.0'?><ajax><![CDATA[<tr id="c-3"><td>{}</td><td><a href="#c-2">Tea</a>
<p>Mm</p></td></tr>]]></ajax>"""


@pytest.mark.parametrize(
    ("text", "anchor", "wanted", "found"),
    [
        (TABLE, '/items/1"', "open", True),
        (TABLE, '/items/1"', "Tea & Co", True),
        (TABLE, '/items/1"', "sent", False),
        (TABLE, "/items/7/", "O'Neill", True),
        (TABLE, "Tea & Co", "open", True),
        (TABLE, "Tea & Co", "sent", False),
        ("<p><li>Sam &#x27;s &lt;b&gt;<b>7</b></li>", "Sam 's <b>", ">7<", True),
        (TABLE, "/items/7/", "open", False),
        (TABLE, "/items/9", "elsewhere", False),
        (TABLE, "/items/8", "open", False),
        (LIST, 'data-id="2"', "Green", True),
        (LIST, 'data-id="2"', "open", False),
        (LIST, 'data-id="3"', "Cup", True),
        (OPEN, "/me", "Kim", True),
        (OPEN, "/me", "Top", False),
        (OPEN, "/talks", "Top", False),
        (OPEN, "/talks", "Talks", False),
        (OPEN, "/items/1>", "Tea", True),
        (OPEN, "/items/1>", "Cup", False),
        (OPEN, "hot", "new", False),
        (OPEN, "sent", "Cup", True),
        (OPEN, "small", "Cup", False),
        (OPEN, "/items/9", "elsewhere", False),
        (SOAP, ">1<", ">3<", True),
        (SOAP, ">1<", ">4<", False),
        (SOAP, ">2<", ">4<", True),
        (SOAP, ">9<", ">4<", False),
        (SOAP, ">7<", ">4<", False),
        (PART.format("-"), '#c-2"', ">Mm<", True),
        (PART.format("-" * 1000), '#c-2"', ">Mm<", True),
        (f'<tr><td>{"-" * 1000}</td><td><a href="#c-2">Tea</a></td></tr>', '#c-2"', "-----", True),
        ("<a>1</a><b>2</b>", ">1<", ">2<", False),
        ("<a><b>1</b>" * 3, ">1<", ">1<", False),
        ("", "x", "y", False),
        ("x", "x", "x", False),
    ],
)
def test_in_row(text: str, anchor: str, wanted: str, found: bool) -> None:
    """The innermost row counts; in XML the element around the one that is known."""
    assert in_row(text, anchor, wanted) is found


def test_what_a_script_compares_is_read_in_linear_time() -> None:
    """Half a megabyte behind a ``<`` that is no tag: of its square, the search would take hours."""
    code = (
        "from pytest_loadtool.extraction.row_search import in_row\n"
        "text = '<r><o><id>1</id>' + '<' + 'b' * (1 << 19) + '</o></r>'\n"
        "print(in_row(text, '>1<', '>1<'), in_row(text, '>1<', '>2<'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "True False\n", done.stderr


@pytest.mark.parametrize(
    ("wanted", "text", "found"),
    [
        ("Tea", "Tea", True),
        ("Tea & Co", "Tea &amp; Co", True),
        ("O'Neill", "O&#39;Neill", True),
        ("<b>", "&lt;b&gt;", True),
        ("Tea & Co", "Tea & Go &amp;", False),
        ("Tea", "&amp;", False),
    ],
)
def test_in_markup(wanted: str, text: str, found: bool) -> None:
    """As it is, or with character references."""
    assert in_markup(wanted, text) is found
