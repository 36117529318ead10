"""Changes that did not take effect, or may not have: what they should have brought about is not
there, or what comes after is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from urllib.parse import SplitResult

from pytest_loadtool.codec.http import SAFE_METHODS
from pytest_loadtool.codec.names import is_password
from pytest_loadtool.codec.template import Template
from pytest_loadtool.correlation.kinds import reads
from pytest_loadtool.correlation.requests.fields import CONSTANT, fields_of
from pytest_loadtool.diagnosis.causes.pages import same_page_elsewhere
from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import StepOutcome
from pytest_loadtool.diagnosis.remedies import compared, seen_outside
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import place_of
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.editing import numbered_titles
from pytest_loadtool.model.validator import Validator
from pytest_loadtool.structure.uses import needed_by

#: A shorter text in an extractor tells nothing by itself.
_TELLING = 4
#: What answers say of what is not there.
_MISSING = re.compile(
    r"not (?:be )?(?:found|exist)|n.t exist|no such|unknown|missing|nicht gefunden|introuvable",
    re.IGNORECASE,
)
#: Statuses of what is not there, also of a file whose folder is missing (RFC 4918 §9.7.1); and the
#: methods that make something at the address itself.
_NOT_THERE = frozenset({404, 409, 410})
_PUTS = ("PUT", "MKCOL")
#: What is not there then.
_GAVE_OUT, _MADE = "what it gave out", "what it made"
#: What databases say of a reference to nothing, in any language.
_REFERS = re.compile(r"foreign.?key|fremdschl|cl[eé].?[eé]trang", re.IGNORECASE)


def change_unconfirmed(situation: Situation) -> Cause | RuledOut | None:
    """Return the last change before the failure that no answer has shown to be done; rather one
    that has given out what the request sends, or sent what its extractors go by."""
    case, first = situation.subject.case, situation.failed
    if "outcome" in situation.causes:
        return None  # it names a change itself
    before = list(islice(case.transactions(), first.index))
    titles = numbered_titles(case)
    found = [
        at
        for at, one in enumerate(before)
        if is_change(one) and not _is_shown(case, before, at, titles[at])
    ]
    needed = [at for at in found if _is_needed(case, before[at], at, first.transaction)]
    missing = [one for one in situation.complaints if _MISSING.search(one)]
    missed = [at for at in found if any(map(says(case, at), missing))]
    made = dict(_made(situation, before, titles))
    at = max(missed or made or needed or found, default=None)
    if at is None:
        return None
    gone = "" if missed else made.get(at, "")
    if not gone and not missed and _is_gone(situation, before[at]):
        gone = _GAVE_OUT
    return Cause(
        f"Perhaps {titles[at]} did not take effect: "
        + (f"{gone} is not there." if gone else "no answer since has shown it."),
        Sure.SHOWN if missed else Sure.LIKELY if gone else Sure.POSSIBLE,
        remedies=(
            compared(
                situation,
                "see what the server made of it; a recording with one page more, which shows the "
                "change, tells it at once",
                next((one for one in situation.before if one.index == at), None),
            ),
        ),
    )


def _made(
    situation: Situation, before: Sequence[Transaction], titles: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """Yield the changes that have made what is not there, as far as no answer since shows it, and
    what that is: those that were the first to give out an id in its path, or put something there or
    above it. Who only sends the id, in a query or a body, has not seen the thing."""
    case, asked = situation.subject.case, _path(situation.failed.transaction)
    missing = situation.status in (404, 410)
    for reference in Template.parse(asked).references if missing else ():
        alike = _alike(case, reference.name)
        at = next((at for at, one in enumerate(before) if given_by(one) & alike), None)
        since = before[at + 1 :] if at is not None else ()
        if at is None or not is_change(before[at]) or _has_outcome(since, titles[at]):
            continue
        if not any(alike & _in_path(one) for one in since):
            yield at, _GAVE_OUT
    for at, one in enumerate(before):
        method, place = one.request.method.upper(), f"{_path(one)}/"
        above = asked.startswith(place) or (missing and f"{asked}/" == place)
        if not above or method not in _PUTS[not missing :]:
            continue
        if situation.status not in _NOT_THERE or _has_outcome(before[at + 1 :], titles[at]):
            continue
        if not any(f"{_path(each)}/".startswith(place) for each in before[at + 1 :]):
            yield at, _MADE


def _path(one: Transaction) -> str:
    return one.request.target.partition("?")[0].rstrip("/")


def _in_path(one: Transaction) -> frozenset[str]:
    return frozenset(each.name for each in Template.parse(_path(one)).references)


def _alike(case: TestCase, name: str) -> frozenset[str]:
    """Return the variables called alike that had the same value when it was recorded: the shop of
    an order is a shop."""
    variable = case.variables.get(name)
    recorded = variable.recorded if variable is not None else None
    if recorded is None:
        return frozenset({name})
    same = (other for other, one in case.variables.items() if one.recorded == recorded)
    stem = name.partition("[")[0]
    return frozenset({name, *(one for one in same if one.partition("[")[0] == stem)})


def _is_gone(situation: Situation, change: Transaction) -> bool:
    """Return whether nothing is at an address that has what the change has given out, or an answer
    says that something is not there, and the request sends that, or is refused by a database."""
    failed, given = situation.failed.transaction, given_by(change)
    asked = {one.name for one in Template.parse(failed.request.target).references}
    if situation.status in (404, 410) and given & asked:
        return True
    refused = any(_REFERS.search(one) or _MISSING.search(one) for one in situation.complaints)
    return refused and bool(given & needed_by(situation.subject.case, failed))


def is_change(one: Transaction) -> bool:
    """Return whether a transaction may do something."""
    path = one.request.target.partition("?")[0]
    return one.request.method.upper() not in SAFE_METHODS and not reads(path)


def _is_shown(case: TestCase, before: Sequence[Transaction], at: int, title: str) -> bool:
    """Return whether what came since and passed shows it: by an outcome, or because it asked for
    what the change has given out, or, of who signs in, at all."""
    since = before[at + 1 :]
    given = given_by(before[at])
    if _has_outcome(since, title) or any(given & needed_by(case, one) for one in since):
        return True
    passed = any(one.recorded is not None and one.recorded.status < 300 for one in since)
    return passed and any(is_password(one.wire_name) for one in fields_of(case, at))


def _has_outcome(since: Sequence[Transaction], title: str) -> bool:
    """Return whether one of the transactions has an outcome of the change of that title."""
    outcomes = (one.outcome for each in since for one in each.validators)
    return any(one is not None and one.change == title for one in outcomes)


def _is_needed(case: TestCase, change: Transaction, at: int, refused: Transaction) -> bool:
    if given_by(change) & needed_by(case, refused):
        return True
    sources = [str(one.source) for one in refused.extractors]
    return any(map(says(case, at), sources))


def says(case: TestCase, at: int) -> Callable[[str], bool]:
    """Return what tells whether a text has one that the change sends, transaction ``at``."""
    sent = [one.value for one in fields_of(case, at) if one.datasource == CONSTANT]
    telling = [one for one in sent if len(one) >= _TELLING]
    return lambda text: any(one in text for one in telling)


def given_by(change: Transaction) -> frozenset[str]:
    """Return the variables that a transaction sets."""
    return frozenset(one.variable for one in change.extractors)


def change_without_effect(situation: Situation) -> Cause | RuledOut | None:
    """A change passed, and what it should have brought about is not there. Of several, rather one
    that no answer before has shown to be done: an answer without text lacks them all."""
    before = tuple(islice(situation.subject.case.transactions(), situation.failed.index))
    outcomes = [
        one.outcome
        for one in situation.failed.transaction.validators
        if one.outcome is not None and one.outcome.change and _is_told(situation, one)
    ]
    if not outcomes:
        return None
    outcome = min(outcomes, key=lambda one: _has_outcome(before, one.change))
    change = _change(situation, outcome.change)
    name = situation.name(change) if change is not None else outcome.change
    status = f"it was answered with {change.response.status}" if change is not None else ""
    not_as_recorded = (
        [f"not as recorded: {change.not_as_recorded}"] if change and change.not_as_recorded else []
    )
    addresses = same_page_elsewhere(situation, change) if change is not None else None
    to = situation.subject.mask.text(_short(*addresses)) if addresses is not None else ""
    lost = f"it redirects to {to}, and has done nothing yet" if to else ""
    failed = outcome.failed.replace(outcome.change, name, 1)
    if outcome.spares:
        failed += ", or an earlier run has left more there"
    cause = Cause(
        f"{failed}: {lost or f'it is not so that {outcome.name}'}.",
        _sure(situation, change),
        tuple(filter(None, (status, *not_as_recorded, f"not so: {outcome.name}" if to else ""))),
        (
            Remedy("see what the server made of it: its log, and what it answered")
            if change is None
            else Remedy(
                f"have it answer at that address again, or send it to {to}",
                place=place_of(situation.subject.path, change),
            )
            if to
            else compared(situation, "see what the server made of it: answer and log", change),
        ),
        index=change.index if change is not None else None,
    )
    return seen_outside(situation, cause, change if to else None)


def _short(asked: SplitResult, to: SplitResult) -> str:
    """Return an address, without the server if that is the same."""
    return to.path if asked[:2] == to[:2] else f"{to.scheme}://{to.netloc}{to.path}"


def _sure(situation: Situation, change: StepOutcome | None) -> Sure:
    """Return how sure that is: an error elsewhere shows nothing of the change, unless what it has
    made is not there."""
    if situation.causes <= {"outcome", "extractor"}:  # of the row that is not there
        return Sure.SAID
    if change is None or situation.status not in (404, 410):
        return Sure.POSSIBLE
    case, refused = situation.subject.case, situation.failed.transaction
    put = change.transaction.request.target == refused.request.target
    given = given_by(change.transaction) & needed_by(case, refused)
    return Sure.LIKELY if put or given else Sure.POSSIBLE


def _is_told(situation: Situation, validator: Validator) -> bool:
    """Return whether a failure is that of the validator: several changes may have an outcome of a
    name."""
    outcome = validator.outcome
    if outcome is None:
        return False
    said = (one.message for one in situation.failed.failures if one.cause == "outcome")
    own = (one for one in said if one.startswith(outcome.failed))
    return any(outcome.name in one for one in own)


def _change(situation: Situation, title: str) -> StepOutcome | None:
    """Return the transaction that a validator calls ``POST /orders (2)``."""
    titles = numbered_titles(situation.subject.case)
    return next((one for one in situation.outcomes if titles[one.index] == title), None)
