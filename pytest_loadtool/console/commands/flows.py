"""Flows: what is done more than once, until something holds, only sometimes, or one of several."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

from pytest_loadtool.casefile import parse_flow
from pytest_loadtool.casefile.quantities import format_duration
from pytest_loadtool.console.arguments import Duration, FlowName, SelectionWord
from pytest_loadtool.console.errors import CommandError, UsageError, as_usage
from pytest_loadtool.console.selection import Selection, select
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.flows import flow_line, flow_lines
from pytest_loadtool.editing.flows import ensure_flows, left, placed, with_flow, without_flow
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import page_span
from pytest_loadtool.model.flow import NamedFlow, Until, parents_of
from pytest_loadtool.workflow.document import Document


async def flow(
    session: Console,
    name: FlowName | None = None,
    *selected: SelectionWord,
    repeat: str | None = None,
    until: str | None = None,
    every: Duration | None = None,
    limit: Duration | None = None,
    when: str | None = None,
    choose: str | None = None,
    within: FlowName | None = None,
    leave: bool = False,
    remove: bool = False,
) -> None:
    """Repeat pages or transactions, ask for them until something holds, or do them only sometimes.

    NAME is what the flow is called, SELECTED what stands in it: pages, or transactions of one page,
    that stand together, as for `delete`. Without SELECTED the rule of a flow that is there becomes
    another one; with NAME alone it is shown, and without all are.

    One of --repeat, a number of times or a range; --until, a validator as files have it, which has
    to hold of the response to the last transaction: what is selected is done again --every so often
    (1s), until --limit, where it has failed; --when, a validator of a value, as
    `{ value = "${stock}", more_than = 0 }`; --choose, flows by their weights, one of which is done:
    `browse=7,buy=3`, and `nothing=1` for none of them. --within is the flow that it is a part of.
    --leave takes SELECTED out of it, --remove the flow away; what stood in it stays.

    Example: `flow "job is done" 5 --until '{ json = "$.state", equals = "done" }' --limit 60s`
    """
    document = session.opened()
    case = document.case
    if name is None:
        session.tell(flow_lines(case))
        if not case.flows:
            session.say("There are no flows.")
        return
    keys: dict[str, Any] = {"repeat": repeat, "until": until, "when": when, "choose": choose}
    given = {key: _value(key, text) for key, text in keys.items() if text is not None}
    lengths = {"every": every, "limit": limit}
    spans: dict[str, float] = {
        key: seconds for key, seconds in lengths.items() if seconds is not None
    }
    chosen = select(document, selected) if selected else Selection(())
    if (remove or leave or not (given or spans or selected or within)) and name not in parents_of(
        case.flows
    ):
        raise UsageError(f"there is no flow {name!r}: `flow` lists them")
    if remove:
        case = without_flow(case, name)
    elif leave:
        case = left(case, name, chosen.pages, chosen.transactions)
    else:
        case = _set(document, name, given, spans, within, chosen)
    try:
        ensure_flows(case)
    except ValueError as error:
        raise CommandError(str(error)) from None
    if case != document.case:
        session.document = replace(document, case=case)
    session.tell([flow_line(case, name)] if name in parents_of(case.flows) else flow_lines(case))


def _set(
    document: Document,
    name: str,
    given: dict[str, Any],
    spans: dict[str, float],
    within: str | None,
    chosen: Selection,
) -> TestCase:
    """Return the test case with the flow as it is to be."""
    case, before = document.case, document.case.flows.get(name)
    made = before
    if before is not None and isinstance(before.rule, Until) and spans and not given:
        if spans.get("limit") == 0:
            raise UsageError("--limit must be longer than 0s")
        rule = before.rule
        every, limit = spans.get("every", rule.every), spans.get("limit", rule.limit)
        made = replace(before, rule=replace(rule, every=every, limit=limit))
    elif given or spans:
        written = {key: format_duration(seconds) for key, seconds in spans.items()}
        with as_usage():
            made = parse_flow(name, {**given, **written})
        made = replace(made, within=before.within if before is not None else "")
    if within is not None and made is not None:
        made = replace(made, within=within)
    if made is None and name not in parents_of(case.flows):
        rules = "--repeat, --until, --when or --choose"
        raise UsageError(f"there is no flow {name!r}: give it one of {rules}")
    if made is not None:
        case = with_flow(case, made)
    pages = not (isinstance(made, NamedFlow) and isinstance(made.rule, Until))
    whole = chosen.pages if pages else ()
    inside = {at for page in whole for at in page_span(case, page)}
    return placed(case, name, whole, set(chosen.transactions) - inside)


def _value(key: str, text: str) -> Any:
    """Return the value of a key as a file has it."""
    if key == "repeat":
        return text
    try:
        if key == "choose":
            pairs = (one.rpartition("=") for one in text.split(","))
            return {name.strip(): int(weight) for name, _, weight in pairs}
        return tomllib.loads(f"check = {text}")["check"]
    except ValueError as error:
        example = "browse=7,buy=3" if key == "choose" else '{ json = "$.state", equals = "done" }'
        raise UsageError(f"--{key}: expected {example}: {error}") from None
