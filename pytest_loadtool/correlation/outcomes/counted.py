"""Proofs of a change that nothing else shows: a number that the same address shows has grown by
one, or by a number that was sent, or has become so much less; a sum has become another. How much it
is differs from run to run, so that only that is asserted: it is another than before. A server that
has counted that user already leaves it as it is, so that it proves less than what was sent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import is_id_name, is_version_name
from pytest_loadtool.correlation.outcomes.changes import Change
from pytest_loadtool.correlation.outcomes.documents import (
    id_key,
    is_listed,
    may_be_pushed_off,
    object_named,
    of_resource,
    where_path,
)
from pytest_loadtool.correlation.outcomes.proof import OWN, Before, Proof, short
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY, inner
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.model.validator import JsonValidator, RegexValidator

#: A larger number counts nothing that a person does: it is a time, or a sum.
_MOST_COUNTED = 100_000
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
_DIGIT = re.compile(r"\d")
#: How pages write a number, and what may stand between two words of them.
_NUMBER, _BLANK = r"(\d[\d.,]*)", r"\s*"


def counted(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the numbers of an answer that the change has moved, the only change since the same
    address was asked for."""
    same = was.same(answer)
    if same is None or not was.only(same, answer):
        return
    by = {1, *(int(one.value) for one in change.said if one.value.isdecimal())} - {0}
    if answer.document is not None and same.document is not None:
        yield from _in_document(change, answer, same, by)
    elif answer.is_page and same.is_page and not answer.is_xml:
        yield from _on_page(answer, same, by)


def _in_document(
    change: Change, answer: SeenAnswer, same: SeenAnswer, by: set[int]
) -> Iterator[Proof]:
    for path, now, then in _objects(change, answer, same):
        for key, value in now.items():
            if KEY.fullmatch(key) and _is_moved(key, then.get(key), value, by):
                check = JsonValidator(f"{path}.{key}", changed=True)
                yield _proof(answer, plain(key), check)


def _objects(
    change: Change, answer: SeenAnswer, same: SeenAnswer
) -> Iterator[tuple[str, Mapping[str, object], Mapping[str, object]]]:
    """Yield the paths to what is in no list, and to what the change is about, each with what is
    there and what was."""
    for steps, item in answer.objects:
        then = None if is_listed(steps) else inner(same.document, steps)
        if isinstance(then, dict):
            yield format_path(steps), item, then
    for resource in change.resources:
        found, before = (next(of_resource(one, resource), None) for one in (answer, same))
        if found is None or before is None or not is_listed(found[0]):
            continue
        if not may_be_pushed_off(found[0], answer):
            key = id_key(found[1], resource)
            path = where_path(found[0], (key,), resource.template, found[1][key])
            yield path, found[1], before[1]
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


def _on_page(answer: SeenAnswer, same: SeenAnswer, by: set[int]) -> Iterator[Proof]:
    before = _numbers(same.text)
    for pattern, (number, called) in _numbers(answer.text).items():
        then = before.get(pattern)
        if then is not None and _is_moved(called, then[0], number, by):
            yield _proof(answer, called or "the number", RegexValidator(pattern, changed=True))


def _numbers(page: str) -> dict[str, tuple[int | str, str]]:
    """Return the numbers that stand alone in a text of a page, with what is said beside them, by
    what finds each: the words around it, or the tag before it, if these are there once."""
    found: list[tuple[str, int | str, str]] = []
    for tag, left, written, right in _TEXT.findall(page):
        words = f"{left} {right}".strip()
        said = any(map(str.isalpha, words))
        if said or not _DIGIT.search(tag):
            start = ">" if said else re.escape(tag).replace(r"\ ", " ")
            pattern = _BLANK.join((start, *_words(left), _NUMBER, *_words(right), "<"))
            number = int(written) if written.isdecimal() else written
            found.append((pattern, number, plain(words)))
    times = Counter(pattern for pattern, _, _ in found)
    return {pattern: (one, words) for pattern, one, words in found if times[pattern] == 1}


def _words(text: str) -> Iterator[str]:
    """Yield the patterns of words beside a number, in the singular or the plural."""
    for one in text.split():
        yield f"{one.removesuffix('s')}s?" if one.isalpha() else re.escape(one)


def _is_moved(called: str, then: object, now: object, by: set[int]) -> bool:
    """Return whether the change has moved a number of that name."""
    words = plain(called).split()
    if is_id_name(called) or is_version_name(called) or not _BY_ITSELF.isdisjoint(words):
        return False
    if not _SUMS.isdisjoint(words):
        return then != now and not any(one is None or isinstance(one, bool) for one in (then, now))
    if not isinstance(then, int) or not isinstance(now, int) or bool in (type(then), type(now)):
        return False
    return abs(now - then) in by and max(now, then) <= _MOST_COUNTED


def _proof(answer: SeenAnswer, called: str, check: JsonValidator | RegexValidator) -> Proof:
    says = f"{short(called)} is another than before"
    return Proof(answer.step.index, OWN, says, check, doubtful=True)
