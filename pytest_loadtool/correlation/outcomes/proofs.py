"""All proofs of a change: what answers show of it after it, and did not before."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice, pairwise, takewhile
from typing import NamedTuple

from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import (
    is_id_name,
    is_short_number,
    is_version_name,
    looks_random,
    singular,
)
from pytest_loadtool.correlation.index.traffic import RecordedStep, is_change
from pytest_loadtool.correlation.kinds import id_stem
from pytest_loadtool.correlation.outcomes.beside import beside_in_document, beside_on_page
from pytest_loadtool.correlation.outcomes.changes import Change, Said
from pytest_loadtool.correlation.outcomes.counted import counted
from pytest_loadtool.correlation.outcomes.documents import (
    elements_in_document,
    named_in_document,
    of_answer,
    of_object,
    rendered_in_document,
    repeated_in_document,
)
from pytest_loadtool.correlation.outcomes.gone import choice_gone, named_gone, no_more_chosen
from pytest_loadtool.correlation.outcomes.left_out import left_out
from pytest_loadtool.correlation.outcomes.linked import linked_in_document
from pytest_loadtool.correlation.outcomes.object_paths import listed_path, unlisted_path
from pytest_loadtool.correlation.outcomes.ordered import ordered_in_document
from pytest_loadtool.correlation.outcomes.own_things import of_own_things, other_than_before
from pytest_loadtool.correlation.outcomes.pages import (
    attributes_with,
    in_control,
    in_element,
    in_text,
    on_page,
)
from pytest_loadtool.correlation.outcomes.proof import (
    OWN,
    Before,
    Proof,
    SessionChanges,
    gone,
    names,
    short,
)
from pytest_loadtool.correlation.outcomes.replies import in_head, reply
from pytest_loadtool.correlation.outcomes.resources import NAMELESS, Resource
from pytest_loadtool.correlation.outcomes.rows import row_gone, short_in_row, words_in_row
from pytest_loadtool.correlation.outcomes.seen import Answers, SeenAnswer
from pytest_loadtool.correlation.outcomes.stored import stored
from pytest_loadtool.correlation.outcomes.switched import switched_in_document, switched_on_page
from pytest_loadtool.correlation.responses.recorded import leads
from pytest_loadtool.model.validator import JsonValidator, TextValidator

#: Makes a validator that it is there; or, told so, that it is not.
_Check = Callable[[bool], JsonValidator | TextValidator]
#: What, besides versions, another one takes the place of each time.
_PASSING = frozenset({"parent", "time", "timestamp", "token"})
#: So many addresses of a kind are those of a list.
_SEVERAL = 2
#: Of how many lines of a text each may name a thing.
_MOST_LINES = 20


class Shown(NamedTuple):
    """The proofs that one answer gives; found out when asked."""

    step: RecordedStep
    answer: SeenAnswer | None
    """What it says; None of one to a change."""
    is_last: Callable[[], bool]
    """Return whether no other change of the same resources comes before it."""
    proofs: Iterable[Proof]


class Look(NamedTuple):
    """What the recording has of a change, found out when asked."""

    answers: Answers
    """Where it is looked for."""
    shown: Iterable[Shown]
    """What answers show, the nearest first, and last the change's own."""
    replies: Iterable[Proof]
    """What the change's own answer says of how it went."""
    numbers: Iterable[Proof]
    """The numbers that it has moved, by the first answer that shows any."""
    others: Iterable[Proof]
    """That an answer is another one than before at all, by the first that is."""


def look(change: Change, answers: Answers, history: SessionChanges) -> Look:
    """Return what these answers have of a change."""
    was = Before(change, answers, history)
    return Look(
        answers,
        _by_answers(change, answers, was),
        _replies(change, answers, was),
        _numbers(change, answers, was),
        _others(change, answers, was),
    )


def _by_answers(change: Change, answers: Answers, was: Before) -> Iterator[Shown]:
    gone = deque(answers.gone(change.step.index))
    for answer in answers.after(change.step.index):
        while gone and gone[0].index < answer.step.index:
            yield _of(gone[0], _gone(change, gone.popleft()))
        if is_change(answer.step):
            yield _of(answer.step, _said(_not_echoed(change, answer), answer, was))
        else:
            found = chain(
                _shown(change, answer, was),
                _unlisted(change, answer, was),
                stored(change, answer, was),
                left_out(change, answer, was),
            )
            yield Shown(answer.step, answer, partial(_is_last, change, answer, was), found)
    for step in gone:
        yield _of(step, _gone(change, step))
    own = answers.of(change.step)
    if own is not None:
        yield _of(change.step, _on_itself(change, own, was))


def _replies(change: Change, answers: Answers, was: Before) -> Iterator[Proof]:
    page = answers.of(change.step) or _led_to(change, answers)
    if page is not None:
        yield from reply(change, page, was)
    yield from in_head(change)


def _numbers(change: Change, answers: Answers, was: Before) -> Iterator[Proof]:
    later = _until_the_next(change, answers, was) if not change.logs_in else ()
    found = (tuple(counted(change, one, was)) for one in later)
    yield from next(filter(None, found), ())


def _others(change: Change, answers: Answers, was: Before) -> Iterator[Proof]:
    says = change.rows or change.resources or change.said
    later = _until_the_next(change, answers, was) if says and not change.logs_in else ()
    found = chain.from_iterable(other_than_before(change, one, was) for one in later)
    yield from islice(found, 1)


def _until_the_next(change: Change, answers: Answers, was: Before) -> Iterator[SeenAnswer]:
    """Return the answers that come before anything else is changed."""
    return takewhile(was.last_of_all, answers.after(change.step.index))


def _is_last(change: Change, answer: SeenAnswer, was: Before) -> bool:
    """Return whether no other change of the same resources comes before an answer. What is known by
    its name alone may be pushed off a list: one that was there before tells that."""
    if not any(one.is_own for one in change.resources):
        return was.last_of_all(answer) and was.same(answer) is not None
    return all(one.is_own and was.last(one, answer) for one in change.resources)


def _led_to(change: Change, answers: Answers) -> SeenAnswer | None:
    """Return the page that the answer to the change redirects to."""
    answered = change.step.exchange
    is_led = answered is not None and any(True for _ in leads(answered.response_headers))
    return answers.next(change.step.index) if is_led else None


def _of(step: RecordedStep, found: Iterable[Proof]) -> Shown:
    return Shown(step, None, lambda: False, found)


def _gone(change: Change, step: RecordedStep) -> Iterator[Proof]:
    for resource in change.resources:
        if not resource.given and names(step, resource):
            yield gone(step.index, 0, f"the {resource.noun}")


def _shown(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    said = tuple(_said(change, answer, was))
    yield from said
    if not any(one.strength == 0 and not one.beside for one in said):  # which says more
        found = [*chain(*(_come_or_gone(change, one, answer, was) for one in change.resources))]
        yield from found
        if not any(one.strength == 0 for one in found):
            yield from named_gone(change, answer, was)


def _said(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    yield from of_own_things(change, answer, was)
    if answer.document is not None:
        if _may_be_about(change, answer, was):
            for resource in change.resources:
                yield from of_object(change, resource, answer, was)
            yield from linked_in_document(change, answer, was)
            if _is_at_its_address(change, answer):
                yield from of_answer(change, answer, was)
            yield from named_in_document(_with_lines(change), answer, was)
            yield from elements_in_document(change, answer, was)
            yield from beside_in_document(change, answer, was)
        yield from rendered_in_document(change, answer, was)
        yield from switched_in_document(change, answer, was)
        yield from ordered_in_document(change, answer, was)
    elif answer.is_page:
        yield from row_gone(change, answer, was)
        yield from choice_gone(change, answer, was)
        yield from switched_on_page(change, answer, was)
        if not _may_have(change, answer):
            return
        if answer.is_xml:
            yield from in_element(change, answer, was)
        yield from in_control(change, answer, was)
        yield from no_more_chosen(change, answer, was)
        yield from on_page(change, answer, was)
        yield from short_in_row(change, answer, was)
        yield from words_in_row(change, answer, was)
        yield from beside_on_page(change, answer, was)
    else:
        yield from in_text(change, answer, was)


def _with_lines(change: Change) -> Change:
    """Return the change with the lines of its texts, of which each may name a thing."""
    lines = [
        Said(one.field, line, escape(line))
        for one in change.said
        if "\n" in one.value and "${" not in one.template
        for line in islice(filter(None, map(str.strip, one.value.splitlines())), _MOST_LINES)
    ]
    return replace(change, said=(*change.said, *lines)) if lines else change


def _may_be_about(change: Change, answer: SeenAnswer, was: Before) -> bool:
    """Return whether a document has an id or a text of the change at all, or was asked for by it:
    most have none, and to walk through them takes long."""
    text = answer.text
    said = (line for one in change.said if one.is_text for line in one.value.splitlines())
    return (
        any(one.id in text for one in (*change.resources, *was.others))
        or any(line and line in text for line in said)
        or any(names(answer.step, one) for one in change.resources)
        or _is_at_its_address(change, answer)
    )


def _may_have(change: Change, answer: SeenAnswer) -> bool:
    """Return whether a page has anything of the change at all: most have nothing, and to read them
    takes long."""
    return (
        bool(change.emptied)
        or any(names(answer.step, one) or answer.may_say(one.id) for one in change.resources)
        or any("\n" in one.value or answer.may_show(one.value) for one in change.said)
    )


def _not_echoed(change: Change, answer: SeenAnswer) -> Change:
    """Return the change without what the answer may only repeat from its own request."""
    said = tuple(one for one in change.said if one.value not in answer.sent)
    return change if len(said) == len(change.said) else replace(change, said=said)


def _is_at_its_address(change: Change, answer: SeenAnswer) -> bool:
    """Return whether what was asked for is what the change has put there (RFC 9110 §9.3.4)."""
    step = change.step
    return change.method in ("PUT", "PATCH") and answer.step.path == step.path


def _on_itself(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield what the answer to the change itself shows: be it the page that it was made on."""
    if answer.is_page and not answer.is_xml:
        removed = tuple(row_gone(change, answer, was))
        yield from removed or words_in_row(change, answer, was)
    yield from _repeated(change, answer, was)


def _repeated(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield what the answer to the change itself shows."""
    if answer.document is not None:
        yield from repeated_in_document(change, answer)
        return
    own = tuple(one for one in change.said if one.field and "'" not in one.value)
    known = tuple(
        one for one in change.resources if not one.given
    )  # of those, it says the id itself
    for proof in on_page(replace(change, said=own, resources=known), answer, was):
        yield replace(proof, strength=OWN)


def _come_or_gone(
    change: Change, resource: Resource, answer: SeenAnswer, was: Before
) -> Iterator[Proof]:
    """Yield a resource that the same address showed before, and shows no more; or the reverse."""
    if names(answer.step, resource):  # the page is asked for by it
        return
    if any(one in _PASSING or is_version_name(one) for one in resource.noun.split()):
        return
    page = answer.document is None and not answer.is_xml
    if page and (resource.noun == NAMELESS or _is_of_another(resource, answer)):
        return
    earlier = None if resource.given else _earlier(change, resource, answer, was)
    if not was.last(resource, answer) or (earlier is None and not resource.given):
        return
    # What the change has given out may be anything that is listed, so it says less.
    strength = int(resource.given)
    on_page = _element if answer.is_xml else partial(_address, change, was)
    has = _path if answer.document is not None else on_page
    if earlier is not None and (before := has(resource, earlier, answer)):
        yield gone(answer.step.index, strength, f"the {resource.noun}", before(True))
    elif (
        (now := has(resource, answer, earlier))
        and not answer.paged
        and (
            earlier is None or (was.has(resource, earlier) and was.alone(resource, earlier, answer))
        )
    ):
        yield Proof(answer.step.index, strength, f"the {resource.noun} is listed", now(False))


def _earlier(
    change: Change, resource: Resource, answer: SeenAnswer, was: Before
) -> SeenAnswer | None:
    """Return the last answer to the same address; where the resource is deleted, also one to
    another query that lists it. ``DELETE /books/7/topics/2`` deletes no book."""
    same, own = was.same(answer), re.split(r"[/?&=]", change.step.address)[-1]
    if change.method != "DELETE" or answer.document is None or own != resource.id:
        return same
    asked = (one for one in was.alike(answer) if one.kind == answer.kind)
    return next((one for one in asked if listed_path(one, resource)), same)


def _unlisted(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the name at the end of an address that is deleted, which an answer listed and lists no
    more."""
    name = change.last
    if change.method != "DELETE" or name is None or not name.is_text:
        return
    for earlier in (one for one in was.alike(answer) if one.kind == answer.kind):
        listed = earlier.document is not None and answer.document is not None
        check = (unlisted_path if listed else _unlisted_text)(name, earlier, answer)
        if check is not None:
            yield gone(answer.step.index, 0, short(name.value), check)
            return


def _unlisted_text(name: Said, earlier: SeenAnswer, answer: SeenAnswer) -> TextValidator | None:
    found = re.search(rf"""([>/]){re.escape(name.value)}([<"'])""", earlier.text)
    if found is None or found[0] in answer.text:
        return None
    return TextValidator(f"{found[1]}{name.template}{found[2]}", absent=True)


def _path(resource: Resource, here: SeenAnswer, other: SeenAnswer | None) -> _Check | None:
    """Return a check of the item of a list that has the id here, and not in the other answer."""
    path = listed_path(here, resource)
    if path is None or (other is not None and listed_path(other, resource) is not None):
        return None
    return partial(JsonValidator, path, None)


def _element(resource: Resource, here: SeenAnswer, other: SeenAnswer | None) -> _Check | None:
    """Return a check of an element of XML that has the id."""
    written = re.compile(rf"([\w.-]+)(?:\s[^<>]*)?>{re.escape(resource.id)}</")
    for found in written.finditer(here.text):
        own = is_id_name(found[1]) and id_stem(found[1]) in ("", resource.noun)
        if own and (other is None or f"{found[1]}>{resource.id}<" not in other.text):
            return partial(TextValidator, f"{found[1]}>{resource.template}<")
    return None


def _address(
    change: Change, was: Before, resource: Resource, here: SeenAnswer, other: SeenAnswer | None
) -> _Check | None:
    """Return a check of an address with the id that the page has."""
    page = resource, here.step.index
    if page not in was.addresses:
        may_have = here.may_say(resource.id)
        found = attributes_with(here.text, resource, change.resources) if may_have else ()
        was.addresses[page] = [one for one in found if one[1][0] not in "\"'" and "/" in one[1]]
    for template, recorded in was.addresses[page]:
        if other is None or _is_missing(recorded, resource, here, other):
            return partial(TextValidator, template)
    return None


def _is_missing(address: str, resource: Resource, here: SeenAnswer, other: SeenAnswer) -> bool:
    """Return whether the other answer lacks the address, as one that comes later may only if it has
    those of others yet: who has signed out, or may not, is shown none."""
    if address in other.text:
        return False
    alike = re.compile(re.escape(address).replace(re.escape(resource.id), r"[\w-]+", 1))
    alone = len(set(alike.findall(here.text))) < _SEVERAL
    return other.step.index < here.step.index or alone or alike.search(other.text) is not None


def _is_of_another(resource: Resource, answer: SeenAnswer) -> bool:
    """Return whether the page is that of another resource of the kind, with links to its
    neighbours."""
    parts = answer.step.path.strip("/").split("/")
    return any(
        singular(kind) == resource.noun and (is_short_number(one) or looks_random(one))
        for kind, one in pairwise(parts)
    )
