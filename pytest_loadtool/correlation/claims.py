"""Claims: which slot takes its value from which producer, by which rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pytest_loadtool.correlation.beliefs import beliefs, is_typed, rule_by_name
from pytest_loadtool.correlation.edits import overlap, written
from pytest_loadtool.correlation.looks import is_id_name, is_version_name
from pytest_loadtool.correlation.marks import Marked, sent_marks
from pytest_loadtool.correlation.named_things import NamedThings
from pytest_loadtool.correlation.page_rows import Page
from pytest_loadtool.correlation.parts import part_text
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.reading import Reading
from pytest_loadtool.correlation.recorded import RecordedResponse
from pytest_loadtool.correlation.searches import EXTRACTOR, MOST_SEARCHED
from pytest_loadtool.correlation.slots import Masked, Part, Slot
from pytest_loadtool.correlation.spots import CALL
from pytest_loadtool.correlation.synthesis import synthesise
from pytest_loadtool.correlation.things import Things
from pytest_loadtool.correlation.traffic import Traffic
from pytest_loadtool.extraction.jsonpath import format_path
from pytest_loadtool.model.extractor import JsonPath, Source
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.model.rule import Kind, Rule

#: For how many producers of one value an extractor is sought, before the value is left as it is.
_MOST_ATTEMPTS = 5
_ENCODING = (
    "{producer} holds the value, but replay would write it in another encoding than recorded."
)
#: Kinds of what is found in the head of a response.
_IN_HEAD = frozenset({Kind.COOKIE, Kind.HEADER, Kind.LOCATION})
_EXTRACTION = "{producer} holds the value, but no extractor takes it from there."
_SEARCHED = (
    "{producer} holds the value, but no extractor was looked for: before it, "
    f"{MOST_SEARCHED:,} characters of responses were looked through."
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A slot's value comes from ``source``, its ``match``-th match, in the producer's response."""

    slot: Slot
    producer: Producer
    rule: Rule
    source: Source
    match: int

    @property
    def is_one_of_many(self) -> bool:
        """Whether its place tells it from others: in a list, among choices, or among the ids that
        the forms of a page have."""
        producer = self.producer
        name = producer.name
        in_form = producer.kind is Kind.CONTROL and is_id_name(name) and not is_version_name(name)
        return producer.in_list or producer.kind is Kind.CHOICE or in_form


@dataclass(frozen=True, slots=True)
class Issue:
    """A token that a response issues."""

    producer: Producer
    rule: Rule
    source: Source


@dataclass(frozen=True, slots=True)
class Miss:
    """A slot that looks dynamic and is left as recorded.

    ``reason`` says why, as one sentence with ``{field}`` and ``{producer}`` to fill in;
    ``transaction`` is the producer's, if there is one.
    """

    slot: Slot
    rule: Rule
    reason: str
    transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """All claims and misses, in the order of their slots; those on ids of known things last."""

    claims: tuple[Claim, ...]
    misses: tuple[Miss, ...]


def claim_all(traffic: Traffic, rules: Sequence[Rule], told: Told = silent) -> Claims:
    """Judge every slot of the traffic."""
    claims: list[Claim] = []
    misses: list[Miss] = []
    synthesis = Synthesis(traffic)
    things, named = Things(traffic), NamedThings(traffic)
    unknown: list[Slot] = []  # of which nothing is known
    around: list[Slot] = []  # what is settled of the value that the slot is, or stands in
    for slot in traffic.slots:
        told("Finding dynamic values", slot.transaction, len(traffic.steps))
        if not slot.depth:
            around.clear()
        if is_typed(slot) or slot.before == CALL or any(overlap(slot, one) for one in around):
            continue
        verdict = _judged(slot, traffic, rules, synthesis)
        settled = verdict.rule.leave if isinstance(verdict, Miss) else verdict is not None
        if not settled or (isinstance(verdict, Claim) and verdict.is_one_of_many):
            verdict = _meant(things, slot) or verdict  # what is known needs no other extractor
        if isinstance(verdict, Claim):
            claims.append(verdict)
            things.note(verdict)
            named.note(verdict)
            synthesis.known.add(verdict.slot.value)
            around.append(verdict.slot)
        elif verdict is not None:
            misses.append(verdict)
            if verdict.rule.leave:  # as a whole
                around.append(slot)
        else:
            unknown.append(slot)
    claims += _of_known_things((things, named), unknown, claims)
    return checked(traffic, claims, misses)


def _of_known_things(
    known: Sequence[Things | NamedThings], slots: Sequence[Slot], claims: Sequence[Claim]
) -> Iterator[Claim]:
    """The claims on ids that a path, form or link further on has shown to be those of things."""
    settled: dict[tuple[int, Part], list[Slot]] = {}
    for one in claims:
        settled.setdefault((one.slot.owner, one.slot.part), []).append(one.slot)
    for slot in slots:
        claim = next(filter(None, (_meant(one, slot) for one in known)), None)
        around = settled.setdefault((slot.owner, slot.part), [])
        if claim is not None and not any(overlap(slot, one) for one in around):
            around.append(claim.slot)
            yield claim


def _judged(
    slot: Slot, traffic: Traffic, rules: Sequence[Rule], synthesis: Synthesis
) -> Claim | Miss | None:
    """The most trusted claim that works; else why the most trusted does not; None: not dynamic."""
    first: Miss | None = None
    for rule, producer in islice(beliefs(traffic, slot, rules), _MOST_ATTEMPTS):
        verdict = synthesis.claim(slot, rule, producer)
        if isinstance(verdict, Claim):
            return verdict
        first = first or verdict
    if first is None and (rule_known := rule_by_name(slot, rules)) is not None:
        if rule_known.leave:
            first = Miss(slot, rule_known, rule_known.reason)
        elif not slot.depth and rule_known.unfound:
            first = Miss(slot, rule_known, rule_known.unfound)
    return first


def checked(traffic: Traffic, claims: list[Claim], misses: list[Miss]) -> Claims:
    """Drop the claims on a text that, with its placeholders, would not send what was recorded."""
    texts: dict[tuple[int, Part], list[tuple[Slot, str]]] = {}
    for claim in claims:
        use = claim.slot, claim.producer.extracted
        texts.setdefault((claim.slot.owner, claim.slot.part), []).append(use)
    wrong = {key for key, uses in texts.items() if not exact(traffic, key, uses)}
    kept: list[Claim] = []
    for one in claims:
        if (one.slot.owner, one.slot.part) in wrong:
            misses.append(Miss(one.slot, one.rule, _ENCODING, one.producer.transaction))
        else:
            kept.append(one)
    return Claims(tuple(kept), tuple(one for one in misses if not _in_essence(one, kept)))


def _in_essence(miss: Miss, claims: list[Claim]) -> bool:
    """Whether most of a value that no response holds is claimed: the script appends a constant."""
    slot = miss.slot
    return miss.transaction is None and not miss.rule.leave and any(
        (one.slot.owner, one.slot.part) == (slot.owner, slot.part)
        and 2 * len(one.slot.value) > len(slot.value)
        and overlap(one.slot, slot)
        for one in claims
    )  # fmt: skip


def exact(traffic: Traffic, key: tuple[int, Part], uses: Sequence[tuple[Slot, str]]) -> bool:
    """Whether the text of that part, its slots made of these recorded values, renders to itself."""
    owner, part = key
    text = part_text(traffic.request(owner), part)
    content_type = traffic.steps[owner].content_type if part == "body" else ""
    masked = Masked.of(text)
    return masked is not None and written(text, part, content_type, uses) == masked.text


def issued(traffic: Traffic, rules: Sequence[Rule]) -> Iterator[Issue]:
    """The tokens to extract, used or not, each with the rule that knows its name."""
    for producer in traffic.tokens:
        rule = next((one for one in rules if producer.name in one.produced_as), None)
        if rule is not None:
            yield Issue(producer, rule, JsonPath(format_path(producer.steps)))


def _fitting(slot: Slot, producer: Producer) -> Slot | None:
    """The slot with all filters between it and what is extracted; None if these do not lead from
    one to the other."""
    slot = replace(slot, filters=(*producer.filters, *slot.filters))
    return slot if slot.writes(producer.extracted) else None


def _meant(things: Things | NamedThings, slot: Slot) -> Claim | None:
    """The claim on the id of a thing that is known."""
    found = things.claim(slot)
    if found is None or found.producer.transaction >= slot.transaction:
        return None
    fitting = _fitting(slot, found.producer)
    return None if fitting is None else replace(found, slot=fitting)


def _searched(producer: Producer, response: RecordedResponse) -> int:
    """How many characters there are to look for an extractor in."""
    if producer.box is not None:
        return len(producer.box.text) + _searched(producer.box.producer, response)
    if producer.kind in _IN_HEAD:
        return sum(len(value) for _, value in response.headers)
    return 0 if producer.kind is Kind.JSON else len(response.text)


class Synthesis:
    """Turns beliefs into claims; a source that was found once is not looked for again."""

    def __init__(self, traffic: Traffic) -> None:
        self.known: set[str] = set()
        """Values that are claimed: they are others on replay."""
        self._traffic = traffic
        self._marks = Marked(sent_marks(traffic))
        self._readings: dict[int, tuple[RecordedResponse, Reading]] = {}
        self._found: dict[tuple[Producer, str, int], tuple[Source, int] | None] = {}

    def claim(self, slot: Slot, rule: Rule, producer: Producer) -> Claim | Miss:
        """The claim, or why there can be none."""
        fitting = _fitting(slot, producer)
        if fitting is None:
            return Miss(slot, rule, _ENCODING, producer.transaction)
        slot = fitting
        key = (producer, slot.name, rule.matches)
        if key not in self._found:
            response, reading = self._read(producer.transaction)
            if not self._traffic.searches.allow(EXTRACTOR * _searched(producer, response)):
                return Miss(slot, rule, _SEARCHED, producer.transaction)
            self._found[key] = synthesise(
                producer, slot, reading, rule.matches, self.known
            ) or self._by_row(producer, slot)
        found = self._found[key]
        if found is None:
            return Miss(slot, rule, _EXTRACTION, producer.transaction)
        return Claim(slot, producer, rule, *found)

    def _by_row(self, producer: Producer, slot: Slot) -> tuple[Source, int] | None:
        """What tells a link from those of other rows: a text of its own."""
        if producer.kind is not Kind.LINK:
            return None
        at = producer.transaction
        page = Page(self.response(at), self._traffic.steps[at].address, self._marks.by(at))
        row = page.link_row(producer, slot, self.known)
        return None if row is None else (row.literal, row.match)

    def response(self, transaction: int) -> RecordedResponse:
        """The recorded response of a transaction, which has one."""
        return self._read(transaction)[0]

    def _read(self, transaction: int) -> tuple[RecordedResponse, Reading]:
        if transaction not in self._readings:
            exchange = self._traffic.steps[transaction].exchange
            assert exchange is not None, "producers come from exchanges"
            response = RecordedResponse(exchange)
            self._readings[transaction] = response, Reading(response)
        return self._readings[transaction]
