"""The traffic of a test case: its transactions with their evidence, and an index over values."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge

from pytest_loadtool.codec.multipart import as_template, pieces_of
from pytest_loadtool.codec.place import Place
from pytest_loadtool.correlation.about import (
    WRAPPERS,
    collection,
    id_stem,
    procedure,
    reads,
)
from pytest_loadtool.correlation.escaped import disguises
from pytest_loadtool.correlation.links import MOST_LABELS, label_at, links
from pytest_loadtool.correlation.looks import (
    is_id_name,
    is_short_number,
    looks_like_time,
    looks_random,
    plain,
)
from pytest_loadtool.correlation.meaning import is_same
from pytest_loadtool.correlation.packed import Packed, Sought
from pytest_loadtool.correlation.parts import content_type, header_sets, rendered
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.producers import in_response, issued_tokens
from pytest_loadtool.correlation.recorded import RecordedResponse
from pytest_loadtool.correlation.searches import Searches
from pytest_loadtool.correlation.slots import Slot, request_slots
from pytest_loadtool.correlation.spelling import slug
from pytest_loadtool.correlation.spots import HOLE
from pytest_loadtool.extraction.partial import is_partial
from pytest_loadtool.extraction.pattern import Pattern
from pytest_loadtool.model.case import Kind as ResponseKind
from pytest_loadtool.model.case import Request, TestCase, Transaction
from pytest_loadtool.model.exchange import SAFE_METHODS, Exchange
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.model.rule import Kind, Rule

#: Producers by their kinds.
ByKind = dict[Kind, list[Producer]]
#: By value, its kind and that of the encoded text around it: in how many places of a response.
_Places = Counter[tuple[str, Kind, Kind | None]]

#: How many producers of one value a rule looks at, the nearest first. So no more of one kind count
#: in one response.
MOST_PRODUCERS = 20
#: Responses of these kinds are requested with addresses that are not worth a variable each.
_STATIC = frozenset({ResponseKind.CSS, ResponseKind.IMAGE, ResponseKind.JAVASCRIPT})
#: A longer text is not what something is called.
_LONGEST_NAME = 200
#: A response that only repeats what its own request said is no source of it. Pages are: their forms
#: are filled anew each time.
_ECHOES = frozenset({Kind.JSON, Kind.XML, Kind.LOCATION, Kind.HEADER, Kind.TEXT})


@dataclass(frozen=True, slots=True)
class Step:
    """A transaction of the case with its place and its evidence, if it has any."""

    index: int
    page: int
    position: int
    transaction: Transaction
    exchange: Exchange | None
    content_type: str
    path: str
    """Of the masked target, without the server."""
    address: str
    """Path and query as recorded; only what no recorded value is known of is masked."""
    called: str
    """The procedure that it calls, else the path."""
    changes_things: bool
    """Whether the method is one that creates or changes (RFC 9110 §9.2.1), and what is called not
    one that reads."""

    @property
    def is_static(self) -> bool:
        """Whether it fetches a style sheet, script or image."""
        recorded = self.transaction.recorded
        return not self.changes_things and recorded is not None and recorded.kind in _STATIC


@dataclass(slots=True)
class Traffic:
    """What the responses give and the requests take. Lists are in the order of transactions."""

    steps: tuple[Step, ...]
    slots: tuple[Slot, ...]
    sets: tuple[Request, ...] = ()
    """The header sets."""
    tokens: list[Producer] = field(default_factory=list)
    """The OAuth tokens that responses issue, used or not."""
    producers: dict[str, ByKind] = field(default_factory=dict)
    """By value and kind."""
    packed: dict[str, ByKind] = field(default_factory=dict)
    """Likewise, those within encoded texts."""
    links: dict[str, list[Producer]] = field(default_factory=dict)
    """By the address (path and query) that a page links to; only addresses that are requested."""
    typed: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    """By name: the fields that a person may type into, as (transaction, value on the page)."""
    forms: dict[tuple[int, int], set[str]] = field(default_factory=dict)
    """By transaction and form: the names of its fields."""
    pages: dict[str, list[int]] = field(default_factory=dict)
    """By path: the transactions that fetched it with GET."""
    served: dict[str, int] = field(default_factory=dict)
    """By value: the first transaction whose response holds it."""
    served_as: dict[tuple[str, str], int] = field(default_factory=dict)
    """By value and name: likewise."""
    sent: dict[str, int] = field(default_factory=dict)
    """By value: the first transaction whose request holds it."""
    sent_as: dict[tuple[str, str], int] = field(default_factory=dict)
    """By value and field name: likewise."""
    asked: dict[tuple[str, str], int] = field(default_factory=dict)
    """By value and what the field `asked_for`: likewise."""
    uses: Counter[str] = field(default_factory=Counter)
    """By value: how many requests hold it."""
    offered: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """By field name, value and label as written: the first transaction that offers the choice."""
    fields: dict[int, frozenset[str]] = field(default_factory=dict)
    """By transaction: the names of the fields in its body."""
    echoes: dict[int, set[str]] = field(default_factory=dict)
    """By transaction: the values in its request, which its response may repeat."""
    numbers: dict[tuple[int, str], list[Slot]] = field(default_factory=dict)
    """By transaction and value: where its request has a number that many things have by chance."""
    written: dict[str, int] = field(default_factory=dict)
    """By value: the first transaction that changes things and has it in its body, as recorded."""
    spelled: dict[str, int] = field(default_factory=dict)
    """By the slug of such a value: likewise."""
    own: set[int] = field(default_factory=set)
    """The transactions whose path has the id of something that the session created; known once
    those before the slot that is judged are."""
    changes: list[int] = field(default_factory=list)
    """The transactions that may change something on the server."""
    searches: Searches = field(default_factory=Searches)
    """How much of the responses may still be looked through."""
    unsearched: int | None = None
    """The first transaction of whose response not all could be."""
    submitted: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    """By transaction and form, and by request: whether the request may submit the form, as far as
    that was asked."""

    def producers_of(self, value: str) -> list[Producer]:
        """All producers of a value that stands plainly, in the order of transactions."""
        kinds = self.producers.get(value, {}).values()
        return list(merge(*kinds, key=lambda one: one.transaction))

    def packed_of(self, value: str) -> list[Producer]:
        """Likewise, those within encoded texts."""
        kinds = self.packed.get(value, {}).values()
        return list(merge(*kinds, key=lambda one: one.transaction))

    def asked_for(self, slot: Slot) -> str:
        """What a slot is called: a small number, by the kind of thing that it is the id of, as the
        9 in ``/tasks/9`` is not that in ``/projects/9``."""
        if not is_short_number(slot.value):
            return slot.name
        if slot.place is Place.PATH:
            return collection(slot.before) or slot.name
        if not is_id_name(slot.name) or id_stem(slot.name):
            return slot.name
        within = "" if plain(slot.before) in WRAPPERS else slot.before
        return f"{within or collection(self.steps[slot.transaction].called)} {slot.name}"

    def before(self, slot: Slot) -> str:
        """The path up to a segment as recorded, whatever a person has put into it."""
        if HOLE not in slot.before:
            return slot.before
        recorded = self.steps[slot.transaction].address.split("/")
        return "/".join(recorded[: slot.before.count("/")]) + "/"

    def request(self, owner: int) -> Request:
        """The request of that transaction, or the header set: see `Slot.owner`."""
        return self.sets[~owner] if owner < 0 else self.steps[owner].transaction.request

    def slots_of(self, transaction: int) -> Iterator[Slot]:
        """The slots of one transaction, but for those in headers that it shares."""
        start = bisect_left(self.slots, transaction, key=lambda one: one.transaction)
        end = bisect_right(self.slots, transaction, key=lambda one: one.transaction)
        return (one for one in self.slots[start:end] if not one.users)


def steps_of(case: TestCase, exchanges: Sequence[Exchange]) -> tuple[Step, ...]:
    """The transactions of the case in order, each with the exchange it was recorded from."""
    values = {one.name: one.recorded for one in case.variables.values() if one.recorded is not None}
    steps: list[Step] = []
    for number, page in enumerate(case.pages):
        for position, transaction in enumerate(page.transactions):
            recorded = transaction.recorded
            entry = recorded.entry if recorded is not None else None
            known = entry is not None and 0 <= entry < len(exchanges)
            exchange = exchanges[entry] if known and entry is not None else None
            target = transaction.request.target
            path = _without_server(rendered(target, "target", "", {})).partition("?")[0]
            address = _without_server(rendered(target, "target", "", values))
            media = content_type(case.wire_headers(transaction.request))
            unsafe = transaction.request.method.upper() not in SAFE_METHODS
            called = (procedure(exchange) if unsafe and exchange is not None else "") or path
            steps.append(
                Step(
                    index=len(steps),
                    page=number,
                    position=position,
                    transaction=transaction,
                    exchange=exchange,
                    content_type=media,
                    path=path,
                    address=address,
                    called=called,
                    changes_things=unsafe and not reads(called),
                )
            )
    return tuple(steps)


def recorded_slots(step: Step) -> Iterator[Slot]:
    """The slots of the body as it was recorded: a person may have put placeholders into the
    case's."""
    body = step.exchange.request_body if step.exchange is not None else b""
    request = Request("POST", "/", body=as_template(pieces_of(body, step.content_type)))
    return request_slots(request, step.content_type, step.index)


def _without_server(target: str) -> str:
    text = target.removeprefix(HOLE)
    return text if text.startswith("/") else "/" + text.partition("://")[2].partition("/")[2]


def read_traffic(
    case: TestCase, steps: tuple[Step, ...], rules: Sequence[Rule], told: Told = silent
) -> Traffic:
    """Index the requests of the case, then of the responses what the requests use."""
    patterns = {rule.pattern: Pattern(rule.pattern) for rule in rules if rule.pattern}
    signed = [rule.used_as for rule in rules if rule.static]
    own = (
        slot
        for step in _each(steps, "Reading requests", told)
        if step.exchange is not None
        for slot in request_slots(step.transaction.request, step.content_type, step.index)
        if not step.is_static or slot.in_cookie or any(slot.name in names for names in signed)
    )
    slots = sorted([*_shared_slots(case, steps), *own], key=lambda slot: slot.transaction)
    traffic = Traffic(steps, tuple(slots), tuple(header_sets(case).values()))
    echoes = traffic.echoes
    fields: dict[int, set[str]] = {}
    traffic.uses.update(value for value, _ in {(one.value, one.transaction) for one in slots})
    for slot in slots:
        traffic.sent.setdefault(slot.value, slot.transaction)
        traffic.sent_as.setdefault((slot.value, slot.name), slot.transaction)
        traffic.asked.setdefault((slot.value, traffic.asked_for(slot)), slot.transaction)
        for user in slot.users or (slot.transaction,):
            echoes.setdefault(user, set()).add(slot.value)
        if is_short_number(slot.value):
            traffic.numbers.setdefault((slot.transaction, slot.value), []).append(slot)
        if slot.part == "body" and not slot.depth:
            fields.setdefault(slot.transaction, set()).add(slot.name)
        if slot.part == "body" and steps[slot.transaction].changes_things:
            _note_written(traffic, slot, slot.transaction)
    traffic.fields = {index: frozenset(names) for index, names in fields.items()}
    wanted = frozenset(traffic.sent)
    random = frozenset(one for one in wanted if looks_random(one) or looks_like_time(one))
    hidden = disguises(random)
    times = frozenset(filter(looks_like_time, wanted))  # every token has some: none is sent back
    packed = Packed(wanted - times, random - times, traffic.searches)
    sought, hard = Sought(wanted | hidden.keys(), packed), Sought(random | hidden.keys(), packed)
    addresses = {step.address for step in steps}
    for step in _each(steps, "Reading responses", told):
        if step.changes_things:
            traffic.changes.append(step.index)
            if "${" in str(step.transaction.request.body):  # where a person put placeholders
                for slot in recorded_slots(step):
                    _note_written(traffic, slot, step.index)
        if step.exchange is None or not step.exchange.status:
            continue
        response = RecordedResponse(step.exchange)
        said = echoes.get(step.index, set())
        places: _Places = Counter()
        for producer in in_response(response, step.index, sought, hard, traffic.searches):
            if producer.kind is Kind.CHOICE:
                _offer(traffic, producer, places)
                continue
            _note_control(traffic, producer)
            for one in (producer, *decoded(producer, hidden), *packed.within(producer)):
                _add(traffic, one, wanted, said, places)
        if response.has_text:
            for pattern, compiled in patterns.items():
                compiled.allowance.begin()
                for value in [found[1] for found in compiled.finditer(response.text)]:
                    one = Producer(step.index, Kind.TEXT, "", value, text=pattern)
                    _add(traffic, one, wanted, said, places)
        traffic.tokens += (
            one for one in issued_tokens(response, step.index) if one.value not in said
        )
        if traffic.searches.over and traffic.unsearched is None:
            traffic.unsearched = step.index
        if response.has_text and (response.text.lstrip()[:1] == "<" or is_partial(response.text)):
            _add_page(traffic, step, response.text, addresses)
    return traffic


def _each(steps: Sequence[Step], doing: str, told: Told) -> Iterator[Step]:
    for step in steps:
        told(doing, step.index, len(steps))
        yield step


def _shared_slots(case: TestCase, steps: tuple[Step, ...]) -> Iterator[Slot]:
    """The slots of the header sets, each with the transactions that send it."""
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
    """The producer of the value that is in another encoding there: one of `disguises`."""
    if producer.value in hidden:
        value, undo = hidden[producer.value]
        filters = (*producer.filters, undo)
        yield replace(producer, value=value, encoded=producer.extracted, filters=filters)


def _note_written(traffic: Traffic, slot: Slot, transaction: int) -> None:
    traffic.written.setdefault(slot.value, transaction)
    if len(slot.value) <= _LONGEST_NAME and (written := slug(slot.value)):
        traffic.spelled.setdefault(written, transaction)


def _note_control(traffic: Traffic, producer: Producer) -> None:
    at = producer.transaction
    if producer.kind is Kind.CONTROL:
        traffic.forms.setdefault((at, producer.form), set()).add(producer.name)
        if producer.control == "text":
            traffic.typed.setdefault(producer.name, []).append((at, producer.value))


def _offer(traffic: Traffic, producer: Producer, places: _Places) -> None:
    """Note a choice: a producer until a request has made it."""
    name, value, at = producer.name, producer.value, producer.transaction
    traffic.offered.setdefault((name, value, producer.text), at)
    if at < traffic.sent_as.get((value, name), 0):
        _keep(traffic.producers, producer, places)


def _add(
    traffic: Traffic,
    producer: Producer,
    wanted: frozenset[str],
    said: set[str],
    places: _Places,
) -> None:
    at = producer.transaction
    if producer.value not in wanted or (
        producer.kind in _ECHOES and producer.value in said and _is_echo(traffic, producer)
    ):
        return
    traffic.served_as.setdefault((producer.value, producer.name), at)
    traffic.served.setdefault(producer.value, at)
    _keep(traffic.producers if producer.box is None else traffic.packed, producer, places)


def _keep(producers: dict[str, ByKind], producer: Producer, places: _Places) -> None:
    value, kind, box = producer.value, producer.kind, producer.box
    place = value, kind, None if box is None else box.producer.kind
    places[place] += 1
    if places[place] <= MOST_PRODUCERS:
        producers.setdefault(value, {}).setdefault(kind, []).append(producer)


def _is_echo(traffic: Traffic, producer: Producer) -> bool:
    """Of a value that its request has somewhere: whether it has it there for what it is here."""
    numbers = traffic.numbers.get((producer.transaction, producer.value))
    return numbers is None or any(is_same(one, producer, traffic) for one in numbers)


def _add_page(traffic: Traffic, step: Step, text: str, addresses: set[str]) -> None:
    if not step.changes_things:
        traffic.pages.setdefault(step.path, []).append(step.index)
    found: dict[str, tuple[str, str, list[str]]] = {}
    for link, raw, end in links(text):
        address = _absolute(link, step)
        if address in addresses and address != step.address:
            labels = found.setdefault(link, (address, raw, []))[2]
            if len(labels) < MOST_LABELS:
                labels.append(label_at(text, end))
    for address, raw, labels in found.values():
        one = Producer(step.index, Kind.LINK, "", "", text=raw, labels=frozenset(labels))
        traffic.links.setdefault(address, []).append(one)


def _absolute(link: str, step: Step) -> str:
    """Path and query of an address that the step's page links to."""
    link = link.partition("#")[0]
    scheme, separator, rest = link.partition("://")
    if separator and scheme.isalpha():
        return "/" + rest.partition("/")[2]
    if link.startswith("/"):
        return link if not link.startswith("//") else "/" + link[2:].partition("/")[2]
    path = step.address.partition("?")[0]
    return path + link if link.startswith("?") else path.rpartition("/")[0] + "/" + link
