"""Things that a form or a link shows to have an id, be it after requests about them were sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_loadtool.codec.place import Place
from pytest_loadtool.correlation.about import collection, id_stem
from pytest_loadtool.correlation.looks import collection_names, is_id_name, plain, singular
from pytest_loadtool.correlation.meaning import ANYTHING
from pytest_loadtool.correlation.recorded import RecordedResponse
from pytest_loadtool.correlation.slots import Slot
from pytest_loadtool.correlation.traffic import Traffic
from pytest_loadtool.model.rule import same_name

if TYPE_CHECKING:
    from pytest_loadtool.correlation.claims import Claim


class NamedThings:
    """What is claimed of fields for ids, and of queries."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._claims: dict[str, dict[str, Claim]] = {}
        self._words: dict[int, frozenset[str]] = {}

    def note(self, claim: Claim) -> None:
        """Remember a claim by its value and by what it is called the id of."""
        slot = claim.slot
        in_query = slot.place is Place.QUERY and slot.value.isdigit()
        thing = id_stem(slot.name) if is_id_name(slot.name) else plain(slot.name) * in_query
        if thing and thing not in ANYTHING:
            self._claims.setdefault(slot.value, {}).setdefault(thing, claim)

    def claim(self, slot: Slot) -> Claim | None:
        """The claim on a slot that is the id of a thing by its name, where a form has given it out:
        the 5 of ``post_ID`` in ``/posts/5``, ``?post=5``, ``comment_post_ID=5``, and in ``id=5`` of
        a request that says ``post`` elsewhere.
        """
        known = self._claims.get(slot.value, {})
        found = (
            one
            for thing, one in known.items()
            if one.producer.transaction < slot.transaction and self._is_about(slot, thing, one)
        )
        return next(found, None)

    def _is_about(self, slot: Slot, thing: str, claim: Claim) -> bool:
        if slot.place is Place.PATH:
            return thing in collection_names(slot.name)
        own = id_stem(slot.name) or plain(slot.name)
        whole = same_name(thing) if len(thing) >= _TELLING else f" {thing}"
        if own == thing or own.endswith(f" {thing}") or same_name(own).endswith(whole):
            return True
        bare = is_id_name(slot.name) and not id_stem(slot.name)
        words = set(thing.split())
        if bare and any(words <= self._said(one) for one in self._speaking(slot)):
            return True
        return slot.place is Place.QUERY and self._is_address(slot, claim)

    def _is_address(self, slot: Slot, claim: Claim) -> bool:
        """Whether the response that gives out the id has the request's own address with it:
        ``/?p=5``."""
        exchange = self._traffic.steps[claim.producer.transaction].exchange
        assert exchange is not None, "producers come from exchanges"
        file = self._traffic.steps[slot.transaction].path.rpartition("/")[2]
        address = f"/{file}?{slot.name}={slot.raw}"
        text = RecordedResponse(exchange).text
        at = text.find(address)
        return at >= 0 and not text[at + len(address) : at + len(address) + 1].isalnum()

    def _speaking(self, slot: Slot) -> Iterator[int]:
        """The slot's own transaction, and that which has redirected to it."""
        at = slot.transaction
        yield at
        before = self._traffic.steps[at - 1].exchange if at else None
        location = before.response_header("location") if before is not None else None
        if location and location.endswith(self._traffic.steps[at].address):
            yield at - 1

    def _said(self, transaction: int) -> frozenset[str]:
        """The words of a request's path and short values, one of each thing."""
        if transaction not in self._words:
            step = self._traffic.steps[transaction]
            texts = (collection(step.called), *self._traffic.echoes.get(transaction, ()))
            self._words[transaction] = frozenset(_words(texts))
        return self._words[transaction]


#: From how many characters on the end of a name tells what it is: ``wpUndoAfter``, ``undoafter``.
_TELLING = 4
#: Longer values are texts that people write.
_LONGEST_WORD = 40


def _words(texts: tuple[str, ...]) -> Iterator[str]:
    for text in texts:
        if len(text) <= _LONGEST_WORD:
            for word in plain(text).split():
                yield word
                yield singular(word)
