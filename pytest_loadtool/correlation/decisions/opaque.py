"""Opaque bodies: changes whose request is binary, so that no value in it can be followed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from pytest_loadtool.codec.media import media_type
from pytest_loadtool.codec.template import Reference, files_of
from pytest_loadtool.correlation.classify import is_id_name, looks_random
from pytest_loadtool.correlation.decisions.ignoring import Entries
from pytest_loadtool.correlation.decisions.notes import titles_of
from pytest_loadtool.correlation.index.traffic import RecordedStep
from pytest_loadtool.correlation.responses.producers import json_leaf, json_leaves
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.responses.tokens import tokens
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.exchange import Exchange

#: The rule of such decisions, and what a test case ignores that wants none.
OPAQUE = "opaque"
#: Formats of messages by their media types: group 1 is what people call them.
_MESSAGES = re.compile(
    r"\b(protobuf|proto|grpc-web-text|grpc-web|grpc|msgpack|messagepack|cbor|avro|bson|amf|thrift"
    r"|smile|ubjson|flatbuffers|hessian|java-serialized-object|ion|wbxml|fastinfoset|msbin1)\b"
)
#: Files that people have, whatever is in them: an upload of one is what was meant.
_FILES = re.compile(
    r"(?:image|audio|video|font|model|multipart|text)/.*"
    r"|application/(?:pdf|zip|gzip|x-.*(?:zip|tar|compressed)|java-archive|wasm|epub\+zip"
    r"|vnd\.(?:ms-|openxmlformats|oasis|rar).*|msword|postscript|rtf|x-7z-compressed)"
)
#: A shorter text, or a number that fewer bytes have, is in any bytes by chance.
_SHORTEST, _LEAST_VARINT, _LEAST_FIXED = 6, 1 << 21, 1 << 24
_LARGEST = 1 << 63
_NUMBER = re.compile(r"[1-9]\d{6,18}", re.ASCII)
#: How many answers before a change are looked through, how long one may be, and how many of its
#: values count.
_MOST_ANSWERS, _LONGEST_ANSWER, _MOST_VALUES = 50, 1 << 20, 2_000
_LONGEST_BODY = 1 << 20


@dataclass(frozen=True, slots=True)
class OpaqueBodies:
    """The test case in which each such change says so, and a decision for each."""

    case: TestCase
    decisions: tuple[Decision, ...]


def told(case: TestCase, steps: Sequence[RecordedStep]) -> OpaqueBodies:
    """Return notes on what cannot be followed in changes whose body is binary; of a mere file, and
    of bytes of no known kind that hold nothing which was given out, nothing."""
    decisions: list[Decision] = []
    titles, entries = titles_of(case), Entries(steps)
    made: list[Transaction] = []
    for one, step in zip(case.transactions(), steps, strict=True):
        body = None if entries.have(step.index, OPAQUE, case.asm.ignore) else _opaque(step, steps)
        if body is None:
            made.append(replace(one, opaque="") if one.opaque else one)
            continue
        held, title = body.held, titles[step.index]
        known = f", with {held.name} of {titles[held.giver]}" if held is not None else ""
        made.append(replace(one, opaque=body.what + known))
        found = (
            f'In it stands what "{titles[held.giver]}" gave out as {held.name}: it means something '
            "of the server that was recorded."
            if held is not None
            else "None of the ids that answers gave out before was found in it."
        )
        decisions.append(
            Decision(
                value=held.value if held is not None else body.what,
                variable="",
                producer=titles[held.giver] if held is not None else "",
                consumers=(title,),
                rule=OPAQUE,
                reason=f'"{title}" sends {body.what}, as recorded: no value in it can be followed. '
                f"{found}",
                confidence=0.3,
                secret=held is not None and looks_random(held.value),
            )
        )
    return OpaqueBodies(with_transactions(case, made), tuple(decisions))


class HeldValue(NamedTuple):
    """What an answer before gave out, and stands in a body."""

    name: str
    value: str
    giver: int
    """The transaction whose answer that was."""


class OpaqueBody(NamedTuple):
    """A body that cannot be followed: what it is, and what was found in it."""

    what: str
    held: HeldValue | None


def _opaque(step: RecordedStep, steps: Sequence[RecordedStep]) -> OpaqueBody | None:
    """Return what the body of a change is that cannot be followed; None if there is nothing to
    say."""
    kind = _kind(step)
    if kind is None or step.exchange is None:
        return None
    held = _held(step.exchange, steps[: step.index])
    if not (kind or held):
        return None
    return OpaqueBody(f"{kind or 'a binary body'}, {step.exchange.request_size:,} bytes", held)


def _kind(step: RecordedStep) -> str | None:
    """Return the format of a change's body: empty if nothing says which; None if it is no change,
    its body can be followed, or is a file."""
    body = step.transaction.request.body
    if not step.changes_state or not body or step.exchange is None:
        return None
    media = media_type(step.content_type)
    found = _MESSAGES.search(media)
    if isinstance(body, str):
        packed = found is not None and "${" not in body and not body.lstrip().startswith(("{", "<"))
        whole = [str(Reference.to_file(one)) for one in files_of(body)] == [body]
        if not (packed or whole):
            return None
    if found is not None:
        return "protobuf" if found[1] == "proto" else found[1]
    coding = step.exchange.request_header("content-encoding")
    if coding and not _FILES.fullmatch(media):
        return f"{media or 'a body'} coded as {coding}"
    return None if media and _FILES.fullmatch(media) else ""


def _held(exchange: Exchange, earlier: Sequence[RecordedStep]) -> HeldValue | None:
    """Return what an answer before gave out and the request's body holds; of several the
    nearest."""
    if exchange.request_size > _LONGEST_BODY:
        return None
    body = exchange.request_body
    for before in islice(reversed(earlier), _MOST_ANSWERS):
        for name, value in islice(_given(before), _MOST_VALUES):
            if any(one in body for one in _written(name, value)):
                return HeldValue(name, value, before.index)
    return None


def _given(step: RecordedStep) -> Iterator[tuple[str, str]]:
    """Yield what an answer gives out that looks like an id or a token, by its name."""
    exchange = step.exchange
    if exchange is None or step.is_static or exchange.response_size > _LONGEST_ANSWER:
        return
    response = RecordedResponse(exchange)
    if not response.has_text:
        return
    try:
        document = response.json()
    except ValueError:
        for one in sorted(tokens(response.text)):
            if looks_random(one):
                yield "a token", one
        return
    for steps, value in json_leaves(document):
        name = json_leaf(steps, value, step.index).name
        if is_id_name(name) or looks_random(value):
            yield name or "a value", value


def _written(name: str, value: str) -> Iterator[bytes]:
    """Yield the ways in which a binary format writes a value, as far as they are no chance."""
    if len(value) >= _SHORTEST and not value.isalpha():
        yield value.encode()
    if not _NUMBER.fullmatch(value) or not is_id_name(name) or int(value) >= _LARGEST:
        return
    number = int(value)
    if number >= _LEAST_VARINT:
        yield _varint(number)
        yield _varint(number << 1)  # as protobuf's signed numbers
    if number >= _LEAST_FIXED:
        length = 4 if number < 1 << 32 else 8
        yield number.to_bytes(length, "big")
        yield number.to_bytes(length, "little")


def _varint(number: int) -> bytes:
    """Return a number in groups of seven bits, the lowest first."""
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*written, number))
