"""An XML document: its root, and whether it is a fault (SOAP 1.1 §4.4, SOAP 1.2 part 1 §5.4,
XML-RPC)."""

from __future__ import annotations

import re

from pytest_loadtool.model.answer import Answer

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
    """What a document looks like."""
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
