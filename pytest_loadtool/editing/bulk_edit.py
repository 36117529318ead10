"""Writing into the fields of a test case: constants, variables, columns of datasets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.places import encode
from pytest_loadtool.codec.template import Reference, Template, escape
from pytest_loadtool.correlation.requests.edits import edited
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field
from pytest_loadtool.correlation.requests.parts import part_text, with_part
from pytest_loadtool.correlation.requests.plain_request import Plain, whole_request
from pytest_loadtool.correlation.requests.slots import Masked, Part, Slot
from pytest_loadtool.correlation.writing.reanchor import addresses_followed, followed
from pytest_loadtool.correlation.writing.revert import names_in_use
from pytest_loadtool.correlation.writing.rewrite import Made
from pytest_loadtool.model.case import Header, Request, TestCase, Transaction
from pytest_loadtool.model.editing import retitled, with_transactions

#: By the index of a transaction: its fields, and what comes in their place.
_Names = Mapping[int, Sequence[tuple[Field, str]]]
#: The variable in whose place a new value goes.
_HERE = "loadtool-field"


def with_constant(case: TestCase, index: int, field: Field, value: str) -> TestCase:
    """Return ``case`` with a constant in that field, encoded for its place; extractors that went by
    what the field has sent go by the constant, here and in what follows.

    Raises:
        ValueError: the virtual user's state sends the field.
    """
    return with_constants(case, {index: [field]}, value)


def with_constants(case: TestCase, fields: Mapping[int, Sequence[Field]], value: str) -> TestCase:
    """Return ``case`` with a constant in several fields, by the index of their transaction.

    Raises:
        ValueError: as `with_constant`.
    """
    constants: dict[str, str] = {}
    names: dict[int, list[tuple[Field, str]]] = {}
    for index, mine in fields.items():
        for field in mine:
            slot = _slot(field)
            name = "-".join((_HERE, slot.root.name, *slot.filters))
            constant = escape(encode(slot.root, filtered(value, slot.filters)))
            constants[str(Reference(name, slot.filters))] = constant
            names.setdefault(index, []).append((field, name))

    def said(text: str) -> str:
        for here, constant in constants.items():
            text = text.replace(here, constant)
        return text

    filled = _with_new_addresses(case, _filled(case, names, said))
    return retitled(_followed(filled, names, lambda _: escape(value)), case)


def with_reference(case: TestCase, index: int, field: Field, name: str) -> TestCase:
    """Return ``case`` with the value of a variable, or of a dataset's column, in that field.

    Raises:
        ValueError: as `with_constant`, or no placeholder can have that name.
    """
    Template.parse(str(Reference(name)))
    return with_references(case, {index: [(field, name)]})


def with_references(case: TestCase, names: _Names) -> TestCase:
    """Return ``case`` with references in several fields, by the index of their transaction. What is
    within base64 makes a variable of the text around it.

    Raises:
        ValueError: as `with_constant`.
    """
    filled = _with_new_addresses(case, _filled(case, names))
    return retitled(_followed(filled, names, lambda name: str(Reference(name))), case)


def _followed(case: TestCase, names: _Names, written: Callable[[str], str]) -> TestCase:
    """Return the test case whose extractors go by what ``written`` makes of a name, where they went
    by what its field has sent; from the first transaction on that has sent it."""
    seen: set[tuple[str, str]] = set()
    for index in sorted(names):
        for field, name in names[index]:
            old, new = _template(field), written(name)
            if old and (old, new) not in seen:
                seen.add((old, new))
                case = followed(case, index, old, new)
    return case


def _with_new_addresses(before: TestCase, after: TestCase) -> TestCase:
    """Return the test case whose extractors and outcomes go by the new paths of its requests, where
    none of them sends the path of ``before`` any more."""
    made = after
    for index, (old, new) in enumerate(
        zip(before.transactions(), after.transactions(), strict=True)
    ):
        was, now = (one.request.target.partition("?")[0].split("/") for one in (old, new))
        if was == now or was[0] or len(was) != len(now):
            continue
        for end in range(len(was), 0, -1):  # the longest first: it has the shorter ones in it
            path = "/".join(was[:end])
            if was[end - 1] != now[end - 1] and not _sends(after, path):
                made = addresses_followed(made, index, path, "/".join(now[:end]))
    return made


def _sends(case: TestCase, path: str) -> bool:
    """Return whether a request goes to the path, or below it."""
    below = (f"{path}/", f"{path}?")
    targets = (one.request.target for one in case.transactions())
    return any(target == path or target.startswith(below) for target in targets)


def _template(field: Field) -> str:
    """Return what the field sends, by which extractors may go."""
    return escape(field.value) if field.datasource == CONSTANT else field.value


def _as_it_is(text: str) -> str:
    return text


def _filled(case: TestCase, names: _Names, said: Callable[[str], str] = _as_it_is) -> TestCase:
    """Return the test case with those names filled in; ``said`` puts in what `_HERE` stands for."""
    made = Made(names_in_use(case), "person")
    filled = with_transactions(
        case,
        (
            _referring(case, one, names.get(index, ()), made, said)
            for index, one in enumerate(case.transactions())
        ),
    )
    new = {
        one.name: replace(one, template=said(one.template or "")) for one in made.variables.values()
    }
    return replace(filled, variables=MappingProxyType({**case.variables, **new}))


def _referring(
    case: TestCase,
    transaction: Transaction,
    names: Sequence[tuple[Field, str]],
    made: Made,
    said: Callable[[str], str],
) -> Transaction:
    request = transaction.request
    uses: dict[Part, list[tuple[Slot, str]]] = {}
    for field, name in names:
        slot = _slot(field)
        uses.setdefault(slot.part, []).append((slot, name))
    for part, found in uses.items():
        whole = whole_request(case, request)
        plain = Plain.of(whole)
        masked = Masked.of(part_text(plain.request, part))
        assert masked is not None, "slots come from masked text"
        text = said(plain.original(edited(masked, found, made.name)))
        if isinstance(part, int) and part >= 0:
            request = _with_header(request, whole, part, text)
        else:
            request = with_part(request, part, text)
    return replace(transaction, request=request)


def _slot(field: Field) -> Slot:
    if field.slot is None:
        raise ValueError(f"{field.name} is no text of the test case: {field.sent_by} sends it")
    return field.slot


def _with_header(request: Request, whole: Request, position: int, value: str) -> Request:
    """Return the request with its own header in place of the one at ``position`` of all it
    sends."""
    name = whole.headers[position].name
    before = [one for one in whole.headers[:position] if one.name.lower() == name.lower()]
    own = [at for at, one in enumerate(request.headers) if one.name.lower() == name.lower()]
    headers = list(request.headers)
    if len(before) < len(own):
        headers[own[len(before)]] = Header(name, value)
    else:
        headers.append(Header(name, value))
    return replace(request, headers=tuple(headers))
