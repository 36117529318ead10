"""Workers of a load run that are processes with pipes: a carrier as small as one can be.

As a program this is one of them: ``python -m tests.engine.piped LOAD_FILE``.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

from pytest_loadtool.engine.prepare.share import prepare, read_test
from pytest_loadtool.engine.run import LoadRun
from pytest_loadtool.engine.worker import Worker


class Processes:
    """The `Workers` of a run: so many processes, which are ended in the end."""

    def __init__(self, path: Path, count: int) -> None:
        command = [sys.executable, "-m", "tests.engine.piped", str(path)]
        self.by_name = {
            f"process {number}": subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            for number in range(count)
        }
        self._heard: SimpleQueue[tuple[str, tuple[Any, ...] | None]] = SimpleQueue()

    def __enter__(self) -> Self:
        for name, process in self.by_name.items():
            threading.Thread(target=self._listen, args=(name, process), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for process in self.by_name.values():
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()

    def send(self, worker: str, kind: str, *fields: Any) -> None:
        """Write an order."""
        pipe = self.by_name[worker].stdin
        assert pipe is not None
        with suppress(OSError):
            pickle.dump((kind, *fields), pipe)
            pipe.flush()

    def end(self, worker: str) -> None:
        """Kill it."""
        self.by_name[worker].kill()

    def receive(self, run: LoadRun, seconds: float = 60.0) -> None:
        """Pass on the next that one says, if it comes in time."""
        with suppress(Empty):
            worker, message = self._heard.get(timeout=seconds)
            if message is None:
                run.lose(worker)
            elif message == ("left",):
                run.leave(worker)
            else:
                run.hear(worker, *message)

    def _listen(self, name: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with suppress(EOFError, ValueError, OSError, pickle.UnpicklingError):
            while True:
                self._heard.put((name, pickle.load(process.stdout)))
        self._heard.put((name, None))


def main(path: Path) -> None:
    """Take part in one run."""
    inbox: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
    writing = threading.Lock()

    def tell(*message: Any) -> None:
        with writing:
            pickle.dump(message, sys.stdout.buffer)
            sys.stdout.buffer.flush()

    worker = Worker(
        partial(prepare, read_test(path)),
        inbox.get,
        tell,
        str,
    )

    def listen() -> None:
        with suppress(EOFError):
            while True:
                order = pickle.load(sys.stdin.buffer)
                if order == ("stop",):
                    worker.stop()
                else:
                    inbox.put(order)

    threading.Thread(target=listen, daemon=True).start()
    tell("ready")
    kind = worker.take_part()
    if kind == "lead":
        tell("prepared", ("",))
        kind = worker.take_part()
    tell("left")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
