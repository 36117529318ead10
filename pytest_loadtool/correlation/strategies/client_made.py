"""What a client makes up itself, and each virtual user must make up anew.

Nothing is taken for it that a response gave out before, or of which there is any doubt: the name,
the shape and the time must all fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import chain, pairwise
from types import MappingProxyType
from urllib.parse import urlsplit

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import is_chosen, looks_random
from pytest_loadtool.correlation.index.traffic import RecordedStep, Traffic
from pytest_loadtool.correlation.proposals import ByClient
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.strategies.strategy import Settled, Turn
from pytest_loadtool.model.generator import ALPHABETS, Date, Generator, RandomText, Timestamp, Uuid
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import Rule, same_name

_PKCE = Rule(
    "pkce",
    "The client makes up {field} (PKCE), and sends its hash first: each user makes up its own.",
    confidence=0.99,
)
_NONCE = Rule(
    "oauth-client-value",
    "The client makes up {field} for one authorization: each user makes up its own.",
    confidence=0.95,
)
_UUID = Rule(
    "client-uuid",
    "The client made up the UUID in {field}, as no response before holds it: each user makes up "
    "its own.",
    confidence=0.85,
)
_IDEMPOTENT = Rule(
    "idempotency-key",
    "{field} tells one request from another: to who sends a key again, a server answers what it "
    "answered before, and does nothing. Each user makes up its own.",
    confidence=0.9,
)
_TIME = Rule(
    "client-time",
    "{field} is the time at which the request was sent: replay sends the time of the replay.",
    confidence=0.95,
)

_DAY = Rule(
    "client-day",
    "{field} is the day of the recording, for which a script has asked: replay asks for its own.",
    confidence=0.8,
)

_DATE = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
#: How many days the beginning and the end of what is asked for may be away, at most.
_MOST_DAYS = 400
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
#: RFC 7636 §4.1.
_VERIFIER = re.compile(r"[A-Za-z0-9\-._~]{43,128}")
_UUID_4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
#: RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1.
_CLIENT_VALUES = frozenset({"state", "nonce"})
_AUTHORIZATION = frozenset({"clientid", "responsetype"})
#: Words in the names of ids that clients make up for a request, and for what they create.
_OF_REQUESTS = frozenset(
    {
        *("request", "correlation", "idempotency", "nonce", "transaction", "trace", "mutation"),
        *("message", "msg", "event", "operation", "dedup", "deduplication"),
    }
)
#: Those of keys that a server does nothing for a second time, however they are written.
_IDEMPOTENCY = frozenset({"idempotency", "idempotent", "idempotence"})
_OF_RESOURCES = frozenset({"id", "uuid", "guid"})
#: Digits of a time since 1970 (until 2286), with its unit and how many there are of it in a second.
_UNITS: Mapping[int, tuple[Timestamp, int]] = MappingProxyType(
    {10: (Timestamp("s"), 1), 13: (Timestamp("ms"), 10**3), 16: (Timestamp("us"), 10**6)}
)
#: A shorter value stands somewhere else by chance.
_TELLING = 8
#: By how many seconds a time may differ from that of its request: scripts write it down, then send.
_BEFORE, _AFTER = 10.0, 1.5
#: Words in the names of fields for times, and in those of parameters that keep caches out.
_WORDS = frozenset(
    {
        *("t", "ts", "tm", "time", "timestamp", "date", "datetime", "now", "clock", "epoch", "at"),
        *("sent", "since", "start", "started", "created", "updated", "modified", "tick", "ticks"),
        *("ms", "millis", "cache", "nocache", "buster", "cachebuster", "bust", "cb", "dc", "rnd"),
        *("rand", "random"),
    }
)

#: A field: its name, where it stands, and how many digits it has.
_Field = tuple[str, Place, int]


class CodeVerifiers:
    """Code verifiers whose challenge was sent before."""

    name = "code-verifiers"
    why = "The SHA-256 of a code_verifier was sent before it as the challenge."
    source = "PKCE (RFC 7636 §4)"
    turns = frozenset({Turn.LAST})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Settled) -> Iterator[ByClient]:
        """Yield a verifier in all its slots, hashed in those of the challenge."""
        values = _by_value(slots, traffic)
        for value, own in values.items():
            if same_name(own[0].name) != "codeverifier" or not _VERIFIER.fullmatch(value):
                continue
            sent = values.get(filtered(value, ("s256",)), ())
            if sent and sent[0].transaction <= own[0].transaction:
                hashed = (replace(slot, filters=("s256", *slot.filters)) for slot in sent)
                generator = RandomText(len(value), "base64url")
                yield ByClient((*own, *hashed), _PKCE, generator, value)


class ClientTimes:
    """The times at which requests were sent."""

    name = "client-times"
    why = "A field has the moment of its request, and its name or other requests say that it does."
    source = "ECMA-262 §21.4: Date.now(), toISOString(); jQuery's _ of cache: false"
    turns = frozenset({Turn.LAST})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Settled) -> Iterator[ByClient]:
        """Yield those with a time that is that of its request, the only one with it.

        Of a number this has to be shown by more than its size: by the name of its field, or that it
        has none in the query, or by the requests that have such a number, which are as far apart
        as the numbers are.
        """
        values = _by_value(slots, traffic)
        said = {value: _said(value, own, traffic) for value, own in values.items()}
        numbers: dict[_Field, list[tuple[float, float | None]]] = {}
        for value, own in values.items():
            if _is_number(value):
                sent = _started(own[0], traffic), said[value]
                numbers.setdefault(_field(own[0]), []).append(sent)
        for value, own in values.items():
            first = own[0]
            if said[value] is None:
                continue
            if _is_iso(value):
                yield ByClient(tuple(own), _TIME, Timestamp("iso"), value)
            elif _is_bare(first) or _is_called_time(first.name) or _runs(numbers[_field(first)]):
                yield ByClient(tuple(own), _TIME, _UNITS[len(value)][0], value)


class ClientDays:
    """The days for which a client asks: today, and what is so far from that."""

    name = "client-days"
    why = "A request that changes nothing asks for the day on which it was recorded."
    source = "calendars and reports: ?start=2026-11-22&end=2026-11-29, /days/2026-11-29"
    turns = frozenset({Turn.LAST})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Settled) -> Iterator[ByClient]:
        """Yield the day of a request in its address, which no response gave out, and the other days
        there, in all their slots."""
        dates = (one for one in slots if _DATE.fullmatch(one.value))
        values = _not_given_out(dates, traffic)
        days: dict[str, int] = {}
        for asked in _asked_days(values.values(), traffic):
            if 0 in asked.values():
                days |= {value: away for value, away in asked.items() if abs(away) <= _MOST_DAYS}
        for value, away in days.items():
            offset = MappingProxyType({"days": float(away)} if away else {})
            yield ByClient(tuple(values[value]), _DAY, Date(offset=offset), value)


def _asked_days(found: Iterable[Sequence[Slot]], traffic: Traffic) -> Iterator[Mapping[str, int]]:
    """Yield, for each request that changes nothing, how many days from its own those are for which
    it asks."""
    asked: dict[int, dict[str, int]] = {}
    for slot in chain.from_iterable(found):
        step = traffic.steps[slot.transaction]
        if slot.part == "target" and not step.changes_state and not is_chosen(slot.name):
            today = datetime.fromtimestamp(_started(slot, traffic), UTC).date()
            with suppress(ValueError):
                away = (date.fromisoformat(slot.value) - today).days
                asked.setdefault(slot.transaction, {})[slot.value] = away
    yield from asked.values()


class ClientValues:
    """The ``state`` and ``nonce`` of an authorization."""

    name = "client-values"
    why = "An address with client_id and response_type has a random state or nonce."
    source = "OAuth 2.0 (RFC 6749 §4.1.1), OpenID Connect Core §3.1.2.1"
    turns = frozenset({Turn.LAST})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Settled) -> Iterator[ByClient]:
        """Yield those that are random in an alphabet that is known."""
        names: dict[int, set[str]] = {}
        for slot in traffic.slots:
            if slot.part == "target" and not slot.depth:
                names.setdefault(slot.transaction, set()).add(same_name(slot.name))
        for value, own in _by_value(slots, traffic).items():
            first = own[0]
            if same_name(first.name) in _CLIENT_VALUES:
                generator = _alike(value)
                if names.get(first.transaction, set()) >= _AUTHORIZATION and generator is not None:
                    yield ByClient(tuple(own), _NONCE, generator, value)


class ClientIds:
    """UUIDs that name a request, or what it creates."""

    name = "client-ids"
    why = "A UUID of version 4 that no response gave out names a request, or what it creates."
    source = "RFC 9562 §5.4; Idempotency-Key, X-Request-ID, PUT (RFC 9110 §9.3.4)"
    turns = frozenset({Turn.LAST})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Settled) -> Iterator[ByClient]:
        """Yield those in a field whose name speaks of it."""
        for value, own in _by_value(slots, traffic).items():
            if _UUID_4.fullmatch(value) and _is_made_up(traffic, own[0]):
                yield ByClient(tuple(own), _UUID, Uuid(), value)


class IdempotencyKeys:
    """The keys by which a server knows a request that is sent again."""

    name = "idempotency-keys"
    why = "A field is called so, whatever the client has written there."
    source = "draft-ietf-httpapi-idempotency-key-header"
    turns = frozenset({Turn.LAST})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Settled) -> Iterator[ByClient]:
        """Yield those that no response gave out before, the long ones wherever they are sent: a
        short one is by chance what stands elsewhere, too."""
        named = {one.value for one in slots if _is_idempotency_key(one)}
        own = (
            one
            for one in slots
            if _is_idempotency_key(one) or (len(one.value) >= _TELLING and one.value in named)
        )
        for value, uses in _not_given_out(own, traffic).items():
            alike = _alike(value) if len(value) >= _TELLING else None
            yield ByClient(tuple(uses), _IDEMPOTENT, alike or Uuid(), value)


def _is_idempotency_key(slot: Slot) -> bool:
    return not _IDEMPOTENCY.isdisjoint(plain(slot.name).split())


def _by_value(slots: Sequence[Slot], traffic: Traffic) -> Mapping[str, Sequence[Slot]]:
    """Return by value the slots that are worth a closer look: random or a time, and in no response
    before their first request."""
    telling = (
        one
        for one in slots
        if _TELLING <= len(one.value) <= 128 and (looks_random(one.value) or _is_iso(one.value))
    )
    return _not_given_out(telling, traffic)


def _not_given_out(slots: Iterable[Slot], traffic: Traffic) -> Mapping[str, Sequence[Slot]]:
    """Return by value the slots whose value is in no response before its first request."""
    found: dict[str, list[Slot]] = {}
    for slot in slots:
        found.setdefault(slot.value, []).append(slot)
    served = traffic.responses.served
    return {
        value: own
        for value, own in found.items()
        if served.get(value, own[0].transaction) >= own[0].transaction
    }


def _is_iso(value: str) -> bool:
    """Return whether it is a time in UTC with milliseconds, as JavaScript writes it (ECMA-262
    §21.4.1.32)."""
    return _ISO.fullmatch(value) is not None


def _is_number(value: str) -> bool:
    return value.isdecimal() and len(value) in _UNITS


def _said(value: str, slots: Sequence[Slot], traffic: Traffic) -> float | None:
    """Return the time (seconds since 1970) that the value means, if it is that of its request."""
    once = len({slot.transaction for slot in slots} | {*slots[0].users}) == 1
    if not once and not all(map(_is_bare, slots)):
        return None
    if _is_iso(value):
        try:
            said = datetime.fromisoformat(value).timestamp()
        except ValueError:
            return None
    elif _is_number(value):
        said = int(value) / _UNITS[len(value)][1]
    else:
        return None
    near = all(-_BEFORE <= said - _started(slot, traffic) <= _AFTER for slot in slots)
    return said if near else None


def _runs(sent: Sequence[tuple[float, float | None]]) -> bool:
    """Return whether several requests have a number in a field, and all are their times; ``sent``
    are the times of the requests, and what the numbers say."""
    seen = sorted(sent, key=lambda one: one[0])
    return len(seen) > 1 and all(
        said is not None
        and later is not None
        and later > said
        and abs((later - said) - (after - before)) <= _AFTER
        for (before, said), (after, later) in pairwise(seen)
    )


def _started(slot: Slot, traffic: Traffic) -> float:
    exchange = traffic.steps[slot.transaction].exchange
    return exchange.started if exchange is not None else 0.0


def _field(slot: Slot) -> _Field:
    return slot.name, slot.place, len(slot.value)


def _is_bare(slot: Slot) -> bool:
    """Return whether it is all of a query's part, as scripts append it that keep caches out.

    Two of these may be sent in the same millisecond.
    """
    return slot.place is Place.QUERY and not slot.name


def _is_called_time(name: str) -> bool:
    return name == "_" or not _WORDS.isdisjoint(plain(name).split())


def _alike(value: str) -> Generator | None:
    """Return random text that is written as the value is."""
    if _UUID_4.fullmatch(value):
        return Uuid()
    for name in ("digits", "hex", "alphanumeric", "base64url"):
        if set(value) <= set(ALPHABETS[name]):
            return RandomText(len(value), name)
    return None


def _is_made_up(traffic: Traffic, slot: Slot) -> bool:
    """Return whether a field of that name holds what the client makes up, where it stands."""
    words = set(plain(slot.name).split())
    if words & _OF_REQUESTS:
        return True
    step = traffic.steps[slot.transaction]
    if slot.in_cookie:  # unless it is older than the recording
        return any(_same_host(step, before) for before in traffic.steps[: slot.transaction])
    in_path = slot.part == "target" and slot.root is Place.PATH
    if step.method == "PUT" and in_path:
        return True
    return step.changes_state and slot.part == "body" and plain(slot.name) in _OF_RESOURCES


def _same_host(one: RecordedStep, other: RecordedStep) -> bool:
    """Return whether both were recorded from one host."""
    urls = (step.exchange.url if step.exchange is not None else "" for step in (one, other))
    mine, theirs = (urlsplit(url).hostname for url in urls)
    return mine == theirs
