"""Text with placeholders: ``csrf=${csrf_token[1]}&user=${users.username}``.

``${name}`` stands for a value, ``$${`` for a literal ``${``. A name is one of

* ``server`` and ``host``: the base URL that the test case is replayed against, and its
  ``host:port``;
* ``dataset.column``: a column of the row that the virtual user holds;
* ``variable`` or ``variable[N]``: a user variable, set by an extractor or with a constant;
* ``file:path``: the content of a file, in a body.

``${name|filter|filter}`` passes the value through filters (`filters.FILTERS`) from left to right.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pytest_loadtool.codec.filters import FILTERS

BUILTIN_NAMES = frozenset({"server", "host"})

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(?:\[[1-9][0-9]*\]|\.[A-Za-z0-9_-]+)?")
_FILE = "file:"
_PATH = re.compile(r"[^|}\x00-\x1f\x7f]+")
_TOKEN = re.compile(r"\$\$\{|\$\{([^}]*)(\}?)")


class TemplateError(ValueError):
    """A placeholder is malformed. The text says which and why."""


class UnknownFilterError(TemplateError):
    """An error: there is no filter called ``name``."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no filter {name!r}: expected one of {', '.join(FILTERS)}")
        self.name = name


@dataclass(frozen=True, slots=True)
class Reference:
    """A placeholder: its name and the filters that the value passes, in order."""

    name: str
    filters: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the placeholder as written: ``${name|filter}``."""
        return f"${{{'|'.join((self.name, *self.filters))}}}"

    @property
    def dataset(self) -> str | None:
        """The dataset that the name points into, or None."""
        if self.file is not None:
            return None
        head, dot, _ = self.name.partition(".")
        return head if dot else None

    @property
    def file(self) -> str | None:
        """The file that it stands for, by its path from the test case's folder; or None."""
        return self.name.removeprefix(_FILE) if self.name.startswith(_FILE) else None

    @staticmethod
    def to_file(path: str) -> Reference:
        """Return the placeholder of the file at that path, which has no ``|``, ``}`` or line
        break."""
        return Reference(_FILE + path)


@dataclass(frozen=True, slots=True)
class Template:
    """Parsed text: literal strings and references in order. Adjacent literals are joined."""

    parts: tuple[str | Reference, ...]

    @staticmethod
    def parse(text: str) -> Template:
        """Return the template that ``text`` is.

        Raises:
            TemplateError: a placeholder is not closed or its name is malformed.
        """
        return _parse(text)

    @property
    def references(self) -> tuple[Reference, ...]:
        """The references in order, repeats included."""
        return tuple(part for part in self.parts if isinstance(part, Reference))

    def filled(self, value: Callable[[Reference], str]) -> str:
        """Return the text with ``value`` of each reference, in order; its filters are not
        applied."""
        return "".join(part if isinstance(part, str) else value(part) for part in self.parts)

    @property
    def literal(self) -> str | None:
        """The whole text if it holds no reference, else None."""
        if not self.parts:
            return ""
        first = self.parts[0]
        return first if len(self.parts) == 1 and isinstance(first, str) else None


def escape(text: str) -> str:
    """Return text whose every ``${`` is written ``$${``, so that it parses to itself."""
    return text.replace("${", "$${")


def files_of(text: str) -> tuple[str, ...]:
    """Return the paths of the files in the template, in order, repeats included.

    Raises:
        TemplateError: as `Template.parse`.
    """
    if f"${{{_FILE}" not in text:
        return ()
    files = (one.file for one in Template.parse(text).references)
    return tuple(one for one in files if one is not None)


def with_files(text: str, named: Callable[[str], str]) -> str:
    """Return the template with what ``named`` makes of the path of each file in it.

    Raises:
        TemplateError: as `Template.parse`.
    """
    if f"${{{_FILE}" not in text:
        return text
    return rewritten(
        text,
        lambda one: one if one.file is None else Reference(_FILE + named(one.file), one.filters),
    )


def rewritten(text: str, made: Callable[[Reference], Reference]) -> str:
    """Return the template with what ``made`` makes of each placeholder.

    Raises:
        TemplateError: as `Template.parse`.
    """
    return "".join(
        escape(part) if isinstance(part, str) else str(made(part))
        for part in Template.parse(text).parts
    )


@lru_cache(maxsize=4096)
def _parse(text: str) -> Template:
    parts: list[str | Reference] = []
    literal = ""
    position = 0
    for match in _TOKEN.finditer(text):
        literal += text[position : match.start()]
        position = match.end()
        if match[0] == "$${":
            literal += "${"
            continue
        written = match[1]
        name, *filters = written.split("|")
        if not match[2]:
            raise TemplateError(
                f"'${{{written[:40]}' is not closed: write '}}', or '$${{' for a literal '${{'"
            )
        is_file = name.startswith(_FILE)
        if is_file and not _PATH.fullmatch(name, len(_FILE)):
            raise TemplateError(f"'${{{written}}}' names no file: write ${{file:folder/name}}")
        if not (is_file or _NAME.fullmatch(name)):
            raise TemplateError(
                f"'${{{written}}}' is not a placeholder: expected ${{variable}}, ${{variable[1]}} "
                "or ${dataset.column}; write '$${' for a literal '${'"
            )
        for one in filters:
            if one not in FILTERS:
                raise UnknownFilterError(one)
        if literal:
            parts.append(literal)
            literal = ""
        parts.append(Reference(name, tuple(filters)))
    literal += text[position:]
    if literal:
        parts.append(literal)
    return Template(tuple(parts))
