"""Text with placeholders: ``csrf=${csrf_token[1]}&user=${users.username}``.

``${name}`` stands for a value, ``$${`` for a literal ``${``. A name is one of

* ``server`` and ``host``: the base URL that the test case is replayed against, and its
  ``host:port``;
* ``dataset.column``: a column of the row that the virtual user holds;
* ``variable`` or ``variable[N]``: a user variable, set by an extractor or with a constant.

``${name|filter|filter}`` passes the value through filters (`filters.FILTERS`) from left to right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from pytest_loadtool.model.filters import FILTERS

__all__ = [
    "BUILTIN_NAMES",
    "Reference",
    "Template",
    "TemplateError",
    "UnknownFilterError",
    "escape",
]

BUILTIN_NAMES = frozenset({"server", "host"})

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(?:\[[1-9][0-9]*\]|\.[A-Za-z0-9_-]+)?")
_TOKEN = re.compile(r"\$\$\{|\$\{([^}]*)(\}?)")


class TemplateError(ValueError):
    """A placeholder is malformed. The text says which and why."""


class UnknownFilterError(TemplateError):
    """There is no filter called ``name``."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no filter {name!r}: expected one of {', '.join(FILTERS)}")
        self.name = name


@dataclass(frozen=True, slots=True)
class Reference:
    """A placeholder: its name and the filters that the value passes, in order."""

    name: str
    filters: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The placeholder as written: ``${name|filter}``."""
        return f"${{{'|'.join((self.name, *self.filters))}}}"

    @property
    def dataset(self) -> str | None:
        """The dataset that the name points into, or None."""
        head, dot, _ = self.name.partition(".")
        return head if dot else None


@dataclass(frozen=True, slots=True)
class Template:
    """Parsed text: literal strings and references in order. Adjacent literals are joined."""

    parts: tuple[str | Reference, ...]

    @staticmethod
    def parse(text: str) -> Template:
        """Parse ``text``.

        Raises:
            TemplateError: a placeholder is not closed or its name is malformed.
        """
        return _parse(text)

    @property
    def references(self) -> tuple[Reference, ...]:
        """The references in order, repeats included."""
        return tuple(part for part in self.parts if isinstance(part, Reference))

    @property
    def literal(self) -> str | None:
        """The whole text if it holds no reference, else None."""
        if not self.parts:
            return ""
        first = self.parts[0]
        return first if len(self.parts) == 1 and isinstance(first, str) else None


def escape(text: str) -> str:
    """Text whose every ``${`` is written ``$${``, so that it parses to itself."""
    return text.replace("${", "$${")


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
        if not _NAME.fullmatch(name):
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
