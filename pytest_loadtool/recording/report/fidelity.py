"""What became of each recorded exchange: the fidelity report.

Every exchange is a transaction of the test case or has a note that says why it is none; and a
transaction that replay does not send or take quite as recorded has one too, or of which more is
expected than of others. It is worked out from the test case and its evidence alone, so it can be
asked for at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from pytest_loadtool.auth.negotiation import SERVER, credentials_in, negotiations, was_refused
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.websocket import WEBSOCKET
from pytest_loadtool.recording.entry import Entry, left_out_headers
from pytest_loadtool.recording.failures import failure_notes, status_notes, subject
from pytest_loadtool.recording.filter.kinds import kind_of
from pytest_loadtool.recording.filter.rules import expired, left_out
from pytest_loadtool.recording.notes import CHANGED, INCOMPLETE, NEGOTIATION, REMOVED, Note
from pytest_loadtool.recording.report.answers import answer_notes
from pytest_loadtool.recording.request.template import NOT_REPLAYED


def transactions_of(case: TestCase) -> dict[int, int]:
    """Return the number of each transaction, counted from 1, by the index of its exchange."""
    numbered = enumerate(case.transactions(), 1)
    return {
        one.recorded.entry: number
        for number, one in numbered
        if one.recorded is not None and one.recorded.entry is not None
    }


def fidelity(case: TestCase, exchanges: Sequence[Exchange]) -> tuple[Note, ...]:
    """Return notes on all that is not in ``case`` as it was recorded, in the order in which it
    began.

    Exactly the exchanges that are no transaction have exactly one note of a kind other than
    `CHANGED`, `EXPECTED`, `INCOMPLETE` and `RECORDING_ERROR`, or one of the latter that says that
    there was no response.
    """
    replayed = {one.recorded.entry: one for one in case.transactions() if one.recorded is not None}
    folded = {index for indexes in negotiations(exchanges).values() for index in indexes}
    too_old = expired(exchanges)
    notes: list[Note] = []
    sites: set[str] = set()
    in_order = sorted(enumerate(exchanges), key=lambda numbered: numbered[1].started)
    for index, exchange in in_order:
        if index in replayed:
            notes += failure_notes(Entry(index, exchange, kind_of(exchange)))
            notes += status_notes(replayed[index], exchange)
            notes += answer_notes(replayed[index], exchange)
            notes += _changes(case, exchange)
            notes += _lost(exchange)
            older = _site(exchange) not in sites
            notes += _constant_cookies(replayed[index], exchange, older=older)
        elif index in folded:
            notes.append(_negotiation(exchange))
        elif index in too_old:
            message = "its token had expired (status 401), and it was sent again with a new one"
            notes.append(Note(NEGOTIATION, subject(exchange), message))
        else:
            removed = Note(REMOVED, subject(exchange), "deleted, stripped or of another host")
            notes.append(left_out(exchange) or removed)
        sites.add(_site(exchange))
    return tuple(notes)


def _negotiation(exchange: Exchange) -> Note:
    what = "refused" if was_refused(exchange) else "asked for"
    message = f"credentials of HTTP authentication were {what} (status {exchange.status})"
    return Note(NEGOTIATION, subject(exchange), message)


def _changes(case: TestCase, exchange: Exchange) -> Iterator[Note]:
    for message, applies in _CHANGES:
        if applies(case, exchange):
            yield Note(CHANGED, urlsplit(exchange.url).netloc, message)


def _lost(exchange: Exchange) -> Iterator[Note]:
    """Yield what of it is not in the test case, or not in the evidence, as it was no HTTP or no
    HAR."""
    for line in left_out_headers(exchange):
        yield Note(CHANGED, line, "a line among the headers that is none is left out")
    for reason in exchange.lost:
        kind = CHANGED if reason.startswith("request.") else INCOMPLETE
        yield Note(kind, subject(exchange), f"left out, as it could not be read: {reason}")


def _constant_cookies(
    transaction: Transaction, exchange: Exchange, *, older: bool
) -> Iterator[Note]:
    """Yield what no response set and the test case sends as recorded; ``older``: nothing was
    received before from where a script could have set it."""
    for line in transaction.request.cookies:
        name, _, value = line.partition(";")[0].partition("=")
        if value and "${" not in value:
            whose = "from before the recording" if older else "that no response set"
            message = f"sent a cookie {whose} ({name}): every virtual user sends it as recorded"
            yield Note(CHANGED, urlsplit(exchange.url).netloc, message)


def _site(exchange: Exchange) -> str:
    """Return the last two labels of the host, whose cookies subdomains may share."""
    return ".".join((urlsplit(exchange.url).hostname or "").split(".")[-2:])


def _http2(case: TestCase, exchange: Exchange) -> bool:
    return exchange.http_version.startswith("HTTP/2") and case.transport != "httpx"


def _http3(_case: TestCase, exchange: Exchange) -> bool:
    return exchange.http_version.startswith("HTTP/3")


def _offers_http3(_case: TestCase, exchange: Exchange) -> bool:
    return "h3=" in (exchange.response_header("alt-svc") or "")


def _merged_cookies(_case: TestCase, exchange: Exchange) -> bool:
    return sum(name.lower() == "cookie" for name, _ in exchange.request_headers) > 1


def _framing(_case: TestCase, exchange: Exchange) -> bool:
    return any(name.lower() in NOT_REPLAYED for name, _ in exchange.request_headers)


def _authenticated(_case: TestCase, exchange: Exchange) -> bool:
    return bool(credentials_in(exchange, SERVER))


def _service_worker(_case: TestCase, exchange: Exchange) -> bool:
    return exchange.request_header("service-worker") == "script"


#: What is said of a transaction, and when.
_CHANGES: tuple[tuple[str, Callable[[TestCase, Exchange], bool]], ...] = (
    ('recorded over HTTP/2, replayed over HTTP/1.1 (transport = "httpx" keeps HTTP/2)', _http2),
    ("recorded over HTTP/3, which replay does not speak", _http3),
    ("the server offers HTTP/3, which the recorder keeps browsers from", _offers_http3),
    ("several Cookie fields are merged into one", _merged_cookies),
    ("how the request was framed or meant for a proxy is not replayed", _framing),
    ("credentials of HTTP authentication are each virtual user's own", _authenticated),
    (
        "a service worker: what it answers from its cache never reached the recorder",
        _service_worker,
    ),
)


def what_sockets_did(exchanges: Iterable[Exchange]) -> str:
    """Return one line about the WebSockets over which events were sent; empty if there is none."""
    sent = [one.events for one in exchanges if one.note == WEBSOCKET]
    did = sum(map(bool, sent))
    if not did:
        return ""
    where = f"{did} of {len(sent)} WebSockets" if len(sent) > 1 else "1 WebSocket"
    return f"in {where} the page sent events; what they did is not in the test case"
