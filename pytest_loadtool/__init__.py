"""pytest-loadtool: record once, gate every commit, load-test at scale, all in pytest.

This module is imported in every pytest run, used or not, so it imports nothing until `record` is
asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_loadtool.workflow.process import record
    from pytest_loadtool.workflow.unattended import RecordedCase

__version__ = "0.1.0"

#: What pytest collects: here, as an idle plugin imports nothing else of the project.
CASE_SUFFIX = ".case.toml"
LOAD_SUFFIX = ".load.toml"
__all__ = ["__version__", "record"]

#: Who hears what becomes of each recording by `record`: pytest sessions, of which the innermost is
#: the last, and the only one that is called.
listeners: list[Callable[[RecordedCase], None]] = []


def __getattr__(name: str) -> object:
    if name != "record":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pytest_loadtool.workflow.process import record

    return record
