"""Ids in calls of scripts: an answer has a script that builds a list, a call for each thing, with
its id and what it is called: ``add_row("17", {"name": "Tea"});``."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from pytest_loadtool.codec.names import words_of
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import is_code_name, is_short_number
from pytest_loadtool.correlation.index.meaning import OF_ANY_KIND
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.kinds import id_stem, is_called, is_done
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.proposals import Proposal, fitting
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.strategies.row_ids import may_be_id, was_sent
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn
from pytest_loadtool.extraction.page import CALL, escaped_text
from pytest_loadtool.model.extractor import InItem, RegularExpression
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind, Rule

_RULE = Rule(
    "call-id",
    "{field} is in a call of a script in {producer}, which shows what was sent before.",
    confidence=0.75,
)
#: A call whose first argument may be an id: its name, its beginning, and the argument.
_CALL = re.compile(
    r"""((?<![\w$])[A-Za-z_$][\w$]*)\((\s*(?:\\?["'])?)([\w-]{1,64})(?=\\?["']|\s*,)"""
)
#: Names of ids that say of what by a letter.
_ABBREVIATED = re.compile(r"_?[a-z]ids?(?:\[\])?", re.IGNORECASE)
_TEXT = re.compile(r"""["']([^"'\\<>]{3,200})\\?["']""")
#: How many answers before a request are looked at, how far behind it, how long each may be, and how
#: long a call.
_MOST_ANSWERS, _MOST_STEPS, _LONGEST_ANSWER, _LONGEST_CALL = 10, 100, 500_000, 2_000


class _Call(NamedTuple):
    """A call of a script: what is called, what is before its first argument and that, and its
    texts."""

    name: str
    before: str
    first: str
    texts: frozenset[str]


class CallIds:
    """The ids of things for which an answer has a call of a script."""

    name = "call-ids"
    why = "The call of a script that shows a text which was sent has the id as its first argument."
    source = (
        'pages whose scripts build their lists: `add_row("17", {"name": "Tea"})`, '
        "in answers to scripts, too"
    )
    turns = frozenset({Turn.OPEN})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Settled) -> Iterator[Proposal]:
        """Yield the proposals on ids that an answer has beside a text of the user's own: short
        numbers in fields called like an id, or like what the script calls."""
        for slot in slots:
            asks = slot.place is Place.QUERY and _ABBREVIATED.fullmatch(slot.name)
            if not (may_be_id(slot, traffic) or (asks and is_short_number(slot.value))):
                continue
            found = (
                (at, call, text)
                for at in islice(_answers(slot, traffic), _MOST_ANSWERS)
                for call, text in _told(slot, at, traffic)
            )
            for at, call, text in islice(found, 1):
                producer = Producer(at, ProducerKind.TEXT, "", slot.value)
                fits = fitting(slot, producer)
                if fits is not None:
                    written = r"(\d+)" if slot.value.isdigit() else r"([\w-]+)"
                    pattern = f"{escaped_text(f'{call.name}({call.before}')}{written}"
                    inner = RegularExpression(escape(pattern))
                    source = InItem(inner, escape(text), f"{call.name}{CALL}")
                    yield Proposal(fits, producer, _RULE, source, 1)


def _answers(slot: Slot, traffic: Traffic) -> Iterator[int]:
    """Yield what has the value, the nearest before the request first, and comes after it was asked
    for under that name."""
    asked = traffic.requests.asked[slot.value, traffic.asked_for(slot)]
    scripts = traffic.responses.scripts
    first, end = (bisect_left(scripts, at) for at in (slot.transaction - _MOST_STEPS, asked))
    for at in reversed(scripts[first : min(end, bisect_left(scripts, slot.transaction))]):
        exchange = traffic.steps[at].exchange
        assert exchange is not None, "it has a response"
        fits = exchange.response_size <= _LONGEST_ANSWER
        if fits and slot.value.encode() in exchange.response_body:
            yield at


def _told(slot: Slot, at: int, traffic: Traffic) -> Iterator[tuple[_Call, str]]:
    """Yield the calls with the value first, each with a text that only this one has of the calls of
    the same function, and that the user has sent."""
    text = traffic.response(at).text
    calls = _calls(text)
    for call in (one for one in calls if one.first == slot.value and _is_for(slot, one, traffic)):
        others = [one.texts for one in calls if one.name == call.name and one is not call]
        own = (
            one
            for one in sorted(call.texts, key=len, reverse=True)
            if not any(one in other for other in others) and was_sent(one, at + 1, traffic)
        )
        yield from ((call, one) for one in islice(own, 1))


def _is_for(slot: Slot, call: _Call, traffic: Traffic) -> bool:
    """Return whether a slot is for ids of what is called: a short number by its name, a bare ``id``
    by what the request says."""
    kinds = [one for one in words_of(call.name) if not is_done(one) and one not in OF_ANY_KIND]
    if not is_short_number(slot.value) or any(is_called(slot.name, one) for one in kinds):
        return True
    if not (is_code_name(slot.name) or _ABBREVIATED.fullmatch(slot.name)):
        return False
    stem = id_stem(slot.name)
    says = [stem] if stem else words_of(traffic.steps[slot.transaction].address)
    own = any(is_called(each, one) for one in kinds for each in says)
    return own or not kinds or _ABBREVIATED.fullmatch(slot.name) is not None


@lru_cache(maxsize=64)
def _calls(text: str) -> tuple[_Call, ...]:
    """Return the calls in a text that have an id and texts."""
    found = []
    for one in _CALL.finditer(text):
        end = text.find(");", one.end(), one.end() + _LONGEST_CALL)
        texts = frozenset(each[1] for each in _TEXT.finditer(text, one.end(), max(end, 0)))
        if texts:
            found.append(_Call(one[1], one[2], one[3], texts))
    return tuple(found)
