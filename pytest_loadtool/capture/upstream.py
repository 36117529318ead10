"""The proxy of a network, through which the recorder itself has to go.

It asks for what it knows in headers that belong to it alone: they are neither recorded nor left to
the client. mitmproxy opens tunnels without waiting for a challenge, so Basic is what can be
answered.
"""

from __future__ import annotations

import re

from mitmproxy.http import Request, Response

from pytest_loadtool.auth import Credentials, parse_challenges, scheme_names
from pytest_loadtool.auth.basic import basic_value
from pytest_loadtool.replay.proxies import ProxyUrl

__all__ = ["Upstream"]

_REFUSED = re.compile(r"Upstream proxy \S+ refused HTTP CONNECT request: (\d+ ?.*)")


class Upstream:
    """The proxy at ``url``, to whom the recorder is who that names.

    Raises:
        AuthenticationError: the user name or the password cannot be sent.
    """

    def __init__(self, url: ProxyUrl) -> None:
        self._url = url
        self._known = bool(url.username)
        self._value = basic_value(Credentials(url.username, url.password)) if self._known else ""

    @property
    def mode(self) -> str:
        """mitmproxy's name for what the recorder is then."""
        return f"upstream:{self._url.origin}"

    def introduce(self, request: Request) -> None:
        """Say who asks, in a request to the proxy itself."""
        if self._known:
            request.headers["Proxy-Authorization"] = self._value

    def refusal(self, response: Response | None) -> str:
        """Why the proxy did not pass a request on, if it wants to know who asks; else nothing."""
        if response is None or response.status_code != 407:
            return ""
        asked = parse_challenges(response.headers.get_all("proxy-authenticate"))
        return self._unanswered(scheme_names(asked))

    def plain(self, error: str) -> str:
        """mitmproxy's words for a tunnel that it did not get, in ours."""
        refused = _REFUSED.match(error)
        if refused is None:
            return error
        if refused[1].startswith("407"):
            return self._unanswered("")
        return f"proxy {self._url.origin}: no tunnel: {refused[1]}"

    def _unanswered(self, schemes: str) -> str:
        asks = f" ({schemes})" if schemes else ""
        if not self._known:
            say = "--proxy-url http://USER:PASSWORD@HOST:PORT"
            return f"proxy {self._url.origin}: it wants to know who asks{asks}: {say}"
        return (
            f"proxy {self._url.origin}: wrong user name or password, or it does not want "
            f"Basic{asks}, the only scheme that can be answered while recording"
        )
