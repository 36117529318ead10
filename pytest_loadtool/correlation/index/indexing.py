"""Indexing: the traffic of a test case, read once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import (
    collection_names,
    is_moment,
    is_path_id,
    is_short_number,
    is_version_name,
    looks_like_time,
    looks_random,
    random_part,
)
from pytest_loadtool.correlation.index.meaning import is_same
from pytest_loadtool.correlation.index.spelling import slug
from pytest_loadtool.correlation.index.traffic import (
    RecordedStep,
    RequestIndex,
    ResponseIndex,
    Traffic,
    recorded_slots,
)
from pytest_loadtool.correlation.kinds import KIND_WORDS, collection, compared
from pytest_loadtool.correlation.producer import DOCUMENTS, Producer
from pytest_loadtool.correlation.requests.parts import header_sets
from pytest_loadtool.correlation.requests.slots import Slot, request_slots
from pytest_loadtool.correlation.responses.encoded import Packed, Sought
from pytest_loadtool.correlation.responses.escaped import disguises
from pytest_loadtool.correlation.responses.links import MOST_LABELS, label_at, links
from pytest_loadtool.correlation.responses.producers import (
    in_response,
    in_text,
    issued_tokens,
    shown,
)
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.responses.tokens import SHORTEST, is_there
from pytest_loadtool.extraction.partial import is_partial
from pytest_loadtool.extraction.pattern import Pattern
from pytest_loadtool.extraction.row_search import looks_like_html
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.model.rule import NamePatterns, ProducerKind, Rule

#: How many producers of one value a rule looks at, the nearest first. So no more of one kind count
#: in one response.
MOST_PRODUCERS = 20
#: A longer text is not what something is called.
_LONGEST_NAME = 200
#: A response that only repeats what its own request said is no source of it. Pages are: their forms
#: are filled anew each time.
_ECHOES = frozenset(
    {
        ProducerKind.JSON,
        ProducerKind.XML,
        ProducerKind.LOCATION,
        ProducerKind.HEADER,
        ProducerKind.TEXT,
    }
)


_Key = TypeVar("_Key", bound=Hashable)
#: The address of a page of the same server as it stands in most links.
_PATH = re.compile(r"/(?!/)[^#:]*+")
#: The beginning of a call that is given a text or a number, be it within JSON.
_CALL = re.compile(r"\(\s?\\?[\"'\d]")
#: A segment that may be the code of a thing, as fields may be called after: ``s-8EWLJT=accept``.
_CODE = re.compile(r"(?<=/)(?=\d*[A-Za-z])[A-Za-z0-9]{4,40}(?=[/?]|\Z)")
_Values = dict[str, dict[ProducerKind, list[Producer]]]
#: By transaction, value, its kind and that of the encoded text around it.
_Place = tuple[int, str, ProducerKind, ProducerKind | None]


def read_traffic(
    case: TestCase, steps: tuple[RecordedStep, ...], rules: Sequence[Rule], told: Told = silent
) -> Traffic:
    """Index the requests of the case, then of the responses what the requests use."""
    traffic = Traffic(steps, _requests(case, steps, rules, told))
    patterns = {rule.pattern: Pattern(rule.pattern) for rule in rules if rule.pattern}
    reading = _Reading(traffic, patterns, frozenset(_short_codes(traffic.requests.slots, rules)))
    for step in _each(steps, "Reading responses", told):
        if step.exchange is not None and step.exchange.status:
            reading.read(step)
    return reading.indexed()


def _requests(
    case: TestCase, steps: tuple[RecordedStep, ...], rules: Sequence[Rule], told: Told
) -> RequestIndex:
    signed = [rule.used_as for rule in rules if rule.static]
    slots = sent_slots(case, steps, _each(steps, "Reading requests", told), signed)
    bare = Traffic(steps, RequestIndex(tuple(slots)))
    fields: dict[int, set[str]] = defaultdict(set)
    echoes: dict[int, set[str]] = defaultdict(set)
    numbers: dict[tuple[int, str], list[Slot]] = defaultdict(list)
    queried: dict[str, dict[str, int]] = defaultdict(dict)
    types: dict[int, list[Slot]] = defaultdict(list)
    sent_in_changes: list[Slot] = []
    for slot in slots:
        for user in slot.senders:
            echoes[user].add(slot.value)
        if slot.place is Place.QUERY:
            queried[slot.name].setdefault(slot.value, slot.transaction)
        if is_short_number(slot.value):
            numbers[slot.transaction, slot.value].append(slot)
        if not slot.users and not KIND_WORDS.isdisjoint(plain(compared(slot.name)).split()[-1:]):
            types[slot.transaction].append(slot)
        if slot.part == "body" and not slot.depth:
            fields[slot.transaction].add(slot.name)
        if steps[slot.transaction].changes_state and _is_field(slot, steps[slot.transaction]):
            sent_in_changes.append(slot)
    changes = [step for step in steps if step.changes_state]
    for step in changes:
        if "${" in str(step.transaction.request.body):  # where a person put placeholders
            sent_in_changes += recorded_slots(step)
    names = (one for one in sent_in_changes if len(one.value) <= _LONGEST_NAME)
    spelled = ((written, one) for one in names if (written := slug(one.value)))
    return RequestIndex(
        slots=tuple(slots),
        sets=tuple(header_sets(case).values()),
        sent=_first((one.value, one) for one in slots),
        sent_as=_first(((one.value, one.name), one) for one in slots),
        asked=_first(((one.value, bare.asked_for(one)), one) for one in slots),
        uses=Counter(value for value, _ in {(one.value, one.transaction) for one in slots}),
        fields=_frozen(fields),
        echoes=_frozen(echoes),
        numbers=dict(numbers),
        queried=dict(queried),
        types=dict(types),
        written=_first((one.value, one) for one in sent_in_changes),
        spelled=_first(spelled),
        resources=_resources(steps, slots),
        changes=tuple(step.index for step in changes),
    )


def _is_field(slot: Slot, step: RecordedStep) -> bool:
    """Return whether a request says something there: in its body, or, if it has none, in its
    query."""
    no_body = not step.transaction.request.body
    return slot.part == "body" or (no_body and slot.part == "target" and slot.root is Place.QUERY)


def sent_slots(
    case: TestCase,
    steps: Sequence[RecordedStep],
    looked_at: Iterable[RecordedStep],
    signed: Sequence[NamePatterns] = (),
) -> list[Slot]:
    """Return the slots of the requests that are ``looked_at``, and of all headers that ``steps``
    share, in the order of transactions. What fetches style sheets and the like has those in cookies
    and of ``signed`` names alone."""
    own: list[Slot] = []
    codes: set[str] = set()
    for step in looked_at:
        if step.exchange is None:
            continue
        request = step.transaction.request
        sent = request_slots(request, step.content_type, step.index, calls=step.calls, codes=codes)
        own += (
            slot
            for slot in sent
            if not step.is_static or slot.in_cookie or any(slot.name in names for names in signed)
        )
        codes.update(one for one in _CODE.findall(request.target) if not _is_word(one))
    return sorted([*_shared_slots(case, steps), *own], key=lambda slot: slot.transaction)


def _is_word(text: str) -> bool:
    return text.isalpha() and text.islower()


def _resources(steps: Sequence[RecordedStep], slots: Iterable[Slot]) -> frozenset[str]:
    """Return what requests are about, and what their paths have the ids of."""
    about = {collection(step.called) for step in steps}
    about |= {one.name for one in slots if one.place is Place.PATH and is_path_id(one.value)}
    return frozenset(name for one in about for name in collection_names(one))


def _short_codes(slots: Iterable[Slot], rules: Sequence[Rule]) -> Iterator[str]:
    """Yield the values of fields that rules know by name, which are too short to be found as words
    of a text are: ``482913`` of ``code=482913``."""
    named = [one for one in rules if one.used_as and one.value and ProducerKind.TEXT in one.kinds]
    known = [(one.used_as, Pattern(one.value)) for one in named]
    for slot in slots:
        for names, value in known if len(slot.value) < SHORTEST else ():
            if slot.name in names and value.fullmatch(slot.value):
                yield slot.value


def _numbers_behind_names(slots: Iterable[Slot]) -> Iterator[tuple[str, str]]:
    """Yield the short numbers of paths, each with what it is the number of: ``report``, ``2``."""
    for slot in slots:
        if slot.place is Place.PATH and is_short_number(slot.value):
            yield from ((name, slot.value) for name in collection_names(slot.name))


def _first(named: Iterable[tuple[_Key, Slot | Producer]]) -> dict[_Key, int]:
    """Return by name the transaction of the first slot or producer that has it."""
    found: dict[_Key, int] = {}
    for name, one in named:
        found.setdefault(name, one.transaction)
    return found


def _frozen(sets: Mapping[_Key, Iterable[str]]) -> dict[_Key, frozenset[str]]:
    return {key: frozenset(values) for key, values in sets.items()}


def _each(steps: Sequence[RecordedStep], doing: str, told: Told) -> Iterator[RecordedStep]:
    for step in steps:
        told(doing, step.index, len(steps))
        yield step


def _shared_slots(case: TestCase, steps: Sequence[RecordedStep]) -> Iterator[Slot]:
    """Yield the slots of the header sets, each with the transactions that send it."""
    for index, (name, headers) in enumerate(header_sets(case).items()):
        users: dict[int, list[int]] = {}
        positions = {id(header): position for position, header in enumerate(headers.headers)}
        for step in steps:
            request = step.transaction.request
            if step.exchange is None or request.header_set != name:
                continue
            for header in case.wire_headers(request):
                position = positions.get(id(header))
                if position is not None:
                    users.setdefault(position, []).append(step.index)
        for slot in request_slots(headers, "", ~index):
            assert isinstance(slot.part, int), "the request has headers only"
            if slot.part in users:
                everyone = tuple(users[slot.part])
                yield replace(slot, transaction=everyone[0], users=everyone, header_set=index)


def decoded(producer: Producer, hidden: Mapping[str, tuple[str, str]]) -> Iterator[Producer]:
    """Yield the producer of the value that is in another encoding there: one of `disguises`."""
    if producer.value in hidden:
        value, undo = hidden[producer.value]
        filters = (*producer.filters, undo)
        yield replace(producer, value=value, encoded=producer.extracted, filters=filters)


def wholes(wanted: Iterable[str]) -> dict[str, list[str]]:
    """Return the values that are no tokens, as they are made of several, by the first of these."""
    found: dict[str, list[str]] = defaultdict(list)
    for value in wanted:
        if (first := random_part(value)) is not None:
            found[first].append(value)
    return found


class _Reading:
    """The contents of the responses, as they are read one after the other."""

    def __init__(
        self, traffic: Traffic, patterns: Mapping[str, Pattern], codes: frozenset[str]
    ) -> None:
        self._traffic = traffic
        self._patterns = patterns
        self._codes = codes
        searches = traffic.searches
        wanted = frozenset(traffic.requests.sent)
        random = frozenset(one for one in wanted if looks_random(one) or looks_like_time(one))
        # Every token has some: none is sent back.
        times = frozenset(filter(looks_like_time, wanted))
        self._hidden = disguises(random)
        self._packed = Packed(wanted - times, random - times, searches)
        self._wholes = wholes(wanted)
        called = frozenset(_numbers_behind_names(traffic.requests.slots))
        self._sought = Sought(wanted | self._hidden.keys(), self._packed, called)
        self._hard = Sought(random | self._hidden.keys(), self._packed)
        self._addresses = {
            address
            for step in traffic.steps
            for address in (step.address, step.address.partition("?")[0])
        }
        self._found: list[Producer] = []
        """What gives out a value that a request has, choices among them."""
        self._offered: dict[tuple[str, str, str], int] = {}
        self._tokens: list[Producer] = []
        self._links: dict[str, list[Producer]] = defaultdict(list)
        self._markup: list[int] = []
        self._scripts: list[int] = []
        self._tables: list[int] = []
        self._pages: dict[str, list[int]] = defaultdict(list)
        self._typed: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self._forms: dict[tuple[int, int], set[str]] = defaultdict(set)
        self._unsearched: int | None = None

    def read(self, step: RecordedStep) -> None:
        """Read the response of a transaction that has one."""
        assert step.exchange is not None, "it has a response"
        if "immutable" in (step.exchange.response_header("cache-control") or "").lower():
            return  # it never changes (RFC 8246): a new version has another address
        response = RecordedResponse(step.exchange)
        searches = self._traffic.searches
        places: Counter[_Place] = Counter()
        names: set[tuple[str, str]] = set()
        for one in self._producers(response, step.index):
            if one.value in self._traffic.requests.sent:
                places[_place(one)] += 1
                # Of the others it is enough to know that they are there.
                if places[_place(one)] <= MOST_PRODUCERS or (one.value, one.name) not in names:
                    self._found.append(one)
                names.add((one.value, one.name))
        said = self._traffic.requests.echoes.get(step.index, ())
        tokens = issued_tokens(response, step.index)
        self._tokens += (one for one in tokens if one.value not in said)
        if searches.over and self._unsearched is None:
            self._unsearched = step.index
        if response.has_text and not step.is_static and _CALL.search(response.text):
            self._scripts.append(step.index)
        if response.has_text and "</" in response.text:
            # What stands between two signs of a script, `i<n;` and `>`, is no element of XML.
            if not step.is_static or looks_like_html(response.text):
                self._markup.append(step.index)
            if "</td>" in response.text or "</TD>" in response.text:
                self._tables.append(step.index)
        if response.has_text and (response.text.lstrip()[:1] == "<" or is_partial(response.text)):
            self._read_page(step, response.text)

    def _producers(self, response: RecordedResponse, at: int) -> Iterator[Producer]:
        searches = self._traffic.searches
        for one in in_response(response, at, self._sought, self._hard, searches):
            yield one
            if one.kind is ProducerKind.CHOICE:
                self._offered.setdefault((one.name, one.value, one.text), at)
                continue
            if one.kind is ProducerKind.CONTROL:
                self._forms[at, one.form].add(one.name)
                if one.control == "text":
                    self._typed[one.name].append((at, one.value))
            yield from decoded(one, self._hidden)
            yield from self._packed.within(one)
            if one.kind is ProducerKind.TEXT and not one.name:
                yield from self._around(one, response.text)
        if self._codes and response.has_text:
            there = {one for one in self._codes if is_there(one, response.text)}
            yield from shown(response, there, at, searches)
        for pattern, compiled in self._patterns.items() if response.has_text else ():
            compiled.allowance.begin()
            for value in [found[1] for found in compiled.finditer(response.text)]:
                yield Producer(at, ProducerKind.TEXT, "", value, text=pattern)

    def _around(self, part: Producer, text: str) -> Iterator[Producer]:
        """Yield the longer values of which a token is a part, where the text has them whole."""
        for whole in self._wholes.get(part.value, ()):
            if whole in text and self._traffic.searches.allow(len(text)):
                yield from in_text(text, whole, part.transaction)

    def _read_page(self, step: RecordedStep, text: str) -> None:
        if not step.changes_state:
            self._pages[step.path].append(step.index)
        found: dict[str, tuple[str, str, list[str]]] = {}
        for link, raw, end in links(text):
            address = _absolute(link, step)
            if address in self._addresses and address != step.address:
                labels = found.setdefault(link, (address, raw, []))[2]
                if len(labels) < MOST_LABELS:
                    labels.append(label_at(text, end))
        for address, raw, labels in found.values():
            one = Producer(
                step.index, ProducerKind.LINK, "", "", text=raw, labels=frozenset(labels)
            )
            self._links[address].append(one)

    def indexed(self) -> Traffic:
        """Return the traffic with all that was read."""
        pages = ResponseIndex(
            links=dict(self._links),
            markup=tuple(self._markup),
            scripts=tuple(self._scripts),
            tables=tuple(self._tables),
            pages=dict(self._pages),
            typed=dict(self._typed),
            forms=_frozen(self._forms),
            offered=self._offered,
            choices=frozenset((name, value) for name, value, _ in self._offered),
            tokens=tuple(self._tokens),
            unsearched=self._unsearched,
        )
        seen = replace(self._traffic, responses=pages)
        given = _given(self._found, seen)
        plain: _Values = {}
        packed: _Values = {}
        places: Counter[_Place] = Counter()
        for one in given:
            places[_place(one)] += 1
            if places[_place(one)] <= MOST_PRODUCERS:
                values = plain if one.box is None else packed
                values.setdefault(one.value, {}).setdefault(one.kind, []).append(one)
        served = [one for one in given if one.kind is not ProducerKind.CHOICE]
        known = _last_begun(self._traffic.steps)
        served = [
            replace(one, transaction=known[one.transaction])
            if one.kind in DOCUMENTS and known[one.transaction] != one.transaction
            else one
            for one in served
        ]
        served.sort(key=lambda one: one.transaction)
        changes = self._traffic.requests.changes
        responses = replace(
            pages,
            waited=frozenset(
                at
                for at, last in enumerate(known)
                if bisect_right(changes, at) < bisect_right(changes, last)
            )
            - {*changes},
            producers=plain,
            packed=packed,
            served=_first((one.value, one) for one in served),
            served_as=_first(((one.value, one.name), one) for one in served),
        )
        return replace(seen, responses=responses)


def _last_begun(steps: Sequence[RecordedStep]) -> list[int]:
    """Return by transaction the last that had begun before all of its answer was there."""
    known: list[int] = []
    for step in steps:
        last, exchange = step.index, step.exchange
        end = exchange.started + exchange.took if exchange is not None else 0.0
        for later in steps[last + 1 :]:
            if later.exchange is None or later.exchange.started >= end:
                break
            last = later.index
        known.append(last)
    return known


def _place(one: Producer) -> _Place:
    return one.transaction, one.value, one.kind, None if one.box is None else one.box.producer.kind


def _given(found: Iterable[Producer], traffic: Traffic) -> list[Producer]:
    """Return those that a request may have its value from. The version or the moment that an answer
    has is what the resource has now, also where it is by chance the one that was sent, if an answer
    before had given that out."""
    given: list[Producer] = []
    versions: set[str] = set()
    for one in found:
        named = is_version_name(one.name) or is_moment(one.value)
        if _gives(one, traffic) or (named and one.value in versions):
            given.append(one)
            if named:
                versions.add(one.value)
    return given


def _gives(producer: Producer, traffic: Traffic) -> bool:
    """Return whether a request may have the value from there: it is none of what the response only
    repeats; and a choice until a request has made it."""
    requests, at = traffic.requests, producer.transaction
    if producer.kind is ProducerKind.CHOICE:
        return at < requests.sent_as.get((producer.value, producer.name), 0)
    if producer.kind not in _ECHOES or producer.value not in requests.echoes.get(at, ()):
        return True
    # Its request has the value somewhere: is it for what it is here?
    numbers = requests.numbers.get((at, producer.value))
    return numbers is not None and not any(is_same(one, producer, traffic) for one in numbers)


def _absolute(link: str, step: RecordedStep) -> str:
    """Return path and query of an address that the step's page links to."""
    if _PATH.fullmatch(link):  # as most are
        return link
    link = link.partition("#")[0]
    scheme, separator, rest = link.partition("://")
    if separator and scheme.isalpha():
        return "/" + rest.partition("/")[2]
    if link.startswith("/"):
        return link if not link.startswith("//") else "/" + link[2:].partition("/")[2]
    path = step.address.partition("?")[0]
    return path + link if link.startswith("?") else path.rpartition("/")[0] + "/" + link
