"""Formats: bytes with holes, and what fills them, from templates.

What does not change is prepared once; a hole is filled with a user's value, encoded for the place
it lands in, or with the content of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.places import encode
from pytest_loadtool.codec.template import Template
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.place import Place

_Encoder = Callable[[str], bytes]

#: Literal text, and the slots of the values between, with their filters if they have some.
Pieces = tuple[str | int | tuple[int, tuple[str, ...]], ...]


#: What begins the names of slots for what no placeholder can name.
_UNNAMED = "\0"


@dataclass(slots=True)
class VariableNames:
    """The meanings of placeholders: constants and files, known at compile time, and slots for the
    others."""

    constants: Mapping[str, str] = field(repr=False)
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    slots: dict[str, int] = field(default_factory=dict)

    def slot(self, name: str) -> int:
        """Return the slot of a variable or dataset column; a new one if it has none yet."""
        return self.slots.setdefault(name, len(self.slots))

    def unnamed(self, index: int) -> int:
        """Return the slot of what is kept of the answer to a transaction, which no placeholder
        names."""
        return self.slot(f"{_UNNAMED}{index}")

    @property
    def named(self) -> dict[str, int]:
        """Return the slots that placeholders name."""
        return {name: at for name, at in self.slots.items() if not name.startswith(_UNNAMED)}


def pieces(template: Template, names: VariableNames) -> str | Pieces:
    """Return the text of a template, or else its parts: values are filtered, and encoded for no
    place."""
    found: list[str | int | tuple[int, tuple[str, ...]]] = []
    for part in template.parts:
        if isinstance(part, str):
            found.append(part)
        elif (constant := names.constants.get(part.name)) is not None:
            found.append(filtered(constant, part.filters))
        elif part.filters:
            found.append((names.slot(part.name), part.filters))
        else:
            found.append(names.slot(part.name))
    if all(isinstance(part, str) for part in found):
        return "".join(str(part) for part in found)
    return tuple(found)


def joined(found: str | Pieces, values: Sequence[str]) -> str:
    """Return the text that these pieces are with a user's values."""
    if isinstance(found, str):
        return found
    return "".join([_piece(one, values) for one in found])


def _piece(one: str | int | tuple[int, tuple[str, ...]], values: Sequence[str]) -> str:
    if isinstance(one, str):
        return one
    return values[one] if isinstance(one, int) else filtered(values[one[0]], one[1])


@dataclass(slots=True)
class Format:
    """A bytes ``%`` format under construction, and what fills its holes."""

    text: bytes = b""
    holes: list[tuple[int, _Encoder]] = field(default_factory=list)

    def add(self, literal: bytes) -> None:
        """Append bytes that stay as they are."""
        self.text += literal.replace(b"%", b"%%")

    def add_hole(self, slot: int, encoder: _Encoder) -> None:
        """Append a hole for what ``encoder`` makes of the value in that slot."""
        self.text += b"%b"
        self.holes.append((slot, encoder))

    def add_template(
        self,
        template: Template,
        places: Iterable[Place],
        names: VariableNames,
        charset: str = "utf-8",
    ) -> None:
        """Append literals, constants and holes, encoded for their places, in that charset.

        Raises:
            ReplayError: the content of a file is not known.
        """
        upcoming = iter(places)
        for part in template.parts:
            if isinstance(part, str):
                self.add(_bytes(part, charset))
                continue
            place = next(upcoming)
            if part.file is not None:
                self.add_hole(names.slot(part.name), _content(names.files, part.file))
                continue
            encoder = _encoder(place, part.filters, charset)
            constant = names.constants.get(part.name)
            if constant is None:
                self.add_hole(names.slot(part.name), encoder)
            else:
                self.add(encoder(constant))


def _content(files: Mapping[str, bytes], path: str) -> _Encoder:
    """Return what fills the hole of a file: one object for all users, whatever the value."""
    content = files.get(path)
    if content is None:
        raise ReplayError(f"the file {path} was not read")
    return lambda _value: content


@lru_cache(maxsize=64)
def _encoder(place: Place, filters: tuple[str, ...], charset: str) -> _Encoder:
    """Return the filters, then the encoders of a place and a charset. Values repeat (a token is in
    many requests), so results are kept."""

    @lru_cache(maxsize=4096)
    def encoder(value: str) -> bytes:
        return _bytes(encode(place, filtered(value, filters)), charset)

    return encoder


def _bytes(text: str, charset: str) -> bytes:
    """Return the text in that charset. What that has not is written as browsers write it in forms;
    what is no character, a lone surrogate, becomes a question mark, as in `codec.filters`."""
    errors = "replace" if charset == "utf-8" else "xmlcharrefreplace"
    return text.encode(charset, errors)
