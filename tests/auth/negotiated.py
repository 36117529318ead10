"""Exchanges of HTTP authentication as a recording has them."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from unittest.mock import patch

import spnego

from pytest_loadtool.model.exchange import Exchange

__all__ = ["ASKS", "BASIC", "DIGEST", "basic", "exchange", "ntlm_tokens"]

BASIC = 'Basic realm="shop"'
DIGEST = 'Digest realm="shop", nonce="n1", qop="auth"'
ASKS = ("Negotiate", "NTLM")


def exchange(
    at: float, status: int, credentials: str = "", *challenges: str, **more: str
) -> Exchange:
    """A GET of a page, ``at`` seconds into the recording, and what came of it."""
    proxy = status == 407 or "proxy" in more
    url = more.get("url", "http://shop.test/")
    header = "Proxy-Authorization" if proxy else "Authorization"
    sent = (("Host", "shop.test"), *(((header, credentials),) if credentials else ()))
    challenge = "Proxy-Authenticate" if status == 407 else "WWW-Authenticate"
    return Exchange(
        started=1_700_000_000 + at,
        took=0.01,
        method=more.get("method", "GET"),
        url=url,
        http_version="HTTP/1.1",
        request_headers=sent,
        request_body=b"",
        status=status,
        response_headers=tuple((challenge, one) for one in challenges),
    )


def basic(pair: str) -> str:
    """The credentials of ``user:password``."""
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def ntlm_tokens(folder: Path, domain: str, user: str, password: str) -> tuple[str, str, str]:
    """The three messages of an NTLM authentication, in base64."""
    accounts = folder / "accounts"
    accounts.write_text(f"{domain}:{user}:{password}\n")
    with patch.dict(os.environ, NTLM_USER_FILE=str(accounts)):
        client = spnego.client(rf"{domain}\{user}", password, protocol="ntlm")
        server = spnego.server(protocol="ntlm")
        first = client.step() or b""
        second = server.step(first) or b""
        third = client.step(second) or b""
        server.step(third)
    assert server.complete
    one, two, three = (base64.b64encode(token).decode() for token in (first, second, third))
    return one, two, three
