"""A slow request is found in the traces of the server that answered it, by the id in the report."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from opentelemetry.instrumentation.wsgi import OpenTelemetryMiddleware
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from pytest_loadtool.load.metrics.traces import SlowestTraces
from tests.plugin.loading import Project, load
from tests.plugin.serving import case
from tests.plugin.test_html import data_of

ITERATIONS = 12


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def instrumented() -> Iterator[tuple[str, Callable[[], tuple[ReadableSpan, ...]]]]:
    """A server that OpenTelemetry's own instrumentation traces: its address, and the spans that it
    has made."""

    def application(_environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
        return [b"ok"]

    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    traced = OpenTelemetryMiddleware(application, tracer_provider=provider)
    with make_server("127.0.0.1", 0, traced, handler_class=_Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", spans.get_finished_spans
        finally:
            server.shutdown()
            thread.join()
            provider.shutdown()


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_the_slowest_request_is_found(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    """The server has a trace of each request, and of each transaction the one that the report
    names."""
    project = Project(pytester.path, pytester)
    with instrumented() as (url, spans):
        project.write(
            shop__case__toml=case(url, "GET /", "GET /now-and-then"),
            rush__load__toml=load(
                "shop.case.toml", users=2, duration="60s", more=f"iterations = {ITERATIONS}"
            ),
        )
        done = project.run(
            *("--load", "--loadtool-traceparent", "--load-json", "out.json"),
            *("--load-html", "out.html", *workers),
        )
        traces = {f"{one.context.trace_id:032x}": one for one in spans() if one.context}
    assert len(traces) == 2 * 2 * ITERATIONS
    assert project.json()["totals"]["errors"] == 0
    named = {one["name"]: one["slowest_trace"] for one in project.json()["transactions"]}
    for one in project.json()["transactions"]:
        found = traces[one["slowest_trace"]]
        assert found.attributes is not None
        assert f"GET {urlsplit(str(found.attributes['http.url'])).path}" == one["name"]
        assert one["slowest_trace"] in done.stdout
    rows = data_of(pytester.path / "out.html")["runs"][0]["rows"]
    assert {one["name"]: one["trace"] for one in rows if "trace" in one} == named


def test_without_traces_none_is_named(pytester: pytest.Pytester) -> None:
    """Null in the JSON, nothing in the text."""
    project = Project(pytester.path, pytester)
    with instrumented() as (url, _):
        project.write(
            shop__case__toml=case(url, "GET /"),
            rush__load__toml=load("shop.case.toml", duration="60s", more="iterations = 1"),
        )
        done = project.run("--load", "--load-json", "out.json")
    assert [one["slowest_trace"] for one in project.json()["transactions"]] == [None]
    assert "slowest requests" not in done.stdout


def test_the_slowest_of_each_transaction() -> None:
    """In whatever order requests come, and workers report; what was told is not told again."""
    traces, merged = SlowestTraces(), SlowestTraces()
    for index, us, trace in ((0, 20, "a"), (0, 30, "b"), (0, 10, "c"), (1, 5, "d")):
        traces.record(
            index, us, b"GET / HTTP/1.1\r\ntraceparent: 00-" + trace.encode() * 32 + b"-1"
        )
    assert traces.trace(0) == "b" * 32
    assert traces.trace(2) == ""
    merged.merge_wire([(0, 40, "e")])
    merged.merge(traces)
    assert (merged.trace(0), merged.trace(1)) == ("e", "d" * 32)
    known = SlowestTraces()
    known.merge_wire(traces.to_wire())
    assert traces.to_wire(known) == []
    traces.record(1, 6, b"\r\ntraceparent: 00-" + b"f" * 32)
    assert traces.to_wire(known) == [(1, 6, "f" * 32)]
