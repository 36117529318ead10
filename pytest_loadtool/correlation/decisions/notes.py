"""Notes: decisions on what is left alone, so that nothing about it stays unsaid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from pytest_loadtool.codec.cookie import sent_cookies, set_cookies
from pytest_loadtool.codec.names import CREDENTIALS, is_secret, is_typed_secret
from pytest_loadtool.correlation.classify import SWITCHES
from pytest_loadtool.correlation.index.traffic import Traffic
from pytest_loadtool.correlation.proposals import Miss
from pytest_loadtool.correlation.requests.positions import MOST_IN_ADDRESS
from pytest_loadtool.correlation.requests.slots import MOST_SLOTS, Slot
from pytest_loadtool.correlation.search_budget import MOST_SEARCHED
from pytest_loadtool.correlation.strategies.typed import TYPED, is_typed
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import Rule

Title = Callable[[int], str]


def titles_of(case: TestCase) -> list[str]:
    """Return what decisions call the transactions: their numbers, from 1, and their titles."""
    return [f"{number} {one.title}" for number, one in enumerate(case.transactions(), 1)]


#: Shown instead of a secret that a person typed.
_HIDDEN = "********"
#: Of a cookie that no rule knows by name.
_COOKIE = Rule("cookie", "The cookie {field} is set by the server.")
_SCRIPT_COOKIE = Rule(
    "script-cookie",
    "No response set the cookie {field} so: a script did, or it is older than the recording.",
)


def cookie_notes(traffic: Traffic, rules: Sequence[Rule], title: Title) -> Iterator[Decision]:
    """Yield one decision for each cookie that requests carry: the virtual user's cookie jar sends
    it."""
    jar = [one for one in rules if Place.COOKIE in one.places]
    setters: dict[str, tuple[int, str]] = {}
    senders: dict[str, list[int]] = {}
    values: dict[str, str] = {}
    for step in traffic.steps:
        if step.exchange is None:
            continue
        for name, value in sent_cookies(step.exchange.request_headers):
            senders.setdefault(name, []).append(step.index)
            values.setdefault(name, value)
        for name, value in set_cookies(step.exchange.response_headers):
            setters.setdefault(name, (step.index, value))
    by_script = {
        line.partition("=")[0]: step.index
        for step in reversed(traffic.steps)
        for line in step.transaction.request.cookies
    }
    for name, users in senders.items():
        index, value = setters.get(name, (-1, values[name]))
        known = 0 <= index < users[-1] and name not in by_script
        rule = next((one for one in jar if name in one.used_as), _COOKIE)
        how = (
            "from the cookie jar, as the datasource Server authentication header"
            if known
            else "only if a response sets it: in the recording none did before"
        )
        confidence = 0.99 if known else 0.5
        if name in by_script:
            rule, value, confidence = _SCRIPT_COOKIE, values[name], _SCRIPT_COOKIE.confidence
            how = f'from "{title(by_script[name])}" on, as its cookies say'
        yield Decision(
            value=value,
            variable="",
            producer=title(index) if known else "",
            consumers=tuple(dict.fromkeys(map(title, users))),
            rule=rule.name,
            reason=f"{rule.reason.format(field=name, producer='')} It is sent {how}.",
            confidence=confidence,
            secret=True,
        )


def miss_notes(misses: Sequence[Miss], title: Title) -> Iterator[Decision]:
    """Yield one decision for each value that looks dynamic and yet could not be correlated."""
    groups: dict[tuple[str, str, str], list[Miss]] = {}
    for miss in misses:
        groups.setdefault((miss.rule.name, miss.slot.name, miss.slot.value), []).append(miss)
    for group in groups.values():
        first = group[0]
        producer = "" if first.transaction is None else title(first.transaction)
        yield Decision(
            value=first.slot.value,
            variable="",
            producer=producer,
            consumers=consumers((miss.slot for miss in group), title),
            rule=first.rule.name,
            reason=first.reason.format(field=first.slot.name, producer=f'"{producer}"'),
            confidence=0.5,
            secret=is_secret(first.slot.name) or first.slot.name.lower() in CREDENTIALS,
        )


def limit_notes(traffic: Traffic, title: Title) -> Iterator[Decision]:
    """Yield one decision for each transaction with more values than are looked at."""
    counts = Counter((slot.transaction, slot.part) for slot in traffic.slots)
    for step in traffic.steps:
        path, _, query = step.address.partition("?")
        if counts[step.index, "body"] >= MOST_SLOTS:
            yield _beyond(title(step.index), MOST_SLOTS, "values of its body")
        if path.count("/") > MOST_IN_ADDRESS:
            yield _beyond(title(step.index), MOST_IN_ADDRESS, "segments of its path")
        if query.count("&") >= MOST_IN_ADDRESS:
            yield _beyond(title(step.index), MOST_IN_ADDRESS, "values of its query")


def search_notes(traffic: Traffic, title: Title) -> Iterator[Decision]:
    """Yield a decision if responses hold more than can be looked through."""
    if traffic.responses.unsearched is not None:
        at = title(traffic.responses.unsearched)
        yield Decision(
            value="what is in the text of later responses",
            variable="",
            producer=at,
            consumers=(),
            rule="limit",
            reason=f"{MOST_SEARCHED:,} characters of responses were looked through for values, up "
            f'to those of "{at}". What only the text of later ones holds is sent as recorded.',
            confidence=1.0,
        )


def _beyond(title: str, most: int, what: str) -> Decision:
    return Decision(
        value="what follows them",
        variable="",
        producer="",
        consumers=(title,),
        rule="limit",
        reason=f'Of "{title}" the first {most:,} {what} were looked at. '
        "Those behind them are sent as recorded.",
        confidence=1.0,
    )


def typed_notes(traffic: Traffic, title: Title) -> Iterator[Decision]:
    """Yield one decision for each credential that a person typed: what goes together with a
    secret."""
    groups: dict[tuple[str, str], list[Slot]] = {}
    secret = {slot.transaction for slot in traffic.slots if _is_secret(slot)}
    for slot in traffic.slots:
        if slot.transaction in secret and is_typed(slot) and slot.value not in SWITCHES:
            groups.setdefault((slot.name, slot.value), []).append(slot)
    for (name, value), slots in groups.items():
        yield Decision(
            value=_HIDDEN if is_typed_secret(name) else value,
            variable="",
            producer="",
            consumers=consumers(slots, title),
            rule=TYPED.name,
            reason=TYPED.reason.format(field=name),
            confidence=TYPED.confidence,
        )


def _is_secret(slot: Slot) -> bool:
    return slot.part == "body" and is_typed_secret(slot.name)


def consumers(slots: Iterable[Slot], title: Title) -> tuple[str, ...]:
    """Return the transactions that send these, each once."""
    users = sorted({user for slot in slots for user in slot.users or (slot.transaction,)})
    return tuple(dict.fromkeys(map(title, users)))
