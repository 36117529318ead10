"""What the page of `--loadtool-html` shows of a test case besides its steps: it travels with the
test's report, so it is of types that pytest-xdist can send."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from pytest_loadtool.model.case import TestCase

if TYPE_CHECKING:
    from pytest_loadtool.report.failure import DiagnosedFailure


class CaseData(TypedDict):
    """The name of a test case, its pages, each with the titles of its transactions; why it failed,
    and the page that `--loadtool-trace` has left."""

    name: str
    pages: list[list[Any]]
    diagnosis: dict[str, Any] | None
    trace: str


def case_data(case: TestCase, failure: DiagnosedFailure | None, trace: Path | None) -> CaseData:
    """Return the data of a test case that was replayed."""
    from pytest_loadtool.report.html.diagnosis import diagnosis_data

    return CaseData(
        name=case.name,
        pages=[[page.name, [one.title for one in page.transactions]] for page in case.pages],
        diagnosis=diagnosis_data(failure.diagnosis, failure.mask, failure.path)
        if failure is not None
        else None,
        trace=str(trace) if trace is not None else "",
    )
