"""What is said at the end of a run of tests that passed, and of which there is something to know.

It travels with the tests' reports as properties, through pytest-xdist and into JUnit files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_loadtool.structure.doubts import KINDS, doubts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_loadtool.model.case import TestCase

NOT_AS_RECORDED = "not as recorded"
NOT_KEPT = "replay not kept"
#: The page of a replay.
TRACE = "trace"
_UNVERIFIED = ("certificates", "not verified")
_MOST_SHOWN = 3


def not_as_recorded(lines: Iterable[str]) -> list[tuple[str, object]]:
    """Return the property of a test whose answers differ from the recorded ones, if any do."""
    found = [line for line in lines if line]
    if not found:
        return []
    more = [f"and {len(found) - _MOST_SHOWN} more"] if len(found) > _MOST_SHOWN else []
    return [(NOT_AS_RECORDED, "; ".join([*found[:_MOST_SHOWN], *more]))]


def in_doubt(cases: Iterable[TestCase]) -> list[tuple[str, object]]:
    """Return the properties of a test that replays ``cases``: what these doubt, by its kind."""
    return [
        (kind, ", ".join(f"line {one.line} ({one.what})" for _, one in found))
        for case in cases
        for kind, found in doubts(case).items()
    ]


def unverified(cases: Iterable[TestCase]) -> list[tuple[str, object]]:
    """Return the property of a test that replays ``cases``, if one verifies no certificates."""
    return [_UNVERIFIED] if any(not case.tls.verify for case in cases) else []


def notices(stats: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Return the lines about the reports of a run, by their category (pytest's ``stats``)."""
    # The failure of a test says itself how its answers differ.
    for test, name, value in _properties(stats.get("passed", ())):
        if name == NOT_AS_RECORDED:
            yield f"loadtool: {test} passed, but {name}: {value}"
    every = [one for reports in stats.values() for one in _properties(reports)]
    for test, name, value in every:
        if name == NOT_KEPT:
            yield f"loadtool: {test}: {name}: {value}"
    for test, name, value in dict.fromkeys(every):
        if name in KINDS:
            yield f"loadtool: {test}: {name}: {value}"
    if tests := dict.fromkeys(test for test, *one in every if tuple(one) == _UNVERIFIED):
        yield f"loadtool: certificates were not verified (tls.verify = false): {', '.join(tests)}"


def _properties(reports: Iterable[Any]) -> Iterator[tuple[str, str, object]]:
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            yield report.nodeid, name, value
