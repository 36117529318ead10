"""Writing a file back without losing what a person wrote into it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pytest_loadtool.casefile.case.writer import case_lines
from pytest_loadtool.casefile.files import read_text, replace_file
from pytest_loadtool.casefile.load.writer import load_lines
from pytest_loadtool.casefile.toml.comment_transfer import carry, match
from pytest_loadtool.casefile.toml.diagnostics import syntax_error
from pytest_loadtool.casefile.toml.positions import KeyPath, scan
from pytest_loadtool.casefile.toml.render import KeyedLine, render
from pytest_loadtool.casefile.toml.schema_line import with_schema_line
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.load import LoadConfiguration


def save_case(path: Path, case: TestCase, layout: str = "") -> None:
    """Write a test case to a file, at once or not at all; comments in the file stay in place, or
    those of ``layout``, if that is given.

    Raises:
        FileError: it cannot be written, or what is there now is no TOML that its comments could be
            taken from.
    """
    if layout:
        replace_file(path, case_over(layout, str(path), case).encode())
    else:
        _save(path, case_lines(case))


def case_over(old: str | None, path: str, case: TestCase) -> str:
    """Return the text of a test case with the comments and the layout of an old text, if there is
    one. ``path`` is what the old text is called in an error.

    Raises:
        FileError: the old text is no TOML.
    """
    return _over(path, old or "", tuple(case_lines(case)))


def save_load(path: Path, configuration: LoadConfiguration) -> None:
    """Write a load configuration to a file, as `save_case` does.

    Raises:
        FileError: as `save_case`.
    """
    _save(path, load_lines(configuration))


def _save(path: Path, lines: Iterable[KeyedLine]) -> None:
    lines = tuple(lines)
    if path.exists():
        text = _over(str(path), read_text(path), lines)
    else:
        top = with_schema_line((), path)
        text = render((line for line in lines if not line.usual), top=top)
    replace_file(path, text.encode())


def _over(path: str, old: str, lines: tuple[KeyedLine, ...]) -> str:
    """Return the text of ``lines`` with what a person wrote in ``old``: comments, and what is as
    usual."""
    try:
        old_data = tomllib.loads(old)
    except (ValueError, RecursionError) as error:
        problem = syntax_error(old, path, error)
        message = f"not saved: the file there now is {problem.message}; mend or remove it first"
        raise FileError(path, problem.line, "", message) from None
    layout = scan(old)
    top = with_schema_line(layout.top, Path(path))
    written = {line.path for line in lines if not line.usual}
    as_usual = {_kind(line.path) for line in lines if line.usual}
    gone = (one for one in layout.lines if one not in written and _kind(one) in as_usual)
    if not layout.remarks and not layout.end and not any(gone):
        return render((line for line in lines if not line.usual), top=top)
    new_data = tomllib.loads(render(lines))
    usual = {line.path[-1]: _at(new_data, line.path) for line in lines if line.usual}
    moved = match(old_data, new_data, usual)
    written |= set(moved.values())
    kept = [line for line in lines if line.path in written]
    carried = carry(layout, moved, kept)
    return render(kept, carried.remarks, top=top, end=carried.end)


def _kind(path: KeyPath) -> KeyPath:
    """Return a path without its indices."""
    return tuple(one for one in path if isinstance(one, str))


def _at(data: Any, path: KeyPath) -> Any:
    for part in path:
        data = data[part]
    return data
