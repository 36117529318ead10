"""From what ``tomllib`` gives to typed values, by tables of keys.

A converter takes a `Node` and gives the value it stands for. When the value is wrong it notes a
problem and raises `Rejected`; the table or array around it goes on with the next one and is
rejected at its end. So one reading finds every error of shape.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from pytest_loadtool.casefile.toml.diagnostics import Problems, syntax_error
from pytest_loadtool.casefile.toml.positions import KeyPath, scan
from pytest_loadtool.casefile.toml.shape import shaped, takes
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.errors import FileError
from pytest_loadtool.extensions import is_extension

#: The version of our formats that this code reads and writes.
FORMAT = 1

T = TypeVar("T")


class Rejected(Exception):  # noqa: N818 - never reaches a user: the problem is already noted
    """A value is wrong, and its problem is noted."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the document and where it stands."""

    value: object
    at: KeyPath
    problems: Problems

    def child(self, part: str | int, value: object) -> Node:
        """Return what stands under a key or index of this value."""
        return Node(value, (*self.at, part), self.problems)

    def wrong(self, message: str) -> Rejected:
        """Note ``message`` as a problem of this value; what is returned is to be raised."""
        self.problems.add(self.at, message)
        return Rejected()

    def expected(self, what: str) -> Rejected:
        """Note that this value has the wrong type; what is returned is to be raised."""
        return self.wrong(f"expected {what}, got {_described(self.value)}")


Convert = Callable[[Node], T]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table: how its value is read; ``example`` is set if it must be there, which it
    need not when one of the keys ``unless`` is, or where the table is not one that it is ``needed``
    in (None: it is in all)."""

    convert: Convert[Any]
    example: str = ""
    unless: tuple[str, ...] = ()
    needed: Callable[[Mapping[str, object]], bool] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The keys of a kind of table. ``elsewhere`` says of other keys where they belong. ``open_to``
    is a kind of extensions, whose names are keys with a text, too."""

    title: str
    keys: Mapping[str, Key]
    elsewhere: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    open_to: str = ""

    def read(self, node: Node) -> dict[str, Any]:
        """Return the values of those keys that are there.

        Raises:
            Rejected: something in the table is wrong.
        """
        if not isinstance(node.value, dict):
            raise node.expected("a table")
        good = True
        found: dict[str, Any] = {}
        for name, value in node.value.items():
            key = self.keys.get(name)
            try:
                if key is None and self.open_to and is_extension(self.open_to, name):
                    key = Key(text)
                if key is None:
                    raise node.child(name, value).wrong(self._unknown(name))
                found[name] = key.convert(node.child(name, value))
            except Rejected:
                good = False
        for name, key in self.keys.items():
            there = node.value.keys() & {name, *key.unless}
            needed = key.needed is None or key.needed(node.value)
            if key.example and needed and not there:
                node.problems.add((*node.at, name), f"missing: write {key.example}")
                good = False
        if not good:
            raise Rejected
        return found

    def added(self, found: Mapping[str, Any]) -> list[str]:
        """Return the keys that extensions have."""
        return [name for name in found if name not in self.keys]

    def _unknown(self, name: str) -> str:
        if name in self.elsewhere:
            return f"{self.title} has no such key: {name!r} belongs {self.elsewhere[name]}"
        near = did_you_mean(name, self.keys) or f": expected one of {', '.join(self.keys)}"
        return f"unknown key {name!r} in {self.title}{near}"


def document(source: str, path: str, table: Table) -> tuple[dict[str, Any], Problems]:
    """Return the values of a whole file. Its format is looked at first: another one may mean
    anything.

    Raises:
        FileError: it is not TOML, of a newer format, or something in it is wrong.
    """
    try:
        data = tomllib.loads(source)
    except (ValueError, RecursionError) as error:
        raise syntax_error(source, path, error) from None
    problems = Problems(path, scan(source))
    root = Node(data, (), problems)
    try:
        if "format" in data:
            _check_format(root.child("format", data["format"]))
        found = table.read(root)
    except Rejected:
        problems.raise_any()
        raise AssertionError("a rejected value has a problem") from None
    return found, problems


def _check_format(node: Node) -> None:
    version = integer(node)
    if version > FORMAT:
        raise node.wrong(
            f"format {version} was made by a newer pytest-loadtool: upgrade it "
            f"(this one reads format {FORMAT})"
        )
    if version < FORMAT:
        raise node.wrong(f"there is no format {version}: write format = {FORMAT}")


@takes("string")
def text(node: Node, unit: str = "") -> str:
    """Return the text, whatever it says. ``unit`` is what a bare number most likely lacks besides
    its quotes."""
    if not isinstance(node.value, str):
        hint = ""
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            hint = f': write "{node.value}{unit}"'
        raise node.wrong(f"expected text in quotes, got {_described(node.value)}{hint}")
    return node.value


@takes("string", minLength=1)
def filled(node: Node) -> str:
    """Return text that is not empty."""
    value = text(node)
    if not value:
        raise node.wrong("must not be empty")
    return value


def parsed(parse: Callable[[str], T], unit: str = "") -> Convert[T]:
    """Return text that ``parse`` turns into something, or refuses with `ValueError`."""

    @takes("string")
    def convert(node: Node) -> T:
        try:
            return parse(text(node, unit))
        except ValueError as error:
            raise node.wrong(str(error)) from None

    return convert


def one_of(*names: str) -> Convert[str]:
    """Return one of these texts."""

    @takes(enum=names)
    def read(node: Node) -> str:
        if node.value not in names:
            raise node.expected(" or ".join(f'"{name}"' for name in names))
        return str(node.value)

    return read


@takes("boolean")
def boolean(node: Node) -> bool:
    """Return the value, which has to be ``true`` or ``false``."""
    if not isinstance(node.value, bool):
        raise node.expected("true or false")
    return node.value


@takes("integer")
def integer(node: Node) -> int:
    """Return a whole number."""
    if not isinstance(node.value, int) or isinstance(node.value, bool):
        raise node.expected("a whole number")
    return node.value


def at_least(least: int) -> Convert[int]:
    """Return a whole number, not smaller than ``least``."""

    @takes("integer", minimum=least)
    def convert(node: Node) -> int:
        value = integer(node)
        if value < least:
            raise node.wrong(f"must be at least {least}, got {value}")
        return value

    return convert


@takes("number", minimum=0)
def number(node: Node) -> float:
    """Return a finite number that is not negative."""
    if not isinstance(node.value, int | float) or isinstance(node.value, bool):
        raise node.expected("a number")
    value = float(node.value)
    if not 0 <= value < float("inf"):
        raise node.expected("a number that is not negative")
    return value


def array(convert: Convert[T]) -> Convert[tuple[T, ...]]:
    """Return an array whose elements ``convert`` reads."""

    @shaped(lambda describe: {"type": "array", "items": describe(convert)})
    def read(node: Node) -> tuple[T, ...]:
        if not isinstance(node.value, list):
            raise node.expected("an array")
        result: list[T] = []
        for index, value in enumerate(node.value):
            try:
                result.append(convert(node.child(index, value)))
            except Rejected:
                continue
        if len(result) < len(node.value):
            raise Rejected
        return tuple(result)

    return read


def tables(convert: Convert[T], header: str) -> Convert[tuple[T, ...]]:
    """Return an array of tables, not empty, which the user writes as ``[[header]]``."""
    read_all = array(convert)

    @shaped(lambda describe: {"type": "array", "items": describe(convert), "minItems": 1})
    def read(node: Node) -> tuple[T, ...]:
        if isinstance(node.value, dict):
            raise node.wrong(f"write [[{header}]] with two brackets: there can be several")
        if node.value == []:
            raise node.wrong(f"must not be empty: write at least one [[{header}]]")
        return read_all(node)

    return read


def named(parse: Callable[[str], str], convert: Convert[T]) -> Convert[dict[str, T]]:
    """Return a table whose keys the user chooses; ``parse`` refuses bad ones with `ValueError`."""

    @shaped(lambda describe: {"type": "object", "additionalProperties": describe(convert)})
    def read(node: Node) -> dict[str, T]:
        if not isinstance(node.value, dict):
            raise node.expected("a table")
        result: dict[str, T] = {}
        for name, value in node.value.items():
            child = node.child(name, value)
            try:
                result[_name(parse, name, child)] = convert(child)
            except Rejected:
                continue
        if len(result) < len(node.value):
            raise Rejected
        return result

    return read


def _name(parse: Callable[[str], str], name: str, node: Node) -> str:
    try:
        return parse(name)
    except ValueError as error:
        raise node.wrong(str(error)) from None


_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "{}"),
    (str, "the text {!r}"),
    (int, "the number {}"),
    (float, "the number {}"),
    (list, "an array"),
    (dict, "a table"),
)


def _described(value: object) -> str:
    for known, words in _TYPES:
        if isinstance(value, known):
            described = words.format(value)
            return described.lower() if known is bool else described[:60]
    return f"the date or time {value}"


def read_alone(read: Callable[[Node], T], table: Mapping[str, Any], at: KeyPath = ()) -> T:
    """Return what ``read`` makes of a table that stands in no file; ``at`` is where it would.

    Raises:
        ValueError: it is wrong; the text says why.
    """
    problems = Problems("", scan(""))
    try:
        return read(Node(dict(table), at, problems))
    except Rejected:
        pass
    try:
        problems.raise_any()
    except FileError as error:
        key = f"{error.key}: " if error.key else ""
        raise ValueError(f"{key}{error.message.partition(chr(10))[0]}") from None
    raise AssertionError("a rejected table has a problem")


def only_of(node: Node, found: Mapping[str, Any], known: Iterable[str]) -> str:
    """Return the one of the known keys that is there.

    Raises:
        Rejected: there is none, or there are several.
    """
    present = [name for name in known if name in found]
    if len(present) == 1:
        return present[0]
    got = " and ".join(repr(name) for name in present) or "none"
    raise node.wrong(f"expected one of {', '.join(known)}; got {got}")
