"""What the quick stage leaves out."""

from __future__ import annotations

import subprocess
from functools import partial

import pytest

from tests import nginx, ports
from tests.quick import starts_processes


def _computes() -> int:
    return ports.free_port()


def _runs() -> None:
    subprocess.run(["true"], check=True)


class _Runner:
    def run(self) -> None:
        _runs()


_TABLE = {"one": [partial(_runs)]}


def _by_table() -> None:
    for one in _TABLE["one"]:
        one()


def _by_module() -> object:
    return nginx.serving


def _by_class() -> _Runner:
    return _Runner()


@pytest.mark.parametrize("function", [_runs, _by_table, _by_module, _by_class])
def test_what_starts_a_process_is_found(function: object) -> None:
    """By whatever way a test comes to it."""
    assert starts_processes(function)


def test_what_starts_none_is_quick() -> None:
    """Also where its module has other functions that do."""
    assert not starts_processes(_computes)
