"""A slow request is found in the traces of the server that answered it, by the id in the report."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from opentelemetry.instrumentation.wsgi import OpenTelemetryMiddleware
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.plugin.loading import Project, load
from tests.plugin.serving import case
from tests.plugin.test_html import data_of

ITERATIONS, SLOW = 12, 7
#: Seconds: longer than any other answer takes on a machine with a lot to do.
LONG = 3.0


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def instrumented() -> Iterator[tuple[str, Callable[[], tuple[ReadableSpan, ...]]]]:
    """A server that OpenTelemetry's own instrumentation traces: its address, and the spans that it
    has made. One of its answers to ``/now-and-then`` takes long."""
    asked: list[str] = []

    def application(environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
        asked.append(environ["PATH_INFO"])
        if asked.count("/now-and-then") == SLOW and asked[-1] == "/now-and-then":
            time.sleep(LONG)
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
    """The server has a trace of each request; the one that the report names is the one that took
    long there."""
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
    assert set(named.values()) <= set(traces)
    found = traces[named["GET /now-and-then"]]
    assert found.start_time is not None
    assert found.end_time is not None
    assert found.end_time - found.start_time >= LONG * 1e9
    assert found.attributes is not None
    assert str(found.attributes["http.url"]).endswith("/now-and-then")
    assert named["GET /now-and-then"] in done.stdout
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
