"""Functions of a project that a test case calls: where they are defined.

A test case is data, and may come from somebody else. So nothing of it is run to find out, and few
functions are there to be called: those in a module in the test case's own folder, or one of the
folders around it up to the project's root, that say by their first parameter, ``user``, that they
are meant to be called so. What such a module imports is none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.casefile.trust import Trust, named_path
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.errors import FileError

#: The parameter that a function has to have, as its first one.
PARAMETER = "user"


@dataclass(frozen=True, slots=True)
class FoundFunction:
    """A function of the project: its module's file, its name there, and its line."""

    path: Path
    name: str
    line: int


def find_function(by: Path, name: str, trust: Trust) -> FoundFunction:
    """Return the function that the test case ``by`` means by ``name``, such as
    ``orders:new_number``.

    Raises:
        FileError: the module is not there, may not be read, or is no Python.
        ValueError: it has no such function that may be called.
    """
    module, _, function = name.partition(":")
    path = _module(by, module, trust)
    known = {one.name: one for one in _functions(path)}
    found = known.get(function)
    if found is None:
        offered = [one for one in known.values() if _is_offered(one)]
        near = did_you_mean(function, [one.name for one in offered])
        raise ValueError(
            f"{path.name} defines no function {function}{near or f': write def {function}(user)'}"
        )
    if not _is_offered(found):
        raise ValueError(
            f"{path.name}:{found.lineno}: {function} is not there to be called: its first "
            f"parameter has to be {PARAMETER}, and all others have defaults"
        )
    return FoundFunction(path, function, found.lineno)


def functions_for(by: Path, trust: Trust) -> Iterator[str]:
    """Yield the names of the functions that the test case ``by`` may call, the nearest first."""
    seen: set[str] = set()
    for folder in _folders(by, trust):
        for path in sorted(folder.glob("*.py")):
            if path.stem in seen or not path.stem.isidentifier():
                continue
            seen.add(path.stem)
            try:
                offered = [one.name for one in _functions(path) if _is_offered(one)]
            except (FileError, ValueError):
                continue
            yield from (f"{path.stem}:{one}" for one in offered)


def _folders(by: Path, trust: Trust) -> tuple[Path, ...]:
    """Return the folder of the test case, and those around it up to the project's root."""
    own = by.absolute().parent
    if trust.root is None or not own.is_relative_to(trust.root):
        return (own,)
    return (own, *(one for one in own.parents if one.is_relative_to(trust.root)))


def _module(by: Path, module: str, trust: Trust) -> Path:
    file = f"{module.replace('.', '/')}.py"
    folders = _folders(by, trust)
    for folder in folders:
        if (folder / file).is_file():
            return named_path(folder / by.name, file, trust)
    around = f" nor in a folder above it up to {folders[-1]}" if len(folders) > 1 else ""
    raise ValueError(
        f"there is no {file} beside the test case{around}: modules of the project are called, "
        "none that is installed"
    )


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield what a module defines, without running it."""
    try:
        tree = ast.parse(read_bytes(path))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 0) or 0
        raise FileError(str(path), line, "", f"this is no Python: {error}") from None
    for one in tree.body:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            yield one


def _is_offered(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether it says that it is there to be called with a user."""
    own = function.args
    positional = [*own.posonlyargs, *own.args]
    needed = len(positional) - len(own.defaults)
    named = bool(positional) and positional[0].arg == PARAMETER
    return named and needed <= 1 and all(one is not None for one in own.kw_defaults)
