"""Who a virtual user is to servers and to a proxy that ask for it by HTTP authentication."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ProxyMethod = Literal["", "basic", "digest", "ntlm", "negotiate"]

#: The schemes that a proxy can be asked to be content with.
PROXY_METHODS: tuple[ProxyMethod, ...] = ("basic", "digest", "ntlm", "negotiate")


@dataclass(frozen=True, slots=True)
class Identity:
    """What answers the challenges of one realm, of one host.

    ``username``, ``password`` and ``domain`` are templates. The domain may also be in front of the
    user name, or be a column that has both: ``DOMAIN\\user``.
    """

    username: str
    password: str = field(repr=False)
    domain: str = ""
    realm: str = ""
    """The realm that it is for, to the letter; empty: any of the host."""
    host: str = ""
    """``name`` (any port of it) or ``name:port``; empty: the test case's own server."""
    ahead: bool = False
    """Whether Basic credentials go with the first request already, unasked: not with a realm."""

    @property
    def templates(self) -> tuple[str, str, str]:
        """Return its texts with placeholders."""
        return self.username, self.password, self.domain


@dataclass(frozen=True, slots=True)
class Proxy:
    """The HTTP proxy that requests go through, and who the virtual user is to it.

    ``url`` has a scheme, a host and perhaps a port. ``username``, ``password`` and ``domain`` are
    templates, as in `Identity`. ``method`` is the only scheme that it is answered in; empty: the
    one that the proxy prefers.
    """

    url: str
    username: str = ""
    password: str = field(default="", repr=False)
    domain: str = ""
    method: ProxyMethod = ""

    @property
    def templates(self) -> tuple[str, str, str]:
        """Return its texts with placeholders."""
        return self.username, self.password, self.domain
