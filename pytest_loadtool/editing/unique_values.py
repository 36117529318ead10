"""Uniqueness: a text that a person typed, made one of each virtual user's own.

Nothing in a recording tells that a server takes a name only once: whoever recorded knows, or the
second virtual user finds out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from urllib.parse import quote

from pytest_loadtool.codec.places import encode
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.requests.parts import (
    FILTERS_OF,
    content_type,
    part_text,
    reverted,
    text_parts,
    with_part,
)
from pytest_loadtool.correlation.requests.slots import (
    Masked,
    Part,
    Slot,
    key_slots,
    request_slots,
    target_slots,
)
from pytest_loadtool.correlation.sources.variables import field_name
from pytest_loadtool.correlation.writing.reanchor import followed_words, is_own, word
from pytest_loadtool.correlation.writing.revert import names_in_use
from pytest_loadtool.model.case import TestCase, Transaction, Variable
from pytest_loadtool.model.editing import retitled, with_transactions
from pytest_loadtool.model.generator import RandomText
from pytest_loadtool.model.place import Place

#: The part that differs: 36 bits. What has no capitals gets none: the names of addresses may not.
_END, _SMALL_END = RandomText(6, "alphanumeric"), RandomText(7, "base36")
#: Where that part goes: behind the first words, so that ``a.txt`` and ``a@b.org`` keep their ends.
_STEM = re.compile(r"[\w\s-]*")
#: Up to the path of an address, which leads to a server that is there.
_ORIGIN = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//[^/?#\s]+|www\.[^/?#\s]+", re.IGNORECASE)
#: What clients may leave in a query as it is, and what we encode there.
_QUERIES, _PLAIN = frozenset({Place.QUERY, Place.FORM}), "/:@!$'()*,;?~"
#: The last segment of a path with something in it.
_SEGMENT = re.compile(r"([^/?#]+)/*(?=[?#]|\Z)")


@dataclass(frozen=True, slots=True)
class Unique:
    """The changed case, the variable that stands for the text, and the transactions that use it
    (0-based)."""

    case: TestCase
    variable: str
    transactions: tuple[int, ...]


def make_unique(case: TestCase, text: str) -> Unique | None:
    """Put a variable in place of ``text`` in every request: the text, and random characters.

    They are new for each iteration of a user. Of a number all digits are. The text counts where it
    is a value or a whole word of one, also as addresses spell it, with ``_`` for its spaces or as a
    slug. Extractors that find something by it follow. None: no request has it.
    """
    before = case
    users: set[int] = set()
    own: dict[str, Variable] = {}
    variable = random = ""
    for spelling in _spellings(text):
        slots = [
            [one for one in _outermost(_slots(case, transaction)) if _spans(one, spelling)]
            for transaction in case.transactions()
        ]
        found = [slot for each in slots for slot in each]
        if not found:
            continue
        whole = next((slot for slot in found if slot.value == spelling), found[0])
        name, end = _names(whole.name, names_in_use(case) | own.keys())
        variable, random = variable or name, random or end
        own |= {one.name: one for one in _variables(spelling, name, random)}
        users.update(index for index, each in enumerate(slots) if each)
        edited = (
            followed_words(_edited(transaction, each, spelling, name), spelling, name)
            for transaction, each in zip(case.transactions(), slots, strict=True)
        )
        case = with_transactions(case, edited)
    if not own:
        return None
    case = replace(case, variables=MappingProxyType({**case.variables, **own}))
    return Unique(retitled(case, before), variable, tuple(sorted(users)))


def _spellings(text: str) -> Iterable[str]:
    """Return the text, and what addresses make of it: that of a wiki, and the slug that a script
    makes of a title of several words, to whose end the part that differs goes, too."""
    slug = re.sub(r"[\s_-]+", "-", text.strip().lower())
    several = "-" in slug and _STEM.fullmatch(text)
    return dict.fromkeys((text, text.replace(" ", "_"), *((slug,) if several else ())))


def owned_parts(case: TestCase, text: str) -> tuple[Variable, ...]:
    """Return what stands for ``text``, or for parts of it, in requests that were made each virtual
    user's own before. Empty: there is no such request."""
    own = {name: one.recorded or "" for name, one in case.variables.items() if is_own(one)}
    as_typed = with_transactions(case, (_as_typed(case, one, own) for one in case.transactions()))
    if make_unique(as_typed, text) is None:
        return ()
    return tuple(case.variables[name] for name, was in own.items() if was in text or text in was)


def _as_typed(case: TestCase, transaction: Transaction, values: Mapping[str, str]) -> Transaction:
    request = transaction.request
    media = content_type(case.wire_headers(request))
    for part, text in text_parts(request):
        request = with_part(request, part, reverted(text, part, media, values))
    return replace(transaction, request=request)


def _slots(case: TestCase, transaction: Transaction) -> Iterator[Slot]:
    request = transaction.request
    media = content_type(case.wire_headers(request))
    yield from request_slots(request, media, 0)
    yield from key_slots(request, media)
    for position, header in enumerate(request.headers):
        masked = Masked.of(header.value or "")
        if header.name.lower() == "referer" and masked is not None:
            yield from (_in_header(one, position) for one in target_slots(masked.text, 0))


def _outermost(slots: Iterable[Slot]) -> Iterator[Slot]:
    """Yield those that stand in no other: what does is found as a word of that one. A value that
    has a placeholder already is no slot, and what stands in it is, such as a path behind
    ``${server}``."""
    ends: dict[Part, int] = {}
    for one in slots:
        end = ends.get(one.part, -1)
        if one.depth and (one.capsules or one.start < end):
            continue
        ends[one.part] = one.end
        yield one


def _in_header(slot: Slot, position: int) -> Slot:
    """Return the slot of an address as that of a header, in which only filters encode."""
    encoder = FILTERS_OF.get(slot.root)
    root = slot.root if encoder else Place.HEADER
    return replace(slot, part=position, root=root, filters=(encoder,) if encoder else ())


def _spans(slot: Slot, text: str) -> list[tuple[int, int]]:
    """Return where the text stands in the slot as a whole word, as (start, end) in the masked
    part."""
    written = {encode(slot.root, text)}
    if slot.root in _QUERIES:
        written.add(quote(text, safe=_PLAIN, errors="replace"))
    return [
        (slot.start + match.start(), slot.start + match.end())
        for one in sorted(written)
        for match in re.finditer(word(one), slot.raw)
    ]


def _edited(transaction: Transaction, slots: list[Slot], text: str, name: str) -> Transaction:
    edits: dict[Part, list[tuple[int, int, str]]] = {}
    for slot in slots:
        use = "|".join((name, *slot.filters))
        edits.setdefault(slot.part, []).extend((*span, use) for span in _spans(slot, text))
    request = transaction.request
    for part, spans in edits.items():
        masked = Masked.of(part_text(request, part))
        assert masked is not None, "slots come from masked text"
        request = with_part(request, part, masked.replaced(spans))
    return replace(transaction, request=request)


def _variables(text: str, name: str, random: str) -> Iterator[Variable]:
    if text.isdigit():
        yield Variable(name, generate=RandomText(len(text), "digits"), recorded=text)
        return
    end, sign = _place(text)
    yield Variable(random, generate=_SMALL_END if text == text.lower() else _END)
    template = f"{escape(text[:end])}{sign}${{{random}}}{escape(text[end:])}"
    yield Variable(name, template=template, recorded=text)


def _place(text: str) -> tuple[int, str]:
    """Return where the part goes that differs, and what is before it: of an address, into its
    path."""
    origin = _ORIGIN.match(text)
    start = origin.end() if origin is not None else 0
    slash = text.startswith("/", start)
    if origin is not None or slash:
        segment = _SEGMENT.search(text, start)
        if segment is None or re.search("[?#]", text[start : segment.start()]):
            return start + slash, "" if slash else "/"
        start = segment.start()
    stem = _STEM.match(text, start)
    return (stem.end() if stem else start), "-"


def _names(field: str, taken: frozenset[str]) -> tuple[str, str]:
    base = field_name(field)
    number = 1
    while {f"{base}[{number}]", f"{base}_end[{number}]"} & taken:
        number += 1
    return f"{base}[{number}]", f"{base}_end[{number}]"
