"""The request that a held replay sends next, in the person's own editor."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.application import in_terminal

from pytest_loadtool.console import editor
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.replay.control import Control
from pytest_loadtool.workflow.request_text import edited_request, request_text


async def edit_next(control: Control, say: Callable[[str], None]) -> None:
    """Have the person edit the request that goes out next."""
    moment = control.moment
    step = moment.next
    if step is None:
        return
    try:
        before = request_text(moment.request)
        async with in_terminal():
            after = await editor.edited(before, "request.http")
        if after != before:
            control.edit(step.index, edited_request(after, moment.request))
            say(f"       {step.index + 1} {step.title} goes out as edited.")
    except LoadToolError as error:
        say(f"       not edited: {error}")
