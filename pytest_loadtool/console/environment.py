"""The environment that sends a program's traffic through the recording proxy.

Names and who reads them: ``HTTP_PROXY``/``HTTPS_PROXY`` in both cases (curl reads only the small
``http_proxy``); ``NO_PROXY`` with nothing but the recorder's own browser, because many clients
leave loopback addresses out otherwise; ``SSL_CERT_FILE`` (OpenSSL, httpx), ``REQUESTS_CA_BUNDLE``
(requests), ``CURL_CA_BUNDLE`` (curl) and ``NODE_EXTRA_CA_CERTS`` (Node.js) for the certificate;
``NODE_USE_ENV_PROXY`` makes Node.js 24 look at the proxy variables. ``LOADTOOL_*`` are for programs
that set their client up themselves.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from pytest_loadtool.console.live import Live

__all__ = ["exports", "variables"]

_PROXY = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
_NO_PROXY = ("NO_PROXY", "no_proxy")
_CERTIFICATE = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
)


def variables(live: Live) -> dict[str, str]:
    """What to add to a program's environment."""
    own = _own(live)
    return {
        **own,
        **dict.fromkeys(_PROXY, own["LOADTOOL_PROXY"]),
        **dict.fromkeys(_NO_PROXY, _not_recorded(live)),
        **dict.fromkeys(_CERTIFICATE, own["LOADTOOL_CA"]),
        "NODE_USE_ENV_PROXY": "1",
    }


def exports(live: Live) -> Iterator[str]:
    """The same as shell commands."""
    for name, value in _own(live).items():
        yield f"export {name}={shlex.quote(value)}"
    for names, value in (
        (_PROXY, "$LOADTOOL_PROXY"),
        (_NO_PROXY, _not_recorded(live)),
        (_CERTIFICATE, "$LOADTOOL_CA"),
        (("NODE_USE_ENV_PROXY",), "1"),
    ):
        yield "export " + " ".join(f"{name}={value}" for name in names)


def _own(live: Live) -> dict[str, str]:
    found = {"LOADTOOL_PROXY": live.proxy, "LOADTOOL_CA": str(live.recorder.ca_certificate)}
    return found | ({"LOADTOOL_CDP": live.devtools} if live.devtools else {})


def _not_recorded(live: Live) -> str:
    """The address of the developer tools: a driver must reach it directly."""
    return live.devtools.removeprefix("http://")
