"""Extractors: how a value is taken from a response into a user variable.

Paths, patterns, boundaries and the names of form fields and cookies are templates: what a
placeholder stands for is sought as text, whatever it means to the language around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path from the root of a JSON body: ``$.items[0].id``; ``*`` takes the first match.

    Placeholders stand in quotes, or alone behind ``==``: ``$.items[?(@.name=="${name}")].id``.
    """

    path: str

    def __str__(self) -> str:
        return f"JSON path {self.path}"


@dataclass(frozen=True, slots=True)
class XmlPath:
    """A path into an XML body: ``//Order[Customer="Tea"]/OrderId``; see `model.xml_path`.

    Placeholders stand in its quotes.
    """

    path: str

    def __str__(self) -> str:
        return f"XML path {self.path}"


@dataclass(frozen=True, slots=True)
class Boundary:
    """The shortest text between ``left`` and ``right``."""

    left: str
    right: str

    def __str__(self) -> str:
        return f"boundary {self.left!r} … {self.right!r}"


@dataclass(frozen=True, slots=True)
class RegularExpression:
    """Group 1 of the first match in the decoded body, or the whole match without a group."""

    pattern: str

    def __str__(self) -> str:
        return f"regular expression {self.pattern!r}"


@dataclass(frozen=True, slots=True)
class FormField:
    """The value of the first HTML form control of that name (or ``<meta name>`` content).

    ``split`` is for a ViewState that ASP.NET spreads over several fields (``__VIEWSTATE``,
    ``__VIEWSTATE1``, …): it is how many of them the request sends. The page may have another
    number: the last one of the request takes what is left, those that are not there are empty.
    With an ``action``, it is a field of a form that submits to such an address.
    """

    name: str
    split: int = 0
    action: str = ""

    def __str__(self) -> str:
        form = f" of the form to {self.action}" if self.action else ""
        return f"form field {self.name!r}{form}" + (f" of {self.split}" if self.split else "")


@dataclass(frozen=True, slots=True)
class Link:
    """The value at ``*`` in an address of an HTML page: ``/orders/*/edit``; ``...`` is any text.

    With a ``label``, it is a link that a person reads as that.
    """

    address: str
    label: str = ""

    def __str__(self) -> str:
        return f"link {self.address}" + (f" called {self.label!r}" if self.label else "")


@dataclass(frozen=True, slots=True)
class Choice:
    """The value that an option, check box or radio button of that form field submits, by its
    ``label``."""

    name: str
    label: str

    def __str__(self) -> str:
        return f"choice {self.label!r} of {self.name!r}"


@dataclass(frozen=True, slots=True)
class InItem:
    """The value that ``source`` takes in the item of a list that has an element with exactly that
    ``text``.

    An item is a ``tr``, ``li`` or ``article``, or what ``item`` says: ``div.card``; or the call of
    a script that has the text in quotes, ``add_row()``.
    """

    source: Source
    text: str
    item: str = ""

    def __str__(self) -> str:
        return f"{self.source} in the {self.item or 'item'} of {self.text!r}"


@dataclass(frozen=True, slots=True)
class HeaderValue:
    """A response header; with a pattern, group 1 of its first match in the header's value."""

    name: str
    pattern: str | None = None

    def __str__(self) -> str:
        return f"header {self.name}" + (f" matching {self.pattern!r}" if self.pattern else "")


@dataclass(frozen=True, slots=True)
class CookieValue:
    """The value of a cookie that this response sets."""

    name: str

    def __str__(self) -> str:
        return f"cookie {self.name!r}"


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text that ``outer`` takes, decoded; of that, what ``inner`` takes, its ``match``-th one.

    ``decode`` names `DECODINGS`, from left to right. Without ``inner`` it is all of the text.
    """

    outer: Source
    decode: tuple[str, ...]
    inner: Source | None = None
    match: int = 1

    def __str__(self) -> str:
        ways = f", decoded as {' and '.join(self.decode)}" if self.decode else ""
        if self.inner is None:
            return f"{self.outer}{ways}"
        which = f", match {self.match}," if self.match > 1 else ""
        return f"{self.inner}{which} in {self.outer}{ways}"


@dataclass(frozen=True, slots=True)
class ExtensionSource:
    """The value that an extension takes: its name, and what it is told."""

    kind: str
    argument: str

    def __str__(self) -> str:
        return f"{self.kind} {self.argument!r}"


Source = (
    JsonPath
    | XmlPath
    | Boundary
    | RegularExpression
    | FormField
    | Link
    | Choice
    | HeaderValue
    | CookieValue
    | InItem
    | Decoded
    | ExtensionSource
)


@dataclass(frozen=True, slots=True)
class SourceKind:
    """How a kind of source is written: by key of an extractor's table, the field that it is, or
    those that an array of texts is. The first key says which kind it is; others are left out where
    they say nothing.

    ``templates`` are the fields in which placeholders may stand. A kind ``of_text`` reads any text,
    the others a response only.
    """

    make: Callable[..., Source]
    keys: Mapping[str, str | tuple[str, ...]]
    templates: tuple[str, ...] = ()
    of_text: bool = True

    @property
    def key(self) -> str:
        """The key that says that it is this kind."""
        return next(iter(self.keys))


#: The kinds of sources that a test case names by a key. Whoever reads, writes or fills in sources
#: goes by this table; what takes them from a response is `extraction.extract`.
SOURCE_KINDS: Mapping[type, SourceKind] = MappingProxyType(
    {
        JsonPath: SourceKind(JsonPath, {"json": "path"}, ("path",)),
        XmlPath: SourceKind(XmlPath, {"xml": "path"}, ("path",)),
        FormField: SourceKind(
            FormField, {"form": "name", "split": "split", "action": "action"}, ("name", "action")
        ),
        Link: SourceKind(Link, {"link": "address", "label": "label"}, ("address", "label")),
        Choice: SourceKind(Choice, {"choice": "name", "label": "label"}, ("name", "label")),
        CookieValue: SourceKind(CookieValue, {"cookie": "name"}, ("name",), of_text=False),
        HeaderValue: SourceKind(
            HeaderValue, {"header": "name", "pattern": "pattern"}, ("pattern",), of_text=False
        ),
        RegularExpression: SourceKind(RegularExpression, {"regex": "pattern"}, ("pattern",)),
        Boundary: SourceKind(Boundary, {"boundary": ("left", "right")}, ("left", "right")),
    }
)


def template_fields(source: Source) -> tuple[str, ...]:
    """Return the fields of a source in which placeholders may stand, besides those of its parts."""
    if (kind := SOURCE_KINDS.get(type(source))) is not None:
        return kind.templates
    return ("text",) if isinstance(source, InItem) else ()


def source_texts(source: Source) -> tuple[str, ...]:
    """Return the texts of a source that hold placeholders or their escape; most have none."""
    return tuple(text for text in source_templates(source) if "${" in text)


def source_templates(source: Source) -> tuple[str, ...]:
    """Return all texts of a source in which placeholders may stand."""
    within = tuple(text for one in parts_of(source).values() for text in source_templates(one))
    texts = (getattr(source, name) for name in template_fields(source))
    return (*within, *(text for text in texts if text))


def with_texts(source: Source, write: Callable[[str], str]) -> Source:
    """Return ``source`` with what ``write`` makes of each of its texts."""
    made: dict[str, Any] = {name: with_texts(one, write) for name, one in parts_of(source).items()}
    texts = {name: getattr(source, name) for name in template_fields(source)}
    made |= {name: write(text) for name, text in texts.items() if text}
    return replace(source, **made) if made else source


def parts_of(source: Source) -> dict[str, Source]:
    """Return the sources that a source is made of, by field."""
    if isinstance(source, InItem):
        return {"source": source.source}
    if isinstance(source, Decoded):
        return {"outer": source.outer, **({"inner": source.inner} if source.inner else {})}
    return {}


@dataclass(frozen=True, slots=True)
class Extractor:
    """Takes a value from the response of its transaction into ``variable``.

    ``match`` counts from 1: which of several matches is taken. ``by_place``: of the rows of a list
    it is the one that stood there when recorded, as nothing tells it from the others. ``line`` is
    that of the file, 0 without one.
    """

    variable: str
    source: Source
    match: int = 1
    by_place: bool = False
    line: int = field(default=0, compare=False)
