"""Claims: which slot takes its value from which producer, by which rule."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pytest_loadtool.correlation.evidence import EVIDENCE
from pytest_loadtool.correlation.jsonpath import format_path
from pytest_loadtool.correlation.looks import (
    is_identity_name,
    is_secret_name,
    looks_random,
    same_name,
)
from pytest_loadtool.correlation.parts import part_text, rendered
from pytest_loadtool.correlation.producers import Kind, Producer
from pytest_loadtool.correlation.recorded import RecordedResponse
from pytest_loadtool.correlation.rules import Rule
from pytest_loadtool.correlation.slots import Masked, Part, Slot
from pytest_loadtool.correlation.synthesis import synthesise
from pytest_loadtool.correlation.traffic import Traffic
from pytest_loadtool.model.extractor import JsonPath, Source
from pytest_loadtool.model.place import encode

__all__ = ["Claim", "Claims", "Issue", "Miss", "claim_all", "is_typed", "issued"]

#: How many producers of one value a rule looks at, the nearest first.
_NEAREST = 20
_ENCODING = (
    "{producer} holds the value, but replay would write it in another encoding than recorded."
)
_EXTRACTION = "{producer} holds the value, but no extractor takes it from there."


@dataclass(frozen=True, slots=True)
class Claim:
    """A slot's value comes from ``source``, its ``match``-th match, in the producer's response."""

    slot: Slot
    producer: Producer
    rule: Rule
    source: Source
    match: int


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
    """All claims and misses, in the order of their slots."""

    claims: tuple[Claim, ...]
    misses: tuple[Miss, ...]


def claim_all(traffic: Traffic, rules: Sequence[Rule]) -> Claims:
    """Judge every slot of the traffic."""
    claims: list[Claim] = []
    misses: list[Miss] = []
    synthesis = _Synthesis(traffic)
    for slot in traffic.slots:
        if is_typed(slot):
            continue
        found = _believed(traffic, slot, rules)
        if found is None:
            rule = _named(slot, rules)
            if rule is not None:
                misses.append(Miss(slot, rule, rule.unfound))
            continue
        verdict = synthesis.claim(slot, *found)
        if isinstance(verdict, Claim):
            claims.append(verdict)
        else:
            misses.append(verdict)
    return _checked(traffic, claims, misses)


def _checked(traffic: Traffic, claims: list[Claim], misses: list[Miss]) -> Claims:
    """Drop the claims on a text that, with its placeholders, would not send what was recorded."""
    texts: dict[tuple[int, Part], list[Claim]] = {}
    for claim in claims:
        texts.setdefault((claim.slot.owner, claim.slot.part), []).append(claim)
    wrong = {key for key, group in texts.items() if not _exact(traffic, key, group)}
    kept: list[Claim] = []
    for one in claims:
        if (one.slot.owner, one.slot.part) in wrong:
            misses.append(Miss(one.slot, one.rule, _ENCODING, one.producer.transaction))
        else:
            kept.append(one)
    return Claims(tuple(kept), tuple(misses))


def _exact(traffic: Traffic, key: tuple[int, Part], claims: list[Claim]) -> bool:
    """Whether the text of that part, its slots replaced, renders to itself."""
    owner, part = key
    masked = Masked.of(part_text(traffic.request(owner), part))
    assert masked is not None, "slots come from masked text"
    names = [f"asm_check[{number}]" for number in range(1, len(claims) + 1)]
    values = {name: claim.slot.value for name, claim in zip(names, claims, strict=True)}
    text = masked.replaced(
        [(one.slot.start, one.slot.end, name) for one, name in zip(claims, names, strict=True)]
    )
    content_type = traffic.steps[owner].content_type if part == "body" else ""
    return rendered(text, part, content_type, values) == masked.text


def issued(traffic: Traffic, rules: Sequence[Rule]) -> Iterator[Issue]:
    """The tokens to extract, used or not, each with the rule that knows its name."""
    for producer in traffic.tokens:
        rule = next((one for one in rules if same_name(producer.name) in one.produced_as), None)
        if rule is not None:
            yield Issue(producer, rule, JsonPath(format_path(producer.steps)))


def is_typed(slot: Slot) -> bool:
    """Whether a person types such a field: a secret, or who they are (unless it is a random id)."""
    if slot.part != "body":
        return False
    return is_secret_name(slot.name) or (
        is_identity_name(slot.name) and not looks_random(slot.value)
    )


def _named(slot: Slot, rules: Sequence[Rule]) -> Rule | None:
    """The rule that knows the slot by its name, although nothing produces its value."""
    return next((rule for rule in rules if rule.used_as and _takes(rule, slot)), None)


def _takes(rule: Rule, slot: Slot) -> bool:
    return (not rule.places or slot.place in rule.places) and (
        not rule.used_as or same_name(slot.name) in rule.used_as
    )


def _believed(traffic: Traffic, slot: Slot, rules: Sequence[Rule]) -> tuple[Rule, Producer] | None:
    """The first rule with a producer for which all its evidence holds, and that producer."""
    address = traffic.steps[slot.transaction].address if slot.part == "target" else ""
    linked = bool(address) and address in traffic.links
    if slot.value not in traffic.producers and not linked:
        return None
    for rule in rules:
        if not _takes(rule, slot):
            continue
        for producer in islice(_nearest(traffic, slot, rule.kinds, address), _NEAREST):
            named = not rule.produced_as or same_name(producer.name) in rule.produced_as
            if named and all(EVIDENCE[one](slot, producer, traffic) for one in rule.evidence):
                return rule, producer
    return None


def _nearest(
    traffic: Traffic, slot: Slot, kinds: Sequence[Kind], address: str
) -> Iterator[Producer]:
    """The producers of these kinds before the slot, the nearest response first, then in order."""
    same: list[Producer] = []
    for producer in _backwards(traffic, slot, kinds, address):
        if same and producer.transaction != same[0].transaction:
            yield from sorted(same, key=lambda one: kinds.index(one.kind))
            same.clear()
        same.insert(0, producer)
    yield from sorted(same, key=lambda one: kinds.index(one.kind))


def _backwards(
    traffic: Traffic, slot: Slot, kinds: Sequence[Kind], address: str
) -> Iterator[Producer]:
    started = _started(traffic, slot.transaction)
    if Kind.LINK in kinds:
        for producer in _before(traffic.links.get(address, ()), slot):
            if slot.value not in traffic.echoes.get(producer.transaction, ()):
                yield replace(producer, value=slot.value, name=slot.name, before=slot.before)
    for producer in _before(traffic.producers.get(slot.value, ()), slot):
        if producer.kind in kinds and _started(traffic, producer.transaction) <= started:
            yield producer


def _before(producers: Sequence[Producer], slot: Slot) -> Iterator[Producer]:
    """Those in responses before the slot's request, from the last to the first."""
    end = bisect_left(producers, slot.transaction, key=lambda one: one.transaction)
    return (producers[position] for position in range(end - 1, -1, -1))


def _started(traffic: Traffic, transaction: int) -> float:
    exchange = traffic.steps[transaction].exchange
    return exchange.started if exchange is not None else 0.0


class _Synthesis:
    """Turns beliefs into claims; a source that was found once is not looked for again."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._responses: dict[int, RecordedResponse] = {}
        self._found: dict[tuple[Producer, str, int], tuple[Source, int] | None] = {}

    def claim(self, slot: Slot, rule: Rule, producer: Producer) -> Claim | Miss:
        """The claim, or why there can be none."""
        if encode(slot.place, slot.value) != slot.raw:
            return Miss(slot, rule, _ENCODING, producer.transaction)
        key = (producer, slot.name, rule.matches)
        if key not in self._found:
            response = self._response(producer.transaction)
            self._found[key] = synthesise(producer, slot, response, rule.matches)
        found = self._found[key]
        if found is None:
            return Miss(slot, rule, _EXTRACTION, producer.transaction)
        return Claim(slot, producer, rule, *found)

    def _response(self, transaction: int) -> RecordedResponse:
        if transaction not in self._responses:
            exchange = self._traffic.steps[transaction].exchange
            assert exchange is not None, "producers come from exchanges"
            self._responses[transaction] = RecordedResponse(exchange)
        return self._responses[transaction]
