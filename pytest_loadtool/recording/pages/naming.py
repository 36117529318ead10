"""What pages are called."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from urllib.parse import parse_qs, unquote, urlsplit

from pytest_loadtool.answers.pages import title_of
from pytest_loadtool.codec.calls import graphql_operation, rpc_method, soap_action
from pytest_loadtool.codec.media import declared_charset, decoded
from pytest_loadtool.model.case import Kind
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.pages.common import Group

#: How far into a document its title is looked for, in bytes.
_LONGEST_HEAD = 256 * 1024
#: WHATWG HTML §4.2.5.4: how far into it its character set is declared, in bytes.
_META = 1024

#: Numbers, UUIDs and long hexadecimal keys: new in every session, so they name nothing.
_ID = re.compile(r"[0-9]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}", re.IGNORECASE)


def page_names(groups: Iterable[Group]) -> list[str]:
    """Return a name for each page, all of them `distinct`."""
    return distinct(map(page_name, groups))


def distinct(wanted_names: Iterable[str]) -> list[str]:
    """Return the names; one that was taken before gets " (2)", " (3)"…"""
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
    """Return the text of a document's ``<title>``: entities decoded, white space collapsed; or
    empty."""
    body = exchange.response_start(_LONGEST_HEAD)
    declared = exchange.response_header("content-type") or ""
    if not declared_charset(declared):
        declared = body[:_META].decode("latin-1")  # a meta tag may say it
    return title_of(decoded(body, declared))


def operation_name(exchange: Exchange) -> str:
    """Return the operation of a GraphQL call, the method of JSON-RPC, the action of SOAP; empty for
    others, and for anonymous ones."""
    name = _json_operation(exchange) or soap_action(
        exchange.request_header("soapaction"), exchange.request_header("content-type") or ""
    )
    return name.encode("utf-8", "replace").decode()  # JSON may hold lone surrogates


def page_name(page: Group) -> str:
    """Return what a page is called, whatever others are called."""
    if page.key is not None:
        return title(page.key.exchange) or _place(page.key.exchange)
    # Not named after a forward: it belongs to where it leads.
    named = next((entry for entry in page.entries if entry.forward is None), page.entries[0])
    if page.navigated:
        return _place(named.exchange)
    return suggested_name(named.exchange, named.kind)


def suggested_name(exchange: Exchange, kind: Kind) -> str:
    """Return what a page is called that begins with ``exchange``: the title of a document, the
    operation of a call, or where it goes. A program that asks for a document navigates nowhere."""
    document = kind is Kind.HTML and not exchange.by_script
    return (title(exchange) if document else "") or operation_name(exchange) or _place(exchange)


def _place(exchange: Exchange) -> str:
    """Return the last path segment that is no id, else the last one, else the host."""
    parts = urlsplit(exchange.url)
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
    if (method := rpc_method(call)) is not None:
        return method
    if "query" not in call and "operationName" not in call:
        return ""
    return _operation(call.get("operationName"), call.get("query"))


def _operation(name: object, document: object) -> str:
    if isinstance(name, str) and name:
        return name
    match = graphql_operation(document) if isinstance(document, str) else None
    return match[2] if match else ""
