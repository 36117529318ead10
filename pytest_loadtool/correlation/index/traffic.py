"""The traffic of a test case: its transactions with their evidence, and indexes over their values.

All of it is built once (`indexing`), and nothing changes it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from http import HTTPStatus
from urllib.parse import urlsplit

from pytest_loadtool.codec.batches import BatchedCall
from pytest_loadtool.codec.calls import meant_method, sql_changes
from pytest_loadtool.codec.http import SAFE_METHODS
from pytest_loadtool.codec.media import FORM, media_type
from pytest_loadtool.codec.multipart import as_template, pieces_of
from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import is_id_name, is_path_id, is_short_number
from pytest_loadtool.correlation.graphql import operation
from pytest_loadtool.correlation.kinds import (
    ARGUMENTS,
    WRAPPERS,
    acts,
    begins_reading,
    calls_for,
    calls_in,
    collection,
    id_stem,
    procedure,
    reads,
    routed,
)
from pytest_loadtool.correlation.producer import Producer
from pytest_loadtool.correlation.requests.parts import content_type, rendered
from pytest_loadtool.correlation.requests.positions import HOLE
from pytest_loadtool.correlation.requests.slots import Slot, request_slots
from pytest_loadtool.correlation.responses.recorded import LastRead, RecordedResponse, leads
from pytest_loadtool.correlation.search_budget import Searches
from pytest_loadtool.model.case import Kind as ResponseKind
from pytest_loadtool.model.case import Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind

#: Producers by their kinds, each in the order of transactions.
ByKind = Mapping[ProducerKind, Sequence[Producer]]

#: Responses of these kinds are requested with addresses that are not worth a variable each.
_STATIC = frozenset({ResponseKind.CSS, ResponseKind.IMAGE, ResponseKind.JAVASCRIPT})
#: Likewise, of what is built with an application, and fetched by its styles and scripts.
_OF_BUILDS = re.compile(r"\.(?:woff2?|ttf|otf|eot|wasm)\Z")
#: What is to be done, in a form.
_OPERATION = re.compile(
    rb"(?:^|&)(?:action|call|cmd|command|do|method|op|operation|task)=([A-Za-z_.-]+)(?=&|$)"
)

#: What is given out against forgery, in a query.
_GUARD = re.compile(
    r"[?&][\w\[\]-]*(?:csrf|xsrf|nonce|authenticity_token|form_?key|sess_?key|sectok)[\w\[\]-]*=",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RecordedStep:
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
    calls: tuple[str, ...]
    """What each of several calls is called."""
    method: str
    """The one that the request means, in capitals."""
    changes_state: bool
    """Whether the method is one that creates or changes (RFC 9110 §9.2.1), and what is called not
    one that reads."""

    @property
    def is_static(self) -> bool:
        """Return whether it fetches a style sheet, script, image, font or program."""
        recorded = self.transaction.recorded
        if self.changes_state or recorded is None:
            return False
        return recorded.kind in _STATIC or _OF_BUILDS.search(self.path) is not None


@dataclass(frozen=True, slots=True)
class RequestIndex:
    """The values that requests take. Transactions are by their index, the first one where there are
    several."""

    slots: tuple[Slot, ...]
    """In the order of transactions."""
    sets: tuple[Request, ...] = ()
    """The header sets."""
    sent: Mapping[str, int] = field(default_factory=dict)
    """By value: the transaction whose request holds it."""
    sent_as: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """By value and field name: likewise."""
    asked: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """By value and what the field `asked_for`: likewise."""
    uses: Mapping[str, int] = field(default_factory=dict)
    """By value: how many requests hold it."""
    fields: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """By transaction: the names of the fields in its body."""
    echoes: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """By transaction: the values in its request, which its response may repeat."""
    numbers: Mapping[tuple[int, str], Sequence[Slot]] = field(default_factory=dict)
    """By transaction and value: where its request has a number that many resources have by
    chance."""
    queried: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By the name of a field of queries and its value: the first transaction that asks for it."""
    types: Mapping[int, Sequence[Slot]] = field(default_factory=dict)
    """By transaction: where its request may say of which type a resource is."""
    written: Mapping[str, int] = field(default_factory=dict)
    """By value: the transaction that changes resources and has it in its body, as recorded."""
    spelled: Mapping[str, int] = field(default_factory=dict)
    """By the slug of such a value: likewise."""
    resources: frozenset[str] = frozenset()
    """What the requests are about, one or many: ``task`` and ``tasks`` of ``/tasks/7``."""
    changes: Sequence[int] = ()
    """The transactions that may change something on the server."""


@dataclass(frozen=True, slots=True)
class ResponseIndex:
    """The values that responses give. Lists are in the order of transactions."""

    producers: Mapping[str, ByKind] = field(default_factory=dict)
    """By value and kind."""
    packed: Mapping[str, ByKind] = field(default_factory=dict)
    """Likewise, those within encoded texts."""
    served: Mapping[str, int] = field(default_factory=dict)
    """By value: the first transaction whose response holds it."""
    served_as: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """By value and name: likewise."""
    waited: frozenset[int] = frozenset()
    """The transactions that read and were answered when a later one had begun to change something:
    long polls, which tell what time has brought."""
    links: Mapping[str, Sequence[Producer]] = field(default_factory=dict)
    """By the address (path and query) that a page links to; only addresses that are requested."""
    markup: Sequence[int] = ()
    """The transactions whose responses have an element of markup."""
    tables: Sequence[int] = ()
    """Of these, the ones with cells of tables."""
    scripts: Sequence[int] = ()
    """Those whose responses may have the call of a script that is given a text."""
    pages: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """By path: the transactions that fetched it with GET."""
    typed: Mapping[str, Sequence[tuple[int, str]]] = field(default_factory=dict)
    """By name: the fields that a person may type into, as (transaction, value on the page)."""
    forms: Mapping[tuple[int, int], frozenset[str]] = field(default_factory=dict)
    """By transaction and form: the names of its fields."""
    offered: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    """By field name, value and label as written: the first transaction that offers the choice."""
    choices: frozenset[tuple[str, str]] = frozenset()
    """The same by field name and value alone."""
    tokens: Sequence[Producer] = ()
    """The OAuth tokens that responses issue, used or not."""
    unsearched: int | None = None
    """The first transaction of whose response not all could be looked through."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """The values that responses give and requests take."""

    steps: tuple[RecordedStep, ...]
    requests: RequestIndex
    responses: ResponseIndex = ResponseIndex()
    searches: Searches = field(default_factory=Searches, compare=False)
    """How much of the responses may still be looked through: this alone is counted down."""
    last_read: LastRead = field(default_factory=LastRead, compare=False)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of all requests."""
        return self.requests.slots

    @property
    def offered(self) -> Mapping[tuple[str, str, str], int]:
        """The choices of all pages."""
        return self.responses.offered

    def producers_of(self, value: str) -> list[Producer]:
        """Return all producers of a value that stands plainly, in the order of transactions."""
        kinds = self.responses.producers.get(value, {}).values()
        return list(merge(*kinds, key=lambda one: one.transaction))

    def packed_of(self, value: str) -> list[Producer]:
        """Return the producers of the value within encoded texts, in the order of transactions."""
        kinds = self.responses.packed.get(value, {}).values()
        return list(merge(*kinds, key=lambda one: one.transaction))

    def asked_for(self, slot: Slot) -> str:
        """Return what a slot is called: a small number, by the kind of resource that it is the id
        of, as the 9 in ``/tasks/9`` is not that in ``/projects/9``."""
        if not is_short_number(slot.value):
            return slot.name
        if slot.place is Place.PATH:
            return collection(slot.before) or slot.name
        if slot.name not in ARGUMENTS and (not is_id_name(slot.name) or id_stem(slot.name)):
            return slot.name
        within = "" if plain(slot.before) in WRAPPERS else slot.before
        return f"{within or collection(self.steps[slot.transaction].called)} {slot.name}"

    def before(self, slot: Slot) -> str:
        """Return the path up to a segment as recorded, whatever a person has put into it."""
        if HOLE not in slot.before:
            return slot.before
        recorded = self.steps[slot.transaction].address.split("/")
        stem = slot.before.rpartition("/")[2]
        return "/".join(recorded[: slot.before.count("/")]) + f"/{stem}"

    def led_to(self, transaction: int) -> RecordedStep | None:
        """Return the next transaction, if the answer to this one redirects to it."""
        exchange = self.steps[transaction].exchange
        to = [one for _, one in leads(exchange.response_headers)] if exchange is not None else []
        following = self.steps[transaction + 1 : transaction + 2]
        return next((one for one in following for to_it in to if to_it.endswith(one.address)), None)

    def linked_as(self, transaction: int) -> str:
        """Return the address of a request as links to it have it: the router of a page may add a
        query to where a link leads."""
        address = self.steps[transaction].address
        return address if address in self.responses.links else address.partition("?")[0]

    def response(self, transaction: int) -> RecordedResponse:
        """Return the recorded response of a transaction, which has one."""
        exchange = self.steps[transaction].exchange
        assert exchange is not None, "it was recorded"
        return self.last_read.of(exchange)

    def request(self, owner: int) -> Request:
        """Return the request of that transaction, or the header set: see `Slot.owner`."""
        return self.requests.sets[~owner] if owner < 0 else self.steps[owner].transaction.request

    def slots_of(self, transaction: int) -> Iterator[Slot]:
        """Return the slots of one transaction, but for those in headers that it shares."""
        start = bisect_left(self.slots, transaction, key=lambda one: one.transaction)
        end = bisect_right(self.slots, transaction, key=lambda one: one.transaction)
        return (one for one in self.slots[start:end] if not one.users)


def is_change(step: RecordedStep) -> bool:
    """Return whether a transaction may do something; a query of GraphQL is sent by POST, too."""
    if step.exchange is None or not step.changes_state:
        return False
    asked = operation(step.exchange)
    return asked is None or asked.changes


def steps_of(case: TestCase, exchanges: Sequence[Exchange]) -> tuple[RecordedStep, ...]:
    """Return the transactions of the case in order, each with the exchange it was recorded from."""
    values = {one.name: one.recorded for one in case.variables.values() if one.recorded is not None}
    steps: list[RecordedStep] = []
    for number, page in enumerate(case.pages):
        for position, transaction in enumerate(page.transactions):
            recorded = transaction.recorded
            entry = recorded.entry if recorded is not None else None
            known = entry is not None and 0 <= entry < len(exchanges)
            exchange = exchanges[entry] if known and entry is not None else None
            target = transaction.request.target
            path = _path(target)
            address = _without_server(rendered(target, "target", "", values))
            media = content_type(case.wire_headers(transaction.request))
            called = _called(transaction.request, exchange) or path
            steps.append(
                RecordedStep(
                    index=len(steps),
                    page=number,
                    position=position,
                    transaction=transaction,
                    exchange=exchange,
                    content_type=media,
                    path=path,
                    address=address,
                    called=called,
                    calls=tuple(one.called for one in calls_in(exchange)) if exchange else (),
                    method=_method(transaction.request, exchange),
                    changes_state=changes_state(transaction.request, exchange),
                )
            )
    return tuple(steps)


def _writes(called: str, exchange: Exchange | None) -> bool:
    """Return whether a request does something although it is called as if it read: by SQL, or
    because ``POST /mail/3/read`` went well and has read nothing."""
    if exchange is None:
        return False
    read_nothing = 200 <= exchange.status < 300 and not exchange.response_size
    marks = read_nothing and plain(called).split()[-1:] == ["read"]
    return marks or sql_changes(exchange.request_body)


def changes_state(request: Request, exchange: Exchange | None) -> bool:
    """Return what `RecordedStep.changes_state` is for a request that was recorded so."""
    if _method(request, exchange) in SAFE_METHODS:
        does = (_leads_back, _does_by_name, _is_guarded)
        return exchange is not None and any(one(exchange) for one in does)
    called = _called(request, exchange) or _path(request.target)
    return not (reads(called) or _asks_by_form(exchange)) or _writes(called, exchange)


def _asks_by_form(exchange: Exchange | None) -> bool:
    """Return whether a form says in a field for that that it only asks for something:
    ``action=query-attachments``. One word alone may be that of a button."""
    if exchange is None or media_type(exchange.request_header("content-type")) != FORM:
        return False
    said = _OPERATION.findall(exchange.request_body)
    return bool(said) and all(begins_reading(one.decode()) for one in said)


def _leads_back(exchange: Exchange) -> bool:
    """Return whether a link with a query, or with what is done in its path, leads back to the page
    that has it, as links do by which a page does something: ``/remove?n=3``, ``/list/add/3/``."""
    if exchange.status not in (HTTPStatus.FOUND, HTTPStatus.SEE_OTHER):
        return False
    leads = exchange.response_header("location"), exchange.request_header("referer"), exchange.url
    try:
        to, page, own = (urlsplit(one or "").path for one in leads)
    except ValueError:  # it is no URL
        return False
    return bool(to) and to == page and to != own and ("?" in exchange.url or acts(own))


def _does_by_name(exchange: Exchange) -> bool:
    """Return whether an address is a verb, followed by an id or by what is sent, and was answered
    with data, as calls are that do something by GET: ``/topic/destroy/1``,
    ``/rest/createPlaylist?name=Teas``. A page may be the form for it."""
    if exchange.method != "GET" or not 200 <= exchange.status < 300:
        return False
    try:
        path, query = urlsplit(exchange.url)[2:4]
    except ValueError:  # it is no URL
        return False
    *_, before, last = ("", *path.rstrip("/").split("/"))
    to_one = is_path_id(last) and calls_for(before)
    media = media_type(exchange.response_header("content-type"))
    return (to_one or ("=" in query and calls_for(last))) and media.endswith(("json", "xml"))


def _is_guarded(exchange: Exchange) -> bool:
    """Return whether a link has what a server gave out against forgery, and leads elsewhere or says
    what is done: ``/?action=remove&task=3&csrf_token=…``. What only reads needs none."""
    if exchange.method != "GET" or exchange.status >= 400 or not _GUARD.search(exchange.url):
        return False
    leads_on = any(True for _ in leads(exchange.response_headers))
    return leads_on or acts(exchange.url.partition("?")[2].replace("&", "/"))


def _method(request: Request, exchange: Exchange | None) -> str:
    if exchange is None:
        return request.method.upper()
    one = _telling(exchange)
    meant = meant_method(request.method, exchange.request_header, exchange.request_body)
    return one.method if one is not None and one.method else meant


def _called(request: Request, exchange: Exchange | None) -> str:
    """Return the procedure that a request calls by its body; empty if its address tells."""
    if exchange is None:
        return ""
    one = _telling(exchange)
    if one is not None:
        return one.called
    safe = _method(request, exchange) in SAFE_METHODS
    return ("" if safe else procedure(exchange)) or routed(exchange)


def _telling(exchange: Exchange) -> BatchedCall | None:
    """Return of several calls the one that tells what the request does: the first that changes
    something, else the first; None if it has not several."""
    calls = calls_in(exchange)
    writes = (one for one in calls if one.method not in SAFE_METHODS and not reads(one.called))
    return next(writes, calls[0] if calls else None)


def _path(target: str) -> str:
    return _without_server(rendered(target, "target", "", {})).partition("?")[0]


def recorded_slots(step: RecordedStep) -> Iterator[Slot]:
    """Return the slots of the body as it was recorded: a person may have put placeholders into the
    case's."""
    body = step.exchange.request_body if step.exchange is not None else b""
    request = Request("POST", "/", body=as_template(pieces_of(body, step.content_type)))
    return request_slots(request, step.content_type, step.index, calls=step.calls)


def _without_server(target: str) -> str:
    text = target.removeprefix(HOLE)
    return text if text.startswith("/") else "/" + text.partition("://")[2].partition("/")[2]
