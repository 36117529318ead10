"""The functions of a project that are called as its test cases are replayed."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool.model.hook import Hook, HookFunction, Hooks
from pytest_loadtool.plugin.paths import shown_path
from pytest_loadtool.plugin.private import hooks_seen_from

if TYPE_CHECKING:
    import pluggy

_KINDS = ("request", "response", "iteration_start", "iteration_end")


def hooks_for(config: pytest.Config, *paths: Path) -> Hooks | None:
    """Return the hooks that are implemented, in plugins or a conftest.py that counts for one of
    ``paths``; None if there are none."""
    found = {kind: _hook(config, paths, f"pytest_loadtool_{kind}") for kind in _KINDS}
    return Hooks(**found) if any(found.values()) else None


def _hook(config: pytest.Config, paths: tuple[Path, ...], name: str) -> Hook | None:
    caller = hooks_seen_from(config, paths, name)
    functions = tuple(_function(one, config) for one in caller.get_hookimpls())
    return Hook(name, caller, functions) if functions else None


def _function(implementation: pluggy.HookImpl, config: pytest.Config) -> HookFunction:
    function: Any = inspect.unwrap(implementation.function)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:  # an object that is called
        return HookFunction("", implementation.plugin_name, 0)
    path = Path(code.co_filename)
    return HookFunction(code.co_filename, shown_path(path, config), code.co_firstlineno)
