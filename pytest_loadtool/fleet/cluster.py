"""A Dask cluster and its workers: who can take part in a load test."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from distributed import Client, LocalCluster, Security
from distributed.comm import connect

from pytest_loadtool.engine.prepare.share import LoadTest
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.fleet import remote
from pytest_loadtool.fleet.bundle import pack
from pytest_loadtool.fleet.carrier import PROCESSOR, FleetRun, Member
from pytest_loadtool.fleet.wheel import wheel
from pytest_loadtool.model.load import Fleet

#: Workers that are named where none is taken.
_MOST_NAMED = 5

#: Seconds in which a scheduler answers, and each worker before the start.
_PATIENCE = 10.0


class Cluster:
    """A Dask cluster, for the load tests of a session: ``dask://HOST:PORT`` (``dask+tls://…`` with
    Dask's own TLS settings), or ``dask:N``, N processes on this machine, which end with it.

    With ``install``, workers that have another version of this package get this one.

    Raises:
        LoadToolError: there is none.
    """

    def __init__(self, on: str, *, install: bool = False) -> None:
        self._install = install
        self._local: LocalCluster | None = None
        self._client = self._connected(on)

    def prepare(self, test: LoadTest, servers: Sequence[str]) -> FleetRun:
        """Read all that the shares of ``test`` need; ``servers`` has a base URL for each test case.

        The workers that there are now take part, and none that comes later.

        Raises:
            LoadToolError: a file is wrong, what is secret would travel for all to read, or there
            are no workers, or they are not what this process is.
        """
        plan = test.configuration.fleet
        workers = self._workers(plan)
        bundle, large = pack(test, secrets=plan.secrets != "never")
        # A scheduler on this machine may be the end of a tunnel, so workers count as well.
        way = [self._client.scheduler.address, *(one.address for one in workers.values())]
        if bundle.secret and plan.secrets == "encrypted" and not all(map(_is_confidential, way)):
            raise LoadToolError(
                "values of the environment or the keyring would go to "
                f"{self._client.scheduler.address} without encryption: give the cluster TLS "
                '(dask+tls://, docs/fleet.md), or write secrets = "never" below [fleet] and give '
                "each worker its own"
            )
        return FleetRun(self._client, workers, bundle, large, tuple(servers))

    def close(self) -> None:
        """Leave the cluster, and end one that was made here."""
        with suppress(Exception):  # of a scheduler that is gone
            self._client.close(timeout=2)
        if self._local is not None:
            self._local.close(timeout=5)

    def _connected(self, on: str) -> Client:
        number = on.removeprefix("dask:")
        if number.isdecimal() and int(number):
            self._local = LocalCluster(
                n_workers=int(number),
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
                silence_logs=50,
            )
            return Client(self._local, set_as_default=False)
        scheme, _, address = on.partition("://")
        transport = {"dask": "tcp", "dask+tls": "tls"}.get(scheme)
        if transport is None or not address:
            raise LoadToolError(
                f"--load-on: expected dask:N, dask://HOST:PORT or dask+tls://HOST:PORT, got {on!r}"
            )
        try:
            asyncio.run(_greet(f"{transport}://{address}"))
            return Client(f"{transport}://{address}", timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise LoadToolError(
                f"--load-on {on}: no scheduler answers there ({str(error) or 'time-out'}); is it "
                "up, and does this machine reach it?"
            ) from None

    def _workers(self, plan: Fleet) -> dict[str, Member]:
        """Return the workers that ``plan`` takes, by name; all are what this process is."""
        if self._local is not None:  # on a busy machine one may have been lost, and be on its way
            with suppress(TimeoutError):
                self._client.wait_for_workers(1, timeout=_PATIENCE)
        there = self._client.scheduler_info(n_workers=-1)["workers"]
        found = {address: one for address, one in there.items() if _takes(plan, one)}
        if not found:
            raise LoadToolError(
                f"--load-on: the cluster {self._client.scheduler.address} has no workers"
                + (f" that [fleet] takes: {_names(there)}" if there else "")
            )
        names = {address: _name(address, one["name"]) for address, one in found.items()}
        looked = self._client.sync(_each, self._client, found)
        if silent := sorted(names[one] for one, told in looked.items() if told is None):
            raise LoadToolError(
                f"--load-on: {', '.join(silent)} did not answer within {_PATIENCE:.0f} s: end it, "
                "or wait until it is back"
            )
        mine = remote.here()
        if self._install:
            looked |= self._installed(looked, mine, names)
        kinds = {names[address]: remote.Installed.of(one) for address, one in looked.items()}
        if others := remote.differences(kinds, mine):
            remedy = "end them and start them again" if self._install else "install the same there"
            more = "" if self._install else ", or have it done with --load-install"
            raise LoadToolError(
                f"--load-on: workers have to be what this process is, {mine}; "
                f"{'; '.join(others)}: {remedy}{more}"
            )
        processes = Counter(one["host"] for one in found.values())
        return {
            names[address]: Member(
                address, beside := processes[one["host"]], _part(looked[address], beside)
            )
            for address, one in sorted(found.items(), key=lambda each: names[each[0]])
        }

    def _installed(
        self,
        looked: Mapping[str, Mapping[str, Any]],
        mine: remote.Installed,
        names: Mapping[str, str],
    ) -> dict[str, Any]:
        """Have this package installed where another version of it is; return what is there then,
        by the workers' addresses.

        Raises:
            LoadToolError: it cannot be.
        """
        there = {address: remote.Installed.of(one) for address, one in looked.items()}
        others = [one for one, has in there.items() if has != mine and has.python == mine.python]
        # Of those that have their packages at one place one installs them.
        places = {(urlsplit(one).hostname, looked[one]["prefix"]): one for one in others}
        if not places:
            return {}
        found = self._client.run(remote.install, *wheel(), workers=[*places.values()])
        if failed := [f"{names[one]}: {said}" for one, said in sorted(found.items()) if said]:
            raise LoadToolError(f"--load-install: {'; '.join(failed)}")
        self._client.run(remote.import_anew, workers=others)
        return dict(self._client.sync(_each, self._client, others))


async def _greet(scheduler: str) -> None:
    """See whether a scheduler answers: of one that stands still a client does not give up.

    Raises:
        OSError: it does not.
    """
    encryption = Security().get_connection_args("client")
    async with asyncio.timeout(_PATIENCE + 1):  # its own does not end the wait of one that is there
        comm = await connect(scheduler, timeout=_PATIENCE, **encryption)
    comm.abort()


def _takes(plan: Fleet, worker: Mapping[str, Any]) -> bool:
    """Return whether a worker, as the scheduler describes it, is one of those that take part."""
    name, has = str(worker["name"]), worker.get("resources") or {}
    return (not plan.workers or any(fnmatchcase(name, one) for one in plan.workers)) and all(
        has.get(resource, 0) >= much for resource, much in plan.resources
    )


def _names(workers: Mapping[str, Mapping[str, Any]]) -> str:
    """Return some workers, for people."""
    names = sorted(str(one["name"]) for one in workers.values())
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"there are {', '.join(names[:_MOST_NAMED])}{more}"


def _part(looked: Mapping[str, Any], processes: int) -> int:
    """Return what a process has of a processor, where so many share those of a machine."""
    return max(1, min(PROCESSOR, PROCESSOR * int(looked["processors"]) // processes))


async def _each(client: Client, addresses: Iterable[str]) -> dict[str, dict[str, Any] | None]:
    """Return what each worker is, by its address; None of one that does not answer."""

    async def one(address: str) -> dict[str, Any] | None:
        try:
            async with asyncio.timeout(_PATIENCE):
                answers = await client.run(remote.look, workers=[address])
        except (OSError, TimeoutError, KeyError):
            return None
        return dict(answers[address])

    asked = [*addresses]
    return dict(zip(asked, await asyncio.gather(*map(one, asked)), strict=True))


def _name(address: str, name: object) -> str:
    """Return what a worker is called in the results: its own name, if somebody has given it one."""
    return address.partition("://")[2] if str(name) == address else f"worker {name}"


def _is_confidential(address: str) -> bool:
    """Return whether nobody else can read what goes there."""
    parts = urlsplit(address)
    if parts.scheme == "tls":
        return True
    try:
        return ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return parts.hostname == "localhost"
