"""XML as elements that know their lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from pytest_loadtool.errors import FileError

#: How deep elements may be nested: no plan of a person is.
_DEPTH_LIMIT = 400


@dataclass(slots=True)
class XmlElement:
    """An element of XML: its name, attributes, children, text and the line it begins on."""

    name: str
    attributes: dict[str, str]
    line: int
    children: list[XmlElement] = field(default_factory=list)
    text: str = ""

    def named(self, name: str) -> Iterator[XmlElement]:
        """Yield the children of this name."""
        return (one for one in self.children if one.name == name)


def read_xml(text: str, path: str) -> XmlElement:
    """Return the root of a document.

    Raises:
        FileError: it is no XML, declares entities, or is nested too deeply.
    """
    parser = expat.ParserCreate()
    top = XmlElement("", {}, 0)
    stack = [top]

    def start(name: str, attributes: dict[str, str]) -> None:
        one = XmlElement(name, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(one)
        stack.append(one)
        if len(stack) > _DEPTH_LIMIT:
            raise FileError(path, one.line, "", "elements are nested too deeply")

    def end(_name: str) -> None:
        stack.pop()

    def characters(found: str) -> None:
        stack[-1].text += found

    def entity(*_: object) -> None:
        raise FileError(path, parser.CurrentLineNumber, "", "it declares entities: not read")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = characters, entity
    parser.buffer_text = True
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        what = expat.errors.messages.get(error.code, "") or str(error)
        raise FileError(path, error.lineno, "", f"not valid XML: {what}") from None
    return top.children[0]
