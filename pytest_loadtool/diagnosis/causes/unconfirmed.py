"""The change that may not have taken effect, where what comes after it is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice

from pytest_loadtool.codec.http import SAFE_METHODS
from pytest_loadtool.codec.names import is_password
from pytest_loadtool.codec.uses import needed_by
from pytest_loadtool.correlation.kinds import reads
from pytest_loadtool.correlation.requests.fields import CONSTANT, fields_of
from pytest_loadtool.diagnosis.finding import POSSIBLE, SHOWN, Cause, RuledOut
from pytest_loadtool.diagnosis.remedies import compared
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.editing import numbered_titles

#: A shorter text in an extractor tells nothing by itself.
_TELLING = 4
#: What answers say of what is not there.
_MISSING = re.compile(
    r"not (?:be )?(?:found|exist)|n.t exist|no such|unknown|missing|nicht gefunden|introuvable",
    re.IGNORECASE,
)


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
        if _is_change(one) and not _is_shown(case, before, at, titles[at])
    ]
    needed = [at for at in found if _is_needed(case, before[at], at, first.transaction)]
    missing = [one for one in situation.complaints if _MISSING.search(one)]
    missed = [at for at in found if any(map(_says(case, at), missing))]
    at = max(missed or needed or found, default=None)
    if at is None:
        return None
    return Cause(
        f"Perhaps {titles[at]} did not take effect: no answer since has shown it.",
        SHOWN - 1 if missed else POSSIBLE + (8 if needed else 2),
        remedies=(
            compared(
                situation,
                "see what the server made of it; a recording with one page more, which shows the "
                "change, tells it at once",
                next((one for one in situation.before if one.index == at), None),
            ),
        ),
    )


def _is_change(one: Transaction) -> bool:
    path = one.request.target.partition("?")[0]
    return one.request.method.upper() not in SAFE_METHODS and not reads(path)


def _is_shown(case: TestCase, before: Sequence[Transaction], at: int, title: str) -> bool:
    """Return whether what came since and passed shows it: by an outcome, or because it asked for
    what the change has given out, or, of who signs in, at all."""
    since = before[at + 1 :]
    given = given_by(before[at])
    shown = any(
        (one.outcome is not None and one.outcome.change == title)
        for each in since
        for one in each.validators
    )
    if shown or any(given & needed_by(case, one) for one in since):
        return True
    passed = any(one.recorded is not None and one.recorded.status < 300 for one in since)
    return passed and any(is_password(one.wire_name) for one in fields_of(case, at))


def _is_needed(case: TestCase, change: Transaction, at: int, refused: Transaction) -> bool:
    if given_by(change) & needed_by(case, refused):
        return True
    sources = [str(one.source) for one in refused.extractors]
    return any(map(_says(case, at), sources))


def _says(case: TestCase, at: int) -> Callable[[str], bool]:
    """Return whether a text has one that the change sends."""
    sent = [one.value for one in fields_of(case, at) if one.datasource == CONSTANT]
    telling = [one for one in sent if len(one) >= _TELLING]
    return lambda text: any(one in text for one in telling)


def given_by(change: Transaction) -> frozenset[str]:
    """Return the variables that a transaction sets."""
    return frozenset(one.variable for one in change.extractors)
