"""What a client makes up itself, and each virtual user must make up anew.

Nothing is taken for it that a response gave out before, or of which there is any doubt: the name,
the shape and the time must all fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.claims import ByClient
from pytest_loadtool.correlation.slots import Slot
from pytest_loadtool.correlation.strategies.strategy import Known, Stage
from pytest_loadtool.correlation.strategies.unserved import by_value
from pytest_loadtool.correlation.traffic import Step, Traffic
from pytest_loadtool.model.generator import ALPHABETS, Generator, RandomText, Uuid
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


class CodeVerifiers:
    """Code verifiers whose challenge was sent before."""

    name = "code-verifiers"
    why = "The SHA-256 of a code_verifier was sent before it as the challenge."
    source = "PKCE (RFC 7636 §4)"
    stages = frozenset({Stage.LAST})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Known) -> Iterator[ByClient]:
        """A verifier in all its slots, hashed in those of the challenge."""
        values = by_value(slots, traffic)
        for value, own in values.items():
            if same_name(own[0].name) != "codeverifier" or not _VERIFIER.fullmatch(value):
                continue
            sent = values.get(filtered(value, ("s256",)), ())
            if sent and sent[0].transaction <= own[0].transaction:
                hashed = (replace(slot, filters=("s256", *slot.filters)) for slot in sent)
                generator = RandomText(len(value), "base64url")
                yield ByClient((*own, *hashed), _PKCE, generator, value)


class ClientValues:
    """The ``state`` and ``nonce`` of an authorization."""

    name = "client-values"
    why = "An address with client_id and response_type has a random state or nonce."
    source = "OAuth 2.0 (RFC 6749 §4.1.1), OpenID Connect Core §3.1.2.1"
    stages = frozenset({Stage.LAST})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Known) -> Iterator[ByClient]:
        """Those that are random in an alphabet that is known."""
        names: dict[int, set[str]] = {}
        for slot in traffic.slots:
            if slot.part == "target" and not slot.depth:
                names.setdefault(slot.transaction, set()).add(same_name(slot.name))
        for value, own in by_value(slots, traffic).items():
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
    stages = frozenset({Stage.LAST})

    def propose(self, slots: Sequence[Slot], traffic: Traffic, _: Known) -> Iterator[ByClient]:
        """Those in a field whose name speaks of it."""
        for value, own in by_value(slots, traffic).items():
            if _UUID_4.fullmatch(value) and _is_made_up(traffic, own[0]):
                yield ByClient(tuple(own), _UUID, Uuid(), value)


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
