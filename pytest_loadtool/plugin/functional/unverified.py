"""Says at the end of a run which tests have accepted any certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_loadtool.model.case import TestCase

#: The property of such a test. It travels with the test's reports, and into JUnit files.
_UNVERIFIED = ("certificates", "not verified")


def unverified(cases: Iterable[TestCase]) -> list[tuple[str, object]]:
    """The property of a test that replays ``cases``, if one of them verifies no certificates."""
    return [_UNVERIFIED] if any(not case.tls.verify for case in cases) else []


def notice(stats: Mapping[str, Sequence[Any]]) -> str:
    """What is said of the reports by category (pytest's ``stats``): nothing if all verified."""
    tests = dict.fromkeys(
        report.nodeid
        for reports in stats.values()
        for report in reports
        # pytest-xdist makes lists of tuples
        if _UNVERIFIED in map(tuple, getattr(report, "user_properties", ()))
    )
    if not tests:
        return ""
    return f"loadtool: certificates were not verified (tls.verify = false): {', '.join(tests)}"
