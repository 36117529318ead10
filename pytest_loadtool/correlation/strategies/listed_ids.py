"""Ids that a form or a link shows to be those of resources, be it after requests about them were
sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from pytest_loadtool.codec.names import plain, words_of
from pytest_loadtool.correlation.classify import collection_names, is_id_name, singular
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import collection, id_stem
from pytest_loadtool.correlation.proposals import Proposal
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.strategies.known_ids import claimed_as, was_there
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn, is_bare_id
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import same_name

#: From how many characters on the end of a name tells what it is: ``wpUndoAfter``, ``undoafter``.
_TELLING = 4
#: What is before an address in a text, and how many characters of its folders are looked at.
_BEFORE, _LONGEST_FOLDER = re.compile(r"[\s\"'<>()=,]"), 200
#: Longer values are texts that people write.
_LONGEST_WORD = 40


class ListedIds:
    """The ids in fields that are called after a resource, and in queries."""

    name = "listed-ids"
    why = "The id of a thing by the name of its field is taken where such a thing is meant."
    source = "WordPress: post_ID=5 of a form, and /?p=5, post=5, comment_post_ID=5"
    turns = frozenset({Turn.OPEN, Turn.AT_END})

    def propose(
        self, slots: Sequence[Slot], traffic: Traffic, known: Settled
    ) -> Iterator[Proposal]:
        """Yield the proposals on slots that are the id of a resource by its name, where a form has
        given it out: the 5 of ``post_ID`` in ``/posts/5``, ``?post=5``, ``comment_post_ID=5``, and
        in ``id=5`` of a request that says ``post`` elsewhere."""
        for slot in slots:
            for resource, one in known.named(slot.value).items():
                before = one.producer.transaction < slot.transaction
                about = before and _is_about(slot, resource, one, traffic)
                if about and not was_there(slot, one, traffic):
                    if (same := claimed_as(slot, one)) is not None:
                        yield same
                    break


def _is_about(slot: Slot, resource: str, proposal: Proposal, traffic: Traffic) -> bool:
    if slot.place is Place.PATH:
        return resource in collection_names(slot.name)
    own = id_stem(slot.name) or plain(slot.name)
    whole = same_name(resource) if len(resource) >= _TELLING else f" {resource}"
    if own == resource or own.endswith(f" {resource}") or same_name(own).endswith(whole):
        return True
    if _is_of_form(slot, proposal, traffic):
        return True
    if is_bare_id(slot.name):
        words = set(resource.split())
        if any(words <= _said(one, traffic) for one in _speaking(slot, traffic)):
            return True
    return slot.place is Place.QUERY and _is_address(slot, proposal, traffic)


def _is_of_form(slot: Slot, proposal: Proposal, traffic: Traffic) -> bool:
    """Return whether a script of the page sends what a hidden field of it has, called alike:
    ``baserevid`` of ``editRevId``."""
    called = "".join(words_of(proposal.slot.name)[-2:])
    alike = len(called) > _TELLING and same_name(slot.name).endswith(called)
    if proposal.producer.control != "hidden" or not alike or not is_id_name(proposal.slot.name):
        return False
    exchange = traffic.steps[slot.transaction].exchange
    page = exchange.request_header("referer") if exchange is not None else None
    path = (page or "").partition("?")[0]
    return path.endswith(traffic.steps[proposal.producer.transaction].path)


def _is_address(slot: Slot, proposal: Proposal, traffic: Traffic) -> bool:
    """Return whether the response that gives out the id has the request's own address with it, or
    the end of that: ``/?p=5``; not ``/shops/delete?ids=5`` of ``/teas/delete?ids=5``."""
    folder, _, file = traffic.steps[slot.transaction].path.rpartition("/")
    address = re.compile(re.escape(f"/{file}?{slot.name}={slot.raw}") + r"(?![^\W_])")
    text = traffic.response(proposal.producer.transaction).text
    starts = (found.start() for found in address.finditer(text))
    heads = (_BEFORE.split(text[max(0, at - _LONGEST_FOLDER) : at])[-1] for at in starts)
    above = (one.replace("\\", "").lstrip(".") for one in heads)
    return any(one.endswith(folder) or folder.endswith(one) for one in above)


def _speaking(slot: Slot, traffic: Traffic) -> Iterator[int]:
    """Yield the slot's own transaction, and that which has redirected to it."""
    at = slot.transaction
    yield at
    if at and traffic.led_to(at - 1) is not None:
        yield at - 1


def _said(transaction: int, traffic: Traffic) -> frozenset[str]:
    """Return the words of a request's path and short values, one of each resource."""
    step = traffic.steps[transaction]
    said = traffic.requests.echoes.get(transaction, frozenset())
    return _words(collection(step.called), said)


@lru_cache(1 << 6)
def _words(called: str, values: frozenset[str]) -> frozenset[str]:
    texts = (one for one in (called, *values) if len(one) <= _LONGEST_WORD)
    words = [word for text in texts for word in plain(text).split()]
    return frozenset((*words, *map(singular, words)))
