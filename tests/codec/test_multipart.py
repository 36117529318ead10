"""Multipart bodies: their parts, and what of them is no text."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.datastructures import FileStorage
from werkzeug.formparser import parse_form_data
from werkzeug.test import EnvironBuilder

from pytest_loadtool.codec.multipart import (
    Content,
    as_template,
    charset_of,
    parts_of,
    pieces_of,
    shown,
)

TYPE = "multipart/form-data; boundary=X"
PNG = b"\x89PNG\r\n\x1a\n\xff"


def part(disposition: str, content: bytes = b"", *lines: str) -> bytes:
    """A part with the delimiter before it."""
    head = "\r\n".join((f"--X\r\nContent-Disposition: form-data; {disposition}", *lines))
    return head.encode() + b"\r\n\r\n" + content + b"\r\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (part('name="a"', b"1"), [("a", b"1", None)]),
        (part("name=a; x=y", b"1"), [("a", b"1", None)]),
        (part('filename="f.png"; name="a"', b"1"), [("a", b"1", b"f.png")]),
        (part('name="a"; filename=""'), [("a", b"", b"")]),
        (part("name=\"a\"; filename*=UTF-8''f.png", b"1"), [("a", b"1", b"UTF-8''f.png")]),
        (part('name="a"', b"", "Content-Type: text/plain"), [("a", b"", None)]),
        (part('name="a"; filename="f"', b"a--X\r\n-- X\n--X--\r\n--XY"), [
            ("a", b"a--X\r\n-- X\n--X--\r\n--XY", b"f"),
        ]),
        (part('name="a"', b"1") + part('name="a"', b"2"), [("a", b"1", None), ("a", b"2", None)]),
        (b"--X\r\n\r\nno head\r\n", [("", b"no head", None)]),
        (b"preamble\r\n" + part('name="a"', b"1"), [("a", b"1", None)]),
        (part('name="a"', b"1").replace(b"--X\r\n", b"--X \t\r\n"), [("a", b"1", None)]),
        (b"--X\r\nContent-Disposition: form-data; name=a\r\n", []),
        (b"a=1&b=2", []),
    ],
)  # fmt: skip
def test_parts(body: bytes, expected: list[tuple[str, bytes, bytes | None]]) -> None:
    """Field, content and the name of a file; what looks like a delimiter within a line is none."""
    found = [
        (
            one.field,
            (body + b"--X--\r\n")[one.start : one.end],
            body[one.name_start : one.name_end] if one.is_file else None,
        )
        for one in parts_of((body + b"--X--\r\n").decode("latin-1"), TYPE)
    ]
    assert found == expected


def test_a_body_of_another_type_has_no_parts() -> None:
    """Nor has one whose boundary nobody tells."""
    body = (part('name="a"', b"1") + b"--X--").decode()
    for content_type in ("", "multipart/form-data", "text/plain; boundary=X"):
        assert list(parts_of(body, content_type)) == []
    assert [one.field for one in parts_of(body, 'Multipart/Mixed; a=b; boundary="X"')] == ["a"]


@pytest.mark.parametrize(
    ("disposition", "content", "name"),
    [
        ('name="a"; filename="f.png"', PNG, "f.png"),
        ('name="a"; filename="f\u00fc.png"', PNG, "f\u00fc.png"),
        ('name="a"; filename=""', PNG, "a"),
        ('name="a"', b"\x01\xff", "a"),
        ('name="a"; filename="f.txt"', b"x" * 4097, "f.txt"),
        ('name="a"; filename="f.bin"', b"PK\0", "f.bin"),
    ],
)
def test_what_is_no_text_is_content(disposition: str, content: bytes, name: str) -> None:
    """The bytes of a picture, text in another charset, a text file that is long."""
    body = part('name="t"', b"1") + part(disposition, content) + b"--X--\r\n"
    before, found, after = pieces_of(body, TYPE)
    assert isinstance(found, Content)
    assert (body[found.start : found.end], found.name) == (content, name)
    assert f"{before}".encode() + content + f"{after}".encode() == body


@pytest.mark.parametrize(
    ("disposition", "content"),
    [
        ('name="a"; filename="f.csv"', "K\u00e4se;3 \u20ac\r\n".encode()),
        ('name="a"; filename=""', b""),
        ('name="a"', b"x" * 5000),
    ],
)
def test_what_people_can_read_is_text(disposition: str, content: bytes) -> None:
    """A small text file, a file that was not chosen, a field however long."""
    body = part(disposition, content) + b"--X--\r\n"
    assert pieces_of(body, TYPE) == (body.decode(),)


def test_what_is_no_text_at_all_is_content_as_a_whole() -> None:
    """A body with parts of which none can be told, or of a type that has none."""
    assert pieces_of(b"", TYPE) == ()
    for content_type in (TYPE, "image/png", ""):
        assert pieces_of(PNG, content_type) == (Content(0, len(PNG)),)
    assert pieces_of(b"\0", "image/png") == ("\0",)


@pytest.mark.parametrize(
    ("title", "content_type", "charset"),
    [
        ("Gr\u00fc\u00dfe".encode(), TYPE, ""),
        ("Gr\u00fc\u00dfe \u20ac".encode("windows-1252"), TYPE, "windows-1252"),
        (b"\x81\x8d", TYPE, "latin-1"),
        ("\u6f22\u5b57".encode("shift_jis"), f"{TYPE}; charset=Shift_JIS", "shift_jis"),
        ("Gr\u00fc\u00dfe".encode("latin-1"), f"{TYPE}; charset=utf-16", "windows-1252"),
        ("Gr\u00fc\u00dfe".encode("latin-1"), f"{TYPE}; charset=nonsense", "windows-1252"),
    ],
)
def test_forms_in_other_charsets(title: bytes, content_type: str, charset: str) -> None:
    """A title and the name of a file, as browsers send them from pages in those; the file itself is
    in none."""
    assert charset_of(title, "text/plain") == ""
    name = b'name="f"; filename="' + title + b'"'
    small = part('name="s"; filename="s.txt"', "\u20ac".encode())
    body = part('name="t"', title) + part("NAME", PNG).replace(b"NAME", name) + small + b"--X--"
    assert charset_of(body, content_type) == charset
    pieces = pieces_of(body, content_type)
    contents = [one for one in pieces if isinstance(one, Content)]
    assert [body[one.start : one.end] for one in contents] == [PNG, "\u20ac".encode()][
        : 2 if charset else 1
    ]
    assert contents[0].name == title.decode(charset or "utf-8")
    assert title.decode(charset or "utf-8") in str(pieces[0])


def test_text_in_the_charset_that_it_declares() -> None:
    """Of other types nothing is guessed."""
    text = "Gr\u00fc\u00dfe".encode("latin-1")
    assert charset_of(text, "text/xml; charset=ISO-8859-1") == "iso-8859-1"
    assert pieces_of(text, "text/xml; charset=ISO-8859-1") == ("Gr\u00fc\u00dfe",)
    assert pieces_of(text, "text/xml") == (Content(0, len(text)),)


def test_templates_and_views_name_what_is_left_out() -> None:
    """A number stands for each content; people see its size."""
    body = part('name="t"', b"${x}") + part('name="a"; filename="f"', PNG) + b"--X--"
    template = as_template(pieces_of(body, TYPE))
    assert "\r\n\r\n$${x}\r\n" in template
    assert "\r\n\r\n${file:0}\r\n--X--" in template
    assert "\r\n\r\n(9 bytes)\r\n--X--" in (shown(body, TYPE) or "")
    assert shown(PNG, TYPE) is None


CONTENT = st.binary() | st.text().map(str.encode)


@given(st.lists(st.tuples(st.booleans(), CONTENT), min_size=1, max_size=5))
def test_another_implementation_reads_the_same_parts(rows: list[tuple[bool, bytes]]) -> None:
    """Werkzeug's client writes a form, its server and we find the same fields and files in it."""
    builder = EnvironBuilder(method="POST", content_type="multipart/form-data")
    for number, (is_file, content) in enumerate(rows):
        if is_file:
            builder.files.add_file(f"f{number}", FileStorage(_stream(content), f"{number}.bin"))
        else:
            builder.form.add(f"f{number}", content.decode("latin-1"))
    environ = builder.get_environ()
    builder.close()
    content_type = environ["CONTENT_TYPE"]
    body = environ["wsgi.input"].read()
    pieces = pieces_of(body, content_type)
    again = b"".join(
        body[one.start : one.end] if isinstance(one, Content) else one.encode() for one in pieces
    )
    assert again == body
    found = {one.field: (body[one.start : one.end], one.is_file) for one in parts_of(
        body.decode("latin-1"), content_type
    )}  # fmt: skip
    environ["wsgi.input"] = _stream(body)
    _, form, files = parse_form_data(environ)
    known = {name: (value.encode(), False) for name, value in form.items()}
    for name, one in files.items():
        known[name] = (one.read(), True)
        one.close()
    assert found == known


def _stream(content: bytes) -> BytesIO:
    return BytesIO(content)
