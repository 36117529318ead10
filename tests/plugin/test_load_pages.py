"""Percentiles of pages, from the load configuration to the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case


@pytest.mark.promise(126)
@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
@pytest.mark.parametrize("detailed", [True, False])
def test_percentiles_of_pages(
    pytester: pytest.Pytester, server: Server, workers: list[str], detailed: bool
) -> None:
    """`detailed_pages` ("Record Detailed Page Durations") has the median, 95th and 99th percentile
    of each page reported; without it they are not, and the report says how to turn them on."""
    project = Project(pytester.path, pytester)
    project.write(
        shop__case__toml=case(server.url, "GET /", "GET /two"),
        rush__load__toml=load("shop.case.toml", more="detailed_pages = true" if detailed else ""),
    )
    done = project.run("--load", "--load-json", "out.json", *workers)
    assert done.returncode == 0, done.stdout
    (page,) = project.json()["pages"]
    times = page["duration_ms"]
    percentiles = [times["p50"], times["p95"], times["p99"]]
    if detailed:
        assert times["min"] <= percentiles[0]
        assert percentiles == sorted(percentiles)
        assert percentiles[2] <= times["max"]
    else:
        assert percentiles == [None, None, None]
    assert ("detailed_pages = true" in done.stdout) is not detailed


def test_a_terminal_without_blocks(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the stream cannot carry the blocks of the lines over the run, they are ASCII."""
    project = Project(tmp_path)
    project.write(
        shop__case__toml=case(server.url, "GET /"),
        rush__load__toml=load("shop.case.toml", duration="2200ms"),
    )
    for encoding, carries in (("utf-8", True), ("ascii", False)):
        monkeypatch.setenv("PYTHONIOENCODING", encoding)
        done = project.run("--load")
        assert done.returncode == 0, done.stdout
        (line,) = (one for one in done.stdout.splitlines() if one.startswith("requests/s "))
        assert ("█" in line) is carries
        assert ("@" in line) is not carries
