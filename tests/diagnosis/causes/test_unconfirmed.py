"""Which change is named when what comes after it is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pytest_loadtool.diagnosis.causes.unconfirmed import change_unconfirmed, change_without_effect
from pytest_loadtool.diagnosis.diagnose import diagnose
from pytest_loadtool.diagnosis.finding import Cause
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import Subject
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import (
    Header,
    Kind,
    Page,
    Recorded,
    Request,
    TestCase,
    Transaction,
    Variable,
)
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Extractor, JsonPath, Link
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import JsonValidator, Outcome, TextValidator
from tests.report.outcomes import Answer, outcome

FORM = (Header("Content-Type", "application/x-www-form-urlencoded"),)
OK = Recorded(200, Kind.HTML)
SIGN_IN = Transaction(Request("POST", "/login", FORM, "user=kim&password=tea"))
FRONT = Transaction(Request("GET", "/"), recorded=OK)
AUTHOR = Transaction(
    Request("POST", "/authors", FORM, "name=Mary"),
    extractors=(Extractor("a[1]", JsonPath("$.id")),),
)
BOOK = Transaction(Request("POST", "/books", FORM, "title=Valperga"))
USE = Transaction(Request("GET", "/authors/${a[1]}"))
OTHER = Transaction(Request("GET", "/shelves"))
SEARCH = Transaction(Request("POST", "/search", FORM, "q=Tea"))
LINKED = Transaction(
    Request("GET", "/shelves"),
    extractors=(Extractor("m[1]", Link("/authors/*", label="Mary")),),
)
SHOWN = Transaction(
    Request("GET", "/books"),
    validators=(JsonValidator("$.n", outcome=Outcome("it is listed", "POST /books")),),
)

_LISTED = replace(
    LINKED,
    validators=(TextValidator("Mary", outcome=Outcome("Mary is shown", "POST /authors")),),
)
_EXCHANGE = Exchange(
    started=0.0, took=0.01, method="POST", url="http://shop:8000/authors",
    http_version="HTTP/1.1", request_headers=(), request_body=b"name=Mary", status=200,
    response_headers=(("Content-Type", "text/html"),),
)  # fmt: skip


def told(*transactions: Transaction) -> str:
    """What is said when the last one fails."""
    case = TestCase("shop", (Page("p", transactions),))
    last = len(transactions) - 1
    refused = outcome(last, "p", transactions[-1], Answer(b""), "Status Code is 404")
    subject = Subject(case, "x.case.toml", refused, Mask(), Evidence())
    found = change_unconfirmed(Situation(subject, (refused,)))
    return found.text if isinstance(found, Cause) else ""


NAMED = {
    "what it needs": ((AUTHOR, BOOK, USE), "POST /authors"),
    "what its extractors go by": ((AUTHOR, BOOK, LINKED), "POST /authors"),
    "the last": ((AUTHOR, BOOK, OTHER), "POST /books"),
    "not what an outcome has shown": ((AUTHOR, BOOK, SHOWN, OTHER), "POST /authors"),
    "not what was asked for since": ((BOOK, AUTHOR, USE, OTHER), "POST /books"),
    "one of several alike": ((BOOK, SHOWN, BOOK, OTHER), "POST /books (2)"),
    "not what reads": ((BOOK, SEARCH, OTHER), "POST /books"),
    "the one that signs in": ((SIGN_IN, OTHER), "POST /login"),
}


@pytest.mark.parametrize(("transactions", "name"), NAMED.values(), ids=NAMED)
def test_named(transactions: tuple[Transaction, ...], name: str) -> None:
    """One alone."""
    expected = f"Perhaps {name} did not take effect: no answer since has shown it."
    assert told(*transactions) == expected


@pytest.mark.parametrize(
    "transactions",
    [(OTHER,), (BOOK, SHOWN, OTHER), (SIGN_IN, FRONT, OTHER)],
    ids=["no change", "all shown", "signed in"],
)
def test_none(transactions: tuple[Transaction, ...]) -> None:
    """Where nothing is open, nothing is said."""
    assert not told(*transactions)


@pytest.mark.parametrize(("status", "first"), [(404, True), (500, False)])
def test_what_a_change_has_made_is_not_there(status: int, first: bool) -> None:
    """Then the change is named before the address that is missing; another error shows nothing."""
    shown = Outcome("name is Mary", "POST /authors")
    use = replace(USE, validators=(JsonValidator("$.name", equals="Mary", outcome=shown),))
    case = TestCase("shop", (Page("p", (AUTHOR, use)),))
    made = outcome(0, "p", AUTHOR, Answer(b"{}"))
    refused = outcome(1, "p", use, Answer(b"", status), f"Status Code is {status}")
    said = Failure("outcome", "POST /authors did not take effect: not so: name is Mary.")
    refused = replace(refused, failures=(*refused.failures, said))
    found = diagnose(case, (made, refused), path="x.case.toml", evidence=Evidence(), mask=Mask())
    assert (found.mend.index == 0) is first


def test_more_than_the_change() -> None:
    """What is there twice may be of an earlier run, on a server that gives out a number again."""
    once = Outcome("the list has no more than 1", "POST /authors", spares=True)
    listed = replace(USE, validators=(JsonValidator("$[1]", absent=True, outcome=once),))
    case = TestCase("shop", (Page("p", (AUTHOR, listed)),))
    made = outcome(0, "p", AUTHOR, Answer(b"{}"))
    failed = outcome(1, "p", listed, Answer(b""))
    said = Failure("outcome", f"{once.failed}: not so: {once.name}.")
    observed = (made, replace(failed, failures=(said,)))
    found = diagnose(case, observed, path="x.case.toml", evidence=Evidence(), mask=Mask())
    assert found.mend.index == 0
    assert found.causes[0].text == (
        "1 POST /authors did something else, too, or an earlier run has left more there: it is not "
        "so that the list has no more than 1."
    )


_ALERT = '<p>Books</p><div class="alert">%s</div>'


@pytest.mark.parametrize(
    ("told", "change"),
    [("With errors 1", "POST /authors"), ("Mary II was added.", "POST /authors")],
    ids=["an alert", "of what was sent"],
)
def test_the_row_of_what_was_not_done(told: str, change: str) -> None:
    """That a link of it is not found either makes the change no less the cause, whatever a page
    before says."""
    author = replace(AUTHOR, request=Request("POST", "/authors", FORM, "name=Mary+II"))
    case = TestCase("shop", (Page("p", (FRONT, author, _LISTED)),))
    refused = outcome(2, "p", _LISTED, Answer(b"", body=b"<p>Books</p>"))
    failures = (
        Failure("outcome", f"{change} did not take effect: not so: Mary is shown."),
        Failure("extractor", "Extractor found nothing for ${m[1]}: link /authors/*"),
    )
    made = outcome(1, "p", author, Answer(b"POST /authors HTTP/1.1\r\n\r\nname=Mary+II"))
    front = outcome(0, "p", FRONT, Answer(b"", body=(_ALERT % told).encode()))
    replayed = (front, made, replace(refused, failures=failures))
    found = diagnose(case, replayed, path="x.case.toml", evidence=Evidence(), mask=Mask())
    assert found.mend.index == 1, found.causes


@pytest.mark.parametrize(
    ("said", "is_told"), [("Mary II was added.", False), ("Mary II is there already.", True)]
)
def test_a_message_with_a_name_of_its_own(said: str, is_told: bool) -> None:
    """A message that was recorded of another name is none that was not recorded."""
    recorded = replace(_EXCHANGE, response_body=(_ALERT % "Mary was added.").encode())
    author = replace(AUTHOR, extractors=(), recorded=Recorded(200, Kind.HTML, entry=0))
    case = TestCase("shop", (Page("p", (author, OTHER)),))
    asked = b"POST /authors HTTP/1.1\r\n\r\nname=Mary+II"
    made = outcome(0, "p", author, Answer(asked, body=(_ALERT % said).encode()))
    refused = outcome(1, "p", OTHER, Answer(b"", 404), "Status Code is 404")
    found = diagnose(
        case, (made, refused), path="x.case.toml", evidence=Evidence((recorded,)), mask=Mask()
    )
    assert any("it says" in one.text for one in found.causes) is is_told, found.causes


@pytest.mark.parametrize(
    "message",
    [
        'insert or update on table "book" violates foreign key constraint "book_by_fkey"',
        'You are trying to write to records "x7" of "Author" that don\'t exist.',
    ],
    ids=["a database", "an application"],
)
def test_a_reference_to_what_a_change_gave_out(message: str) -> None:
    """What refers to nothing is refused: what should have been made is told first."""
    as_json = (Header("Content-Type", "application/json"),)
    use = Transaction(Request("POST", "/books", as_json, '{"by": "${a[1]}"}'))
    case = TestCase("shop", (Page("p", (AUTHOR, BOOK, use)),))
    made = outcome(0, "p", AUTHOR, Answer(b'{"id": "x7"}', 201))
    other = outcome(1, "p", BOOK, Answer(b"{}", 201))
    said = Answer(b"", body=json.dumps({"errors": [{"message": message}]}).encode())
    refused = outcome(2, "p", use, said, "The answer says that it failed")
    replayed = (made, other, refused)
    found = diagnose(case, replayed, path="x.case.toml", evidence=Evidence(), mask=Mask())
    name = "Perhaps POST /authors did not take effect: what it gave out is not there."
    assert found.causes[0].text.startswith(name), found.causes


@pytest.mark.parametrize(("status", "first"), [(404, True), (410, True), (400, False)])
def test_what_a_change_gave_out_is_not_there(status: int, first: bool) -> None:
    """The change is told before what the server says of the address, be it no outcome's."""
    case = TestCase("shop", (Page("p", (AUTHOR, BOOK, USE)),))
    made = outcome(0, "p", AUTHOR, Answer(b'{"id": "x7"}', 201))
    other = outcome(1, "p", BOOK, Answer(b"{}", 201))
    said = Answer(b'{"message": "id: x7"}', status)
    refused = outcome(2, "p", USE, said, f"Status Code is {status}")
    replayed = (made, other, refused)
    found = diagnose(case, replayed, path="x.case.toml", evidence=Evidence(), mask=Mask())
    name = "Perhaps POST /authors did not take effect: what it gave out is not there."
    assert found.causes[0].text.startswith(name) is first


def test_several_that_an_answer_lacks() -> None:
    """One that no answer has shown yet, before one that was shown."""
    both = replace(
        SHOWN,
        validators=(
            *SHOWN.validators,
            TextValidator("Mary", absent=True, outcome=Outcome("Mary is gone", "POST /authors")),
        ),
    )
    case = TestCase("shop", (Page("p", (AUTHOR, BOOK, SHOWN, both)),))
    lacking = outcome(3, "p", both, Answer(b"", 304), "x")
    said = [one.outcome for one in both.validators if one.outcome is not None]
    failures = tuple(Failure("outcome", f"{one.failed}: not so: {one.name}. x") for one in said)
    lacking = replace(lacking, failures=failures)
    subject = Subject(case, "x.case.toml", lacking, Mask(), Evidence())
    found = change_without_effect(Situation(subject, (lacking,)))
    assert isinstance(found, Cause)
    assert found.text == "POST /authors did not take effect: it is not so that Mary is gone."


#: Another transaction gives out the same author's number; it is sent in a query and a body.
BY = (Header("Content-Type", "application/json"),)
WRITES = Transaction(Request("POST", "/books", BY, '{"by": "${a[1]}"}'), recorded=OK)
LISTS = Transaction(
    Request("GET", "/books?by=${a[1]}"),
    extractors=(Extractor("a[2]", JsonPath("$.by")),),
    validators=(JsonValidator("$.n", outcome=Outcome("it is listed", "POST /books")),),
)
RENAMES = Transaction(Request("POST", "/authors/${a[2]}", FORM, "name=Mary+II"))
SEEN = Transaction(Request("GET", "/authors/${a[1]}"), recorded=OK)
FOLDER = Transaction(Request("PUT", "/tea"))
COLLECTION = Transaction(Request("MKCOL", "/tea/"))
FILE = Transaction(Request("PUT", "/tea/green.txt"))
ORIGINS = {
    "an id that came back": ((AUTHOR, WRITES, LISTS, RENAMES), 404, "POST /authors", "gave out"),
    "one that was seen since": ((AUTHOR, SEEN, WRITES, LISTS, RENAMES), 404, "", ""),
    "one that conflicts": ((AUTHOR, WRITES, LISTS, RENAMES), 409, "", ""),
    "what is above": ((FOLDER, BOOK, FILE), 404, "PUT /tea", "made"),
    "a folder": ((COLLECTION, FILE), 409, "MKCOL /tea/", "made"),
    "a folder that has one": ((COLLECTION, FILE, FILE), 409, "", ""),
    "an older version": ((FOLDER, FILE), 409, "", ""),
}


@pytest.mark.parametrize(("transactions", "status", "name", "what"), ORIGINS.values(), ids=ORIGINS)
def test_what_has_made_what_is_not_there(
    transactions: tuple[Transaction, ...], status: int, name: str, what: str
) -> None:
    """It is told first, unless an answer since has shown that it was done."""
    author = {one: Variable(one, recorded="7") for one in ("a[1]", "a[2]")}
    case = TestCase("shop", (Page("p", transactions),), variables=author)
    passed = [outcome(at, "p", one, Answer(b"{}")) for at, one in enumerate(transactions[:-1])]
    said = Answer(b'{"message": "no"}', status)
    refused = outcome(len(passed), "p", transactions[-1], said, f"Status Code is {status}")
    found = diagnose(case, (*passed, refused), path="x.case.toml", evidence=Evidence(), mask=Mask())
    told = f"Perhaps {name} did not take effect: what it {what} is not there."
    assert found.causes[0].text.startswith(told) is bool(name), found.causes
