"""The causes that only a load test has, one rule for each: what tells them apart is when, at how
many users, in which sessions and with which rows iterations failed."""

from __future__ import annotations

from collections.abc import Iterable
from shlex import quote

from pytest_loadtool.diagnosis.causes import server, session
from pytest_loadtool.diagnosis.finding import Cause, Remedy, Sure
from pytest_loadtool.diagnosis.load.finding import LoadRule
from pytest_loadtool.diagnosis.load.situation import AWAY, LoadSituation, Slowdown
from pytest_loadtool.load.formatting import count, digits, plural
from pytest_loadtool.load.verdict.failing import FailingGroup

Groups = tuple[FailingGroup, ...]

#: Times grow by this factor where a server has too much to do, and by so many milliseconds.
_SLOWER, _SLOWER_MS = 1.5, 10.0
#: What a test took when it was recorded is of another machine, perhaps.
_SLOWER_THAN_RECORDED = 4.0
#: An answer that takes at most this part of a good one comes from who does not do the work.
_AT_ONCE = 0.7
#: So many milliseconds are at once anyhow.
_QUICK_MS = 5.0
#: A worker that is late by so many milliseconds makes time-outs itself.
_LATE_MS = 500.0
#: The youngest session that was refused is at least so old, by the oldest that was not.
_OLDER, _OLD_S = 0.8, 0.5
#: Hardly anybody got an answer where so many requests failed; and users do not wait in vain by
#: chance where so many iterations ended so.
_MOSTLY, _OFTEN = 0.5, 0.05
#: From fewer iterations nothing is concluded that may be chance.
ENOUGH = 3
#: Of so many rows the numbers are told.
_MOST_TOLD = 8


def iterations(groups: Groups) -> int:
    """Return how many iterations failed first there."""
    return sum(one.iterations for one in groups)


def when(situation: LoadSituation, groups: Groups) -> str:
    """Return from when on iterations failed, up to when if that was before the end, and for how
    many users."""
    first = min(groups, key=lambda one: one.first_s)
    last = max(one.last_s + one.step_s for one in groups)
    ended = situation.summary.totals.duration_s
    until = f" to {last}" if last < ended - 1.5 else " on"
    word = "from second" if until == " on" else "seconds"
    users = f" at {plural(round(first.users), 'user')}" if first.users >= 1 else ""
    failed = f"{plural(iterations(groups), 'iteration')} failed first here"
    return f"{failed}, {word} {first.first_s}{until}{users}"


def _confirm(situation: LoadSituation, groups: Groups) -> str:
    return f"pytest {quote(situation.path_of(groups[0]))}"


# The generator's own limits.


def _of_generator(situation: LoadSituation, group: FailingGroup) -> bool:
    if group.cause in ("memory", "internal"):
        return True
    if group.cause == "connect" and ("ulimit" in group.message or "local port" in group.message):
        return True
    late = max((one.lag_p95 or 0.0 for one in situation.summary.workers), default=0.0)
    return group.cause == "timeout" and late >= _LATE_MS


def _tell_generator(situation: LoadSituation, groups: Groups) -> Cause:
    lags = [one.lag_p95 or 0.0 for one in situation.summary.workers]
    return Cause(
        "The machine that makes the load is at its limit, not the target.",
        Sure.SAID,
        (
            when(situation, groups),
            *dict.fromkeys(one.message for one in groups),
            f"event loop late by {digits(max(lags, default=0.0))} ms (95th percentile)",
        ),
        (Remedy("use more workers (-n) or machines, or fewer users; keep connections open"),),
    )


# A limit of requests.


def _limited(situation: LoadSituation, group: FailingGroup) -> bool:
    examined = situation.examined.get(group.key)
    said = examined is not None and server.rate_limited(examined.situation) is not None
    return group.status == 429 or said


def _tell_limited(situation: LoadSituation, groups: Groups) -> Cause:
    found = [situation.examined[one.key] for one in groups if one.key in situation.examined]
    told = next((one for each in found if (one := server.rate_limited(each.situation))), None)
    evidence = told.evidence if isinstance(told, Cause) else ()
    slow = situation.slowdown
    if slow is not None and slow.factor < _SLOWER:
        evidence = (*evidence, f"good answers stayed quick: {digits(slow.many_ms)} ms")
    statuses = ", ".join(sorted({str(one.status) for one in groups}))
    return Cause(
        f"The target limits how many requests it takes ({statuses}): a rate limit.",
        Sure.SAID,
        (when(situation, groups), *evidence),
        _less(situation, groups),
        _confirm(situation, groups),
    )


def _less(situation: LoadSituation, groups: Groups) -> tuple[Remedy, ...]:
    line = situation.transaction(groups[0]).line
    status = groups[0].status
    return (
        Remedy(
            "raise the limit of the test server, or let the load generator's address through; or "
            "send less: fewer users, more think time",
        ),
        Remedy(
            "if the limit is what is tested, expect it",
            line=f'status = "200-399, {status}"',
            place=f"{situation.path_of(groups[0])}:{line}" if line else "",
        ),
    )


def _refused_at_once(situation: LoadSituation, group: FailingGroup) -> bool:
    """Return whether they were refused by who stands before the server: at once, while others get
    good answers that are as quick as ever."""
    slow = situation.slowdown
    return (
        group.status == 503
        and group.good_ms is not None
        and group.failed_ms <= max(group.good_ms * _AT_ONCE, _QUICK_MS)
        and situation.mixed(group)
        and (slow is None or slow.factor < _SLOWER)
        and not _much_slower(situation.slower_than_recorded(group), _SLOWER_THAN_RECORDED)
    )


def _tell_refused_at_once(situation: LoadSituation, groups: Groups) -> Cause:
    quick = max(groups, key=lambda one: one.iterations)
    return Cause(
        "Something before the server limits the requests or connections that it lets through "
        f"({quick.status}): a rate limit, as of nginx.",
        Sure.SHOWN,
        (
            when(situation, groups),
            f"refused within {digits(quick.failed_ms)} ms, all the while that others were answered "
            f"well in {digits(quick.good_ms or 0.0)} ms: the server itself is not slow",
        ),
        _less(situation, groups),
        _confirm(situation, groups),
    )


# Rows.


def _failing_rows(group: FailingGroup) -> tuple[str, frozenset[int]]:
    """Return the dataset whose rows tell failed iterations from others, and these rows; none if no
    dataset does."""
    good = group.good
    for name in dict.fromkeys(row[0] for row, _ in group.rows):
        bad = {row: number for (one, row), number in group.rows if one == name}
        others = {row for one, row in good.rows if one == name}
        if others and min(bad.values()) > 1 and not others & bad.keys() and len(bad) <= len(others):
            return name, frozenset(bad)
    return "", frozenset()


def _of_rows(_situation: LoadSituation, group: FailingGroup) -> bool:
    known = not group.other_rows and group.good.all_rows
    return group.status != 0 and known and bool(_failing_rows(group)[1])


def _tell_rows(situation: LoadSituation, groups: Groups) -> Cause:
    first = groups[0]
    name = _failing_rows(first)[0]
    rows = sorted(set().union(*(_failing_rows(one)[1] for one in groups)))
    case = situation.cases[first.case_number].case
    file = next((one.file for one in case.datasets if one.name == name), name)
    others = len({row for dataset, row in first.good.rows if dataset == name})
    examined = situation.examined.get(first.key)
    said = examined.situation.complaints if examined is not None else ()
    shown = _numbers(row + 1 for row in rows)
    verb = "fails" if len(rows) == 1 else "fail"
    return Cause(
        f"{shown} of {file} {verb} each time; the others do not.",
        Sure.SAID,
        (
            when(situation, groups),
            # Those that are known: of workers with failures, since the first of them.
            f"at least {plural(others, 'other row')} got good answers from the same transaction",
            *(f"it says: {one!r}" for one in said),
        ),
        (Remedy(f"correct {shown.lower()} of {file} (counted from 1, without the heading)"),),
    )


def _numbers(rows: Iterable[int]) -> str:
    known = list(rows)
    if len(known) == 1:
        return f"Row {known[0]}"
    told = ", ".join(map(str, known[:_MOST_TOLD]))
    rest = len(known) - _MOST_TOLD
    if rest > 0:
        return f"Rows {told} and {rest} more"
    return f"Rows {' and '.join(told.rsplit(', ', 1))}"


# The target was away.


def _away(situation: LoadSituation, group: FailingGroup) -> bool:
    """Return whether all answers of some time were like this, or none came, and before it there
    were good ones."""
    if group.status not in AWAY and not (group.status == 0 and group.cause in _NO_TARGET):
        return False
    if _swamped(situation, group):
        return False
    first, last = group.first_s, group.last_s
    if not situation.good_within(0, first - 1):
        return False
    if last - first >= 2:
        return not situation.good_within(first + 1, last - 1)
    return group.cause in ("connect", "reset") and situation.failing_share(first, last) > _MOSTLY


def _swamped(situation: LoadSituation, group: FailingGroup) -> bool:
    """Return whether they were refused by a target that got slower with more users and takes its
    time even to refuse: it is there. Who stands before one that is away says so at once."""
    slow = situation.slowdown
    if slow is None or group.status == 0 or not _much_slower(slow, _SLOWER):
        return False
    return group.failed_ms > slow.few_ms


_NO_TARGET = frozenset({"connect", "reset", "protocol", "timeout", "dns"})


def _gone_with_it(situation: LoadSituation, group: FailingGroup) -> bool:
    """Return whether the target has forgotten sessions since: refused from then on, and not
    before."""
    ends = [one.last_s for one in situation.groups if _away(situation, one)]
    return (
        bool(ends)
        and _about_session(situation, group)
        and group.good.total > 0
        and group.first_s >= min(ends) - 1
    )


def _while_away(situation: LoadSituation, group: FailingGroup) -> bool:
    return _away(situation, group) or _gone_with_it(situation, group)


def _tell_away(situation: LoadSituation, groups: Groups) -> Cause:
    away = tuple(one for one in groups if _away(situation, one))
    first, last = min(one.first_s for one in away), max(one.last_s for one in away)
    back = situation.good_within(last + 1, 1 << 60)
    lost = sum(one.iterations for one in groups if one not in away)
    until = f"to {last}" if back else "on, to the end"
    after = f"; {count(back)} good answers after it" if back else ""
    return Cause(
        f"The target was away from second {first} {until}: it was restarted, or crashed."
        if back
        else f"The target went away in second {first} and did not come back.",
        Sure.SHOWN,
        (
            when(situation, away),
            *dict.fromkeys(one.message for one in away),
            f"{count(situation.good_within(0, first - 1))} good answers before it{after}",
            *([f"sessions were lost with it: {plural(lost, 'iteration')} refused"] if lost else []),
        ),
        (Remedy("look into the log of the target, and of what started it anew, at that time"),),
    )


# Sessions.


def _about_session(situation: LoadSituation, group: FailingGroup) -> bool:
    examined = situation.examined.get(group.key)
    to_login = examined is not None and bool(session.to_login(examined.situation))
    not_as_recorded = examined is not None and "log in" in examined.situation.failed.not_as_recorded
    return group.status in (401, 403, 419, 440) or to_login or not_as_recorded


def _expired(situation: LoadSituation, group: FailingGroup) -> bool:
    """Return whether they were refused in older sessions alone."""
    good = group.good
    told_apart = good.since > 0 and group.iterations >= ENOUGH
    older = told_apart and group.youngest_s >= max(_OLD_S, _OLDER * good.oldest_s)
    return older and _about_session(situation, group)


def _tell_expired(situation: LoadSituation, groups: Groups) -> Cause:
    youngest = min(one.youngest_s for one in groups)
    oldest = max(one.good.oldest_s for one in groups)
    path = quote(situation.path_of(groups[0]))
    return Cause(
        f"Sessions expire: after about {digits(youngest)} s they are refused.",
        Sure.SHOWN,
        (
            when(situation, groups),
            f"refused in sessions of {digits(youngest)} s and more, counted from their first "
            f"request; answered well in sessions of up to {digits(oldest)} s",
        ),
        (
            Remedy("have the test server keep sessions for longer, or users think for less"),
            Remedy("or log in again within the test case: docs/authentication.md"),
        ),
        f"pytest {path} --loadtool-think-time none",
    )


# Too much to do.


def _much_slower(slow: Slowdown | None, factor: float) -> bool:
    return slow is not None and slow.factor >= factor and slow.many_ms - slow.few_ms >= _SLOWER_MS


def _slowest(situation: LoadSituation, group: FailingGroup) -> Slowdown | None:
    """Return how good answers slowed down, if they did by much."""
    by_users, recorded = situation.slowdown, situation.slower_than_recorded(group)
    if _much_slower(by_users, _SLOWER):
        return by_users
    return recorded if _much_slower(recorded, _SLOWER_THAN_RECORDED) else None


def _overloaded(situation: LoadSituation, group: FailingGroup) -> bool:
    failing = group.status >= 500 or (group.status == 0 and group.cause in _NO_TARGET)
    if not failing or not group.good.total:
        return False
    if max((one.users for one in situation.moments), default=0.0) <= 1:
        return False
    if _slowest(situation, group) is not None:
        return True
    every = sum(one.iterations + one.cut for one in situation.summary.cases)
    in_vain = group.cause == "timeout" and group.iterations > _OFTEN * every
    return in_vain and situation.slowdown is None


def _tell_overloaded(situation: LoadSituation, groups: Groups) -> Cause:
    slow = next((one for each in groups if (one := _slowest(situation, each))), None)
    evidence = [when(situation, groups), *dict.fromkeys(one.message for one in groups)]
    if slow is not None:
        few = "when recorded" if slow.recorded else f"at {plural(round(slow.few), 'user')}"
        evidence.append(
            f"good answers took {digits(slow.few_ms)} ms {few}, {digits(slow.many_ms)} ms at "
            f"{plural(round(slow.many), 'user')}"
        )
    users = min(one.users for one in groups)
    return Cause(
        f"The target is overloaded from about {plural(max(1, round(users)), 'user')} on.",
        Sure.SHOWN if slow is not None else Sure.LIKELY,
        tuple(evidence),
        (
            Remedy(
                "look where it waits (processor, database, pool of connections); that many users "
                "are what it can take as it is"
            ),
        ),
        _confirm(situation, groups),
    )


RULES: tuple[LoadRule, ...] = (
    LoadRule("generator", _of_generator, _tell_generator),
    LoadRule("rate limit", _limited, _tell_limited),
    LoadRule("rows", _of_rows, _tell_rows),
    LoadRule("away", _while_away, _tell_away),
    LoadRule("expired", _expired, _tell_expired),
    LoadRule("refused at once", _refused_at_once, _tell_refused_at_once),
    LoadRule("overload", _overloaded, _tell_overloaded),
)
"""The first that explains a group is told of it."""
