"""What a test case takes from outside of its file: datasets, the environment, the keyring."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_loadtool.casefile import read_dataset
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.replay import Plan, compile_case

__all__ = ["compile_in", "keyring_password"]


def compile_in(
    folder: Path, case: TestCase, *, server: str = "", think_time: ThinkTime | None = None
) -> Plan:
    """Compile ``case``, whose file is in ``folder``; all else as in `compile_case`.

    Raises:
        FileError: a dataset's file is wrong.
        ReplayError: it cannot be replayed.
    """
    return compile_case(
        case,
        server=server,
        datasets={use.name: read_dataset(folder / use.file) for use in case.datasets},
        environ=os.environ,
        keyring=keyring_password,
        think_time=think_time,
        folder=str(folder),
    )


def keyring_password(service: str, username: str) -> str:
    """The password that the system's keyring has for ``username`` under ``service``.

    Raises:
        ReplayError: it has none, cannot be asked, or the package keyring is not installed.
    """
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise ReplayError(
            "to ask the system's keyring needs the package keyring: "
            "pip install 'pytest-loadtool[keyring]'"
        ) from None
    try:
        password = keyring.get_password(service, username)
    except KeyringError as error:
        raise ReplayError(
            f"the system's keyring cannot be asked ({error}); where there is none, take the "
            "password from an environment variable (env) instead"
        ) from None
    if password is None:
        raise ReplayError(
            f"the system's keyring has no password of {username} for {service}: "
            f"store it with `keyring set {service} {username}`"
        )
    return password
