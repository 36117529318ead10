"""The carriers of load runs: each knows the run, and none another."""

from __future__ import annotations

from tests.test_layering import ROOT, import_graph

CARRIERS = {
    "here": ("pytest_loadtool.engine.local",),
    "xdist": ("pytest_loadtool.plugin.load.xdist_",),
    "dask": ("pytest_loadtool.fleet",),
}


def test_a_carrier_touches_no_file_of_another() -> None:
    """So that a further one changes none of those there are."""
    graph = import_graph(ROOT)
    carrier_of = {
        module: carrier
        for module in graph
        for carrier, begins in CARRIERS.items()
        if module.startswith(begins)
    }
    assert set(carrier_of.values()) == set(CARRIERS)
    for module, carrier in carrier_of.items():
        assert {carrier_of.get(one, carrier) for one in graph[module]} <= {carrier}
