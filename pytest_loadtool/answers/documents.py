"""Documents of JSON and XML: what stands at their top, and what it says of how it went.

Faults of XML are those of SOAP 1.1 §4.4, SOAP 1.2 part 1 §5.4 and XML-RPC.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pytest_loadtool.codec.flattened import expanded
from pytest_loadtool.model.answer import Answer

__all__ = [
    "BAD_WORDS", "ERRORS", "GOOD_WORDS", "MOST_KEYS", "OUTCOMES", "RESULTS", "document",
    "document_of", "spelled",
]  # fmt: skip

MOST_KEYS = 20
"""An object with more keys is taken for a table of resources by their names."""

#: What may be the name of a field; with digits it may be that of a resource.
_KEY = re.compile(r"[A-Za-z_$@][A-Za-z_$@:.-]{0,39}")
_MOST_LISTED = 100  # of a batch
_CODE = re.compile(r"-?\d{1,6}")
_NOTHING = frozenset({"", "0", "none", "null", "no", "false", "ok", "success"})
_TRUTHS = frozenset({"true", "false", "yes", "no"})
_GRAPHQL = frozenset({"data", "errors", "extensions"})

#: Names of fields, without case and separators, whose value says that it failed, if it has one.
ERRORS = frozenset(
    {
        *("error", "errors", "fault", "faultcode", "faultstring", "exception", "errormessage"),
        *("errormsg", "errmsg", "iserror", "haserror", "haserrors", "errordescription"),
    }
)
#: Those whose word, number or truth says how it went.
OUTCOMES = frozenset(
    {
        *("success", "succeeded", "successful", "issuccess", "ok", "status", "result", "outcome"),
        *("code", "statuscode", "errorcode", "errcode", "errno", "ret", "retcode", "returncode"),
        *("resultcode", "rc", "failed"),
    }
)

RESULTS = ERRORS | OUTCOMES
"""Names of fields that say how it went, whatever was asked for."""
#: Those of a sentence for a person on what was done.
_MESSAGES = frozenset({"message", "msg", "notice", "flash", "resultmessage", "statusmessage"})
_LONGEST_MESSAGE = 200

GOOD_WORDS = frozenset({"ok", "okay", "success", "successful", "succeeded", "done", "ack"})
BAD_WORDS = frozenset({"error", "err", "fail", "failed", "failure", "exception", "ko", "nok"})
"""What such a word is, in lower case, that tells anything."""


def spelled(key: str) -> str:
    """Return the name of a field as it is compared."""
    return key.lower().replace("_", "").replace("-", "")


def document_of(text: str) -> Any:
    """Return the value; raises ValueError if it is no JSON."""
    try:
        return expanded(json.loads(text.lstrip("\ufeff")))
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def document(text: str) -> Answer:
    """Return what a document looks like."""
    try:
        found = document_of(text)
    except ValueError:
        return Answer()
    if isinstance(found, list):
        failed = next((how for one in found[:_MOST_LISTED] if (how := _failed(one))), "")
        return Answer(json="array", lists=("$",) if found else (), failed=failed)
    if not isinstance(found, dict):
        return Answer(json="value")
    keys = _keys(found)
    return Answer(
        json="object",
        keys=keys,
        lists=tuple(key for key in keys if isinstance(found[key], list) and found[key]),
        said=tuple((key, said) for key in found if (said := _said(key, found[key])) is not None),
        failed=_failed(found),
    )


def _keys(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of its fields; of a table of resources by their names there are none."""
    if len(found) > MOST_KEYS:
        return ()
    values = list(found.values())
    if len(values) > 1 and all(isinstance(one, dict) and one for one in values):
        forms = {tuple(sorted(one)) for one in values}
        if len(forms) == 1:
            return ()
    return tuple(key for key in found if _KEY.fullmatch(key))


def _failed(found: object) -> str:
    """Return how a whole document says that it failed: JSON-RPC 2.0 §5.1, GraphQL §7.1."""
    if not isinstance(found, dict):
        return ""
    error = found.get("error")
    if isinstance(error, dict) and (
        "jsonrpc" in found or found.keys() <= {"id", "error", "result"}
    ):
        code, says = error.get("code"), "JSON-RPC error" if len(found) > 1 else "error"
        return f"{says} {code}" if isinstance(code, int) else says
    errors = found.get("errors")
    if found.keys() <= _GRAPHQL and isinstance(errors, list) and errors:
        return "GraphQL errors beside data" if _has_data(found.get("data")) else "GraphQL errors"
    return ""


def _has_data(data: object) -> bool:
    return isinstance(data, dict) and any(one is not None for one in data.values())


def _said(key: str, value: object) -> str | int | bool | None:
    """Return what a field says of how it went, be it a truth of any name; None: nothing."""
    name = spelled(key)
    if name in ERRORS:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return bool(value) if name == "error" else None  # a number of errors is a figure
        if isinstance(value, str):
            return value.strip().lower() not in _NOTHING
        return bool(value)
    if name in _MESSAGES and isinstance(value, str) and 0 < len(value) <= _LONGEST_MESSAGE:
        return value
    if name not in OUTCOMES:
        return value if isinstance(value, bool) and _KEY.fullmatch(key) else None
    if isinstance(value, bool | int):
        return value if abs(value) < 10**6 else None
    if isinstance(value, str):
        is_telling = value.lower() in GOOD_WORDS | BAD_WORDS | _TRUTHS
        return value if is_telling or _CODE.fullmatch(value) else None
    return None


#: How far the root is looked for, in characters.
_LONGEST_PROLOGUE = 10_000
_ROOT = re.compile(r"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)([^<>]*)>")
_FAULT = re.compile(r"<(?:[\w.-]+:)?Body\b[^<>]*>\s*<(?:[\w.-]+:)?Fault\b")
_CALL_FAULT = re.compile(r"<methodResponse>\s*<fault\b")
_SAYS = re.compile(
    r"""\b(?:status|stat|result|success)\s*=\s*["'](?:error|fail|failed|failure|false)["']""",
    re.IGNORECASE,
)
#: Roots that say it by their name.
_ROOTS = frozenset(
    {
        *("error", "errors", "fault", "exception", "errorresponse", "exceptionreport"),
        *("serviceexceptionreport", "apierror", "errormessage"),
    }
)


def element(text: str) -> Answer:
    """Return what a document looks like."""
    root = _ROOT.search(text, 0, _LONGEST_PROLOGUE)
    if root is None:
        return Answer()
    name = root[1]
    failed = ""
    if name == "Envelope" and _FAULT.search(text):
        failed = "SOAP fault"
    elif name == "methodResponse" and _CALL_FAULT.search(text):
        failed = "XML-RPC fault"
    elif name.lower() in _ROOTS or _SAYS.search(root[2]):
        failed = f"<{name}>"
    return Answer(root=name, failed=failed)
