"""Requests and responses as plain text: what `curl -i` prints, or a person writes.

A first line, headers, an empty line, the body (RFC 9112 §2.1); a line may end with a line feed.
The body is as long as ``Content-Length`` says; without it, it is the rest of the file but for the
line end that editors put there. ``Transfer-Encoding`` says how a message travelled: the body is
taken as it stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.codec.request_coding import uncoded
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.exchange import Exchange, HeaderList

# RFC 9110 §5.6.2: token
_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST = re.compile(rf"({_NAME}) (\S+)(?: (HTTP/\d(?:\.\d)?))?")
_STATUS = re.compile(r"(HTTP/\d(?:\.\d)?) (\d{3})(?: (.*))?")
_HEADER = re.compile(rf"({_NAME}):[ \t]*(.*?)[ \t]*")
_SERVER = re.compile(r"https?://[^/?#\s]+", re.IGNORECASE)


def read_exchange(request: Path, response: Path, *, server: str, started: float) -> Exchange:
    """Return the exchange that two files hold.

    ``server`` is the base URL for a request that names neither scheme nor host; ``started`` is in
    seconds since the epoch.

    Raises:
        FileError: a file cannot be read, or is not such a message.
    """
    return parse_exchange(
        (read_bytes(request), str(request)),
        (read_bytes(response), str(response)),
        server=server,
        started=started,
    )


def parse_exchange(
    request: tuple[bytes, str], response: tuple[bytes, str], *, server: str, started: float
) -> Exchange:
    """Return the exchange that two texts, each with its file's name, describe; as `read_exchange`.

    Raises:
        FileError: one of them is not such a message.
    """
    asked = _message(*request, expected="a request line such as 'GET /items HTTP/1.1'")
    found = _REQUEST.fullmatch(asked.first)
    if found is None:
        hint = ": this is a response" if _STATUS.match(asked.first) else ""
        asked.wrong(f"expected a request line such as 'GET /items HTTP/1.1'{hint}")
    answer = _message(*response, expected="a status line such as 'HTTP/1.1 200 OK'")
    said = _STATUS.fullmatch(answer.first)
    if said is None or not 200 <= int(said[2]) <= 599:
        hint = ": this is a request" if _REQUEST.fullmatch(answer.first) else ""
        answer.wrong(f"expected a status line such as 'HTTP/1.1 200 OK'{hint}")
    return Exchange(
        started=started,
        took=0.0,
        method=found[1],
        url=_checked_url(asked, found[2], server),
        http_version=found[3] or "HTTP/1.1",
        request_headers=asked.headers,
        request_body=uncoded(asked.body, asked.headers),
        status=int(said[2]),
        reason=said[3] or "",
        response_headers=answer.headers,
        response_body=answer.body,
    )


@dataclass(frozen=True, slots=True)
class _Message:
    """One message. ``line`` is where its first line stands, from 1."""

    path: str
    line: int
    first: str
    headers: HeaderList
    body: bytes

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")

    def wrong(self, message: str) -> NoReturn:
        raise FileError(self.path, self.line, "", f"{message}, got {self.first[:60]!r}")


def _message(content: bytes, path: str, expected: str) -> _Message:
    """Return the message; of several heads (``100 Continue``, redirects that curl followed) the
    last."""
    line = 1
    while True:
        head, body, blank = _split(content.removeprefix(b"\xef\xbb\xbf"))
        lines = re.split("\r?\n", head.decode("latin-1"))
        if not lines or not lines[0].strip():
            raise FileError(path, line, "", f"expected {expected}, got an empty line")
        headers = _headers(lines[1:], path, line + 1)
        interim = re.match(r"HTTP/\S+ 1\d\d\b", lines[0])
        if not interim and not (blank and _STATUS.match(lines[0]) and _another(body)):
            message = _Message(path, line, lines[0].rstrip(), headers, b"")
            return _Message(path, line, message.first, headers, _body(message, body))
        line += len(lines) + 1
        content = body


def _another(body: bytes) -> bool:
    """Return whether a body is another response's head."""
    return re.match(rb"HTTP/\d(?:\.\d)? \d{3}[ \r\n]", body) is not None


def _split(content: bytes) -> tuple[bytes, bytes, bool]:
    """Return head and body, and whether there was an empty line between them."""
    found = re.search(rb"\r?\n\r?\n", content)
    if found is None:
        return content, b"", False
    return content[: found.start()], content[found.end() :], True


def _headers(lines: list[str], path: str, first: int) -> HeaderList:
    found: list[tuple[str, str]] = []
    for number, line in enumerate(lines, first):
        if not line.strip():
            continue
        match = _HEADER.fullmatch(line)
        if match is None:
            folded = line[0] in " \t"
            reason = (
                "a header's value has to be on one line"
                if folded
                else "there is no colon in it (an empty line ends the headers)"
            )
            if not folded and ":" in line:
                reason = "its name holds what no header's name may"
            raise FileError(
                path, number, "", f"expected a header such as 'Accept: text/html': {reason}"
            )
        found.append((match[1], match[2]))
    return tuple(found)


def _body(message: _Message, body: bytes) -> bytes:
    length = message.header("content-length")
    if not length or "content-encoding" in {name.lower() for name, _ in message.headers}:
        return _without_line_end(body)  # a coding was removed: the length is of what travelled
    if not length.isascii() or not length.isdigit():
        raise FileError(message.path, 0, "Content-Length", f"expected a number, got {length!r}")
    wanted = int(length)
    if len(body) != wanted and len(_without_line_end(body)) != wanted:
        raise FileError(
            message.path,
            0,
            "Content-Length",
            f"it says {wanted} bytes, but the body has {len(body)}: correct it, or leave it out",
        )
    return body[:wanted]


def _without_line_end(body: bytes) -> bytes:
    return body[:-2] if body.endswith(b"\r\n") else body.removesuffix(b"\n")


def _checked_url(message: _Message, target: str, server: str) -> str:
    try:
        url = _url(message, target, server)
        urlsplit(url).port  # noqa: B018  it is checked when it is asked for
    except ValueError as error:
        message.wrong(f"target, Host header and --server make no URL: {error}")
    return url


def _url(message: _Message, target: str, server: str) -> str:
    if _SERVER.match(target):
        return target
    if not target.startswith("/"):
        message.wrong("expected a path or a URL as target")
    host = message.header("host")
    base = server.rstrip("/")
    if host and urlsplit(base).netloc.lower() != host.lower():
        # Nothing in the files says whether it was TLS; a port may.
        scheme = "https" if host.endswith(":443") else urlsplit(base).scheme or "http"
        base = f"{scheme}://{host}"
    if not base:
        message.wrong("where to? Give the request a Host header or a whole URL")
    return base + target
