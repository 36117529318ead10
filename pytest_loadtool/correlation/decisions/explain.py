"""Explaining: each variable as a decision with its evidence."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.correlation.decisions.constants import constant_notes
from pytest_loadtool.correlation.decisions.notes import (
    Title,
    consumers,
    cookie_notes,
    limit_notes,
    miss_notes,
    search_notes,
    titles_of,
    typed_notes,
)
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.proposals import REPLAY_COMPARE, ByClient, Miss
from pytest_loadtool.correlation.sources.variables import Found
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.rule import Role, Rule
from pytest_loadtool.structure.uses import used_by

#: The confidence in what is found by its place: the list has other rows for another user.
_BY_PLACE = 0.4
#: What a value without a name is called: ``/list?1795338240519``.
_NAMELESS = "The number in the query"


def explain(
    case: TestCase,
    traffic: Traffic,
    found: Sequence[Found],
    computed: Sequence[ByClient],
    misses: Sequence[Miss],
    rules: Sequence[Rule],
) -> Iterator[Decision]:
    """Yield all decisions on a configured case: what was correlated, what could not be, what was
    left alone on purpose, and what is kept."""
    title = titles_of(case).__getitem__
    cookies = tuple(cookie_notes(traffic, rules, title))
    twinned = {one.name for one in rules if one.role is Role.ANTI_FORGERY}
    twins = [
        note.reason.removeprefix("The ").partition(" is ")[0]
        for note in cookies
        if note.rule in twinned and note.producer
    ]
    for one in found:
        yield _variable(one, title, twins)
    for made in computed:
        yield _made(made, title)
    settled = {slot for made in computed for slot in made.slots}
    misses = [miss for miss in misses if miss.slot not in settled]
    yield from miss_notes(misses, title)
    yield from cookies
    yield from typed_notes(traffic, title)
    yield from limit_notes(traffic, title)
    told = (*settled, *(miss.slot for miss in misses))
    yield from constant_notes(
        traffic, (*told, *(slot for one in found for slot in one.slots)), title
    )
    yield from search_notes(traffic, title)
    names = {one.name for one in found} | {one.name for one in computed}
    yield from _kept(case, names, (*rules, REPLAY_COMPARE))


def _made(one: ByClient, title: Title) -> Decision:
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
    if one.rule.role is Role.ANTI_FORGERY:
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


def _kept(case: TestCase, found: Container[str], rules: Sequence[Rule]) -> Iterator[Decision]:
    """Yield one decision for each variable of ASM in the case that is not among those just found:
    what only a replay shows is not looked for anew."""
    by_name = {rule.name: rule for rule in reversed(rules)}
    transactions = list(zip(titles_of(case), case.transactions(), strict=True))
    used = [(title, used_by(case, one.request)) for title, one in transactions]
    for name, variable in case.variables.items():
        if variable.set_by != "asm" or not variable.rule or name in found:
            continue
        setters = (
            title
            for title, one in transactions
            if any(extractor.variable == name for extractor in one.extractors)
        )
        producer = next(setters, "")
        rule = by_name.get(variable.rule, Rule(variable.rule))
        yield Decision(
            value=variable.recorded or "",
            variable=name,
            producer=producer,
            consumers=tuple(title for title, names in used if name in names),
            rule=rule.name,
            reason=rule.reason.format(field=name.partition("[")[0], producer=f'"{producer}"'),
            confidence=rule.confidence,
        )
