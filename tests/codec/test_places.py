"""Placeholders know their place, and a place its encoding."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.codec.places import ENCODERS, body_places, encode, header_places, target_places
from pytest_loadtool.codec.template import Template
from pytest_loadtool.model.place import Place

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        (Place.WHOLE_TARGET, "http://h:80/a%20b?x=1&y=[2]#z", "http://h:80/a%20b?x=1&y=[2]#z"),
        (Place.WHOLE_TARGET, "/a b\r\nX: y", "/a%20b%0D%0AX:%20y"),
        (Place.PATH, "a/b c?d@e:f;g=h", "a%2Fb%20c%3Fd@e:f;g=h"),
        (Place.QUERY, "http://h/?a=b&c+d e", "http%3A%2F%2Fh%2F%3Fa%3Db%26c%2Bd%20e"),
        (Place.FORM, "a b+c&d=e~f*-._/é", "a+b%2Bc%26d%3De%7Ef*-._%2F%C3%A9"),
        (Place.JSON_STRING, 'a"b\\c\né/', 'a\\"b\\\\c\\né/'),
        (Place.JSON, "17", "17"),
        (Place.JSON, "-1.5e3", "-1.5e3"),
        (Place.JSON, "true", "true"),
        (Place.JSON, '{"a": [1]}', '{"a": [1]}'),
        (Place.JSON, "{not json", '"{not json"'),
        (Place.JSON, "007", '"007"'),
        (Place.JSON, "NaN", '"NaN"'),
        (Place.FORM, "\ud800x", "%3Fx"),
        (Place.XML, "<a b='c' d=\"e\">&", "&lt;a b=&apos;c&apos; d=&quot;e&quot;&gt;&amp;"),
        (Place.MULTIPART, "a&b\n", "a&b\n"),
        (Place.FILE_NAME, 'a"b\r\nX: y', "a%22b%0D%0AX: y"),
        (Place.HEADER, "a\r\nX-Evil: b\x00", "a X-Evil: b "),
        (Place.HEADER, "a\tb", "a\tb"),
        (Place.TEXT, "a<&%", "a<&%"),
    ],
)
def test_encode(place: Place, value: str, expected: str) -> None:
    """Each place escapes what would end or split it, as browsers do, and nothing more."""
    assert encode(place, value) == expected


def test_every_place_has_an_encoder() -> None:
    """No place is without an encoder."""
    assert set(ENCODERS) == set(Place)


@given(TEXT)
def test_encoded_values_decode_to_themselves(value: str) -> None:
    """What a server decodes from path, query, form and JSON is the value that was put in."""
    assert unquote(encode(Place.PATH, value)) == value
    assert unquote(encode(Place.QUERY, value)) == value
    assert parse_qsl("a=" + encode(Place.FORM, value), keep_blank_values=True) == [("a", value)]
    assert json.loads('"' + encode(Place.JSON_STRING, value) + '"') == value


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/a/${b}/c/${d}?e=${f}&g=${h}", [Place.PATH, Place.PATH, Place.QUERY, Place.QUERY]),
        ("${server}/a/${b}", [Place.WHOLE_TARGET, Place.PATH]),
        ("${next_page}", [Place.WHOLE_TARGET]),
        ("${next_page}&page=${n}", [Place.WHOLE_TARGET, Place.QUERY]),
        ("/a?${b}", [Place.QUERY]),
        ("/a/$${x}/${b}", [Place.PATH]),
        ("/a", []),
    ],
)
def test_target_places(target: str, expected: list[Place]) -> None:
    """A target's references lie in its path up to the question mark, then in its query."""
    assert list(target_places(Template.parse(target))) == expected


def test_header_places() -> None:
    """All references of a header lie in the header."""
    template = Template.parse("${scheme} ${token[1]}")
    assert header_places(template) == (Place.HEADER, Place.HEADER)


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("application/x-www-form-urlencoded", "a=${b}", [Place.FORM]),
        ("Application/X-WWW-Form-Urlencoded; charset=UTF-8", "a=${b}", [Place.FORM]),
        ("application/json", '{"a": "x${b}", "c": ${d}}', [Place.JSON_STRING, Place.JSON]),
        ("application/hal+json", '{"a\\"": "\\\\${b}"}', [Place.JSON_STRING]),
        ("application/json", '{"a\\\\": ${b}}', [Place.JSON]),
        ("text/plain;charset=UTF-8", '{"a": "${b}", "c": [${d}]}', [Place.JSON_STRING, Place.JSON]),
        ("", '{"a": "${b}"}', [Place.JSON_STRING]),
        ("text/plain", "<a><b>${c}</b></a>\n", [Place.XML]),
        ("", '<?xml version="1.0"?><a>${b}</a>', [Place.XML]),
        ("text/plain", "<b>Tea</b> for ${c}", [Place.TEXT]),
        ("application/x-www-form-urlencoded", '{"a": "${b}"}', [Place.JSON_STRING]),
        ("text/plain", "{hello ${b}", [Place.TEXT]),
        ("text/plain", "${b}", [Place.TEXT]),
        ("text/xml; charset=utf-8", "<a>${b}</a>", [Place.XML]),
        ("application/soap+xml", "<a>${b}</a>", [Place.XML]),
        ("multipart/form-data; boundary=x", "--x\r\n\r\n${b}\r\n--x--", [Place.MULTIPART]),
        (
            "multipart/form-data; boundary=x",
            '--x\r\nCONTENT-disposition: x; name="${a}"; filename="${b}"\r\n\r\n${c}\r\n${d}',
            [Place.FILE_NAME, Place.FILE_NAME, Place.MULTIPART, Place.MULTIPART],
        ),
        ("application/octet-stream", "${b}", [Place.TEXT]),
    ],
)
def test_body_places(content_type: str, body: str, expected: list[Place]) -> None:
    """A body's places follow its content type; JSON tells strings from bare values."""
    assert list(body_places(Template.parse(body), content_type)) == expected
