"""JSON paths, compiled: the simple ones to plain indexing, the others by jsonpath-ng.

A path with placeholders is taken apart once, and then gets a user's values as they are: they are
keys and texts to compare with, no part of the path's language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, cast

from pytest_loadtool.codec.path_patterns import with_comparisons
from pytest_loadtool.codec.template import Template
from pytest_loadtool.extraction.pattern import Pattern

#: From a user's values to the text of a template.
Fill = Callable[[Sequence[str]], str]
#: What is made of a JSON value that was found; None: it is no match.
Shown = Callable[[Any], Any]

_STEP = re.compile(
    r"""\.(?P<name>[A-Za-z_$][\w$-]*)|\[(?P<index>\d{1,18})\]|(?P<any>\.\*|\[\*\])|(?P<own>~)"""
    r"""|\['(?P<single>[^'\\]*)'\]|\["(?P<double>[^"\\]*)"\]"""
    r"""|\[\?(?P<paren>\()?@(?P<keys>(?:\.[A-Za-z_$][\w$-]*|\[\d{1,9}\])*)\s*==\s*"""
    r"""(?:'(?P<is>[^'\\]*)'|"(?P<equals>[^"\\]*)"|(?P<bare>-?\d+|\$\{[^}]*\}))(?(paren)\))\]"""
)
_KEY_OR_INDEX = re.compile(r"\.([^.\[]+)|\[(\d+)\]")


class _Wildcard:
    """The step ``*``."""


class _Where:
    """The step ``[?(@.key=="text")]``: the items that have this text under this key, or these keys
    (``@.fields.name``, ``@[1]``), or are it (``@``). Without quotes it may be that of a number,
    too."""

    def __init__(self, keys: tuple[str | int, ...], text: str, bare: bool) -> None:
        self.keys = keys
        self.text = text
        self.bare = bare

    def holds(self, item: Any) -> bool:
        """Return whether the item has it."""
        return self.compared(item) == self.text

    def compared(self, item: Any) -> str | None:
        """Return what the item has there; None: nothing that a text is compared with."""
        for key in self.keys:
            if isinstance(item, dict):
                item = item.get(key)
            elif isinstance(item, list) and key.__class__ is int and key < len(item):
                item = item[key]
            else:
                return None
        if self.bare and item.__class__ is int:
            return str(item)
        return item if isinstance(item, str) else None


class _KeyOf:
    """The last step, ``~``: the key under which the step before finds something in an object."""


_ANY, _KEY_OF = _Wildcard(), _KeyOf()
_Step = str | int | _Wildcard | _Where | _KeyOf


def compile_path(path: str, match: int, shown: Shown | None = None) -> Callable[[Any], Any]:
    """Return a function from a parsed JSON document to the text of the ``match``-th (from 1) match,
    or to what ``shown`` makes of it.

    Strings are returned as they are, all else as its JSON text (``17``, ``true``, ``[1,2]``). Null
    is no value, so it is never a match.

    Raises:
        ValueError: ``path`` is not a JSON path.
    """
    steps = _simple(path)
    if steps is None:
        return _general(path, match, shown or json_text)
    return _compiled(steps, match, shown)


def bind_path(
    path: str, match: int, fills: Callable[[Template], Fill], shown: Shown | None = None
) -> Callable[[Any, Sequence[str]], Any]:
    """Compile a path with placeholders as `compile_path` does one without: the function takes a
    user's values, too.

    Raises:
        ValueError: ``path`` is not a JSON path, or a placeholder stands where none can.
    """
    resolved, show = _bound_steps(path, fills), shown or json_text
    return lambda document, values: _nth(_found(document, resolved(values)), match, show)


def bind_values(
    path: str, fills: Callable[[Template], Fill]
) -> Callable[[Any, Sequence[str]], list[Any]]:
    """Return a function from a parsed JSON document and a user's values to all that a path leads
    to, as it is: null, too.

    Raises:
        ValueError: as `bind_path`.
    """
    if _simple(path) is None:
        find = _finding(path)
        return lambda document, _values: find(document)
    resolved = _bound_steps(path, fills)
    return lambda document, values: list(_found(document, resolved(values)))


def _bound_steps(
    path: str, fills: Callable[[Template], Fill]
) -> Callable[[Sequence[str]], tuple[_Step, ...]]:
    """Return a function from a user's values to the steps of a path with placeholders."""
    steps = _simple(path)
    if steps is None:
        raise ValueError(
            f"{path!r} is not a JSON path with placeholders: they stand in quotes, or behind =="
        )
    filled: list[tuple[int, _Step, Fill]] = []
    for position, step in enumerate(steps):
        text = step.text if isinstance(step, _Where) else step
        if isinstance(text, str) and "${" in text:
            filled.append((position, step, fills(Template.parse(text))))

    def resolved(values: Sequence[str]) -> tuple[_Step, ...]:
        now: list[_Step] = list(steps)
        for position, step, fill in filled:
            text = fill(values)
            now[position] = _Where(step.keys, text, step.bare) if isinstance(step, _Where) else text
        return tuple(now)

    return resolved


def bind_beside(
    path: str, fills: Callable[[Template], Fill]
) -> Callable[[Any, Sequence[str]], tuple[str, list[str], list[Any]]] | None:
    """Return, for a path that takes an item of a list by a value, a function to that value, to what
    all items of the list have in its place, and to the items; of lists within lists, of the
    outermost that lacks its item, the items if that is the outermost of all. None: it is no such
    path."""
    steps = _simple(path) or ()
    wheres = [at for at, one in enumerate(steps) if isinstance(one, _Where)]
    if not wheres:
        return None
    resolved = _bound_steps(path, fills)

    def get(document: Any, values: Sequence[str]) -> tuple[str, list[str], list[Any]]:
        now, own, found, items = resolved(values), "", list[str](), list[Any]()
        for at in wheres:
            where = cast(_Where, now[at])
            items = list(_walk(document, (*now[:at], _ANY), 0))
            found = [text for item in items if (text := where.compared(item)) is not None]
            own = where.text
            if own not in found:
                break
        return own, found, items if at == wheres[0] else []

    return get


def _compiled(steps: tuple[_Step, ...], match: int, shown: Shown | None) -> Callable[[Any], Any]:
    if any(isinstance(step, (_Wildcard, _Where, _KeyOf)) for step in steps):
        show = shown or json_text
        return lambda document: _nth(_found(document, steps), match, show)
    plain = cast(tuple[str | int, ...], steps)
    return _direct(plain, shown) if match == 1 else _nothing


def _nothing(_: Any) -> None:
    """A path without a wildcard has one match at most."""


def json_text(value: Any) -> str | None:
    """Return a JSON value as an extractor returns it: text, or None for null."""
    if isinstance(value, str) or value is None:
        return value
    if value.__class__ is int:
        return str(value)  # ten times as fast as what follows
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def strict_value(value: Any) -> Any:
    """Return a JSON value as one that is equal to another if they are of one type, too: 7 is 7.0,
    and is neither ``"7"`` nor true. Arrays and objects are their JSON text."""
    if value.__class__ is bool:
        return (value,)
    return json_text(value) if isinstance(value, list | dict) else value


def _simple(path: str) -> tuple[_Step, ...] | None:
    """Return the steps of a path of names, indexes, wildcards and comparisons with a text, or None
    if it holds anything else."""
    if not path.startswith("$"):
        return None
    steps: list[_Step] = []
    position = 1
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            return None
        position = match.end()
        if match["own"]:
            if position < len(path) or not steps:
                return None
            steps.append(_KEY_OF)
        elif match["any"]:
            steps.append(_ANY)
        elif match["index"] is not None:
            steps.append(int(match["index"]))
        elif match["keys"] is not None:
            found = _KEY_OR_INDEX.findall(match["keys"])
            keys = tuple(int(index) if index else key for key, index in found)
            text = _given(match, "is", "equals", "bare")
            steps.append(_Where(keys, text, match["bare"] is not None))
        else:
            steps.append(_given(match, "name", "single", "double"))
    return tuple(steps)


def _given(match: re.Match[str], *groups: str) -> str:
    """Return the group that took part in the match."""
    return next(part for part in match.group(*groups) if part is not None)


def _direct(steps: tuple[str | int, ...], shown: Shown | None) -> Callable[[Any], Any]:
    def get(document: Any) -> Any:
        value = document
        try:
            for step in steps:
                if value.__class__ is str:  # the only other thing that an index would fit
                    return None
                value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
        return json_text(value) if shown is None else shown(value)

    return get


def _found(document: Any, steps: tuple[_Step, ...]) -> Iterator[Any]:
    """Yield all matches in document order: values, or their keys."""
    return _keys(document, steps[:-1]) if steps[-1:] == (_KEY_OF,) else _walk(document, steps, 0)


def _keys(document: Any, steps: tuple[_Step, ...]) -> Iterator[str]:
    for around in _walk(document, steps[:-1], 0):
        if isinstance(around, dict):
            yield from (key for key, one in around.items() if [*_walk({key: one}, steps[-1:], 0)])


def _walk(value: Any, steps: tuple[_Step, ...], position: int) -> Iterator[Any]:
    """Yield all matches in document order."""
    if position == len(steps):
        yield value
        return
    step = steps[position]
    children: Iterable[Any] = ()
    if isinstance(step, (_Wildcard, _Where)):
        if isinstance(value, dict):
            children = value.values()
        elif isinstance(value, list):
            children = value
        if isinstance(step, _Where):
            children = [one for one in children if step.holds(one)]
    elif isinstance(step, int):
        if isinstance(value, list):
            children = value[step : step + 1]
    elif isinstance(value, dict) and step in value:
        children = (value[step],)
    for child in children:
        yield from _walk(child, steps, position + 1)


def _nth(matches: Iterator[Any], match: int, shown: Shown) -> Any:
    found = (one for one in map(shown, matches) if one is not None)
    return next(islice(found, match - 1, None), None)


def _general(path: str, match: int, shown: Shown) -> Callable[[Any], Any]:
    find = _finding(path)
    return lambda document: _nth(iter(find(document)), match, shown)


def _finding(path: str) -> Callable[[Any], list[Any]]:
    """Return a function to all that a path leads to, by jsonpath-ng."""
    # Imported when a path needs it: it costs 50 ms and builds a parser.
    from jsonpath_ng.exceptions import JSONPathError
    from jsonpath_ng.ext.parser import parse

    from pytest_loadtool.extraction.json_matching import Matching

    patterns: list[Pattern] = []

    def limited(comparison: Any) -> Any:
        made = Matching(comparison)
        patterns.append(made.pattern)
        return made

    try:
        expression = with_comparisons(parse(path), limited)
    except (JSONPathError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{path!r} is not a JSON path: {error}") from None

    def find(document: Any) -> list[Any]:
        for one in patterns:
            one.allowance.begin()
        return [found.value for found in expression.find(document)]

    return find
