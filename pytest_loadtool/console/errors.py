"""Why a command line could not be understood, or a command could not do its work.

Below ``LoadToolError``; the number is the status that a script ends with.

* ``CommandError`` (1): a command failed.
    * ``UsageError`` (4): the line itself is wrong.
    * ``NotGreenError`` (1): what it found until then is worth keeping.
    * ``NothingRecordedError`` (5): there is no traffic.
    * ``InconclusiveError`` (10): a load test says nothing about the server.
"""

from __future__ import annotations

from typing import ClassVar

from pytest_loadtool.errors import LoadToolError


class CommandError(LoadToolError):
    """A command could not do its work. The text is for the user."""

    status: ClassVar[int] = 1


class UsageError(CommandError):
    """A command line cannot be understood, or the console cannot be opened like this."""

    status: ClassVar[int] = 4


class NotGreenError(CommandError):
    """`configure --replay` has ended red. What it found is in the test case: a script saves it."""


class NothingRecordedError(CommandError):
    """There is no traffic to make a test case from."""

    status: ClassVar[int] = 5


class InconclusiveError(CommandError):
    """A load test was inconclusive. The status is that of `pytest --load`."""

    status: ClassVar[int] = 10
