"""Choices of a form that it has no more, or that are called otherwise inside."""

from __future__ import annotations

import re
from shlex import quote

from pytest_loadtool.correlation.requests.fields import CONSTANT, Field
from pytest_loadtool.diagnosis.finding import Cause, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.redirect_mismatch import was_refused
from pytest_loadtool.diagnosis.remedies import edited
from pytest_loadtool.diagnosis.situation import Situation, recorded_text
from pytest_loadtool.extraction.tags import choices, controls, labels_for

#: The inputs that are choices.
_CHOSEN = ("radio", "checkbox")
#: So many that a form offers instead are told.
_MOST_OFFERED = 6


def choice_gone(situation: Situation) -> Cause | RuledOut | None:
    """A form offers no more what was chosen when it was recorded: its label stands for
    another value now, or is gone."""
    method, recorded = situation.failed.transaction.request.method, situation.recorded_status
    if situation.status < 400 and not was_refused(method, recorded, situation.status):
        return None
    for field in situation.fields:
        if field.slot is None or field.datasource != CONSTANT or not field.value:
            continue
        for page in reversed(situation.before):
            exchange = situation.of(page).exchange
            then = _offered(recorded_text(exchange), field.wire_name) if exchange else {}
            if field.value not in then:
                continue
            now = _offered(text_of(page.response)[0], field.wire_name)
            if now and field.value not in now:
                return _gone(situation, field, page, then[field.value], now)
            break
    return None


def _offered(page: str, name: str) -> dict[str, str]:
    """Return the choices of a control: their labels by what they submit."""
    labels = labels_for(page)
    return {
        value: " ".join(label.split())
        for tag, one, _, end in controls(page)
        if one.get("name") == name and (tag == "select" or one.get("type") in _CHOSEN)
        for value, label in choices(page, tag, one, end, labels)
    }


def _gone(
    situation: Situation, field: Field, page: StepOutcome, label: str, now: dict[str, str]
) -> Cause:
    number = situation.failed.index + 1
    what = f"{field.name} = {situation.subject.mask.field(field)}"
    same = [value for value, each in now.items() if each == label]
    if len(same) == 1:
        name = re.sub(r"\W+", "_", field.wire_name).strip("_") or "choice"
        chosen = f"{name}_chosen"
        return Cause(
            f"{what} is no choice of {situation.name(page)} any more: {label!r} is {same[0]} now.",
            Sure.SHOWN,
            (),
            (
                edited(
                    "choose by the label, which is the same",
                    f"extract {page.index + 1} {quote(chosen)} --choice {quote(field.wire_name)} "
                    f"--label {quote(label)} --use {number}",
                ),
            ),
        )
    offered = ", ".join(map(repr, list(dict.fromkeys(filter(None, now.values())))[:_MOST_OFFERED]))
    return Cause(
        f"{what} ({label!r}) is no choice of {situation.name(page)} any more.",
        Sure.SHOWN,
        (f"it offers {offered}",) if offered else (),
        (
            edited(
                "give it a VALUE that is offered",
                f"set-field {number} {quote(field.name)} --constant VALUE",
            ),
        ),
    )
