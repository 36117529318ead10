"""The objects of a HAR entry, read so that a bad member costs no more than itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


class EntryError(ValueError):
    """An entry of which nothing can be kept: ``key`` is the dotted key inside of it."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True, slots=True)
class HarTable:
    """An object of an entry. ``key`` is its dotted key there, and ``lost`` gets a line for each of
    its members, and of those below, that is not as HAR has it."""

    members: Mapping[str, Any]
    key: str = ""
    lost: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, entry: Any) -> HarTable:
        """Return an entry.

        Raises:
            EntryError: it is no object.
        """
        if not isinstance(entry, dict):
            raise EntryError("", "expected an object")
        return cls(entry)

    def needed(self, name: str, kind: type | tuple[type, ...]) -> Any:
        """Return a member without which nothing is left of the entry.

        Raises:
            EntryError: it is missing, or of another type.
        """
        found = self.members.get(name)
        if not _fits(found, kind):
            raise EntryError(self._path(name), "missing" if found is None else _unexpected(found))
        return found

    def get(self, name: str, kind: type | tuple[type, ...], default: Any) -> Any:
        """Return a member; ``default`` if it is missing, null or of another type."""
        found = self.members.get(name)
        if found is None:
            return default
        if not _fits(found, kind):
            self.drop(name, _unexpected(found))
            return default
        return found

    def table(self, name: str) -> HarTable:
        """Return the object under ``name``; an empty one if there is none."""
        return HarTable(self.get(name, dict, {}), self._path(name), self.lost)

    def needed_table(self, name: str) -> HarTable:
        """Return the object under ``name``.

        Raises:
            EntryError: as `needed`.
        """
        return HarTable(self.needed(name, dict), self._path(name), self.lost)

    def tables(self, name: str) -> Iterator[HarTable]:
        """Yield the objects of the array under ``name``."""
        for index, one in enumerate(self.get(name, list, [])):
            if isinstance(one, dict):
                yield HarTable(one, self._path(f"{name}[{index}]"), self.lost)
            else:
                self.drop(f"{name}[{index}]", _unexpected(one))

    def drop(self, name: str, message: str) -> None:
        """Note that the member is left out, and why."""
        line = f"{self._path(name)}: {message}"
        if line not in self.lost:
            self.lost.append(line)

    def _path(self, name: str) -> str:
        return f"{self.key}.{name}" if self.key else name


def _fits(found: Any, kind: type | tuple[type, ...]) -> bool:
    return isinstance(found, kind) and not isinstance(found, bool)


def _unexpected(found: Any) -> str:
    return f"unexpected value {found!r}"[:80]
