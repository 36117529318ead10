"""Exchanges as Chromium, and as curl, would have left them."""

from __future__ import annotations

from pytest_loadtool.model.exchange import Exchange, HeaderList

__all__ = ["SHOP", "call", "load", "visit"]

SHOP = "http://127.0.0.1:8000"

_BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36"
_DOCUMENT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def _exchange(
    method: str,
    url: str,
    at: float,
    request_headers: list[tuple[str, str]],
    response: tuple[int, str, bytes],
    *,
    body: bytes = b"",
    took: float = 0.01,
    location: str = "",
    extra: HeaderList = (),
) -> Exchange:
    status, content_type, content = response
    headers = [("Content-Type", content_type)] if content_type else []
    if location:
        headers.append(("Location", location))
    return Exchange(
        started=1_700_000_000 + at,
        took=took,
        method=method,
        url=url,
        http_version="HTTP/1.1",
        request_headers=(("Host", url.split("/")[2]), *request_headers),
        request_body=body,
        status=status,
        response_headers=(*headers, *extra),
        response_body=content,
    )


def visit(
    url: str,
    at: float,
    html: str = "",
    *,
    method: str = "GET",
    referer: str = "",
    to: str = "",
    status: int = 200,
    dest: str = "document",
    told: bool = True,
    content_type: str = "text/html; charset=utf-8",
    took: float = 0.01,
    body: bytes = b"",
    extra: HeaderList = (),
) -> Exchange:
    """A person (or, by ``dest``, a frame) goes to ``url``; ``to`` is where that forwards.

    With ``told`` False the browser sends no Fetch metadata, as to plain HTTP servers elsewhere.
    """
    headers = [("User-Agent", _BROWSER), ("Accept", _DOCUMENT)]
    if told:
        headers += [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", dest)]
    if referer:
        headers.append(("Referer", referer))
    response = (302, "", b"") if to else (status, content_type, html.encode())
    return _exchange(
        method, url, at, headers, response, location=to, took=took, body=body, extra=extra
    )


def load(
    url: str,
    at: float,
    content_type: str,
    content: bytes = b"x",
    *,
    referer: str = "",
    dest: str = "empty",
    method: str = "GET",
    status: int = 200,
    told: bool = True,
    took: float = 0.01,
    extra: HeaderList = (),
) -> Exchange:
    """A page loads something; ``dest`` says what (``image``, ``style``; ``empty``: a script's)."""
    headers = [("User-Agent", _BROWSER), ("Accept", "*/*")]
    if told:
        headers += [("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", dest)]
    if referer:
        headers.append(("Referer", referer))
    response = (status, content_type, content)
    return _exchange(method, url, at, headers, response, took=took, extra=extra)


def call(
    method: str,
    url: str,
    at: float,
    *headers: tuple[str, str],
    body: bytes = b"",
    answer: bytes = b"{}",
    content_type: str = "application/json",
    took: float = 0.01,
    status: int = 200,
    to: str = "",
) -> Exchange:
    """An API client that is no browser calls ``url``."""
    sent = [("User-Agent", "curl/7.88.1"), ("Accept", "*/*"), *headers]
    response = (302, "", b"") if to else (status, content_type, answer)
    return _exchange(method, url, at, sent, response, body=body, took=took, location=to)
