"""The functions of a project that are called as its test cases are replayed."""

from __future__ import annotations

import inspect
import traceback
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool.casefile.functions import FoundFunction, find_function
from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.engine.time_limit import limited
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.hook import HOOK_NAMES, Hook, HookFunction, Hooks
from pytest_loadtool.plugin.options import trust_of
from pytest_loadtool.plugin.paths import shown_path
from pytest_loadtool.plugin.private import hooks_seen_from, imported

if TYPE_CHECKING:
    import pluggy


def hooks_for(config: pytest.Config, case: TestCase, path: Path, *others: Path) -> Hooks | None:
    """Return what is called for ``case``, of the file ``path``: the functions that it calls itself,
    and the hooks that are implemented, in plugins or a conftest.py that counts for ``path`` or one
    of ``others``. None if there is nothing.

    Raises:
        FileError: a function that it calls is not there, or not to be called.
    """
    found = {kind: _hook(config, (path, *others), f"pytest_loadtool_{kind}") for kind in HOOK_NAMES}
    calls = {name: _called(config, path, at, name) for name, at in _calls(case).items()}
    if not any(found.values()) and not calls:
        return None
    return Hooks(**found, calls=MappingProxyType(calls))


def summary_hook(config: pytest.Config, path: Path) -> Hook | None:
    """Return what wants the results of the load test in the file ``path``; None: nobody does.
    However long it takes, no user waits."""
    name = "pytest_loadtool_summary"
    caller = hooks_seen_from(config, (path,), name)
    functions = tuple(_function(one, config) for one in caller.get_hookimpls())
    return Hook(name, caller, functions) if functions else None


def _hook(config: pytest.Config, paths: tuple[Path, ...], name: str) -> Hook | None:
    caller = hooks_seen_from(config, paths, name)
    functions = tuple(_function(one, config) for one in caller.get_hookimpls())
    return Hook(name, limited(caller), functions) if functions else None


def _function(implementation: pluggy.HookImpl, config: pytest.Config) -> HookFunction:
    function: Any = inspect.unwrap(implementation.function)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:  # an object that is called
        return HookFunction("", implementation.plugin_name, 0)
    path = Path(code.co_filename)
    return HookFunction(code.co_filename, shown_path(path, config), code.co_firstlineno)


def _calls(case: TestCase) -> dict[str, tuple[str | int, ...]]:
    """Return the names of the functions that a test case calls, and where it does so first."""
    found: dict[str, tuple[str | int, ...]] = {}
    for outer, page in enumerate(case.pages):
        for inner, transaction in enumerate(page.transactions):
            for name in transaction.call:
                found.setdefault(name, ("page", outer, "transaction", inner, "call"))
    return found


def _called(config: pytest.Config, by: Path, at: tuple[str | int, ...], name: str) -> Hook:
    """Return what calls the function that the test case ``by`` means by ``name``."""
    try:
        found = find_function(by, name, trust_of(config))
        module = _module(config, found)
    except (FileError, ValueError) as error:
        raise key_error(by, at, str(error)) from None
    function = getattr(module, found.name)
    place = HookFunction(str(found.path), shown_path(found.path, config), found.line)
    return Hook(found.name, limited(function), (place,))


def _module(config: pytest.Config, found: FoundFunction) -> ModuleType:
    """Return its module, imported.

    Raises:
        ValueError: it cannot be.
    """
    try:
        return imported(config, found.path)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a module does when it is imported
        lines = [
            one.lineno
            for one in traceback.extract_tb(error.__traceback__)
            if one.filename == str(found.path)
        ]
        where = f"{shown_path(found.path, config)}{f':{lines[-1]}' if lines else ''}"
        text = str(error).partition("\n")[0] or "no text"
        raise ValueError(
            f"{where}: it cannot be imported: {type(error).__name__}: {text}"
        ) from None
