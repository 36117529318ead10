"""Changes: the requests that do something, what they say, and which resources they are about."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl

from pytest_loadtool.codec.media import FORM, media_type
from pytest_loadtool.codec.names import is_password, is_typed_secret
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.index.traffic import RecordedStep, is_change, recorded_slots
from pytest_loadtool.correlation.outcomes.resources import Nouns, Resource
from pytest_loadtool.correlation.outcomes.sent import (
    REFERENCE,
    Sent,
    has_fields,
    is_extracted,
    names_of_fields,
    sent_by,
    tells,
)
from pytest_loadtool.correlation.requests.positions import IN_NAME
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.model.case import TestCase, Transaction, Variable
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Choice,
    Decoded,
    Extractor,
    InItem,
    JsonPath,
    Link,
    Source,
    XmlPath,
    source_templates,
)
from pytest_loadtool.model.generator import Timestamp
from pytest_loadtool.model.place import Place

#: What fields of JSON have that have nothing.
EMPTY: tuple[Any, ...] = (None, "", [])
_NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,6})?")
#: What stands in quotes in a longer text, such as SQL, and the numbers there.
_QUOTED, _COUNTED = re.compile(r"'([^'\n]{3,80})'"), re.compile(r"(?<![\w.'])\d{1,9}(?![\w.'])")
#: What stands between two quotes, be the second one the first of another text.
_IN_QUOTES = re.compile(r'(?<=")[^"]+(?=")')
#: What the object of a list is called that a path leads to.
_CALLED = re.compile(r'="([^"]+)"\)?\]')
#: The rule that knows what a form has in it of the ids that were sent to have it.
_SELECTION = "hidden-selection"
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
class Change:
    """A transaction that does something, with what it says and of which resources."""

    step: RecordedStep
    said: tuple[Said, ...]
    resources: tuple[Resource, ...]
    last: Said | None = None
    """The last segment of its path."""
    logs_in: bool = False
    """Whether it sends a password, and not one that is new: that is typed twice."""
    emptied: frozenset[str] = frozenset()
    """The names of the fields that it sends without a value."""
    has_fields: bool = False
    """Whether it has some at all."""
    rows: tuple[Said, ...] = ()
    """What the rows of pages, and the objects of lists, are called from which it sends a value:
    ``Delete$3`` of a command."""
    taken: Mapping[str, str] = field(default_factory=dict)
    """By each value that an answer has given out, what stands for it: a template."""
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
        return {**self.taken, **said} | {one.id: one.template for one in self.resources}

    @property
    def path_template(self) -> str:
        """Return its path with what stands for the ids in it."""
        templates = {one.id: one.template for one in self.resources}
        return "/".join(templates.get(one) or escape(one) for one in self.path.split("/"))

    @property
    def in_path(self) -> Iterator[Said]:
        """The segments of its path, of which each may name a thing: ``/lamps/hall/on``."""
        written = zip(self.path.split("/"), self.path_template.split("/"), strict=True)
        return (Said("", value, template) for value, template in written if value)

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
    recorded = [tuple(recorded_slots(step)) if has_fields(step) else () for step in steps]
    sent = [
        list(sent_by(step, one, body, case)) if tells(step, one.request) else []
        for step, one, body in zip(steps, transactions, recorded, strict=True)
    ]
    rows = _rows(transactions, case.variables)
    asked = _asked(transactions, case.variables)
    nouns = Nouns.of(steps, transactions, sent, case.variables)
    bodies = Counter(
        line
        for step, one in zip(steps, transactions, strict=True)
        if step.changes_state
        for line in dict.fromkeys(_lines(one.request.body))
    )
    for step, one, each, body in zip(steps, transactions, sent, recorded, strict=True):
        if step.exchange is not None and is_change(step) and 200 <= step.exchange.status < 400:
            fields = any(slot.part == "body" for slot, _ in each)
            part = "body" if step.exchange.request_body else "target"
            fielded = _said(each, part, case.variables)
            said = dict.fromkeys((*fielded, *_booleans(step.exchange)))
            given = (
                *((each, step.index) for each in one.extractors),
                *_shown_by(said, steps, transactions, step.index),
            )
            asking = (sent[asked[template]] for _, template in each if template in asked)
            if not fields and json_of(step.exchange.request_body) is None:
                lines = _lines(one.request.body)
                own = [line for line in lines if bodies[line] == 1]
                said = dict.fromkeys(Said("", line, line) for line in own or lines) or said
            yield Change(
                step, tuple(said), nouns.resources(step, chain(each, *asking), given), _last(each),
                logs_in=sum(is_password(slot.name) for slot in body) == 1,
                emptied=frozenset(_emptied(step.exchange)), has_fields=fields,
                taken={slot.value: one for slot, one in each if REFERENCE.fullmatch(one)},
                rows=tuple(rows[template] for _, template in each if template in rows),
                called=dict(names_of_fields(step, one.request, body)),
            )  # fmt: skip


def _rows(
    transactions: Iterable[Transaction], variables: Mapping[str, Variable]
) -> dict[str, Said]:
    """Return what each row of a page or object of a list is called, by the placeholder of what is
    taken from there."""
    found: dict[str, Said] = {}
    for transaction in transactions:
        for one in transaction.extractors:
            row = _row_of(one.source)
            if row:
                only = REFERENCE.fullmatch(row)
                variable = variables.get(only[1]) if only else None
                named = variable.recorded or "" if variable is not None else row
                if named and "${" not in named:
                    drawn = _is_drawn(variable, variables)
                    found[f"${{{one.variable}}}"] = Said("", named, row, drawn)
    return found


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
    """Return what the row or object is called that a source takes a value from; empty if it says
    none."""
    if isinstance(source, InItem):
        return source.text
    if isinstance(source, Decoded):
        return _row_of(source.outer)
    if isinstance(source, JsonPath | XmlPath):
        called = _CALLED.search(source.path)
        return "" if called is None else called[1]
    return source.label if isinstance(source, Link | Choice) else ""


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
    texts = {one.template for one in said if one.is_text}
    for at in range(index + 1, len(steps) if texts else 0):
        if is_change(steps[at]):
            return
        for one in transactions[at].extractors:
            if texts & goes_by(one.source):
                yield one, at


def goes_by(source: Source) -> set[str]:
    """Return the texts by which a source finds the row or object that it takes its value from: all
    of a template, and what a path has in quotes."""
    found = source_templates(source)
    return {*found, *(text for path in found for text in _IN_QUOTES.findall(path))}


def _said(sent: Iterable[Sent], part: str, variables: Mapping[str, Variable]) -> Iterator[Said]:
    """Yield the texts and numbers that are the user's own, in the body or, where there is none, in
    the query: what a response gave out proves nothing, and neither does the moment of the request,
    in whose place a server may put its own."""
    for slot, template in sent:
        name = REFERENCE.fullmatch(template)
        known = variables.get(name[1]) if name is not None else None
        now = known is not None and isinstance(known.generate, Timestamp)
        own = not now and not is_extracted(known)
        text = any(map(str.isalpha, slot.value)) or _NUMBER.fullmatch(slot.value)
        field = slot.part == part and slot.root is not Place.PATH and slot.before != IN_NAME
        if own and text and field and not is_typed_secret(slot.name):
            variable = variables.get(name[1]) if name is not None else None
            yield Said(slot.name, slot.value, template, _is_drawn(variable, variables))
            yield from _quoted(slot, template)


def _quoted(slot: Slot, template: str) -> Iterator[Said]:
    """Yield what a longer text, such as SQL, has in quotes; and then its numbers, too."""
    for pattern in (_QUOTED, _COUNTED) if "'" in slot.value else ():
        texts = (pattern.findall(one)[:_MOST_QUOTED] for one in (slot.value, template))
        yield from (Said("", one, written) for one, written in zip(*texts, strict=False))


def _last(sent: Iterable[Sent]) -> Said | None:
    path = [one for one in sent if one[0].place is Place.PATH and not one[0].depth]
    return Said("", path[-1][0].value, path[-1][1]) if path else None


def _is_drawn(variable: Variable | None, variables: Mapping[str, Variable]) -> bool:
    if variable is None or variable.generate is not None:
        return variable is not None
    parts = REFERENCE.findall(variable.template or "")
    return any(_is_drawn(variables.get(one), variables) for one in parts)


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
    document = json_of(exchange.request_body)
    for _, one in walk(document):
        yield from (key for key, value in one.items() if value in EMPTY)
    if document is None and media_type(exchange.request_header("content-type")) == FORM:
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
