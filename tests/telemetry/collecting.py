"""What takes OTLP, and has what came."""

from __future__ import annotations

import gzip
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

__all__ = ["collecting", "labels", "told"]


@contextmanager
def collecting(status: int = 200) -> Iterator[tuple[str, list[tuple[Any, Any]]]]:
    """What takes OTLP: its address, and the headers and decoded messages that came."""
    came: list[tuple[Any, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            coding = self.headers.get("Content-Encoding")
            if coding == "gzip":
                body = gzip.decompress(body)
            elif coding == "deflate":
                body = zlib.decompress(body)
            assert self.path == "/v1/metrics"
            came.append((self.headers, ExportMetricsServiceRequest.FromString(body)))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", came
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def labels(point: Any) -> dict[str, str]:
    """The attributes of a point."""
    return {one.key: one.value.string_value for one in point.attributes}


def told(came: Sequence[tuple[Any, Any]]) -> list[dict[str, Any]]:
    """What came, in the order that it was measured in: metrics by their names."""
    return sorted(
        (
            {one.name: one for one in resource.scope_metrics[0].metrics}
            for _, message in came
            for resource in message.resource_metrics
        ),
        key=lambda one: one["loadtool.users"].gauge.data_points[0].time_unix_nano,
    )
