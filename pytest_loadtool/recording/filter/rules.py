"""Which exchanges can become transactions, and a note for each of the others.

Left out are also requests that a browser makes for itself (updates, safe browsing, suggestions,
telemetry): the recorder's browser is started so that it makes hardly any, another client's does.
And requests that were refused for their token's age, and sent again with a new one: replay has
tokens of its own, which expire at other times; then it does the same by itself. In the test case
such a request stands once.

A request that its client gave up is left out, but for a change: it was sent, and what a page saves
while it is left is done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from pytest_loadtool.auth.negotiation import is_http_credentials, negotiations
from pytest_loadtool.codec.http import SAFE_METHODS
from pytest_loadtool.codec.media import media_type
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.entry import Entry, why_unsayable
from pytest_loadtool.recording.failures import subject, what_failed
from pytest_loadtool.recording.filter.domains import BLOCKED, OUTSIDE
from pytest_loadtool.recording.filter.kinds import kind_of
from pytest_loadtool.recording.notes import (
    BACKGROUND,
    CANCELLED,
    FILTERED,
    NEGOTIATION,
    RECORDING_ERROR,
    UNREADABLE,
    UNREPLAYABLE,
    Note,
)
from pytest_loadtool.structure.renewal import asks_for_renewal

#: gRPC proper; gRPC-Web has its trailers in the body.
_GRPC = ("application/grpc", "application/grpc+proto", "application/grpc+json")

#: How a request is called that its own client gave up, or that the end of the recording cut off.
_GIVEN_UP = (
    "client disconnected",
    "net::err_aborted",
    "recording stopped",
    "stream reset by client",
)

#: Seconds after which a request waits for news, and is none that was given up as its page was left.
_LONGEST_CHANGE = 1.0


def left_out(exchange: Exchange) -> Note | None:
    """Return why ``exchange`` cannot become a transaction, or None if it can."""
    return next((note for rule in _RULES if (note := rule(exchange)) is not None), None)


def _unread(exchange: Exchange) -> Note | None:
    if exchange.url or not exchange.lost:
        return None
    return Note(UNREADABLE, "", exchange.lost[0])


def _filtered(exchange: Exchange) -> Note | None:
    if exchange.note not in (OUTSIDE, BLOCKED):
        return None
    return Note(FILTERED, urlsplit(exchange.url).netloc, exchange.note)


def _background(exchange: Exchange) -> Note | None:
    if not is_background(exchange):
        return None
    host = urlsplit(exchange.url).hostname or exchange.url
    return Note(BACKGROUND, host, "asked for by the browser, not by a page")


def _not_http(exchange: Exchange) -> Note | None:
    scheme = exchange.url.partition(":")[0].lower()
    if scheme in ("http", "https"):
        return None
    return Note(UNREPLAYABLE, subject(exchange), f"not HTTP ({scheme}:)")


def _tunnel(exchange: Exchange) -> Note | None:
    if exchange.method != "CONNECT":
        return None
    if 200 <= exchange.status <= 299:
        return Note(NEGOTIATION, urlsplit(exchange.url).netloc, "a tunnel through a proxy")
    reason = ": ".join(part for part in (exchange.note, exchange.error) if part)
    host = urlsplit(exchange.url).netloc
    return Note(RECORDING_ERROR, host, reason or "nothing was sent through the tunnel")


def _said_unreplayable(exchange: Exchange) -> Note | None:
    if not exchange.note:
        return None
    did = ", over which the page sent events" if exchange.events else ""
    return Note(UNREPLAYABLE, subject(exchange), exchange.note + did)


def _unsayable(exchange: Exchange) -> Note | None:
    reason = why_unsayable(exchange)
    return Note(UNREPLAYABLE, subject(exchange), reason) if reason else None


def _no_response(exchange: Exchange) -> Note | None:
    if exchange.status:
        return None
    error = exchange.error or "no reason recorded"
    if "HTTP_1_1_REQUIRED" in error:
        return Note(NEGOTIATION, subject(exchange), "the server wanted it over HTTP/1.1")
    if error.lower().startswith(_GIVEN_UP):
        return Note(CANCELLED, subject(exchange), "given up before the response ended")
    failed, serious = what_failed(exchange, kind_of(exchange))
    return Note(RECORDING_ERROR, subject(exchange), f"no response: {error}: {failed}", serious)


def _grpc(exchange: Exchange) -> Note | None:
    if media_type(exchange.request_header("content-type")) not in _GRPC:
        return None
    message = "gRPC, whose calls end with HTTP/2 trailers"
    return Note(UNREPLAYABLE, subject(exchange), message)


def _informational(exchange: Exchange) -> Note | None:
    if exchange.status >= 200:
        return None
    return Note(UNREPLAYABLE, subject(exchange), f"ended with status {exchange.status}")


#: In order: the first that knows a reason says it.
_RULES: tuple[Callable[[Exchange], Note | None], ...] = (
    _unread,
    _filtered,
    _background,
    _not_http,
    _tunnel,
    _said_unreplayable,
    _unsayable,
    _no_response,
    _grpc,
    _informational,
)


#: Hosts that serve nothing but browsers.
_HOSTS = frozenset(
    {
        # Chromium and what is made of it
        "android.clients.google.com",
        "chromewebstore.googleapis.com",
        "clientservices.googleapis.com",
        "content-autofill.googleapis.com",
        "edgedl.me.gvt1.com",
        "mtalk.google.com",
        "optimizationguide-pa.googleapis.com",
        "passwordsleakcheck-pa.googleapis.com",
        "redirector.gvt1.com",
        "safebrowsing.googleapis.com",
        "safebrowsing.google.com",
        "safebrowsingohttpgateway.googleapis.com",
        "sb-ssl.google.com",
        "tools.google.com",
        "translate-pa.googleapis.com",
        "update.googleapis.com",
        *(f"clients{number}.google.com" for number in ("", 1, 2, 3, 4, 5, 6)),
        # Edge
        "config.edge.skype.com",
        "edge.microsoft.com",
        "msedge.api.cdp.microsoft.com",
        "nav.smartscreen.microsoft.com",
        "nav-edge.smartscreen.microsoft.com",
        # Brave
        "componentupdater.brave.com",
        "go-updater.brave.com",
        "p3a.brave.com",
        "safebrowsing.brave.com",
        "variations.brave.com",
        # Firefox
        "ads.mozilla.org",
        "aus5.mozilla.org",
        "contile.services.mozilla.com",
        "detectportal.firefox.com",
        "firefox.settings.services.mozilla.com",
        "incoming.telemetry.mozilla.org",
        "location.services.mozilla.com",
        "push.services.mozilla.com",
        "shavar.services.mozilla.com",
    }
)

_DOMAINS = (".gvt1.com", ".gvt2.com", ".cdn.mozilla.net")

#: Hosts that serve people too, and the paths that only browsers ask for.
_PATHS = (
    ("accounts.google.com", "/ListAccounts"),
    ("www.google.com", "/async/newtab"),
    ("www.google.com", "/complete/search"),
    ("www.googleapis.com", "/affiliation/"),
    ("www.gstatic.com", "/chrome/"),
)


def is_background(exchange: Exchange) -> bool:
    """Return whether ``exchange`` was made by a browser for itself, and not for the page it
    showed."""
    parts = urlsplit(exchange.url)
    host = (parts.hostname or "").lower()
    if host in _HOSTS or host.endswith(_DOMAINS):
        return True
    return any(host == name and parts.path.startswith(path) for name, path in _PATHS)


@dataclass(frozen=True, slots=True)
class _Refused:
    index: int
    credentials: str
    answers: int
    """How many tokens had been refreshed before."""


def expired(exchanges: Sequence[Exchange]) -> frozenset[int]:
    """Return the indexes of these requests in ``exchanges``, which may come in any order.

    Each was answered by 401, and later the same with another token, which a refresh has given out
    in between, by something else.
    """
    found: set[int] = set()
    refused: dict[tuple[str, str, bytes], list[_Refused]] = {}
    answers: list[bytes] = []
    for index in sorted(range(len(exchanges)), key=lambda at: exchanges[at].started):
        exchange = exchanges[index]
        shown = _token(exchange)
        if shown:
            key = exchange.method, exchange.url, exchange.request_body
            if exchange.status == 401:
                refused.setdefault(key, []).append(_Refused(index, shown, len(answers)))
                continue
            for one in refused.pop(key, ()):
                given = shown.rpartition(" ")[2].encode()
                if one.credentials != shown and any(given in it for it in answers[one.answers :]):
                    found.add(one.index)
        if _refreshes(exchange):
            answers.append(exchange.response_body)
    return frozenset(found)


def _token(exchange: Exchange) -> str:
    """Return the credentials of the request, unless they are of HTTP authentication."""
    value = exchange.request_header("authorization") or ""
    return "" if is_http_credentials("authorization", value) else value


def _refreshes(exchange: Exchange) -> bool:
    body = exchange.request_body.decode(errors="replace")
    return 200 <= exchange.status < 300 and asks_for_renewal(exchange.url, body)


def unanswered(exchanges: Sequence[Exchange]) -> frozenset[int]:
    """Return the indexes of the changes that their client did not wait for, which are replayed all
    the same. One that waits for news is none, and neither is what is asked for like that."""
    changes = [(at, one) for at, one in enumerate(exchanges) if one.method not in SAFE_METHODS]
    waits = {_asked(one) for _, one in changes if one.took > _LONGEST_CHANGE}
    return frozenset(
        at
        for at, one in changes
        if not one.status and _asked(one) not in waits and _is_whole(one)
        if (note := left_out(one)) is not None and note.kind == CANCELLED
    )


def _is_whole(exchange: Exchange) -> bool:
    """Return whether the client had sent all of it."""
    chunked = exchange.request_header("transfer-encoding") is not None
    length = exchange.request_header("content-length") or "0"
    coded = exchange.request_header("content-encoding") is not None  # a part could not be decoded
    return not chunked and (coded or length == str(len(exchange.request_body)))


def _asked(exchange: Exchange) -> tuple[str, str]:
    return exchange.method, exchange.url.partition("?")[0]


def sift(exchanges: Sequence[Exchange]) -> list[Entry]:
    """Return what can be replayed, in the order in which it was sent."""
    sent = unanswered(exchanges)
    found = negotiations(exchanges)
    folded = frozenset(index for indexes in found.values() for index in indexes)
    folded |= expired(exchanges)
    in_order = sorted(enumerate(exchanges), key=lambda numbered: numbered[1].started)
    return [
        Entry(index, exchange, kind_of(exchange), before, _lead(exchanges, before, exchange))
        for index, exchange in in_order
        if (left_out(exchange) is None or index in sent) and index not in folded
        for before in [found.get(index, ())]
    ]


def _lead(exchanges: Sequence[Exchange], before: Sequence[int], exchange: Exchange) -> float:
    """Return seconds from the start of the first before ``exchange`` to its own."""
    return exchange.started - exchanges[before[0]].started if before else 0.0
