"""Says at the end of a run what passed and did not come as it was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

#: The name of such a test's property. It travels with the test's reports, and into JUnit files.
OTHERWISE = "not as recorded"
_MOST_SHOWN = 3


def answered_otherwise(lines: Iterable[str]) -> list[tuple[str, object]]:
    """The property of a test of whose transactions there is this to say, if there is."""
    found = [line for line in lines if line]
    if not found:
        return []
    more = [f"and {len(found) - _MOST_SHOWN} more"] if len(found) > _MOST_SHOWN else []
    return [(OTHERWISE, "; ".join([*found[:_MOST_SHOWN], *more]))]


def notices(stats: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """What is said of the reports by category (pytest's ``stats``): a line for each test that
    passed. The failure of another says it itself."""
    for report in stats.get("passed", ()):
        for name, value in getattr(report, "user_properties", ()):
            if name == OTHERWISE:
                yield f"loadtool: {report.nodeid} passed, but {name}: {value}"
