"""What a validator or an extractor looked for and did not find."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from shlex import quote
from types import MappingProxyType

from pytest_loadtool.codec.printable import clip
from pytest_loadtool.codec.template import Reference, Template, TemplateError
from pytest_loadtool.codec.uses import needed_by
from pytest_loadtool.diagnosis.causes.pages import charset_wrong, is_another
from pytest_loadtool.diagnosis.causes.unconfirmed import given_by
from pytest_loadtool.diagnosis.divergence import divergences
from pytest_loadtool.diagnosis.finding import (
    LIKELY,
    POSSIBLE,
    SAID,
    SHOWN,
    Cause,
    Remedy,
    RuledOut,
)
from pytest_loadtool.diagnosis.moved import NewPlace, new_names, place_now
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.page_errors import LONGEST_SAID, visible_text
from pytest_loadtool.diagnosis.remedies import compared, edited, place_of_failed, seen_outside
from pytest_loadtool.diagnosis.situation import Situation, recorded_text
from pytest_loadtool.diagnosis.subject import place_of
from pytest_loadtool.extraction.jsonpath import compile_path
from pytest_loadtool.model.editing import numbered_titles
from pytest_loadtool.model.extractor import Extractor, JsonPath
from pytest_loadtool.model.flow import Until
from pytest_loadtool.model.validator import (
    HeaderValidator,
    JsonValidator,
    RegexValidator,
    ResponseValidator,
    TextValidator,
    Validator,
    ValueValidator,
    XmlValidator,
)

#: How much of a page is searched for a similar text, in words, and how similar it has to be.
_MOST_WORDS, _SIMILAR = 3000, 0.6
#: So much of a text at least proves what the whole does.
_PROVES = 0.5
_OR_PATTERN = "or for a regular expression (--regex), or a JSON path (--json)"
_NUMBERS = re.compile(r"\d")


def text_not_found(situation: Situation) -> Cause | RuledOut | None:
    """A text is not on the page: because it never was, because it changes, or because the page is
    another."""
    if not {"text", "regex", "outcome"} & situation.causes:
        return None
    found = next(_broken(situation), None)
    if found is None or charset_wrong(situation) is not None:
        return None
    validator, wanted = found
    if validator.outcome is not None and validator.outcome.change:
        return None
    page = visible_text(text_of(situation.failed.response)[0])
    exchange = situation.subject.exchange
    recorded = exchange.response_body.decode("utf-8", "replace") if exchange is not None else ""
    near = nearest(wanted, page)
    evidence = [f"nearest on the page: {near!r}"] if near else []
    if exchange is not None and wanted not in recorded and wanted not in visible_text(recorded):
        then = nearest(wanted, visible_text(recorded))
        evidence += ["the recording does not have it either"]
        return Cause(
            f"The validator is wrong: {clip(wanted, LONGEST_SAID)!r} was not on the recorded page.",
            SHOWN + 8,
            tuple(evidence),
            (_instead(situation, validator, near or then, f"correct its text; {_OR_PATTERN}"),),
        )
    changes = near and _NUMBERS.sub("", near) == _NUMBERS.sub("", wanted)
    if near:
        why = "the text has another number now" if changes else "a text like it is there"
        return Cause(
            f"The page has changed: {why}.",
            SHOWN if changes else LIKELY + 5,
            (*evidence, *(["the recording has it"] if exchange is not None else [])),
            (
                _instead(
                    situation,
                    validator,
                    _common(wanted, near),
                    f"if what is there is right, look for the part that stays; {_OR_PATTERN}",
                ),
            ),
        )
    cause = Cause(
        "The page has nothing like it: it is another page, its structure changed, or the name "
        "is misspelt.",
        POSSIBLE + 5,
        (*(["the recording has it"] if wanted in recorded else []),),
        (
            compared(
                situation,
                "see what the server shows instead of what was recorded; of a text that changes "
                f"look for what stays, {_OR_PATTERN}",
            ),
        ),
    )
    return seen_outside(situation, cause)


def _instead(situation: Situation, validator: Validator, text: str, why: str) -> Remedy:
    """Return how a validator gets another text; an outcome keeps what it is about."""
    number = situation.failed.index + 1
    at = situation.failed.transaction.validators.index(validator) + 1
    if not text:  # to remove it alone would prove nothing
        return compared(situation, why)
    return edited(
        why,
        f"remove-validator {number} {at}",
        f"validate {number} --text {quote(text)} --anyway",
        place=place_of_failed(situation),
    )


def _broken(situation: Situation) -> Iterator[tuple[Validator, str]]:
    """Yield the validators that did not hold, with the text that each wanted, as far as it is
    known."""
    said = " ".join(one.message for one in situation.failed.failures)
    for one in situation.failed.transaction.validators:
        match one:
            case TextValidator(text=text, absent=False) if repr(text) in said:
                yield one, _filled(situation, text)
            case RegexValidator(pattern=pattern, absent=False) if repr(pattern) in said:
                yield one, pattern


def _filled(situation: Situation, text: str) -> str:
    """Return a template with the values that were sent up to now."""
    values: dict[str, str] = {}
    for one in (*situation.before, situation.failed):
        values |= situation.of(one).sent
    try:
        parts = Template.parse(text).parts
    except TemplateError:
        return text
    return "".join(
        values.get(one.name, f"${{{one.name}}}") if isinstance(one, Reference) else one
        for one in parts
    )


def nearest(wanted: str, text: str) -> str:
    """Return the part of a text that is most like what is wanted, in as many words; empty if
    nothing is."""
    words, count = text.split()[:_MOST_WORDS], len(wanted.split())
    if not count:
        return ""
    best, found = _SIMILAR, ""
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    for start in range(max(len(words) - count + 1, 0)):
        candidate = " ".join(words[start : start + count])
        matcher.set_seq1(candidate)
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best:
            ratio = matcher.ratio()
            if ratio > best:
                best, found = ratio, candidate
    return found


def _common(wanted: str, found: str) -> str:
    """Return the longest part that both have, in whole words; empty if that is too little to prove
    anything."""
    was, now = wanted.split(), found.split()
    match = SequenceMatcher(None, was, now, autojunk=False).find_longest_match()
    common = " ".join(was[match.a : match.a + match.size])
    return common if len(common) >= _PROVES * len(wanted) else ""


def change_without_effect(situation: Situation) -> Cause | RuledOut | None:
    """A change passed, and what it should have brought about is not there."""
    outcomes = [
        one.outcome
        for one in situation.failed.transaction.validators
        if one.outcome is not None and one.outcome.change and _says(situation, one)
    ]
    if not outcomes:
        return None
    outcome = outcomes[0]
    change = _change(situation, outcome.change)
    name = situation.name(change) if change is not None else outcome.change
    status = f"it was answered with {change.response.status}" if change is not None else ""
    not_as_recorded = (
        [f"not as recorded: {change.not_as_recorded}"] if change and change.not_as_recorded else []
    )
    cause = Cause(
        f"{name} did not take effect: it is not so that {outcome.name}.",
        _sure(situation, change),
        tuple(filter(None, (status, *not_as_recorded))),
        (
            Remedy("see what the server made of it: its log, and what it answered")
            if change is None
            else compared(situation, "see what the server made of it: answer and log", change),
        ),
        index=change.index if change is not None else None,
    )
    return seen_outside(situation, cause)


def _sure(situation: Situation, change: StepOutcome | None) -> int:
    """Return an error shows nothing at all, unless it is that what the change has made is not
    there."""
    if situation.causes == {"outcome"}:
        return SAID
    if change is None or situation.status not in (404, 410):
        return POSSIBLE
    case, refused = situation.subject.case, situation.failed.transaction
    put = change.transaction.request.target == refused.request.target
    given = given_by(change.transaction) & needed_by(case, refused)
    return LIKELY if put or given else POSSIBLE


def _says(situation: Situation, validator: Validator) -> bool:
    """Return whether a failure is that of the validator: several changes may have an outcome of a
    name."""
    outcome = validator.outcome
    if outcome is None:
        return False
    said = (one.message for one in situation.failed.failures if one.cause == "outcome")
    own = (one for one in said if one.startswith(f"{outcome.change} did not take effect"))
    return any(outcome.name in one for one in own)


def _change(situation: Situation, title: str) -> StepOutcome | None:
    """Return the transaction that a validator calls ``POST /orders (2)``."""
    titles = numbered_titles(situation.subject.case)
    return next((one for one in situation.outcomes if titles[one.index] == title), None)


#: By kind of validator, the field that says of what a value is compared.
_SUBJECTS: Mapping[type[Validator], str] = MappingProxyType(
    {
        JsonValidator: "path",
        XmlValidator: "path",
        HeaderValidator: "name",
        ResponseValidator: "measure",
        ValueValidator: "value",
    }
)


def value_differs(situation: Situation) -> Cause | RuledOut | None:
    """The answer has another value than a validator wants, or none."""
    if "status" in situation.causes:
        return None
    wanted = {
        getattr(one, _SUBJECTS[type(one)])
        for one in situation.failed.transaction.validators
        if type(one) in _SUBJECTS
    }
    broken = next(
        (
            one
            for one in situation.failed.failures
            if one.cause in ("json", "xml", "header", "response", "value")
            and any(where in one.message for where in wanted)
        ),
        None,
    )
    if broken is None:
        return None
    return Cause(
        f"The answer has not what the validator wants: {broken.told}.",
        LIKELY,
        (),
        (
            compared(
                situation,
                "compare what came with what was recorded; if it is right, correct the validator "
                f"({place_of_failed(situation)})",
            ),
        ),
    )


def flow_not_ended(situation: Situation) -> Cause | RuledOut | None:
    """An answer that was asked for again and again did not become in time what it has to be."""
    name = next(
        (
            name
            for name, flow in situation.subject.case.flows.items()
            if isinstance(flow.rule, Until)
            and any(
                one.cause == "flow" and repr(name) in one.message
                for one in situation.failed.failures
            )
        ),
        None,
    )
    if name is None or "status" in situation.causes:
        return None
    said = next(one.told for one in situation.failed.failures if one.cause == "flow")
    return Cause(
        "What the server works on was not ready in time, or never will be.",
        SHOWN + 8,
        (said,),
        (
            edited(
                "if it only takes longer, give it more time: a TIME such as 5m",
                f"flow {quote(name)} --limit TIME",
                place=place_of(situation.subject.path, situation.failed),
            ),
            compared(situation, "otherwise see what the server says last, and its own log"),
        ),
    )


def nothing_extracted(situation: Situation) -> Cause | RuledOut | None:
    """An extractor found nothing in an answer that succeeded."""
    if situation.causes != {"extractor"} or not 200 <= situation.status <= 399:
        return None
    lost = [
        one
        for one in situation.failed.transaction.extractors
        if any(f"${{{one.variable}}}" in each.message for each in situation.failed.failures)
    ]
    places = [(one, place) for one in lost if (place := place_now(situation, one))]
    if places and len(places) == len(lost):
        return _elsewhere(situation, places)
    if is_another(situation):
        return None  # nothing is to be found there
    variable = lost[0].variable if lost else "?"
    ways = [one.text for one in divergences(situation, situation.failed)]
    reason = _shorter_list(situation) or "; ".join(ways[:1])
    names = new_names(situation)
    added = (f"it has {', '.join(names[:_MOST_NAMES])}, which were not in the recorded one",)
    cause = Cause(
        f"Nothing is where ${{{variable}}} was in the recorded answer"
        + (f": {reason}." if reason else "."),
        LIKELY + (10 if situation.failed.not_as_recorded else 0),
        (*ways[1:], *(added if names else ())),
        (*_wait(situation, ways), _look(situation)),
    )
    return seen_outside(situation, cause)


#: So many names that an answer did not have are told.
_MOST_NAMES = 6
#: States of what is not done yet.
_PENDING = re.compile(
    r"\b(?:queued|pending|processing|in.?progress|running|waiting|scheduled|started|accepted)\b",
    re.IGNORECASE,
)


def _elsewhere(situation: Situation, places: Sequence[tuple[Extractor, NewPlace]]) -> Cause:
    """The value of an extractor has another name, or stands elsewhere."""
    number, not_as_recorded = situation.failed.index + 1, situation.failed.not_as_recorded
    (first, place), *_ = places
    return Cause(
        f"The answer has not ${{{first.variable}}} where it was; what may be it is at {place.text} "
        "now.",
        SHOWN,
        tuple(filter(None, (not_as_recorded,)))
        + tuple(f"${{{one.variable}}}: {each.text}" for one, each in places[1:]),
        (
            edited(
                "take it from there, if that is the same",
                *(
                    f"extract {number} {quote(one.variable)} {each.option} --anyway"
                    for one, each in places
                ),
                place=place_of_failed(situation),
            ),
            _look(situation),
        ),
    )


def _look(situation: Situation) -> Remedy:
    return compared(
        situation,
        "compare what came with what was recorded; if this is how it answers now, record again",
    )


def _wait(situation: Situation, ways: Sequence[str]) -> tuple[Remedy, ...]:
    """Return how users wait for what is not done yet, before they ask for it."""
    pages = enumerate(situation.subject.case.pages, 1)
    page = next((at for at, one in pages if situation.failed.transaction in one.transactions), 0)
    if page < 2 or not any(_PENDING.search(one) for one in ways):
        return ()
    return (
        edited(
            "if it is only not done yet, have users wait for it: a TIME such as 5s",
            f"think P{page - 1} TIME",
        ),
    )


def _length(text: str, path: str) -> int:
    """Return how many items the list of a JSON text at a path has; 0 if none is there."""
    try:
        found = json.loads(compile_path(path, 1)(json.loads(text)) or "null")
    except (ValueError, RecursionError):
        return 0
    return len(found) if isinstance(found, list) else 0


_ITEM = re.compile(r"(.*)\[(\d+)\]")


def _shorter_list(situation: Situation) -> str:
    """Return which list has fewer items now than an extractor's JSON path wants; empty if none
    has."""
    exchange = situation.subject.exchange
    for one in situation.failed.transaction.extractors:
        found = _ITEM.match(one.source.path) if isinstance(one.source, JsonPath) else None
        if found is None or exchange is None:
            continue
        now = _length(text_of(situation.failed.response)[0], found[1])
        then = _length(recorded_text(exchange), found[1])
        if now <= int(found[2]) < then:
            return f"the list {found[1]} has {now} now, and had {then} when recorded"
    return ""


def says_it_failed(situation: Situation) -> Cause | RuledOut | None:
    """An answer with a good status says itself that it failed."""
    if "answer" not in situation.causes:
        return None
    said = next(one.message for one in situation.failed.failures if one.cause == "answer")
    cause = Cause(
        f"{said}.".replace("..", "."),
        POSSIBLE if "log in" in said else SHOWN - 2,
        (),
        (Remedy("see why the server does not do it: what it says, and its log"),),
    )
    return seen_outside(situation, cause)
