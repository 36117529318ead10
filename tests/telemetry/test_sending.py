"""Metrics arrive as the JSON has them: in Prometheus, and in a collector of OpenTelemetry."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpcore  # noqa: F401  here, or each of pytester's runs imports it anew for httpx
import httpx
import pytest
import rotel as rotel_package
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

from tests.plugin.loading import Project, load
from tests.plugin.serving import case, serving
from tests.ports import free_port, free_ports, wait_until_open
from tests.telemetry.collecting import collecting, labels, told

DASHBOARD = Path(__file__).parents[2] / "docs" / "grafana-dashboard.json"


@pytest.fixture
def project(pytester: pytest.Pytester) -> Iterator[Project]:
    """A load test with good answers, bad ones, and three transactions."""
    project = Project(pytester.path, pytester)
    with serving() as server:
        project.write(
            shop__case__toml=case(server.url, "GET /", "GET /two", "GET /status/503"),
            rush__load__toml=load(
                "shop.case.toml", duration="1500ms", more='max_error_rate = "100%"'
            ),
        )
        yield project


@contextmanager
def prometheus(folder: Path) -> Iterator[str]:
    """One that takes remote write and native histograms."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip("Prometheus is not installed (Debian: prometheus)")
    (folder / "prometheus.yml").write_text("global: {scrape_interval: 1m}\n")
    port = free_port()
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(
            [
                *(program, f"--config.file={folder}/prometheus.yml"),
                *(f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"),
                *("--web.enable-remote-write-receiver", "--enable-feature=native-histograms"),
            ],
            stdout=log,
            stderr=log,
        )
    try:
        wait_until_open([port], process, folder)
        while not httpx.get(f"http://127.0.0.1:{port}/-/ready").is_success:
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def ask(url: str, query: str, **when: float | str) -> list[dict[str, Any]]:
    """What Prometheus answers to a query, at a moment or over some time."""
    path = "query_range" if "start" in when else "query"
    answer = httpx.get(f"{url}/api/v1/{path}", params={"query": query, **when})
    assert answer.is_success, (query, answer.text)
    found: list[dict[str, Any]] = answer.json()["data"]["result"]
    return found


def test_prometheus_has_what_the_json_has(project: Project, tmp_path: Path) -> None:
    """Counts, sums, bytes, status codes are equal to the last digit; percentiles are as far off as
    the buckets are wide. Each query of the dashboard finds something."""
    with prometheus(tmp_path) as url:
        began = time.time()
        done = project.run(
            "--load", "--load-json", "out.json", "--load-remote-write", f"{url}/api/v1/write"
        )
        assert done.returncode == 0, done.stdout
        assert "did not take" not in done.stdout
        run = project.json()

        def values(query: str) -> dict[str, float]:
            found = ask(url, query)
            assert all(one["metric"].get("run") == run["started"] for one in found)
            return {
                one["metric"].get("transaction", "") + one["metric"].get("status", ""): float(
                    one["value"][1]
                )
                for one in found
            }

        every = run["transactions"]
        names = {one["name"]: one for one in every}
        assert len(names) == 3
        assert values("loadtool_requests_total") == {
            name + status: count
            for name, one in names.items()
            for status, count in one["status"].items()
        }
        for metric, field in (
            ("loadtool_errors_total", "errors"),
            ("loadtool_received_bytes_total", "bytes_received"),
            ("loadtool_sent_bytes_total", "bytes_sent"),
            ("histogram_count(loadtool_response_time_seconds)", "requests"),
        ):
            assert values(metric) == {name: one[field] for name, one in names.items()}, metric
        for kind in ("response", "service"):
            means = values(
                f"histogram_sum(loadtool_{kind}_time_seconds) / "
                f"histogram_count(loadtool_{kind}_time_seconds) * 1000"
            )
            p95s = values(f"histogram_quantile(0.95, loadtool_{kind}_time_seconds) * 1000")
            for name, one in names.items():
                told = one[f"{kind}_time_ms"]
                assert round(means[name], 3) == pytest.approx(told["mean"], abs=0.0011)
                assert p95s[name] == pytest.approx(told["p95"], rel=0.025)
        (case_of,) = run["cases"]
        assert values("loadtool_iterations_total") == {"": case_of["iterations"]}
        assert values("loadtool_connections_total") == {"": run["connections"]["opened"]}
        assert max(
            float(value)
            for one in ask(url, "loadtool_users", start=began, end=time.time(), step="0.25")
            for _, value in one["values"]
        ) == max(one["users"] for one in run["timeline"])
        for query in queries():
            asked = query.replace("$test", "Rush hour").replace("$run", ".+")
            asked = asked.replace("$__rate_interval", "10s")
            assert ask(url, asked, start=began, end=time.time() + 1, step="0.5"), asked


def test_the_dashboard_is_one() -> None:
    """Grafana's own types read it, and have all of it in what they write."""
    told = json.loads(DASHBOARD.read_text())
    read = json.loads(JSONEncoder().encode(Dashboard.from_json(told)))
    for variable in told["templating"]["list"]:  # what these types do not know: Grafana does
        variable.pop("definition", None)
        if variable.get("allValue", "") is None:
            del variable["allValue"]
    assert lacks(read, told) == []
    assert len({panel["id"] for panel in told["panels"]}) == len(told["panels"]) > 10
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in told["panels"]}
    assert len(places) == len(told["panels"])


def lacks(read: Any, told: Any, place: str = "") -> list[str]:
    """Where ``read`` has not what ``told`` has."""
    match read, told:
        case dict(), dict():
            return [
                where
                for key, value in told.items()
                for where in lacks(read.get(key), value, f"{place}.{key}")
            ]
        case list(), list() if len(read) == len(told):
            pairs = enumerate(zip(read, told, strict=True))
            return [where for at, (a, b) in pairs for where in lacks(a, b, f"{place}[{at}]")]
    return [] if read == told else [place]


def queries() -> list[str]:
    """Those of the dashboard."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    found = [target["expr"] for panel in panels for target in panel["targets"]]
    assert len(found) > 15
    return found


@contextmanager
def rotel(folder: Path, exporting_to: str) -> Iterator[str]:
    """A collector that reads what comes, and exports what it has read."""
    receiver, other = free_ports(2)
    with (folder / "rotel.log").open("wb") as log:
        process = subprocess.Popen(
            [
                *(Path(rotel_package.__file__).with_name("rotel-agent"), "start"),
                *("--otlp-http-endpoint", f"127.0.0.1:{receiver}"),
                *("--otlp-grpc-endpoint", f"127.0.0.1:{other}"),
                *("--exporter", "otlp", "--otlp-exporter-protocol", "http"),
                *("--otlp-exporter-endpoint", exporting_to, "--batch-timeout", "20ms"),
                *("--pid-file", f"{folder}/rotel.pid", "--log-file", f"{folder}/agent.log"),
            ],
            stdout=log,
            stderr=log,
        )
    try:
        wait_until_open([receiver], process, folder)
        yield f"http://127.0.0.1:{receiver}"
    finally:
        process.terminate()  # it exports what it has
        process.wait()


def test_headers_are_of_the_environment(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that a collector wants is sent to it, and shown nowhere."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20s3cret")
    with collecting() as (url, came):
        done = project.run("--load", "--load-otlp", url, "--iterations", "1")
    assert done.returncode == 0, done.stdout
    assert "s3cret" not in done.stdout
    assert {headers["authorization"] for headers, _ in came} == {"Bearer s3cret"}


def test_a_collector_has_what_the_json_has(project: Project, tmp_path: Path) -> None:
    """Counts and sums, least and most, as rotel has read them and passes them on."""
    with collecting() as (url, came):
        with rotel(tmp_path, url) as collector:
            done = project.run("--load", "--load-json", "out.json", "--load-otlp", collector)
        assert done.returncode == 0, done.stdout
        assert "did not take" not in done.stdout
    run = project.json()
    messages = told(came)
    assert len(messages) >= 2  # nothing yet, what it came to, and mostly some while it ran
    metrics = messages[-1]
    points = metrics["loadtool.response.time"].exponential_histogram.data_points
    assert {
        labels(one)["transaction"]: (
            one.count,
            round(round(one.sum * 1e6) / one.count / 1000, 3),
        )
        for one in points
    } == {
        one["name"]: (one["requests"], one["response_time_ms"]["mean"])
        for one in run["transactions"]
    }
    for one in points:
        assert sum(one.positive.bucket_counts) + one.zero_count == one.count
    greatest = max(one.max for one in points)
    assert round(greatest * 1000, 3) == run["totals"]["response_time_ms"]["max"]
    errors = metrics["loadtool.errors"].sum
    assert errors.is_monotonic
    assert sum(one.as_int for one in errors.data_points) == run["totals"]["errors"] > 0
    assert {labels(one)["run"] for one in errors.data_points} == {run["started"]}
    assert sum(one.as_int for one in messages[0]["loadtool.errors"].sum.data_points) == 0


def test_dead_collectors_are_named_once(project: Project) -> None:
    """The load test passes, and its last lines say who took nothing; no password."""
    port = free_port()
    done = project.run(
        "--load", "--load-otlp", f"http://127.0.0.1:{port}",
        "--load-remote-write", f"http://ann:s3cret@127.0.0.1:{port}/write?token=s3cret",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "s3cret" not in done.stdout
    told = re.findall(r"^(--load-\S+) (\S+) did not take any metrics .*$", done.stdout, re.M)
    assert sorted(told) == [
        ("--load-otlp", f"http://127.0.0.1:{port}"),
        ("--load-remote-write", f"http://127.0.0.1:{port}/write"),
    ]


def test_what_is_refused_is_told(project: Project) -> None:
    """With the collector's own words; and an address that is none is said before any load."""
    with collecting(status=400) as (url, _):
        done = project.run("--load", "--load-otlp", url)
    assert "did not take any metrics" in done.stdout
    assert "400" in done.stdout
    done = project.run("--load", "--load-otlp", "localhost:4318")
    assert done.returncode == 4
    assert "--load-otlp: expected an address such as http://127.0.0.1:4318" in done.stdout
