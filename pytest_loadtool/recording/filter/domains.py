"""Domains that are recorded, domains that are blocked, and those of common trackers.

*Only record domain*: whatever other domains send passes through, but is not recorded. *Blocked*
domains are not even fetched: the page goes without them. Of either, the evidence keeps that there
was a request and where to, so that it can be counted, and nothing of what it said.

It also restricts hostnames: whose servers a test case is about.

A hostname is taken without its port: a server of the application on another port is no third party.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Self
from urllib.parse import urlsplit

from pytest_loadtool.codec.http import DEFAULT_PORTS, authority
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.editing import page_span, without
from pytest_loadtool.model.exchange import Exchange

#: `Exchange.note` of what was kept out, and why.
OUTSIDE = "outside the domains to record"
BLOCKED = "blocked domain"


@dataclass(frozen=True, slots=True)
class Domain:
    """A host with its subdomains, on one port or (None) on all. IP addresses have no subdomains."""

    host: str
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the domain that a person means by ``shop.example``, ``*.shop.example``,
        ``shop:8000``.

        Raises:
            ValueError: it is a URL or no domain at all.
        """
        try:
            parts = urlsplit(f"//{text.removeprefix('*').removeprefix('.')}")
            host, port = _normal(parts.hostname or ""), parts.port
        except (ValueError, UnicodeError):
            raise ValueError(f"{text!r} is no domain") from None
        if not host or parts.path or parts.query or "@" in parts.netloc or " " in text:
            raise ValueError(f"expected a domain such as shop.example, got {text!r}")
        return cls(host, port)

    def holds(self, host: str, port: int | None) -> bool:
        """Return whether ``host``, as `_normal` writes it, is this one or below it."""
        if self.port is not None and port != self.port:
            return False
        return host == self.host or (host.endswith(f".{self.host}") and not _is_address(self.host))

    def __str__(self) -> str:
        return authority(self.host, self.port)


@dataclass(frozen=True, slots=True)
class DomainFilter:
    """The domains to record and those to block. Without ``only``, every domain that is not
    blocked."""

    only: tuple[Domain, ...] = ()
    block: tuple[Domain, ...] = ()

    def blocks(self, host: str, port: int | None) -> bool:
        """Return whether requests to ``host`` are not to be sent at all."""
        return _any_holds(self.block, host, port)

    def records(self, host: str, port: int | None) -> bool:
        """Return whether traffic with ``host`` is to be in the recording."""
        if self.blocks(host, port):
            return False
        return not self.only or _any_holds(self.only, host, port)

    def kept(self, exchange: Exchange) -> Exchange:
        """Return ``exchange``, or of one that is kept out what the evidence may hold."""
        if not self.only and not self.block:
            return exchange
        parts = urlsplit(exchange.url)
        host, port = parts.hostname or "", parts.port or _port(parts.scheme)
        if self.records(host, port):
            return exchange
        return Exchange(
            started=exchange.started,
            took=exchange.took,
            method=exchange.method,
            url=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}",
            http_version=exchange.http_version,
            request_headers=(),
            request_body=b"",
            note=BLOCKED if self.blocks(host, port) else OUTSIDE,
        )


NO_FILTER = DomainFilter()


def _port(scheme: str) -> int | None:
    return DEFAULT_PORTS.get(scheme.replace("ws", "http"))  # RFC 6455 §3


def _any_holds(domains: tuple[Domain, ...], host: str, port: int | None) -> bool:
    if not domains:
        return False
    try:
        host = _normal(host)
    except UnicodeError:
        return False
    return any(domain.holds(host, port) for domain in domains)


def _normal(host: str) -> str:
    """Return a domain in small letters, without a dot at the end, international names as they are
    on the wire."""
    host = host.lower().rstrip(".")
    return host if host.isascii() else host.encode("idna").decode()


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


#: Of common analytics, advertising and session-recording services. Not a list to browse safely with
#: (those are long and change daily), but the services that sites embed most often: a load test that
#: calls them measures, and pays, the wrong people. Put together from what these services tell their
#: customers to embed; no list of others is copied. A service that sites need to work (payments,
#: maps, fonts, consent, chat, content delivery) is not in it.
_NAMES = """
2o7.net adobedc.net demdex.net everesttech.net omtrdc.net
ad.gt adform.net adnxs.com adroll.com adsrvr.org amazon-adsystem.com bidswitch.net
casalemedia.com criteo.com criteo.net id5-sync.com liadm.com moatads.com openx.net outbrain.com
outbrainimg.com pubmatic.com rlcdn.com rubiconproject.com sharethrough.com smartadserver.com
taboola.com teads.tv tapad.com yieldmo.com 3lift.com 33across.com
doubleclick.net google-analytics.com googleadservices.com googlesyndication.com
googletagmanager.com googletagservices.com analytics.google.com adservice.google.com
app-measurement.com
an.facebook.com connect.facebook.net pixel.facebook.com
ads.linkedin.com snap.licdn.com
analytics.tiktok.com ads.tiktok.com
analytics.twitter.com ads-twitter.com ads-api.twitter.com
alb.reddit.com pixel-config.reddit.com
tr.snapchat.com ct.pinterest.com events.redditmedia.com
bat.bing.com clarity.ms ads.microsoft.com
analytics.yahoo.com ads.yahoo.com
hm.baidu.com mc.yandex.ru mc.yandex.com an.yandex.ru top-fwz1.mail.ru
amplitude.com api2.branch.io appsflyer.com appsflyersdk.com adjust.com
atinternet.com xiti.com at-o.net bluekai.com cxense.com piano.io
chartbeat.com chartbeat.net parsely.com parse.ly
clicktale.net contentsquare.net contentsquare.com hotjar.com hotjar.io fullstory.com
mouseflow.com crazyegg.com luckyorange.com luckyorange.net smartlook.com smartlook.cloud
inspectlet.com logrocket.io logrocket.com lr-in.com lr-in-prod.com lr-ingest.io quantummetric.com
sessioncam.com
cloudflareinsights.com vercel-insights.com va.vercel-scripts.com
ensighten.com tealiumiq.com tiqcdn.com
etracker.com etracker.de webtrekk.net wt-eu02.net ioam.de iocnt.net econda-monitor.de
gemius.pl imrworldwide.com quantserve.com quantcount.com scorecardresearch.com
comscore.com histats.com statcounter.com sitemeter.com clicky.com getclicky.com
heapanalytics.com heap-api.com indicative.com keen.io kissmetrics.com kissmetrics.io
mixpanel.com mxpnl.com posthog.com pendo.io plausible.io matomo.cloud simpleanalyticscdn.com
usefathom.com goatcounter.com umami.is segment.io segment.com rudderstack.com
rudderlabs.com snowplowanalytics.com
hs-analytics.net track.hubspot.com hsadspixel.net pi.pardot.com munchkin.marketo.net
mktoresp.com eloqua.com en25.com
logx.optimizely.com
browser-intake-datadoghq.com browser-intake-datadoghq.eu datadoghq-browser-agent.com
nr-data.net js-agent.newrelic.com
ingest.sentry.io sentry-cdn.com notify.bugsnag.com sessions.bugsnag.com api.rollbar.com
raygun.io trackjs.com go-mpulse.net akstat.io speedcurve.com
"""

#: Each with its subdomains.
TRACKERS = tuple(Domain(name) for name in dict.fromkeys(_NAMES.split()))


#: Names of the machine itself (RFC 6761 §6.3), which an application uses side by side.
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class HostUse:
    """The amount that goes to a host: ``pages`` are those whose first transaction does.

    ``own`` says that it is of the domain of the first page.
    """

    name: str
    transactions: int
    pages: int
    own: bool


def hostnames(case: TestCase, exchanges: Sequence[Exchange]) -> tuple[HostUse, ...]:
    """Return the hosts that transactions go to, in the order of their first one.

    A transaction whose host cannot be told counts as one of the first page's.
    """
    hosts = list(_hosts(case, exchanges))
    first = hosts[0] if hosts else ""
    starts = {page_span(case, index).start for index in range(len(case.pages))}
    return tuple(
        HostUse(
            name,
            hosts.count(name),
            sum(hosts[start] == name for start in starts),
            belongs(name, first.removeprefix("www.")),
        )
        for name in dict.fromkeys(hosts)
    )


def belongs(host: str, domain: str) -> bool:
    """Return whether ``host`` is the domain or below it; all names of the machine itself are
    one."""
    if host in _LOOPBACK:
        return domain in _LOOPBACK
    return Domain(domain).holds(host, None)


def restrict(case: TestCase, exchanges: Sequence[Exchange], keep: Collection[str]) -> TestCase:
    """Return ``case`` with the transactions that go to these hosts, which are written down in
    it."""
    hosts = list(_hosts(case, exchanges))
    dropped = frozenset(index for index, host in enumerate(hosts) if host not in keep)
    kept = tuple(dict.fromkeys(host for host in hosts if host in keep))
    return replace(without(case, dropped), hosts=kept, recorded_hosts=())


def with_recorded_hosts(case: TestCase) -> TestCase:
    """Return ``case`` with the hosts written down that its targets name: replay sends to no
    others."""
    targets = (one.request.target for one in case.transactions())
    found = [urlsplit(one).hostname or "" for one in targets if _is_url(one)]
    if case.hosts:
        return replace(case, hosts=tuple(dict.fromkeys((*case.hosts, *found))))
    return replace(case, recorded_hosts=tuple(dict.fromkeys((*case.recorded_hosts, *found))))


def _is_url(target: str) -> bool:
    return target.partition("://")[0] in ("http", "https")


def _hosts(case: TestCase, exchanges: Sequence[Exchange]) -> Iterator[str]:
    """Yield the host of each transaction."""
    server = urlsplit(case.server).hostname or ""
    first = ""
    for transaction in case.transactions():
        host = _host(transaction, exchanges, server) or first
        first = first or host
        yield host


def _host(transaction: Transaction, exchanges: Sequence[Exchange], server: str) -> str:
    """Return the host of the target if it is an address of its own; else of what was recorded, or
    the server's."""
    target = transaction.request.target
    if _is_url(target):
        return urlsplit(target).hostname or ""
    recorded = transaction.recorded
    if recorded is not None and recorded.entry is not None and recorded.entry < len(exchanges):
        return urlsplit(exchanges[recorded.entry].url).hostname or ""
    return server
