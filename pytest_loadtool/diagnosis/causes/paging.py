"""What an answer does not show, as it shows only a part of a list that was shown whole."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from pytest_loadtool.answers.paging import more_than_shown
from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.requests.fields import CONSTANT
from pytest_loadtool.diagnosis.causes.unconfirmed import is_change, says
from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import text_of
from pytest_loadtool.diagnosis.remedies import edited, place_of_failed, seen_outside
from pytest_loadtool.diagnosis.situation import Situation, recorded_text
from pytest_loadtool.model.extractor import source_templates
from pytest_loadtool.model.validator import Validator

#: What parameters are called that say how many resources are listed at once.
_SIZES = frozenset(
    {
        *("limit", "page size", "per page", "pagesize", "perpage", "size", "count", "first"),
        *("max results", "maxresults", "rows", "top"),
    }
)


def on_another_page(situation: Situation) -> Cause | RuledOut | None:
    """Something is not in an answer that says now that there is more than it shows."""
    missing = next(_missing(situation), "")
    more = _more_now(situation) if missing else ""
    if not more:
        return None
    number = situation.failed.index + 1
    size = next(
        (
            one
            for one in situation.fields
            if one.section == "QUERY"
            and one.datasource == CONSTANT
            and plain(one.wire_name) in _SIZES
        ),
        None,
    )
    mend = (
        edited(
            "ask for more at once: a NUMBER",
            f"set-field {number} {quote(size.name)} --constant NUMBER",
        )
        if size is not None
        else Remedy(
            "bring the server back to what it was before each run, or record a session that looks "
            "for it by its name or opens it itself",
            place=place_of_failed(situation),
        )
    )
    cause = Cause(
        f"{missing} may be on another page: the answer says that there is more than it shows, as "
        f"{situation.subject.mask.text(more)}.",
        Sure.KNOWN,
        ("the recorded answer showed all that there was",) if situation.subject.exchange else (),
        (mend,),
    )
    return seen_outside(situation, cause)


def _more_now(situation: Situation) -> str:
    """Return what says that an answer shows a part; empty if nothing does, or said so when it was
    recorded."""
    exchange = situation.subject.exchange
    if exchange is not None and more_than_shown(exchange.response_headers, recorded_text(exchange)):
        return ""
    return more_than_shown(situation.subject.headers, text_of(situation.failed.response)[0])


def _missing(situation: Situation) -> Iterator[str]:
    """Yield what is looked for in an answer that succeeded and not found: by outcomes, or by
    extractors that go by the text of something."""
    failed = situation.failed
    if not 200 <= situation.status <= 299 or not situation.causes <= {"outcome", "extractor"}:
        return
    for one in failed.transaction.validators:
        if _is_lost(situation, one):
            assert one.outcome is not None, "it failed as one"
            yield one.outcome.name.removesuffix(" is listed").removesuffix(" is shown")
    case = situation.subject.case
    sent = [says(case, one.index) for one in situation.before if is_change(one.transaction)]
    for each in failed.transaction.extractors:
        lost = any(f"${{{each.variable}}}" in one.message for one in failed.failures)
        texts = source_templates(each.source) if lost else ()
        if any("${" in text or any(is_in(text) for is_in in sent) for text in texts):
            yield f"${{{each.variable}}}"


def _is_lost(situation: Situation, validator: Validator) -> bool:
    outcome = validator.outcome
    return outcome is not None and not validator.absent and any(
        one.cause == "outcome" and outcome.name in one.message for one in situation.failed.failures
    )  # fmt: skip
