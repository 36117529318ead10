"""Proofs in JSON: objects that have what a change sent, or became what it made of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs

from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import (
    TELLING,
    is_id_name,
    is_title_name,
    singular,
)
from pytest_loadtool.correlation.kinds import (
    done_to,
    sets,
)
from pytest_loadtool.correlation.outcomes.changes import EMPTY, Change, Said, json_of, walk
from pytest_loadtool.correlation.outcomes.object_paths import (
    Steps,
    is_alone,
    is_listed,
    is_quotable,
    may_be_pushed_off,
    of_resource,
    path_of,
    where_path,
)
from pytest_loadtool.correlation.outcomes.proof import (
    LONGEST_STATE,
    OWN,
    SHORTEST,
    STATE,
    STATES,
    Before,
    Proof,
    is_same,
    names,
    short,
)
from pytest_loadtool.correlation.outcomes.resources import Resource
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.producer import is_ordinal, last_item
from pytest_loadtool.correlation.responses.objects import (
    KEY,
    Keys,
    condition,
    inner,
    leaves,
)
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.jsonpath import compile_path, json_text
from pytest_loadtool.model.validator import JsonValidator, TextValidator

#: What a server makes of text that has markup of a wiki, and what it leaves as it is between that.
_TAG, _MARKUP = re.compile(r"<\w"), re.compile(r"[^\w .,;:!?()/+-]+")
#: What is before and behind what it says.
_ENDS = " .,;:!?/+-"
#: A larger number counts nothing: it is a time, or a sum.
MOST_COUNTED = 100_000


def of_object(
    change: Change, resource: Resource, answer: SeenAnswer, was: Before
) -> Iterator[Proof]:
    """Yield what the object with the id of the resource has as the change has sent it, or as it
    made it."""
    for steps, item in of_resource(answer, resource):
        if may_be_pushed_off(steps, answer):
            return
        found = None if resource.given else last_shown(resource, was)
        before = None if found is None else found[1]
        alone = found is not None and was.alone(resource, found[0], answer)
        path = path_of(resource, steps, item)
        new = [
            (keys, value, _said(change, keys, value))
            for keys, value in leaves(item)
            if not is_id_name(keys[-1]) and (before is None or inner(before, keys) != value)
        ]
        is_told = any(said is not None for _, _, said in new)
        for keys, value, said in new:
            if not is_listed(steps) and _is_repeated(answer, keys, value):
                continue
            is_made = was.made(resource)
            none = not inner(before, keys) and not is_made
            if said is not None and none and _may_add_up(change, value):
                same = was.same(answer)
                is_seen = same is not None and same.asks_the_same(answer)
                yield from _added(answer, path + format_path(keys)[1:], said, value, is_seen)
            elif said is not None:
                yield equal(answer, 0, path, keys, said.template, value)
            elif _is_done(change, keys, value):
                yield equal(answer, 0, path, keys, escape(json_text(value) or ""), value)
            elif alone and before is not None and tells_state(keys, value, before, is_made):
                template = _reference(change, keys, value) or escape(json_text(value) or "")
                state = equal(answer, 0, path, keys, template, value)
                yield replace(state, doubtful=is_told)  # it may have become so by itself
        yield from _elements(change, answer, path, item, before)
        yield from _emptied(change, answer, path, item, before)
        if alone and resource.is_own and before is not None:
            yield from _longer(change, answer, path, item, before)
        return
    if names(answer.step, resource):
        yield from of_answer(change, answer, was)


def _is_done(change: Change, keys: Keys, value: Any) -> bool:
    """Return whether a value says that it was done what the change calls: the state ``published``
    after ``/reports/2/publish``, or ``"is_published": true``."""
    said = "".join(plain(keys[-1]).split()[-1:]) if value is True else value
    return isinstance(said, str) and said.lower() in done_to(change.step.called)


def _may_add_up(change: Change, value: Any) -> bool:
    """Return whether a number that was sent where there was none may be added to what is there: an
    earlier run may have left some."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and change.method == "POST" and not sets(change.step.called)


def _added(
    answer: SeenAnswer, path: str, said: Said, value: Any, is_seen_before: bool
) -> Iterator[Proof]:
    at, field = answer.step.index, said.field
    if "${" not in said.template:
        check = JsonValidator(path, at_least=value)
        yield Proof(at, 0, f"{field} is at least {value}", check, field=field)
    if is_seen_before:
        check = JsonValidator(path, than_before="more")
        yield Proof(at, 0, f"{field} is more than before", check, field=field, doubtful=True)


def _elements(
    change: Change, answer: SeenAnswer, path: str, item: Any, before: Any
) -> Iterator[Proof]:
    """Yield what an object has in its lists as the change has sent it, and did not have before."""
    for key, value in item.items():
        if not (isinstance(value, list) and KEY.fullmatch(key)):
            continue
        was = inner(before, (key,))
        held = was if isinstance(was, list) else []
        for one in value:
            fits = isinstance(one, str) and is_quotable(one)
            named = (_said(change, (name,), one) for name in (key, singular(key)) if fits)
            said = next(filter(None, named), None)
            if said is not None and one not in held:
                whole = f'{path}.{key}[?(@=="{said.template}")]'
                says = f"{short(one)} is in {key}"
                yield Proof(answer.step.index, 0, says, JsonValidator(whole))
        yield from _within(change, answer, f"{path}.{key}", value, held)


def _longer(
    change: Change, answer: SeenAnswer, path: str, item: Any, before: Any
) -> Iterator[Proof]:
    """Yield lists of a resource that have more since the change, which has sent something for them,
    of what only the server knows the id: ``{"addresses": [["create", …]]}`` and ``[17]``."""
    exchange = change.step.exchange
    sent = walk(json_of(exchange.request_body)) if exchange is not None else ()
    fields = {key for _, one in sent for key in one}
    told = {one.value for one in change.said}
    for key, value in item.items():
        held = before.get(key) if isinstance(before, dict) else None
        if not (isinstance(value, list) and isinstance(held, list)):
            continue
        new = [one for one in value if one not in held]
        bare = new and not any(
            isinstance(one, dict | list) or json_text(one) in told for one in new
        )
        if key in fields and bare and len(value) > len(held) and KEY.fullmatch(key):
            check = JsonValidator(f"{path}.{key}[{len(value) - 1}]")
            yield Proof(answer.step.index, 0, f"{key} has {len(value)}", check)


def _within(
    change: Change, answer: SeenAnswer, path: str, items: list[Any], held: list[Any]
) -> Iterator[Proof]:
    """Yield the objects in such a list that have a text which the change has sent, each by that:
    the list of what is said of an order, in a list of orders."""
    own = any(one.is_own and names(answer.step, one) for one in change.resources) or "${" in path
    for keys, value in (pair for one in items for pair in leaves(one)):
        said = _said(change, keys, value) if isinstance(value, str) and is_quotable(value) else None
        if said is None or not said.is_text or is_id_name(keys[-1]):
            continue
        if [inner(one, keys) for one in items].count(value) > 1:
            continue
        if not any(inner(one, keys) == value for one in held):
            says = f"{short(said.value)} is in {path.rpartition('.')[2].strip('$') or 'the list'}"
            check = JsonValidator(path + condition(keys, said.template, value))
            yield Proof(answer.step.index, 0, says, check, "" if own else said.value)


def of_answer(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield what an answer proves that is about the resource because it was asked for, and has no
    id."""
    earlier = [one.document for one in was.alike(answer) if one.document is not None]
    if isinstance(answer.document, list) and not answer.paged:
        held = next((one for one in earlier if isinstance(one, list)), [])
        yield from _within(change, answer, "$", answer.document, held)
    for steps, item in answer.objects:
        if is_listed(steps):
            continue
        for keys, value in leaves(item):
            said = None if _is_repeated(answer, keys, value) else _said(change, keys, value)
            was_so = any(inner(one, (*steps, *keys)) == value for one in earlier)
            if said is not None and not was_so and not is_id_name(keys[-1]):
                yield equal(answer, 0, format_path(steps), keys, said.template, value)
        before = next((inner(one, steps) for one in earlier), None)
        yield from _elements(change, answer, format_path(steps), item, before)
        yield from _emptied(change, answer, format_path(steps), item, before)


def _emptied(
    change: Change, answer: SeenAnswer, path: str, item: Any, before: Any
) -> Iterator[Proof]:
    """Yield what the change has taken out of an object."""
    for key in sorted(change.emptied) if isinstance(before, dict) else ():
        if KEY.fullmatch(key) and before.get(key) not in EMPTY and item.get(key) in (None, ""):
            none = item.get(key) is None
            check = JsonValidator(f"{path}.{key}", None if none else "", absent=none)
            yield Proof(answer.step.index, 0, f"{key} is empty", check)


def _is_repeated(answer: SeenAnswer, keys: Keys, value: Any) -> bool:
    """Return whether an answer only repeats what its own address asks for under that name."""
    asked = answer.step.address.partition("?")[2]
    return value.__class__ is str and value in parse_qs(asked).get(str(keys[-1]), ())


def _said(change: Change, keys: Keys, value: Any) -> Said | None:
    """Return what the change has said of a field, if that has the value."""
    text = json_text(value)
    same = (one for one in change.said if one.value == text and is_same(keys[-1], one, text))
    return next(same, None)


def _reference(change: Change, keys: Keys, value: Any) -> str:
    """Return the template of a resource of the change, if a field that is called so has its id."""
    text, called = json_text(value), {*plain(keys[-1]).split()}
    own = (one for one in change.resources if one.is_own and one.id == text)
    return next((one.template for one in own if one.noun.split()[-1] in called), "")


def last_shown(resource: Resource, was: Before) -> tuple[SeenAnswer, dict[str, Any]] | None:
    """Return the resource as it was shown last before the change, and where."""
    if resource not in was.shown:
        items = ((one, item) for one in was.answers for _, item in of_resource(one, resource))
        was.shown[resource] = next(items, None)
    return was.shown[resource]


def tells_state(keys: Keys, value: Any, before: dict[str, Any], is_made: bool) -> bool:
    """Return whether a value that the change did not send tells what became of the resource. A
    number does only of one that the session has made: of others it differs from run to run. What
    was an object, and is its id now, is written another way."""
    if inner(before, keys).__class__ is not value.__class__:
        return False
    if isinstance(value, bool):
        return True
    if isinstance(value, str):
        return len(value) <= LONGEST_STATE and STATE.fullmatch(value) is not None
    return is_made and value.__class__ is int and abs(value) <= MOST_COUNTED


def named_in_document(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield objects that are called as the change says."""
    for said in change.said:
        named = object_named(said, answer)
        if named is None:
            continue
        steps, keys = named
        at = answer.step.index
        if not is_listed(steps):
            if _is_repeated(answer, keys, said.value):
                continue
            get, wanted = compile_path(format_path((*steps, *keys)), 1), said.value
            proof = equal(answer, 1, format_path(steps), keys, said.template, said.value)
        elif may_be_pushed_off(steps, answer):
            continue
        else:
            get, wanted = compile_path(where_path(steps, keys, said.value), 1), ""
            path = where_path(steps, keys, said.template)
            says = f"{short(said.value)} is listed"
            proof = Proof(at, 1, says, JsonValidator(path), said.value)
            own = _own_item(steps, keys, answer, was) if len(keys) == 1 else None
            if own is None and _is_state(keys):  # that of another item tomorrow
                continue
            if own is not None:
                there, name = own
                says = f"{short(said.value)} is listed with {short(name)}"
                beside = JsonValidator(f'{there}[?(@=="{said.template}")]')
                proof = Proof(at, 1, says, beside, said.value)
        may_have = (one for one in was.alike(answer) if one.may_have(said.value))
        earlier = (get(one.document) for one in may_have if one.document is not None)
        held = any(found is not None and wanted in ("", found) for found in earlier)
        if not held and not was.known(said.value):
            yield proof


def elements_in_document(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield texts of the change that a list of texts has."""
    telling = [one for one in change.said if one.is_text and len(one.value) >= TELLING]
    for said in (one for one in telling if one.value in answer.text and is_quotable(one.value)):
        for steps, item in answer.objects:
            keys = (one for one, value in item.items() if value.__class__ is list)
            key = next((one for one in keys if said.value in item[one]), "")
            if not is_listed(steps) and KEY.fullmatch(key) and not was.known(said.value):
                path = f'{format_path(steps)}.{key}[?(@=="{said.template}")]'
                says = f"{short(said.value)} is in {key}"
                yield Proof(answer.step.index, 1, says, JsonValidator(path), said.value)


def object_named(said: Said, answer: SeenAnswer) -> tuple[Steps, Keys] | None:
    """Return the first object with that text, and the keys in it that lead to the text."""
    text = said.value
    if said.is_text and len(text) >= SHORTEST and text in answer.text and is_quotable(text):
        for steps, item in answer.objects_with(text, deep=True):
            for keys, value in leaves(item):
                newest = any(map(is_ordinal, keys))
                if not newest and is_same(keys[-1], said, json_text(value)):
                    return (steps, keys) if is_alone(steps, keys, value, answer) else None
    return None


def _own_item(steps: Steps, keys: Keys, answer: SeenAnswer, was: Before) -> tuple[str, str] | None:
    """Return the path to an item of a list by what the session has called it before, and that."""
    item = inner(answer.response.document(), steps)
    for other, value in leaves(item) if last_item(steps) == len(steps) - 1 else ():
        named = was.named(value) if other != keys and is_quotable(str(value)) else None
        if named is None or _is_state(other) or not is_alone(steps, other, value, answer):
            continue
        if is_title_name(other[-1]) or len(named.value) >= TELLING:
            return where_path(steps, other, named.template), named.value
    return None


def _is_state(keys: Keys) -> bool:
    """Return whether a field has a state, by which nothing is known: it leaves it, or has left it
    in an earlier run."""
    return not STATES.isdisjoint(plain(keys[-1]).split()[-1:])


def rendered_in_document(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield texts of the change that a document has as HTML, of those with markup the longest part
    that has none."""
    if answer.paged or not answer.has_tags:
        return
    for said in change.said:
        whole = "${" in said.template.replace("$${", "")
        parts = [said.value] if whole else (one.strip(_ENDS) for one in _MARKUP.split(said.value))
        text = max(parts, key=len)
        if len(text) < TELLING or not any(map(str.isalpha, text)) or text not in answer.text:
            continue
        if any(text in one.text for one in was.answers):
            continue
        at, wanted = answer.step.index, said.template if whole else escape(text)
        if (own := _html_of_own(change, answer, text)) is not None:
            path, field = own
            check = JsonValidator(path, contains=wanted)
            yield Proof(at, 0, f"{short(text)} is in {field}", check, said.value, field)
        elif any(_html_with(text, item) for _, item in answer.objects):
            yield Proof(at, 1, f"{short(text)} is shown", TextValidator(wanted), said.value)


def _html_of_own(change: Change, answer: SeenAnswer, text: str) -> tuple[str, str] | None:
    """Return the path to the HTML with that text in an object with the id of a resource, and the
    name of its field."""
    for resource in change.resources:
        for steps, item in of_resource(answer, resource):
            if keys := _html_with(text, item):
                return path_of(resource, steps, item) + format_path(keys)[1:], keys[-1]
    return None


def _html_with(text: str, item: dict[str, Any]) -> Keys:
    """Return the keys to HTML with that text; none if the object has no such."""
    html = (
        keys
        for keys, value in leaves(item)
        if isinstance(value, str) and text in value and _TAG.search(value)
    )
    return next(html, ())


def repeated_in_document(change: Change, answer: SeenAnswer) -> Iterator[Proof]:
    """Yield what the answer to the change itself has of the resource, with its id, as it was
    sent."""
    for resource in change.resources:
        for steps, item in of_resource(answer, resource):
            for keys, value in leaves(item):
                said = _said(change, keys, value)
                if said is None or not said.is_text or is_id_name(keys[-1]):
                    continue
                if not is_listed(steps):
                    yield equal(answer, OWN, format_path(steps), keys, said.template, value)


def equal(
    answer: SeenAnswer, strength: int, path: str, keys: Keys, template: str, value: Any
) -> Proof:
    """Return the proof that a field has a value. ``path`` leads to its object, and ``keys`` on to
    it."""
    dynamic = "${" in template.replace("$${", "")
    expected = template if dynamic or isinstance(value, str) else value
    says = f"{keys[-1]} is {short(json_text(value) or '')}"
    whole = path + format_path(keys)[1:]
    check = JsonValidator(whole, expected)
    return Proof(answer.step.index, strength, says, check, field=keys[-1])
