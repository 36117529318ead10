"""``[flows.NAME]``: from their tables to the model, back, and what has to hold of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from pytest_loadtool.casefile.case.validators import validator
from pytest_loadtool.casefile.quantities import format_duration, parse_duration
from pytest_loadtool.casefile.toml.render import inline_table, scalar, string
from pytest_loadtool.casefile.toml.schema import (
    Key,
    Node,
    Rejected,
    Table,
    at_least,
    named,
    parsed,
    read_alone,
)
from pytest_loadtool.casefile.toml.shape import shaped, takes
from pytest_loadtool.model.flow import Choose, NamedFlow, Repeat, Rule, Until, When
from pytest_loadtool.model.validator import ValueValidator

#: How often something is asked for where nobody says so, in seconds.
USUAL_EVERY = 1.0

_RULES = ("repeat", "until", "when", "choose")
_TIMES = re.compile(r"(\d+)(?:\s*-\s*(\d+))?", re.ASCII)


def flow_name(text: str) -> str:
    """Return the name of a flow.

    Raises:
        ValueError: it is none.
    """
    if not text.strip() or text != text.strip():
        raise ValueError(f"{text!r} is no name: expected text without white space around it")
    return text


def parse_times(text: str) -> Repeat:
    """Return how many times: ``3``, or a range such as ``2-5``.

    Raises:
        ValueError: it says neither, or none.
    """
    found = _TIMES.fullmatch(text.strip())
    least, most = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= least <= most:
        raise ValueError(
            f'expected a number from 1 on, or a range such as "2-5" with the smaller one first, '
            f'got "{text[:40]}"'
        )
    return Repeat(least, most)


@takes("integer", "string", minimum=1)
def _repeat(node: Node) -> Repeat:
    if isinstance(node.value, bool) or not isinstance(node.value, int | str):
        raise node.expected('a number of times, or a range such as "2-5"')
    try:
        return parse_times(str(node.value))
    except ValueError as error:
        raise node.wrong(str(error)) from None


@takes("object", additionalProperties={"type": "integer", "minimum": 1}, minProperties=1)
def _choose(node: Node) -> Mapping[str, int]:
    weights = named(flow_name, at_least(1))(node)
    if not weights:
        raise node.wrong(
            "must not be empty: name flows with their weights, { browse = 7, buy = 3 }"
        )
    return MappingProxyType(weights)


@takes("string")
def _limit(node: Node) -> float:
    seconds = parsed(parse_duration, "s")(node)
    if not seconds:
        raise node.wrong("must be longer: it would end before anything is asked")
    return seconds


FLOW: Table = Table(
    "a flow",
    {
        "repeat": Key(_repeat),
        "until": Key(validator),
        "every": Key(parsed(parse_duration, "s")),
        "limit": Key(_limit),
        "when": Key(validator),
        "choose": Key(_choose),
        "within": Key(parsed(flow_name)),
    },
)


@shaped(lambda describe: describe(FLOW))
def flow(node: Node) -> NamedFlow:
    """Return a table of ``[flows]``."""
    found = FLOW.read(node)
    present = [name for name in _RULES if name in found]
    if len(present) != 1:
        got = " and ".join(map(repr, present)) or "none"
        raise node.wrong(f"expected one of {', '.join(_RULES)}; got {got}")
    for name in ("every", "limit"):
        if name in found and present != ["until"]:
            raise node.child(name, None).wrong("goes with 'until' only")
    return NamedFlow(str(node.at[-1]), _rule(node, found), found.get("within", ""))


def parse_flow(name: str, table: Mapping[str, Any]) -> NamedFlow:
    """Return the flow that these keys say, as a test case has them.

    Raises:
        ValueError: they say none; the text says why.
    """
    return read_alone(flow, table, (flow_name(name),))


def _rule(node: Node, found: Mapping[str, Any]) -> Rule:
    if "repeat" in found:
        return Repeat(found["repeat"].least, found["repeat"].most)
    if "choose" in found:
        return Choose(found["choose"])
    if "when" in found:
        if not isinstance(found["when"], ValueValidator):
            raise node.child("when", None).wrong(
                "there is no response yet: expected a value that is known before, "
                'as { value = "${stock}", more_than = 0 }'
            )
        return When(found["when"])
    if "limit" not in found:
        raise _missing(
            node, "limit", 'limit = "60s", after which it has failed: it might never end'
        )
    return Until(found["until"], found.get("every", USUAL_EVERY), found["limit"])


def _missing(node: Node, name: str, example: str) -> Rejected:
    return node.child(name, None).wrong(f"missing: write {example}")


def flow_pairs(one: NamedFlow, written: Any) -> Iterator[tuple[str, str, bool]]:
    """Yield the keys of a flow's table with their values, and whether that is as usual.

    ``written`` gives the keys of a validator.
    """
    match one.rule:
        case Repeat(least, most):
            yield "repeat", str(least) if least == most else string(f"{least}-{most}"), False
        case Until(check, every, limit):
            yield "until", inline_table(written(check)), False
            yield "every", string(format_duration(every)), every == USUAL_EVERY
            yield "limit", string(format_duration(limit)), False
        case When(check):
            yield "when", inline_table(written(check)), False
        case Choose(weights):
            pairs = {name: scalar(weight) for name, weight in weights.items()}
            yield "choose", inline_table(pairs), False
    if one.within:
        yield "within", string(one.within), False
