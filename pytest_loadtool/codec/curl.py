"""An exchange as a command of curl, for any POSIX shell."""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Sequence

from pytest_loadtool.model.exchange import HeaderList

#: Headers that curl makes itself, as the rest of the command says.
_MADE = frozenset({"content-length", "transfer-encoding", "connection"})

#: What no argument can have, or no terminal shows as it is.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def curl_command(
    method: str,
    url: str,
    headers: HeaderList,
    body: bytes,
    *,
    proxied: Sequence[str] = (),
    include: bool = False,
) -> str:
    """Return a command that sends this request, an option on each line.

    Nothing is added that was not sent, and text is sent without a content coding. A body that is no
    text comes from a pipe. ``include`` has it show the status and the headers of the response, too.
    """
    lines = [f"curl {shlex.quote(url)}", "--globoff", *proxied]
    if include and method != "HEAD":
        lines.append("--include")
    if method == "HEAD":
        lines.append("--head")
    elif method != ("POST" if body else "GET"):
        lines.append(f"--request {shlex.quote(method)}")
    text = _text(body)
    if text is not None:  # what is said of its coding is of what was made of it
        headers = tuple(one for one in headers if one[0].lower() != "content-encoding")
    sent = {name.lower() for name, _ in headers}
    for name, value in headers:
        if name.lower() == "accept-encoding" and "gzip" in value:
            lines.append("--compressed")  # or what comes could not be read
        if name.lower() not in _MADE and not (name.lower() == "host" and _is_of(url, value)):
            # A header without a value ends with a semicolon; with a colon it would be left out.
            lines.append(f"--header {shlex.quote(f'{name}: {value}' if value else f'{name};')}")
    own = ("User-Agent", "Accept", *(["Content-Type"] if body else []))
    lines += [f"--header {shlex.quote(f'{one}:')}" for one in own if one.lower() not in sent]
    before = ""
    if body:
        if text is None:
            packed = base64.b64encode(body).decode()
            before = f"echo {packed} | base64 -d | "
            lines.append("--data-binary @-")
        else:
            lines.append(f"--data-raw {shlex.quote(text)}")
    return before + " \\\n  ".join(lines)


def _text(body: bytes) -> str | None:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def _is_of(url: str, host: str) -> bool:
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2] == host
