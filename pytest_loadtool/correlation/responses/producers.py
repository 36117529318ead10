"""Producers: where in the recorded responses a value stands that some request uses.

One pass over the responses, in which only values are kept that requests use; looking one up is a
dictionary access. So the work grows with the size of the recording, not with its square.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from pytest_loadtool.codec.calls import is_rpc_answer
from pytest_loadtool.codec.events import begins_json, is_event_stream
from pytest_loadtool.codec.filters import UNDO, filtered
from pytest_loadtool.codec.media import is_xml, media_type
from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import (
    OPTION_KEYS,
    TELLING,
    is_id_name,
    is_short_number,
    is_title_name,
    is_version_name,
    looks_random,
    singular,
)
from pytest_loadtool.correlation.graphql import TYPE
from pytest_loadtool.correlation.kinds import (
    is_in_own_list,
    is_of_somebody,
    is_own_id,
    is_result,
    is_result_name,
)
from pytest_loadtool.correlation.producer import (
    PARTIAL,
    Box,
    Producer,
    Wanted,
    is_dynamic_key,
    last_item,
)
from pytest_loadtool.correlation.requests.positions import xml_spans
from pytest_loadtool.correlation.requests.slots import Slot, target_slots
from pytest_loadtool.correlation.responses.controls import in_page
from pytest_loadtool.correlation.responses.embedded import embedded
from pytest_loadtool.correlation.responses.escaped import decoding, escaped, is_base64
from pytest_loadtool.correlation.responses.markup_items import row_texts
from pytest_loadtool.correlation.responses.objects import inner
from pytest_loadtool.correlation.responses.recorded import RecordedResponse, leads
from pytest_loadtool.correlation.responses.script_calls import in_calls
from pytest_loadtool.correlation.responses.script_names import named
from pytest_loadtool.correlation.responses.tokens import tokens
from pytest_loadtool.correlation.responses.xml_document import OWN_TEXT, xml_document
from pytest_loadtool.correlation.search_budget import EXTRACTOR, Searches
from pytest_loadtool.extraction.json_steps import OwnKey
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.extraction.partial import is_partial, partial_fields
from pytest_loadtool.model.rule import ProducerKind, same_name

_SCHEME = re.compile(r"Bearer +", re.IGNORECASE)
_OTHER_HEADERS = frozenset({"set-cookie", "location"})
#: How far the root element of an XML document is sought.
_XML_HEAD = 500
#: The cookie that axios and Angular send back as X-XSRF-TOKEN, through decodeURIComponent: the next
#: one may have a "%" where this one has none.
_DECODED = "xsrftoken"
_TOKENS = frozenset({"access_token", "refresh_token"})
_DATA_ID = re.compile(r'\s(data-(?:[\w-]*-)?(?:id|pk|key|uuid|guid))="([^"<>&]+)"')
#: An address of one of several things, and no host with its port: group 1 is what they are called,
#: group 2 which one it is.
_ADDRESS = re.compile(
    r"(?:[^\s\"'<>?#]*[/:])?(?<!//)([A-Za-z][\w.-]{0,60})[/:]([1-9]\d{0,9}|[\w-]{8,64})(?:[/?#][^\s\"'<>]*)?"
)
#: A longer text is not looked at as one.
_LONGEST_ADDRESS = 500
#: A longer text is not what something is called.
_LONGEST_NAME = 200
#: How many places of one value in one JSON document are kept: the id of many resources may be 1.
_MOST_LEAVES = 8


def in_response(
    response: RecordedResponse,
    transaction: int,
    wanted: Wanted,
    random: Wanted,
    searches: Searches,
) -> Iterator[Producer]:
    """Yield all producers of wanted values in a response; of those in ``random`` in any text of it,
    as far as ``searches`` allow."""
    whole: set[str] = set()
    for one in _in_headers(response, transaction, wanted):
        whole.add(one.value)
        yield one
    yield from _within_headers(response, transaction, random, whole, searches)
    if not response.has_text:
        return
    text = response.text
    found: set[str] = set()
    for one in _in_body(response, text, transaction, wanted):
        if one.kind is not ProducerKind.CHOICE:
            found.add(one.value)
        yield one
    if random:
        plain = {one for one in random.intersection(tokens(text)) - found if _as_it_is(one, text)}
        yield from shown(response, plain, transaction, searches)
        yield from in_escapes(text, random, found | plain, transaction, searches)


def shown(
    response: RecordedResponse, values: Set[str], transaction: int, searches: Searches
) -> Iterator[Producer]:
    """Yield the values, which the text of a response has, as they stand there."""
    within = [*_in_sentences(response, values, transaction)] if values else []
    yield from within
    for value in sorted(values - {one.value for one in within}):
        if searches.allow(len(response.text)):
            yield from in_text(response.text, value, transaction)


def _in_sentences(
    response: RecordedResponse, values: Set[str], transaction: int
) -> Iterator[Producer]:
    """Yield the values within what a JSON document says to people: the mail that has a link."""
    if not _may_be_json(response.text):
        return
    try:
        document = response.document()
    except ValueError:
        return
    for steps, said in json_leaves(document):
        for value in values if steps and " " in said and "<" not in said else ():
            if value in said:
                yield replace(json_leaf(steps, value, transaction), text=said)


def _may_be_json(text: str) -> bool:
    return begins_json(text) and not is_event_stream(text)


def _as_it_is(value: str, text: str) -> bool:
    """Return whether a text has the value somewhere without the escape of its first character:
    ``\\/`` of JSON by PHP."""
    return value[:1] != "/" or text.count(value) > text.count(f"\\{value}")


def in_text(text: str, value: str, transaction: int, raw: str = "") -> Iterator[Producer]:
    """Yield a value that the text writes so, by the names that it has there, else as it stands."""
    raw = raw or value
    filters = decoding(text, raw, value)
    for name in (*named(text, raw), ""):
        yield Producer(transaction, ProducerKind.TEXT, name, value, encoded=raw, filters=filters)


def in_escapes(
    text: str, wanted: Wanted, known: Set[str], transaction: int, searches: Searches
) -> Iterator[Producer]:
    """Yield producers of those wanted values that the text writes with escapes, but for those
    ``known``."""
    for value, raw in escaped(text, wanted, known):
        if not searches.allow(EXTRACTOR * len(text)):
            return
        yield from in_text(text, value, transaction, raw)


def _in_headers(response: RecordedResponse, transaction: int, wanted: Wanted) -> Iterator[Producer]:
    for line in response.header_values("set-cookie"):
        name, _, value = (part.strip() for part in line.partition(";")[0].partition("="))
        plain = unquote(value)
        may_differ = "%" in value or same_name(name).endswith(_DECODED)
        if value in wanted and (plain != value or not may_differ):
            yield Producer(transaction, ProducerKind.COOKIE, name, value, text=line)
        if may_differ and plain in wanted:  # scripts decode what they copy
            yield Producer(
                transaction, ProducerKind.COOKIE, name, plain,
                text=line, encoded=value, filters=("unurl",),
            )  # fmt: skip
    for header, location in leads(response.headers):
        address = target_slots(location.partition("#")[0], transaction)
        for slot in (*address, *fragment_slots(location, transaction)):
            filters = undo(slot)
            if slot.value in wanted and filters is not None:
                yield Producer(
                    transaction, ProducerKind.LOCATION, slot.name, slot.value, text=location,
                    before=slot.before, encoded=slot.raw, filters=filters, header=header,
                )  # fmt: skip
    for name, value in response.headers:
        value = _SCHEME.sub("", value, count=1)
        if value in wanted and name.lower() not in _OTHER_HEADERS:
            yield Producer(transaction, ProducerKind.HEADER, name, value)


def _within_headers(
    response: RecordedResponse,
    transaction: int,
    random: Wanted,
    known: Set[str],
    searches: Searches,
) -> Iterator[Producer]:
    """Yield tokens in longer values: of an address (``Link``, RFC 8288), of JSON in a cookie."""
    plain = random.intersection(tokens(response.head)) - known
    as_they_are = ((one, one) for one in sorted(plain))
    for value, raw in (*as_they_are, *escaped(response.head, random, known | plain)):
        if not searches.allow(EXTRACTOR * len(response.head)):
            return
        name, line = next((name, line) for name, line in response.headers if raw in line)
        filters = decoding(line, raw, value)
        yield Producer(
            transaction, ProducerKind.HEADER, name, value, text=line, encoded=raw, filters=filters
        )


def undo(slot: Slot) -> tuple[str, ...] | None:
    """Return the filters that make the value of what stands in the address, today and on another
    day, when base64 has escapes; None if none do."""
    if slot.capsules:
        return None
    plain = slot.raw == slot.value
    if plain and not is_base64(slot.value):
        return ()
    filters = ("unurl", *(UNDO.get(one, "") for one in reversed(slot.filters)))
    works = all(filters) and filtered(slot.raw, filters) == slot.value
    return filters if works else () if plain else None


def fragment_slots(address: str, transaction: int) -> Iterator[Slot]:
    """Return the parameters behind the ``#`` of an address: OAuth 2.0 hands values over there,
    too."""
    fragment = address.partition("#")[2]
    return target_slots(f"/?{fragment}", transaction) if "=" in fragment else iter(())


def _in_body(
    response: RecordedResponse, text: str, transaction: int, wanted: Wanted
) -> Iterator[Producer]:
    if _may_be_json(text):
        try:
            document = response.document()
        except ValueError:
            return
        yield from in_json(document, transaction, wanted)
        return
    if is_event_stream(text):
        events = in_json(response.document(), transaction, wanted)
        yield from (one for one in events if len(one.steps) > len(("event", "data")))
        return
    partial = is_partial(text)
    if partial:
        for name, value in partial_fields(text):
            yield Producer(
                transaction, ProducerKind.CONTROL, name, value, form=PARTIAL, control="hidden"
            )
    if not partial and _is_xml(response, text):
        yield from in_xml(text, transaction, wanted)
    elif partial or text.lstrip("\ufeff \t\r\n")[:1] == "<":
        yield from in_page(text, transaction, wanted)
        yield from _in_data(text, transaction, wanted)
        yield from in_calls(text, transaction, wanted)
        yield from _in_scripts(text, transaction, wanted)


def _in_scripts(text: str, transaction: int, wanted: Wanted) -> Iterator[Producer]:
    """Yield what is one of many in the JSON that the page's scripts read, of which its name does
    not tell which; and who has signed in."""
    for one in embedded(text):
        around = Producer(transaction, ProducerKind.TEXT, one.name, one.written, text=one.pattern)
        for leaf in in_json(one.document, transaction, wanted):
            keys = (step for step in leaf.steps if isinstance(step, str))
            if leaf.of_many or (is_short_number(leaf.value) and is_of_somebody((one.name, *keys))):
                yield replace(leaf, box=Box(around, one.decode, one.text))


def _in_data(text: str, transaction: int, wanted: Wanted) -> Iterator[Producer]:
    """Yield the ids in ``data-`` attributes, from which scripts make addresses. What looks random
    is found in any text."""
    seen: dict[str, int] = {}
    for found in _DATA_ID.finditer(text) if "data-" in text else ():
        name, value = found.groups()
        if value not in wanted or looks_random(value):
            continue
        seen[value] = seen.get(value, 0) + 1
        if seen[value] <= _MOST_LEAVES:
            labels = row_texts(text, found.start(1))
            yield Producer(transaction, ProducerKind.TEXT, name, value, labels=labels)


def in_json(document: Any, transaction: int, wanted: Wanted) -> Iterator[Producer]:
    """Yield the wanted values of a JSON document."""
    seen: dict[str, int] = {}
    keys: dict[tuple[str | int, ...], None] = {}
    titles: dict[tuple[str | int, ...], tuple[frozenset[str], frozenset[str]]] = {}
    is_answer = is_rpc_answer(document)
    for steps, text in json_leaves(document):
        if len(steps) > 1 and steps[-2].__class__ is str and steps[-2] in wanted:
            keys[steps[:-1]] = None
        is_path = ("/" in text or ":" in text) and len(text) <= _LONGEST_ADDRESS
        address = _ADDRESS.fullmatch(text) if is_path else None
        if address is not None and not _is_part(address[2], text, wanted):
            address = None
        value = address[2] if address is not None else text
        if value not in wanted or (is_answer and steps == ("id",)):  # as the request had it
            continue
        if seen.get(value, 0) == _MOST_LEAVES:
            continue
        leaf = json_leaf(steps, value, transaction)
        if address is not None:
            before = text[address.start(1) : address.start(2)]
            leaf = replace(leaf, name=f"{singular(address[1])}_id", text=text, before=before)
        if is_short_number(value) and not (
            _has_ids(leaf.name)
            or is_result(leaf)
            or is_in_own_list(leaf)
            or (plain(leaf.name), value) in wanted
            or (leaf.of_many and leaf.name in OPTION_KEYS)
        ):
            continue
        seen[value] = seen.get(value, 0) + 1
        labels, within = frozenset[str](), frozenset[str]()
        if leaf.of_many:
            if steps[:-1] not in titles:
                found = _titles(document, steps)
                titles[steps[:-1]] = found, found - _titles(document, steps, deep=False)
            labels, within = titles[steps[:-1]]
        type_ = _type(inner(document, steps[:-1])) if steps and steps[-1] == "id" else ""
        yield replace(leaf, type=type_, labels=labels, inner=within) if type_ or labels else leaf
    for steps in keys:
        yield from _own_key(document, steps, transaction)


def _is_part(value: str, address: str, wanted: Wanted) -> bool:
    """Return whether the last part of an address is wanted, and no random one that is wanted with
    all that is before it: ``urn:note:…``."""
    return value in wanted and (value.isdigit() or address not in wanted)


def _type(around: Any) -> str:
    """Return the type that a GraphQL object says to be of."""
    told = around.get(TYPE) if isinstance(around, dict) else None
    return told if isinstance(told, str) else ""


def _own_key(document: Any, steps: tuple[str | int, ...], transaction: int) -> Iterator[Producer]:
    """Yield the key at the end of the steps where an object has one for each resource, called as in
    a list of them: the 7 of ``{"orders": {"7": {"name": "Tea"}}}``."""
    around, key = inner(document, steps[:-1]), str(steps[-1])
    own = around[key]
    is_each = all(isinstance(one, dict) for one in around.values()) and is_dynamic_key(key)
    if is_each and key not in map(json_text, own.values()):
        named = (one for one in reversed(steps[:-1]) if isinstance(one, str))
        name = f"{singular(next(named, ''))}_id".lstrip("_")
        labels = frozenset(_texts(own, deep=True))
        one = json_leaf((*steps[:-1], OwnKey(key)), key, transaction)
        yield replace(one, name=name, labels=labels)


def _has_ids(name: str) -> bool:
    return is_id_name(name) or is_version_name(name) or is_result_name(name) or is_own_id(name)


def _titles(document: Any, steps: tuple[str | int, ...], *, deep: bool = True) -> frozenset[str]:
    """Return what the item of a list is called that the steps lead into, be it to a list of its
    own; if ``deep``, by what is in it, too."""
    last = last_item(steps[:-1])
    item = document
    for step in steps[: 0 if last is None else last + 1]:
        item = item[step]
    return frozenset(_texts(item, deep=deep))


def _texts(item: Any, *, deep: bool) -> Iterator[str]:
    """Yield what stands under the name of something, in an item or in what is around its fields; or
    is a text that tells something, whatever it is called."""
    for key, value in item.items() if isinstance(item, dict) else ():
        if isinstance(value, str):
            if is_title_name(key) or key == OWN_TEXT or TELLING <= len(value) <= _LONGEST_NAME:
                yield value
        elif deep:
            yield from _texts(value, deep=False)


def _is_xml(response: RecordedResponse, text: str) -> bool:
    media = media_type(response.header("content-type"))
    return is_xml(media) and "<html" not in text[:_XML_HEAD].lower()


def in_xml(text: str, transaction: int, wanted: Wanted) -> Iterator[Producer]:
    """Yield the wanted values of elements and attributes, with how each is written."""
    seen: dict[str, int] = {}
    listed: dict[tuple[str, str], list[Producer]] | None = None
    for start, end, _, name, value, _ in xml_spans(text):
        called = _has_ids(name) or (plain(name), value) in wanted
        if value not in wanted or (is_short_number(value) and not called):
            continue
        seen[value] = seen.get(value, 0) + 1
        if seen[value] > _MOST_LEAVES:
            continue
        listed = _listed(text, transaction, wanted) if listed is None else listed
        if rows := listed.get((name, value)):
            yield rows.pop(0)
            continue
        raw = text[start:end]
        yield Producer(
            transaction, ProducerKind.XML, name, value, encoded=raw,
            filters=("unhtml",) if raw != value else (),
            text="attribute" if text[start - 1] in "\"'" else "element",
        )  # fmt: skip


def _listed(text: str, transaction: int, wanted: Wanted) -> dict[tuple[str, str], list[Producer]]:
    """Return, by name and value, the wanted values of XML that are in lists, as those of JSON, or
    are called like what is in one: of those the document may have any number before."""
    found: dict[tuple[str, str], list[Producer]] = {}
    try:
        document = xml_document(text)
    except ValueError:
        return found
    leaves = [(_called(steps), steps, value) for steps, value in json_leaves(document)]
    many = {name for name, steps, _ in leaves if any(isinstance(one, int) for one in steps)}
    for name, steps, value in leaves:
        if value in wanted and name in many:
            one = Producer(transaction, ProducerKind.XML, name, value, steps)
            one = replace(one, labels=_titles(document, steps)) if one.in_list else one
            found.setdefault((name, value), []).append(one)
    return found


def _called(steps: tuple[str | int, ...]) -> str:
    """Return the name of the element or attribute that the steps lead to."""
    names = (one for one in reversed(steps) if isinstance(one, str) and one != OWN_TEXT)
    return next(names, "").removeprefix("@")


def issued_tokens(response: RecordedResponse, transaction: int) -> Iterator[Producer]:
    """Yield the tokens of an OAuth 2.0 token response: beside a ``token_type`` (RFC 6749 §5.1)."""
    if not response.has_text or '"token_type"' not in response.text:
        return
    try:
        document = response.json()
    except ValueError:
        return
    leaves = dict(json_leaves(document))
    for steps, value in leaves.items():
        if steps and steps[-1] in _TOKENS and (*steps[:-1], "token_type") in leaves:
            yield json_leaf(steps, value, transaction)


def json_leaf(steps: tuple[str | int, ...], value: str, transaction: int) -> Producer:
    """Return a value of a JSON document, called by the last key on the way to it."""
    name = next((step for step in reversed(steps) if isinstance(step, str)), "")
    return Producer(transaction, ProducerKind.JSON, name, value, steps=steps)


def json_leaves(document: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the string and number leaves of a JSON document in order, each with the way to it."""
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while stack:
        steps, value = stack.pop()
        if isinstance(value, dict):
            stack += [((*steps, key), child) for key, child in reversed(value.items())]
        elif isinstance(value, list):
            stack += [
                ((*steps, len(value) - 1 - back), child)
                for back, child in enumerate(reversed(value))
            ]
        elif isinstance(value, str):
            yield steps, value
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield steps, str(value)
