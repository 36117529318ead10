"""Why a command line could not be understood, or a command could not do its work.

Below ``LoadToolError``; the number is the status that a script ends with. Other errors of the
package become a ``CommandError`` (`as_command_error`), of status 5 if nothing was recorded.

* ``CommandError`` (1): a command failed.
    * ``UsageError`` (4): the line itself is wrong.
    * ``NotGreenError`` (1): what it found until then is worth keeping.
    * ``InconclusiveError`` (10): a load test says nothing about the server.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.workflow.errors import NothingRecordedError, PathError


class CommandError(LoadToolError):
    """A command could not do its work. The text is for the user."""

    status: int = 1


class UsageError(CommandError):
    """A command line cannot be understood, or the console cannot be opened like this."""

    status: int = 4


class NotGreenError(CommandError):
    """`configure --replay` has ended red. What it found is in the test case: a script saves it."""


class InconclusiveError(CommandError):
    """A load test was inconclusive. The status is that of `pytest --load`."""

    status: int = 10


def as_command_error(error: LoadToolError) -> CommandError:
    """Return the error that a command ends with when a step of its work has raised ``error``."""
    if isinstance(error, CommandError):
        return error
    failed = (UsageError if isinstance(error, PathError) else CommandError)(str(error))
    if isinstance(error, NothingRecordedError):
        failed.status = 5
    return failed


@contextmanager
def as_usage() -> Iterator[None]:
    """Raise each `ValueError` in here as a `UsageError`: it says what is wrong with the line."""
    try:
        yield
    except ValueError as error:
        raise UsageError(str(error)) from None
