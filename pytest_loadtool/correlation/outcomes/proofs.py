"""Proofs: what an answer shows of a change, as a validator that holds after it and not before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pytest_loadtool.correlation.jsonpath import compile_path, format_path, json_text
from pytest_loadtool.correlation.looks import is_id_name, is_title_name, plain
from pytest_loadtool.correlation.outcomes.changes import Change, Said, Thing
from pytest_loadtool.correlation.outcomes.seen import Answer, Answers
from pytest_loadtool.correlation.row_search import in_row, row_around
from pytest_loadtool.correlation.traffic import Step
from pytest_loadtool.model.template import escape
from pytest_loadtool.model.validator import JsonValidator, TextValidator

__all__ = ["Proof", "proofs"]

#: From how many characters on a text counts that stands under another name than it was sent.
_TELLING = 6
_SHORTEST = 3
_KEY = re.compile(r"[A-Za-z_$][\w$-]*")
_NO_TEXT = re.compile(r"[\\\x00-\x1f]")
#: A word that the server writes for a state: ``shipped``, ``in progress``.
_STATE = re.compile(r"[^\W\d_][^\W\d]*(?:[ _-][^\W\d]+){0,3}")
_LONGEST_STATE = 40
#: A whole number that a server counts with.
_MOST_COUNTED = 100_000
_LONGEST_NAME = 40
#: What markup has character references for.
_SPECIAL = re.compile("[&<>\"']")
#: In how many attributes of a page an id is looked at.
_MOST_ATTRIBUTES = 20

_Steps = tuple[str | int, ...]
_Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """A validator of the response of transaction ``at``, and what is so when it holds.

    ``strength`` orders proofs, 0 being best: of the thing itself by its id; by its name; what only
    the answer to the change says.
    """

    at: int
    strength: int
    says: str
    validator: JsonValidator | TextValidator | None = None
    """None: the status says it, which has a validator of its own."""


def proofs(
    change: Change, answers: Answers, changed: Mapping[str, Sequence[int]]
) -> Iterator[Proof]:
    """All that the recording has, the nearest first, and last what the change's own answer says.

    ``changed`` are, by `Thing.known_as`, the transactions that change it.
    """
    was = _Before(change, answers, changed)
    for answer in answers.after(change.step.index):
        yield from _shown(change, answer, was)
    for step in answers.gone(change.step.index):
        for thing in change.things:
            if not thing.given and _names(step, thing):
                yield Proof(step.index, 0, _state(thing, gone=True))
    own = answers.of(change.step)
    if own is not None and own.document is not None:
        yield from _repeated(change, own)


class _Before:
    """What answers showed before a change."""

    def __init__(
        self, change: Change, answers: Answers, changed: Mapping[str, Sequence[int]]
    ) -> None:
        self._answers = tuple(answers.before(change.step.index))
        self._change = change.step.index
        self._changed = changed

    def alone(self, thing: Thing, earlier: Answer, later: Answer) -> bool:
        """Whether nothing else has changed the thing between two answers."""
        start, end = earlier.step.index, later.step.index
        return all(
            at == self._change or not start < at < end
            for at in self._changed.get(thing.known_as, ())
        )

    def same(self, answer: Answer) -> Answer | None:
        """The last one to the same address."""
        for one in self._answers:
            if one.asked == answer.asked:
                return one
        return None

    def alike(self, answer: Answer) -> Iterator[Answer]:
        """Those to the same path; if there are none, all."""
        found = [one for one in self._answers if one.kind == answer.kind]
        return iter(found or self._answers)

    def object(self, thing: Thing) -> tuple[Answer, dict[str, Any]] | None:
        """The thing as it was shown last, and where."""
        for one in self._answers:
            for _, item in _of_thing(one, thing):
                return one, item
        return None


def _shown(change: Change, answer: Answer, was: _Before) -> Iterator[Proof]:
    said = tuple(_said(change, answer, was))
    yield from said
    if not any(one.strength == 0 for one in said):  # which says more
        for thing in change.things:
            yield from _come_or_gone(thing, answer, was)


def _said(change: Change, answer: Answer, was: _Before) -> Iterator[Proof]:
    if answer.document is not None:
        for thing in change.things:
            yield from _of_object(change, thing, answer, was)
        yield from _named_in_document(change, answer, was)
    elif answer.text.lstrip()[:1] == "<":
        yield from _on_page(change, answer, was)


# JSON


def _of_object(change: Change, thing: Thing, answer: Answer, was: _Before) -> Iterator[Proof]:
    """What the object with the id of the thing has as the change has sent it, or as it made it."""
    for steps, item in _of_thing(answer, thing):
        if answer.paged and _listed_at(steps):
            return
        found = None if thing.given else was.object(thing)
        before = None if found is None else found[1]
        alone = found is not None and was.alone(thing, found[0], answer)
        key = _id_key(item, thing)
        path = _where(steps, (key,), _quoted(thing.template, item[key]))
        for keys, value in _leaves(item, ()):
            text = json_text(value)
            new = before is None or _inner(before, keys) != value
            said = next((one for one in change.said if _same(keys[-1], one, text)), None)
            if new and said is not None and not is_id_name(keys[-1]):
                yield _equal(answer, 0, path, keys, said.template, value)
            elif new and alone and before is not None and _is_state(keys, value, before, thing):
                yield _equal(answer, 0, path, keys, escape(text or ""), value)
        return


def _is_state(keys: _Keys, value: Any, before: dict[str, Any], thing: Thing) -> bool:
    """Whether a value that the change did not send tells what became of the thing."""
    if _inner(before, keys) is None:
        return False
    if isinstance(value, bool):
        return True
    if isinstance(value, str):
        return len(value) <= _LONGEST_STATE and _STATE.fullmatch(value) is not None
    own = "${" in thing.template
    return own and value.__class__ is int and abs(value) <= _MOST_COUNTED


def _named_in_document(change: Change, answer: Answer, was: _Before) -> Iterator[Proof]:
    """Objects that are called as the change says."""
    for said in change.said:
        named = _object_named(said, answer)
        if named is None:
            continue
        steps, keys = named
        at = answer.step.index
        if _listed_at(steps) is None:
            get, wanted = compile_path(format_path((*steps, *keys)), 1), said.value
            proof = _equal(answer, 1, format_path(steps), keys, said.template, said.value)
        elif answer.paged and _listed_at(steps):
            continue
        else:
            get, wanted = compile_path(_where(steps, keys, f'"{said.value}"'), 1), ""
            path = _where(steps, keys, f'"{said.template}"')
            proof = Proof(at, 1, f"{_short(said.value)} is listed", JsonValidator(path))
        earlier = (get(one.document) for one in was.alike(answer) if one.document is not None)
        if not any(found is not None and wanted in ("", found) for found in earlier):
            yield proof


def _object_named(said: Said, answer: Answer) -> tuple[_Steps, _Keys] | None:
    """The first object with that text, and the keys in it that lead to the text."""
    text = said.value
    if said.is_text and len(text) >= _SHORTEST and text in answer.text and _fits(text):
        for steps, item in answer.objects:
            for keys, value in _leaves(item, ()):
                if _same(keys[-1], said, json_text(value)):
                    return steps, keys
    return None


def _repeated(change: Change, answer: Answer) -> Iterator[Proof]:
    """What the answer to the change has as it was sent."""
    for steps, item in answer.objects:
        if _listed_at(steps) is not None:
            continue
        for keys, value in _leaves(item, ()):
            said = next(
                (one for one in change.said if _same(keys[-1], one, json_text(value))), None
            )
            if said is not None and said.field:
                yield _equal(answer, 2, format_path(steps), keys, said.template, value)


def _equal(
    answer: Answer, strength: int, path: str, keys: _Keys, template: str, value: Any
) -> Proof:
    dynamic = "${" in template.replace("$${", "")
    expected = template if dynamic or isinstance(value, str) else value
    says = f"{keys[-1]} is {_short(json_text(value) or '')}"
    whole = path + format_path(keys)[1:]
    return Proof(answer.step.index, strength, says, JsonValidator(whole, expected))


def _of_thing(answer: Answer, thing: Thing) -> Iterator[tuple[_Steps, dict[str, Any]]]:
    if answer.document is None or thing.id not in answer.text:
        return
    for steps, item in answer.objects:
        if _id_key(item, thing):
            yield steps, item


def _id_key(item: dict[str, Any], thing: Thing) -> str:
    """The key under which an object has that id as its own: ``id``, or ``order_id`` of an order."""
    for key, value in item.items():
        if is_id_name(key) and json_text(value) == thing.id and _KEY.fullmatch(key):
            words = plain(key).split()
            if len(words) == 1 or " ".join(words[:-1]) == thing.noun:
                return key
    return ""


def _listed_at(steps: _Steps) -> int | None:
    """Which item of a list they lead to, or into; None: of none."""
    return next((one for one in reversed(steps) if isinstance(one, int)), None)


def _quoted(template: str, value: Any) -> str:
    return template if value.__class__ is int else f'"{template}"'


def _where(steps: _Steps, keys: _Keys, text: str) -> str:
    """The path to an object, in its list the one that has ``text`` under these keys. Lists around
    that are searched."""
    last = max((at for at, step in enumerate(steps) if isinstance(step, int)), default=-1)
    within = (*map(str, steps[last + 1 :]), *keys)
    condition = f"[?(@.{'.'.join(within)}=={text})]"
    pieces = (
        condition
        if at == last
        else "[*]"
        if isinstance(step, int)
        else escape(format_path((step,))[1:])
        for at, step in enumerate(steps)
    )
    return "$" + "".join(pieces)


def _leaves(item: Any, keys: _Keys) -> Iterator[tuple[_Keys, Any]]:
    """The texts, numbers and booleans of an object, but for those in lists."""
    for key, value in item.items():
        if not _KEY.fullmatch(key):
            continue
        if isinstance(value, str | int | float):
            yield (*keys, key), value
        elif isinstance(value, dict) and len(keys) < 2:
            yield from _leaves(value, (*keys, key))


def _inner(item: Any, keys: _Keys) -> Any:
    for key in keys:
        item = item.get(key) if isinstance(item, dict) else None
    return item


def _same(key: str, said: Said, text: str | None) -> bool:
    """Whether a value is what was said, by its name, or for what it says."""
    if text != said.value:
        return False
    mine, theirs = plain(key).split()[-1:], plain(said.field).split()[-1:]
    if mine and mine == theirs:
        return True
    return said.is_text and (len(text) >= _TELLING or is_title_name(key))


def _fits(text: str) -> bool:
    return not _NO_TEXT.search(text) and '"' not in text


# Pages


def _on_page(change: Change, answer: Answer, was: _Before) -> Iterator[Proof]:
    """Texts of the change that a page shows, in the row of the thing where there is one."""
    for said in change.said:
        for template, raw, at in _written(said, answer):
            row = _row_of(change, answer, at)
            if row is None and answer.paged and not _is_about(change, answer):
                continue
            mark, recorded = row or ("", "")
            if not any(_holds(one, raw, recorded) for one in was.alike(answer)):
                validator = TextValidator(template, row=mark)
                says = f"{_short(said.value)} is shown"
                yield Proof(answer.step.index, 0 if row else 1, says, validator)
                break


def _holds(answer: Answer, raw: str, row: str) -> bool:
    return in_row(answer.text, row, raw) if row else raw in answer.text


def _is_about(change: Change, answer: Answer) -> bool:
    return any(_names(answer.step, one) for one in change.things)


def _names(step: Step, thing: Thing) -> bool:
    """Whether what is asked for has the id in its address."""
    return re.search(rf"(?<!\w){re.escape(thing.id)}(?!\w)", step.address) is not None


def _written(said: Said, answer: Answer) -> Iterator[tuple[str, str, int]]:
    """A text as the page shows it, alone and with the ends of the tags around it: as a template, as
    recorded, and where."""
    if not said.is_text or len(said.value) < _SHORTEST:
        return
    if said.value not in answer.text and not _SPECIAL.search(said.value):
        return
    value = " ".join(said.value.split())
    word = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
    for node, (written, at) in answer.nodes.items():
        if value in node and word.search(node):
            yield said.template, said.value if said.value in written else written, at
            if node == said.value and _alone(answer.text, at, written):
                yield f">{said.template}<", f">{written}<", at


def _alone(text: str, at: int, written: str) -> bool:
    """Whether nothing, not even a space, is between a text and the tags around it."""
    return text.startswith(f">{written}<", max(0, text.rfind(">", 0, at + 1)))


def _row_of(change: Change, answer: Answer, at: int) -> tuple[str, str] | None:
    """What the row around that place is known by: the thing's id in an attribute there."""
    start, end = row_around(answer.text, at)
    for thing in change.things if end else ():
        for found in _attributes(answer.text[start:end], thing):
            return found
    return None


def _attributes(text: str, thing: Thing) -> Iterator[tuple[str, str]]:
    """The id with what is around it in attributes, as a template and as recorded."""
    around = re.compile(
        rf"""(?P<before>["'](?:[^"'<>\s]{{0,200}}?[/=?&-])?){re.escape(thing.id)}(?P<after>["'/?&#])"""
    )
    known: dict[str, str] = {}
    for found in islice(around.finditer(text), _MOST_ATTRIBUTES):
        before = re.sub(r"""^["'](?:https?://[^/]*)?(?=[/?])""", "", found["before"])
        recorded = f"{before}{thing.id}{found['after']}"
        known.setdefault(recorded, f"{escape(before)}{thing.template}{found['after']}")
    for recorded in sorted(known, key=lambda one: one[0] in "\"'"):  # addresses tell most
        yield known[recorded], recorded


# What is there now, or is no more


def _come_or_gone(thing: Thing, answer: Answer, was: _Before) -> Iterator[Proof]:
    """A thing that the same address showed before, and shows no more; or the reverse."""
    earlier = None if thing.given else was.same(answer)
    strength = 0
    if thing.given:
        strength = 1  # for it may be anything that is listed
        if _names(answer.step, thing):  # and the page is asked for by it
            return
    elif earlier is None or not was.alone(thing, earlier, answer):
        return
    if answer.document is not None:
        before = earlier and _listed(earlier, thing)
        now = _listed(answer, thing)
        path, gone = (before, True) if before else (now, False)
        if path and not (before and now) and (gone or not answer.paged):
            check = JsonValidator(path, absent=gone)
            yield Proof(answer.step.index, strength, _state(thing, gone), check)
        return
    before_text = earlier.text if earlier else ""
    for gone, text, other in ((True, before_text, answer.text), (False, answer.text, before_text)):
        if thing.id not in text or (answer.paged and not gone):
            continue
        for template, recorded in _attributes(text, thing):
            if recorded not in other and any(map(str.isalpha, template)):
                shown = TextValidator(template, absent=gone)
                yield Proof(answer.step.index, strength, _state(thing, gone), shown)
                return


def _listed(answer: Answer, thing: Thing) -> str | None:
    """The path to the item of a list that has the id, as its own or that of what it is for."""
    if thing.id not in answer.text:
        return None
    for steps, item in answer.objects:
        if _listed_at(steps) is not None:
            for key, value in item.items():
                if is_id_name(key) and _KEY.fullmatch(key) and json_text(value) == thing.id:
                    return _where(steps, (key,), _quoted(thing.template, value))
    return None


def _state(thing: Thing, gone: bool) -> str:
    return f"the {thing.noun} is {'gone' if gone else 'listed'}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
