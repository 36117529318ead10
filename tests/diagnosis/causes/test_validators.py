"""Which comparison is named when a response is another one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.diagnosis.causes.validators import value_differs
from pytest_loadtool.diagnosis.finding import Cause as Found
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import Subject
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import Page, Request, TestCase, Transaction
from pytest_loadtool.model.validator import (
    HeaderValidator,
    JsonValidator,
    ResponseValidator,
    Validator,
)
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.compile.validate import compile_validator
from tests.correlation.exchanges import json_body
from tests.report.outcomes import Answer, outcome


@pytest.mark.parametrize(
    ("validator", "told"),
    [
        (JsonValidator("$.n", 8), "$.n is 7, expected 8"),
        (HeaderValidator("Content-Type", equals="text/html"), "is application/json"),
        (ResponseValidator("size", at_most=3), "size is 8, expected <= 3"),
    ],
)
def test_the_value_is_named(validator: Validator, told: str) -> None:
    """As the validator itself tells it: its subject, the value and what is expected."""
    failure = compile_validator(validator, VariableNames({}))(
        RecordedResponse(json_body({"n": 7})), ()
    )
    assert failure is not None
    step = Transaction(Request("GET", "/n"), validators=(validator,))
    failed = replace(outcome(0, "p", step, Answer(b"")), failures=(failure,))
    subject = Subject(
        TestCase("shop", (Page("p", (step,)),)), "x.case.toml", failed, Mask(), Evidence()
    )
    found = value_differs(Situation(subject, (failed,)))
    assert isinstance(found, Found)
    assert told in found.text
