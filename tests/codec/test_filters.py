"""Filters do what their namesakes do, and decoders take it back."""

from __future__ import annotations

import base64
import json
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.codec.filters import FILTERS, UNDO, filtered
from pytest_loadtool.codec.template import Reference, Template, TemplateError, UnknownFilterError

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXT)
def test_what_a_filter_writes_its_language_reads(value: str) -> None:
    """JSON, forms and base64 as other implementations read them."""
    assert json.loads(f'"{FILTERS["json"](value)}"') == value
    assert parse_qsl(f"v={FILTERS['form'](value)}", keep_blank_values=True) == [("v", value)]
    assert base64.b64decode(FILTERS["base64"](value), validate=True).decode() == value


@given(TEXT)
def test_strings_as_others_write_them(value: str) -> None:
    """JSON in which more is escaped than has to be; characters beyond U+FFFF as two surrogates."""
    ascii_only = json.dumps(value)[1:-1].replace("/", "\\/")
    units = memoryview(value.encode("utf-16-le")).cast("H")
    everything = "".join(f"\\u{unit:04X}" for unit in units)
    for written in (ascii_only, everything):
        assert filtered(written, ("unjson",)) == value


def test_strings_of_scripts() -> None:
    """Escapes that JavaScript has and JSON has not; what is none stays."""
    assert filtered(r"a\x2Fb\x3d \'c\' \u003D", ("unjson",)) == "a/b= 'c' ="
    assert filtered(r"\d+ C:\path \u12 \x4", ("unjson",)) == r"\d+ C:\path \u12 \x4"


@given(TEXT)
def test_there_and_back(value: str) -> None:
    """Each decoder takes back what the filters beside it made."""
    for way in UNDO.items():
        assert filtered(value, way) == value


@given(TEXT)
def test_filters_are_total(value: str) -> None:
    """Whatever a server sends, a filter gives text."""
    for name in FILTERS:
        assert isinstance(filtered(value + "\ud800", (name,)), str)


def test_what_is_not_base64_stays() -> None:
    """An undecodable value is sent as it came."""
    assert filtered("not base64!", ("unbase64",)) == "not base64!"
    assert filtered("_-8", ("unbase64",)) == "_-8"  # its bytes are no UTF-8


def test_code_challenge() -> None:
    """The example of RFC 7636, appendix B."""
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert filtered(verifier, ("s256",)) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_filters_in_a_placeholder() -> None:
    """They are read in order and written back; an unknown one is named."""
    text = "a${token[1]|json|form}b"
    _, reference, _ = Template.parse(text).parts
    assert reference == Reference("token[1]", ("json", "form"))
    assert str(reference) == "${token[1]|json|form}"
    with pytest.raises(UnknownFilterError, match="there is no filter 'jsn'"):
        Template.parse("${token|jsn}")
    with pytest.raises(TemplateError, match="is not a placeholder"):
        Template.parse("${|json}")
