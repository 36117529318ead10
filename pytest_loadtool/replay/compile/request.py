"""From a request's templates to a function that renders its bytes.

All text is prepared once: what does not change is one bytes format per head and body, and a virtual
user fills in its values, encoded for the place they land in, its Cookie header and the length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import getrandbits

from pytest_loadtool.codec.places import body_places, cookie_places, header_places, target_places
from pytest_loadtool.codec.request_coding import Coder, coder
from pytest_loadtool.codec.template import Template, files_of
from pytest_loadtool.model.case import Header, Request
from pytest_loadtool.replay.compile.format import Format, VariableNames
from pytest_loadtool.replay.user.cookies import CookieJar
from pytest_loadtool.replay.user.origin import Origin

Render = Callable[[list[str], CookieJar], bytes]

#: Headers of the recording that say how the body was framed; replay frames it anew.
_FRAMING = frozenset({"transfer-encoding", "expect"})
#: A hole in a format: no percent sign of it belongs to an escaped one, as in ``caf%%b0``.
_HOLE = re.compile(rb"(?<!%)(?:%%)*%b")

#: The length in the head of a request.
_LENGTH = re.compile(rb"(?<=\r\ncontent-length: )\d+", re.IGNORECASE)
_METHODS_WITH_LENGTH = frozenset({"POST", "PUT", "PATCH"})


def compile_request(
    request: Request, headers: tuple[Header, ...], origin: Origin, names: VariableNames
) -> Render:
    """Return the function that renders ``request`` for `origin`.

    ``headers`` are all that it sends, its own among them (`TestCase.wire_headers`).
    ``request.target`` may be absolute: what goes on the wire is its path and query (RFC 9112
    §3.2.1), and to a proxy all of it (§3.2.2) unless there is a tunnel to the origin.
    """
    body = _body(request, headers, names)
    target = _target(request.target, names)
    complete = _complete(headers, request.method, bool(body.text))
    head, cookie_at, length_at = _head(request.method, complete, origin, target, body, names)
    host, secure = origin.host, origin.scheme == "https"
    path = target.text.partition(b"?")[0]
    if not head.holes and not body.holes:
        render = _constant(head.text, body.text, host, path.replace(b"%%", b"%"), secure)
    else:
        render = _filled(head, body, cookie_at, length_at, (host, path, secure))
    coded = [one.value or "" for one in headers if one.name.lower() == "content-encoding"]
    if coded and isinstance(request.body, str) and not files_of(request.body):
        code = coder(",".join(coded))
        render = render if code is None or not request.body else _coding(render, code)
    return _storing(render, request.cookies, host, names) if request.cookies else render


def _coding(render: Render, code: Coder) -> Render:
    """Return ``render`` with the body in its content coding."""

    def render_coded(values: list[str], jar: CookieJar) -> bytes:
        head, blank, body = render(values, jar).partition(b"\r\n\r\n")
        body = code(body)
        return _LENGTH.sub(b"%d" % len(body), head, 1) + blank + body

    return render_coded


def traced(headers: tuple[Header, ...]) -> tuple[Header, ...]:
    """Return ``headers`` with a trace of each request's own in place of the recorded one."""
    kept = [one for one in headers if one.name.lower() not in ("traceparent", "tracestate")]
    return (*kept, Header("traceparent"))


def _storing(render: Render, cookies: Sequence[str], host: str, names: VariableNames) -> Render:
    """Return ``render`` with these cookies put into the jar before it."""
    lines: list[Format] = []
    for one in cookies:
        template, line = Template.parse(one), Format()
        line.add_template(template, cookie_places(template), names)
        lines.append(line)

    def render_storing(values: list[str], jar: CookieJar) -> bytes:
        for line in lines:
            text = line.text % tuple([encoder(values[slot]) for slot, encoder in line.holes])
            jar.store(text.decode("latin-1"), host, b"/")
        return render(values, jar)

    return render_storing


def _constant(head: bytes, body: bytes, host: str, target: bytes, secure: bool) -> Render:
    hole = _HOLE.search(head)
    assert hole is not None, "that of the Cookie line"
    end = hole.end()
    start = end - len(b"%b")
    before = head[:start].replace(b"%%", b"%")
    after = head[end:].replace(b"%%", b"%") + body.replace(b"%%", b"%")
    alone = before + after

    def render(_values: Sequence[str], jar: CookieJar) -> bytes:
        cookie = jar.header(host, target, secure)
        return b"%b%b%b" % (before, cookie, after) if cookie else alone

    return render


def _filled(
    head: Format,
    body: Format,
    cookie_at: int,
    length_at: int | None,
    cookie_key: tuple[str, bytes, bool],
) -> Render:
    head_text, head_holes = head.text, tuple(head.holes)
    body_text, body_holes = body.text, tuple(body.holes)
    body_constant = None if body_holes else body_text.replace(b"%%", b"%")
    host, path, secure = cookie_key
    constant_path = path.replace(b"%%", b"%")
    path_holes = path.replace(b"%%", b"").count(b"%b")

    def render(values: Sequence[str], jar: CookieJar) -> bytes:
        if body_constant is None:
            payload = body_text % tuple([encoder(values[slot]) for slot, encoder in body_holes])
        else:
            payload = body_constant
        arguments = [encoder(values[slot]) for slot, encoder in head_holes]
        # The holes of the target come first. Cookies may be for a path that they are in.
        target = path % tuple(arguments[:path_holes]) if path_holes else constant_path
        # Both positions count as in the finished list, the earlier one is inserted first.
        if length_at is None:
            arguments.insert(cookie_at, jar.header(host, target, secure))
        elif length_at < cookie_at:
            arguments.insert(length_at, b"%d" % len(payload))
            arguments.insert(cookie_at, jar.header(host, target, secure))
        else:
            arguments.insert(cookie_at, jar.header(host, target, secure))
            arguments.insert(length_at, b"%d" % len(payload))
        return head_text % tuple(arguments) + payload

    return render


def _body(request: Request, headers: tuple[Header, ...], names: VariableNames) -> Format:
    result, body = Format(), request.body
    if isinstance(body, bytes):
        result.add(body)
    elif body:
        template = Template.parse(body)
        types = [one.value or "" for one in headers if one.name.lower() == "content-type"]
        places = body_places(template, types[0] if types else "")
        result.add_template(template, places, names, request.charset or "utf-8")
    return result


def _target(text: str, names: VariableNames) -> Format:
    template = Template.parse(text)
    target = Format()
    target.add_template(template, target_places(template), names)
    scheme, separator, rest = target.text.partition(b"://")
    if separator and scheme.lower() in (b"http", b"https"):
        _, slash, path = rest.partition(b"/")
        target.text = slash + path if slash else b"/"
    return target


def _head(
    method: str,
    headers: tuple[Header, ...],
    origin: Origin,
    target: Format,
    body: Format,
    names: VariableNames,
) -> tuple[Format, int, int | None]:
    """Return the head's format, and where in its arguments the Cookie line and the length
    belong."""
    head = Format()
    head.add(method.encode() + b" ")
    if origin.via is not None and origin.scheme == "http":
        head.add(str(origin).encode())
    head.text += target.text
    head.holes += target.holes
    head.add(b" HTTP/1.1\r\n")
    computed = 0  # holes that are no slots: they shift the positions of what comes after them
    cookie_at: int | None = None
    length_at: int | None = None
    for header in headers:
        name = header.name.lower()
        if name == "cookie":
            cookie_at = len(head.holes) + computed
            computed += 1
            head.text += b"%b"  # the whole line, or nothing
        elif name == "traceparent" and header.value is None:
            head.add(b"traceparent: ")
            head.add_hole(names.slot("traceparent:"), _new_trace)
            head.add(b"\r\n")
        elif name == "content-length":
            head.add(header.name.encode() + b": ")
            if body.holes:
                length_at = len(head.holes) + computed
                computed += 1
                head.text += b"%b"
            else:
                head.add(b"%d" % len(body.text.replace(b"%%", b"%")))
            head.add(b"\r\n")
        else:
            template = Template.parse(origin.authority if header.value is None else header.value)
            head.add(header.name.encode() + b": ")
            head.add_template(template, header_places(template), names)
            head.add(b"\r\n")
    head.add(b"\r\n")
    assert cookie_at is not None, "_complete gives every request a place for its cookies"
    return head, cookie_at, length_at


def _new_trace(_value: str) -> bytes:
    """Return a trace that begins here and is to be recorded (W3C Trace Context, 3.2.2)."""
    return b"00-%032x-%016x-01" % (getrandbits(128) or 1, getrandbits(64) or 1)


def _complete(headers: tuple[Header, ...], method: str, has_body: bool) -> tuple[Header, ...]:
    """Return the headers with every computed one exactly where it belongs, and none that does
    not."""
    wants_length = has_body or method in _METHODS_WITH_LENGTH
    kept = [
        Header(one.name) if one.name.lower() in ("content-length", "cookie") else one
        for one in headers
        if one.name.lower() not in _FRAMING
        and (one.name.lower() != "content-length" or wants_length)
    ]
    present = {one.name.lower() for one in kept}
    first = [] if "host" in present else [Header("Host")]
    last = [Header("Content-Length")] if wants_length and "content-length" not in present else []
    if "cookie" not in present:
        last.append(Header("Cookie"))
    return (*first, *kept, *last)
