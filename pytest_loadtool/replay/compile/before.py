"""The answer before: its text is kept for what the validators of a later one compare it with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import eq, ne
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import parse_qsl

from pytest_loadtool.codec.calls import unnumbered
from pytest_loadtool.codec.content import ContentError
from pytest_loadtool.extraction.extract import PlainText
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.model.case import Request, TestCase
from pytest_loadtool.model.editing import numbered_titles
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import (
    JsonValidator,
    RegexValidator,
    TextValidator,
    Validator,
    XmlValidator,
)
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.compile.found import all_in_text, subject_of
from pytest_loadtool.replay.user.exchange import Check, Response
from pytest_loadtool.replay.user.failures import not_as_recorded

#: How long a text is, in characters, that is kept until a later answer is judged.
_LONGEST_KEPT: Final = 50_000


def answers_before(case: TestCase) -> dict[int, int]:
    """Return, by the transaction whose validators look at it, that which asks for the same last
    before the changes. What stands at an address of one's own is no list of others."""
    titles = {name: at for at, name in enumerate(numbered_titles(case))}
    requests = [one.request for one in case.transactions()]
    found: dict[int, int] = {}
    for at, one in enumerate(case.transactions()):
        is_shared = "${" not in requests[at].target.partition("?")[0]
        changes = [titles.get(name, at) for name in _changes(one.validators, is_shared)]
        for before in range(min(at, *changes) - 1 if changes else -1, -1, -1):
            if _is_same(requests[before], requests[at]):
                found[at] = before
                break
    return found


def _changes(validators: Sequence[Validator], is_shared: bool) -> Iterator[str]:
    """Yield the changes before which the same was asked for: those of which an item of a list that
    ``is_shared`` may show the outcome, and those since which a value differs; an empty text is the
    transaction itself."""
    for one in validators:
        outcome = one.outcome
        if getattr(one, "than_before", None) is not None:
            yield outcome.change if outcome is not None else ""
        in_list = isinstance(one, TextValidator) or (
            isinstance(one, JsonValidator) and "?" in one.path
        )
        if is_shared and in_list and outcome is not None and not (one.absent or outcome.before):
            yield outcome.change


def _is_same(earlier: Request, later: Request) -> bool:
    """Return whether the second asks for what the first did, be it with more in its query."""
    paths, queries = zip(*(one.target.partition("?")[::2] for one in (earlier, later)), strict=True)
    asked, more = ({*parse_qsl(one, keep_blank_values=True)} for one in queries)
    bodies = [
        unnumbered(one.body) if isinstance(one.body, str) else one.body for one in (earlier, later)
    ]
    same = earlier.method == later.method and bodies[0] == bodies[1] and paths[0] == paths[1]
    return same and asked <= more


def keeping(slot: int) -> Check:
    """Return what keeps the text of an answer among a user's values, if it is not too long."""

    def keep(response: Response, values: list[str]) -> Failure | None:
        try:
            text = response.text if len(response.body) <= _LONGEST_KEPT else ""
        except ContentError:  # whoever reads it says so
            text = ""
        values[slot] = text if len(text) <= _LONGEST_KEPT else ""
        return None

    return keep


def dropping(slot: int) -> Check:
    """Return what drops it."""

    def drop(_: Response, values: list[str]) -> Failure | None:
        values[slot] = ""
        return None

    return drop


def compile_than_before(
    validator: JsonValidator | XmlValidator | RegexValidator,
    wanted: str,
    names: VariableNames,
    strict: bool,
    kept: int | None,
) -> Callable[[Any, Sequence[str]], bool | Failure]:
    """Return a function from what was found to whether it differs in the ``wanted`` way from what
    the answer had whose text is in the slot ``kept``; or to what is said where nobody knows."""
    find, holds = all_in_text(validator, names), _WAYS[wanted]
    said = (
        f"it does not show how {subject_of(validator)} was before: there is no answer to the same "
        f"request, or it is longer than {_LONGEST_KEPT:,} characters"
    )
    unknown = not_as_recorded(said) if strict else Failure("answer", said, certain=False)

    def test(found: Any, values: Sequence[str]) -> bool | Failure:
        text = values[kept] if kept is not None else ""
        if not text:
            return unknown
        before = find(PlainText(text), values)
        if not before or before[0] is None:
            return wanted != "same"
        return holds(_comparable(found), _comparable(before[0]))

    return test


#: How a value may differ from the one before, by what that is called.
_WAYS: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {
        "same": eq,
        "other": ne,
        "more": lambda now, then: now.__class__ is then.__class__ and now > then,
        "less": lambda now, then: now.__class__ is then.__class__ and now < then,
    }
)


def _comparable(value: Any) -> float | str:
    """Return a value as a number, be it written as pages do (``1,208.50``), or as text."""
    text = json_text(value) or ""
    try:
        return float(text.replace(",", "").rstrip("."))
    except ValueError:
        return text
