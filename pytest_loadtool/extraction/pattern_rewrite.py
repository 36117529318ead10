"""Regular expressions of Python's `re`, spelled so that the package regex means the same by them.

That one can stop at a time limit, and `re` cannot. It has more syntax (``{e}`` allows for errors),
and its ``\\w``, ``\\s`` and ``(?i)i`` are other characters. So what is spelled is not the text of a
pattern, but what `re` has understood of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from re import ASCII, DOTALL, IGNORECASE, LOCALE, MULTILINE, UNICODE
from types import MappingProxyType
from typing import Any

from pytest_loadtool.extraction.parsed_pattern import Node, op, parsed

__all__ = ["respelled"]

_TYPES = ASCII | LOCALE | UNICODE

#: What stands between brackets for the characters of `str.isdecimal`, `isspace` and `isalnum`, and
#: for those of ASCII.
_CLASSES: Mapping[Any, tuple[str, str]] = MappingProxyType(
    {
        op.CATEGORY_DIGIT: (r"\p{Nd}", "0-9"),
        op.CATEGORY_SPACE: (r"\s\x1C-\x1F", r"\t-\r\x20"),
        op.CATEGORY_WORD: (r"\p{L}\p{N}_", "0-9A-Za-z_"),
    }
)
_OTHERS: Mapping[Any, Any] = MappingProxyType(
    {
        op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
        op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
        op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
    }
)
#: The letters that are one to `re` when case does not count.
_ONE_LETTER = "iIıİ"  # noqa: RUF001  the letters that are meant


def respelled(pattern: str) -> str:
    """Return the pattern for the package regex. Groups keep their numbers, and lose their names.

    Raises:
        re.error: it is no regular expression.
    """
    tree = parsed(pattern)
    return _in_case(_sequence(tree, tree.state.flags), 0, tree.state.flags)


def _sequence(nodes: Iterable[Node], flags: int) -> str:
    return "".join([_SPELLED[code](value, flags) for code, value in nodes])


def _folds(flags: int) -> bool:
    """Return whether regex is to ignore case. For ASCII alone it cannot: see `_set`."""
    return bool(flags & IGNORECASE) and not flags & ASCII


def _in_case(text: str, outer: int, flags: int) -> str:
    if _folds(outer) == _folds(flags):
        return f"(?:{text})"
    return f"(?i:{text})" if _folds(flags) else f"(?-i:{text})"


def _character(code: int) -> str:
    one = chr(code)
    return one if one.isascii() and one.isalnum() else f"\\U{code:08X}"


def _literal(code: int, flags: int) -> str:
    if flags & IGNORECASE and (flags & ASCII or chr(code) in _ONE_LETTER):
        return _set([(op.LITERAL, code)], flags)
    return _character(code)


def _set(members: Iterable[Node], flags: int) -> str:
    """Return a set, in which negated classes among others become alternatives: within brackets they
    cannot be negated."""
    negated, plain, classes = False, "", []
    for code, value in members:
        if code is op.NEGATE:
            negated = True
        elif code is op.CATEGORY:
            if value in _OTHERS:
                classes.append(_CLASSES[_OTHERS[value]][bool(flags & ASCII)])
            else:
                plain += _CLASSES[value][bool(flags & ASCII)]
        else:
            low, high = value if code is op.RANGE else (value, value)
            plain += f"{_character(low)}-{_character(high)}"
            if flags & IGNORECASE:
                plain += _other_case(low, high, flags)
    if not classes:
        return f"[{'^' if negated else ''}{plain}]"
    either = "|".join([*([f"[{plain}]"] if plain else []), *(f"[^{one}]" for one in classes)])
    return f"(?!{either})(?s:.)" if negated else f"(?:{either})"


def _other_case(low: int, high: int, flags: int) -> str:
    """Return what regex does not add by itself to characters of a set where case does not count."""
    if flags & ASCII:
        letters = (chr(code) for code in range(low, min(high, 127) + 1))
        return "".join(one.swapcase() for one in letters if one.isalpha())
    return _ONE_LETTER if any(low <= ord(one) <= high for one in _ONE_LETTER) else ""


def _repeat(value: tuple[int, Any, Iterable[Node]], flags: int, how: str) -> str:
    least, most, nodes = value
    end = "" if most is op.MAXREPEAT else most
    return f"(?:{_sequence(nodes, flags)}){{{least},{end}}}{how}"


def _group(value: tuple[int | None, int, int, Iterable[Node]], flags: int) -> str:
    number, added, taken, nodes = value
    kept = flags & ~_TYPES if added & _TYPES else flags
    inner = (kept | added) & ~taken
    text = _in_case(_sequence(nodes, inner), flags, inner)
    return text if number is None else f"({text})"


def _look(sign: str) -> Callable[[Any, int], str]:
    def spell(value: tuple[int, Iterable[Node]], flags: int) -> str:
        direction, nodes = value
        return f"(?{'<' if direction < 0 else ''}{sign}{_sequence(nodes, flags)})"

    return spell


def _choice(value: tuple[int, Iterable[Node], Iterable[Node] | None], flags: int) -> str:
    number, met, unmet = value
    return f"(?({number}){_sequence(met, flags)}|{_sequence(unmet or (), flags)})"


def _branch(value: tuple[None, Iterable[Sequence[Node]]], flags: int) -> str:
    return f"(?:{'|'.join([_alternative(nodes, flags) for nodes in value[1]])})"


def _alternative(nodes: Sequence[Node], flags: int) -> str:
    """Return an alternative. regex makes one set of several that are one character each, and
    ``[^a]|[^b]`` becomes a wrong one: what is always true keeps them apart."""
    apart = len(nodes) == 1 and nodes[0][0] is not op.LITERAL
    return _sequence(nodes, flags) + ("(?!(?!))" if apart else "")


def _at(place: Any, flags: int) -> str:
    if place in (op.AT_BEGINNING, op.AT_END):
        sign = "^" if place is op.AT_BEGINNING else "$"
        return f"(?m:{sign})" if flags & MULTILINE else f"(?-m:{sign})"
    return _PLACES[place](f"[{_CLASSES[op.CATEGORY_WORD][bool(flags & ASCII)]}]")


def _within(word: str) -> str:
    inside = f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
    # Up to Python 3.13 there is none in an empty text.
    return inside if sys.version_info >= (3, 14) else rf"(?!\A\Z){inside}"


_PLACES: Mapping[Any, Callable[[str], str]] = MappingProxyType(
    {
        op.AT_BEGINNING_STRING: lambda _: r"\A",
        op.AT_END_STRING: lambda _: r"\Z",
        op.AT_BOUNDARY: lambda word: f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))",
        op.AT_NON_BOUNDARY: _within,
    }
)

_SPELLED: Mapping[Any, Callable[[Any, int], str]] = MappingProxyType(
    {
        op.ANY: lambda _, flags: "(?s:.)" if flags & DOTALL else "(?-s:.)",
        op.ASSERT: _look("="),
        op.ASSERT_NOT: _look("!"),
        op.AT: _at,
        op.ATOMIC_GROUP: lambda nodes, flags: f"(?>{_sequence(nodes, flags)})",
        op.BRANCH: _branch,
        op.FAILURE: lambda _, __: "(?!)",
        op.GROUPREF: lambda n, flags: rf"(?{'i' * bool(flags & IGNORECASE)}:\g<{n}>)",
        op.GROUPREF_EXISTS: _choice,
        op.IN: _set,
        op.LITERAL: _literal,
        op.MAX_REPEAT: lambda value, flags: _repeat(value, flags, ""),
        op.MIN_REPEAT: lambda value, flags: _repeat(value, flags, "?"),
        op.NOT_LITERAL: lambda code, flags: _set([(op.NEGATE, None), (op.LITERAL, code)], flags),
        op.POSSESSIVE_REPEAT: lambda value, flags: _repeat(value, flags, "+"),
        op.SUBPATTERN: _group,
    }
)
