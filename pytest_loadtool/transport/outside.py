"""What a test case takes from outside of its file: datasets, the environment, the keyring."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_loadtool.casefile import read_dataset
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.replay import Plan, compile_case
from pytest_loadtool.transport.keyrings import keyring_password

__all__ = ["compile_in"]


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
