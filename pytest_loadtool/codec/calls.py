"""Calls over HTTP that name in their bodies what they ask for: GraphQL, JSON-RPC, SOAP and SQL."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

#: How much of a body is looked at for SQL.
_MOST_READ = 4000
#: The definition of an operation, be it anonymous (GraphQL §2.3), behind comments.
_OPERATION = re.compile(r"\s*(?:#[^\n]*\n\s*)*(query|mutation|subscription)\b\s*(\w*)")
_SOAP_BODY = re.compile(rb"<(?:[\w.-]+:)?Body\b[^>]*>\s*<(?:[\w.-]+:)?([\w.-]+)")
_XML_RPC = re.compile(rb"<methodCall>\s*<methodName>\s*([\w.:/]+)\s*</methodName>")
#: A statement of SQL that changes something, at the beginning of a field of a form or of JSON.
_SQL_CHANGE = re.compile(
    rb"""[=:"']\s*(?:insert\s+into|replace\s+into|update\s+\S+\s+set|delete\s+from"""
    rb"""|(?:create|drop|alter)\s+(?:table|view|index|database|user)|truncate\s)""",
    re.IGNORECASE,
)
#: Where a request by POST says which method it means: a header or a field (Rails, Laravel, Google's
#: APIs, Parse).
_METHOD_HEADERS = ("x-http-method-override", "x-http-method", "x-method-override")
_METHOD_FIELD = re.compile(
    rb"""(?:"_method"\s*:\s*"|(?:^|&)_method=|name="_method"\r\n\r\n)([A-Za-z]{3,7})\b"""
)
#: What an answer of JSON-RPC has.
_RPC_ANSWER = frozenset({"id", "error", "result"})
#: What a call has that is given nothing, and how its method is called: ``session-get``. A word by
#: itself, as ``card``, may be how somebody pays.
_BARE = frozenset({"method", "id", "tag"})
_WORDS = re.compile(r"[a-z]+(?:[-_./:][A-Za-z]+|[A-Z][a-z]*)+")
_SOAP_12_ACTION = re.compile(r"\baction=\"?([^\";]+)", re.IGNORECASE)


def graphql_operation(document: str, name: object = None) -> re.Match[str] | None:
    """Return the operation of that name in a document, else the first one: its type, and what it is
    called. None: there is none, as in ``{ me }``."""
    if isinstance(name, str) and name:
        named = rf"\b(query|mutation|subscription)\s+({re.escape(name)})\b"
        if found := re.search(named, document):
            return found
    return _OPERATION.match(document)


def may_be_call(text: str) -> bool:
    """Return whether a text of JSON has the words of a call that is given something."""
    return '"jsonrpc"' in text or (
        '"method"' in text and ('"params"' in text or '"arguments"' in text)
    )


def rpc_method(call: object) -> str | None:
    """Return the method of a call of JSON-RPC (JSON-RPC 2.0 §4; before 2.0 it did not say what it
    was; Transmission's calls have ``arguments``, or none); None if it is no such call."""
    if not isinstance(call, dict):
        return None
    method = call.get("method")
    says_so = "jsonrpc" in call or "params" in call
    if not isinstance(method, str):
        return "" if says_so else None
    is_bare = call.keys() <= _BARE and _WORDS.fullmatch(method) is not None
    return method if says_so or "arguments" in call or is_bare else None


def rpc_method_in(body: bytes) -> str:
    """Return the method of the call of JSON-RPC that a body is; empty if it is none."""
    return rpc_method(_call(body)) or "" if b'"method"' in body else ""


def is_same_call(one: str | bytes | None, other: str | bytes | None) -> bool:
    """Return whether two bodies are one call of JSON-RPC, but for the number by which the client
    knows its answer (JSON-RPC 2.0 §4)."""
    calls = [_call(one), _call(other)]
    return calls[0] is not None and calls[0] == calls[1]


def _call(body: str | bytes | None) -> dict[str, object] | None:
    """Return a call of JSON-RPC without its number; None if the body is none."""
    try:
        call = json.loads(body) if body else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(call, dict) or rpc_method(call) is None:
        return None
    return {key: value for key, value in call.items() if key != "id"}


def is_rpc_answer(document: object) -> bool:
    """Return whether a document answers a call of JSON-RPC (JSON-RPC 2.0 §5; before 2.0 it does not
    say what it is)."""
    return isinstance(document, dict) and (
        "jsonrpc" in document or (len(document) > 1 and document.keys() <= _RPC_ANSWER)
    )


def meant_method(method: str, header: Callable[[str], str | None], body: bytes) -> str:
    """Return the method that a request means, in capitals; by POST, it may say another one."""
    if method.upper() != "POST":
        return method.upper()
    named = next((found for name in _METHOD_HEADERS if (found := header(name))), "")
    field = _METHOD_FIELD.search(body) if b"_method" in body else None
    return (named or (field[1].decode() if field else method)).upper()


def soap_action(action: str | None, content_type: str) -> str:
    """Return the last word of the action that a SOAPAction header (SOAP 1.1 §6.1.1) or a content
    type (RFC 3902 §5) names; empty if none does."""
    if action is None:
        if not content_type.lower().startswith("application/soap+xml"):
            return ""
        match = _SOAP_12_ACTION.search(content_type)
        action = match[1] if match else ""
    # An action is a URI: http://shop.example/Orders/GetOrder, urn:shop#GetOrder, urn:shop:GetOrder.
    return re.split(r"[/#:]", action.strip().strip('"'))[-1]


def soap_operation(body: bytes) -> str:
    """Return the element that a SOAP body begins with (SOAP 1.1 §7); empty if it is none."""
    found = _SOAP_BODY.search(body) if b"Body" in body else None
    return found[1].decode() if found else ""


def xml_rpc_method(body: bytes) -> str:
    """Return the method of a call of XML-RPC (XML-RPC, "Request format"); empty if it is none."""
    found = _XML_RPC.search(body) if b"<methodName>" in body else None
    return found[1].decode() if found else ""


def sql_changes(body: bytes) -> bool:
    """Return whether a form or JSON has a statement of SQL that changes something (ISO/IEC
    9075)."""
    head = body[:_MOST_READ]
    plain = unquote_to_bytes(head.replace(b"+", b" ")) if b"%" in head or b"+" in head else head
    return _SQL_CHANGE.search(plain) is not None
