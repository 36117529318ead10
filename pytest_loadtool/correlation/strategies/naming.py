"""What things are called, as evidence: the label, the row or the item has a name that the session
has given."""

from __future__ import annotations

import re
from itertools import combinations

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.correlation.classify import (
    AMOUNTS,
    OPTION_KEYS,
    TELLING,
    collection_names,
    is_chosen,
    is_id_name,
    is_short_number,
    without_ids,
)
from pytest_loadtool.correlation.index.meaning import OF_ANY_KIND, is_for
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import collection, id_stem, is_called, words_of
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.strategies.new_pages import is_id, signs_in
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind

#: Which of several forms in one a field is of: ``items[0][tag]``, ``item-0-tag``.
_INDEX = re.compile(r"\[\d{1,2}\](?=\[[A-Za-z])|-\d{1,2}(?=-[A-Za-z])")
#: In how many words of a label a name is looked for.
_MOST_WORDS = 12


def named_link(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The text of the link is what a change before has sent: a name, or several of them; an
    attribute with a small number is not called after another kind of thing."""
    at = producer.transaction
    named = is_id(slot, traffic) and any(_sent(one, at, traffic) for one in producer.labels)
    return named and not (
        _is_of_another(slot, producer, traffic) or _is_in_another_list(slot, producer, traffic)
    )


def _is_in_another_list(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """Return whether a number that is only called an id, in an attribute of a list of what was made
    under that name, is asked for behind the kind of something else: in ``/tag/search?ids=3``, not
    that of a row of ``/teas``."""
    if producer.kind is not ProducerKind.TEXT or not is_short_number(slot.value):
        return False
    asked = traffic.steps[slot.transaction].path
    kind = collection(asked)
    if id_stem(producer.name) or id_stem(slot.name) or not is_id_name(slot.name) or not kind:
        return False
    listed = words_of(collection(traffic.steps[producer.transaction].path))
    made = (traffic.requests.written.get(one) for one in producer.labels)
    own = any(one is not None and listed & _about(one, traffic) for one in made)
    return own and words_of(kind).isdisjoint({*listed, *words_of(asked.rpartition("/")[2])})


def _about(transaction: int, traffic: Traffic) -> frozenset[str]:
    return words_of(collection(traffic.steps[transaction].called))


def _is_of_another(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """Return whether a field is for the number of one kind of thing, and an attribute is called
    after another: ``task_id`` and ``data-owner-id``."""
    stem = id_stem(producer.name)
    wanted = collection(slot.before) if slot.place is Place.PATH else id_stem(slot.name)
    told = stem and wanted and OF_ANY_KIND.isdisjoint((stem.split()[-1], wanted.split()[-1]))
    if not told or producer.kind is not ProducerKind.TEXT or not is_short_number(slot.value):
        return False
    alike = any(is_called(stem, one) for one in collection_names(wanted))
    return not alike and not is_for(slot, frozenset({stem}), traffic)


def named_choice(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The label of the choice is what a change has sent before any page had it: a name, or several
    of them, or has that name, as no other there has; not that of who has signed in, nor of a box
    whose name has the id."""
    name = _INDEX.sub("", slot.name)
    if without_ids(name) != name:
        return False
    first = traffic.offered[producer.name, producer.value, producer.text]
    sent = any(_sent(one, first, traffic, by_login=False) for one in producer.labels)
    return sent or _has_own_name(producer, first, traffic)


def _has_own_name(producer: Producer, first: int, traffic: Traffic) -> bool:
    """Return whether the label has several words or a long one that a person has typed before:
    ``Tea House (open)``, and no other choice of the field has them."""
    (label,) = producer.labels
    words = label.split()[:_MOST_WORDS]
    spans = combinations(range(len(words) + 1), 2)
    parts = (" ".join(words[start:end]) for start, end in spans if end - start < len(words))
    names = [
        one
        for one in parts
        if len(one) >= TELLING
        and _sent(one, first, traffic, by_login=False)
        and traffic.responses.served.get(one, first) >= traffic.requests.sent.get(one, first)
    ]
    others = [
        unescape(text)
        for name, value, text in (traffic.offered if names else ())
        if name == producer.name and value != producer.value
    ]
    return any(all(one not in each for each in others) for one in names)


def _sent(label: str, at: int, traffic: Traffic, *, by_login: bool = True) -> bool:
    """Return whether a change has sent the label, or its words, before a transaction is
    answered."""

    def sent(text: str) -> bool:
        first = traffic.requests.written.get(text, at + 1)
        telling = len(text) > 2 and not text.isdigit()
        return telling and first <= at and (by_login or not signs_in(traffic, first))

    return sent(label) or (" " in label and all(map(sent, label.split())))


def named_item(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The item of a list is called what a change before has sent: the name of the resource; and no
    change has sent the value before any answer had it, as clients do that make ids up. Who has
    signed in names an item that has the name itself, and not what they have made."""
    at = producer.transaction
    first = traffic.responses.served.get(slot.value, at)
    if (
        not is_short_number(slot.value)
        and traffic.requests.written.get(slot.value, first + 1) <= first
    ):
        return False
    return any(
        len(one) > 2
        and not one.isdigit()
        and (sent := traffic.requests.written.get(one, at)) < at
        and not (one in producer.inner and signs_in(traffic, sent))
        for one in producer.labels
    )


def picked_option(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The item of a list has it as the value of what a person has picked there: of a name that a
    change before has sent, or that the request sends, too."""
    if producer.name not in OPTION_KEYS or slot.name in AMOUNTS or is_chosen(slot.name):
        return False
    said = traffic.requests.echoes.get(slot.transaction, frozenset())
    names = (one for one in producer.labels if len(one) > 2 and not one.isdigit())
    return named_item(slot, producer, traffic) or not said.isdisjoint(names)
