"""The page of the test cases of a session, which its script (static/cases.js) draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_loadtool.report.html.page import page

#: The outcomes that somebody has to look at come first.
_ORDER = ("failed", "error", "xpassed", "passed", "xfailed", "skipped")


def cases_page(tests: Sequence[Mapping[str, Any]], *, started: str, seconds: float) -> bytes:
    """Return the page of ``tests``, each with its name, outcome, pages, steps and diagnosis."""
    ordered = sorted(tests, key=lambda one: _ORDER.index(one["outcome"]))
    counts = Counter(one["outcome"] for one in tests)
    rows = [_with_rows(one) for one in ordered]
    shown = {
        "title": ", ".join(f"{counts[one]} {one}" for one in _ORDER if counts[one]) or "no tests",
        "counts": [(one, counts[one]) for one in _ORDER if counts[one]],
        "tests": rows,
        "started": started,
        "seconds": seconds,
        "transactions": sum(len(one["steps"]) for one in tests),
    }
    data = {"tests": [{"pages": one["rows"], "span": one["span"]} for one in rows]}
    return page("cases.html", shown, data=data, scripts=("static/common.js", "static/cases.js"))


def _with_rows(test: Mapping[str, Any]) -> dict[str, Any]:
    """Return a test with its transactions as rows of a waterfall, by page; times in
    milliseconds."""
    steps = {one["index"]: one for one in test["steps"]}
    begin = min((one["at"] for one in steps.values()), default=0.0)
    number, pages = 0, []
    for name, titles in test["pages"]:
        rows = []
        for title in titles:
            rows.append(_row(number, title, steps.get(number), begin))
            number += 1
        pages.append([name, rows])
    ends = [one["at"] - begin + one["milliseconds"] for one in steps.values()]
    return {
        **test,
        "rows": pages,
        "span": max([*ends, 1.0]),
        "sent": len(steps),
        "total": number,
        "failed": sum(1 for one in steps.values() if one["failure"]),
    }


def _row(index: int, title: str, step: Mapping[str, Any] | None, begin: float) -> list[Any]:
    """Return ``[number, title, kind, status, at, waiting, receiving, said]``."""
    if step is None:
        return [index + 1, title, "never", 0, 0, 0, 0, ""]
    kind = (
        "failed" if step["failure"] else "not_as_recorded" if step["not_as_recorded"] else "passed"
    )
    waited = min(step["waited"], step["milliseconds"])
    return [
        index + 1,
        title,
        kind,
        step["status"],
        round(step["at"] - begin, 2),
        round(waited, 2),
        round(step["milliseconds"] - waited, 2),
        step["failure"] or step["not_as_recorded"],
    ]
