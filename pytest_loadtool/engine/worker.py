"""One worker of a load run: it does what the run says, and tells what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pytest_loadtool.engine.prepare.share import PreparedShare
from pytest_loadtool.load import Share

#: Makes a share ready to run, with a base URL for each test case: see `prepare.share`.
Prepare = Callable[[Sequence[str], Share], PreparedShare]


class Worker:
    """Takes part in one run.

    ``receive`` waits for the next order of `load.cluster.conductor`, as its kind and fields;
    ``tell`` sends a message back. ``text`` says what to tell of an error; what it raises instead
    ends the worker. ``around`` calls what makes the load, with all that has to be there meanwhile.
    Nothing is known here of what carries the messages.
    """

    def __init__(
        self,
        prepare: Prepare,
        receive: Callable[[], tuple[Any, ...]],
        tell: Callable[..., None],
        text: Callable[[Exception], str],
        around: Callable[[Callable[[], None]], None] = lambda make_load: make_load(),
    ) -> None:
        self._prepare = prepare
        self._receive = receive
        self._tell = tell
        self._text = text
        self._around = around
        self._share: PreparedShare | None = None

    def take_part(self) -> str:
        """Do what the run says, until the share is run or only the caller can do what comes.

        Returns ``ran``, or the kind of that order: ``lead``, ``skip``, ``release``.
        """
        while True:
            kind, *fields = self._receive()
            match kind:
                case "share":
                    self._arm(*fields)
                case "go":
                    self._around(partial(self._make_load, *fields))
                    return "ran"
                case _:
                    return str(kind)

    def stop(self) -> None:
        """Cut the load short, if there is any. May be called from any thread."""
        share = self._share
        if share is not None:
            share.runner.stop()

    def _arm(
        self, deal: int, index: int, count: int, servers: Sequence[str], weights: Sequence[int]
    ) -> None:
        try:
            self._share = self._prepare(servers, Share(index, count, tuple(weights)))
        except Exception as error:
            self._tell("refused", deal, self._text(error))
        else:
            self._tell("armed", deal)

    def _make_load(self, start: float) -> None:
        share = self._share
        assert share is not None, "nobody is told to go who has no share"
        try:
            tell = self._tell
            share.runner.run(start, partial(tell, "snapshot"), on_beat=partial(tell, "alive"))
        except Exception as error:
            self._tell("snapshot", share.runner.report())
            self._tell("failed", self._text(error))
        else:
            self._tell("snapshot", share.runner.report())
            self._tell("final")
        self._share = None
