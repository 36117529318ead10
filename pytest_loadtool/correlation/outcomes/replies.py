"""What the answer to a change says of how it went.

A server may say so and do nothing, so that is no proof: such a change is told as one that nothing
shows. But an answer that says something else is no success.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from pytest_loadtool.answers.documents import GOOD_WORDS
from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.graphql import operation
from pytest_loadtool.correlation.outcomes.changes import Change
from pytest_loadtool.correlation.outcomes.proof import REPLY, Before, Proof
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY
from pytest_loadtool.extraction.jsonpath import format_path
from pytest_loadtool.model.validator import JsonValidator, TextValidator

#: What fields are called, or say, that tell that something was done.
_DONE = GOOD_WORDS | {
    *("accepted", "added", "affected", "applied", "archived", "assigned", "changed", "completed"),
    *("confirmed", "copied", "created", "deleted", "executed", "imported", "inserted", "merged"),
    *("modified", "moved", "processed", "published", "removed", "renamed", "restored", "saved"),
    *("sent", "stored", "submitted", "updated", "upserted", "written"),
}
#: Of these, what an answer to PUT says depends on whether the thing was there (RFC 9110 §9.3.4).
_NEW = frozenset({"added", "created", "inserted", "modified", "updated", "upserted"})
#: What fields are called that have such a word, a truth, or the code of a status.
_SAYING = frozenset({"code", "outcome", "result", "return", "state", "status", "status code"})
_FAILED = frozenset({"error", "errors", "failed", "failures", "rejected"})
#: How many objects of a document are looked at, such as the answers of a batch.
_MOST_OBJECTS = 20
_ELEMENT = re.compile(r"<([\w.-]*(?:[Rr]esult|[Rr]eturn|[Ss]tatus|[Ss]uccess))>(\w{2,12})</")
#: The class of an element in which a page says that it went well.
_FLASH = re.compile(r"""class=["'][^"'<>]*\b(?:success|notice|confirmation)\b[^"'<>]*["']""")
#: A number of things that it was done to, in JSON.
_COUNT = re.compile(r'"([\w-]{2,40})"(\s*:\s*)([1-9]\d{0,6})(\s*[,}])')


def reply(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """The validators of the change's own answer, or of the page that it leads to."""
    done = _DONE - _NEW if change.method == "PUT" else _DONE
    if answer.document is not None:
        counts = _sent(change)
        for path, value in _said(answer, counts, done):
            nothing = value == ()
            check = JsonValidator(path, None if nothing else value, absent=nothing)
            yield _proof(answer, path.removeprefix("$."), check)
        for found in _COUNT.finditer(answer.text):
            if _tells(plain(found[1]), done) and int(found[3]) not in counts:
                none = escape(f'"{found[1]}"{found[2]}0{found[4]}')
                yield _proof(answer, found[1], TextValidator(none, absent=True))
        return
    text = answer.text.strip()
    if text.lower() in done | {"true"}:
        yield _proof(answer, text, TextValidator(escape(text)))
    elif answer.is_page and answer.is_xml:
        for found in _ELEMENT.finditer(answer.text):
            if found[2].lower() in done | {"true"}:
                shown = f"{found[1]}>{found[2]}<"
                yield _proof(answer, found[1], TextValidator(escape(shown)))
    elif answer.is_page:
        for found in islice(_FLASH.finditer(answer.text), 1):
            if not any(found[0] in one.text for one in was.alike(answer)):
                yield _proof(answer, "the page", TextValidator(escape(found[0])))


def _proof(answer: SeenAnswer, what: str, check: JsonValidator | TextValidator) -> Proof:
    return Proof(answer.step.index, REPLY, f"{what} says that it went well", check)


def _sent(change: Change) -> frozenset[int]:
    """How many things it may have been done to: one, or all whose ids were sent."""
    return frozenset({1, sum(not one.given for one in change.things)})


def _said(
    answer: SeenAnswer, counts: frozenset[int], done: frozenset[str]
) -> Iterator[tuple[str, Any]]:
    """The paths to what tells that it went well, each with what it has: of the last kind, ``()``,
    nothing; None is anything."""
    is_query = answer.step.exchange is not None and operation(answer.step.exchange) is not None
    for steps, item in answer.objects[:_MOST_OBJECTS]:
        if is_query and steps == ("data",):  # GraphQL §7.1.1: null is what failed
            yield from ((f"{format_path(steps)}.{key}", None) for key, one in item.items() if one)
        for key, value in item.items():
            path = format_path((*steps, key))
            name = plain(key) if KEY.fullmatch(key) else ""
            if _tells(name, _FAILED) and value == []:
                yield f"{path}[0]", ()
            elif _is_well(name, value, counts, done):
                yield path, value


def _tells(name: str, words: frozenset[str]) -> bool:
    return not words.isdisjoint(name.split())


def _is_well(name: str, value: Any, counts: frozenset[int], done: frozenset[str]) -> bool:
    if isinstance(value, bool):
        return value and (_tells(name, done) or name in _SAYING)
    if isinstance(value, int):
        ok = name in _SAYING and 200 <= value <= 299
        return ok or (_tells(name, done) and value in counts and value > 0)
    return name in _SAYING and isinstance(value, str) and value.lower() in done
