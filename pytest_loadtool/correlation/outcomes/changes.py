"""Changes: the requests that do something, what they say of a resource, and which resource that
is."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl

from pytest_loadtool.codec.media import FORM, media_type
from pytest_loadtool.codec.names import is_given_out, is_password, is_secret, is_typed_secret, plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import (
    collection_names,
    is_id_name,
    is_path_id,
    looks_random,
    singular,
)
from pytest_loadtool.correlation.graphql import operation
from pytest_loadtool.correlation.index.traffic import RecordedStep, recorded_slots
from pytest_loadtool.correlation.kinds import ARGUMENTS, WRAPPERS, collection
from pytest_loadtool.correlation.requests.plain_request import Plain
from pytest_loadtool.correlation.requests.positions import CALL, IN_NAME
from pytest_loadtool.correlation.requests.slots import Slot, request_slots, target_slots
from pytest_loadtool.correlation.sources.anchors import numbered_slots
from pytest_loadtool.correlation.sources.variables import kind_of_resource
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.model.case import Request, TestCase, Transaction, Variable
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Extractor,
    InItem,
    JsonPath,
    Link,
    Source,
    source_templates,
)
from pytest_loadtool.model.generator import Timestamp
from pytest_loadtool.model.place import Place

#: What fields of JSON have that have nothing.
EMPTY: tuple[Any, ...] = (None, "", [])
_REFERENCE = re.compile(r"\$\{([^}|]+)(?:\|[^}]*)?\}")
_NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,6})?")
#: What stands in quotes in a longer text, such as SQL, and the numbers there.
_QUOTED, _COUNTED = re.compile(r"'([^'\n]{3,80})'"), re.compile(r"(?<![\w.'])\d{1,9}(?![\w.'])")
#: The rule that knows what a form has in it of the ids that were sent to have it.
_SELECTION = "hidden-selection"
#: What the names of calls have, and those of fields have not.
_OF_CALL = re.compile(r"\w[./]\w|^/")
#: What a resource is called of which nothing says what it is.
NAMELESS = "thing"
#: From how many characters on a word tells what something is.
_TELLING = 3
#: How many of these are looked for.
_MOST_QUOTED = 10
#: How many lines of a body without fields are looked for.
_MOST_LINES = 50
#: How many values of a JSON document are looked at, and how deep.
_MOST_NODES, _DEEPEST = 20_000, 12


@dataclass(frozen=True, slots=True)
class Said:
    """A value that a change sends: the field's name, the value as text as it was recorded, and what
    stands for it in the test case, a template."""

    field: str
    value: str
    template: str
    unique: bool = False
    """Whether it is drawn anew for each run."""

    @property
    def is_text(self) -> bool:
        """Return whether it has letters, so that it may tell one resource from another."""
        return any(map(str.isalpha, self.value)) and self.value not in ("true", "false")


@dataclass(frozen=True, slots=True)
class Resource:
    """The id of what a change is about: recorded, as a template, and what such a resource is
    called.

    ``given`` says that the change has made it: its answer gave the id out, or an answer after that,
    where what was sent stands, that of transaction ``since``.
    """

    id: str
    template: str
    noun: str
    given: bool = False
    since: int = -1
    elsewhere: frozenset[str] = field(default=frozenset(), compare=False)
    """What the other changes of the session are about: behind their path it is another number."""
    others: frozenset[str] = frozenset()
    """Behind what in an address the session sends the id of something else that has this number."""

    @property
    def is_own(self) -> bool:
        """Return whether each run has another one: a response gives the id out."""
        return "${" in self.template

    @property
    def known_as(self) -> str:
        """Return what tells it from other resources: equal ids may be those of two kinds."""
        return self.template if self.is_own else f"{self.noun} {self.id}"


@dataclass(frozen=True, slots=True)
class Change:
    """A transaction that does something, with what it says and of which resources."""

    step: RecordedStep
    said: tuple[Said, ...]
    resources: tuple[Resource, ...]
    last: Said | None = None
    """The last segment of its path."""
    logs_in: bool = False
    """Whether it sends a password."""
    emptied: frozenset[str] = frozenset()
    """The names of the fields that it sends without a value."""
    has_fields: bool = False
    """Whether it has some at all."""
    rows: tuple[Said, ...] = ()
    """What the rows of pages are called from which it sends a value: ``Delete$3`` of a command."""
    called: Mapping[str, str] = field(default_factory=dict)
    """By the name of each field that has an id in it, what stands for the name: a template."""

    @property
    def method(self) -> str:
        """Return the method that its request means."""
        return self.step.method

    @property
    def path(self) -> str:
        """Return its path as recorded."""
        return self.step.address.partition("?")[0]

    @property
    def templates(self) -> dict[str, str]:
        """Return by each value that it sends, and each id, what stands for it in the test case."""
        said = {one.value: one.template for one in self.said}
        return said | {one.id: one.template for one in self.resources}

    @property
    def path_template(self) -> str:
        """Return its path with what stands for the ids in it."""
        templates = {one.id: one.template for one in self.resources}
        return "/".join(templates.get(one) or escape(one) for one in self.path.split("/"))

    def texts(self) -> Iterator[str]:
        """Yield all that answers are searched for: ids, values, and the fields that had them."""
        yield from (one.id for one in self.resources)
        for one in self.said:
            yield from (one.value, one.field)
        yield from self.emptied


def changes_of(case: TestCase, steps: Sequence[RecordedStep]) -> Iterator[Change]:
    """Yield the changes of a session that went well, in their order: what a configured ``case``
    sends, beside what was recorded."""
    transactions = tuple(case.transactions())
    recorded = [tuple(recorded_slots(step)) if _has_fields(step) else () for step in steps]
    sent = [
        list(_sent(step, one, body, case)) if _tells(step, one.request) else []
        for step, one, body in zip(steps, transactions, recorded, strict=True)
    ]
    makers = {
        f"${{{one.variable}}}": singular(collection(step.called))
        for step, transaction in zip(steps, transactions, strict=True)
        for one in (transaction.extractors if is_change(step) else ())
    }
    nouns: dict[str, str] = {}
    sent_behind: dict[str, dict[str, set[str]]] = {}
    for each in sent:
        for slot, template in each:
            if slot.place is Place.PATH and "${" in template:
                behind = sent_behind.setdefault(slot.value, {})
                behind.setdefault(slot.before, set()).add(template)
            if _names_a_resource(slot):
                noun = _noun(slot)
                inner = _within(slot) if noun == NAMELESS else ""
                nouns.setdefault(template, (inner and makers.get(template)) or inner or noun)
    rows = _rows(transactions, case.variables)
    asked = _asked(transactions, case.variables)
    ids = frozenset(f"${{{one}}}" for one in _ids_of_items(transactions))
    called = {_noun(slot) for each in sent for slot, template in each if template in ids}
    shown = frozenset(noun for noun in called if _is_shown(noun, steps))
    kinds = frozenset(chain.from_iterable(map(_kinds, filter(is_change, steps))))
    bodies = Counter(
        line
        for step, one in zip(steps, transactions, strict=True)
        if step.changes_state
        for line in dict.fromkeys(_lines(one.request.body))
    )
    for step, one, each, body in zip(steps, transactions, sent, recorded, strict=True):
        if step.exchange is not None and is_change(step) and 200 <= step.exchange.status < 400:
            said = dict.fromkeys((*_said(each, case.variables), *_booleans(step.exchange)))
            given = (
                *((each, step.index) for each in one.extractors),
                *_shown_by(said, steps, transactions, step.index),
            )
            asking = (sent[asked[template]] for _, template in each if template in asked)
            others = _Others(kinds, _kinds(step))
            about = tuple(_about(chain(each, *asking), case.variables, ids, shown, nouns, others))
            named = {one.id for one in about}
            made = (
                one
                for one in _given(step, given, case.variables, nouns)
                if one.noun != NAMELESS or one.id not in named  # nobody makes what is there
            )
            resources = dict.fromkeys(_apart(one, sent_behind) for one in (*about, *made))
            known = {(resource.id, resource.noun): resource for resource in reversed(resources)}
            fields = any(slot.part == "body" for slot, _ in each)
            if not fields and json_of(step.exchange.request_body) is None:
                lines = _lines(one.request.body)
                own = [line for line in lines if bodies[line] == 1]
                said = dict.fromkeys(Said("", line, line) for line in own or lines)
            yield Change(
                step, tuple(said), tuple(reversed(known.values())), _last(each),
                logs_in=any(is_password(slot.name) for slot in body),
                emptied=frozenset(_emptied(step.exchange)), has_fields=fields,
                rows=tuple(rows[template] for _, template in each if template in rows),
                called=dict(_called(step, one.request, body)),
            )  # fmt: skip


def _apart(resource: Resource, sent_behind: Mapping[str, Mapping[str, Set[str]]]) -> Resource:
    """Return the resource with where something of another kind is meant that has its number."""
    others = frozenset(
        before
        for before, templates in sent_behind.get(resource.id, {}).items()
        if resource.template not in templates
        and resource.noun not in collection_names(collection(before)) - {NAMELESS}
    )
    return replace(resource, others=others) if others else resource


def _rows(
    transactions: Iterable[Transaction], variables: Mapping[str, Variable]
) -> dict[str, Said]:
    """Return what each row of a page is called, by the placeholder of what is taken from that
    row."""
    found: dict[str, Said] = {}
    for transaction in transactions:
        for one in transaction.extractors:
            row = _row_of(one.source)
            if row:
                only = _REFERENCE.fullmatch(row)
                variable = variables.get(only[1]) if only else None
                named = variable.recorded or "" if variable is not None else row
                if named and "${" not in named:
                    drawn = _is_drawn(variable, variables)
                    found[f"${{{one.variable}}}"] = Said("", named, row, drawn)
    return found


@dataclass(frozen=True, slots=True)
class _Others:
    """What all changes of a session are about, and one of them."""

    all: frozenset[str]
    own: frozenset[str]

    def of(self, slot: Slot, noun: str) -> frozenset[str]:
        """Return what else they are about than a slot that is called so: ``poller_id`` says it, and
        ``id`` and ``chk_17`` leave it to the request."""
        says = slot.place is not Place.PATH and is_id_name(slot.name) and noun != NAMELESS
        return self.all - collection_names(noun) - (frozenset() if says else self.own)


def _kinds(step: RecordedStep) -> frozenset[str]:
    return frozenset(collection_names(collection(operation_of(step) or step.path)))


def _asked(
    transactions: Iterable[Transaction], variables: Mapping[str, Variable]
) -> dict[str, int]:
    """Return, by the placeholder of what is picked, the transaction that was asked to do something
    to it, and answered with the form that is confirmed."""
    return {
        f"${{{one.variable}}}": at
        for at, transaction in enumerate(transactions)
        for one in transaction.extractors
        if one.variable in variables and variables[one.variable].rule == _SELECTION
    }


def _row_of(source: Source) -> str:
    """Return what the row is called that a source takes a value from; empty if it says none."""
    if isinstance(source, InItem):
        return source.text
    return source.label if isinstance(source, Link) else ""


def _tells(step: RecordedStep, request: Request) -> bool:
    """Return whether what a request sends is of use: of a change, or what stands for an id."""
    if step.exchange is None or step.is_static:
        return False
    texts = (request.target, request.body)
    return is_change(step) or any("${" in one for one in texts if isinstance(one, str))


def _has_fields(step: RecordedStep) -> bool:
    """Return whether anything in the body may be of use; most requests have none."""
    return (
        step.exchange is not None
        and not step.is_static
        and (bool(step.exchange.request_body) or is_change(step))
    )


def _sent(
    step: RecordedStep, transaction: Transaction, recorded: Iterable[Slot], case: TestCase
) -> Iterator[tuple[Slot, str]]:
    """Yield what stands in the target and in the body as it was ``recorded``, each with its
    template."""
    plain = Plain.of(transaction.request)
    target, body = plain.request.target, Request("POST", "/", body=plain.request.body)
    in_target = tuple(target_slots(step.address, step.index))
    now = target_slots(target, step.index) if target != step.address else in_target
    yield from _paired(in_target, now, plain, case)
    yield from _paired(
        recorded, request_slots(body, step.content_type, step.index, calls=step.calls), plain, case
    )


def _called(
    step: RecordedStep, request: Request, recorded: Sequence[Slot]
) -> Iterator[tuple[str, str]]:
    """Yield the names of fields in which an id stands, each with its template."""
    if not any(slot.before == IN_NAME for slot in recorded):
        return
    plain = Plain.of(request)
    body = Request("POST", "/", body=plain.request.body)
    slots = request_slots(body, step.content_type, step.index, calls=step.calls)
    now = dict(numbered_slots(slots))
    for key, slot in numbered_slots(recorded):
        name = plain.original(now[key].name) if key in now else slot.name
        if name != slot.name and "${" in name:
            yield slot.name, name


def _paired(
    recorded: Iterable[Slot], written: Iterable[Slot], plain: Plain, case: TestCase
) -> Iterator[tuple[Slot, str]]:
    now = dict(numbered_slots(written))
    for key, slot in numbered_slots(recorded):
        one = now.get(key)
        if one is None:
            continue
        template = plain.original(one.value)
        if template == one.value:
            if one.value == slot.value:
                yield slot, escape(slot.value)
            continue
        only = _REFERENCE.fullmatch(template)
        variable = case.variables.get(only[1]) if only else None
        if variable is not None and variable.recorded == slot.value:
            yield slot, f"${{{variable.name}}}"
        elif "|" not in template and (variable is None or variable.recorded is None):
            yield slot, template


def is_change(step: RecordedStep) -> bool:
    """Return whether a transaction may do something; a query of GraphQL is sent by POST, too."""
    if step.exchange is None or not step.changes_state:
        return False
    asked = operation(step.exchange)
    return asked is None or asked.changes


def acts_by_link(step: RecordedStep) -> bool:
    """Return whether a transaction is a link with a token, by which pages do something with a
    resource."""
    if step.method != "GET" or "?" not in step.address:
        return False
    slots = target_slots(step.address, step.index)
    return any(one.place is Place.QUERY and is_given_out(one.name) for one in slots)


def operation_of(step: RecordedStep) -> str:
    """Return what a request asks for where its address does not tell; empty where the address
    does."""
    asked = operation(step.exchange) if step.exchange is not None else None
    if asked is not None:
        return " ".join(sorted(asked.words))
    return step.called if step.called != step.path else ""


def walk(document: Any) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Yield each object in a JSON document, in their order, with the keys and indexes that lead to
    it."""
    top = document if isinstance(document, dict | list) else []
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), top)]
    seen = 0
    while waiting and seen < _MOST_NODES:
        steps, value = waiting.pop()
        seen += 1
        if isinstance(value, dict):
            yield steps, value
        if len(steps) < _DEEPEST:
            inner: Iterable[tuple[str | int, Any]] = (
                value.items() if isinstance(value, dict) else enumerate(value)
            )
            known = [((*steps, key), one) for key, one in inner if isinstance(one, dict | list)]
            waiting += reversed(known)


def _shown_by(
    said: Iterable[Said],
    steps: Sequence[RecordedStep],
    transactions: Sequence[Transaction],
    index: int,
) -> Iterator[tuple[Extractor, int]]:
    """Yield what takes an id, and where: from the row or object with a text that a change has sent,
    in an answer before the next change."""
    texts = [one.template for one in said if one.is_text]
    for at in range(index + 1, len(steps) if texts else 0):
        if is_change(steps[at]):
            return
        for one in transactions[at].extractors:
            if any(goes_by(one.source, text) for text in texts):
                yield one, at


def goes_by(source: Source, text: str) -> bool:
    """Return whether a source takes its value from the row or object that has a text."""
    found = source_templates(source)
    return text in found or any(f'"{text}"' in path for path in found)


def _given(
    step: RecordedStep,
    given: Iterable[tuple[Extractor, int]],
    variables: Mapping[str, Variable],
    nouns: Mapping[str, str],
) -> Iterator[Resource]:
    """Yield what answers give out that names a resource further on."""
    made = collection(operation_of(step)) or NAMELESS
    for one, at in given:
        template = f"${{{one.variable}}}"
        recorded = variables[one.variable].recorded if one.variable in variables else None
        if recorded and template in nouns:
            noun = nouns[template]
            yield Resource(recorded, template, made if noun == NAMELESS else noun, True, at)


def _is_shown(noun: str, steps: Iterable[RecordedStep]) -> bool:
    """Return whether something that was read is called so, or has something that is."""
    word = noun.rpartition(" ")[2].encode()
    return len(word) >= _TELLING and any(
        any(noun in collection_names(collection(one)) for one in (step.path, *step.calls))
        or word in step.exchange.response_body.lower()
        for step in steps
        if step.exchange is not None and not is_change(step)
    )


def _ids_of_items(transactions: Iterable[Transaction]) -> Iterator[str]:
    """Yield the variables that are taken from the id of an object, or from a row of a page."""
    for transaction in transactions:
        for one in transaction.extractors:
            source = one.source
            key = source.path.rpartition(".")[2] if isinstance(source, JsonPath) else ""
            if isinstance(source, InItem | Link) or is_id_name(key):
                yield one.variable


def _about(
    sent: Iterable[tuple[Slot, str]],
    variables: Mapping[str, Variable],
    ids: Set[str],
    shown: Set[str],
    nouns: Mapping[str, str],
    others: _Others,
) -> Iterator[Resource]:
    """Yield what a change is about: the ids in its path and in fields called so, and in whatever
    field those of ``ids``, the templates of what answers show to be the ids of things. Such a one
    is only called as the change calls it, if that is what is ``shown``: not ``toggle`` of
    ``/toggle/2``."""
    for slot, template in sent:
        name = _REFERENCE.fullmatch(template)
        given_out = name is not None and _is_given_out(variables.get(name[1]))
        known = given_out or (is_path_id(slot.value) and not slot.in_word)
        secret = is_secret(slot.name) or is_given_out(slot.name)
        of_item = template in ids and is_path_id(slot.value)
        alone = looks_random(slot.value) or slot.name in ARGUMENTS or of_item
        nameless = given_out and alone and not secret
        if known and (_names_a_resource(slot) or nameless):
            noun = _noun(slot)
            if slot.name in ARGUMENTS:
                noun = nouns.get(template, noun)
            if noun == NAMELESS and _within(slot):
                yield Resource(slot.value, template, nouns.get(template, noun))
                continue
            is_called = template not in ids or noun in shown or looks_random(slot.value)
            yield Resource(
                slot.value, template, noun if is_called else NAMELESS,
                elsewhere=others.of(slot, noun),
            )  # fmt: skip


def _names_a_resource(slot: Slot) -> bool:
    if is_typed_secret(slot.name) or slot.users or slot.before == CALL:
        return False
    return slot.place is Place.PATH or is_id_name(slot.name) or slot.before == IN_NAME


def _noun(slot: Slot) -> str:
    """Return ``order`` of the id in ``/orders/17`` and in ``order_id=17``."""
    if slot.place is Place.PATH:
        return kind_of_resource(slot) or NAMELESS
    words = singular(slot.name).split() if slot.name not in ARGUMENTS else []
    if words and is_id_name(words[-1]):
        words = words[:-1]
    call = slot.before if _OF_CALL.search(slot.before) else ""
    return " ".join(words) or singular(collection(call)) or NAMELESS


def _within(slot: Slot) -> str:
    """Return what the object is called that has an id, if that is another one than what the request
    is about: ``author`` of ``{"title": "Tea", "author": {"id": 1}}``."""
    is_inner = slot.place in (Place.JSON, Place.JSON_STRING) and slot.before not in (CALL, IN_NAME)
    return "" if not is_inner or plain(slot.before) in WRAPPERS else singular(slot.before)


def _said(sent: Iterable[tuple[Slot, str]], variables: Mapping[str, Variable]) -> Iterator[Said]:
    """Yield the texts and numbers that are the user's own: what a response gave out proves nothing,
    and neither does the moment of the request, in whose place a server may put its own."""
    for slot, template in sent:
        name = _REFERENCE.fullmatch(template)
        known = variables.get(name[1]) if name is not None else None
        now = known is not None and isinstance(known.generate, Timestamp)
        own = not now and not _is_given_out(known)
        text = any(map(str.isalpha, slot.value)) or _NUMBER.fullmatch(slot.value)
        field = slot.part == "body" and slot.place is not Place.PATH and slot.before != IN_NAME
        if own and text and field and not is_typed_secret(slot.name):
            variable = variables.get(name[1]) if name is not None else None
            yield Said(slot.name, slot.value, template, _is_drawn(variable, variables))
            yield from _quoted(slot, template)


def _quoted(slot: Slot, template: str) -> Iterator[Said]:
    """Yield what a longer text, such as SQL, has in quotes; and then its numbers, too."""
    for pattern in (_QUOTED, _COUNTED) if "'" in slot.value else ():
        texts = (pattern.findall(one)[:_MOST_QUOTED] for one in (slot.value, template))
        yield from (Said("", one, written) for one, written in zip(*texts, strict=False))


def _last(sent: Iterable[tuple[Slot, str]]) -> Said | None:
    path = [one for one in sent if one[0].place is Place.PATH and not one[0].depth]
    return Said("", path[-1][0].value, path[-1][1]) if path else None


def _is_drawn(variable: Variable | None, variables: Mapping[str, Variable]) -> bool:
    if variable is None or variable.generate is not None:
        return variable is not None
    parts = _REFERENCE.findall(variable.template or "")
    return any(_is_drawn(variables.get(one), variables) for one in parts)


def _is_given_out(variable: Variable | None) -> bool:
    return variable is not None and variable.set_by == "asm" and variable.needs_extractor


def _lines(body: str | bytes | None) -> list[str]:
    """Return the lines of a text, such as a calendar, that say something."""
    lines = body.splitlines()[:_MOST_LINES] if isinstance(body, str) else []
    return [one.strip() for one in lines if "$" not in one and any(map(str.isalpha, one))]


def _booleans(exchange: Exchange) -> Iterator[Said]:
    """Yield those in JSON, which no placeholder stands for."""
    for _, one in walk(json_of(exchange.request_body)):
        for key, value in one.items():
            if isinstance(value, bool):
                text = json_text(value) or ""
                yield Said(key, text, text)


def _emptied(exchange: Exchange) -> Iterator[str]:
    """Yield the fields that are null, or empty."""
    for _, one in walk(json_of(exchange.request_body)):
        yield from (key for key, value in one.items() if value in EMPTY)
    if media_type(exchange.request_header("content-type")) == FORM:
        fields = parse_qsl(exchange.request_body.decode("utf-8", "replace"), keep_blank_values=True)
        yield from (name for name, value in fields if not value)


def json_of(body: bytes) -> Any:
    """Return the document in a body; None if it is none."""
    if body.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
