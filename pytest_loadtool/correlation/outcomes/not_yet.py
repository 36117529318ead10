"""Not yet: what an answer before a change shows, if its outcome goes by a text alone, or something
is gone that is not each run's own, or what the session has named so is in another state.

Where an earlier run has left that text, or has removed that thing, the outcome is so already, and
proves nothing. And where a client counts, what it makes under the next number may be somebody's.
"""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from pytest_loadtool.codec.entities import in_markup
from pytest_loadtool.correlation.classify import TELLING, is_identity_name, is_title_name
from pytest_loadtool.correlation.outcomes.changes import Change
from pytest_loadtool.correlation.outcomes.proof import Proof, names
from pytest_loadtool.correlation.outcomes.seen import Answers, SeenAnswer
from pytest_loadtool.extraction.jsonpath import compile_path, json_text
from pytest_loadtool.model.validator import JsonValidator, TextValidator, Validator, validator_texts

#: The path to the item of a list with a number as its id: that is group 1.
_COUNTED = re.compile(r"\$[^${]*?\[\?\(@\.\w+==(\d+)\)\]")


def not_yet(change: Change, proof: Proof, shown: SeenAnswer, answers: Answers) -> Proof | None:
    """Return the proof that the last answer to the same request as ``shown``, of those before the
    change, does not have what a proof finds by a text, or has what is gone; None if there was none,
    or it is not so."""
    before = answers.before(change.step.index)
    earlier = next((one for one in before if _is_the_same(one, shown, change)), None)
    validator = proof.validator
    if earlier is None or validator is None:
        return None
    if is_gone(proof):
        there = replace(validator, absent=False)
        if not _holds(there, earlier):
            return None
        says = f"{proof.gone} is there"
        return replace(proof, at=earlier.step.index, says=says, validator=there, gone="")
    if (counted := _counted(validator)) is not None:
        item = JsonValidator(counted[0], absent=True)
        if compile_path(item.path, 1)(earlier.document) is not None:
            return None
        says = f"number {counted[1]} is not yet listed"
        return replace(proof, at=earlier.step.index, says=says, validator=item)
    what, _, how = proof.says.rpartition(" is ")
    says = f"{what} is not yet {how.removeprefix('still ')}"
    if isinstance(validator, JsonValidator) and validator.equals is not None:
        then = compile_path(validator.path, 1)(earlier.document)
        if then in (None, json_text(validator.equals)):
            return None
        other = replace(validator, equals=None, not_equals=validator.equals)
        return replace(proof, at=earlier.step.index, says=says, validator=other)
    if not _is_name(change, proof.text) and not _is_about_it(change, proof.text, shown):
        return None
    if _holds(validator, earlier) is not False:
        return None
    check = replace(validator, absent=True)
    return replace(proof, at=earlier.step.index, says=says, validator=check)


def goes_by_number(proof: Proof) -> bool:
    """Return whether it goes by a number that no answer has given out: clients count."""
    return _counted(proof.validator) is not None


def _counted(validator: Validator | None) -> re.Match[str] | None:
    """Return the path to the item with a number in which a validator looks for something."""
    if not isinstance(validator, JsonValidator) or validator.absent:
        return None
    return _COUNTED.match(validator.path)


def is_gone(proof: Proof) -> bool:
    """Return whether it says that something is gone that is not each run's own."""
    texts = validator_texts(proof.validator) if proof.validator is not None else {}
    return bool(proof.gone) and not any("${" in one for one in texts.values())


def _is_name(change: Change, text: str) -> bool:
    """Return whether a field sends it that names a resource: a type or a note may be that of
    many."""
    fields = (one.field for one in change.said if one.value == text)
    return any(is_title_name(one) or is_identity_name(one) for one in fields)


def _is_about_it(change: Change, text: str, shown: SeenAnswer) -> bool:
    """Return whether the answer is about the one resource that the change is made to, by its own
    address, and the text is long enough to be that of no other."""
    if len(text) < TELLING:
        return False
    if change.step.path == shown.step.path and change.method in ("PUT", "PATCH"):
        return True
    if _is_page_of(change, shown):
        return True
    asked = _query(shown.step.address)
    sent = {*_query(change.step.address), *((one.field, one.value) for one in change.said)}
    return change.step.path == shown.step.path and bool(asked) and asked <= sent


def _is_the_same(one: SeenAnswer, shown: SeenAnswer, change: Change) -> bool:
    """Return whether an answer before the change is to the same request as ``shown``, or both are
    pages of the resource at one path: ``?id=17&saved=1`` says how it went, too."""
    if one.asks_the_same(shown):
        return True
    return one.step.path == shown.step.path and _is_page_of(change, one, shown)


def _is_page_of(change: Change, *shown: SeenAnswer) -> bool:
    """Return whether the addresses of answers name one resource of the change."""
    return any(all(names(one.step, each) for one in shown) for each in change.resources)


def _query(address: str) -> set[tuple[str, str]]:
    return set(parse_qsl(urlsplit(address).query))


def _holds(validator: Validator, answer: SeenAnswer) -> bool | None:
    """Return whether a validator without placeholders does; None: nobody knows."""
    match validator:
        case TextValidator(text=text, absent=False, row="") if "$" not in text:
            return in_markup(text, answer.text)
        case JsonValidator(path=path, equals=None, absent=False) if "${" not in path:
            return compile_path(path, 1)(answer.document) is not None
        case _:
            return None
