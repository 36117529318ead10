"""The marks of transactions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case, read_har
from pytest_loadtool.correlation.requests.fields import fields_of
from pytest_loadtool.editing.bulk_edit import with_constant, with_reference
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.recording import build_case
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.marks import MARKS, marks_of

CASES = Path(__file__).parents[2] / "example_suite" / "cases"


def document(name: str) -> Document:
    return Document(read_case(CASES / f"{name}.case.toml"), tuple(read_har(CASES / f"{name}.har")))


@pytest.mark.parametrize("name", ["admin", "api"])
def test_recording_as_it_is_has_no_edits(name: str) -> None:
    """Nothing is written by a person in what was built of traffic, or only configured."""
    exchanges = tuple(read_har(CASES / f"{name}.har"))
    built = marks_of(Document(build_case(exchanges, name=name).case, exchanges))
    assert set("".join(built)) == {"s"}
    assert set("".join(marks_of(document(name)))) == set("xvgs")


def test_api_calls_have_their_marks() -> None:
    """Signing in gives out a token, which the others send."""
    assert marks_of(document("api"), {6})[:2] == ("xs", "g")
    assert marks_of(document("api"), {6})[-1].endswith("f")


def test_what_a_person_wrote_is_marked() -> None:
    """Another constant, a dataset's column, a variable; and what is unique for each user."""
    found = document("api")
    index = next(i for i, letters in enumerate(marks_of(found)) if letters == "gs")
    field = next(one for one in fields_of(found.case, index) if one.section == "POST content")

    def marked(case: TestCase) -> str:
        return marks_of(replace(found, case=case))[index]

    assert marked(with_constant(found.case, index, field, field.value)) == "gs"
    assert marked(with_constant(found.case, index, field, "other")) == "gws"
    assert marked(with_reference(found.case, index, field, "users.name")) == "gws"
    mine = replace(found.case, variables={**found.case.variables, "me": Variable("me", value="x")})
    assert marked(with_reference(mine, index, field, "me")) == "gws"
    made = make_unique(found.case, field.value)
    assert made is not None
    assert "q" in marked(made.case)


def test_every_mark_is_explained() -> None:
    """The legend and the filter expressions have all of them."""
    from pytest_loadtool.workflow.filtering import OPERATORS

    assert {f"~{letter}" for letter in MARKS} <= set(OPERATORS)
