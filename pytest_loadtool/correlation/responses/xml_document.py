"""An XML document as JSON would say it: so rows of both are found by the same means."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import singular
from pytest_loadtool.extraction.xmlpath import xml_root, xml_text

#: The key of the text of an element that has attributes, too.
OWN_TEXT = "."


@lru_cache(maxsize=2)
def xml_document(text: str) -> Any:
    """Return each element as an object with its attributes (``@id``) and children; what is there
    several times, or alone in what is called after several (``Orders``), as a list of them.

    It is not to be changed: the next who asks gets it, too.

    Raises:
        ValueError: it is no XML, declares entities or is nested too deeply.
    """
    root = xml_root(text)
    try:
        return {_local(root.tag): _value(root)}
    except RecursionError:
        raise ValueError("the XML is nested too deeply") from None


def _value(element: Element) -> Any:
    item: dict[str, Any] = {f"@{_local(key)}": one for key, one in element.items()}
    if not len(element):
        text = xml_text(element)
        return {**item, OWN_TEXT: text} if item else text
    groups: dict[str, list[Any]] = {}
    for child in element:
        groups.setdefault(_local(child.tag), []).append(_value(child))
    for name, group in groups.items():
        listed = len(group) > 1 or (len(groups) == 1 and _holds_many(_local(element.tag), name))
        item[name] = group if listed else group[0]
    return item


def _holds_many(container: str, name: str) -> bool:
    """Return whether an element is called after many of its child: ``Orders``, ``ArrayOfOrder``."""
    one = plain(name).split()[-1:]
    words = plain(container).split()
    several = any(singular(word).split() == one != [word] for word in words)
    array = bool({"array", "list"}.intersection(words)) and {*one} <= {*words}
    return several or (array and singular(name).split()[-1:] == one)


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def format_xml_path(steps: tuple[str | int, ...]) -> str:
    """Return the path that leads there, from the root."""
    named = (step for step in steps if step != OWN_TEXT)
    return "".join(f"[{one + 1}]" if isinstance(one, int) else f"/{one}" for one in named)


@lru_cache(maxsize=2)
def _elements(text: str) -> Counter[str]:
    """Return how many elements there are of each name."""
    return Counter(_local(one.tag) for one in xml_root(text).iter())


def from_list(path: str, steps: tuple[str | int, ...], text: str) -> str:
    """Return a path that begins with those steps, from the first list in it on:
    ``//Order[2]/OrderId``; the whole path if the document has such elements elsewhere, too."""
    at = next(at for at, step in enumerate(steps) if isinstance(step, int))
    rest = path.removeprefix(format_xml_path(steps[: at - 1]))
    count = _elements(text)[str(steps[at - 1])]
    siblings: Any = xml_document(text)
    for step in steps[:at]:
        siblings = siblings[step]
    return f"/{rest}" if count == len(siblings) else path
