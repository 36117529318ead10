"""Spelling: a text as an address writes it, such as the title of a post."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import normalize

from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.model.rule import ProducerKind

if TYPE_CHECKING:
    from pytest_loadtool.correlation.index.traffic import Traffic

_ALPHANUMERIC = re.compile(r"[a-z0-9]+")
_NUMBER_BEHIND = re.compile(r"-\d{1,3}$")


def slug(text: str) -> str:
    """Return a text as addresses write it: ``Kim's Café & bar`` → ``kims-cafe-bar``."""
    plain_text = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(_ALPHANUMERIC.findall(plain_text.replace("'", "")))


def spelled(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """Return whether the value is how an address writes a text of several words that a change
    before has sent, or any text of the change that is answered, or before a form that comes with
    it: ``kinds-of-tea``, also with a number behind it."""
    at, in_form = producer.transaction, producer.kind is ProducerKind.CONTROL
    if traffic.requests.written.get(slot.value, at + 1) <= at:
        return False  # as it is
    written = slug(slot.value)
    for one in (written, _NUMBER_BEHIND.sub("", written)):
        first = traffic.requests.spelled.get(one, at + 1)
        if first == at or (first < at and ("-" in one or in_form)):
            return True
    return False
