"""Wide and combining characters: columns stay below each other, and lines within the terminal."""

from __future__ import annotations

from dataclasses import replace

from rich.cells import cell_len

from pytest_loadtool.console.views.columns import clipped, middle, padded
from pytest_loadtool.console.views.datasets import grid as rows_of
from pytest_loadtool.console.views.fields import table
from pytest_loadtool.console.views.tree import tree
from pytest_loadtool.correlation.requests.fields import Field
from pytest_loadtool.model.dataset import Dataset
from pytest_loadtool.workflow.fields import ShownField
from tests.console.samples import DOCUMENT

WIDE, COMBINED = "東京駅のお茶", "cafe\u0301"


def test_texts_take_the_columns_that_a_terminal_gives_them() -> None:
    """Two for a wide character, none for a combining one."""
    assert cell_len(padded(WIDE, 20)) == cell_len(padded(COMBINED, 20)) == 20
    assert clipped(WIDE, 9) == "東京駅の…"
    assert clipped(WIDE, 8) == "東京駅…"
    assert clipped(COMBINED, 4) == COMBINED
    for columns in range(4, 30):
        assert cell_len(middle(f"/{WIDE}/{WIDE}/new", columns)) <= columns


def test_fields_stay_in_their_columns() -> None:
    """The datasources of all begin in the same column."""
    names = ("name", WIDE, COMBINED)
    fields = [
        ShownField(0, Field(name, "QUERY", value, "Constant value", correlated=False, slot=None))
        for name, value in zip(names, ("tea", WIDE * 9, COMBINED), strict=True)
    ]
    lines = list(table(fields, width=60))[1:]
    assert len({cell_len(line[: line.index("Constant")]) for line in lines}) == 1
    assert all(cell_len(line) <= 60 for line in lines)


def test_rows_of_a_dataset_stay_in_their_columns() -> None:
    """The second column begins where its head does."""
    dataset = Dataset(("name", "city"), ((WIDE, "x1"), (COMBINED, "x2"), ("ann", "x3")))
    lines = list(rows_of(dataset, range(3), at=0, secrets=False))
    starts = [cell_len(line[: line.index("city" if not at else "x")]) for at, line in
              enumerate(lines)]  # fmt: skip
    assert len(set(starts)) == 1


def test_tree_stays_within_the_terminal() -> None:
    """Names of pages, and paths that are shown decoded."""
    case = DOCUMENT.case
    first = case.pages[0].transactions[0]
    request = replace(first.request, target=f"/{WIDE * 9}/new")
    page = replace(
        case.pages[0], name=WIDE * 9, transactions=(replace(first, request=request, name=WIDE),)
    )
    document = replace(DOCUMENT, case=replace(case, pages=(page,)))
    lines = list(tree(document, width=80))
    assert all(cell_len(line) <= 80 for line in lines)
    assert any("…" in line for line in lines)
