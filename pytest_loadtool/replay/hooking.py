"""Around the commands of a virtual user: the functions of a project that want to know of them.

They run between requests, on the processor that makes the load. What they take is no time of the
server's: requests after them are due as much later. What goes wrong in them fails a transaction.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Generator, Sequence
from time import perf_counter
from typing import Any

from pytest_loadtool.model.custom import MetricKind, counted
from pytest_loadtool.model.hook import (
    PATIENCE,
    Hook,
    HookFunction,
    Hooks,
    TookTooLongError,
    is_by_signal,
)
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.hook_arguments import HookRequest, HookResponse, HookUser
from pytest_loadtool.replay.user.exchange import Response, Send
from pytest_loadtool.replay.user.origin import Origin
from pytest_loadtool.replay.user.plan import Await, Command, Over, Visit
from pytest_loadtool.replay.user.user import VirtualUser
from pytest_loadtool.replay.withholding import Commands, unsent, withholding

#: How much is shown of the text of an error, in characters.
_LONGEST = 200

#: Is told how long, in microseconds, functions have taken.
Took = Callable[[int], None]

#: Is told what functions measure: the kind of a metric, its name, and a value.
Measure = Callable[[MetricKind, str, float], object]


def untold(_us: int) -> None:
    """Tell nobody."""


class UserHooks:
    """Calls ``hooks`` for one user; ``took`` is told for how long, ``measure`` what they have
    measured."""

    def __init__(
        self,
        user: VirtualUser,
        hooks: Hooks,
        took: Took = untold,
        clock: Callable[[], float] = perf_counter,
        measure: Measure = counted,
    ) -> None:
        self._user = user
        self._hooks = hooks
        self._took = took
        self._clock = clock
        self._told = HookUser(user, user.number, measure)
        self._failure: Failure | None = None
        """Why the iteration has not begun well: what fails the next request."""
        self._spent = 0.0
        """What functions have taken since the last request, in seconds."""
        self._plain: dict[tuple[Origin, int], bytes] = {}
        """Requests under way as they were before."""

    def iteration(self, commands: Commands, visit: Visit, number: int) -> Commands:
        """Yield the commands of an iteration with what is called at its beginning and end."""
        told = self._told
        told.iteration = number
        command = commands.send(None)
        if visit.fresh:
            told.variables.own.clear()
        if visit.is_iteration and self._hooks.iteration_start is not None:
            self._failure = self._call(self._hooks.iteration_start, user=told)
            if isinstance(command, tuple):
                for send in command:  # it may have set variables
                    send.data = send.step.render(self._user.state, self._user.jar)
        last: Send | None = None
        calls = self._user.plan.calls
        while not isinstance(command, Over):
            if isinstance(command, tuple) and command:
                last = command[-1]
                if (called := calls.get(command[0].step.index)) is not None:
                    failure = yield from self._before_step(command[0], called)
                    if failure is not None:
                        command = commands.send(unsent(command[0], failure))
                        continue
            command = commands.send((yield command))
        if visit.is_iteration and self._hooks.iteration_end is not None and last is not None:
            failure = self._call(self._hooks.iteration_end, user=told, failed=command.failed)
            if failure is not None:
                response = unsent(Send(last.step, last.slot, b"", self._clock()), failure)
                self._user.observer.transaction(last.step, response, (failure,))
                command = Over(True)
        self._spent = 0.0
        yield command

    def requests(self, commands: Commands) -> Commands:
        """Return commands with what is called for their requests and responses."""
        return withholding(commands, self._before, self._after)

    def _before_step(
        self, send: Send, calls: Sequence[Hook]
    ) -> Generator[Command, Response | None, Failure | None]:
        """Call what the test case calls before a transaction; return why that is not sent."""
        for hook in calls:
            began = self._clock()
            failure, result = self._called(hook, user=self._told)
            if failure is None and inspect.isawaitable(result):
                waiting = Await(result)
                yield waiting
                if waiting.error is not None:
                    failure = raised(hook, waiting.error)
            slow = self._note(hook, self._clock() - began)
            if failure is not None or slow is not None:
                return failure or slow
        send.data = send.step.render(self._user.state, self._user.jar)
        return None

    def _before(self, send: Send) -> Failure | None:
        """Call what is called before a request; return why it is not sent."""
        failure, self._failure = self._failure, None
        hook = self._hooks.request
        if failure is None and hook is not None:
            if self._user.plan.accounts:
                self._plain[send.step.origin, send.slot] = send.data
            request = HookRequest(send)
            failure = self._call(hook, request=request, user=self._told)
            if failure is None:
                send.data = bytes(request)
        send.due += self._spent
        if failure is not None:
            self._spent = 0.0
        return failure

    def _after(self, response: Response) -> None:
        """Call what is called when a response has come."""
        self._spent = 0.0
        send, hook = response.send, self._hooks.response
        if response.failure is None and hook is not None:
            response.failure = self._call(
                hook, response=HookResponse(response), request=HookRequest(send), user=self._told
            )
        plain = self._plain.pop((send.step.origin, send.slot), None)
        if plain is not None and response.status in (401, 407):  # it is sent again, with more
            send.data = plain

    def _call(self, hook: Hook, **arguments: Any) -> Failure | None:
        """Call the functions of a hook; return what went wrong."""
        began = self._clock()
        failure, _ = self._called(hook, **arguments)
        slow = self._note(hook, self._clock() - began)
        return failure or slow

    def _called(self, hook: Hook, **arguments: Any) -> tuple[Failure | None, object]:
        """Call the functions of a hook; return what went wrong, or else what they have returned."""
        try:
            return None, hook.call(**arguments)
        except BaseException as error:  # whatever it is, even what ends a test or a program
            return raised(hook, error), None

    def _note(self, hook: Hook, seconds: float) -> Failure | None:
        """Note what functions have taken; return that it was too long."""
        self._spent += seconds
        self._took(int(seconds * 1e6))
        if seconds <= PATIENCE:
            return None
        where = " and ".join(_place(hook.name, one) for one in hook.functions)
        return Failure("hook", f"{where} took longer than {PATIENCE:g} s: all users waited")


def raised(hook: Hook, error: BaseException) -> Failure:
    """Return the failure that says where: the function, and its line. The text of the error may
    differ from user to user.

    Raises:
        KeyboardInterrupt: it is Ctrl-C, and no doing of the function.
    """
    frames = [(one.filename, one.lineno) for one in traceback.extract_tb(error.__traceback__)]
    files = {file for file, _ in frames}
    functions = [one for one in hook.functions if one.file in files] or list(hook.functions)
    own = [line for file, line in frames if file == functions[0].file]
    if is_by_signal(error):
        raise error
    if isinstance(error, TookTooLongError):
        line = error.line or (own or [functions[0].line])[-1]
        where = _place(hook.name, functions[0])
        return Failure("hook", f"{where} took longer than {PATIENCE:g} s: stopped in line {line}")
    at = f" in line {own[-1]}" if own else ""
    message = f"{_place(hook.name, functions[0])} raised {type(error).__name__}{at}"
    text = str(error).partition("\n")[0]
    return Failure("hook", message, f"{message}: {text[:_LONGEST]}" if text else "")


def _place(name: str, function: HookFunction) -> str:
    return f"{function.shown}:{function.line}: {name}"
