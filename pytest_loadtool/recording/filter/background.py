"""Requests that a browser makes for itself: updates, safe browsing, suggestions, telemetry.

The recorder's browser is started so that it makes hardly any; another client's browser does.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from pytest_loadtool.model.exchange import Exchange

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
    """Whether ``exchange`` was made by a browser for itself, and not for the page it showed."""
    parts = urlsplit(exchange.url)
    host = (parts.hostname or "").lower()
    if host in _HOSTS or host.endswith(_DOMAINS):
        return True
    return any(host == name and parts.path.startswith(path) for name, path in _PATHS)
