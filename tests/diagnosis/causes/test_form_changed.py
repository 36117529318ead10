"""When a form has other fields than it had when it was recorded."""

from __future__ import annotations

import pytest

from pytest_loadtool.diagnosis.causes.recording import form_changed
from pytest_loadtool.diagnosis.finding import Cause
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import Subject
from pytest_loadtool.masking.text import Mask
from tests.correlation.exchanges import case_of, html
from tests.correlation.talk import get, post
from tests.report.outcomes import Answer, outcome


def told(field: str, now: str, failed: int) -> str:
    """What is said when a request fails, and the form of the second page had one field and has
    another now."""

    def form(name: str) -> str:
        return f'<form><input name="id" value="2"><input name="{name}"></form>'

    session = (
        post("/queues", "name=Tea"),
        get("/tickets/2", html(form(field))),
        post("/tickets/2", f"id=2&{field}=Ann"),
    )
    case = case_of(*session)
    outcomes = tuple(
        outcome(at, "p", one, Answer(b"", body=form(now).encode()), *(["Status"] * (at == failed)))
        for at, one in enumerate(case.transactions())
    )
    subject = Subject(case, "x.case.toml", outcomes[failed], Mask(), Evidence(session))
    found = form_changed(Situation(subject, outcomes))
    return found.text if isinstance(found, Cause) else ""


@pytest.mark.parametrize(
    ("field", "now", "failed", "changed"),
    [
        ("owner", "assignee", 2, True),
        ("owner", "assignee", 0, False),  # what comes later is no cause
        ("2-owner", "6-owner", 2, False),  # the form is the same, of another ticket
    ],
)
def test_a_form_with_other_fields(field: str, now: str, failed: int, changed: bool) -> None:
    """It is named as the cause of what fails with it or after it."""
    assert ("has changed since it was recorded" in told(field, now, failed)) is changed
