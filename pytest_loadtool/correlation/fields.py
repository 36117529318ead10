"""The fields of a transaction: each value of its request, and where it comes from.

Fields are the slots of the request. A placeholder counts as a value like any other here, so it is
found by the number that stands in for it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice

from pytest_loadtool.correlation.parts import part_text, text_parts, with_part
from pytest_loadtool.correlation.slots import Masked, Slot, request_slots
from pytest_loadtool.model.case import Header, Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.place import Place, encode
from pytest_loadtool.model.template import BUILTIN_NAMES, Reference, Template, escape

__all__ = [
    "CONSTANT",
    "DATASET",
    "EXTRACTOR",
    "SERVER_AUTHENTICATION",
    "USER_VARIABLE",
    "Field",
    "every_field",
    "fields_of",
    "with_constant",
    "with_reference",
    "with_references",
]

#: The datasources of fields. An extractor's has its number: ``Extractor[3]``.
CONSTANT, DATASET, USER_VARIABLE = "Constant value", "Dataset", "User variable"
EXTRACTOR, SERVER_AUTHENTICATION = "Extractor", "Server authentication header"

_AUTHENTICATION = frozenset({"authorization", "proxy-authorization"})
#: By variable: the extractors that set it, each as its transaction and its number in the case.
_Extractors = Mapping[str, Sequence[tuple[int, int]]]
#: The variable in whose place a new value goes.
_HERE = "loadtool-field"


@dataclass(frozen=True, slots=True)
class Field:
    """A value of a request.

    * ``name`` is unique in its transaction: ``password``, ``quantity[2]``, ``path[1]``;
    * ``section`` is where it stands: ``PATH``, ``QUERY``, ``HEADERS`` or ``POST content``;
    * ``value`` is a constant as it is, or text with placeholders;
    * ``datasource`` is one of the five;
    * ``correlated``: application state management set it;
    * ``slot`` is None for what the virtual user's state, ``sent_by``, sends: no text changes that.
    """

    name: str
    section: str
    value: str
    datasource: str
    correlated: bool
    slot: Slot | None
    sent_by: str = "the virtual user's cookie jar"


def fields_of(case: TestCase, index: int, exchange: Exchange | None = None) -> tuple[Field, ...]:
    """The fields of transaction ``index``, in the order they stand; cookies as ``exchange`` had."""
    transaction = next(islice(case.transactions(), index, None))
    found = _fields(case, index, transaction, _extractors(case))
    return (*found, *_cookies(case, transaction, exchange))


def every_field(case: TestCase) -> Iterator[tuple[Field, ...]]:
    """The fields of each transaction, cookies aside."""
    extractors = _extractors(case)
    for index, transaction in enumerate(case.transactions()):
        yield _fields(case, index, transaction, extractors)


def with_references(case: TestCase, names: Mapping[int, Sequence[tuple[Field, str]]]) -> TestCase:
    """``case`` with references in several fields, by the index of their transaction."""
    upcoming = count()
    pages = tuple(
        replace(
            page,
            transactions=tuple(
                _referring(case, one, names.get(next(upcoming), ())) for one in page.transactions
            ),
        )
        for page in case.pages
    )
    return replace(case, pages=pages)


def _referring(
    case: TestCase, transaction: Transaction, names: Sequence[tuple[Field, str]]
) -> Transaction:
    request = transaction.request
    slots = [(_slot(field), name) for field, name in names]
    # From the last to the first: positions before a change stay.
    for slot, name in sorted(slots, key=lambda one: one[0].start, reverse=True):
        request = _edited(case, request, slot, str(Reference(name)))
    return replace(transaction, request=request)


def _fields(
    case: TestCase, index: int, transaction: Transaction, extractors: _Extractors
) -> tuple[Field, ...]:
    plain = _Plain.of(_whole(case, transaction.request))
    seen: Counter[str] = Counter()
    found = []
    for slot in request_slots(plain.request, _content_type(plain.request), index):
        if slot.depth:
            continue  # a value within a field is a part of that field
        # A parameter within a segment (";s=…") has a name; the segment has a path before it.
        base = "path" if slot.place is Place.PATH and slot.before else slot.name or "value"
        seen[base] += 1
        number = f"[{seen[base]}]" if seen[base] > 1 or base == "path" else ""
        references = plain.references(slot.raw)
        found.append(
            Field(
                name=base + number,
                section=_section(slot),
                value=plain.original(slot.value),
                datasource=_datasource(case, index, slot, references, extractors),
                correlated=any(_by_asm(case, one) for one in references),
                slot=slot,
            )
        )
    return tuple(found)


def with_constant(case: TestCase, index: int, field: Field, value: str) -> TestCase:
    """``case`` with a constant in that field, encoded for its place.

    Raises:
        ValueError: the virtual user's state sends the field.
    """
    slot = _slot(field)
    return _with(case, index, slot, escape(encode(slot.place, value)))


def with_reference(case: TestCase, index: int, field: Field, name: str) -> TestCase:
    """``case`` with the value of a variable, or of a dataset's column, in that field.

    Raises:
        ValueError: as `with_constant`, or no placeholder can have that name.
    """
    text = str(Reference(name))
    Template.parse(text)
    return _with(case, index, _slot(field), text)


def _slot(field: Field) -> Slot:
    if field.slot is None:
        raise ValueError(f"{field.name} is no text of the test case: {field.sent_by} sends it")
    return field.slot


@dataclass(frozen=True, slots=True)
class _Plain:
    """A request in which a number stands in for each placeholder but those of the server."""

    request: Request
    stand_ins: dict[str, Reference]

    @staticmethod
    def of(request: Request) -> _Plain:
        texts = dict(text_parts(request))
        everything = " ".join(texts.values())
        prefix = next(str(number) for number in count(700_700) if str(number) not in everything)
        stand_ins: dict[str, Reference] = {}
        for part, text in texts.items():
            plain = ""
            for piece in Template.parse(text).parts:
                if isinstance(piece, str):
                    plain += escape(piece)
                elif piece.name in BUILTIN_NAMES:
                    plain += str(piece)
                else:
                    number = f"{prefix}{len(stand_ins):04}"
                    stand_ins[number] = piece
                    plain += number
            request = with_part(request, part, plain)
        return _Plain(request, stand_ins)

    def references(self, text: str) -> list[Reference]:
        """The references that a text stands for."""
        return [one for number, one in self.stand_ins.items() if number in text]

    def original(self, text: str) -> str:
        """``text`` with the placeholders themselves."""
        if not self.stand_ins:
            return text
        pattern = "|".join(self.stand_ins)
        return re.sub(pattern, lambda match: str(self.stand_ins[match[0]]), text)


def _whole(case: TestCase, request: Request) -> Request:
    """The request with all headers that it sends, shared ones too."""
    return replace(request, headers=case.wire_headers(request))


def _with(case: TestCase, index: int, slot: Slot, replacement: str) -> TestCase:
    """``case`` with template text in place of the slot."""
    upcoming = count()
    pages = tuple(
        replace(
            page,
            transactions=tuple(
                replace(one, request=_edited(case, one.request, slot, replacement))
                if next(upcoming) == index
                else one
                for one in page.transactions
            ),
        )
        for page in case.pages
    )
    return replace(case, pages=pages)


def _edited(case: TestCase, request: Request, slot: Slot, replacement: str) -> Request:
    whole = _whole(case, request)
    plain = _Plain.of(whole)
    masked = Masked.of(part_text(plain.request, slot.part))
    assert masked is not None, "slots come from masked text"
    text = masked.replaced([(slot.start, slot.end, _HERE)])
    text = plain.original(text).replace(str(Reference(_HERE)), replacement)
    if not isinstance(slot.part, int):
        return with_part(request, slot.part, text)
    return _with_header(request, whole, slot.part, text)


def _with_header(request: Request, whole: Request, position: int, value: str) -> Request:
    """The request with its own header in place of the one at ``position`` of all it sends."""
    name = whole.headers[position].name
    before = [one for one in whole.headers[:position] if one.name.lower() == name.lower()]
    own = [at for at, one in enumerate(request.headers) if one.name.lower() == name.lower()]
    headers = list(request.headers)
    if len(before) < len(own):
        headers[own[len(before)]] = Header(name, value)
    else:
        headers.append(Header(name, value))
    return replace(request, headers=tuple(headers))


def _section(slot: Slot) -> str:
    if isinstance(slot.part, int):
        return "HEADERS"
    if slot.part == "body":
        return "POST content"
    return "QUERY" if slot.place is Place.QUERY else "PATH"


def _content_type(request: Request) -> str:
    types = (one.value for one in request.headers if one.name.lower() == "content-type")
    return next(types, None) or ""


def _by_asm(case: TestCase, reference: Reference) -> bool:
    variable = case.variables.get(reference.name)
    return variable is not None and variable.set_by == "asm"


def _datasource(
    case: TestCase,
    index: int,
    slot: Slot,
    references: list[Reference],
    extractors: _Extractors,
) -> str:
    authentication = isinstance(slot.part, int) and slot.name.lower() in _AUTHENTICATION
    if authentication and any(_by_asm(case, one) for one in references):
        return SERVER_AUTHENTICATION
    names = dict.fromkeys(_source(index, one, extractors) for one in references)
    return ", ".join(names) or CONSTANT


def _source(index: int, reference: Reference, extractors: _Extractors) -> str:
    if reference.dataset is not None:
        return DATASET
    numbers = extractors.get(reference.name)
    if not numbers:
        return USER_VARIABLE
    last = bisect_left(numbers, index, key=lambda one: one[0]) - 1
    return f"{EXTRACTOR}[{numbers[max(last, 0)][1]}]"


def _extractors(case: TestCase) -> _Extractors:
    numbers = count(1)
    found: dict[str, list[tuple[int, int]]] = {}
    for at, transaction in enumerate(case.transactions()):
        for extractor in transaction.extractors:
            found.setdefault(extractor.variable, []).append((at, next(numbers)))
    return found


def _cookies(
    case: TestCase, transaction: Transaction, exchange: Exchange | None
) -> Iterator[Field]:
    """The cookies that the virtual user's jar sends where the recording had a Cookie header."""
    places = (one for one in case.wire_headers(transaction.request) if one.name.lower() == "cookie")
    if not any(one.value is None for one in places):
        return
    sent = (exchange.request_header("cookie") if exchange is not None else None) or ""
    for pair in sent.split(";"):
        name, equals, value = pair.strip().partition("=")
        if equals:
            yield Field(
                f"Cookie {name}", "HEADERS", value, SERVER_AUTHENTICATION, case.configured, None
            )
