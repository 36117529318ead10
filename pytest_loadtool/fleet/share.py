"""A worker of a cluster in one load test: what carries the messages of its `engine.worker.Worker`.

It has two queues on the scheduler: one with orders for it, and one in which all workers tell what
came of them. Messages are pickled tuples ``(name, kind, field, …)``; `load.cluster.conductor` has
their order. Before it is ``ready`` a worker answers each ``ping`` with the time of its clock.
"""

from __future__ import annotations

import asyncio
import pickle
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from distributed import Client, Queue
from distributed.worker import Worker as ClusterWorker
from distributed.worker import get_client, get_worker

from pytest_loadtool.engine.prepare.share import LoadTest, PreparedShare, prepare
from pytest_loadtool.engine.worker import Worker
from pytest_loadtool.errors import LoadToolError, ReplayError
from pytest_loadtool.fleet import remote
from pytest_loadtool.fleet.bundle import Bundle, unpacked, write
from pytest_loadtool.load import Share

#: Seconds between two looks whether somebody still waits for this share.
_PULSE = 1.0

#: Seconds in which the target has to be reached.
_PATIENCE = 5.0

#: In which states a task is what somebody waits for. One whose client is gone is cancelled.
_WANTED = frozenset({"executing", "long-running"})


class _Watchdog:
    """Hears of who leads. When nothing was heard for so many ``seconds`` it has ``barked``, and
    stays so."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._heard = time.monotonic()
        self.barked = False

    def hear(self) -> None:
        """Note that something was heard."""
        self._heard = time.monotonic()

    def look(self) -> bool:
        """Bark if it is time, and return whether it has barked."""
        self.barked = self.barked or time.monotonic() - self._heard > self.seconds
        return self.barked


class _Participant:
    """The ``worker`` that is called ``name`` there, between its orders and what it tells of them.

    The files of the ``test`` are below ``folder``. ``outbox`` has what is to be sent, None at the
    end; ``dismissed`` is set when nobody waits for it any more.
    """

    def __init__(
        self, name: str, folder: Path, test: LoadTest, processes: int, watchdog: _Watchdog
    ) -> None:
        self._name, self._folder, self._watchdog = name, folder, watchdog
        self._inbox: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
        self.outbox: SimpleQueue[tuple[Any, ...] | None] = SimpleQueue()
        self.dismissed = threading.Event()
        self._going = False
        text = partial(_text, name, test.path.parent)
        self.worker = Worker(partial(_prepare, test, processes), self._inbox.get, self._tell, text)

    def obey(self, kind: str, *fields: Any) -> None:
        """Act on an order, or keep it until the worker asks for it."""
        self._watchdog.hear()
        match kind:
            case "pulse":
                if not self._going:  # else it tells what it measures
                    self.outbox.put(("pulse",))
            case "stop":
                self.worker.stop()
            case "ping":
                self.outbox.put(("pong", *fields, time.time()))
            case "files":
                write(self._folder, *fields)
            case _:
                self._going = self._going or kind == "go"
                self._inbox.put((kind, *fields))

    def end(self) -> None:
        """Have it end: nobody waits for its share any more."""
        self.worker.stop()
        self._inbox.put(("skip",))
        self.dismissed.set()

    def _tell(self, kind: str, *fields: Any) -> None:
        if kind == "final" and self._watchdog.barked:
            seconds = f"{self._watchdog.seconds:.0f} s"
            text = f"{self._name}: ended its share, as it heard nothing of who leads for {seconds}"
            kind, fields = "failed", (text,)
        self.outbox.put((kind, *fields))


def take_part(bundle: Bundle, name: str, queues: str, processes: int, cut_off: float) -> None:
    """Take part in one load test, as the worker that is called ``name`` there.

    ``queues`` begins the names of the queues; so many ``processes`` of this machine take part. Who
    hears nothing for ``cut_off`` seconds has failed: nobody could stop it.
    Blocks until the share is run, or nobody waits for it any more.
    """
    orders, told = Queue(f"{queues}-{name}"), Queue(queues)
    over, watchdog = threading.Event(), _Watchdog(cut_off)
    with unpacked(bundle) as (folder, test):
        own = _Participant(name, folder, test, processes, watchdog)
        sender = _thread(_send_all, told, name, own.outbox)
        _thread(_listen, orders, own.obey, own.end)
        cluster = get_worker()
        forget = partial(_forget, get_client(), orders.name, told.name)
        _thread(_watch, cluster, cluster.get_current_task(), over, watchdog, own.end, forget)
        own.outbox.put(("here",))
        try:
            _apart(own.worker.take_part)
            own.outbox.put(("left",))
            own.dismissed.wait()  # until who leads has cleared up, or is gone and it is done here
        finally:
            over.set()
            own.outbox.put(None)
            sender.join()
            if watchdog.barked:
                forget()


def _thread(work: Callable[..., None], *arguments: Any) -> threading.Thread:
    thread = threading.Thread(target=work, args=arguments, daemon=True, name="loadtool-share")
    thread.start()
    return thread


def _apart(work: Callable[[], object]) -> None:
    """Do ``work`` in a thread of its own: Dask looks a hundred times a second at what that of a
    task does, and keeps what it has seen."""
    problems: list[BaseException] = []

    def done() -> None:
        try:
            work()
        except BaseException as error:
            problems.append(error)

    _thread(done).join()
    for one in problems:
        raise one


def _listen(orders: Queue, obey: Callable[..., None], end: Callable[[], None]) -> None:
    with suppress(Exception):  # the scheduler is gone, and there is nobody to tell
        while (order := pickle.loads(orders.get())) is not None:  # noqa: S301  by the controller
            obey(*order)
    end()


def _send_all(told: Queue, name: str, outbox: SimpleQueue[tuple[Any, ...] | None]) -> None:
    with suppress(Exception):  # as above; who listens to orders hears of it
        while (message := outbox.get()) is not None:
            told.put(pickle.dumps((name, *message)))


def _watch(
    cluster: ClusterWorker,
    key: str,
    over: threading.Event,
    watchdog: _Watchdog,
    end: Callable[[], None],
    forget: Callable[[], None],
) -> None:
    """End the share when nobody is there who could, or its task is not wanted any more: then clear
    up for whoever is gone."""
    while not over.wait(_PULSE):
        if watchdog.look():
            end()
        task = cluster.state.tasks.get(key)
        if task is None or task.state not in _WANTED:
            end()
            forget()
            return


def _forget(client: Client, orders: str, told: str) -> None:
    """Others may still tell, when it is this share alone that nobody waits for."""
    with suppress(Exception):  # of a scheduler that is gone, too
        client.run_on_scheduler(remote.forget, [orders], remote.END, shared=told)


def _prepare(test: LoadTest, processes: int, servers: Sequence[str], share: Share) -> PreparedShare:
    """Prepare a share, as `engine.prepare.share.prepare` does, on a machine from which the target
    may not be reached.

    Raises:
        ReplayError: it is not.
    """
    found = prepare(test, servers, share, processes=processes)
    for host, port in found.runner.addresses:
        try:
            asyncio.run(_reach(host, port))
        except (OSError, TimeoutError) as error:
            raise ReplayError(
                f"{host}:{port} is not reached from here ({str(error) or 'time-out'}): the target "
                "has to have an address that all workers know"
            ) from None
    return found


async def _reach(host: str, port: int) -> None:
    async with asyncio.timeout(_PATIENCE):
        _, writer = await asyncio.open_connection(host, port)
    writer.close()


def _text(name: str, folder: Path, error: Exception) -> str:
    """Return what to tell the user, without the folder, which is gone then."""
    if isinstance(error, LoadToolError):
        text = str(error).replace(f"{folder}/", "")
    else:
        text = "".join(traceback.format_exception(error))
    return f"{name}: {text}"
