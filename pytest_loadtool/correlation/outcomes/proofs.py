"""All proofs of a change: what answers show of it after it, and did not before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from pytest_loadtool.correlation.looks import is_short_number, looks_random, singular
from pytest_loadtool.correlation.outcomes.changes import Change, Thing
from pytest_loadtool.correlation.outcomes.documents import (
    listed_path,
    named_in_document,
    of_object,
    repeated_in_document,
)
from pytest_loadtool.correlation.outcomes.pages import (
    attributes_with,
    in_element,
    in_text,
    on_page,
)
from pytest_loadtool.correlation.outcomes.proof import Before, Proof, names
from pytest_loadtool.correlation.outcomes.seen import Answer, Answers
from pytest_loadtool.model.validator import JsonValidator, TextValidator

__all__ = ["proofs"]

#: What counts the changes of a thing, and is no thing.
_VERSIONS = frozenset(
    {"etag", "parent", "rev", "revision", "time", "timestamp", "token", "version"}
)


def proofs(
    change: Change, answers: Answers, changed: Mapping[str, Sequence[int]]
) -> Iterator[Proof]:
    """All that the recording has, the nearest first, and last what the change's own answer says.

    ``changed`` are, by what things are known as and called, the transactions that change it.
    """
    was = Before(change, answers, changed)
    for answer in answers.after(change.step.index):
        yield from _shown(change, answer, was)
    for step in answers.gone(change.step.index):
        for thing in change.things:
            if not thing.given and names(step, thing):
                yield Proof(step.index, 0, state_of(thing, gone=True))
    own = answers.of(change.step)
    if own is not None:
        yield from _repeated(change, own, was)


def _shown(change: Change, answer: Answer, was: Before) -> Iterator[Proof]:
    said = tuple(_said(change, answer, was))
    yield from said
    if not any(one.strength == 0 for one in said):  # which says more
        for thing in change.things:
            yield from _come_or_gone(thing, answer, was)


def _said(change: Change, answer: Answer, was: Before) -> Iterator[Proof]:
    if answer.document is not None:
        for thing in change.things:
            yield from of_object(change, thing, answer, was)
        yield from named_in_document(change, answer, was)
    elif answer.is_page:
        if answer.is_xml:
            yield from in_element(change, answer, was)
        yield from on_page(change, answer, was)
    else:
        yield from in_text(change, answer, was)


def _repeated(change: Change, answer: Answer, was: Before) -> Iterator[Proof]:
    """What the answer to the change itself shows."""
    if answer.document is not None:
        yield from repeated_in_document(change, answer)
        return
    for proof in on_page(change, answer, was):
        yield replace(proof, strength=2)


def _come_or_gone(thing: Thing, answer: Answer, was: Before) -> Iterator[Proof]:
    """A thing that the same address showed before, and shows no more; or the reverse."""
    earlier = None if thing.given else was.same(answer)
    strength = 0
    if names(answer.step, thing) or not _VERSIONS.isdisjoint(thing.noun.split()):
        return  # the page is asked for by it, or another one takes its place each time
    if answer.document is None and (thing.noun == "thing" or _is_of_another(thing, answer)):
        return
    if thing.given:
        strength = 1  # for it may be anything that is listed
    elif earlier is None or not was.alone(thing, earlier, answer):
        return
    if answer.document is not None:
        before = earlier and listed_path(earlier, thing)
        now = listed_path(answer, thing)
        path, gone = (before, True) if before else (now, False)
        if path and not (before and now) and (gone or not answer.paged):
            check = JsonValidator(path, absent=gone)
            yield Proof(answer.step.index, strength, state_of(thing, gone), check)
        return
    before_text = earlier.text if earlier else ""
    for gone, text, other in ((True, before_text, answer.text), (False, answer.text, before_text)):
        if thing.id not in text or (answer.paged and not gone):
            continue
        for template, recorded in attributes_with(text, thing):
            if recorded not in other and recorded[0] not in "\"'" and "/" in recorded:
                shown = TextValidator(template, absent=gone)
                yield Proof(answer.step.index, strength, state_of(thing, gone), shown)
                return


def _is_of_another(thing: Thing, answer: Answer) -> bool:
    """Whether the page is that of another thing of the kind, with links to its neighbours."""
    parts = answer.step.path.strip("/").split("/")
    return any(
        singular(kind) == thing.noun and (is_short_number(one) or looks_random(one))
        for kind, one in pairwise(parts)
    )


def state_of(thing: Thing, gone: bool) -> str:
    return f"the {thing.noun} is {'gone' if gone else 'listed'}"
