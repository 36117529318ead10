"""Objects of documents: which of them are those of a resource, and the paths to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import (
    LONG_NUMBER,
    is_id_name,
    is_short_number,
    looks_random,
    singular,
)
from pytest_loadtool.correlation.index.meaning import OF_ANY_KIND
from pytest_loadtool.correlation.kinds import (
    WRAPPERS,
    before_by,
    collection,
    id_stem,
)
from pytest_loadtool.correlation.outcomes.changes import Said
from pytest_loadtool.correlation.outcomes.resources import NAMELESS, Resource
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.producer import is_dynamic_key, last_item
from pytest_loadtool.correlation.responses.objects import (
    KEY,
    NO_TEXT,
    Keys,
    condition,
    inner,
    leaves,
)
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.extraction.jsonpath import compile_path, json_text
from pytest_loadtool.model.validator import JsonValidator

#: The members of a resource, and of what refers to one (JSON:API 1.1 §7.2, §7.3).
_OF_JSON_API = frozenset({"attributes", "id", "lid", "links", "meta", "relationships", "type"})
#: With so many keys alike, two objects may still be of different kinds.
_FEW_KEYS = 2

Steps = tuple[str | int, ...]


def of_resource(answer: SeenAnswer, resource: Resource) -> Iterator[tuple[Steps, dict[str, Any]]]:
    """Return the objects of a document that have the id of the resource as their own; what several
    items of a list have in one place is the id of something that they belong to."""
    if resource not in answer.about:
        has_it = resource.id in answer.text and answer.document is not None
        answer.about[resource] = tuple(_of_resource(answer, resource)) if has_it else ()
    return iter(answer.about[resource])


def _of_resource(answer: SeenAnswer, resource: Resource) -> Iterator[tuple[Steps, dict[str, Any]]]:
    shared: set[tuple[str, ...]] = set()
    for steps, item in answer.objects_with(resource.id):
        key = id_key(item, resource)
        named = (one for one in steps if isinstance(one, str) and not is_dynamic_key(one))
        place = (*named, key)
        if key and place not in shared and is_kind(resource, steps, key, answer, item):
            if is_alone(steps, (key,), item[key], answer):
                yield steps, item
            else:
                shared.add(place)
    for steps, item in answer.objects:
        if steps and _is_kept_under(resource, steps, item, answer):
            yield steps, item


def _is_kept_under(
    resource: Resource, steps: Steps, item: dict[str, Any], answer: SeenAnswer
) -> bool:
    """Return whether the last key on the way to an object is the id of the resource."""
    key = steps[-1]
    is_id = isinstance(key, str) and key == resource.id and is_dynamic_key(key)
    return is_id and is_kind(resource, steps[:-1], "", answer, item)


def path_of(resource: Resource, steps: Steps, item: dict[str, Any]) -> str:
    """Return the path to an object by the id of the resource, which it has or is kept under."""
    key = id_key(item, resource)
    if key:
        return where_path(steps, (key,), resource.template, item[key])
    return where_path(steps[:-1], ()) + format_path((resource.template,))[1:]


def is_kind(
    resource: Resource, steps: Steps, key: str, answer: SeenAnswer, item: dict[str, Any]
) -> bool:
    """Return whether what has the id under that key is such a resource: many kinds have the same
    small numbers. The key tells it, what the object says of itself where there is no more to it but
    what JSON:API has, the list or object that it is in, or what was asked for."""
    says_no_kind = resource.noun in OF_ANY_KIND and len(resource.id) >= LONG_NUMBER
    if resource.noun == NAMELESS or says_no_kind or not is_short_number(resource.id):
        return True
    if key == "id" and isinstance(item.get("type"), str) and _OF_JSON_API.issuperset(item):
        return resource.noun.split()[-1] in singular(item["type"]).split()
    if bool(led_to(resource, item)) != resource.is_link:
        return False
    named = (one for one in reversed(steps) if isinstance(one, str) and plain(one) not in WRAPPERS)
    kind = id_stem(key) or before_by(next(named, "")) or collection(answer.step.called)
    kinds = (kind, *_kinds_around(steps, answer, item))
    return any(
        resource.noun.split()[-1] in {*singular(one).split(), *plain(one).split()} for one in kinds
    )


def _kinds_around(steps: Steps, answer: SeenAnswer, item: dict[str, Any]) -> Iterator[str]:
    """Yield what the lists around an object are called that have such objects, too: of a reply to a
    comment, comments."""
    for at, step in enumerate(steps[1:-1], 1):
        outer = inner(answer.document, steps[: at + 1]) if isinstance(step, int) else None
        if isinstance(outer, dict) and len(item) > _FEW_KEYS and outer.keys() == item.keys():
            yield str(steps[at - 1])


def led_to(resource: Resource, item: dict[str, Any]) -> str:
    """Return under which key an object has another one that is called as the resource is: a link,
    ``{"id": 9, "tags_id": {"id": 2}}`` of a tag, has an id of its own. Empty if it is none."""
    return next(
        (
            key
            for key, one in item.items()
            if isinstance(one, dict)
            and KEY.fullmatch(key)
            and singular(id_stem(key) or key) == resource.noun
        ),
        "",
    )


def id_key(item: dict[str, Any], resource: Resource) -> str:
    """Return the key under which an object has that id as its own: ``id``, or ``order_id`` of an
    order that has no other; of a random one any, but that of something it belongs to:
    ``project_id`` beside ``id``."""
    keys = [
        key for key, value in item.items() if KEY.fullmatch(key) and json_text(value) == resource.id
    ]
    for key in keys:
        words = plain(key).split()
        if is_id_name(key) and len(words) == 1:
            return key
        if is_id_name(key) and " ".join(words[:-1]) == resource.noun and not _has_id(item):
            return key
    if not looks_random(resource.id):
        return ""
    has_id = bool(keys) and _has_id(item)
    return next((key for key in keys if not (has_id and is_id_name(key))), "")


def _has_id(item: dict[str, Any]) -> bool:
    return any(is_id_name(key) and len(plain(key).split()) == 1 for key in item)


def is_listed(steps: Steps) -> bool:
    """Return whether they lead to an item of a list, or into one."""
    return last_item(steps) is not None


def may_be_pushed_off(steps: Steps, answer: SeenAnswer) -> bool:
    """Return whether they lead to an item that may be on another page on another day: any but the
    first of a list that has further pages."""
    at = last_item(steps)
    return answer.paged and at is not None and steps[at] != 0


def where_path(steps: Steps, keys: Keys, text: str = "", value: Any = "") -> str:
    """Return the path to an object, in its list the one that has ``text`` under these keys. Lists
    around that are searched; without keys, all."""
    last = -1 if not keys or (found := last_item(steps)) is None else found
    within = (*(one for one in steps[last + 1 :] if isinstance(one, str)), *keys)
    pieces = (
        condition(within, text, value)
        if at == last
        else "[*]"
        if isinstance(step, int) or is_dynamic_key(step)
        else escape(format_path((step,))[1:])
        for at, step in enumerate(steps)
    )
    return "$" + "".join(pieces)


def is_quotable(text: str) -> bool:
    """Return whether a path can have the text in quotes."""
    return not NO_TEXT.search(text) and '"' not in text


def listed_path(answer: SeenAnswer, resource: Resource) -> str | None:
    """Return the path to the item of a list that has the id, as its own or that of what it is
    for."""
    if resource.id not in answer.text:
        return None
    for steps, item in answer.objects_with(resource.id):
        if is_listed(steps):
            for key, value in item.items():
                same = is_id_name(key) and KEY.fullmatch(key) and json_text(value) == resource.id
                if same and is_kind(resource, steps, key, answer, item):
                    return where_path(steps, (key,), resource.template, value)
    kept = (one for one in answer.objects if one[0] and _is_kept_under(resource, *one, answer))
    return next((path_of(resource, *one) for one in kept), None)


def unlisted_path(name: Said, earlier: SeenAnswer, answer: SeenAnswer) -> JsonValidator | None:
    """Return a validator that no item of a list is called so, if one was and is no more."""
    for steps, item in earlier.objects if is_quotable(name.value) else ():
        for keys, value in leaves(item):
            if value == name.value and is_listed(steps):
                get = compile_path(where_path(steps, keys, name.value), 1)
                if get(earlier.document) is not None and get(answer.document) is None:
                    return JsonValidator(where_path(steps, keys, name.template), absent=True)
    return None


def is_alone(steps: Steps, keys: Keys, value: Any, answer: SeenAnswer) -> bool:
    """Return whether no other item of the list has the same there: the kind of many is no name."""
    last = last_item(steps)
    if last is None:
        return True
    items = inner(answer.document, steps[:last])
    items = items.values() if isinstance(items, dict) else items
    within = (*steps[last + 1 :], *keys)
    return [inner(one, within) for one in items].count(value) == 1
