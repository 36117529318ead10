"""Explaining: each variable as a decision with its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_loadtool.codec.secret_names import is_secret
from pytest_loadtool.correlation.claims import Claims
from pytest_loadtool.correlation.computed import Computed
from pytest_loadtool.correlation.constants import constant_notes
from pytest_loadtool.correlation.notes import (
    Title,
    consumers,
    cookie_notes,
    limit_notes,
    miss_notes,
    search_notes,
    typed_notes,
)
from pytest_loadtool.correlation.traffic import Traffic
from pytest_loadtool.correlation.variables import Found
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.rule import Rule

#: The confidence in what is found by its place: the list has other rows for another user.
_BY_PLACE = 0.4
#: What a value without a name is called: ``/list?1795338240519``.
_NAMELESS = "The number in the query"


def explain(
    traffic: Traffic,
    found: Sequence[Found],
    computed: Sequence[Computed],
    claims: Claims,
    rules: Sequence[Rule],
    title: Title,
) -> Iterator[Decision]:
    """All decisions: what was correlated, what could not be, and what was left alone on purpose."""
    cookies = tuple(cookie_notes(traffic, rules, title))
    twins = [
        note.reason.removeprefix("The ").partition(" is ")[0]
        for note in cookies
        if note.rule == "csrf-cookie" and note.producer
    ]
    for one in found:
        yield _variable(one, title, twins)
    for made in computed:
        yield _made(made, title)
    settled = {slot for made in computed for slot in made.slots}
    misses = [miss for miss in claims.misses if miss.slot not in settled]
    yield from miss_notes(misses, title)
    yield from cookies
    yield from typed_notes(traffic, title)
    yield from limit_notes(traffic, title)
    told = (*settled, *(miss.slot for miss in misses))
    yield from constant_notes(
        traffic, (*told, *(slot for one in found for slot in one.slots)), title
    )
    yield from search_notes(traffic, title)


def _made(one: Computed, title: Title) -> Decision:
    return Decision(
        value=one.recorded,
        variable=one.name,
        producer="",
        consumers=consumers(one.slots, title),
        rule=one.rule.name,
        reason=one.rule.reason.format(field=one.slots[0].name or _NAMELESS, producer=""),
        confidence=one.rule.confidence,
        secret=is_secret(one.name),
    )


def _variable(one: Found, title: Title, twins: Sequence[str]) -> Decision:
    producer = title(one.producer.transaction)
    users = consumers(one.slots, title)
    field = one.slots[0].name if one.slots else one.producer.name
    reason = one.rule.reason.format(field=field, producer=f'"{producer}"')
    if one.rule.variable == "csrf_token":
        # The same secret in another form, so that both are valid together and differ in their text.
        reason += "".join(f" Its twin, the {twin}, is sent from the cookie jar." for twin in twins)
    if one.producer.box is not None:
        reason += f" There it is encoded: {one.source}."
    if one.row:
        reason += f' It is found by "{one.row}" among the others there.'
    if one.by_place:
        reason += " It is taken by its place in the list: nothing tells its row from the others."
    if not users:
        reason += " No later request uses it."
    return Decision(
        value=one.producer.value,
        variable=one.name,
        producer=producer,
        consumers=users,
        rule=one.rule.name,
        reason=reason,
        confidence=min(one.rule.confidence, _BY_PLACE) if one.by_place else one.rule.confidence,
        secret=is_secret(one.name),
    )
