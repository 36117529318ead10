"""Proofs by what has become of the things that the session has named, where a change does not say
which of them it is about, or moves one: ``POST /undo``, ``POST /clear``, ``{"position": 1}``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, islice, pairwise

from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import is_identity_name, is_title_name
from pytest_loadtool.correlation.index.meaning import BESIDE
from pytest_loadtool.correlation.kinds import removes
from pytest_loadtool.correlation.outcomes.changes import Change, Said
from pytest_loadtool.correlation.outcomes.proof import Before, Proof, gone, short
from pytest_loadtool.correlation.outcomes.rows import words_in_row
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.outcomes.switched import switched_items
from pytest_loadtool.model.validator import (
    WHOLE_TEXT,
    JsonValidator,
    RegexValidator,
    TextValidator,
)

#: Words that say where in a list a thing is to be: in the names of fields, in paths, as values. By
#: them alone a list that shows first what was changed last has not moved anything.
_PLACES = BESIDE | {
    *("direction", "index", "move", "order", "ordering", "place", "position", "rank"),
    *("sequence", "sort", "weight"),
}
_MOVES = frozenset(
    {
        *("arrange", "down", "move", "order", "ordering", "position", "rank", "reorder"),
        *("sequence", "sort", "swap", "up"),
    }
)
_WAYS = frozenset({"bottom", "down", "first", "last", "top", "up"})
#: Words in paths, of what makes another thing like one of one's own.
_COPIES = frozenset({"clone", "copy", "duplicate", "fork", "replicate"})
#: How many of the session's own texts are looked for in a list.
_MOST_TEXTS = 12
#: Of how many characters an answer is compared as a whole with that before, which on a used server
#: may be longer.
_LONGEST = 20_000
#: What an answer has of words and signs. Numbers are left out, as clocks write them: ``12:01``.
_WORD = re.compile(r"[^\W\d]+|[^\w\s]")
#: What pages say once, of what was done last; messages of people have no such state.
_MESSAGE = re.compile(
    r"""<(aside|div|output|p|section|span|ul)\b[^<>]*\b(?:class|id)=["']?(?:[^"'<>]*[\s_-])?"""
    r"""(?:alert|flash|notice|notification|snackbar|toast"""
    r"""|messages?(?=[^<>]*\b(?:error|info|success|warning)))\b[^<>]*>(.{0,500}?)</\1""",
    re.IGNORECASE | re.DOTALL,
)
#: Words that clocks write: ``just now``, ``a minute ago``.
_OF_CLOCKS = frozenset(
    {
        *("a", "ago", "an", "few", "hour", "hours", "just", "minute", "minutes", "moment"),
        *("moments", "now", "second", "seconds", "today", "yesterday"),
    }
)
#: How many have to be gone at least, so that all are.
_ALL = 2


def of_own_things(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield what the same address shows otherwise, of what the session has named, since this change
    alone. Of one that says nothing of what it is about, somebody else's thing may be next: it is in
    doubt, unless all are removed."""
    same = was.just_before(answer)
    if same is None:
        return
    if _names_any(change, was):
        if _says_a_place(change):
            yield from _moved(answer, same, was)
        if not _COPIES.isdisjoint(_words(change.path)) and _is_more(answer, same, was):
            yield from _is_other(answer, same)
        return
    own = tuple(islice(_shown_by_either(answer, same, was), _MOST_TEXTS))
    there = [one for one in own if _as_written(one.value, same)]
    went = [one for one in there if not _as_written(one.value, answer)]
    all_gone = len(went) == len(there) >= _ALL and removes(change.step.called, change.method)
    for one in went if not answer.paged else ():
        check = TextValidator(_written(one, same), absent=True)
        doubtful = not (all_gone and one.unique)
        yield gone(answer.step.index, 1, short(one.value), check, one.value, doubtful=doubtful)
    came = [one for one in own if one not in there]
    found = [_is_back(one, answer) for one in came]
    stay = tuple(one for one in there if one not in went)
    if answer.is_page:
        found += words_in_row(replace(change, said=(), rows=stay), answer, was)
    elif answer.document is not None and same.document is not None:
        found += switched_items(stay, answer, same)
    found = found or ([] if went else [*_moved(answer, same, was)])
    yield from (replace(one, doubtful=True) for one in found)
    if found or went:  # whoever's thing it is about
        yield from _is_other(answer, same)


def other_than_before(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield that the same address shows anything otherwise since this change alone: in doubt, but
    for what is found by a name that the session has given, as another run may have done the same
    to it; nothing of a list with further pages. What a clock writes is no difference: a replay is
    quick, and sees it standing still; nor is another order, which some servers draw."""
    same = was.just_before(answer)
    if same is None or _words_of(answer) == _words_of(same):
        return
    own = {one.value for one in islice(was.own_texts(), _MOST_TEXTS)}
    is_own = any(name in row.value for row in change.rows for name in own)
    if is_own or not answer.paged:
        yield from (replace(one, doubtful=not is_own) for one in _is_other(answer, same))


def _words_of(answer: SeenAnswer) -> list[str]:
    """Return what an answer shows but for what clocks write, in an order of its own."""
    found = _WORD.findall(answer.text.lower())
    return sorted(word for word in found if word not in _OF_CLOCKS)


def _is_more(answer: SeenAnswer, same: SeenAnswer, was: Before) -> bool:
    """Return whether a name stands there more often than it did: ``Tea House (copy)``."""
    own = (one.value for one in islice(was.own_texts(), _MOST_TEXTS))
    return any(answer.text.count(one) > same.text.count(one) for one in own)


def _is_other(answer: SeenAnswer, same: SeenAnswer) -> Iterator[Proof]:
    """Yield that an answer is another one than before as a whole; not of a page with a message that
    the one before had not: it says itself that something was done, and is another one in any
    case."""
    messages = [_MESSAGE.findall(one.text) if one.is_page else [] for one in (answer, same)]
    if len(answer.text) <= _LONGEST and messages[0] == messages[1]:
        all_of_it = RegexValidator(WHOLE_TEXT) if answer.document is None else JsonValidator("$")
        check = replace(all_of_it, than_before="other")
        yield Proof(answer.step.index, 1, "what is shown is other than before", check)


def _names_any(change: Change, was: Before) -> bool:
    """Return whether a change says what it is about, or what something new is called."""
    last = () if change.last is None else (change.last,)
    return (
        bool(change.resources or change.rows or change.logs_in)
        or any(was.named(one.value) is not None for one in (*change.said, *last))
        or any(is_title_name(one.field) or is_identity_name(one.field) for one in change.said)
    )


def _says_a_place(change: Change) -> bool:
    fields = {word for one in change.said for word in plain(one.field).split()}
    path = _words(change.path)
    values = {one.value.lower() for one in change.said}
    return bool(fields & _PLACES or path & _MOVES or values & _WAYS)


def _words(path: str) -> frozenset[str]:
    return frozenset(word for one in path.split("/") for word in plain(one).split())


def _shown_by_either(answer: SeenAnswer, same: SeenAnswer, was: Before) -> Iterator[Said]:
    """Yield the texts of the session that one of the two shows by themselves, the last first."""
    for one in was.own_texts():
        if any(one.value in each.text and _as_written(one.value, each) for each in (answer, same)):
            yield one


def _moved(answer: SeenAnswer, same: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield which of two names comes before the other now, and did not."""
    own = [
        one
        for one in _shown_by_either(answer, same, was)
        if all(_is_once(one.value, each) for each in (answer, same))
    ]
    now = sorted(own[:_MOST_TEXTS], key=lambda one: _at(one.value, answer))
    turned = [
        (one, other)
        for one, other in combinations(now, 2)
        if _at(one.value, same) > _at(other.value, same)
    ]
    near = [pair for pair in pairwise(now) if pair in turned]
    for one, other in (near or turned)[:1]:
        check = TextValidator(_written(one, answer), ahead_of=_written(other, answer))
        says = f"{short(one.value)} comes before {short(other.value)}"
        yield Proof(answer.step.index, 1, says, check)


def _is_once(text: str, answer: SeenAnswer) -> bool:
    """Return whether an answer has a text once, so that it has one place."""
    written = _as_written(text, answer)
    return bool(written) and answer.text.count(written) == 1


def _at(text: str, answer: SeenAnswer) -> int:
    return answer.text.find(_as_written(text, answer))


def _as_written(text: str, answer: SeenAnswer) -> str:
    """Return how an answer writes a text; empty if it does not show it by itself."""
    if answer.document is not None:
        quoted = f'"{text}"'
        return quoted if quoted in answer.text else ""
    shown = answer.shown_as(text) if answer.is_page else None
    return f">{shown[0]}<" if shown is not None and shown[2] else ""


def _written(said: Said, answer: SeenAnswer) -> str:
    """Return what an answer writes of a text, as a template: each user's own as it is."""
    if "${" in said.template:
        return f'"{said.template}"' if answer.document is not None else f">{said.template}<"
    return escape(_as_written(said.value, answer))


def _is_back(said: Said, answer: SeenAnswer) -> Proof:
    check = TextValidator(_written(said, answer))
    return Proof(answer.step.index, 1, f"{short(said.value)} is there again", check, said.value)
