"""Resolving: of what the strategies propose, what holds.

Of a value, each strategy has one bid: the first of its proposals that can be anchored. The bids are
ranked; what overlaps a value that is settled, and what would not be sent to the byte as recorded,
goes. All this is done here, and nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import id_stem
from pytest_loadtool.correlation.proposals import ByClient, Miss, ProducerCandidate, Proposal
from pytest_loadtool.correlation.requests.edits import Taken, overlap, written
from pytest_loadtool.correlation.requests.parts import part_text
from pytest_loadtool.correlation.requests.slots import Masked, Part, Slot
from pytest_loadtool.correlation.sources.anchoring import ENCODING, Synthesis
from pytest_loadtool.correlation.strategies.known_ids import claimed_as
from pytest_loadtool.correlation.strategies.strategy import Settled, Strategy, Turn
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.model.rule import ProducerKind

#: For how many producers of one value an extractor is sought, before the value is left as it is.
_MOST_ATTEMPTS = 5
#: How many of these are of one kind, such as links.
_MOST_ALIKE = 3

#: Whose text it is, and which.
_Text = tuple[int, Part]
_Proposed = TypeVar("_Proposed", bound=ProducerCandidate | Proposal | ByClient | Miss)
_Binding = TypeVar("_Binding", Proposal, ByClient)


@dataclass(frozen=True, slots=True)
class Resolution:
    """The proposals that hold, in the order of the slots; those that only later requests have shown
    come last."""

    proposals: tuple[Proposal, ...]
    misses: tuple[Miss, ...] = ()
    made: tuple[ByClient, ...] = ()


def resolve(traffic: Traffic, strategies: Sequence[Strategy], told: Told = silent) -> Resolution:
    """Judge every slot of the traffic.

    What is settled is a least fixed point: a value is judged by what the values before it have
    settled, and what is open in the end by all that is settled, until nothing more is.
    """
    work = _Work(traffic, strategies)
    around: list[Slot] = []  # what is settled of the value that the slot is, or stands in
    for slot in traffic.slots:
        told("Finding dynamic values", slot.transaction, len(traffic.steps))
        if not slot.depth:
            around.clear()
        if not any(overlap(slot, one) for one in around):
            around += work.judge(slot)
    values: Set[str] = {one.slot.value for one in work.proposals}
    while values := work.go_on(values):
        pass
    proposals, wrong = _exact(traffic, work.proposals)
    for one in wrong:
        work.misses.append(Miss(one.slot, one.rule, ENCODING, one.producer.transaction))
    misses = (one for one in work.misses if not _in_essence(one, proposals))
    return Resolution(tuple(proposals), tuple(misses), tuple(work.made_up(proposals)))


class _Work:
    """The slots that are settled, and those that are open."""

    def __init__(self, traffic: Traffic, strategies: Sequence[Strategy]) -> None:
        self.proposals: list[Proposal] = []
        self.misses: list[Miss] = []
        self._traffic = traffic
        self._strategies = {turn: [one for one in strategies if turn in one.turns] for turn in Turn}
        self._known = Settled(traffic)
        self._anchor = Synthesis(traffic)
        self._open: list[Slot] = []
        """Those that nothing before has settled."""
        self._free: list[Slot] = []
        """All that is not left on purpose."""

    def judge(self, slot: Slot) -> Sequence[Slot]:
        """Settle a slot, as far as that can be, and return what then is settled of its value."""
        best: Proposal | Miss | None = None
        best_rank = (True, True)
        for turn in (Turn.IN_ORDER, Turn.OPEN):
            for strategy in self._strategies[turn]:
                bid, rank = self._bid(strategy, slot)
                if best is None or rank < best_rank:
                    best, best_rank = bid and replace(bid, strategy=strategy.name), rank
                if best_rank == (False, False):
                    break
            if isinstance(best, Proposal) or (best is not None and best.rule.leave):
                break
        if isinstance(best, Miss):
            self.misses.append(best)
            if best.rule.leave:
                return (slot,) if best.whole else ()
        self._free.append(slot)
        if isinstance(best, Proposal):
            self._settle(best)
            return (best.slot,)
        self._open.append(slot)
        return ()

    def _bid(
        self, strategy: Strategy, slot: Slot
    ) -> tuple[Proposal | Miss | None, tuple[bool, bool]]:
        """Return the first of a strategy's proposals that can be anchored, else why the first
        cannot; and its rank, the lowest of which wins: whether it leaves the value unsettled, and
        whether it needs a new extractor that goes by a place among others."""
        first: Miss | None = None
        proposals = _unlike(strategy.propose((slot,), self._traffic, self._known))
        for one in islice(proposals, _MOST_ATTEMPTS):
            bid = (
                self._anchor.proposal(one, self._known.values)
                if isinstance(one, ProducerCandidate)
                else one
            )
            assert not isinstance(bid, ByClient), "these come last"
            if isinstance(bid, Proposal) and (same := self._known_as(bid)) is not None:
                return same, (False, False)
            if isinstance(bid, Proposal) and isinstance(one, ProducerCandidate):
                others = self._others(proposals) if self._anchor.is_by_place(bid) else ()
                return replace(bid, others=others), (False, bid.is_one_of_many)
            if isinstance(bid, Proposal):
                return bid, (False, False)
            first = first or bid
        return first, (first is None or not first.rule.leave, False)

    def _known_as(self, bid: Proposal) -> Proposal | None:
        """Return the same id as it is known, of what an attribute of a row has: of what it is says
        its name, and several rows may have the text that tells one."""
        known = self._known.named(bid.slot.value).get(id_stem(bid.producer.name))
        if known is None or bid.producer.kind is not ProducerKind.TEXT:
            return None
        return claimed_as(bid.slot, known)

    def _others(
        self, proposals: Iterator[ProducerCandidate | Proposal | ByClient | Miss]
    ) -> tuple[Proposal, ...]:
        """Return from where else a value may come that is known by its place, perhaps."""
        bids = (
            self._anchor.proposal(one, self._known.values)
            for one in islice(proposals, _MOST_ATTEMPTS)
            if isinstance(one, ProducerCandidate)
        )
        return tuple(one for one in bids if isinstance(one, Proposal))

    def go_on(self, values: Set[str]) -> Set[str]:
        """Settle what is open with these values, of which something is known since, and return
        those of which something was settled."""
        asked = [one for one in self._open if one.value in values]
        settled = _by_text(self.proposals)
        more: list[Proposal] = []
        for strategy in self._strategies[Turn.AT_END]:
            for one in strategy.propose(asked, self._traffic, self._known):
                assert isinstance(one, Proposal), "it is known"
                others = settled.setdefault((one.slot.owner, one.slot.part), [])
                if not any(overlap(one.slot, slot) for slot, _ in others):
                    others.append((one.slot, ""))
                    more.append(replace(one, strategy=strategy.name))
        for one in more:
            self._settle(one)
        self._open = _untouched(self._open, more)
        return {one.slot.value for one in more}

    def _settle(self, proposal: Proposal) -> None:
        self.proposals.append(proposal)
        self._known.add(proposal)

    def made_up(self, proposals: Sequence[Proposal]) -> Sequence[ByClient]:
        """Return what the client makes up of all that no proposal touches, in the order of the
        first use."""
        free = _untouched(self._free, proposals)
        made: list[ByClient] = []
        settled: set[str] = set()
        for strategy in self._strategies[Turn.LAST]:
            free = [one for one in free if one.value not in settled]
            for one in strategy.propose(free, self._traffic, self._known):
                assert isinstance(one, ByClient), "no response has it"
                values = {slot.value for slot in one.slots}
                if all(slot.writes(one.recorded) for slot in one.slots) and not values & settled:
                    settled |= values
                    made.append(replace(one, strategy=strategy.name))
        made, _ = _exact(self._traffic, made, proposals)
        return sorted(made, key=lambda one: one.slots[0].transaction)


def _unlike(proposals: Iterable[_Proposed]) -> Iterator[_Proposed]:
    """Yield the proposals, of one kind only the first few: pages may have many links with a value
    that nothing takes from any of them."""
    seen: Counter[ProducerKind] = Counter()
    for one in proposals:
        if isinstance(one, ProducerCandidate):
            seen[one.producer.kind] += 1
            if seen[one.producer.kind] > _MOST_ALIKE:
                continue
        yield one


def _untouched(slots: Sequence[Slot], proposals: Sequence[Proposal]) -> list[Slot]:
    """Return those of the slots that share no characters with what is claimed."""
    taken = {text: Taken(slot for slot, _ in uses) for text, uses in _by_text(proposals).items()}
    return [
        one
        for one in slots
        if (others := taken.get((one.owner, one.part))) is None or not others.touches(one)
    ]


def _exact(
    traffic: Traffic, new: Sequence[_Binding], settled: Sequence[Proposal] = ()
) -> tuple[list[_Binding], list[_Binding]]:
    """Return the new bindings on texts that, with all placeholders, send what was recorded; and
    those on others."""
    texts = _by_text((*settled, *new))
    wrong = {text for text in _by_text(new) if not _is_exact(traffic, text, texts[text])}
    kept: list[_Binding] = []
    dropped: list[_Binding] = []
    for one in new:
        (dropped if wrong & _by_text((one,)).keys() else kept).append(one)
    return kept, dropped


def _is_exact(traffic: Traffic, key: _Text, uses: Sequence[tuple[Slot, str]]) -> bool:
    """Return whether a text, its slots made of these recorded values, renders to itself."""
    owner, part = key
    text = part_text(traffic.request(owner), part)
    content_type = traffic.steps[owner].content_type if part == "body" else ""
    masked = Masked.of(text)
    return masked is not None and written(text, part, content_type, uses) == masked.text


def _by_text(bindings: Sequence[Proposal | ByClient]) -> dict[_Text, list[tuple[Slot, str]]]:
    """Return the slots that are bound, by their text, each with the recorded value that it is made
    of."""
    texts: dict[_Text, list[tuple[Slot, str]]] = {}
    for one in bindings:
        slots = (one.slot,) if isinstance(one, Proposal) else one.slots
        value = one.producer.extracted if isinstance(one, Proposal) else one.recorded
        for slot in slots:
            texts.setdefault((slot.owner, slot.part), []).append((slot, value))
    return texts


def _in_essence(miss: Miss, proposals: Sequence[Proposal]) -> bool:
    """Return whether most of a value that no response holds is claimed: the script appends a
    constant."""
    slot = miss.slot
    return miss.transaction is None and not miss.rule.leave and any(
        (one.slot.owner, one.slot.part) == (slot.owner, slot.part)
        and 2 * len(one.slot.value) > len(slot.value)
        and overlap(one.slot, slot)
        for one in proposals
    )  # fmt: skip
