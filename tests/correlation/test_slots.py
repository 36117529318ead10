"""The slots of a request: where values stand, under which names."""

from __future__ import annotations

import json

import pytest

from pytest_loadtool.correlation.requests.positions import HOLE
from pytest_loadtool.correlation.requests.slots import Masked, request_slots
from pytest_loadtool.model.case import Header, Request
from pytest_loadtool.model.place import Place

Row = tuple[Place, str, str]


def rows(request: Request, content_type: str = "") -> list[Row]:
    """Place, name and value of each slot."""
    return [(one.place, one.name, one.value) for one in request_slots(request, content_type, 0)]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/", []),
        ("/items/17/edit", [
            (Place.PATH, "", "items"), (Place.PATH, "items", "17"), (Place.PATH, "items", "edit"),
        ]),
        ("${server}/a%20b/", [(Place.PATH, "", "a b")]),
        ("http://h:80/a?x=1", [(Place.PATH, "", "a"), (Place.QUERY, "x", "1")]),
        ("/a;v=1;w=2?x=%41&y&z=", [
            (Place.PATH, "", "a"), (Place.PATH, "v", "1"), (Place.PATH, "w", "2"),
            (Place.QUERY, "x", "A"),
        ]),
        ("/${users.id}/b/${id[1]}x", [(Place.PATH, "", "b")]),
        ("/a/$17", [(Place.PATH, "", "a"), (Place.PATH, "a", "$17")]),
        ("/a?x=${y}", [(Place.PATH, "", "a")]),
        ("/broken/${", []),
    ],
)  # fmt: skip
def test_targets(target: str, expected: list[Row]) -> None:
    """Path segments, matrix parameters and query values; placeholders are no slots."""
    assert rows(Request("GET", target)) == expected


def test_headers() -> None:
    """Headers that scripts write, without their scheme; none that the browser writes itself."""
    request = Request("GET", "/", (
        Header("Authorization", "Bearer abc"), Header("X-Thing", "a b"), Header("Cookie"),
        Header("User-Agent", "x"), Header("Sec-Fetch-Mode", "x"), Header("Referer", "${server}/x"),
        Header("Authorization", "${scheme} abc"),
    ))  # fmt: skip
    assert rows(request) == [
        (Place.HEADER, "Authorization", "abc"), (Place.HEADER, "X-Thing", "a b"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("application/x-www-form-urlencoded", "a=1+2&b%5B%5D=%C3%A9&c=&d=${x}&e=x$1&f=$${g}", [
            (Place.FORM, "a", "1 2"), (Place.FORM, "b[]", "é"), (Place.FORM, "e", "x$1"),
            (Place.FORM, "f", "${g}"),
        ]),
        ("application/json", (
            '{"a": {"b": ["x\\"y", -1.5e3, true, {"c": "z"}], "d": "${q}"}, "e": 7}'
        ), [
            (Place.JSON_STRING, "b", 'x"y'), (Place.JSON, "b", "-1.5e3"),
            (Place.JSON_STRING, "c", "z"), (Place.JSON, "e", "7"),
        ]),
        ("application/json", '["a", [1]]', [(Place.JSON_STRING, "", "a"), (Place.JSON, "", "1")]),
        ("text/plain", '{"a": ${x}, "b": "y"}', [(Place.JSON_STRING, "b", "y")]),
        ("text/plain", "a=1", []),
        ("multipart/form-data; boundary=b", (
            '--b\r\ncontent-disposition: form-data; name=a\r\n\r\n1\r\n2\r\n'
            '--b\r\nContent-Disposition: form-data; name="f"; filename="g"\r\n\r\nx\r\n'
            '--b\r\nContent-Disposition: form-data; name="c d"\r\n\r\n3\r\n--b--'
        ), [(Place.MULTIPART, "a", "1\r\n2"), (Place.FILE_NAME, "f.filename", "g"),
            (Place.MULTIPART, "c d", "3")]),
        ("multipart/form-data; boundary=b", (
            '--b\r\nContent-Disposition: form-data; name="f"; filename="a%22b"\r\n\r\n'
            '--b-\r\n--bb\r\n'
            '--b\r\nContent-Disposition: form-data; name="o"; filename="blob"\r\n'
            'Content-Type: application/json\r\n\r\n{"id": "x1"}\r\n'
            '--b\r\nContent-Disposition: form-data; name="p"; filename="p.png"\r\n\r\n'
            '${file:p.png}\r\n--b--\r\n'
        ), [
            (Place.FILE_NAME, "f.filename", 'a"b'), (Place.FILE_NAME, "o.filename", "blob"),
            (Place.MULTIPART, "o", '{"id": "x1"}'), (Place.JSON_STRING, "id", "x1"),
            (Place.FILE_NAME, "p.filename", "p.png"),
        ]),
        ("multipart/form-data", "--b", []),
        # What is not as it should be costs no more than itself.
        ("application/x-www-form-urlencoded", "flag&a=1&&b?c&=d&e==f", [
            (Place.FORM, "a", "1"), (Place.FORM, "", "d"), (Place.FORM, "e", "=f"),
        ]),
        ("application/json", '{"a": "b", "c": "\\"', [(Place.JSON_STRING, "a", "b")]),
        ("application/json", f'["a"{", [" * 2000}"b"', [(Place.JSON_STRING, "", "a")]),
        ("application/xml", "<r><a b='<c>' d=\"'\">1</a><!-- <e>2</e>", [
            (Place.XML, "b", "<c>"), (Place.XML, "d", "'"), (Place.XML, "a", "1"),
        ]),
        ("application/xml", "<r><a \"><b c='1'>2</b>", [
            (Place.XML, "r", '<a ">'), (Place.XML, "c", "1"), (Place.XML, "b", "2"),
        ]),
        ("application/octet-stream", "abc", []),
    ],
)  # fmt: skip
def test_bodies(content_type: str, body: str, expected: list[Row]) -> None:
    """Form fields, JSON leaves and multipart fields, by their content type."""
    assert rows(Request("POST", "/", (), body), content_type) == expected


DOCUMENT = """# all "1" (of: 2) it
query Q($id: ID! = "12", $n: Int) @cache(ttl: 60) {
  book(id: "1\\"2", tags: ["a", 3], data: {authorId: 7, deep: {x: -1.5e3}}, e: RED) { title }
  b2: author(id: $id, note: \"\"\" "x" (\"\"\", of: "é") { name }
}"""


def test_arguments_in_graphql() -> None:
    """Strings and numbers, by the argument's name and its field's; nothing of the rest is a value.
    ``before`` is the field."""
    body = json.dumps({"query": DOCUMENT, "variables": {"id": 5}}, ensure_ascii=False)
    slots = list(request_slots(Request("POST", "/", (), body), "application/json", 0))
    assert [(one.before, one.name, one.value) for one in slots if one.depth] == [
        ("Q", "id", "12"), ("cache", "ttl", "60"), ("book", "id", '1"2'), ("book", "tags", "a"),
        ("book", "tags", "3"), ("book", "authorId", "7"), ("book", "x", "-1.5e3"),
        ("author", "of", "é"),
    ]  # fmt: skip
    assert all(one.writes(one.value) for one in slots)


@pytest.mark.parametrize(
    "body",
    [
        '{"query": "{\\"id\\": 12}"}',  # JSON: a search
        '{"query": "which query (id: 12) { is it }"}',
        '{"note": "{ book(id: 12) { title } }"}',
        '{"query": "{ books { title } } # (id: 12)"}',
        '{"query": "query {books}) (id: 12"}',
    ],
)
def test_what_is_no_argument(body: str) -> None:
    """Only documents, under their name, have arguments; and only between parentheses."""
    slots = request_slots(Request("POST", "/", (), body), "application/json", 0)
    assert [one for one in slots if one.before] == []


def test_binary_bodies_have_no_slots() -> None:
    """Bytes are no template."""
    assert rows(Request("POST", "/", (), b"a=1"), "application/x-www-form-urlencoded") == []


def test_replacing_keeps_references_and_escapes() -> None:
    """Spans become references; the template's own references and escapes stay."""
    masked = Masked.of("a=1&b=${x}&c=$${y}&d=22")
    assert masked is not None
    assert masked.text == f"a=1&b={HOLE}&c=${{y}}&d=22"
    where = masked.text.index("22")
    assert masked.replaced([(where, where + 2, "id[1]"), (2, 3, "n")]) == (
        "a=${n}&b=${x}&c=$${y}&d=${id[1]}"
    )


def test_text_with_the_mask_in_it_is_left_alone() -> None:
    """The character that stands for a placeholder cannot be mistaken for one."""
    assert Masked.of(f"a={HOLE}") is None
    assert rows(Request("GET", f"/a?b={HOLE}")) == []


def test_elements_of_lists_are_called_after_the_list() -> None:
    """Where they have the name of a type, which says nothing; attributes, empty and others do not
    count as lists."""
    body = (
        '<a:Set><orderIds x="0"><a:integer>1</a:integer><a:integer>2</a:integer></orderIds><b/>'
        "<empty></empty><status>sent</status></a:Set><int>3</int>"
    )
    request = Request("POST", "/soap", body=body)
    slots = request_slots(request, "text/xml", 0)
    found = [(one.name, one.value) for one in slots if one.part == "body"]
    assert found == [
        ("x", "0"), ("orderIds", "1"), ("orderIds", "2"), ("status", "sent"), ("int", "3"),
    ]  # fmt: skip
