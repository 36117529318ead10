"""The answer before: its text is kept for what the validators of a later one compare it with; of a
long one its digest, which tells whether another is the same as a whole."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from operator import eq, ne
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import parse_qsl

from pytest_loadtool.codec.calls import is_same_call
from pytest_loadtool.codec.content import ContentError
from pytest_loadtool.extraction.extract import PlainText
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.model.case import Request, TestCase
from pytest_loadtool.model.editing import numbered_titles
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import (
    WHOLE_TEXT,
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
#: How a digest begins: no text does.
_DIGEST: Final = "\0"


def answers_before(case: TestCase) -> dict[tuple[int, int], int]:
    """Return, by a transaction and the position of a validator of it that looks at an answer
    before, the transaction that this answers: the last before the change of the validator's outcome
    that asks for the same."""
    titles = {name: at for at, name in enumerate(numbered_titles(case))}
    requests = [one.request for one in case.transactions()]
    found: dict[tuple[int, int], int] = {}
    for at, one in enumerate(case.transactions()):
        for position, validator in enumerate(one.validators):
            if _looks_back(validator, requests[at]):
                change = validator.outcome.change if validator.outcome is not None else ""
                earlier = range(min(at, titles.get(change, at)) - 1, -1, -1)
                same = (each for each in earlier if _is_same(requests[each], requests[at]))
                if (last := next(same, None)) is not None:
                    found[at, position] = last
    return found


def _looks_back(validator: Validator, request: Request) -> bool:
    """Return whether a validator compares with the answer before, or has an outcome that an item of
    a list shows. What stands at an address of one's own is no list of others."""
    if validator.than_before is not None:
        return True
    in_list = isinstance(validator, TextValidator) or (
        isinstance(validator, JsonValidator) and "?" in validator.path
    )
    outcome = None if validator.absent or not in_list else validator.outcome
    is_shared = "${" not in request.target.partition("?")[0]
    return outcome is not None and not outcome.before and is_shared


def _is_same(earlier: Request, later: Request) -> bool:
    """Return whether the second asks for what the first did, be it with more in its query."""
    paths, queries = zip(*(one.target.partition("?")[::2] for one in (earlier, later)), strict=True)
    if earlier.method != later.method or paths[0] != paths[1]:
        return False
    if earlier.body != later.body and not is_same_call(earlier.body, later.body):
        return False
    asked, more = ({*parse_qsl(one, keep_blank_values=True)} for one in queries)
    return asked <= more


def compared_whole(case: TestCase, before: Mapping[tuple[int, int], int]) -> frozenset[int]:
    """Return, of the `answers_before`, the transactions whose answer as a whole is compared."""
    validators = [one.validators for one in case.transactions()]
    return frozenset(
        last for (at, position), last in before.items() if _is_whole(validators[at][position])
    )


def _is_whole(validator: Validator) -> bool:
    """Return whether all that a validator compares is whether the text is another."""
    return (
        isinstance(validator, RegexValidator)
        and validator.pattern == WHOLE_TEXT
        and validator.than_before in ("same", "other")
    )


def keeping(slot: int, *, whole: bool) -> Check:
    """Return what keeps the text of an answer among a user's values, if it is not too long; of a
    longer one that is compared as a ``whole``, the digest."""

    def keep(response: Response, values: list[str]) -> Failure | None:
        try:
            text = response.text if whole or len(response.body) <= _LONGEST_KEPT else ""
        except ContentError:  # whoever reads it says so
            text = ""
        is_short = len(text) <= _LONGEST_KEPT
        values[slot] = text if is_short else _digest(text) if whole else ""
        return None

    return keep


def kept_text(values: Sequence[str], slot: int | None) -> str:
    """Return the text that is kept in a slot; empty if there is none, or no more than a digest."""
    text = values[slot] if slot is not None else ""
    return "" if text.startswith(_DIGEST) else text


def _digest(text: str) -> str:
    return _DIGEST + hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()


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
    is_whole = _is_whole(validator)
    said = (
        f"it does not show how {subject_of(validator)} was before: there is no answer to the same "
        f"request, or it is longer than {_LONGEST_KEPT:,} characters"
    )
    unknown = not_as_recorded(said) if strict else Failure("answer", said, certain=False)

    def test(found: Any, values: Sequence[str]) -> bool | Failure:
        if is_whole and kept is not None and values[kept].startswith(_DIGEST):
            return holds(_digest(found), values[kept])
        text = kept_text(values, kept)
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
