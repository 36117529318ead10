"""Computed values: what a client makes up itself, and each virtual user must make up anew.

Nothing is taken for computed that a response gave out before, or of which there is any doubt: the
name, the shape and the time must all fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.place import Place
from pytest_loadtool.correlation.beliefs import is_typed, left_alone
from pytest_loadtool.correlation.claims import Claim, exact
from pytest_loadtool.correlation.edits import Taken
from pytest_loadtool.correlation.looks import looks_random, plain
from pytest_loadtool.correlation.naming import field_name, number
from pytest_loadtool.correlation.slots import Part, Slot
from pytest_loadtool.correlation.times import Times, is_iso
from pytest_loadtool.correlation.traffic import Step, Traffic
from pytest_loadtool.model.generator import ALPHABETS, Generator, RandomText, Uuid
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
_TIME = Rule(
    "client-time",
    "{field} is the time at which the request was sent: replay sends the time of the replay.",
    confidence=0.95,
)

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
_OF_THINGS = frozenset({"id", "uuid", "guid"})


@dataclass(frozen=True, slots=True)
class Computed:
    """A variable that is to be made up: how, by which rule, and the slots that use it."""

    name: str
    generator: Generator
    recorded: str
    rule: Rule
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class _Idea:
    """What a value may be; its slots have the filters that make them of the value."""

    generator: Generator
    value: str
    rule: Rule
    slots: tuple[Slot, ...]


def computed_values(
    traffic: Traffic, claims: Sequence[Claim], rules: Sequence[Rule], taken: Iterable[str]
) -> tuple[Computed, ...]:
    """The computed values in slots that nothing else claims, in the order of their first use."""
    free = list(_free(traffic, claims, rules))
    by_value: dict[str, list[Slot]] = {}
    for slot in free:
        by_value.setdefault(slot.value, []).append(slot)
    settled: set[str] = set()
    ideas: list[_Idea] = []
    for idea in (*_verifiers(traffic, by_value), *_others(traffic, by_value)):
        kept = tuple(slot for slot in idea.slots if slot.writes(idea.value))
        values = {slot.value for slot in kept}
        if kept and len(kept) == len(idea.slots) and not values & settled:
            settled |= values
            ideas.append(idea)
    ideas = _exact(traffic, claims, ideas)
    ideas.sort(key=lambda idea: idea.slots[0].transaction)
    names = number([field_name(idea.slots[0].name.lower()) for idea in ideas], taken)
    return tuple(
        Computed(name, idea.generator, idea.value, idea.rule, idea.slots)
        for name, idea in zip(names, ideas, strict=True)
    )


def _free(traffic: Traffic, claims: Sequence[Claim], rules: Sequence[Rule]) -> Iterator[Slot]:
    """The slots that no claim touches, that no person typed and no rule leaves alone."""
    claimed: dict[tuple[int, Part], list[Slot]] = {}
    for claim in claims:
        claimed.setdefault((claim.slot.owner, claim.slot.part), []).append(claim.slot)
    taken = {part: Taken(slots) for part, slots in claimed.items()}
    for slot in traffic.slots:
        if not _shaped(slot.value) or is_typed(slot) or left_alone(slot, rules):
            continue
        others = taken.get((slot.owner, slot.part))
        if others is None or not others.touches(slot):
            yield slot


def _shaped(value: str) -> bool:
    """Whether it is worth a closer look. Most values are not."""
    return 8 <= len(value) <= 128 and (looks_random(value) or is_iso(value))


def _unserved(traffic: Traffic, slot: Slot) -> bool:
    """No response before the slot's request holds the value."""
    return traffic.served.get(slot.value, slot.transaction) >= slot.transaction


def _verifiers(traffic: Traffic, by_value: Mapping[str, Sequence[Slot]]) -> Iterator[_Idea]:
    """Code verifiers whose challenge was sent before (RFC 7636 §4)."""
    for value, slots in by_value.items():
        if same_name(slots[0].name) != "codeverifier" or not _VERIFIER.fullmatch(value):
            continue
        challenge = filtered(value, ("s256",))
        sent = by_value.get(challenge, ())
        if not sent or sent[0].transaction > slots[0].transaction:
            continue
        if _unserved(traffic, slots[0]) and _unserved(traffic, sent[0]):
            hashed = (replace(slot, filters=("s256", *slot.filters)) for slot in sent)
            generator = RandomText(len(value), "base64url")
            yield _Idea(generator, value, _PKCE, (*slots, *hashed))


def _others(traffic: Traffic, by_value: Mapping[str, Sequence[Slot]]) -> Iterator[_Idea]:
    names: dict[int, set[str]] = {}
    times = Times(traffic, by_value)
    for slot in traffic.slots:
        if slot.part == "target" and not slot.depth:
            names.setdefault(slot.transaction, set()).add(same_name(slot.name))
    for value, slots in by_value.items():
        first = slots[0]
        if not _unserved(traffic, first):
            continue
        generator: Generator | None = times.unit(value, slots)
        if generator is not None:
            yield _Idea(generator, value, _TIME, tuple(slots))
        elif (
            same_name(first.name) in _CLIENT_VALUES
            and names.get(first.transaction, set()) >= _AUTHORIZATION
        ):
            generator = _alike(value)
            if generator is not None:
                yield _Idea(generator, value, _NONCE, tuple(slots))
        elif _UUID_4.fullmatch(value) and _is_made_up(traffic, first):
            yield _Idea(Uuid(), value, _UUID, tuple(slots))


def _alike(value: str) -> Generator | None:
    """Random text that is written as the value is."""
    if _UUID_4.fullmatch(value):
        return Uuid()
    for name in ("digits", "hex", "alphanumeric", "base64url"):
        if set(value) <= set(ALPHABETS[name]):
            return RandomText(len(value), name)
    return None


def _is_made_up(traffic: Traffic, slot: Slot) -> bool:
    """Whether a field of that name holds what the client makes up, where it stands."""
    words = set(plain(slot.name).split())
    if words & _OF_REQUESTS:
        return True
    step = traffic.steps[slot.transaction]
    if slot.in_cookie:  # unless it is older than the recording
        return any(_same_host(step, before) for before in traffic.steps[: slot.transaction])
    if step.transaction.request.method == "PUT" and slot.place is Place.PATH and not slot.depth:
        return True
    return step.changes_things and slot.part == "body" and plain(slot.name) in _OF_THINGS


def _same_host(one: Step, other: Step) -> bool:
    """Whether both were recorded from one host."""
    urls = (step.exchange.url if step.exchange is not None else "" for step in (one, other))
    mine, theirs = (urlsplit(url).hostname for url in urls)
    return mine == theirs


def _exact(traffic: Traffic, claims: Sequence[Claim], ideas: list[_Idea]) -> list[_Idea]:
    """Without those on a text that would not send what was recorded."""
    texts: dict[tuple[int, Part], list[tuple[Slot, str]]] = {}
    for idea in ideas:
        for slot in idea.slots:
            texts.setdefault((slot.owner, slot.part), []).append((slot, idea.value))
    for claim in claims:
        if (claim.slot.owner, claim.slot.part) in texts:
            use = claim.slot, claim.producer.extracted
            texts[claim.slot.owner, claim.slot.part].append(use)
    wrong = {key for key, uses in texts.items() if not exact(traffic, key, uses)}
    return [
        idea for idea in ideas if not any((slot.owner, slot.part) in wrong for slot in idea.slots)
    ]
