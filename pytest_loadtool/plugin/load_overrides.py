"""The size of a load test, said outside of its file: on the command line, in the environment, in
pytest's configuration file."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from pytest_loadtool.casefile.load.overrides import ONCE, OVERRIDABLE, PROFILE, check_override
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.load import Override

#: Options that have no name but the one with the prefix.
_OPTIONS = {PROFILE: "load-profile"}

_OVERRIDES = pytest.StashKey[tuple[Override, ...]]()


def settle(config: pytest.Config) -> None:
    """Take each value from the command line, else from the environment, else from the configuration
    file; in a worker of pytest-xdist, from the controller.

    Raises:
        pytest.UsageError: one is not what it should be.
    """
    found = tuple(one for key in (PROFILE, *OVERRIDABLE) for one in _found(config, key))
    for one in found:
        try:
            check_override(one)
        except FileError as error:
            raise pytest.UsageError(f"{one.said}: {error.message}") from None
    if config.option.load_once:
        sizes = [one.said for one in found if one.key != PROFILE]
        if sizes:
            raise pytest.UsageError(
                f"--once and {sizes[0]}: once is one user and one iteration of each test case"
            )
        found += (Override(ONCE, "true", "--once"),)
    config.stash[_OVERRIDES] = found


def overrides_of(config: pytest.Config) -> tuple[Override, ...]:
    """Return what was said in place of the load configurations' own values."""
    return config.stash.get(_OVERRIDES, ())


def _found(config: pytest.Config, key: str) -> Iterator[Override]:
    """Yield the value of a key that comes first, if there is one."""
    name, variable = f"load_{key}", f"LOADTOOL_{key.upper()}"
    places = (
        (getattr(config.option, name), f"--{_OPTIONS.get(key, key.replace('_', '-'))} "),
        (os.environ.get(variable), f"{variable}="),
        (config.getini(name), f"{name} = "),
    )
    for text, before in places:
        if text:
            # Workers get the controller's options, and not its environment.
            setattr(config.option, name, text)
            yield Override(key, text, before + text)
            return
