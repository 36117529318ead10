"""Responses in the files of other projects' test suites, found in each project's own notation."""

from __future__ import annotations

import ast
import base64
import binascii
import re
from collections.abc import Iterator, Mapping

__all__ = ["of_c", "of_curl", "of_llhttp", "of_python"]

Found = Iterator[tuple[str, bytes]]

#: How the bytes begin that are a response, or a test suite's broken one.
_START = re.compile(rb"HTTP/[^\r\n]*[\r\n]")


# curl: tests/FILEFORMAT.md of its sources.

_REPLY = re.compile(rb"<reply>(.*?)</reply>", re.DOTALL)
_PART = re.compile(rb"<((?:data|connect)(?!check)\d*)([^>\n]*)>\r?\n(.*?)</\1>", re.DOTALL)
_INSTRUCTION = re.compile(
    rb"%repeat\[(?P<times>\d+) x (?P<what>.*?)\]%"
    rb"|%hex\[(?P<hex>.*?)\]hex%|%b64\[(?P<b64>.*?)\]b64%",
    re.DOTALL,
)
_IF = re.compile(rb"^%if (!?)(\S+)\n(.*?)(?:^%else\n(.*?))?^%endif\n", re.DOTALL | re.MULTILINE)
_VARIABLES = {
    b"%HOSTIP": b"127.0.0.1",
    b"%HTTPPORT": b"80",
    b"%HTTPSPORT": b"443",
    b"%PROXYPORT": b"3128",
    b"%TESTNUMBER": b"1",
    b"%CR": b"\r",
    b"%SP": b" ",
    b"%TAB": b"\t",
}
_HEADER = re.compile(rb"(?:HTTP/(?:1.1|1.0|2|3) [1-5]|[a-z0-9_-]+: )[^\r]*", re.IGNORECASE)


def of_curl(text: bytes) -> Found:
    """What its HTTP server replies, as far as it begins as HTTP does."""
    for reply in _REPLY.findall(text):
        for name, attributes, data in _PART.findall(reply):
            wire = _expanded(data)
            try:
                if b'base64="yes"' in attributes:
                    wire = base64.b64decode(wire)
                if b'hex="yes"' in attributes:
                    wire = bytes.fromhex(wire.decode("ascii"))
            except (binascii.Error, ValueError):
                continue
            if b'crlf="yes"' in attributes:
                wire = _with_header_ends(wire)
            if b'nonewline="yes"' in attributes:
                wire = wire.removesuffix(b"\n")
            if _START.match(wire):
                yield name.decode(), wire


def _expanded(data: bytes) -> bytes:
    data = _IF.sub(lambda found: found[4] or b"" if found[1] else found[3], data)
    for variable, value in _VARIABLES.items():
        data = data.replace(variable, value)
    return _INSTRUCTION.sub(_instructed, data)


def _instructed(found: re.Match[bytes]) -> bytes:
    if found["times"]:
        return _unquoted(found["what"]) * int(found["times"])
    if found["hex"]:
        return _unquoted(found["hex"])
    return base64.b64encode(_unquoted(found["b64"] or b""))


def _unquoted(text: bytes) -> bytes:
    return re.sub(rb"%([0-9a-fA-F]{2})", lambda found: bytes.fromhex(found[1].decode()), text)


def _with_header_ends(data: bytes) -> bytes:
    """CR LF behind what looks like a header, and behind the empty line that follows one."""
    lines = []
    after = False
    for line in data.splitlines(keepends=True):
        ends = line.endswith(b"\n")
        header = _HEADER.fullmatch(line.removesuffix(b"\n")) is not None
        lines.append(
            line[:-1] + b"\r\n" if ends and (header or (after and line == b"\n")) else line
        )
        after = header
    return b"".join(lines)


# llhttp: examples in Markdown, with the escapes of its md-test.ts.

_EXAMPLE = re.compile(
    r"^#+ (?P<title>.+?)\n(?:(?!^#).)*?<!-- meta=(?P<meta>\{.*?\}) -->\s*```http\n(?P<http>.*?)```",
    re.DOTALL | re.MULTILINE,
)
_ESCAPES = (
    (r"\\x([0-9a-fA-F]+)", lambda found: chr(int(found[1], 16))),
    (r"\\([0-7]{1,3})", lambda found: chr(int(found[1], 8))),
    (r"\$\{'(.)'\.repeat\((\d+)\)\}", lambda found: found[1] * int(found[2])),
)


def of_llhttp(text: bytes) -> Found:
    """Its responses, and its requests with the first line of a response instead of their own."""
    for found in _EXAMPLE.finditer(text.decode("utf-8")):
        http = found["http"].removesuffix("\n")
        http = re.sub(r"\\\n", "", http).replace("\n", "\r\n")
        for escape, meant in (("\\r", "\r"), ("\\n", "\n"), ("\\t", "\t"), ("\\f", "\f")):
            http = http.replace(escape, meant)
        for pattern, replace in _ESCAPES:
            http = re.sub(pattern, replace, http)
        if '"request' in found["meta"]:
            request, line, rest = http.partition("\n")
            if not line or not re.search(r" HTTP/\d", request):
                continue
            http = f"HTTP/1.1 200 OK{chr(13) if request.endswith(chr(13)) else ''}\n{rest}"
        yield found["title"].strip(), http.encode("utf-8")


# Literals of C and Python.

_C_CASE = re.compile(r'\{\s*\.name\s*=\s*"(.*?)"\n(.*?),\s*\.should_keep_alive', re.DOTALL)
_C_RAW = re.compile(r'\.raw\s*=\s*((?:\s*"(?:[^"\\]|\\.)*")+)', re.DOTALL)
_C_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def of_c(text: bytes) -> Found:
    """The ``raw`` of each case in http-parser's table."""
    for name, fields in _C_CASE.findall(text.decode("utf-8")):
        raw = _C_RAW.search(fields)
        if raw is None:
            continue
        escaped = "".join(_C_STRING.findall(raw[1]))
        wire = escaped.encode("utf-8").decode("unicode_escape").encode("latin-1")
        if _START.match(wire):
            yield name, wire


def of_python(text: bytes) -> Found:
    """What is written out as one value, wherever it stands, with the line it begins in."""
    tree = ast.parse(text)
    names: dict[str, bytes] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            value = _value(statement.value, names)
            if value is not None:
                names[statement.targets[0].id] = value
    yield from _values(tree, names)


def _values(node: ast.AST, names: Mapping[str, bytes]) -> Found:
    value = _value(node, names) if isinstance(node, ast.expr) else None
    if value is not None and not isinstance(node, ast.Name):
        if _START.match(value):
            yield f"line {node.lineno}", value  # type: ignore[attr-defined]
        return
    for child in ast.iter_child_nodes(node):
        yield from _values(child, names)


def _value(node: ast.expr, names: Mapping[str, bytes]) -> bytes | None:
    """The bytes that an expression of literals stands for; None if it has more."""
    match node:
        case ast.Constant(value=bytes(data)):
            return data
        case ast.Constant(value=str(data)):
            return data.encode("utf-8", "surrogatepass")
        case ast.Name(id=name):
            return names.get(name)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = _value(left, names), _value(right, names)
            return None if first is None or second is None else first + second
        case ast.BinOp(left=left, op=ast.Mult(), right=ast.Constant(value=int(times))):
            one = _value(left, names)
            return None if one is None else one * times
        case ast.Call(func=ast.Attribute(value=inner, attr="replace"), args=[old, new]):
            text, before, after = (_value(one, names) for one in (inner, old, new))
            if text is None or before is None or after is None:
                return None
            return text.replace(before, after)
        case ast.Call(func=ast.Attribute(value=inner, attr="join"), args=[ast.List(elts=parts)]):
            glue, pieces = _value(inner, names), [_value(one, names) for one in parts]
            known = [one for one in pieces if one is not None]
            return None if glue is None or len(known) < len(pieces) else glue.join(known)
    return None
