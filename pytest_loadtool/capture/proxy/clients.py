"""How clients are told to go through the recording proxy, and to trust it.

Environment variables and who reads them: ``HTTP_PROXY``/``HTTPS_PROXY`` in both cases (curl reads
only the small ``http_proxy``); ``NO_PROXY`` empty, because many clients leave loopback addresses
out otherwise; ``SSL_CERT_FILE`` (OpenSSL, httpx, httpx2), ``REQUESTS_CA_BUNDLE`` (requests),
``CURL_CA_BUNDLE`` (curl) and ``NODE_EXTRA_CA_CERTS`` (Node.js) for the certificate;
``NODE_USE_ENV_PROXY`` makes Node.js 24 look at the proxy variables. ``LOADTOOL_PROXY`` and
``LOADTOOL_CA`` are for programs that set their client up themselves.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_loadtool.capture.browser.chromium import QUIET

PROXY = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
NO_PROXY = ("NO_PROXY", "no_proxy")
CERTIFICATE = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")

#: Browsers send loopback addresses past any proxy unless this rule takes that back.
_LOOPBACK_TOO = "<-loopback>"


class _Options(Protocol):
    """Selenium's options of a Chromium-like browser."""

    def add_argument(self, argument: str) -> None: ...

    def set_capability(self, name: str, value: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class RecordingProxy:
    """The address to which a client sends its traffic so that it is recorded: none, when nothing is
    recorded.

    Then it changes no client that is given it, so that a test may always ask for it.
    """

    url: str | None = None
    """``http://127.0.0.1:PORT``"""
    ca: str | None = None
    """The file of the certificate that signs what clients see of HTTPS servers (PEM)."""

    def __bool__(self) -> bool:
        """Return whether anything is recorded."""
        return self.url is not None

    @property
    def playwright(self) -> dict[str, Any]:
        """Return arguments for Playwright: ``browser.new_context(**…)``,
        ``playwright.request.new_context(**…)``."""
        if self.url is None:
            return {}
        return {
            "proxy": {"server": self.url, "bypass": _LOOPBACK_TOO},
            "ignore_https_errors": True,
        }

    @property
    def httpx(self) -> dict[str, Any]:
        """Return arguments for httpx and httpx2: ``httpx.Client(**…)``, ``httpx.AsyncClient(**…)``,
        ``httpx.get(url, **…)``."""
        if self.url is None:
            return {}
        return {"proxy": self.url, "verify": ssl.create_default_context(cafile=self.ca)}

    @property
    def requests(self) -> dict[str, Any]:
        """Return arguments for one call of requests: ``requests.get(url, **…)``,
        ``session.post(url, **…)``."""
        if self.url is None:
            return {}
        return {"proxies": {"http": self.url, "https": self.url}, "verify": self.ca}

    @property
    def environment(self) -> dict[str, str]:
        """Return variables for clients that look for their proxy in the environment, and for
        programs that are started.

        Loopback addresses are recorded as well.
        """
        if self.url is None or self.ca is None:
            return {}
        return {
            "LOADTOOL_PROXY": self.url,
            "LOADTOOL_CA": self.ca,
            **dict.fromkeys(PROXY, self.url),
            **dict.fromkeys(NO_PROXY, ""),
            **dict.fromkeys(CERTIFICATE, self.ca),
            "NODE_USE_ENV_PROXY": "1",
        }

    def selenium(self, options: _Options) -> None:
        """Add it to Selenium's ``ChromeOptions`` or ``EdgeOptions``, before the browser starts.

        The browser is also told to keep its own traffic down, as the whole of it is recorded.
        """
        if self.url is None:
            return
        for switch in QUIET:
            options.add_argument(switch)
        address = self.url.removeprefix("http://")
        options.set_capability(
            "proxy",
            {
                "proxyType": "manual",
                "httpProxy": address,
                "sslProxy": address,
                "noProxy": [_LOOPBACK_TOO],
            },
        )
        options.set_capability("acceptInsecureCerts", True)
