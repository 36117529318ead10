"""A transaction as compiled, what is sent for it, and what comes back.

A `Response` says what it answers, and a `Step` how its responses are judged: so they stand
together. Times are in seconds on the clock of ``time.perf_counter``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_loadtool.codec.content import ContentError, decode
from pytest_loadtool.codec.events import json_or_events
from pytest_loadtool.codec.flattened import expanded
from pytest_loadtool.codec.media import decoded
from pytest_loadtool.model.case import Transaction
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.head import Head, parse_head
from pytest_loadtool.replay.user.origin import Origin

if TYPE_CHECKING:
    from pytest_loadtool.replay.user.cookies import CookieJar

#: A validator as compiled: the response and the user's values to a failure or None.
Check = Callable[["Response", list[str]], Failure | None]


@dataclass(frozen=True, slots=True)
class CompiledExtractor:
    """An extractor as compiled: where its value goes, how to get it, what to say when it is not
    there."""

    slot: int
    extract: Callable[[Response], str | None] | None
    missing: Failure
    bound: Callable[[Response, list[str]], str | None] | None = None
    """Of an extractor with placeholders, in place of ``extract``: by the user's values."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A transaction as compiled. ``index`` counts in the test case, ``position`` in its page."""

    index: int
    position: int
    title: str
    page_title: str
    transaction: Transaction
    origin: Origin
    render: Callable[[list[str], CookieJar], bytes]
    """The user's values and cookies to the request's bytes."""
    accepted: frozenset[int]
    checks: tuple[Check, ...]
    takes: tuple[CompiledExtractor, ...]
    without_body: bool
    """Whether its response has no body whatever its head says: the request's method is HEAD."""
    idempotent: bool
    """Whether sending it twice does what sending it once does (RFC 9110 §9.2.2)."""
    refuse: Callable[[bytes], Failure | None] | None = None
    """Why a request of it must not be sent; None when it is known where they go."""
    compare: Callable[[Response], Failure | None] | None = None
    """Compares its responses with the recorded one; None when nothing is known of that."""


class Send:
    """Send ``data`` on connection ``slot`` of ``origin``; it should go out at ``due``.

    The connection belongs to this virtual user alone; the driver opens it when it is not open.
    """

    __slots__ = ("data", "due", "slot", "step")

    def __init__(self, step: Step, slot: int, data: bytes, due: float) -> None:
        self.step = step
        self.slot = slot
        self.data = data
        self.due = due

    @property
    def repeatable(self) -> bool:
        """Return whether sending it twice does what sending it once does (RFC 9110 §9.2.2)."""
        return self.step.idempotent

    @property
    def alone(self) -> bool:
        """Return whether it begins or ends the authentication of the connection that it goes out
        on.

        That has to be a connection of HTTP/1.1 which no other slot uses.
        """
        return False

    @property
    def bound(self) -> bool:
        """Return whether it has to go out on the very connection that is open, or fail."""
        return False


class Opening(Send):
    """Begins the authentication of a connection. Its body is empty: it does nothing else."""

    __slots__ = ()

    @property
    def repeatable(self) -> bool:
        """Return True: it does nothing."""
        return True

    @property
    def alone(self) -> bool:
        """Return True: it begins the authentication of a connection."""
        return True


class Closing(Send):
    """Answers what the server has asked on this connection, and could ask on no other."""

    __slots__ = ()

    @property
    def alone(self) -> bool:
        """Return True: it ends the authentication of a connection."""
        return True

    @property
    def bound(self) -> bool:
        """Return True: it has to go to where it was asked."""
        return True


#: The host that a request is for, as it says.
_HOST = re.compile(rb"\r\nhost:[ \t]*([^\r\n]*)", re.IGNORECASE)

_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # not in typeshed


def _loads(text: str) -> Any:
    """Return what `json_or_events` does, without the search for white space around, which most
    bodies have none of.

    Raises:
        ValueError: it is neither.
    """
    try:
        try:
            value, end = _scan(text, 0)
        except StopIteration:
            end = -1
        return expanded(value) if end == len(text) else json_or_events(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _unfinished(transfer: list[str]) -> list[str]:
    """Return the codings of Transfer-Encoding values that are still on a body read without its
    chunks."""
    names = [one.strip() for one in ",".join(transfer).lower().split(",")]
    return names[:-1] if names[-1] == "chunked" else names


class Response:
    """The answer to a `Send`: a response, or with ``status`` 0 the ``failure`` instead.

    A response that has both was refused: its credentials were not accepted.

    ``head`` is the status line and the headers as received, without the empty line; ``body`` still
    has its content coding; ``received`` counts all bytes, the head included. Of a body with more
    than ``unkept`` bytes, if that is not 0, nothing was kept. ``sent`` is when the request was
    written, ``first_byte`` and ``finished`` when bytes arrived. ``not_as_recorded`` is how it
    differs from the recorded one, once it has been judged; ``remark`` what is added to the failure,
    if its status is not wanted.
    """

    __slots__ = (
        "_fields", "_json", "_text", "body", "failure", "finished", "first_byte", "head",
        "not_as_recorded", "received", "remark", "send", "sent", "status", "unkept",
    )  # fmt: skip

    def __init__(self, send: Send) -> None:
        self.send = send
        self.status = 0
        self.head = b""
        self.body = b""
        self.failure: Failure | None = None
        self.not_as_recorded = ""
        self.remark = ""
        self.sent = self.first_byte = self.finished = send.due
        self.received = 0
        self.unkept = 0
        self._fields: Head | None = None
        self._text: str | None = None
        self._json: Any = None

    def begin(self, raw: bytes, head: Head) -> None:
        """Take the head, which has come and was taken apart already."""
        self.head = raw
        self.status = head.status
        self._fields = head

    @property
    def due(self) -> float:
        """Return when the request should have been sent."""
        return self.send.due

    @property
    def request(self) -> bytes:
        """The request as sent."""
        return self.send.data

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """The headers in order, parsed anew at each call: most responses are never asked."""
        pairs = []
        for line in self.head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            pairs.append((name, value.strip()))
        return pairs

    def header(self, name: str) -> str | None:
        """Return the first header of that name, without regard to case."""
        values = self.header_values(name)
        return values[0] if values else None

    def header_values(self, name: str) -> list[str]:
        """Return all headers of that name, in order."""
        return self._values(name.lower())

    @property
    def content_types(self) -> list[str]:
        """The values of its Content-Type headers."""
        return self._values("content-type")

    @property
    def set_cookies(self) -> list[str]:
        """The values of its Set-Cookie headers."""
        return self._values("set-cookie")

    def _values(self, name: str) -> list[str]:
        if self._fields is None:
            self._fields = parse_head(self.head)
        return self._fields.values(name)

    @property
    def content(self) -> bytes:
        """The body without its codings: those of its content, and of its transfer but chunks.

        Raises:
            ContentError: one is broken or not known, or the body was not kept.
        """
        if self.unkept:
            raise ContentError(
                f"body of more than {self.unkept >> 20:,} MB, which is not kept to be looked into: "
                "raise body_limit (in an ini file loadtool_body_limit), or look into no such body"
            )
        codings = self._values("content-encoding")
        if transfer := self._values("transfer-encoding"):
            codings = codings + _unfinished(transfer)
        return decode(self.body, ",".join(codings)) if codings and self.body else self.body

    @property
    def size(self) -> int:
        """The bytes of its decoded body.

        Raises:
            ContentError: its content coding is broken.
        """
        return len(self.content)

    @property
    def duration(self) -> float:
        """Return its response time in seconds. A timer that rings early makes no response
        quicker."""
        return self.finished - min(self.sent, self.send.due)

    @property
    def text(self) -> str:
        """The body as text, in the charset it declares, else UTF-8; undecodable bytes as U+FFFD.

        Raises:
            ContentError: its content coding is broken.
        """
        if self._text is None:
            content = self.content
            try:
                self._text = content.decode()  # nearly always, and cheaper than to look it up
                if len(self._text) == len(content) and self._text[1:2] not in ":-":
                    return self._text  # only ASCII, no rows and no parts: the same in nearly all
            except UnicodeDecodeError:
                pass
            self._text = decoded(content, self.header("content-type") or "")
        return self._text

    def json(self) -> Any:
        """Return the body parsed as JSON, once.

        Raises:
            ValueError: it is not JSON.
        """
        if self._json is None:
            self._json = _loads(self.text)
        return self._json


def asked_of(response: Response) -> str:
    """Return the address that was asked, at the host that the request names."""
    request, origin = response.request, response.send.step.origin
    named = _HOST.search(request.partition(b"\r\n\r\n")[0])
    host = named[1].decode("latin-1") if named is not None else origin.authority
    return f"{origin.scheme}://{host}{target_of(request).decode('latin-1')}"


def target_of(request: bytes) -> bytes:
    """Return the path and query in a request line; what comes before them in absolute form is left
    out."""
    target = request.split(b" ", 2)[1]
    if target.startswith(b"/"):
        return target
    _, slash, path = target.partition(b"://")[2].partition(b"/")
    return slash + path
