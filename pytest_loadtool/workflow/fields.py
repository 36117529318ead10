"""The Fields View: the fields of transactions, who wrote them, and who sends the same value."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, starmap
from types import MappingProxyType

from pytest_loadtool.codec.cookie import sent_cookies
from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.correlation.requests.fields import (
    CONSTANT,
    COOKIE,
    EXTRACTOR,
    Field,
    every_field,
    every_value,
    fields_at,
    fields_of,
)
from pytest_loadtool.correlation.writing.revert import names_in_use
from pytest_loadtool.editing.bulk_edit import with_constants, with_references
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.recording import Uploads
from pytest_loadtool.recording.request.template import draft
from pytest_loadtool.workflow.accounts import identity_fields
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.errors import CaseError
from pytest_loadtool.workflow.marks import Marking

#: The sections in the order in which they are shown.
SECTIONS = ("PATH", "QUERY", "HEADERS", "POST content")
#: A shorter constant is in many places by chance, and so are words and small numbers: fields that
#: have it have to be of one name. Words in paths are places, and no values.
_TELLING, _TELLING_NUMBER = 4, 5


@dataclass(frozen=True, slots=True)
class ShownField:
    """A field of the transaction at ``index``.

    ``edited``: a person has given it its value. ``senders`` are the indexes of all transactions
    that have the same value in a field, its own among them; empty if it is the only one.
    """

    index: int
    field: Field
    edited: bool = False
    senders: Sequence[int] = ()

    @property
    def number(self) -> int:
        """Return the number of the transaction."""
        return self.index + 1

    @property
    def others(self) -> int:
        """Return how many other transactions have the value."""
        return max(len(self.senders) - 1, 0)

    def also(self, most: int | None = None) -> tuple[int, ...]:
        """Return the numbers of other transactions that have the value, or of the first of them."""
        return tuple(islice((at + 1 for at in self.senders if at != self.index), most))


#: By what fields have in common: the transactions that have it.
Senders = Mapping[tuple[str, str], Sequence[int]]


def shown_fields(
    document: Document,
    indexes: Collection[int],
    wanted: str = "",
    *,
    senders: Senders | None = None,
) -> tuple[ShownField, ...]:
    """Return the fields of these transactions, by section and in their order; of each cookie of
    the virtual user's jar, the first that has its value.

    ``wanted`` is a regular expression, without regard to case: only fields stay whose name,
    datasource or value has it. ``senders`` are those of the test case, if they are known already.

    Raises:
        ValueError: it is no regular expression.
    """
    try:
        is_wanted = re.compile(wanted, re.IGNORECASE).search
    except re.error as error:
        raise ValueError(f"{wanted!r} is no regular expression: {error}") from None
    senders = senders_in(document.case) if senders is None else senders
    marking = Marking.of(document)
    transactions = list(document.case.transactions())
    found = []
    wanted_at = sorted(indexes)
    exchanges = (document.evidence_of(transactions[index]) for index in wanted_at)
    each = fields_at(document.case, wanted_at, exchanges, empty=True)
    for index, fields in zip(wanted_at, each, strict=True):
        one = transactions[index]
        before = _recorded_values(document, one) if "w" in marking.letters(one) else None
        for field in (*fields, *identity_fields(document, one)):
            if any(map(is_wanted, (field.name, field.datasource, field.value))):
                sent_by = senders.get(_key_of(field), ())
                edited = _is_edited(document.case, field, before)
                found.append(ShownField(index, field, edited, _with(index, sent_by)))
    return tuple(sorted(_folded(found), key=lambda one: SECTIONS.index(one.field.section)))


def same_value(case: TestCase, field: Field) -> Iterator[tuple[int, Field]]:
    """Yield the fields that have the value of ``field``, itself too, each with the index of its
    transaction."""
    key = _key_of(field)
    for index, fields in enumerate(every_field(case)):
        yield from ((index, one) for one in fields if _key_of(one) == key)


def with_value(
    case: TestCase, fields: Iterable[tuple[int, Field]], *, constant: str | None, name: str
) -> TestCase:
    """Return ``case`` with a constant, or with the value of a variable or column called ``name``,
    in each of these fields.

    Raises:
        ValueError: as `with_constants`, or no placeholder can have that name.
    """
    found: dict[int, list[Field]] = {}
    for index, one in fields:
        found.setdefault(index, []).append(one)
    if constant is not None:
        return with_constants(case, found, constant)
    Template.parse(str(Reference(name)))
    return with_references(case, {at: [(one, name) for one in each] for at, each in found.items()})


def with_recorded(document: Document, index: int, field: Field) -> TestCase:
    """Return the test case whose transaction sends in that field what was recorded.

    Raises:
        CaseError: nothing was recorded for it, or it is not the request that sends it.
    """
    one = list(document.case.transactions())[index]
    recorded = _recorded_values(document, one).get(field.name)
    if recorded is None:
        raise CaseError(
            f"nothing was recorded for {field.name}: `restore {index + 1}` brings all of the "
            "request back"
        )
    try:
        return with_value(document.case, [(index, field)], constant=recorded, name="")
    except ValueError as error:
        raise CaseError(str(error)) from None


def with_variable(case: TestCase, name: str, field: Field) -> TestCase:
    """Return ``case`` with a user variable of that name; a new one has what the field sends now."""
    if name in names_in_use(case):
        return case
    made = (
        Variable(name, value=field.value)
        if field.datasource == CONSTANT
        else Variable(name, template=field.value)
    )
    return replace(case, variables=MappingProxyType({**case.variables, name: made}))


def extracted_variable(case: TestCase, wanted: str, index: int) -> str:
    """Return the variable that an extractor sets: ``wanted`` is its number in the test case, ``3``
    or ``Extractor[3]``, or the variable itself. The transaction at ``index`` is to use it.

    Raises:
        CaseError: there is no such extractor, or it has no value by then.
    """
    extractors = [
        (at, one.variable) for at, each in enumerate(case.transactions()) for one in each.extractors
    ]
    number = re.fullmatch(rf"(?:{EXTRACTOR}\[)?(\d+)\]?", wanted)
    if number is not None and 1 <= int(number[1]) <= len(extractors):
        at, name = extractors[int(number[1]) - 1]
    else:
        found = [(at, name) for at, name in extractors if name == wanted]
        if not found:
            known = ", ".join(
                f"{EXTRACTOR}[{position}] {name}"
                for position, (_, name) in enumerate(extractors, 1)
            )
            raise CaseError(f"there is no extractor {wanted!r}: {known or 'none yet'}")
        at, name = found[0]
    if at >= index:
        title = list(case.transactions())[at].title
        raise CaseError(f"{name} is taken from {at + 1} {title}, which does not come before it")
    return name


def left_to_the_user(case: TestCase, index: int, field: Field) -> TestCase:
    """Return ``case`` whose virtual users keep the field themselves (Server authentication header):
    Authorization, or a cookie.

    Raises:
        CaseError: they keep no such field, or it stands where other transactions share it.
    """
    if field.slot is None:
        return case  # it is so already
    transactions = list(case.transactions())
    request = transactions[index].request
    if field.is_cookie:
        name = field.name.partition(" ")[2]
        cookies = tuple(one for one in request.cookies if one.partition("=")[0] != name)
        changed = replace(request, cookies=cookies)
    elif field.wire_name.lower() == "authorization":
        headers = tuple(one for one in request.headers if one.name.lower() != "authorization")
        changed = replace(request, headers=headers)
    else:
        raise CaseError(
            f"virtual users keep Authorization and cookies, and no {field.name}: "
            "a variable, a dataset or an extractor can send it"
        )
    if changed == request:
        raise CaseError(
            f"{field.name} is a header that transactions share: edit `headers` in the file"
        )
    transactions[index] = replace(transactions[index], request=changed)
    return with_transactions(case, transactions)


def _folded(found: Sequence[ShownField]) -> Iterator[ShownField]:
    """Yield the fields, but of the jar's cookies, which nobody edits, each value once: with the
    others that send it."""
    jar: dict[tuple[str, str], list[int]] = defaultdict(list)
    for one in found:
        if one.field.slot is None and one.field.is_cookie:
            jar[one.field.name, one.field.value].append(one.index)
    for one in found:
        mine = jar.get((one.field.name, one.field.value), [])
        if one.field.slot is not None or not mine:
            yield one
        elif mine[0] == one.index:
            yield replace(one, senders=mine)


def senders_in(case: TestCase) -> Senders:
    """Return who sends each value, which takes a while for a large test case."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, values in enumerate(every_value(case)):
        for key in dict.fromkeys(starmap(_key, values)):
            found[key].append(index)
    return found


def _with(index: int, senders: Sequence[int]) -> Sequence[int]:
    """Return those that send a value, with the transaction that surely does: a cookie of the jar is
    in no request."""
    if not senders:
        return ()
    at = bisect_left(senders, index)
    return senders if senders[at : at + 1] == [index] else [*senders[:at], index, *senders[at:]]


def _key_of(field: Field) -> tuple[str, str]:
    return _key(field.wire_name, field.value)


def _key(name: str, value: str) -> tuple[str, str]:
    """Return what fields with the same value have in common."""
    least = _TELLING_NUMBER if value.isdigit() else _TELLING
    telling = len(value) >= least and not value.isalpha()
    return value, "" if telling or "${" in value else name


def _is_edited(case: TestCase, field: Field, recorded: Mapping[str, str] | None) -> bool:
    """Return whether a person has set it; ``recorded`` are the values by name, None if nobody
    has."""
    if recorded is None or field.slot is None:
        return False
    if field.datasource != CONSTANT:
        names = [one.name for one in Template.parse(field.value).references]
        return any(
            Reference(name).dataset is not None
            or (name in case.variables and case.variables[name].set_by == "person")
            for name in names
        )
    return bool(recorded) and recorded.get(field.name) != field.value


def _recorded_values(document: Document, one: Transaction) -> Mapping[str, str]:
    """Return the values of its fields as they were recorded; empty if that is not at hand."""
    exchange = document.evidence_of(one)
    if exchange is None:
        return {}
    case = document.case
    made = draft(exchange, case.server, Uploads(case.name))
    headers = tuple(Header(header.name, header.value) for header in made.headers)
    request = Request(made.method, made.target, headers, made.body, charset=made.charset)
    alone = TestCase(case.name, (Page("", (Transaction(request),)),), case.server)
    values = {field.name: field.value for field in fields_of(alone, 0)}
    # Those that a script has set stand in requests, and are fields of them.
    return {
        f"{COOKIE}{name}": value for name, value in sent_cookies(exchange.request_headers)
    } | values
