"""Outcomes that go by one item of a list: it may be on a further page.

Of a list of the newest that is known by numbers that grow: if all that is listed has a greater one,
others have come since. A list in another order is full if it has as many items as pages have. One
that shows others in place of some that it had before the change does not show all, however few
these are. How the outcome is, such an answer does not show; nor need it, if an answer at an address
of its own does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from pytest_loadtool.codec.entities import in_markup
from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.extraction.extract import PlainText, Readable
from pytest_loadtool.extraction.jsonpath import bind_beside, json_text
from pytest_loadtool.extraction.row_search import ROWS
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import JsonValidator, TextValidator, Validator
from pytest_loadtool.replay.compile.before import kept_text
from pytest_loadtool.replay.compile.computed import composed
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.user.exchange import Check, Response
from pytest_loadtool.replay.user.failures import not_as_recorded

#: A shorter list is no page of a longer one, but all that there is.
_FEWEST: Final = 4
#: How many items pages of lists have.
_FULL: Final = frozenset({10, 12, 15, 20, 24, 25, 30, 40, 50, 60, 100, 200, 250, 500, 1000})

_NUMBER: Final = re.compile("[0-9]{1,18}")

#: How rows begin, of which a page may have a full list: not those of menus, nor the heads of a
#: table.
_ROWS: Final = tuple(
    re.compile(one, re.IGNORECASE) for one in (r"<tr\b[^<>]*>\s*<td\b", r"<article\b")
)
#: A row of a page, whatever is in it, and the address by which it is known.
_ROW: Final = re.compile(
    rf"<({'|'.join(ROWS)})(?=[\s>])(.*?)(?=<\1[\s>]|</\1\b|\Z)", re.IGNORECASE | re.DOTALL
)
_ADDRESS: Final = re.compile(r"""\b(?:href|action)=["']?([^"'<>\s]+)""", re.IGNORECASE)


class _List(NamedTuple):
    """What an answer lists."""

    own: str = ""
    """The number of the item that an outcome goes by."""
    others: Sequence[str] = ()
    """Those of all that are listed."""
    items: frozenset[str] = frozenset()
    """What tells each item from others."""
    rows: int = 0
    """How many rows there are, if as many as pages have."""


_Listed = Callable[[Readable, Sequence[str]], _List]


def unseen_item(
    validator: Validator, names: VariableNames, strict: bool, kept: int | None
) -> Callable[[Readable, Sequence[str]], Failure | None] | None:
    """Return a function from a response that lacks the item of an outcome to what is said in place
    of a failure, if the response does not show it. ``kept`` is the slot of the text of the answer
    before the change, if there is one. None: the validator goes by no such item."""
    outcome = validator.outcome
    listed = _listed(validator, names) if outcome is not None else None
    if listed is None or outcome is None:
        return None
    name, about = outcome.name, outcome.change or "it"

    def unseen(why: str) -> Failure:
        said = (
            f"it does not show whether {name}: {why}, so that what {about} is about may be on a "
            "further page"
        )
        return not_as_recorded(said) if strict else Failure("answer", said, certain=False)

    def tell(response: Readable, values: Sequence[str]) -> Failure | None:
        own, others, items, rows = listed(response, values)
        numbers = [int(one) for one in {*others} if _NUMBER.fullmatch(one)]
        if own in others:
            return None
        if len(numbers) >= _FEWEST and _NUMBER.fullmatch(own) and min(numbers) > int(own):
            return unseen("all that is listed is newer")
        full = len(others) if len(others) in _FULL else rows
        if full:
            return unseen(f"it lists {full}, as pages do")
        before = PlainText(kept_text(values, kept))
        then = listed(before, values).items if before.text else frozenset()
        gone = then - items
        if gone and items - then:
            return unseen(f"others are listed in place of {len(gone)} of before")
        return None

    return tell


def shown_again(case: TestCase) -> frozenset[tuple[int, int]]:
    """Return, by transaction and position, the validators of an outcome in a list that an answer at
    an address of its own shows, too."""
    own: set[tuple[str, str, object]] = set()
    listed: dict[tuple[int, int], tuple[str, str, object]] = {}
    for at, one in enumerate(case.transactions()):
        is_own = "${" in one.request.target.partition("?")[0]
        for position, validator in enumerate(one.validators):
            what = _what(validator)
            if what is None:
                continue
            if not is_own or is_in_list(validator):
                listed[at, position] = what
            else:
                own.add(what)
    return frozenset(place for place, what in listed.items() if what in own)


def is_in_list(validator: Validator) -> bool:
    """Return whether a validator goes by an item of a list."""
    match validator:
        case JsonValidator(path=path):
            return "?" in path
        case TextValidator(row=row):
            return bool(row)
    return False


def _what(validator: Validator) -> tuple[str, str, object] | None:
    """Return which change a validator shows, the name of the field that does, and what it has."""
    outcome = validator.outcome
    if outcome is None or outcome.before or validator.absent:
        return None
    match validator:
        case JsonValidator(path=path, equals=value) if value is not None:
            return outcome.change, path.rpartition(".")[2], value
        case TextValidator(text=text):
            return outcome.change, "", text
    return None


def if_it_shows(check: Check) -> Check:
    """Return the check, silent about an answer that does not show it."""

    def shown(response: Response, values: list[str]) -> Failure | None:
        failure = check(response, values)
        return failure if failure is None or failure.certain else None

    return shown


def _listed(validator: Validator, names: VariableNames) -> _Listed | None:
    match validator:
        case JsonValidator(path=path):
            return _items(path, names)
        case TextValidator(row=""):
            return _any_rows
        case TextValidator(row=row):
            return _rows(row, names)
    return None


def _items(path: str, names: VariableNames) -> _Listed | None:
    beside = bind_beside(path, lambda template: composed(template, names))
    if beside is None:
        return None

    def listed(response: Readable, values: Sequence[str]) -> _List:
        try:
            own, others, items = beside(response.json(), values)
        except ValueError:
            return _List()
        return _List(own, others, frozenset(map(_known_as, items)))

    return listed


def _known_as(item: Any) -> str:
    """Return what tells an item of a list from others: what else it has may become another."""
    own = item.get("id") if isinstance(item, dict) else None
    return json_text(item if own is None else own) or ""


def _any_rows(response: Readable, _: Sequence[str]) -> _List:
    """Return the rows of a page, and what tells each from others."""
    text = response.text
    each = (one[2] for one in _ROW.finditer(text))
    items = frozenset(found[1] if (found := _ADDRESS.search(row)) else row for row in each)
    return _List(items=items, rows=_full(text))


def _full(text: str, start: int = 0, end: int | None = None) -> int:
    """Return how many rows a part of a page has, if as many as pages have; else 0."""
    counts = (len(one.findall(text[start:end])) for one in _ROWS)
    return next((one for one in counts if one in _FULL), 0)


def _full_around(text: str, found: re.Match[str] | None) -> int:
    """Return how many rows the table has in which something was ``found``, likewise."""
    if found is None:
        return 0
    tables = text.lower()
    start, end = tables.rfind("<table", 0, found.start()), tables.find("</table", found.end())
    return _full(text, max(0, start), end if end >= 0 else None)


def _rows(row: str, names: VariableNames) -> _Listed | None:
    """Return the items of a page by what its rows are known by, such as an address: with another
    number in the place of the id. Several may have one number in common, that of their category,
    and others none, so the rows are counted, too. A text of many is no id: that may be the row of
    another."""
    parts = Template.parse(row).parts
    ids = [one for one in parts if isinstance(one, Reference)]
    if not ids:
        return _any_rows
    if len(ids) > 1:
        return None
    own, whole = (composed(one, names) for one in (Template((ids[0],)), Template(parts)))
    written = "".join(re.escape(one) if isinstance(one, str) else r"(\d+)" for one in parts)
    other = re.compile(written)

    def listed(response: Readable, values: Sequence[str]) -> _List:
        mine, text = own(values), response.text
        page = _any_rows(response, values)
        if _NUMBER.fullmatch(mine):
            rows = _full_around(text, other.search(text))
            return page._replace(own=mine, others=[*{*other.findall(text)}], rows=rows)
        return page._replace(own=mine, others=[mine] if in_markup(whole(values), text) else [])

    return listed
