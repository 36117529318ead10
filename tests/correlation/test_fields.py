"""The fields of a transaction."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.correlation.requests.fields import Field, fields_of
from pytest_loadtool.editing.bulk_edit import with_constant, with_reference
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.extractor import Extractor, JsonPath, Link
from pytest_loadtool.model.validator import Outcome, TextValidator
from tests.console.traffic import exchange

FORM = "application/x-www-form-urlencoded"
LOGIN = Transaction(
    Request(
        "POST",
        "/shop;s=${sid}/login%2Fx?next=%2Fa&next=${next}&plain=1",
        (Header("Content-Type", FORM), Header("X-Key", "k-${users.key}")),
        body="user=ann+b&password=${users.password}&token=${token}&note=${note}&literal=%24%7Bx%7D",
    ),
    extractors=(Extractor("sid", JsonPath("$.s")), Extractor("bearer_token[1]", JsonPath("$.t"))),
)
FIRST = Transaction(
    Request("GET", "/"),
    extractors=(Extractor("next", JsonPath("$.n")), Extractor("token", JsonPath("$.t"))),
)
API = Transaction(
    Request(
        "PUT",
        "/api/items/${id}",
        (
            Header("Content-Type", "application/json"),
            Header("Authorization", "Bearer ${bearer_token[1]}"),
        ),
        body='{"name": "Te\\"a", "count": ${count}, "tags": [{"name": "a"}, {"name": "${token}"}]}',
    )
)
CASE = TestCase(
    "shop",
    (Page("One", (FIRST, LOGIN)), Page("Two", (API,))),
    headers=(Header("Cookie"), Header("X-Shared", "both")),
    variables={
        "token": Variable("token", recorded="t", set_by="asm"),
        "bearer_token[1]": Variable("bearer_token[1]", recorded="b", set_by="asm"),
        "note": Variable("note", value="hello"),
    },
)


def table(index: int, case: TestCase = CASE) -> dict[str, tuple[str, str, str]]:
    return {one.name: (one.section, one.datasource, one.value) for one in fields_of(case, index)}


def field(index: int, name: str, case: TestCase = CASE) -> Field:
    return next(one for one in fields_of(case, index) if one.name == name)


@pytest.mark.parametrize(
    ("target", "media", "body", "name", "written"),
    [
        ("/a?q=&r=1", FORM, None, "q", "/a?q=x%20%26&r=1"),
        ("/a", FORM, "n=&m=2&n=3", "n", "n=x+%26&m=2&n=3"),
        ("/a", "application/json", '{"n": "", "m": 1}', "n", '{"n": "x &", "m": 1}'),
    ],
)
def test_a_field_without_a_value_can_be_given_one(
    target: str, media: str, body: str | None, name: str, written: str
) -> None:
    """It is a field for who asks for such; the others of its name have their numbers by it."""
    request = Request("POST", target, (Header("Content-Type", media),), body=body)
    case = TestCase("x", (Page("One", (Transaction(request),)),))
    assert name not in [one.name for one in fields_of(case, 0)]
    (found,) = (one for one in fields_of(case, 0, empty=True) if one.name == name)
    assert (found.value, found.datasource) == ("", "Constant value")
    (changed,) = with_constant(case, 0, found, "x &").transactions()
    assert written in (changed.request.target, changed.request.body)


@pytest.mark.promise(26)
@pytest.mark.promise(69)
def test_fields_have_one_of_five_datasources() -> None:
    """Of a form login: its constants, columns, variables, and what extractors give."""
    assert table(1) == {
        "path[1]": ("PATH", "Constant value", "shop"),
        "s": ("PATH", "Extractor[3]", "${sid}"),
        "path[2]": ("PATH", "Constant value", "login/x"),
        "next": ("QUERY", "Constant value", "/a"),
        "next[2]": ("QUERY", "Extractor[1]", "${next}"),
        "plain": ("QUERY", "Constant value", "1"),
        "X-Shared": ("HEADERS", "Constant value", "both"),
        "X-Key": ("HEADERS", "Dataset", "k-${users.key}"),
        "user": ("POST content", "Constant value", "ann b"),
        "password": ("POST content", "Dataset", "${users.password}"),
        "token": ("POST content", "Extractor[2]", "${token}"),
        "note": ("POST content", "User variable", "${note}"),
        "literal": ("POST content", "Constant value", "${x}"),
    }


@pytest.mark.promise(26)
@pytest.mark.promise(98)
def test_json_fields_and_the_bearer_token() -> None:
    """Leaves by their key; a correlated Authorization is a Server authentication header."""
    assert table(2) == {
        "path[1]": ("PATH", "Constant value", "api"),
        "path[2]": ("PATH", "Constant value", "items"),
        "path[3]": ("PATH", "User variable", "${id}"),
        "X-Shared": ("HEADERS", "Constant value", "both"),
        "Authorization": ("HEADERS", "Server authentication header", "${bearer_token[1]}"),
        "name": ("POST content", "Constant value", 'Te"a'),
        "count": ("POST content", "User variable", "${count}"),
        "name[2]": ("POST content", "Constant value", "a"),
        "name[3]": ("POST content", "Extractor[2]", "${token}"),
    }


@pytest.mark.promise(25)
def test_correlated_fields_are_marked() -> None:
    """Those that application state management set, and no others."""
    marked = {one.name for one in fields_of(CASE, 1) if one.correlated}
    assert marked == {"token"}
    assert {one.name for one in fields_of(CASE, 2) if one.correlated} == {
        "Authorization",
        "name[3]",
    }


@pytest.mark.promise(102)
def test_cookies_come_from_the_jar() -> None:
    """They are listed as they were recorded, and no text can change them."""
    recorded = exchange("POST", "http://x/", 0, ("Cookie", "sid=abc; theme=dark"))
    cookies = [one for one in fields_of(CASE, 1, recorded) if one.slot is None]
    assert [(one.name, one.datasource, one.value) for one in cookies] == [
        ("Cookie sid", "Server authentication header", "abc"),
        ("Cookie theme", "Server authentication header", "dark"),
    ]
    with pytest.raises(ValueError, match="Cookie sid is no text of the test case: the"):
        with_constant(CASE, 1, cookies[0], "x")


@pytest.mark.promise(71)
@pytest.mark.parametrize(
    ("index", "name", "value"),
    [
        (1, "path[2]", "a b/ç"),
        (1, "next", "/b?c=d&e"),
        (1, "user", "ben & co = ${x}"),
        (1, "password", "p+w%"),
        (1, "X-Key", "other"),
        (1, "X-Shared", "mine"),
        (2, "name", 'new "name" \\'),
        (2, "count", "7"),
        (2, "name[3]", "b"),
    ],
)
def test_constant_is_encoded_for_its_place(index: int, name: str, value: str) -> None:
    """Read back it is what was given; every other field is what it was."""
    case = with_constant(CASE, index, field(index, name), value)
    before = table(index)
    assert table(index, case) == {**before, name: (before[name][0], "Constant value", value)}
    others = [at for at in range(3) if at != index]
    assert [table(at, case) for at in others] == [table(at) for at in others]


@pytest.mark.promise(71)
def test_dataset_and_variable_take_the_place_of_a_value() -> None:
    """By placeholder; in a header that transactions share, for this one alone."""
    case = with_reference(CASE, 1, field(1, "user"), "users.name")
    assert table(1, case)["user"] == ("POST content", "Dataset", "${users.name}")
    case = with_reference(CASE, 1, field(1, "X-Shared"), "note")
    assert table(1, case)["X-Shared"] == ("HEADERS", "User variable", "${note}")
    assert table(2, case)["X-Shared"] == ("HEADERS", "Constant value", "both")
    with pytest.raises(ValueError, match="is not a placeholder"):
        with_reference(CASE, 1, field(1, "user"), "two words")


def test_cookies_of_scripts_are_fields() -> None:
    """They can be set like others; what the user has from before comes from its jar."""
    lines = ("theme=dark; Path=/", "csrf=${token}", "note=a%20b")
    one = Transaction(Request("GET", "/", (Header("Cookie"),), cookies=lines))
    case = replace(CASE, pages=(*CASE.pages, Page("Three", (one,))))
    traffic = exchange("GET", "http://x/", 0, ("Cookie", "theme=dark; sid=1; csrf=t"))
    found = {one.name: (one.datasource, one.value) for one in fields_of(case, 3, traffic)}
    assert {name: said for name, said in found.items() if "Cookie" in name} == {
        "Cookie theme": ("Constant value", "dark"),
        "Cookie csrf": ("Extractor[2]", "${token}"),
        "Cookie note": ("Constant value", "a b"),
        "Cookie sid": ("Server authentication header", "1"),
    }
    changed = with_constant(case, 3, field(3, "Cookie note", case), "c;d")
    changed = with_reference(changed, 3, field(3, "Cookie theme", changed), "users.theme")
    *_, last = changed.transactions()
    assert last.request.cookies == (
        "theme=${users.theme}; Path=/", "csrf=${token}", "note=c%3Bd",
    )  # fmt: skip


def test_numbers_in_the_request_are_not_taken_for_placeholders() -> None:
    """Whatever digits the request holds."""
    request = replace(LOGIN.request, body="a=7007000000&b=700700&c=${token}")
    page = Page("One", (FIRST, replace(LOGIN, request=request)))
    case = replace(CASE, pages=(page,))
    assert table(1, case)["a"][1:] == ("Constant value", "7007000000")
    assert table(1, case)["c"][1:] == ("Extractor[2]", "${token}")


def test_what_goes_by_an_address_follows_when_nobody_sends_the_old_one() -> None:
    """The row of an outcome, and the link of an extractor; what a person checks stays."""
    change = Transaction(Request("POST", "/items/17/edit"))
    shown = TextValidator("Tea", row="/items/17/", outcome=Outcome("Tea is shown", "POST /items"))
    own, other = replace(shown, outcome=None), replace(shown, row="/items/170/")
    listed = Transaction(
        Request("GET", "/items"),
        validators=(shown, own, other),
        extractors=(Extractor("token", Link("/items/17/*")),),
    )
    again = Transaction(Request("GET", "/items/17?full=1"))
    case = TestCase("shop", (Page("One", (FIRST, change, again, listed)),))
    once = with_reference(case, 1, field(1, "path[2]", case), "next")
    assert list(once.transactions())[3] == listed
    twice = with_reference(once, 2, field(2, "path[2]", once), "next")
    rows = [getattr(one, "row", "") for one in list(twice.transactions())[3].validators]
    assert rows == ["/items/${next}/", "/items/17/", "/items/170/"]
    assert list(twice.transactions())[3].extractors[0].source == Link("/items/${next}/*")
    three = with_constant(twice, 1, field(1, "path[2]", twice), "18")
    assert list(three.transactions())[3] == list(twice.transactions())[3]
