"""Scores: what each rule and strategy of correlation finds, what only it finds, and what wrongly.

The truth about a field is another recording of the same session on another server: what differs
there is dynamic. A small number may be the same on two servers by chance; then it counts as wrong
here, so the generator's sessions are recorded on four. Of recordings without a second one nothing
is known, and nothing is counted as wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_loadtool.casefile import package_rules, read_har
from pytest_loadtool.correlation import configure
from pytest_loadtool.correlation.index.indexing import read_traffic
from pytest_loadtool.correlation.index.traffic import Traffic, steps_of
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.resolve import Resolution, resolve
from pytest_loadtool.correlation.sources.anchors import numbered_slots
from pytest_loadtool.correlation.strategies.replay_compare import Replayed
from pytest_loadtool.correlation.strategies.replay_diff import ReplayDiff
from pytest_loadtool.correlation.strategies.strategy import Strategy
from pytest_loadtool.correlation.strategies.table import strategies
from pytest_loadtool.correlation.trials import suggestions
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.rule import Rule
from pytest_loadtool.recording import build_case
from tests.frameworks.harness import Trial
from tests.synthetic.judging import recorded

_ROOT = Path(__file__).parents[2]
PAGE = _ROOT / "docs" / "scores.md"
#: Recordings that are kept; of each there is one.
_RECORDINGS = (
    "example_suite/cases/admin.har",
    "example_suite/cases/api.har",
    "tests/applications/recordings/django-admin.har",
)
#: Sites of `tests.frameworks`, each with a session.
_SITES = (
    *(("angular", "make"), ("choices", "Expenses"), ("data_attributes", "Board")),
    *(("faces", "Faces"), ("keycloak", "Keycloak"), ("laravel", "Laravel"), ("rails", "Rails")),
    *(("rows", "Shelf"), ("saml", "SingleSignOn"), ("webforms", "WebForms")),
)
#: On how many servers a session of the generator is recorded, and how many sessions there are.
_SERVERS, _SESSIONS = 4, 60

#: A field of a request: the transaction, and how it is found in another recording.
_Place = tuple[int, tuple[str, int, int]]
#: Likewise, as it stands in this one.
_SlotKey = tuple[int, str | int, int, int, int, str]


@dataclass(frozen=True)
class Session:
    """A recording, and the same session as it was recorded on other servers."""

    name: str
    exchanges: Sequence[Exchange]
    others: tuple[Sequence[Exchange], ...] = ()


def corpus(recordings: Iterable[Path] = ()) -> Iterator[Session]:
    """All sessions that the tests have, and these recordings."""
    for path in (*(_ROOT / one for one in _RECORDINGS), *recordings):
        yield Session(path.stem, read_har(path))
    for name, make in _SITES:
        module: Any = import_module(f"tests.frameworks.test_{name}")
        trials = [Trial(getattr(module, make), module.session) for _ in range(2)]
        yield Session(name, trials[0].exchanges, (trials[1].exchanges,))
    for structure in range(_SESSIONS):
        first, *others = (recorded(structure, draw) for draw in range(_SERVERS))
        yield Session(f"generator {structure}", first, tuple(others))


@dataclass
class Score:
    """Counts fields, in all sessions. ``alone`` are those that nothing finds without it; ``judged``
    those of which the truth is known, and ``wrong`` those of them that are the same on all servers.
    A rule that leaves fields alone has found these: ``alone`` are those that others would take, and
    ``wrong`` those that do differ."""

    found: int = 0
    alone: int = 0
    judged: int = 0
    wrong: int = 0


@dataclass
class Scores:
    """By the name of a strategy, and by that of a rule."""

    strategies: dict[str, Score] = field(default_factory=dict)
    rules: dict[str, Score] = field(default_factory=dict)
    sessions: int = 0
    with_truth: int = 0

    def add(self, session: Session) -> None:
        """Count what is found in a session."""
        rules = package_rules()
        case = build_case(session.exchanges, name="session").case
        traffic = _traffic(case, session.exchanges, rules)
        constant = _constant(traffic, session)
        self.sessions += 1
        self.with_truth += constant is not None
        table = strategies(rules)
        everything = resolve(traffic, table)
        for one in table:
            others = [other for other in table if other is not one]
            _count(self.strategies, one.name, traffic, everything, others, constant, by_rule=False)
        for rule in rules:
            fewer = strategies([other for other in rules if other is not rule])
            _count(self.rules, rule.name, traffic, everything, fewer, constant, by_rule=True)
        if constant is not None:
            self._add_replay(case, session, rules)

    def _add_replay(self, case: TestCase, session: Session, rules: Sequence[Rule]) -> None:
        """What the recording on the other server shows as a replay, beyond what the others find."""
        configured = configure(case, session.exchanges, rules=rules).case
        traffic = _traffic(configured, session.exchanges, rules)
        replayed = Replayed(dict(enumerate(session.others[0])))
        found = [
            one for one in suggestions(traffic, replayed, rules, passed=True) if not one.chance
        ]
        score = self.strategies.setdefault(ReplayDiff.name, Score())
        now = {
            (one.transaction, one.name, one.value)
            for other in session.others
            for one in _traffic(build_case(other, name="session").case, other, ()).slots
        }
        score.found += len(found)
        score.alone += len(found)
        score.judged += len(found)
        score.wrong += sum(
            (one.slot.transaction, one.slot.name, one.slot.value) in now for one in found
        )

    def lines(self) -> Iterator[str]:
        """Two Markdown tables: of strategies, and of rules."""
        yield f"{self.sessions} sessions, {self.with_truth} of them recorded on several servers."
        yield ""
        for what, scores in (("strategy", self.strategies), ("rule", self.rules)):
            yield f"| {what} | found | only it | of known truth | wrongly |"
            yield "|---|--:|--:|--:|--:|"
            for name, one in scores.items():
                yield f"| `{name}` | {one.found} | {one.alone} | {one.judged} | {one.wrong} |"
            yield ""


def scored(text: str, scores: Scores) -> str:
    """The page with these scores."""
    between = re.compile(r"(?<=<!-- scores -->\n).*(?=<!-- end of scores -->)", re.DOTALL)
    return between.sub("\n" + "\n".join(scores.lines()) + "\n", text)


def _traffic(case: TestCase, exchanges: Sequence[Exchange], rules: Sequence[Rule]) -> Traffic:
    return read_traffic(case, steps_of(case, exchanges), rules)


def _count(
    scores: dict[str, Score],
    name: str,
    traffic: Traffic,
    everything: Resolution,
    others: Sequence[Strategy],
    constant: frozenset[_SlotKey] | None,
    *,
    by_rule: bool,
) -> None:
    score = scores.setdefault(name, Score())
    taken = {
        span
        for span, strategy, rule in _bound(everything)
        if (rule if by_rule and strategy == "rules" else "" if by_rule else strategy) == name
    }
    left = {
        _slot_key(one.slot)
        for one in everything.misses
        if one.rule.leave and (one.rule.name if by_rule else one.strategy) == name
    }
    score.found += len(taken | left)
    if not taken | left:
        return
    now = {span for span, *_ in _bound(resolve(traffic, others))}
    score.alone += len(taken - now) + len(left & now)
    if constant is not None:
        score.judged += len(taken | left)
        score.wrong += len(taken & constant) + len(left - constant)


def _bound(resolution: Resolution) -> Iterator[tuple[_SlotKey, str, str]]:
    for proposal in resolution.proposals:
        yield _slot_key(proposal.slot), proposal.strategy, proposal.rule.name
    for made in resolution.made:
        for slot in made.slots:
            yield _slot_key(slot), made.strategy, made.rule.name


def _slot_key(slot: Slot) -> _SlotKey:
    return slot.owner, slot.part, slot.start, slot.end, slot.depth, slot.value


def _constant(traffic: Traffic, session: Session) -> frozenset[_SlotKey] | None:
    """The fields that are the same on all servers; None if no other server is known."""
    if not session.others:
        return None
    constant = {(place, slot.value): _slot_key(slot) for place, slot in _places(traffic.slots)}
    for other in session.others:
        case = build_case(other, name="session").case
        alike = {(place, slot.value) for place, slot in _places(_traffic(case, other, ()).slots)}
        constant = {key: span for key, span in constant.items() if key in alike}
    return frozenset(constant.values())


def _places(slots: Sequence[Slot]) -> Iterator[tuple[_Place, Slot]]:
    """The slots by where they stand."""
    by_transaction: dict[int, list[Slot]] = {}
    for slot in slots:
        for at in slot.senders:
            by_transaction.setdefault(at, []).append(slot)
    for at, own in by_transaction.items():
        for place, slot in numbered_slots(own):
            yield (at, place), slot
