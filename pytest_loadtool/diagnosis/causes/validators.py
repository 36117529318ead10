"""What a validator or an extractor looked for and did not find."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from shlex import quote

from pytest_loadtool.codec.printable import clip
from pytest_loadtool.codec.template import Reference, Template, TemplateError
from pytest_loadtool.diagnosis.causes.pages import charset_wrong
from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import text_of
from pytest_loadtool.diagnosis.page_errors import LONGEST_SAID, visible_text
from pytest_loadtool.diagnosis.remedies import compared, edited, place_of_failed, seen_outside
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import place_of
from pytest_loadtool.model.flow import Until
from pytest_loadtool.model.validator import (
    ExtensionValidator,
    RegexValidator,
    TextValidator,
    Validator,
    kind_of,
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
            Sure.SHOWN,
            tuple(evidence),
            (_instead(situation, validator, near or then, f"correct its text; {_OR_PATTERN}"),),
        )
    changes = near and _NUMBERS.sub("", near) == _NUMBERS.sub("", wanted)
    if near:
        why = "the text has another number now" if changes else "a text like it is there"
        return Cause(
            f"The page has changed: {why}.",
            Sure.SHOWN if changes else Sure.LIKELY,
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
        Sure.POSSIBLE,
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


#: What finds a value, and compares it.
_OF_VALUES = ("json", "xml", "header", "response", "value")


def value_differs(situation: Situation) -> Cause | RuledOut | None:
    """The answer has another value than a validator wants, or none."""
    if "status" in situation.causes:
        return None
    wanted = {
        str(getattr(one, kind_of(one)[1].subject))
        for one in situation.failed.transaction.validators
        if not isinstance(one, ExtensionValidator) and kind_of(one)[0] in _OF_VALUES
    }
    broken = next(
        (
            one
            for one in situation.failed.failures
            if one.cause in _OF_VALUES and any(where in one.message for where in wanted)
        ),
        None,
    )
    if broken is None:
        return None
    return Cause(
        f"The answer has not what the validator wants: {broken.told}.",
        Sure.LIKELY,
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
        Sure.SHOWN,
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


def says_it_failed(situation: Situation) -> Cause | RuledOut | None:
    """An answer with a good status says itself that it failed."""
    if "answer" not in situation.causes:
        return None
    said = next(one.message for one in situation.failed.failures if one.cause == "answer")
    cause = Cause(
        f"{said}.".replace("..", "."),
        Sure.POSSIBLE if "log in" in said else Sure.SHOWN,
        (),
        (Remedy("see why the server does not do it: what it says, and its log"),),
    )
    return seen_outside(situation, cause)
