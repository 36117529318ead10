"""XML paths, compiled: a walk over the elements that the standard library's parser makes.

It is total: what is not well-formed has no values, and a document that declares entities is not
read, since a few lines of them may stand for gigabytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final
from xml.etree.ElementTree import Element, ParseError, fromstring

from pytest_loadtool.codec.template import Template
from pytest_loadtool.extraction.jsonpath import Fill
from pytest_loadtool.model.xml_path import XmlStep, XmlWhere, xml_steps

#: The longest document that is kept read, in characters.
_LONGEST_KEPT: Final = 1 << 18
#: What may stand before a document in a body, which the parser takes for an error.
_BEFORE: Final = "\ufeff \t\r\n"


def xml_root(text: str) -> Element:
    """Return the root element of a document. It is not to be changed: the next who asks gets it,
    too.

    Raises:
        ValueError: it is not well-formed, or declares entities.
    """
    return _kept(text) if len(text) <= _LONGEST_KEPT else _read(text)


@lru_cache(maxsize=2)
def _kept(text: str) -> Element:
    """Return the document, kept for the next: several extractors of one response ask one after the
    other."""
    return _read(text)


def _read(text: str) -> Element:
    if "<!ENTITY" in text:
        raise ValueError("it declares entities")
    try:
        return fromstring(text.lstrip(_BEFORE))  # noqa: S314 - without entities it is as JSON
    except ParseError as error:
        raise ValueError(str(error)) from None


def xml_text(element: Element) -> str:
    """Return all text in an element, without the space around it."""
    if len(element):
        return "".join(element.itertext()).strip()
    return (element.text or "").strip()


def compile_xml_path(path: str, match: int) -> Callable[[str], str | None]:
    """Return a function from a document to the text of the ``match``-th (from 1) element or
    attribute.

    Raises:
        ValueError: ``path`` is not an XML path.
    """
    anywhere, steps = xml_steps(path)
    return lambda text: _nth(text, anywhere, steps, match)


def bind_xml_path(
    path: str, match: int, fills: Callable[[Template], Fill]
) -> Callable[[str, Sequence[str]], str | None]:
    """Compile a path with placeholders as `compile_xml_path` does one without: the function takes a
    user's values, too.

    Raises:
        ValueError: ``path`` is not an XML path, or a placeholder stands elsewhere than in quotes.
    """
    find = bind_xml_values(path, fills)
    return lambda text, values: next(islice(find(text, values), match - 1, None), None)


def bind_xml_values(
    path: str, fills: Callable[[Template], Fill]
) -> Callable[[str, Sequence[str]], Iterator[str]]:
    """Return a function from a document and a user's values to the texts of all that a path leads
    to.

    Raises:
        ValueError: as `bind_xml_path`.
    """
    anywhere, steps = xml_steps(path)
    made = [[fills(Template.parse(one.text)) for one in step.wheres] for step in steps]

    def get(text: str, values: Sequence[str]) -> Iterator[str]:
        filled: list[XmlStep] = []
        for step, texts in zip(steps, made, strict=True):
            wheres = [
                XmlWhere(one.keys, fill(values))
                for one, fill in zip(step.wheres, texts, strict=True)
            ]
            filled.append(XmlStep(step.name, tuple(wheres), step.index))
        return _found(text, anywhere, tuple(filled))

    return get


def _nth(text: str, anywhere: bool, steps: tuple[XmlStep, ...], match: int) -> str | None:
    return next(islice(_found(text, anywhere, steps), match - 1, None), None)


def _found(text: str, anywhere: bool, steps: tuple[XmlStep, ...]) -> Iterator[str]:
    try:
        root = xml_root(text)
    except ValueError:
        return iter(())
    document = Element("")
    document.append(root)
    parents: Iterable[Element] = document.iter() if anywhere else (document,)
    return _walk(parents, steps)


def _walk(parents: Iterable[Element], steps: tuple[XmlStep, ...]) -> Iterator[str]:
    """Return all matches: of each parent, in document order."""
    found = parents
    for step in steps:
        if step.name.startswith("@"):  # it is the last
            return (one for parent in found for one in _attributes(parent, step.name))
        found = _children(found, step)
    return map(xml_text, found)


def _children(parents: Iterable[Element], step: XmlStep) -> Iterator[Element]:
    """Yield the children that a step leads to."""
    name, index = step.name, step.index
    inner = "}" + name
    for parent in parents:
        seen = 0
        for child in parent:
            tag: str = child.tag
            if tag != name and not tag.endswith(inner) and name != "*":
                continue
            if all(_holds(child, one.keys, one.text) for one in step.wheres):
                seen += 1
                if not index or seen == index:
                    yield child


def _holds(element: Element, keys: tuple[str, ...], text: str) -> bool:
    """Return whether an element has the text where the keys lead."""
    if not keys:
        return xml_text(element) == text
    name, rest = keys[0], keys[1:]
    if name.startswith("@"):
        return any(one == text for one in _attributes(element, name))
    inner = "}" + name
    for child in element:
        tag: str = child.tag
        if (tag == name or tag.endswith(inner)) and _holds(child, rest, text):
            return True
    return False


def _attributes(element: Element, name: str) -> Iterator[str]:
    """Yield the attributes of that local name."""
    own = name[1:]
    for key, value in element.items():
        if key == own or key.endswith("}" + own):
            yield value
