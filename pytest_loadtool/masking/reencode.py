"""Encoded texts of responses that hold secrets: the same, with stand-ins for these in them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from math import inf

from pytest_loadtool.codec.decoding import DECODINGS
from pytest_loadtool.correlation.classify import looks_like_time, looks_random
from pytest_loadtool.correlation.responses.encoded import Packed, Sought
from pytest_loadtool.correlation.responses.producers import in_response
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.responses.tokens import tokens
from pytest_loadtool.correlation.search_budget import Searches
from pytest_loadtool.masking.pseudonyms import Replacer, stand_ins
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Decoded


def stand_ins_within(
    case: TestCase, exchanges: Iterable[Exchange], secrets: frozenset[str], key: bytes
) -> dict[str, str]:
    """Return stand-ins for ``secrets``, made with ``key``, and for the encoded texts that hold
    some.

    Such a text is told by what it decodes to: there all that is random has a stand-in, and the rest
    stays, so that what ``case`` takes from it can be taken from it still.
    """
    wanted = secrets | frozenset(_decoded_by(case))
    everything = Searches(inf)
    texts = frozenset(_holding(exchanges, Packed(wanted, wanted, everything), wanted, everything))
    inside = (one for text in texts for one in tokens(_content(text)) if looks_random(one))
    secrets |= frozenset(one for one in inside if not looks_like_time(one))
    made = stand_ins(secrets - texts, key)
    replacer = Replacer(made)
    packed = {text: _repacked(text, replacer.text, key) for text in texts}
    return stand_ins(secrets, key, packed)


def _decoded_by(case: TestCase) -> Iterator[str]:
    """Yield the recorded values that extractors take from encoded texts."""
    for transaction in case.transactions():
        for one in transaction.extractors:
            variable = case.variables.get(one.variable)
            if isinstance(one.source, Decoded) and variable is not None and variable.recorded:
                yield variable.recorded


def _holding(
    exchanges: Iterable[Exchange], packed: Packed, wanted: frozenset[str], searches: Searches
) -> Iterator[str]:
    sought = Sought(wanted, packed)
    for exchange in exchanges:
        for one in in_response(RecordedResponse(exchange), 0, sought, sought, searches):
            if packed.holds(one.value):
                yield one.value


def _content(text: str) -> str:
    return DECODINGS["jwt" if "." in text else "base64"](text) or ""


def _repacked(text: str, write: Callable[[str], str], key: bytes) -> str:
    """Return the text with what ``write`` makes of its content. A signature proves who signed: not
    so the one that takes its place."""
    content = write(_content(text))
    if "." not in text:
        return _as(text, content)
    header, payload, signature = text.split(".")
    signature = stand_ins([signature], key)[signature]
    return f"{header}.{_as(payload, content)}.{signature}"


def _as(old: str, content: str) -> str:
    """Return Base64 of the content in the alphabet of ``old``, with padding if that can have had
    some."""
    encode = base64.urlsafe_b64encode if {"-", "_"} & set(old) else base64.b64encode
    written = encode(content.encode()).decode()
    return written.rstrip("=") if len(old) % 4 else written
