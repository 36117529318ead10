"""Choices: what a person picks by its label in a form: an option, a check box, a radio button."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape

from pytest_loadtool.extraction.bound import escaped_text
from pytest_loadtool.extraction.tags import select_end
from pytest_loadtool.model.extractor import FormField, RegularExpression, Source

_OPTION = re.compile(r'<option[^<>]*?\svalue="([^"]*)"[^<>]*>\s*+([^<>]*+)<')
#: A tag between a control and its label; no input.
_TAG = r"<[^<>](?:[^n<>][^<>]*)?"
_FOLLOWING = re.compile(rf"[^<>]*((?:>\s*{_TAG})*?)>\s*+([^<>\s][^<>]*+)<")
_FOR = re.compile('for="([^"]*+)"')
_ROW_ENDS = re.compile(r"</(?:tr|li|article|label|p)\b", re.IGNORECASE)
#: What has no label of its own, but a value that people read.
_NO_CHOICE = frozenset({"submit", "image", "reset", "file", "range", "button"})


def labels_for(text: str) -> dict[str, int]:
    """By the id of a control, as the page writes it: where the first ``label`` for it says so."""
    found: dict[str, int] = {}
    for one in _FOR.finditer(text):
        found.setdefault(one[1], one.start())
    return found


def choices(
    text: str, tag: str, found: dict[str, str], end: int, labels: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    """The choices of a control with those attributes, whose tag ends there: the value that each
    submits, and its label as the page writes it. ``labels`` are the page's, by `labels_for`."""
    if tag == "select":
        for value, label in _OPTION.findall(text, end, select_end(text, end)):
            yield value, label.rstrip()
    elif found.get("value") and found.get("type", "").lower() not in _NO_CHOICE:
        label = _label(text, labels.get(escape(found.get("id", "")), -1), end)
        if label:
            yield found["value"], label


def _label(text: str, named: int, end: int) -> str:
    """By the ``label`` element for it, else the text behind it in the same row."""
    label = _FOLLOWING.match(text, named) if named >= 0 else None
    label = label or _FOLLOWING.match(text, end - 1)
    return "" if label is None or _ROW_ENDS.search(label[1]) else label[2].rstrip()


def choice_patterns(name: str) -> Iterator[tuple[str, str]]:
    """What takes the value of a choice in a field of that name: patterns before and behind that of
    the label."""
    field = rf'\sname="{escaped_text(escape(name))}"'
    value = r'\svalue="([^"]*)"'
    yield (
        rf"{field}[^<>]*>(?:[^<]*</?opt[^<>]*>)*?[^<]*<option[^<>]*?{value}[^<>]*>\s*",
        r"\s*<",
    )
    for both in (f"{field}[^<>]*?{value}", f"{value}[^<>]*?{field}"):
        yield rf"{both}[^<>]*(?:>\s*{_TAG})*?>\s*", r"\s*<"
        yield r">\s*", rf"\s*(?:{_TAG}>\s*)*?<[^<>]*?{both}"


def choice_sources(text: str, name: str, label: str) -> Iterator[Source]:
    """What takes the value of the choice with that label, written so, in a field of that name: as
    the page came, if it was selected then, whatever others are called so."""
    if re.search(rf"<option(?=[^<>]*\sselected)[^<>]*>\s*{re.escape(label)}\s*<", text):
        yield FormField(name)
    for before, behind in choice_patterns(name):
        yield RegularExpression(before + escaped_text(label) + behind)
