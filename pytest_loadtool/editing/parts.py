"""The parts of a test case: what a virtual user of a load test does once, before its first
iteration or after its last."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from pytest_loadtool.editing.login_forms import logins
from pytest_loadtool.editing.pages import ensure_parts
from pytest_loadtool.model.case import Once, TestCase
from pytest_loadtool.model.editing import page_span
from pytest_loadtool.model.exchange import Exchange

#: What each part is called, and what pages of none are.
PART_NAMES: Mapping[Once | None, str] = MappingProxyType(
    {"start": "start", "end": "end", None: "no"}
)

#: A recording begins with a login if this page, counted from 1, or one before it logs in.
_LATEST_LOGIN = 3
_LOGOUT = re.compile(r"(?:log|sign)[-_]?(?:out|off)(?![a-z])", re.IGNORECASE)


def part_of(name: str) -> Once | None:
    """Return the part that is called ``name``.

    Raises:
        ValueError: none is.
    """
    for part, known in PART_NAMES.items():
        if known == name:
            return part
    raise ValueError(f"{name!r} is not a part: expected one of {', '.join(PART_NAMES.values())}")


@dataclass(frozen=True, slots=True)
class Parts:
    """The pages of a test case that are its start, and its end, by their indexes."""

    start: range
    end: range


def marked(case: TestCase, indexes: Sequence[int], once: Once | None) -> TestCase:
    """Return ``case`` whose pages at ``indexes`` are done ``once``, or in each iteration (None).

    Raises:
        ValueError: as `ensure_parts`.
    """
    pages = tuple(
        replace(page, once=once) if index in indexes else page
        for index, page in enumerate(case.pages)
    )
    ensure_parts(pages)
    return replace(case, pages=pages)


def proposed(case: TestCase, exchanges: Sequence[Exchange] = ()) -> Parts | None:
    """Return what the recording shows to be its start, up to the login, and its end, the logout;
    None where it does not begin with a login, or nothing is between."""
    count = len(case.pages)
    found = [one.transaction for one in logins(case, exchanges)]
    login = next(
        (
            index
            for index in range(min(_LATEST_LOGIN, count))
            if any(one in page_span(case, index) for one in found)
        ),
        None,
    )
    if login is None:
        return None
    leaves = any(_logs_out(one.request.target) for one in case.pages[-1].transactions)
    end = range(count - leaves, count)
    return Parts(range(login + 1), end) if login + 1 < end.start else None


def _logs_out(target: str) -> bool:
    return _LOGOUT.search(target.partition("?")[0]) is not None
