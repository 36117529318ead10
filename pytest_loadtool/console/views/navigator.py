"""The Navigator: what belongs to the project, and what opens it; and results of load tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pytest_loadtool.console.views.columns import cell_len, clipped, padded
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.load.formatting import count
from pytest_loadtool.report.load.units import milliseconds
from pytest_loadtool.workflow.navigator import ProjectFolder

#: Columns that a name takes at the most, for what is said of it to begin below one another.
_NAME = 34


def folders(found: Iterable[ProjectFolder]) -> Iterator[ViewLine]:
    """Yield a heading for each kind, and a line for each thing, with its command."""
    for folder in found:
        yield ViewLine((folder.title, "heading"))
        width = min(_NAME, max(cell_len(one.name) for one in folder.entries))
        for one in folder.entries:
            mark = ">" if one.current else " "
            about = f"  {one.about}" if one.about else ""
            yield ViewLine(
                (f"{mark} {padded(one.name, width)}", "name"),
                (about, ""),
                (f"  `{one.command}`", "number"),
            )


def results(found: Mapping[str, Any], width: int) -> Iterator[ViewLine]:
    """Yield what the results of a load test say: the verdict, its reasons, and the numbers of all
    requests and of each page. Saved runs have the verdict alone."""
    verdict = str(found["verdict"])
    kind: Kind = "good" if verdict == "passed" else "bad"
    yield ViewLine((f"{found['name']}  ", "heading"), (verdict.upper(), kind))
    yield ViewLine((f"started {found['started']}", ""))
    for reason in _list(found.get("reasons")):
        yield ViewLine(("* ", "bad"), (str(reason), ""))
    if load := _dict(found.get("configuration")).get("load"):
        yield ViewLine((str(load), ""))
    totals = _dict(found.get("totals"))
    if not totals:
        return
    name = max(12, min(60, width - 41))
    yield ViewLine(
        (f"{'':<{name}}{'count':>9}{'failed':>9}{'average ms':>12}{'p95 ms':>10}", "number")
    )
    yield _row("all requests", totals, ("requests", "errors", "response_time_ms"), name)
    for page in map(_dict, _list(found.get("pages"))):
        yield _row(str(page.get("name")), page, ("count", "failed", "duration_ms"), name)


def _row(title: str, one: Mapping[str, Any], keys: tuple[str, str, str], name: int) -> ViewLine:
    done, failed, times = keys
    durations = _dict(one.get(times))
    cells = (
        f"{_cell(one.get(done), count):>9}{_cell(one.get(failed), count):>9}"
        f"{_cell(durations.get('mean'), milliseconds):>12}"
        f"{_cell(durations.get('p95'), milliseconds):>10}"
    )
    return ViewLine((padded(clipped(title, name - 2), name), "name"), (cells, ""))


def _cell(value: object, shown: Callable[[float], str]) -> str:
    """Return a number as it is shown; nothing where there is none: results may be anybody's
    file."""
    return shown(value) if isinstance(value, int | float) else milliseconds(None)


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
