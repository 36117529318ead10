"""Several calls in one request, and their answers in one answer, in the same order.

OData (4.01 §11.7.7) and Google's APIs send messages of HTTP as parts of one body
(``multipart/mixed``). tRPC names procedures side by side in its path,
``/trpc/task.list,user.list?batch=1``. JSON-RPC (2.0 §6) and GraphQL send a list of calls.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from pytest_loadtool.codec.calls import graphql_operation, rpc_method

MIXED = "multipart/mixed"
"""The media type of such messages of HTTP."""

#: A request among them: its method, its address, and where its head and its body are.
MESSAGE = re.compile(
    r"(?:\A|(?<=\n))([A-Z]{3,10}) /?(\S*) HTTP/1\.[01]\r?\n((?:[^\r\n]+\r?\n)*)(?:\r?\n)?"
)
#: An answer among them: its head.
_ANSWER = re.compile(r"(?:\A|(?<=\n))HTTP/1\.[01] \d{3}\b[^\n]*\n(?:[^\r\n]+\r?\n)*(?:\r?\n)?")
#: What is behind a message.
_END = re.compile(r"\r?\n--|\Z")
_NAMES = re.compile(r"/([\w.-]+(?:,[\w.-]+)*)\?(?:[^#]*&)?batch=1(?:[&#]|\Z)")
#: The key of an entity, and a function or an action with the name of its schema before it (OData
#: 4.01 part 2 §4.3, §4.5).
_KEY, _BOUND = re.compile(r"\([^()/?]*\)"), re.compile(r"/[A-Za-z_]\w*(?:\.\w+)+(?=/|\Z)")


@dataclass(frozen=True, slots=True)
class BatchedCall:
    """One of a batch: its path without ids, or the procedure; and its method, which is empty where
    it is that of the whole request."""

    called: str
    method: str = ""


def calls_of(target: str, body: str, media: str) -> tuple[BatchedCall, ...]:
    """Return the calls of a request with that target and body; none if it is no batch."""
    if media == MIXED:
        return tuple(BatchedCall(_resource(one[2]), one[1]) for one in MESSAGE.finditer(body))
    if "batch=1" in target and (named := _NAMES.search(target)):
        return tuple(map(BatchedCall, named[1].split(",")))
    if not body.startswith("["):
        return ()
    try:
        names = [_named(one) for one in json.loads(body)]
    except (ValueError, RecursionError):
        return ()
    return tuple(map(BatchedCall, names)) if all(names) else ()


def _resource(address: str) -> str:
    path = _KEY.sub("", address.partition("?")[0])
    return _BOUND.sub("", f"/{path}") or f"/{path}"


def _named(call: Any) -> str:
    """Return what a call is called; empty if it is none."""
    if not isinstance(call, dict):
        return ""
    query, name = call.get("query"), call.get("operationName")
    if isinstance(query, str):
        found = graphql_operation(query, name)
        return found[2] if found is not None else ""
    return rpc_method(call) or ""


def messages_in(body: bytes) -> tuple[str, ...]:
    """Return the requests in a body, without what tells its parts apart."""
    text = body.decode("utf-8", "replace")
    found = MESSAGE.finditer(text)
    return tuple(text[one.start() : body_end(text, one.end())] for one in found) or (text,)


def answers_in(text: str) -> str:
    """Return the bodies of the answers in a text as a list in JSON; all of the text if it has
    none."""
    ends = [one.end() for one in _ANSWER.finditer(text)]
    found = [_content(text[start : body_end(text, start)]) for start in ends]
    return json.dumps(found, ensure_ascii=False) if found else text


def body_end(text: str, start: int) -> int:
    """Return where the body of a message ends that begins at ``start``."""
    if text.startswith("--", start):  # there is none
        return start
    found = _END.search(text, start)
    return found.start() if found is not None else len(text)


def _content(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body or None
