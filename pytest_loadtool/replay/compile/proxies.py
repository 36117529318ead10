"""Which proxy each server is reached through, and who a virtual user is to it.

The environment's variables mean what they mean to curl and to most clients: ``http_proxy``,
``https_proxy`` and ``all_proxy`` name proxies, ``no_proxy`` the hosts that need none, in small or
capital letters (small ones first).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address, ip_network
from urllib.parse import unquote, urlsplit

from pytest_loadtool.auth.challenge import Challenge, scheme_name, scheme_names
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.codec.http import DEFAULT_PORTS, authority
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.authentication import Proxy
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.compile.identities import credentials_of, rows_of
from pytest_loadtool.replay.user.origin import Account, Origin, ProxyRoute, origin_of

ENVIRONMENT = "environment"
"""In place of a proxy's URL: those that the environment names."""

DIRECT = "none"
"""In place of a proxy's URL, said from outside: no proxy, whatever the test case says."""

REASON = "Loadtool-Reason"
"""The header in which a proxy of our own tells why it does not pass something on."""


@dataclass(frozen=True, slots=True)
class ProxyUrl:
    """A proxy's URL. The user name and the password are decoded."""

    scheme: str
    host: str
    port: int
    username: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def parse(cls, text: str) -> ProxyUrl:
        """Return the parts of ``[http://|https://][user[:password]@]host[:port]``.

        Raises:
            ValueError: it is something else; the text does not repeat what may be a password.
        """
        before, at, shown = text.strip().rpartition("@")
        if at and "://" in before:
            shown = f"{before.partition('://')[0]}://…@{shown}"
        try:
            parts = urlsplit(text.strip() if "://" in text else f"http://{text.strip()}")
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        scheme = parts.scheme.lower()
        if scheme.startswith("socks"):
            raise ValueError(f"SOCKS proxies are not supported, got {shown!r}")
        after = parts._replace(scheme="", netloc="").geturl()
        if scheme not in DEFAULT_PORTS or not parts.hostname or port == 0 or after not in ("", "/"):
            raise ValueError(f"expected http://host:port or https://host:port, got {shown!r}")
        return cls(
            scheme,
            parts.hostname,
            port or DEFAULT_PORTS[scheme],
            unquote(parts.username or ""),
            unquote(parts.password or ""),
        )

    @property
    def origin(self) -> str:
        """The URL without user name and password."""
        return f"{self.scheme}://{authority(self.host, self.port)}"


def through(case: TestCase, said: str) -> TestCase:
    """Return ``case`` with the proxy that is ``said`` from outside, if anything is: a URL,
    `ENVIRONMENT` or `DIRECT`. What it logs in with stays its own, unless the URL has that, too."""
    if not said:
        return case
    if said == DIRECT:
        return replace(case, proxy=None)
    return replace(case, proxy=replace(case.proxy or Proxy(""), url=said))


class Routes:
    """Makes the origins of a test case. All with a proxy have the same `ProxyRoute`.

    ``direct`` is the URL that needs no proxy in any case.
    """

    def __init__(
        self,
        case: TestCase,
        environ: Mapping[str, str],
        names: VariableNames,
        *,
        direct: str = "",
    ) -> None:
        self._case = case
        self._proxy = case.proxy
        self._tls = case.tls
        self._environ = environ
        self._names = names
        self._direct = direct
        self._vias: dict[ProxyUrl, ProxyRoute] = {}
        self._made: dict[Origin, Origin] = {}

    def origin(self, url: str) -> Origin:
        """Return where requests to the absolute ``url`` go.

        Raises:
            ReplayError: it is no http or https URL, or a variable of the environment names no
            proxy.
        """
        bare = origin_of(url, self._tls)
        if self._proxy is None or str(bare) == self._direct:
            return bare
        if bare not in self._made:
            proxy = self._proxy_for(self._proxy, bare)
            via = None if proxy is None else self._via(self._proxy, proxy)
            self._made[bare] = (
                bare if via is None else Origin(bare.scheme, bare.host, bare.port, bare.tls, via)
            )
        return self._made[bare]

    def _proxy_for(self, proxy: Proxy, origin: Origin) -> ProxyUrl | None:
        try:
            if proxy.url == ENVIRONMENT:
                return environment_proxies(self._environ).proxy_for(origin)
            return ProxyUrl.parse(proxy.url)
        except ValueError as error:
            raise ReplayError(f"proxy: {error}") from None

    def _via(self, proxy: Proxy, url: ProxyUrl) -> ProxyRoute:
        if url not in self._vias:
            # Its certificate is judged like the servers' own; the rest of [tls] is between them
            # and the client.
            tls = TlsSettings(verify=self._tls.verify, ca=self._tls.ca)
            account = self._account(proxy, url)
            self._vias[url] = ProxyRoute(origin_of(url.origin, tls), account, proxy.method)
        return self._vias[url]

    def _account(self, proxy: Proxy, url: ProxyUrl) -> Account | None:
        if url.username:
            constant = Credentials(url.username, url.password)
            return Account(
                "", False, lambda _values: constant, "the user in the URL of the proxy", ()
            )
        if not any(proxy.templates):
            return None
        return Account(
            realm="",
            ahead=False,
            credentials=credentials_of(proxy.templates, self._case.variables, self._names),
            name="the user in [proxy]",
            rows=rows_of(proxy.templates, self._case),
        )


def unanswered(via: ProxyRoute, challenges: Sequence[Challenge]) -> str:
    """Return why nobody answers what the proxy asks by 407, and what to do about it."""
    offered = scheme_names(challenges)
    if not offered:
        return "it answers 407, but does not say what it wants to know"
    if via.account is None:
        return f"it wants to know who asks ({offered}): {via.remedy}"
    if via.method:
        return f"it offers {offered}, and method in [proxy] allows {scheme_name(via.method)} only"
    return f"it offers {offered}, which is not supported"


@dataclass(frozen=True, slots=True)
class _Environment:
    """The proxies that the environment names, by the scheme of the URL that is asked for."""

    proxies: Mapping[str, ProxyUrl]
    exceptions: tuple[str, ...]

    def proxy_for(self, origin: Origin) -> ProxyUrl | None:
        if any(_fits(one, origin) for one in self.exceptions):
            return None
        return self.proxies.get(origin.scheme)


def environment_proxies(environ: Mapping[str, str]) -> _Environment:
    """Return what the environment says of proxies.

    Raises:
        ValueError: a variable names none; the text says which one.
    """
    proxies = {}
    for scheme in DEFAULT_PORTS:
        for variable in (f"{scheme}_proxy", "all_proxy"):
            name = variable if environ.get(variable) else variable.upper()
            text = environ.get(name, "").strip()
            if not text:
                continue
            try:
                proxies[scheme] = ProxyUrl.parse(text)
            except ValueError as error:
                raise ValueError(f"environment variable {name}: {error}") from None
            break
    exceptions = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    return _Environment(proxies, tuple(exceptions.lower().replace(",", " ").split()))


def _fits(exception: str, origin: Origin) -> bool:
    """Return whether a member of ``no_proxy`` means this host: ``*``, a name (with all below it),
    an address, a network (``10.0.0.0/8``), each but the first perhaps with a port."""
    if exception == "*":
        return True
    host = origin.host.lower()
    name, colon, port = exception.rpartition(":")
    if colon and port.isdecimal() and (":" not in name or name.endswith("]")):
        if int(port) != origin.port:
            return False
        exception = name
    exception = exception.strip("[]").lstrip(".").removeprefix("*.")
    try:
        address = ip_address(host)
    except ValueError:
        return host == exception or host.endswith(f".{exception}")
    try:
        return address in ip_network(exception, strict=False)
    except ValueError:
        return False
