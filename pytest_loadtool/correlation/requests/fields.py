"""The fields of a transaction: each value of its request, and where it comes from.

Fields are the slots of the request. A placeholder counts as a value like any other here, so it is
found by the number that stands in for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count

from pytest_loadtool.codec.cookie import sent_cookies
from pytest_loadtool.codec.multipart import parts_of
from pytest_loadtool.codec.names import CREDENTIALS
from pytest_loadtool.codec.template import Reference
from pytest_loadtool.correlation.requests.parts import content_type
from pytest_loadtool.correlation.requests.plain_request import Plain
from pytest_loadtool.correlation.requests.slots import Masked, Slot, request_slots
from pytest_loadtool.model.case import Header, Request, TestCase, Transaction, wire_headers
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.same import Same

#: The datasources of fields. An extractor's has its number: ``Extractor[3]``.
CONSTANT, DATASET, USER_VARIABLE = "Constant value", "Dataset", "User variable"
EXTRACTOR, SERVER_AUTHENTICATION = "Extractor", "Server authentication header"

#: What the names of cookies begin with.
COOKIE = "Cookie "
#: What sends a field that no text of the request has.
_JAR = "the virtual user's cookie jar"
#: Requests of which is remembered what they say: those of a large test case, whose fields an editor
#: shows anew after each change.
_REMEMBERED = 8192
#: By variable: the extractors that set it, each as its transaction and its number in the case.
_Extractors = Mapping[str, Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Field:
    """A value of a request.

    * ``name`` is unique in its transaction: ``password``, ``quantity[2]``, ``path[1]``;
    * ``section`` is where it stands: ``PATH``, ``QUERY``, ``HEADERS`` or ``POST content``;
    * ``value`` is a constant as it is, or text with placeholders;
    * ``datasource`` is one of the five;
    * ``correlated``: application state management set it;
    * ``slot`` is None for what the virtual user's state or a file, ``sent_by``, sends: no text
      changes that.
    """

    name: str
    section: str
    value: str
    datasource: str
    correlated: bool
    slot: Slot | None
    sent_by: str = _JAR

    @property
    def wire_name(self) -> str:
        """Return what the request calls it, whether that is unique or not."""
        return self.slot.name if self.slot is not None else self.name

    @property
    def is_cookie(self) -> bool:
        """Return whether it is a cookie, of a script or of the cookie jar."""
        return self.name.startswith(COOKIE) and (self.slot is None or self.slot.in_cookie)


def fields_of(
    case: TestCase,
    index: int,
    exchange: Exchange | None = None,
    *,
    within: bool = False,
    empty: bool = False,
) -> tuple[Field, ...]:
    """Return the fields of transaction ``index``, in the order they stand; cookies as ``exchange``
    had. ``within`` is as in `every_field`; with ``empty``, those without a value, too."""
    return next(fields_at(case, [index], [exchange], within=within, empty=empty))


def fields_at(
    case: TestCase,
    indexes: Iterable[int],
    exchanges: Iterable[Exchange | None],
    *,
    within: bool = False,
    empty: bool = False,
) -> Iterator[tuple[Field, ...]]:
    """Yield `fields_of` each of these transactions, which had these exchanges."""
    extractors, transactions = _extractors(case), list(case.transactions())
    for index, exchange in zip(indexes, exchanges, strict=True):
        one = transactions[index]
        found = _fields(case, index, one, extractors, within=within, empty=empty)
        yield (*found, *_cookies(case, one, exchange))


def every_field(case: TestCase, *, within: bool = False) -> Iterator[tuple[Field, ...]]:
    """Yield the fields of each transaction, cookies aside; with what is ``within`` them, as if that
    were fields, too: right behind the one that it is in."""
    extractors = _extractors(case)
    for index, transaction in enumerate(case.transactions()):
        yield _fields(case, index, transaction, extractors, within=within)


def every_value(case: TestCase) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield what the fields of each transaction, cookies aside, are called in its request, and
    their values."""
    for transaction in case.transactions():
        written = _written(case, transaction, within=False)
        yield tuple((one.wire_name, one.value) for one in written if one.value)


def _fields(
    case: TestCase,
    index: int,
    transaction: Transaction,
    extractors: _Extractors,
    *,
    within: bool = False,
    empty: bool = False,
) -> tuple[Field, ...]:
    return tuple(
        Field(
            name=one.name,
            section=one.section,
            value=one.value,
            datasource=_datasource(case, index, one, extractors),
            correlated=any(_by_asm(case, used) for used in one.references),
            slot=one.slot and (replace(one.slot, transaction=index) if index else one.slot),
            sent_by=f"the file {one.file}" if one.file else _JAR,
        )
        for one in _written(case, transaction, within=within)
        if one.value or empty
    )


@dataclass(frozen=True, slots=True)
class _Written:
    """A field as the text of its request has it, whatever the test case knows of its
    placeholders. ``slot`` is that of a transaction 0."""

    name: str
    section: str
    value: str
    references: tuple[Reference, ...] = ()
    slot: Slot | None = None
    file: str = ""

    @property
    def wire_name(self) -> str:
        """Return what the request calls it, whether that is unique or not."""
        return self.slot.name if self.slot is not None else self.name


def _written(case: TestCase, transaction: Transaction, *, within: bool) -> tuple[_Written, ...]:
    request = transaction.request
    shared = case.header_sets[request.header_set] if request.header_set else case.headers
    return _read(Same(request), Same(shared), within=within)


@lru_cache(maxsize=_REMEMBERED)
def _read(
    request: Same[Request], shared: Same[tuple[Header, ...]], *, within: bool
) -> tuple[_Written, ...]:
    """Return the fields of a request, with the headers that it shares with others."""
    headers = wire_headers(shared.it, request.it.headers)
    plain = Plain.of(replace(request.it, headers=headers))
    seen: Counter[str] = Counter()
    found = []
    path_ends = _path_end(plain.request.target)
    for slot in request_slots(plain.request, content_type(plain.request.headers), 0, empty=True):
        if slot.depth and not within:
            continue  # a value within a field is a part of that field
        references = tuple(plain.references(slot.raw))
        if any(one.file is not None for one in references):
            continue
        # A parameter within a segment (";s=…") has a name; the segment has a path before it.
        name = plain.original(slot.name)
        base = "path" if slot.place is Place.PATH and slot.before else name or "value"
        base = f"{COOKIE}{base}" if slot.in_cookie else base
        seen[base] += 1
        number = f"[{seen[base]}]" if seen[base] > 1 or base == "path" else ""
        found.append(
            _Written(
                base + number,
                _section(slot, path_ends),
                plain.original(slot.value),
                references,
                slot,
            )
        )
    return (*found, *_files(plain, seen))


def _files(plain: Plain, seen: Counter[str]) -> Iterator[_Written]:
    """Yield the files of a multipart body, each with the name of its field."""
    body = plain.request.body
    masked = Masked.of(body) if isinstance(body, str) else None
    if masked is None:
        return
    for part in parts_of(masked.text, content_type(plain.request.headers)):
        text = masked.text[part.start : part.end]
        for file in (one.file for one in plain.references(text) if one.file is not None):
            base = part.field or "value"
            seen[base] += 1
            name = base + (f"[{seen[base]}]" if seen[base] > 1 else "")
            yield _Written(name, "POST content", plain.original(text), file=file)


def _path_end(target: str) -> int:
    """Return where the query begins in the text that slots count in."""
    masked = Masked.of(target)
    mark = masked.text.find("?") if masked is not None else -1
    return mark if mark >= 0 else len(target)


def _section(slot: Slot, path_ends: int) -> str:
    if isinstance(slot.part, int):
        return "HEADERS"
    if slot.part == "body":
        return "POST content"
    start = slot.capsules[0].start if slot.capsules else slot.start
    return "QUERY" if start > path_ends else "PATH"


def _by_asm(case: TestCase, reference: Reference) -> bool:
    variable = case.variables.get(reference.name)
    return variable is not None and variable.set_by == "asm"


def _datasource(case: TestCase, index: int, one: _Written, extractors: _Extractors) -> str:
    in_header = one.slot is not None and isinstance(one.slot.part, int)
    authentication = in_header and one.wire_name.lower() in CREDENTIALS
    if authentication and any(_by_asm(case, used) for used in one.references):
        return SERVER_AUTHENTICATION
    names = dict.fromkeys(_source(index, used, extractors) for used in one.references)
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
    """Yield the cookies that the virtual user's jar sends where the recording had a Cookie header,
    but for those that are set for this very request: they are fields of their own."""
    places = (one for one in case.wire_headers(transaction.request) if one.name.lower() == "cookie")
    if not any(one.value is None for one in places):
        return
    own = {one.partition("=")[0] for one in transaction.request.cookies}
    for name, value in sent_cookies(exchange.request_headers if exchange is not None else ()):
        if name not in own:
            yield Field(
                f"{COOKIE}{name}", "HEADERS", value, SERVER_AUTHENTICATION, case.configured, None
            )
