"""XML paths: elements and attributes by their local names; hostile documents have no values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.codec.template import Template
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.responses.xml_document import xml_document
from pytest_loadtool.extraction.bound import bind_source
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.model.extractor import XmlPath
from pytest_loadtool.model.xml_path import xml_steps
from tests.correlation.exchanges import exchange

ORDERS = """\ufeff<?xml version="1.0" encoding="utf-16"?>
<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><r xmlns="urn:shop">
  <Order id="1"><Customer>Milk &amp; Co</Customer><Price cur="EUR">2</Price>
    <Line><Sku>a</Sku><Id>11</Id></Line></Order>
  <Order x:id="2" xmlns:x="urn:x"><!-- ours --><Customer> Tea <b>Cup</b> </Customer><Price/>
    <Line><Sku>a</Sku><Id>21</Id></Line><Line><Sku>b</Sku><Id>22</Id></Line></Order>
  <Note><![CDATA[a < b]]></Note><Orders>no order</Orders>
</r></s:Body></s:Envelope>"""


def value(path: str, text: str = ORDERS, match: int = 1) -> str | None:
    """What the path takes from a response with that text."""
    return compile_source(XmlPath(path), match)(RecordedResponse(exchange(answer=text.encode())))


@pytest.mark.parametrize(
    ("path", "match", "expected"),
    [
        ("//Order/@id", 1, "1"),
        ("//Order/@id", 2, "2"),
        ("//Order/@id", 3, None),
        ("//Order/Customer", 1, "Milk & Co"),
        ("//Order[2]/Customer", 1, "Tea Cup"),
        ("/Envelope/Body/r/Order[2]/@id", 1, "2"),
        ("/Body/r/Order[2]/@id", 1, None),
        ("//Envelope/Body/*/Order[2]/@id", 1, "2"),
        ('//Order[Customer="Tea Cup"]/@id', 1, "2"),
        ("//Order[ Customer = 'Milk & Co' ]/Line/Id", 1, "11"),
        ("//Order[@id='2']/Line[Sku='b']/Id", 1, "22"),
        ("//Order[Line/Id='22']/@id", 1, "2"),
        ("//Order[Price/@cur='EUR']/@id", 1, "1"),
        ("//Order[Line/Sku='a'][2]/@id", 1, "2"),
        ("//Order[Line/Sku='b'][2]/@id", 1, None),
        ("//Order[Line/Sku='a'][Line/Sku='b']/@id", 1, "2"),
        ("//Line/Sku[.='b']", 1, "b"),
        ("//Price", 2, ""),
        ("//Note", 1, "a < b"),
        ("//Order[Customer='Tea']/@id", 1, None),
        ("//Nothing[Customer='Tea']/@id", 1, None),
        ("//id", 1, None),
    ],
)
def test_paths(path: str, match: int, expected: str | None) -> None:
    """Prefixes, comments and the declared encoding of what is text by now do not count."""
    assert value(path, match=match) == expected


@pytest.mark.parametrize(
    "path",
    ["", "/", "//", "Order", "//@id", "//a//b", "//a/@b/c", "//a[1][2]", "//a[0]", "//a[b]",
     '//a[b="c]', "//a[b=c]", "//a[b='c' and d='e']", "//s:a", "//a/", "//a['x']", "//a[-1]"],
)  # fmt: skip
def test_what_is_no_path(path: str) -> None:
    """It is refused where it is compiled."""
    with pytest.raises(ValueError, match="expected a path such as"):
        xml_steps(path)


def fills(template: Template) -> Callable[[Sequence[str]], str]:
    """What a plan compiles: the only placeholder has the first value."""
    return lambda values: "".join(
        one if isinstance(one, str) else values[0] for one in template.parts
    )


@pytest.mark.parametrize("name", ["Tea", '"Tea"', "it's", """'"]/x""", "a & <b>", "${x}", ""])
def test_a_users_own_value_is_text(name: str) -> None:
    """Whatever it means in a path or in XML."""
    written = name.replace("&", "&amp;").replace("<", "&lt;")
    text = f"<r><o><n>other</n><id>1</id></o><o><n>{written}</n><id>2</id></o></r>"
    get = bind_source(XmlPath('//o[n="${mine}"]/id'), 1, fills)
    assert get(RecordedResponse(exchange(answer=text.encode())), (name,)) == "2"


def bomb(levels: int = 9) -> str:
    """Some lines that are gigabytes of text if each entity is replaced."""
    entities = "".join(f'<!ENTITY e{at} "{f"&e{at - 1};" * 10}">' for at in range(1, levels + 1))
    return f'<!DOCTYPE r [<!ENTITY e0 "ha">{entities}]><r><id>&e{levels};</id></r>'


@pytest.mark.parametrize(
    "text",
    [
        bomb(),
        '<!DOCTYPE r [<!ENTITY id SYSTEM "file:///etc/hostname">]><r><id>&id;</id></r>',
        '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]><r><id>1</id></r>',
        "<r><id>&other;</id></r>",
        "<r><id>1</id>",
        "<r><id>1</id></r></r>",
        "<html><br><id>1</id></html>",
        "\x00<r><id>1</id></r>",
        "{}",
        "",
    ],
)
def test_hostile_documents_have_no_values(text: str) -> None:
    """No entity is replaced and nothing is fetched; what is not well-formed is not read."""
    assert value("//id", text) is None
    with pytest.raises(ValueError, match=r"."):
        xml_document(text)


def test_deep_documents() -> None:
    """Extraction does not care; what makes rows of them says that it is too deep."""
    text = "<a>" * 100_000 + "<id>1</id>" + "</a>" * 100_000
    assert value("//id", text) == "1"
    with pytest.raises(ValueError, match="nested too deeply"):
        xml_document(text)


def test_a_document_type_alone_is_harmless() -> None:
    """Some servers send one."""
    assert value("//id", '<!DOCTYPE r SYSTEM "http://127.0.0.1:9/r.dtd"><r><id>1</id></r>') == "1"


#: Pieces of which documents and broken ones are made.
_PIECES = ["<a>", "</a>", "<id x='1'>", "</id>", "&amp;", "]]>", "<!--", "<![CDATA[", "1"]


@given(st.text() | st.lists(st.sampled_from(_PIECES)).map("".join))
def test_any_text_is_read_or_is_none(text: str) -> None:
    """Nothing but a value or None comes of it, lone surrogates included."""
    for path in ("//id", "//id/@x", "//*[.='1']", "/a/id[1]"):
        get = compile_source(XmlPath(path))
        found = get(RecordedResponse(exchange(answer=text.encode("utf-8", "surrogatepass"))))
        assert found is None or isinstance(found, str)
