"""Anchors: texts that a virtual user knows before a response comes, by which it finds its own row.

It has sent them, or another extractor has found them. An anchor has the text that the recording
has, and what stands for it in the test case: the same text, or placeholders.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape as in_html
from itertools import chain, islice
from typing import TYPE_CHECKING

from pytest_loadtool.codec.names import is_password, is_typed_secret
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import (
    SWITCHES,
    TELLING,
    is_id_name,
    is_short_number,
    is_type_name,
    without_ids,
)
from pytest_loadtool.correlation.index.traffic import RecordedStep, Traffic, recorded_slots
from pytest_loadtool.correlation.kinds import is_in_own_list, resources_of
from pytest_loadtool.correlation.producer import DOCUMENTS, Producer
from pytest_loadtool.correlation.requests.plain_request import Plain
from pytest_loadtool.correlation.requests.slots import Masked, Slot, request_slots
from pytest_loadtool.correlation.responses.controls import form_start
from pytest_loadtool.correlation.responses.markup_items import row_texts
from pytest_loadtool.model.case import Request, Variable
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind

if TYPE_CHECKING:
    from pytest_loadtool.correlation.proposals import ByClient
    from pytest_loadtool.correlation.sources.variables import Found

#: Texts with fewer characters are in many rows by chance, and tell no row from another.
_SHORT, _SHORTEST = 2, 3
#: In how many words of a text at most, one is sought that was sent. Numbers beside it may differ.
_MOST_WORDS, _DIGIT = 12, re.compile(r"\d")
#: How many texts of a row count as what a thing is called.
_MOST_CALLED = 8
#: How many answers before a change are looked at to see whether its text is new.
_MOST_ANSWERS = 40
#: The name of a file; group 1 is what is before its ending.
_FILE = re.compile(r"([^/\\\n]{2,100}[^/\\\n.\s])\.[A-Za-z][A-Za-z0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class AnchorText:
    """A text that is ``recorded``, and ``template`` in the test case; the request or the response
    ``at`` has it in a field of that name."""

    recorded: str
    template: str
    field: str
    at: int
    extracted: bool = False
    """Whether it is what an extractor takes; else the user has sent it."""
    offered: bool = False
    """Whether a page had it to choose from: many resources have that."""
    kept: bool = False
    """Whether a form came with it before the user sent it, who has left it as it was."""
    new: bool = False
    """Whether a change has sent it that no answer before had."""
    address: bool = False
    """Whether it is the path of the request: what has it beside it is about the very resource."""
    kinds: frozenset[str] = frozenset()
    """Of what kinds of resources it may be the id, by the answer that it is taken from."""
    shortened: bool = False
    """Whether it is a part of what was sent: all of that tells more."""

    @property
    def telling(self) -> bool:
        """Return whether it tells one resource from another, whatever its field is called."""
        return (len(self.recorded) >= TELLING or self.new) and not self.offered


class AnchorTexts:
    """Anchors, by their texts."""

    def __init__(self, anchors: Iterable[AnchorText]) -> None:
        self._by_text: dict[str, list[AnchorText]] = {}
        for one in sorted(anchors, key=lambda one: one.at):
            self._by_text.setdefault(one.recorded, []).append(one)

    def by(self, response: int) -> Callable[[str], Sequence[AnchorText]]:
        """Return a function that gives the anchors that a text is for who reads that response, the
        latest last: what was sent before it, and taken from earlier ones; if it is none, what was
        sent with other words before or behind it: ``Copy of Tea House``."""

        def known(text: str) -> Sequence[AnchorText]:
            found = self._by_text.get(text) or (self._with_words(text) if " " in text else ())
            return [one for one in found if one.at + one.extracted <= response]

        return known

    def _with_words(self, text: str) -> Iterator[AnchorText]:
        words = text.split(" ")
        spans = ((0, at) for at in range(len(words) - 1, 0, -1))
        ends = ((at, len(words)) for at in range(1, len(words)))
        for start, end in chain(spans, ends) if len(words) <= _MOST_WORDS else ():
            for one in self._by_text.get(" ".join(words[start:end]), ()):
                before, behind = " ".join((*words[:start], "")), " ".join(("", *words[end:]))
                if one.telling and not one.extracted and not _DIGIT.search(before + behind):
                    template = f"{escape(before)}{one.template}{escape(behind)}"
                    yield replace(one, recorded=text, template=template, shortened=True)


def sent_anchors(traffic: Traffic, found: Sequence[Found] = ()) -> list[AnchorText]:
    """Return what the user writes into bodies and queries.

    What the server gave out is no such text, and neither is a secret.
    """
    claimed = {slot for one in found for slot in one.slots}
    fields = traffic.requests.fields.items()
    logins = {at for at, names in fields if any(map(is_password, names))}
    kept = _kept(traffic)
    anchors = [
        AnchorText(
            slot.value,
            escape(slot.value),
            slot.name,
            slot.transaction,
            offered=(slot.name, slot.value) in traffic.responses.choices,
            kept=slot.value in kept,
            new=len(slot.value) < TELLING
            and slot.transaction not in logins
            and is_new_text(slot.value, slot.transaction, traffic),
        )
        for slot in traffic.slots
        if slot not in claimed and _is_written(slot)
    ]
    for step in traffic.steps:
        anchors += _placed(step)
    anchors += _picked(traffic)
    return [*anchors, *(named for one in anchors if (named := _without_ending(one)) is not None)]


def _picked(traffic: Traffic) -> Iterator[AnchorText]:
    """Yield what the things are called whose numbers changes send: of ``product=8`` what the row of
    the form has, or the item of a list, with that number."""
    for slot in traffic.slots:
        if slot.part != "body" or slot.depth or not is_short_number(slot.value):
            continue
        if not traffic.steps[slot.transaction].changes_state:
            continue
        for called in islice(_called(slot, traffic), _MOST_CALLED):
            if len(called) >= TELLING and any(map(str.isalpha, called)):
                yield AnchorText(called, escape(called), "", slot.transaction, shortened=True)


def _called(slot: Slot, traffic: Traffic) -> Iterator[str]:
    """Yield the texts of the nearest row or item that has the number of a slot under its name, or
    under that of an id."""
    for one in reversed([*traffic.producers_of(slot.value)]):
        if one.transaction >= slot.transaction:
            continue
        if one.kind is ProducerKind.CONTROL and one.name == slot.name:
            text = traffic.response(one.transaction).text
            yield from sorted(row_texts(text, form_start(text, one.form) or 0))
            return
        if one.kind is ProducerKind.JSON and one.labels and is_id_name(one.name):
            yield from sorted(one.labels)
            return


def _without_ending(file: AnchorText) -> AnchorText | None:
    """Return what is shown of a file that was sent by its name: ``spoons`` of ``spoons.nzb``."""
    names = (_FILE.fullmatch(one) for one in (file.recorded, file.template))
    stem, template = ((one[1] if one is not None else "") for one in names)
    short = replace(file, recorded=stem, template=template, shortened=True)
    return short if stem and template else None


def _kept(traffic: Traffic) -> frozenset[str]:
    """Return the texts with which a form had come when they were first sent."""
    came_with: dict[tuple[str, str], int] = {}
    for name, uses in traffic.responses.typed.items():
        for at, value in uses:
            came_with.setdefault((name, value), at)
    written, end = traffic.requests.written, len(traffic.steps)
    return frozenset(
        slot.value
        for slot in traffic.slots
        if came_with.get((slot.name, slot.value), end) < slot.transaction == written.get(slot.value)
    )


def is_new_text(text: str, at: int, traffic: Traffic) -> bool:
    """Return whether a change, no later than ``at``, has sent the text, and none of the answers
    before that had it."""
    first = traffic.requests.written.get(text, at + 1)
    telling = len(text) >= _SHORTEST and any(map(str.isalpha, text))
    if not telling or first > at:
        return False
    shown = {text.encode(), in_html(text).encode(), in_html(text, False).encode()}
    nearest = traffic.steps[max(0, first - _MOST_ANSWERS) : first]
    before = (one.exchange.response_body for one in nearest if one.exchange is not None)
    return not any(one in body for body in before for one in shown)


def extracted_anchors(
    traffic: Traffic, found: Sequence[Found], variables: Mapping[str, Variable]
) -> list[AnchorText]:
    """Return what extractors take that nothing has to be done to: those that are new, and those
    that the test case has."""
    return [
        *(
            AnchorText(
                one.recorded,
                f"${{{one.name}}}",
                one.name,
                one.producer.transaction,
                extracted=True,
                kinds=_kinds(one.producer, traffic),
            )
            for one in found
            if not one.producer.filters
        ),
        *(
            AnchorText(recorded, f"${{{one.variable}}}", one.variable, step.index, True)
            for step in traffic.steps
            for one in step.transaction.extractors
            if one.variable in variables and (recorded := variables[one.variable].recorded)
        ),
    ]


def _kinds(producer: Producer, traffic: Traffic) -> frozenset[str]:
    is_called = is_id_name(producer.name) or is_in_own_list(producer)
    is_id = producer.kind in DOCUMENTS and is_called
    called = traffic.steps[producer.transaction].called
    return resources_of(producer, called) if is_id else frozenset()


def address_anchors(traffic: Traffic, made: Iterable[Found | ByClient]) -> Iterator[AnchorText]:
    """Yield the paths of the requests, by which lists name what they have: ``href`` in WebDAV."""
    uses: dict[int, list[tuple[Slot, str]]] = {}
    for one in made:
        for slot in one.slots:
            if slot.part == "target" and not slot.capsules:
                uses.setdefault(slot.transaction, []).append((slot, one.name))
    for step in traffic.steps:
        path = step.address.partition("?")[0]
        masked = Masked.of(step.transaction.request.target)
        if masked is None or not masked.text.startswith("/") or not path.strip("/"):
            continue
        own = [(slot.start, slot.end, "|".join((name, *slot.filters)))
               for slot, name in uses.get(step.index, ())]  # fmt: skip
        template = masked.replaced(own).partition("?")[0]
        yield AnchorText(path, template, "href", step.index, address=True)


def _is_written(slot: Slot) -> bool:
    """Return whether it is a text that tells one resource from another; numbers are amounts."""
    value = slot.value
    return (
        (slot.part == "body" or slot.place is Place.QUERY)
        and not slot.users
        and len(value) >= _SHORT
        and value.lower() not in SWITCHES
        and any(map(str.isalpha, value))
        and not is_typed_secret(slot.name)
        and not is_type_name(slot.name)
    )


def _placed(step: RecordedStep) -> Iterator[AnchorText]:
    """Yield the fields of a body in which a person has put placeholders, with what was recorded
    there."""
    body = step.transaction.request.body
    if step.exchange is None or not isinstance(body, str) or "${" not in body:
        return
    plain = Plain.of(Request("POST", "/", body=body))
    was = dict(numbered_slots(recorded_slots(step)))
    for key, slot in numbered_slots(
        request_slots(plain.request, step.content_type, step.index, calls=step.calls)
    ):
        template = plain.original(slot.value)
        old = was.get(key)
        known = template != slot.value and "|" not in template  # with filters it is another text
        if known and old is not None and not is_typed_secret(slot.name):
            yield AnchorText(old.value, template, slot.name, step.index)


def numbered_slots(slots: Iterable[Slot]) -> Iterator[tuple[tuple[str, int, int], Slot]]:
    """Yield the slots by where they stand: those of a path in their order, others by name and how
    many of that name came before; what stands in others likewise, by depth. Names that differ by
    the ids in them are one."""
    seen: Counter[tuple[str, int]] = Counter()
    for slot in slots:
        name = "/" if slot.place is Place.PATH and not slot.depth else without_ids(slot.name)
        seen[name, slot.depth] += 1
        yield (name, seen[name, slot.depth], slot.depth), slot
