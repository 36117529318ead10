"""A worker of pytest-xdist in a load test: it plays one share and tells the controller.

Messages both ways are tuples ``(node id, kind, field, …)``; `load.conductor` has their order.
Nothing is reported to pytest from here, or there would be one result for each worker.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Generator
from dataclasses import astuple
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol

from pytest_loadtool.engine.prepare.share import PreparedShare, prepare
from pytest_loadtool.engine.signals import KILLS
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.load import Failed, Final, Message, Share, Snapshot, encode
from pytest_loadtool.load.metrics import reports
from pytest_loadtool.plugin.load.interrupt import deaf
from pytest_loadtool.plugin.load.item import LoadItem
from pytest_loadtool.plugin.load.xdist_outbox import Outbox
from pytest_loadtool.plugin.paths import shown_error
from pytest_loadtool.plugin.run_in_thread import run_apart

if TYPE_CHECKING:
    import execnet

#: Where the controller puts the channel in ``workerinput``.
CHANNEL = "loadtool_channel"

_Frame = tuple[Any, ...]


class LoadWorker:
    """The plugin of a worker, and its engine."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        channel: execnet.Channel = config.workerinput[CHANNEL]  # type: ignore[attr-defined]
        self._inbox: SimpleQueue[_Frame | None] = SimpleQueue()
        self._outbox = Outbox(channel)
        self._share: PreparedShare | None = None
        # The end marker comes at once when the controller dies. execnet by itself would let the
        # load run on for 15 seconds.
        channel.setcallback(self._receive, endmarker=None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Have no summary: nobody sees a worker's, and plugins take their time for it, which is
        what a person waits for after Ctrl-C. SIGTERM and SIGHUP are the controller's: a terminal
        that is closed sends them to all."""
        try:
            with deaf(KILLS):
                return (yield)
        finally:
            manager = self._config.pluginmanager
            if manager.has_plugin("terminalreporter"):
                manager.unregister(name="terminalreporter")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        """Take part in a load test, in whatever way the controller says."""
        if not isinstance(item, LoadItem):
            return None
        lengths = [(name, *astuple(length)) for name, length in item.load_test.lengths]
        self._tell(item, "ready", str(item.path), tuple(item.location), lengths)
        if self._take_part(item) == "lead":
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            self._tell(item, "reports", self._packed(reports))
        self._outbox.flush()
        return True

    def run(self, item: LoadItem, servers: tuple[str, ...]) -> None:
        """As the leader, whose fixtures are set up now: take part like the others, and keep the
        fixtures until all have finished."""
        self._tell(item, "prepared", servers)
        if self._take_part(item) == "ran":
            with deaf():
                self._next(item)  # "release"

    def _take_part(self, item: LoadItem) -> str:
        """Do what the controller says until the share is run, or until there is something that only
        the caller can do. What that is: "ran", "lead", "skip"."""
        while True:
            kind, *fields = self._next(item)
            match kind:
                case "share":
                    self._arm(item, *fields)
                case "go":
                    self._run(item, *fields)
                    return "ran"
                case _:
                    return str(kind)

    def _arm(
        self, item: LoadItem, deal: int, index: int, count: int, servers: tuple[str, ...]
    ) -> None:
        try:
            self._share = prepare(item.load_test, servers, Share(index, count))
        except Exception as error:
            self._tell(item, "refused", deal, self._text(error))
        else:
            self._tell(item, "armed", deal)

    def _run(self, item: LoadItem, start: float) -> None:
        share = self._share
        assert share is not None
        with deaf():
            try:
                run_apart(
                    lambda: share.runner.run(
                        start, lambda snapshot: self._say(item, Snapshot(snapshot))
                    )
                )
            except Exception as error:
                self._say(item, Snapshot(share.runner.report()))
                self._say(item, Failed(self._text(error)))
            else:
                self._say(item, Final(reports.snapshot(share.metrics)))
            self._share = None
            self._outbox.flush()

    # Messages.

    def _receive(self, frame: _Frame | None) -> None:
        """A message, or None at the end of the connection. Called in execnet's own thread."""
        share = self._share
        if share is not None and (frame is None or frame[1] == "stop"):
            share.runner.stop()
        self._inbox.put(frame)

    def _next(self, item: LoadItem) -> _Frame:
        """The next message about ``item`` for the main thread: its kind and fields."""
        while True:
            frame = self._inbox.get()
            if frame is None:
                self._inbox.put(None)  # it holds for all that comes
                return ("skip",)
            nodeid, kind, *fields = frame
            if nodeid == item.nodeid and kind != "stop":
                return kind, *fields

    def _say(self, item: LoadItem, message: Message) -> None:
        self._tell(item, *encode(message))

    def _tell(self, item: LoadItem, kind: str, *fields: object) -> None:
        self._outbox.put((item.nodeid, kind, *fields))

    def _packed(self, reports: list[pytest.TestReport]) -> bytes:
        """Reports as JSON: execnet would refuse much of what fixtures can put into them."""
        hook = self._config.hook
        data = [
            hook.pytest_report_to_serializable(config=self._config, report=one) for one in reports
        ]
        return json.dumps(data, default=str).encode()

    def _text(self, error: Exception) -> str:
        """What to tell the user: all there is, if the error is none of those foreseen."""
        if isinstance(error, LoadToolError):
            text = shown_error(error, self._config)
        else:
            text = "".join(traceback.format_exception(error))
        return text.encode(errors="replace").decode()  # execnet refuses lone surrogates
