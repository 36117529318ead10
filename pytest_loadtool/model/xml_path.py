"""Paths into XML: a small part of XPath 1.0, by the local names of elements and attributes.

``//Order[Customer="Tea"]/OrderId``: prefixes and namespaces do not count. ``//`` stands at the
beginning only, so that a path costs one walk over the document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = r"[^\W\d][\w.-]*"
_OF_ITEM = rf"@{_NAME}|\.|{_NAME}(?:/{_NAME})*(?:/@{_NAME})?"
_WHERE = re.compile(rf"""\[\s*({_OF_ITEM})\s*=\s*(?:"([^"]*)"|'([^']*)')\s*\]""")
_STEP = re.compile(
    rf"/(?P<name>@?{_NAME}|\*)(?P<wheres>(?:{_WHERE.pattern})*)(?:\[(?P<index>[1-9]\d{{0,8}})\])?"
)


@dataclass(frozen=True, slots=True)
class XmlWhere:
    """``[Customer/Name="Tea"]``: what has this text there; ``@`` is before the name of an attribute
    and no keys are the element itself."""

    keys: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class XmlStep:
    """The children of that name (``*``: any; ``@id``: the attribute) for which all of this holds;
    with an ``index`` (from 1) only that one of them."""

    name: str
    wheres: tuple[XmlWhere, ...] = ()
    index: int = 0


def xml_steps(path: str) -> tuple[bool, tuple[XmlStep, ...]]:
    """Return whether a path begins anywhere in the document, and its steps.

    Raises:
        ValueError: it is no such path.
    """
    anywhere = path.startswith("//")
    steps: list[XmlStep] = []
    position = int(anywhere)
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None or (steps and steps[-1].name.startswith("@")):
            break
        wheres = tuple(_where(one) for one in _WHERE.finditer(found["wheres"]))
        steps.append(XmlStep(found["name"], wheres, int(found["index"] or 0)))
        position = found.end()
    if position < len(path) or not steps or steps[0].name.startswith("@"):
        raise ValueError("expected a path such as '//Order[Customer=\"Tea\"]/OrderId'")
    return anywhere, tuple(steps)


def _where(found: re.Match[str]) -> XmlWhere:
    keys = () if found[1] == "." else tuple(found[1].split("/"))
    return XmlWhere(keys, found[2] if found[2] is not None else found[3])
