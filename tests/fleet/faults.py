"""What becomes of a load test when a part of its cluster dies or stands still, in each phase.

    python -m tests.fleet.faults [--who WORD …] [--phase WORD …] [--how kill stop link]

Starts a cluster for each row, a load test on it, and does it: `kill` is SIGKILL, `stop` SIGSTOP,
and `link` takes the cable of a worker or of who leads away for 5 s or for 60 s (in network
namespaces, as root). Prints
what pytest ends with and says, for how long the server was still asked, and whether all is as it
has to be, nothing left on the cluster too: else it ends with 1. A row takes half a minute, so this
is in no test.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.fleet.clusters import Cluster, Place, cluster
from tests.fleet.namespaces import Network, network
from tests.plugin.loading import Project, load, wait_until
from tests.plugin.serving import Server, case, serving, transaction

PHASES = ("before", "starting", "ramp-up", "steady", "ending", "collecting")
WHO = ("worker", "nanny", "scheduler", "controller")
SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}

#: Seconds of the ramp and of the run, and of a virtual user's pause: in the last one users that
#: began before the end are still at work.
_RAMP, _RUN, _PAUSE = 3, 7, 4

#: Seconds after which a share has to have ended that nobody leads any more.
_ENDED = 30.0

#: Has the process that leads write down which phase it is in, and stay there for a moment.
_CONFTEST = f"""
import time
from pathlib import Path

from pytest_loadtool.engine import run

hear, seen = run.LoadRun.hear, set()


def note(phase, seconds=0.0):
    if phase not in seen:
        seen.add(phase)
        with Path("phases").open("a", encoding="ascii") as file:
            file.write(phase + chr(10))
        time.sleep(seconds)


def heard(self, worker, kind, *fields):
    if kind == "ready":
        note("starting", 1.5)
    elif kind == "final":
        note("collecting", 1.5)
    elif self.started is not None and kind in ("alive", "snapshot"):
        elapsed = time.time() - self.started.timestamp()
        note("ramp-up" if elapsed < {_RAMP} else "steady" if elapsed < {_RUN} else "ending")
    hear(self, worker, kind, *fields)


run.LoadRun.hear = heard
"""


class Times(list[str]):
    """Requests, and when the last of them came."""

    last = 0.0

    def append(self, one: str) -> None:
        """Note one."""
        self.last = time.monotonic()
        super().append(one)


@dataclass(frozen=True, slots=True)
class Fault:
    """Who has what happen to it, and when."""

    who: str
    how: str
    phase: str

    @property
    def is_of_link(self) -> bool:
        """Whether it is a cable."""
        return self.how.startswith("link")

    @property
    def ends_controller(self) -> bool:
        """Whether nothing is told any more."""
        return self.who == "controller" and not self.is_of_link


@dataclass(frozen=True, slots=True)
class Elsewhere(Project):
    """A project whose pytest runs where a command says."""

    before: tuple[str, ...] = ()

    def command(self, *arguments: str) -> list[str]:
        """What runs pytest there."""
        return [*self.before, *Project.command(self, *arguments)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it: with what pytest ended, what it said, for how many seconds the server was
    asked after it, and what is left on the cluster."""

    ended: int | None
    said: str
    asked_for: float
    left: tuple[str, ...]

    def problem(self, fault: Fault) -> str:
        """Return what is not as it has to be."""
        if self.left:
            return f"left on the cluster: {', '.join(self.left)}"
        if fault.who in {"scheduler", "controller"} and self.asked_for > _ENDED:
            return f"the server was asked for {self.asked_for:.0f} s more"
        if fault.ends_controller:
            return ""
        if fault.who == "nanny" and fault.how == "stop":
            expected = {0}  # its worker goes on
        elif fault.phase == "before":
            # One that is dead before the start is no worker of the cluster.
            expected = {0} if fault.who != "scheduler" and fault.how == "kill" else {1}
        elif fault.phase == "collecting":
            expected = {0, 10}
        elif fault.phase == "starting" or fault.how == "link 5 s":
            expected = {0, 1, 10}
        else:
            expected = {10}
        return "" if self.ended in expected else f"ended with {self.ended}"


def project(folder: Path, server: str, before: tuple[str, ...]) -> Project:
    """A load test of six users who pause between two requests."""
    (folder / "conftest.py").write_text(_CONFTEST, encoding="utf-8")
    text = case(server, "GET /first", page=f'First"\nthink_time = "{_PAUSE}s')
    text += f'[[page]]\nname = "Second"\n{transaction("GET /second")}\n'
    (folder / "shop.case.toml").write_text(text, encoding="utf-8")
    more = f'ramp_up = "{_RAMP}s"\ngrace = "10s"\nthink_time = "recorded"'
    text = load("shop.case.toml", users=6, duration=f"{_RUN}s", more=more)
    (folder / "rush.load.toml").write_text(text, encoding="utf-8")
    return Elsewhere(folder, before=before)


@contextmanager
def places(fault: Fault, folder: Path) -> Iterator[tuple[Cluster, Server, Network | None]]:
    """A cluster, a server, and the network between them if a cable is to be pulled."""
    with ExitStack() as stack:
        nanny = Place(options=("--nanny", "--worker-port", "0"))
        if not fault.is_of_link:
            server = stack.enter_context(serving())
            found = stack.enter_context(cluster(folder, {"east": Place(), "west": nanny}))
            yield found, server, None
            return
        net = stack.enter_context(network("s", "e", "w", "t", "c"))
        with net.inside("t"):
            server = stack.enter_context(serving(net.addresses["t"]))
        workers = {"east": Place(net.command("e")), "west": Place(net.command("w"))}
        at = Place(net.command("s"), ("--host", net.addresses["s"]))
        yield stack.enter_context(cluster(folder, workers, at)), server, net


def tried(fault: Fault) -> Outcome:
    """Bring it about, and look."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder, tests = Path(name, "cluster"), Path(name, "tests")
        folder.mkdir()
        tests.mkdir()
        two, server, net = stack.enter_context(places(fault, folder))
        server.requests = asked = Times()
        given = project(tests, server.url, net.command("c") if net is not None else ())
        if fault.phase == "before":
            _do(fault, two, None)
        began = time.monotonic()
        more = ("--load", "--load-json", "out.json", "-s", "--load-on", two.url)
        running = stack.enter_context(given.running(*more))
        if fault.phase != "before":
            wait_until(lambda: _reached(fault, given) or running.poll() is not None, 120)
            if running.poll() is not None:
                return Outcome(
                    None, f"no {fault.phase}: {running.communicate(timeout=9)[0]}", 0.0, ()
                )
            began = time.monotonic()
            if net is None:
                _do(fault, two, running.pid)
            else:
                cable = fault.who[0]
                net.link(cable, "down")
                time.sleep(int(fault.how.split()[1]))
                net.link(cable, "up")
        if fault.ends_controller:
            wait_until(lambda: time.monotonic() - max(began, asked.last) > _PAUSE + 4, 120)
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()
            said, ended = "", None
        else:
            try:
                said, _ = running.communicate(timeout=150)
            except subprocess.TimeoutExpired:
                return Outcome(-1, "", 150.0, ("pytest, after 150 s",))
            ended = running.returncode
            wait_until(lambda: time.monotonic() - max(began, asked.last) > _PAUSE + 4, 120)
        return Outcome(ended, said, max(0.0, asked.last - began), _left(fault, two))


def _reached(fault: Fault, given: Project) -> bool:
    return fault.phase in given.lines("phases")


def _do(fault: Fault, two: Cluster, controller: int | None) -> None:
    pids = {
        "worker": two.workers["east"].pid,
        "nanny": two.workers["west"].pid,
        "scheduler": two.scheduler.pid,
        "controller": controller,
    }
    pid = pids[fault.who]
    assert pid is not None
    os.kill(pid, SIGNALS[fault.how])


def _left(fault: Fault, two: Cluster) -> tuple[str, ...]:
    """What is on the scheduler half a minute later at the latest; who stood still goes on first."""
    if fault.who == "scheduler":
        return ()
    if fault.how == "stop" and fault.who != "controller":
        _do(Fault(fault.who, "stop", ""), two, None)
        pid = two.workers["east" if fault.who == "worker" else "west"].pid
        os.kill(pid, signal.SIGCONT)
    left: list[str] = []

    def nothing() -> bool:
        left[:] = two.left()
        return not left

    with suppress(TimeoutError):
        wait_until(nothing, 40)
    return tuple(left)


def faults() -> Iterator[Fault]:
    """All of them."""
    for phase in PHASES:
        for who in WHO:
            if phase != "before" or who != "controller":
                for how in SIGNALS:
                    yield Fault(who, how, phase)
    for how in ("link 5 s", "link 60 s"):
        for who in ("worker", "controller"):
            for phase in ("ramp-up", "steady"):
                yield Fault(who, how, phase)


def line(fault: Fault, found: Outcome) -> str:
    """A row of the table in docs/fleet.md."""
    words = " ".join(found.said.split())
    named = [
        text
        for text in ("no scheduler answers", "did not answer within", "the scheduler is gone")
        if text in words
    ]
    named += [f"{one} lost" for one in ("east", "west") if f"worker {one} was lost" in words]
    named += [f"{one} heard nothing" for one in ("east", "west") if f"{one}: ended its" in words]
    one = "refused" if fault.phase == "before" else "failed"
    verdicts = {0: "passed", 1: one, 10: "inconclusive", None: ""}
    verdict = verdicts.get(found.ended, str(found.ended))
    told = ", ".join([*filter(None, [verdict]), *named]) or "-"
    end = found.problem(fault) or "as it has to be"
    asked = "-" if fault.phase == "before" else f"{found.asked_for:.1f} s"
    return f"| {fault.phase} | {fault.who} | {fault.how} | {told} | {asked} | {end} |"


def main() -> int:
    """Try them, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--who", nargs="+", default=WHO, choices=WHO)
    parser.add_argument("--phase", nargs="+", default=PHASES, choices=PHASES)
    parser.add_argument("--how", nargs="+", default=(*SIGNALS, "link"))
    options = parser.parse_args()
    print("| phase | who | what | pytest | asked for | |\n|---|---|---|---|---|---|", flush=True)
    wrong = 0
    for fault in faults():
        if (
            fault.who in options.who
            and fault.phase in options.phase
            and fault.how.split()[0] in options.how
        ):
            found = tried(fault)
            wrong += bool(found.problem(fault))
            print(line(fault, found), flush=True)
            if found.problem(fault):
                print(found.said[-3000:], file=sys.stderr, flush=True)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
