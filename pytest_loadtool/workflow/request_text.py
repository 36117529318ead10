"""A request that is about to be sent, as text that a person edits, and back."""

from __future__ import annotations

import re

from pytest_loadtool.workflow.errors import RequestError

_LINE = re.compile(r"[!#$%&'*+.^_`|~\w-]+ [^\s]+ HTTP/1\.[01]", re.ASCII)
_HEADER = re.compile(r"[!#$%&'*+.^_`|~\w-]+:.*", re.ASCII)
_LENGTH = "content-length"


def request_text(request: bytes) -> str:
    """Return a request as text: its lines, an empty one, and its body.

    Raises:
        RequestError: its body is no text.
    """
    head, _, body = request.partition(b"\r\n\r\n")
    try:
        return f"{head.decode('latin-1')}\n\n{body.decode()}".replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise RequestError("its body is no text, so it cannot be edited as one") from None


def edited_request(text: str, before: bytes) -> bytes:
    """Return the request that a text makes of the one ``before``, with the right Content-Length.

    The lines of its body end as they did before. It goes over the same connection whatever it says:
    its method keeps being HEAD or none, and its target in the same form.

    Raises:
        RequestError: it is no request, or not one that can take the place.
    """
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    first, *headers = head.strip("\n").split("\n")
    if not _LINE.fullmatch(first):
        raise RequestError(f"{first!r} is no request line: write it as GET /path HTTP/1.1")
    for line in headers:
        if not _HEADER.fullmatch(line):
            raise RequestError(f"{line!r} is no header: write it as Name: value")
    old_head, _, old_body = before.partition(b"\r\n\r\n")
    _check_place(first, old_head.decode("latin-1"))
    if old_body and not old_body.endswith(b"\n"):
        body = body.removesuffix("\n")  # which editors add
    content = body.encode()
    if b"\r\n" in old_body:
        content = content.replace(b"\n", b"\r\n")
    names = [line.partition(":")[0].lower() for line in headers]
    if _LENGTH in names:
        at = names.index(_LENGTH)
        headers[at] = f"{headers[at].partition(':')[0]}: {len(content)}"
    elif content and "transfer-encoding" not in names:
        headers.append(f"Content-Length: {len(content)}")
    try:
        lines = "\r\n".join([first, *headers]).encode("latin-1")
    except UnicodeEncodeError:
        raise RequestError("a header has a character that headers cannot have") from None
    return lines + b"\r\n\r\n" + content


def _check_place(first: str, before: str) -> None:
    """Make sure that a request line is of the kind that its place is for.

    Raises:
        RequestError: it is not.
    """
    method, target, _ = first.split(" ")
    old_method, old_target, _ = before.split("\r\n", 1)[0].split(" ")
    if (method == "HEAD") != (old_method == "HEAD"):
        raise RequestError(
            f"{method} cannot take the place of {old_method}: its response is another"
        )
    if target.startswith("/") != old_target.startswith("/") or (
        not target.startswith("/") and target.split("/")[:3] != old_target.split("/")[:3]
    ):
        raise RequestError(f"{target} goes elsewhere: the request goes where {old_target} would go")
