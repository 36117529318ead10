"""Who makes the load, and carries the messages of a run, where this session leads it itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from pytest_loadtool.engine.prepare.share import LoadTest, prepare
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.load import Share, Summary

if TYPE_CHECKING:
    from pytest_loadtool.fleet.cluster import Cluster


class Prepared(Protocol):
    """A load test that only has to be started."""

    def stop(self) -> None:
        """Stop now. Called in a handler of signals."""

    def run(self, *, interrupted: Callable[[], bool], **introduction: Any) -> Summary:
        """Run from beginning to end; ``introduction`` is for `LoadRun.introduce`."""

    @property
    def note(self) -> str:
        """Return what is to be known of who made it, in a sentence; may be empty."""


#: Does all that can go wrong before the start; ``servers`` has a base URL for each test case.
Prepare = Callable[[LoadTest, tuple[str, ...]], Prepared]


def _here(_config: pytest.Config) -> Prepare:
    def prepared(test: LoadTest, servers: tuple[str, ...]) -> Prepared:
        from pytest_loadtool.engine.local import LocalRun

        return LocalRun(prepare(test, servers, Share()), test.configuration)

    return prepared


def _fleet(config: pytest.Config) -> Prepare:
    """Have the cluster of ``--load-on`` make the load; it is left when the session is over."""
    clusters: list[Cluster] = []

    def prepared(test: LoadTest, servers: tuple[str, ...]) -> Prepared:
        try:
            from pytest_loadtool.fleet.cluster import Cluster
        except ImportError:
            raise LoadToolError(
                "--load-on needs the package distributed: pip install 'pytest-loadtool[dask]'"
            ) from None
        if not clusters:
            option = config.option
            clusters.append(Cluster(option.load_on, install=bool(option.load_install)))
            config.add_cleanup(clusters[0].close)
        return clusters[0].prepare(test, servers)

    return prepared


@dataclass(frozen=True, slots=True)
class LoadCarrier:
    """A way to make load: what results call it, and what it makes of a session's options."""

    name: str
    open: Callable[[pytest.Config], Prepare]


_DASK = LoadCarrier("a Dask cluster", _fleet)
#: By the first word of ``--load-on``.
CARRIERS: Mapping[str, LoadCarrier] = MappingProxyType(
    {"": LoadCarrier("this process", _here), "dask": _DASK}
)


def carrier_of(config: pytest.Config) -> LoadCarrier:
    """Return the carrier that ``--load-on`` names; Dask's says what else there might have been."""
    on = config.getoption("load_on", None) or ""
    return CARRIERS.get(on.replace("+", ":").partition(":")[0], _DASK)
