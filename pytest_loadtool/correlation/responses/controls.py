"""Form controls of a page as producers: fields, what they offer to choose from, meta tags."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import Literal

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.correlation.producer import Producer, Wanted
from pytest_loadtool.extraction.tags import choices, control_value, controls, labels_for
from pytest_loadtool.model.rule import ProducerKind

_FORM_START = re.compile(r"<form(?=[\s>])", re.IGNORECASE)
_CHOICES = frozenset({"checkbox", "radio", "submit", "button", "image", "reset", "file", "range"})


def in_page(text: str, transaction: int, wanted: Wanted) -> Iterator[Producer]:
    """Yield form fields and meta tags: the wanted ones, those that a person fills in, and of the
    others one of each name in a form; and the wanted choices."""
    seen: set[tuple[int, str]] = set()
    labels: dict[str, int] | None = None
    forms = [match.start() for match in _FORM_START.finditer(text)]
    for tag, found, start, end in controls(text):
        name = found.get("name", "")
        if not name:
            continue
        value = control_value(text, tag, found, end)
        control = _control_type(tag, found.get("type", "").lower())
        form = bisect_left(forms, start) - 1
        sought = value in wanted
        if sought or control == "text" or (form, name) not in seen:
            seen.add((form, name))
            kind = ProducerKind.META if tag == "meta" else ProducerKind.CONTROL
            yield Producer(transaction, kind, name, value, form=form, control=control)
        if control != "choice" or not (sought or tag == "select"):
            continue
        if labels is None:
            labels = labels_for(text)
        for value, label in choices(text, tag, found, end, labels):
            if value in wanted:
                yield Producer(
                    transaction, ProducerKind.CHOICE, name, value,
                    form=form, control=control, text=label, labels=frozenset({unescape(label)}),
                )  # fmt: skip


def form_start(text: str, form: int) -> int | None:
    """Return where the attributes of the form with that number (`Producer.form`) begin."""
    found = next(islice(_FORM_START.finditer(text), form, None), None) if form >= 0 else None
    return None if found is None else found.end()


def _control_type(tag: str, kind: str) -> Literal["", "hidden", "text", "choice"]:
    if tag == "meta":
        return ""
    if tag == "input" and kind == "hidden":
        return "hidden"
    choice = tag in ("select", "button") or kind in _CHOICES
    return "choice" if choice else "text"
