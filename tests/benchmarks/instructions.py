"""Instructions that a user takes for a request: ``python -m tests.benchmarks.instructions``.

Counted by valgrind (callgrind), so that nothing else on the machine matters: a user of 20 requests
without sockets, in pure Python, with text and JSON checks on every other one. What 20 iterations
take more than 10 is divided by their requests; so what starting takes is not in it.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

_REQUESTS, _FEW, _MANY = 20, 10, 20
_BODY = b'{"id": 17, "name": "Tea House", "items": [1, 2, 3]}'
_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: x\r\n"
    b"Content-Length: %d\r\n\r\n" % len(_BODY)
)
_CHECKS = 'validators = [{ text = "Tea House" }, { json = "$.id", equals = 17 }]'
#: What is counted, and whether requests have traces.
_WAYS = {"as it is": False, "with a trace for each request": True}


class _Nobody:
    """Hears nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def _case() -> str:
    lines = ['format = 1\nname = "x"\nhosts = ["127.0.0.1"]\n[[page]]\nname = "p"']
    for number in range(_REQUESTS):
        lines.append(f'[[page.transaction]]\nrequest = "GET http://127.0.0.1:9/a/{number}"')
        lines.append(_CHECKS if number % 2 else "")
    return "\n".join(lines)


def _work(traced: bool, iterations: int) -> None:
    """Have a user do its iterations; each request is answered at once."""
    from pytest_loadtool.casefile import parse_case
    from pytest_loadtool.replay import Over, Response, VirtualUser, Wait, compile_case
    from pytest_loadtool.replay.acting import actor_for

    gc.disable()
    case = replace(parse_case(_case(), path="x"), traced=traced)
    user = VirtualUser(compile_case(case), lambda *_: 0, _Nobody())
    actor, clock = actor_for(user), 100.0
    for iteration in range(iterations):
        commands = actor.act(user.next_visit(), iteration, clock)
        waiting: list[Any] = []
        event = None
        while not isinstance(command := commands.send(event), Over):
            if not isinstance(command, Wait):
                waiting += command
            event = None
            if waiting:
                clock += 0.01
                event = Response(waiting.pop(0))
                event.status, event.head, event.body = 200, _HEAD, _BODY
                event.sent, event.first_byte, event.finished = clock - 0.005, clock - 0.001, clock
                event.received = len(_HEAD) + len(_BODY)


def _counted(way: str, iterations: int) -> int:
    done = subprocess.run(
        [
            *("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"),
            *(sys.executable, "-m", __spec__.name, "--work", way, str(iterations)),
        ],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    return int(found[1])


def _rows() -> Iterator[tuple[str, int]]:
    for way in _WAYS:
        more = _counted(way, _MANY) - _counted(way, _FEW)
        yield way, more // ((_MANY - _FEW) * _REQUESTS)


def main() -> None:
    """Count, or do the work that is counted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.work:
        _work(_WAYS[wanted.work[0]], int(wanted.work[1]))
        return
    for way, count in _rows():
        print(f"{way:32} {count:>9,} instructions a request", flush=True)


if __name__ == "__main__":
    main()
