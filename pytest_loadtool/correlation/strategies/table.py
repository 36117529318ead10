"""All strategies, in their order: of two that claim a value, the first has it."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_loadtool.correlation.strategies.call_ids import CallIds
from pytest_loadtool.correlation.strategies.changed_items import ChangedItems
from pytest_loadtool.correlation.strategies.client_made import (
    ClientDays,
    ClientIds,
    ClientTimes,
    ClientValues,
    CodeVerifiers,
    IdempotencyKeys,
)
from pytest_loadtool.correlation.strategies.edited_rows import EditedRows
from pytest_loadtool.correlation.strategies.joined_ids import JoinedIds
from pytest_loadtool.correlation.strategies.known_ids import KnownIds
from pytest_loadtool.correlation.strategies.link_ids import LinkIds
from pytest_loadtool.correlation.strategies.listed_ids import ListedIds
from pytest_loadtool.correlation.strategies.made_ids import MadeIds
from pytest_loadtool.correlation.strategies.row_ids import RowIds
from pytest_loadtool.correlation.strategies.rules import Rules
from pytest_loadtool.correlation.strategies.strategy import Strategy
from pytest_loadtool.correlation.strategies.typed import TypedFields
from pytest_loadtool.model.rule import Rule


def strategies(rules: Sequence[Rule]) -> tuple[Strategy, ...]:
    """Return the strategies that a recording alone is looked at with; ``rules`` are the most
    trusted first."""
    return (
        TypedFields(),
        LinkIds(),
        Rules(rules),
        KnownIds(),
        ListedIds(),
        JoinedIds(),
        EditedRows(),
        CallIds(),
        RowIds(),
        MadeIds(),
        ChangedItems(),
        CodeVerifiers(),
        ClientTimes(),
        ClientDays(),
        ClientValues(),
        IdempotencyKeys(),
        ClientIds(),
    )
