"""The environment that sends a program's traffic through the recording proxy.

Names and who reads them: ``HTTP_PROXY``/``HTTPS_PROXY`` in both cases (curl reads only the small
``http_proxy``); an empty ``NO_PROXY``, because many clients leave loopback addresses out otherwise;
``SSL_CERT_FILE`` (OpenSSL, httpx), ``REQUESTS_CA_BUNDLE`` (requests), ``CURL_CA_BUNDLE`` (curl) and
``NODE_EXTRA_CA_CERTS`` (Node.js) for the certificate; ``NODE_USE_ENV_PROXY`` makes Node.js 24 look
at the proxy variables. ``LOADTOOL_*`` are for programs that set their client up themselves.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from pytest_loadtool.console.live import Live

__all__ = ["exports", "variables"]


def variables(live: Live) -> dict[str, str]:
    """What to add to a program's environment."""
    certificate = str(live.recorder.ca_certificate)
    result = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), live.proxy)
    result |= dict.fromkeys(("NO_PROXY", "no_proxy"), "")
    result |= {"NODE_USE_ENV_PROXY": "1", "LOADTOOL_PROXY": live.proxy, "LOADTOOL_CA": certificate}
    result |= dict.fromkeys(
        ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
        certificate,
    )
    if live.devtools:
        result["LOADTOOL_CDP"] = live.devtools
    return result


def exports(live: Live) -> Iterator[str]:
    """The same as shell commands, one line per value."""
    groups: dict[str, list[str]] = {}
    for name, value in variables(live).items():
        groups.setdefault(value, []).append(name)
    for value, names in groups.items():
        yield "export " + " ".join(
            f"{name}={shlex.quote(value) if value else ''}" for name in names
        )
