"""Proofs of what a change leaves as it is: what else the session has made, and the lists of that;
and that it has not done more than once what is the session's own.

Of other people's resources nothing is known: they may come, change and go at any time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from pytest_loadtool.codec.entities import times_in_markup
from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import is_id_name
from pytest_loadtool.correlation.outcomes.changes import Change, Said
from pytest_loadtool.correlation.outcomes.documents import (
    equal,
    last_shown,
    object_named,
    tells_state,
)
from pytest_loadtool.correlation.outcomes.object_paths import (
    is_listed,
    may_be_pushed_off,
    of_resource,
    path_of,
    where_path,
)
from pytest_loadtool.correlation.outcomes.pages import written
from pytest_loadtool.correlation.outcomes.proof import (
    STATES,
    Before,
    Proof,
    is_lasting,
    is_passing,
    names,
    short,
)
from pytest_loadtool.correlation.outcomes.resources import Resource
from pytest_loadtool.correlation.outcomes.rows import rows_of, words_at
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY, Keys, inner, leaves
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.jsonpath import compile_path, json_text
from pytest_loadtool.model.validator import JsonValidator, TextValidator

#: Of how many other resources, and of how many fields, it is asserted that they are as before.
_MOST_OTHERS, _MOST_FIELDS = 1, 2
#: Words that pages have for states which nothing leaves by itself.
_SETTLED = frozenset(
    {
        *("active", "approved", "archived", "closed", "confirmed", "disabled", "draft", "enabled"),
        *("hidden", "inactive", "live", "open", "private", "public", "published", "unpublished"),
        "visible",
    }
)
#: A longer list is not counted.
_LONGEST_LIST = 50


def beside_in_document(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield what a document shows that the change has left as it was, or has not done twice."""
    yield from islice(_fields(change, answer, was), _MOST_FIELDS)
    yield from islice(_others(change, answer, was), _MOST_OTHERS)
    yield from _counted(change, answer, was)
    yield from _not_listed_twice(change, answer)
    yield from islice(_states(change, answer), _MOST_FIELDS)


def beside_on_page(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield what a page shows once and no more, and what the page of the resource still shows of
    earlier changes."""
    known = (one for one in change.resources if one.is_own and not one.given)
    about = [one for one in known if names(answer.step, one)]
    own = bool(about)
    theirs = all(map(was.was_there, about))  # then others may have said so there, too
    for said in change.said:
        if said.unique or not theirs:
            for template, _, _ in _alone(said, answer):
                shown = template.replace(said.template, said.value)
                if times_in_markup(shown, answer.text) == 1 and not was.known(said.value):
                    check = TextValidator(template, unrepeated=True)
                    yield _spares(answer, f"{short(said.value)} is not shown twice", check)
    yield from islice(_states_in_row(change, answer, was), _MOST_FIELDS)
    same = was.same(answer) if own else None
    earlier = was.sent.values() if same is not None else ()
    for said in earlier:
        for template, raw, _ in _alone(said, answer):
            if same is not None and raw in same.text and said not in change.said:
                check = TextValidator(template)
                yield _spares(answer, f"{short(said.value)} is still shown", check)


def _states_in_row(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the states that the row of what the change has made shows."""
    for row in rows_of(change, answer, was):
        own = row.resource
        is_last = was.last_of_all(answer) if own is None else was.last(own, answer)
        if not (row.is_new and is_last):
            continue
        for cell, kind in words_at(answer.text, row.at):
            word = cell.strip("> \t\r\n")
            sent = any(one.value == word for one in change.said)
            if plain(word) in _SETTLED and not sent:
                check = TextValidator(f"{escape(cell)}<", row=row.template, item=kind)
                says = f"{word} is shown with {row.called}"
                yield Proof(answer.step.index, 0, says, check, beside=True)


def _alone(said: Said, answer: SeenAnswer) -> list[tuple[str, str, int]]:
    """Return a text as the page shows it, with the tags around it if nothing else is between
    them."""
    return list(written(said, answer))[-1:]


def _spares(answer: SeenAnswer, says: str, check: TextValidator | JsonValidator) -> Proof:
    return Proof(answer.step.index, 0, says, check, beside=True, spares=True)


def _not_listed_twice(change: Change, answer: SeenAnswer) -> Iterator[Proof]:
    """Yield what no other run sends stands in one item of a list."""
    for said in change.said:
        named = object_named(said, answer) if said.unique else None
        if named is not None and is_listed(named[0]):
            check = JsonValidator(where_path(*named, said.template), unrepeated=True)
            yield _spares(answer, f"{short(said.value)} is not listed twice", check)


def _states(change: Change, answer: SeenAnswer) -> Iterator[Proof]:
    """Yield the states of what the change has made, as its own answer has them, too."""
    for resource in change.resources:
        for steps, item in islice(of_resource(answer, resource), 1) if resource.given else ():
            made = _made(change, resource) if any(plain(key) in STATES for key in item) else None
            if made is None or may_be_pushed_off(steps, answer):
                return
            path = path_of(resource, steps, item)
            for keys, value in leaves(item):
                sent = any(one.field == keys[-1] for one in change.said)
                if not sent and _is_state(keys, value) and inner(made, keys) == value:
                    template = escape(json_text(value) or "")
                    proof = equal(answer, 0, path, keys, template, value)
                    yield replace(proof, field="", beside=True)


def still_so(change: Change, proof: Proof, answer: SeenAnswer) -> bool:
    """Return whether a later answer has the state, too, that the change has brought about: no
    change behind it has said so, and neither has it passed."""
    check = proof.validator
    if not isinstance(check, JsonValidator) or check.equals is None:
        return False
    path = check.path
    for resource in change.resources:
        path = path.replace(resource.template, resource.id)
    if "${" in path or is_passing(str(check.equals)):
        return False
    found = compile_path(path, 1)(answer.document)
    wanted = check.equals if isinstance(check.equals, str) else json_text(check.equals)
    return found is not None and wanted in (found, escape(found))


def _made(change: Change, resource: Resource) -> dict[str, Any] | None:
    """Return the resource as the answer to the change has it."""
    assert change.step.exchange is not None, "it was recorded"
    answer = SeenAnswer(change.step, RecordedResponse(change.step.exchange))
    return next((item for _, item in of_resource(answer, resource)), None)


def _is_state(keys: Keys, value: Any) -> bool:
    """Return whether it is a state that a resource does not leave by itself."""
    return plain(keys[-1]) in STATES and (isinstance(value, bool) or is_lasting(value))


def _fields(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield texts of the resource that an earlier change of the session has sent."""
    for resource in change.resources if was.sent else ():
        before = None if resource.given or not resource.is_own else last_shown(resource, was)
        if before is None or not was.alone(resource, before[0], answer):
            continue
        for steps, item in islice(of_resource(answer, resource), 1):
            if may_be_pushed_off(steps, answer):
                return
            if not any(_is_edited(change, keys) for keys in _changed(change, answer, was)):
                return
            path = path_of(resource, steps, item)
            for keys, value in leaves(item):
                same = isinstance(value, str) and inner(before[1], keys) == value
                if same and (keys[-1], value) in was.sent and not is_id_name(keys[-1]):
                    yield _still(answer, path, keys, value, "", was.sent)


def _others(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the same fields of another resource of the kind; or that it is there, if this one is
    gone."""
    nouns = {one.noun for one in change.resources}
    for other in was.others if not answer.paged else ():
        here = other.noun in nouns and other.id in answer.text
        before = last_shown(other, was) if here else None
        if before is None or not was.alone(other, before[0], answer):
            continue
        for steps, item in islice(of_resource(answer, other), 1):
            path = path_of(other, steps, item)
            changed = set(_changed(change, answer, was))
            for keys, value in leaves(item):
                if keys not in changed or inner(before[1], keys) != value or value == "":
                    continue
                sent = dict(was.sent_of(other.known_as))
                is_sent = (keys[-1], json_text(value)) in sent
                if is_sent or tells_state(keys, value, before[1], was.made(other)):
                    of = f"of the other {other.noun} "
                    yield _still(answer, path, keys, value, of, sent)
            if not any(True for one in change.resources for _ in of_resource(answer, one)):
                says = f"the other {other.noun} is still listed"
                yield _spares(answer, says, JsonValidator(path))


def _is_edited(change: Change, keys: tuple[str, ...]) -> bool:
    return any(one.field == keys[-1] for one in change.said)


def _changed(change: Change, answer: SeenAnswer, was: Before) -> Iterator[tuple[str, ...]]:
    """Yield the fields of the resource that have become others."""
    for resource in change.resources:
        before = last_shown(resource, was)
        was_so = before[1] if before is not None else None
        for _, item in islice(of_resource(answer, resource), 1) if was_so is not None else ():
            yield from (keys for keys, value in leaves(item) if inner(was_so, keys) != value)


def _still(
    answer: SeenAnswer,
    path: str,
    keys: Keys,
    value: Any,
    of: str,
    sent: Mapping[tuple[str, str], Said],
) -> Proof:
    text = json_text(value) or ""
    said = sent.get((keys[-1], text))
    template = said.template if said is not None else escape(text)
    proof = equal(answer, 0, path, keys, template, value)
    says = proof.says.replace(" is ", f" {of}is still ", 1)
    return replace(proof, says=says, field="", beside=True, spares=True)


def _counted(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield lists of what the session has made that have become longer by one with what was sent:
    they have so many, and no more."""
    for resource in change.resources:
        if not was.made(resource) or resource.given or answer.paged:
            continue
        for path, now, before in _lists(resource, answer, was):
            count = len(now)
            added = [one for one in now if one not in before]
            if (
                count == len(before) + 1 <= _LONGEST_LIST
                and len(added) == 1
                and _is_sent(change, added[0])
            ):
                name = path.rpartition(".")[2].strip("$") or "the list"
                for at, absent in ((count - 1, False), (count, True)):
                    says = f"{name} {'has no more than' if absent else 'has'} {count}"
                    check = JsonValidator(f"{path}[{at}]", absent=absent)
                    yield Proof(answer.step.index, 0, says, check, beside=True, spares=absent)


def _lists(
    resource: Resource, answer: SeenAnswer, was: Before
) -> Iterator[tuple[str, list[Any], list[Any]]]:
    """Yield the lists of the resource: those that it has, and what its own address has; each with
    what was there before the change."""
    before = last_shown(resource, was)
    if before is not None and was.alone(resource, before[0], answer):
        for steps, item in islice(of_resource(answer, resource), 1):
            path = path_of(resource, steps, item)
            for name, value in item.items():
                held = before[1].get(name)
                if isinstance(value, list) and isinstance(held, list) and KEY.fullmatch(name):
                    yield f"{path}.{name}", value, held
    same = was.same(answer) if names(answer.step, resource) else None
    if same is not None and was.alone(resource, same, answer):
        tops = answer.document, same.document
        if all(isinstance(one, list) for one in tops):
            yield "$", *tops
        elif all(isinstance(one, dict) for one in tops):
            for name, value in tops[0].items():
                if isinstance(value, list) and isinstance(held := tops[1].get(name), list):
                    yield format_path((name,)), value, held


def _is_sent(change: Change, one: Any) -> bool:
    """Return whether an element has a text that was sent."""
    values = {one} if isinstance(one, str) else {value for _, value in leaves(one)}
    return any(said.is_text and said.value in values for said in change.said)
