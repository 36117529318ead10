"""Proofs of a change that nothing else shows: a number that the same address shows has grown by
one, or by a number that was sent, or has become so much less; a sum has by any amount. How much it
is differs from run to run, so that only that is asserted: it is more than before, or less. A server
that has counted that user already leaves it as it is, so that it proves less than what was sent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import is_id_name, is_version_name
from pytest_loadtool.correlation.outcomes.changes import Change
from pytest_loadtool.correlation.outcomes.documents import MOST_COUNTED, object_named
from pytest_loadtool.correlation.outcomes.object_paths import (
    is_listed,
    may_be_pushed_off,
    of_resource,
    path_of,
    where_path,
)
from pytest_loadtool.correlation.outcomes.proof import OWN, Before, Proof, short
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.objects import inner, leaves
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.model.validator import JsonValidator, RegexValidator

#: What sums are called, which a change moves by any amount.
_SUMS = frozenset({"amount", "balance", "credit", "credits", "points", "subtotal", "sum", "total"})
#: What numbers are called that become others by themselves.
_BY_ITSELF = frozenset(
    {
        *("age", "ago", "day", "days", "duration", "elapsed", "hit", "hits", "hour", "hours"),
        *("millis", "min", "minute", "minutes", "ms", "offset", "online", "page", "pages", "ping"),
        *("port", "sec", "second", "seconds", "seen", "size", "time", "timestamp", "took"),
        *("uptime", "view", "views", "visit", "visitor", "visitors", "visits", "year", "years"),
    }
)
#: A text of a page with one number, behind its tag.
_TEXT = re.compile(
    r"(<\w[^<>]*>)([^<>\d]{0,40}?)(?<![\d.,:/-])(\d[\d.,]{0,12})(?![:/-]*\d)([^<>\d]{0,40})<"
)
_LINE = re.compile(
    r"(?m)^([^\d\n]{0,60}?)(?<![\d.,:/-])(\d[\d.,]{0,12})(?![:/-]*\d)([^\d\n]{0,60})$"
)
#: Of how much of a text the lines are looked at.
_LONGEST_TEXT = 20_000
_DIGIT = re.compile(r"\d")
#: How pages write a number, and what may stand between two words of them.
_NUMBER, _BLANK = r"(\d[\d.,]*)", r"\s*"


def counted(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the numbers of an answer that the change has moved, the only change since the same
    address was asked for."""
    same = was.just_before(answer)
    if same is None:
        return
    by = {1, *(int(one.value) for one in change.said if one.value.isdecimal())} - {0}
    if answer.document is not None and same.document is not None:
        yield from _in_document(change, answer, same, by)
    elif answer.is_page and same.is_page:
        yield from _in_text(answer, _numbers_of_page(same), _numbers_of_page(answer), by)
    elif answer.document is None and same.document is None:
        yield from _in_text(answer, _numbers_of_lines(same), _numbers_of_lines(answer), by)


def _in_document(
    change: Change, answer: SeenAnswer, same: SeenAnswer, by: set[int]
) -> Iterator[Proof]:
    for path, now, then in _objects(change, answer, same):
        for keys, value in leaves(now):
            way = _moved(keys[-1], inner(then, keys), value, by)
            if way:
                check = JsonValidator(path + format_path(keys)[1:], than_before=way)
                yield _proof(answer, plain(keys[-1]), check)


def _objects(
    change: Change, answer: SeenAnswer, same: SeenAnswer
) -> Iterator[tuple[str, Mapping[str, object], Mapping[str, object]]]:
    """Yield the paths to what is in no list, and to what the change is about, each with what is
    there and what was."""
    if isinstance(answer.document, dict) and isinstance(same.document, dict):
        yield "$", answer.document, same.document
    for resource in change.resources:
        found, before = (next(of_resource(one, resource), None) for one in (answer, same))
        if found is None or before is None or not is_listed(found[0]):
            continue
        if not may_be_pushed_off(found[0], answer):
            yield path_of(resource, *found), found[1], before[1]
    sent = {one.value: one for one in change.said}
    for steps, item in answer.objects:
        said = sent.get(json_text(item.get("id")) or "") if is_listed(steps) else None
        if said is not None and not may_be_pushed_off(steps, answer):
            then = next((one for _, one in same.objects if one.get("id") == item["id"]), None)
            if then is not None:
                yield where_path(steps, ("id",), said.template, item["id"]), item, then
    for said in change.said:
        named, earlier = object_named(said, answer), object_named(said, same)
        if named is None or earlier is None or not is_listed(named[0]):
            continue
        items = (inner(one.document, at) for one, (at, _) in ((answer, named), (same, earlier)))
        now, then = items
        if isinstance(now, dict) and isinstance(then, dict):
            yield where_path(*named, said.template), now, then


#: Numbers by the pattern that finds each, with what they are called.
_Numbers = Mapping[str, tuple[float, str]]


def _in_text(answer: SeenAnswer, then: _Numbers, now: _Numbers, by: set[int]) -> Iterator[Proof]:
    for pattern, (number, called) in now.items():
        way = _moved(called, then[pattern][0], number, by) if pattern in then else ""
        if way:
            check = RegexValidator(pattern, than_before=way)
            yield _proof(answer, called or "the number", check)


def _numbers_of_page(page: SeenAnswer) -> _Numbers:
    """Return the numbers that stand alone in a text of a page, by the words around each, or by the
    tag before it."""
    found: list[tuple[str, str, str]] = []
    for tag, left, written, right in _TEXT.findall(page.text):
        words = f"{left} {right}".strip()
        said = any(map(str.isalpha, words))
        if said or not _DIGIT.search(tag):
            start = ">" if said else re.escape(tag).replace(r"\ ", " ")
            pattern = _BLANK.join((start, *_words(left), _NUMBER, *_words(right), "<"))
            found.append((pattern, written, words if said or not page.is_xml else tag))
    return _once(found)


def _numbers_of_lines(text: SeenAnswer) -> _Numbers:
    """Return the numbers that stand alone in a line, by the words before and behind each."""
    lines = _LINE.findall(text.text[:_LONGEST_TEXT])
    return _once(
        (_BLANK.join((*_words(left), _NUMBER, *_words(right))), written, f"{left} {right}")
        for left, written, right in lines
        if any(map(str.isalpha, left + right))
    )


def _once(found: Iterable[tuple[str, str, str]]) -> _Numbers:
    """Return the numbers whose pattern is that of no other."""
    every = [(pattern, written.rstrip(".,"), called) for pattern, written, called in found]
    times = Counter(pattern for pattern, _, _ in every)
    return {
        pattern: (float(written.replace(",", "")), plain(called))
        for pattern, written, called in every
        if times[pattern] == 1 and written.count(".") < 2
    }


def _words(text: str) -> Iterator[str]:
    """Yield the patterns of words beside a number, in the singular or the plural."""
    for one in text.split():
        yield f"{one.removesuffix('s')}s?" if one.isalpha() else re.escape(one)


def _moved(called: str, then: object, now: object, by: set[int]) -> str:
    """Return in which way the change has moved a number of that name; empty if it has not."""
    words = plain(called).split()
    if is_id_name(called) or is_version_name(called) or not _BY_ITSELF.isdisjoint(words):
        return ""
    if not isinstance(then, int | float) or not isinstance(now, int | float):
        return ""
    is_truth = isinstance(then, bool) or isinstance(now, bool)
    is_sum = not _SUMS.isdisjoint(words)
    if is_truth or now == then or max(now, then) > MOST_COUNTED:
        return ""
    return ("more" if now > then else "less") if is_sum or abs(now - then) in by else ""


def _proof(answer: SeenAnswer, called: str, check: JsonValidator | RegexValidator) -> Proof:
    says = f"{short(called)} is {check.than_before} than before"
    return Proof(answer.step.index, OWN, says, check, doubtful=True)
