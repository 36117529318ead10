"""The way of the recorder where servers are reached through a proxy only.

It goes through another one on loopback, which logs in there: mitmproxy cannot, but for Basic. What
does not get through comes back from that with the reason.
"""

from __future__ import annotations

import re

from mitmproxy.http import Response

from pytest_loadtool.replay.compile.proxies import REASON, ProxyUrl

_REFUSED = re.compile(r"Upstream proxy \S+ refused HTTP CONNECT request: \d+ ?(.*)")


class Upstream:
    """The proxy at ``url``, which tells in `REASON` why it does not pass something on."""

    def __init__(self, url: ProxyUrl) -> None:
        self._url = url

    @property
    def mode(self) -> str:
        """mitmproxy's name for what the recorder is then."""
        return f"upstream:{self._url.origin}"

    def refusal(self, response: Response | None) -> str:
        """Return why a request was not passed on; nothing if it was."""
        return "" if response is None else response.headers.get(REASON, "")

    def plain(self, error: str) -> str:
        """Return mitmproxy's words for a tunnel that it did not get, without its own part."""
        refused = _REFUSED.match(error)
        return error if refused is None else refused[1]
