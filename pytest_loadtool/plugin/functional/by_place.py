"""Says at the end of a run which values were taken by their place in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_loadtool.model.case import TestCase

#: The name of such a test's property. It travels with the test's reports, and into JUnit files.
_BY_PLACE = "taken by its place in the list"


def by_place(case: TestCase) -> list[tuple[str, object]]:
    """The property of a test that replays ``case``, if that has such extractors."""
    found = [
        f"line {one.line} ({one.variable})"
        for each in case.transactions()
        for one in each.extractors
        if one.by_place
    ]
    return [(_BY_PLACE, ", ".join(found))] if found else []


def notices(stats: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """What is said of the reports by category (pytest's ``stats``): a line for each such test."""
    told = {
        report.nodeid: value
        for reports in stats.values()
        for report in reports
        # pytest-xdist makes lists of tuples
        for name, value in getattr(report, "user_properties", ())
        if name == _BY_PLACE
    }
    for nodeid, value in told.items():
        yield f"loadtool: {nodeid}: {_BY_PLACE}: {value}"
