"""When a refusal says that the server has the name already."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.diagnosis.causes.refused import exists_already
from pytest_loadtool.diagnosis.finding import Cause, Sure
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import Subject
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import Header, Kind, Page, Recorded, Request, TestCase, Transaction
from tests.report.outcomes import Answer, outcome

FORM = (Header("Content-Type", "application/x-www-form-urlencoded"),)
OK = Recorded(200, Kind.HTML)


def told(method: str, status: int, answer: bytes = b"", field: str = "title") -> str:
    """What is said when a change of this method is answered so."""
    found = cause(method, status, answer, field)
    return found.text if found is not None else ""


def cause(
    method: str, status: int, answer: bytes = b"", field: str = "title", *, before: str = ""
) -> Cause | None:
    """The cause that is found; ``before``: how the list came otherwise than recorded."""
    listed = Transaction(Request("GET", "/books"), recorded=OK)
    change = Transaction(Request(method, "/books", FORM, f"{field}=Valperga"), recorded=OK)
    case = TestCase("shop", (Page("p", (listed, change)),))
    passed = replace(outcome(0, "p", listed, Answer(b"", 200)), not_as_recorded=before)
    refused = outcome(1, "p", change, Answer(b"", status, body=answer), f"Status Code is {status}")
    subject = Subject(case, "x.case.toml", refused, Mask(), Evidence())
    found = exists_already(Situation(subject, (passed, refused)))
    return found if isinstance(found, Cause) else None


@pytest.mark.parametrize(
    ("method", "status", "expected"),
    [
        ("POST", 409, "The server takes 'Valperga' only once, and has it."),
        ("PUT", 409, ""),
        ("POST", 422, ""),
        ("POST", 500, ""),
    ],
)
def test_conflicts(method: str, status: int, expected: str) -> None:
    """Only of something new a conflict shows it: a thing that is there may have been changed."""
    assert told(method, status) == expected


def test_a_conflict_that_says_no_more_than_that() -> None:
    """What a list has shown before is sure to be there."""
    found = [cause("POST", 409, b"Conflict", before=one) for one in ("", "Valperga is not listed")]
    assert [one.sure for one in found if one is not None] == [Sure.LIKELY, Sure.SHOWN]


@pytest.mark.parametrize("field", ["title", "id"])
def test_a_text_that_is_said_to_exist(field: str) -> None:
    """Whatever its field is called."""
    said = b'<div class="alert alert-danger">A book called "Valperga" already exists</div>'
    assert told("POST", 400, said, field) == "The server takes 'Valperga' only once, and has it."
    assert not told("POST", 400, said.replace(b"Valperga", b"Emma"), "id")
