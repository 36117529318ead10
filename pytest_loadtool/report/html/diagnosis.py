"""The diagnosis of a failed replay as plain data, for pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_loadtool.codec.printable import printable
from pytest_loadtool.diagnosis.finding import Diagnosis, Remedy
from pytest_loadtool.diagnosis.outcome import StepOutcome
from pytest_loadtool.diagnosis.subject import place_of
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.report.diagnosis import commands_of, result_of

_Clean = Callable[[str], str]


def diagnosis_data(found: Diagnosis, mask: Mask, path: str) -> dict[str, Any]:
    """Return what to mend first, why, and how: builtin types, secrets cut, for a page and for
    pytest-xdist. ``path`` is the test case's."""

    def clean(text: str) -> str:
        return printable(mask.known(text))

    first, *others = found.causes or (None,)
    remedies = first.remedies if first is not None else found.advice
    return {
        "mend": _transaction(found.mend, path, clean),
        "broke": _transaction(found.failed, path, clean)
        if found.mend.index != found.failed.index
        else None,
        "of": f"transaction {found.mend.index + 1} of {found.total}",
        "cause": clean(first.text) if first is not None else "",
        "meaning": clean(found.meaning or "; ".join(found.failed.reasons)),
        "because": [clean(one) for one in first.evidence] if first is not None else [],
        "confirm": clean(first.confirm) if first is not None else "",
        "remedies": [remedy_data(one, path, clean) for one in remedies],
        "otherwise": "Or",
        "others": [clean(one.text) for one in others if one is not None],
        "possible": [clean(one) for one in found.possible],
        "ruled_out": [clean(one) for one in found.ruled_out],
        "steps": [[clean(name), clean(told)] for name, told in found.steps],
        "later": [
            _transaction(one, path, clean) | {"needs": sorted(names)} for one, names in found.later
        ],
    }


def _transaction(one: StepOutcome, path: str, clean: _Clean) -> dict[str, Any]:
    return {
        "number": one.index + 1,
        "page": clean(one.page),
        "title": clean(one.transaction.title),
        "result": clean(result_of(one)),
        "said": clean("; ".join(one.reasons)),
        "place": clean(place_of(path, one)),
    }


def remedy_data(one: Remedy, path: str, clean: _Clean = printable) -> dict[str, Any]:
    """Return a remedy as plain data."""
    return {
        "text": clean(one.text),
        "place": clean(one.place),
        "line": clean(one.line),
        "commands": [clean(text) for text in commands_of(one, path)],
    }
