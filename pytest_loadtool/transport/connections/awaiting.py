"""What a virtual user waits for that is none of its requests."""

from __future__ import annotations

from collections.abc import Callable

from pytest_loadtool.replay.user.plan import Await


async def finish(command: Await, then: Callable[[], None]) -> None:
    """Wait for the work of ``command``, note what it raises, and call ``then``."""
    try:
        await command.work
    except BaseException as error:  # whatever it is, it is a result
        command.error = error
    then()
