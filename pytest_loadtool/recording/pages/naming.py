"""What pages are called."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from urllib.parse import parse_qs, unquote, urlsplit

from pytest_loadtool.answers.pages import title_of
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.entry import Entry
from pytest_loadtool.recording.pages.common import Group

#: How far into a document its title is looked for, in bytes.
_LONGEST_HEAD = 256 * 1024

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_OPERATION = re.compile(r"^\s*(?:query|mutation|subscription)\s+([_A-Za-z][_0-9A-Za-z]*)")
#: Numbers, UUIDs and long hexadecimal keys: new in every session, so they name nothing.
_ID = re.compile(r"[0-9]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}", re.IGNORECASE)
_SOAP_12_ACTION = re.compile(r"\baction=\"?([^\";]+)", re.IGNORECASE)


def page_names(groups: Iterable[Group]) -> list[str]:
    """A name for each page, all of them `distinct`."""
    return distinct(map(page_name, groups))


def distinct(wanted_names: Iterable[str]) -> list[str]:
    """The names; one that was taken before gets " (2)", " (3)"…"""
    taken: set[str] = set()
    names = []
    for wanted in wanted_names:
        name = wanted
        count = 1
        while name in taken:
            count += 1
            name = f"{wanted} ({count})"
        taken.add(name)
        names.append(name)
    return names


def title(exchange: Exchange) -> str:
    """The text of a document's ``<title>``: entities decoded, white space collapsed; or empty."""
    body = exchange.response_start(_LONGEST_HEAD)
    charset = _CHARSET.search((exchange.response_header("content-type") or "").encode())
    charset = charset or _CHARSET.search(body[:1024])
    try:
        text = body.decode(charset[1].decode() if charset else "utf-8", "replace")
    except LookupError:
        text = body.decode("utf-8", "replace")
    return title_of(text)


def operation_name(exchange: Exchange) -> str:
    """The operation of a GraphQL call, the method of JSON-RPC, the action of SOAP; empty for
    others, and for anonymous ones."""
    name = _json_operation(exchange) or _soap_action(exchange)
    return name.encode("utf-8", "replace").decode()  # JSON may hold lone surrogates


def page_name(page: Group) -> str:
    """What a page is called, whatever others are called."""
    if page.key is not None:
        return title(page.key.exchange) or _place(page.key)
    # Not named after a forward: it belongs to where it leads.
    named = next((entry for entry in page.entries if entry.forward is None), page.entries[0])
    if page.navigated:
        return _place(named)
    return operation_name(named.exchange) or _place(named)


def _place(entry: Entry) -> str:
    """The last path segment that is no id, else the last one, else the host."""
    parts = urlsplit(entry.exchange.url)
    segments = [segment for segment in parts.path.split("/") if segment]
    telling = [segment for segment in segments if not _ID.fullmatch(segment)]
    return unquote((telling or segments or [parts.netloc])[-1])


def _json_operation(exchange: Exchange) -> str:
    if exchange.method == "GET":
        query = parse_qs(urlsplit(exchange.url).query)
        if "query" not in query and "extensions" not in query:
            return ""
        return _operation(query.get("operationName", [""])[0], query.get("query", [""])[0])
    try:
        call = json.loads(exchange.request_body)
    except (ValueError, RecursionError):
        return ""
    if isinstance(call, list) and call:
        call = call[0]  # a batch is named after its first operation
    if not isinstance(call, dict):
        return ""
    if "jsonrpc" in call or "params" in call:  # before 2.0 it did not say what it was
        method = call.get("method")
        return method if isinstance(method, str) else ""
    if "query" not in call and "operationName" not in call:
        return ""
    return _operation(call.get("operationName"), call.get("query"))


def _operation(name: object, document: object) -> str:
    if isinstance(name, str) and name:
        return name
    match = _OPERATION.match(document) if isinstance(document, str) else None
    return match[1] if match else ""


def _soap_action(exchange: Exchange) -> str:
    action = exchange.request_header("soapaction")
    if action is None:
        content_type = exchange.request_header("content-type") or ""
        if not content_type.lower().startswith("application/soap+xml"):
            return ""
        match = _SOAP_12_ACTION.search(content_type)
        action = match[1] if match else ""
    # An action is a URI: http://shop.example/Orders/GetOrder, urn:shop#GetOrder, urn:shop:GetOrder.
    return re.split(r"[/#:]", action.strip().strip('"'))[-1]
