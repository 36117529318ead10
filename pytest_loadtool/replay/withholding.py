"""Requests of a virtual user that are not sent: in its eyes they have failed at once."""

from __future__ import annotations

from collections.abc import Callable, Generator

from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.exchange import Response, Send
from pytest_loadtool.replay.user.plan import Command, Over

Commands = Generator[Command, Response | None, None]


def withholding(
    commands: Commands,
    refuse: Callable[[Send], Failure | None],
    answered: Callable[[Response], None] | None = None,
) -> Commands:
    """Yield ``commands`` without the requests that ``refuse`` gives a failure for. ``answered``
    hears of the responses to the others."""
    event: Response | None = None
    refused: list[Response] = []
    while True:
        command = commands.send(event)
        sends: list[Send] = []
        if isinstance(command, tuple):
            for send in command:
                failure = refuse(send)
                if failure is None:
                    sends.append(send)
                else:
                    refused.append(unsent(send, failure))
            command = tuple(sends)
        if refused and not sends and not isinstance(command, Over):
            event = refused.pop(0)
            continue
        event = yield command
        if event is not None and answered is not None:
            answered(event)


def unsent(send: Send, failure: Failure) -> Response:
    """Return what stands for the response to a request that is not sent: its times are when it was
    due."""
    response = Response(send)
    response.failure = failure
    return response


def refused(send: Send) -> Failure | None:
    """Return why a request goes where none may go; None if it does not."""
    refuse = send.step.refuse
    return refuse(send.data) if refuse is not None else None
