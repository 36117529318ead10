"""What recording costs: the time that the proxy adds to a request, and the memory of the recorder.

    python tests/benchmarks/recording.py latency [--requests N]
    python tests/benchmarks/recording.py memory [--gigabytes N]

``latency`` asks nginx for small and large responses, over HTTP and HTTPS, directly and through the
recorder in turn, each on one connection that stays open, and prints for both the median and the
95th percentile in milliseconds, what is added, and the ratio. The recorder is a process of its own
and writes everything to a traffic file, as when recording.

``memory`` sends the responses of an hour of browsing through the recorder, on six connections:
many small ones, some of them compressed, and a few large; then makes the test case. It prints the
most memory that the recorder's process had (VmHWM of /proc/PID/status). It fails when that is more
than 300 MB.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import http.client
import json
import random
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.nginx import Nginx, self_signed, serving  # noqa: E402  found by the line above

KB, MB = 1024, 1024 * 1024

#: The responses of an hour: name, size and share of the bytes. What ends in .gz is sent as such.
BROWSING = (
    ("page.html.gz", 60 * KB, 0.15),
    ("answer.json", 30 * KB, 0.15),
    ("photo.jpg", 250 * KB, 0.30),
    ("download.bin", 16 * MB, 0.40),
)

#: What the recorder may need, in bytes.
MOST_MEMORY = 300 * MB


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("latency", "memory", "recorder"))
    parser.add_argument("--requests", type=int, default=1000, help="of each kind")
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.what == "recorder":
        return asyncio.run(_record(given.file))
    with tempfile.TemporaryDirectory() as folder:
        if given.what == "latency":
            return _latency(Path(folder), given.requests)
        return _memory(Path(folder), int(given.gigabytes * 1024 * MB))


# -- the recorder, in a process of its own -----------------------------------------------------


async def _record(path: Path) -> int:
    """Record into ``path`` until standard input ends, make the test case, tell the memory."""
    from pytest_loadtool.capture import Recorder
    from pytest_loadtool.capture.evidence import EvidenceWriter
    from pytest_loadtool.casefile import HarWriter
    from pytest_loadtool.recording import build_case

    with HarWriter(path) as writer:
        evidence = EvidenceWriter(path, writer, lambda exchange: None)
        async with Recorder(evidence.add) as recorder:
            ready = {"port": recorder.port, "ca": str(recorder.ca_certificate)}
            print(json.dumps(ready), flush=True)
            await asyncio.to_thread(sys.stdin.read)
        recorded = _most_memory()
        case = build_case(evidence.exchanges, name="benchmark").case
        transactions = len(list(case.transactions()))
        result = {"recorded": recorded, "stopped": _most_memory(), "transactions": transactions}
        print(json.dumps(result), flush=True)
    return 0


def _most_memory() -> int:
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * KB


class Recording:
    """A recorder that runs: its port, its certificate, and in the end what it says."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-W", "ignore", __file__, "recorder", "--file", str(path)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        ready = self._said()
        self.port: int = ready["port"]
        self.ca: str = ready["ca"]

    def stop(self) -> dict[str, int]:
        """End the recording; memory in bytes, and the number of transactions."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        result = self._said()
        self._process.wait()
        return result

    def _said(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the recorder ended")
        result: dict[str, Any] = json.loads(line)
        return result


# -- the server and its clients ----------------------------------------------------------------


@contextmanager
def _site(folder: Path, files: dict[str, bytes]) -> Iterator[Nginx]:
    """nginx, which serves these files over HTTP and HTTPS."""
    (folder / "www").mkdir()
    for name, content in files.items():
        (folder / "www" / name).write_bytes(content)
    self_signed(folder)
    block = """
    access_log off; keepalive_requests 1000000; sendfile on; tcp_nodelay on;
    types { text/html html; application/json json; image/jpeg jpg; application/octet-stream bin; }
    server {
      listen 127.0.0.1:<http>; root www;
      location = /page.html { gzip_static always; }
    }
    server {
      listen 127.0.0.1:<https> ssl; root www;
      ssl_certificate cert.pem; ssl_certificate_key key.pem;
    }
    """
    with serving(folder, block, "http", "https") as nginx:
        yield nginx


def _connection(url: str, recorder: Recording | None) -> tuple[http.client.HTTPConnection, str]:
    """A connection for a URL, and what to ask for on it."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or 80
    if parts.scheme == "https":
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if recorder is None:
            return http.client.HTTPSConnection(host, port, context=context), parts.path
        through = http.client.HTTPSConnection("127.0.0.1", recorder.port, context=context)
        through.set_tunnel(host, port)
        return through, parts.path
    if recorder is None:
        return http.client.HTTPConnection(host, port), parts.path
    return http.client.HTTPConnection("127.0.0.1", recorder.port), url


def _ask(connection: http.client.HTTPConnection, target: str) -> float:
    """Seconds from the request to the last byte of its response."""
    started = time.perf_counter()
    connection.request("GET", target)
    response = connection.getresponse()
    while response.read(MB):
        pass
    if response.status != 200:
        raise SystemExit(f"{target}: status {response.status}")
    return time.perf_counter() - started


# -- the two measurements ----------------------------------------------------------------------


def _latency(folder: Path, requests: int) -> int:
    sizes = {"1KB": KB, "100KB": 100 * KB, "1MB": MB}
    files = {f"{name}.bin": random.randbytes(size) for name, size in sizes.items()}
    print(f"{'response':<14}{'':<10}{'median':>9}{'p95':>9}   milliseconds")
    with _site(folder, files) as nginx:
        recorder = Recording(folder / "traffic.har")
        for scheme, origin in (("http", nginx.http("http")), ("https", nginx.https("https"))):
            for name in sizes:
                count = requests if name != "1MB" else max(requests // 10, 20)
                _compare(f"{scheme} {name}", f"{origin}/{name}.bin", recorder, count)
        recorder.stop()
    return 0


def _compare(name: str, url: str, recorder: Recording, count: int) -> None:
    ways = {"direct": _connection(url, None), "recorded": _connection(url, recorder)}
    times: dict[str, list[float]] = {way: [] for way in ways}
    for number in range(count + 20):
        for way, (connection, target) in ways.items():
            took = _ask(connection, target)
            if number >= 20:
                times[way].append(took * 1000)
    found = {way: _percentiles(taken) for way, taken in times.items()}
    for way, (median, p95) in found.items():
        print(f"{name:<14}{way:<10}{median:9.2f}{p95:9.2f}")
    (median, p95), (median_there, p95_there) = found["direct"], found["recorded"]
    print(f"{'':<14}{'added':<10}{median_there - median:9.2f}{p95_there - p95:9.2f}")
    print(f"{'':<14}{'ratio':<10}{median_there / median:8.1f}x{p95_there / p95:8.1f}x")


def _percentiles(values: list[float]) -> tuple[float, float]:
    ordered = sorted(values)
    return statistics.median(ordered), ordered[int(len(ordered) * 0.95)]


def _memory(folder: Path, volume: int) -> int:
    files, plan = {}, []
    for name, size, share in BROWSING:
        content = random.randbytes(size // 2).hex().encode()
        files[name] = gzip.compress(content, 1) if name.endswith(".gz") else content
        plan += [name.removesuffix(".gz")] * max(1, int(volume * share / size))
    random.Random(1).shuffle(plan)
    print(f"{len(plan)} responses, {volume / MB:.0f} MB when decoded")
    with _site(folder, files) as nginx:
        recorder = Recording(folder / "traffic.har")
        started = time.perf_counter()
        lanes = [
            threading.Thread(target=_browse, args=(nginx.http("http"), recorder, plan[lane::6]))
            for lane in range(6)
        ]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
        took = time.perf_counter() - started
        result = recorder.stop()
    size = (folder / "traffic.har").stat().st_size
    print(f"{took:.0f} s, {len(plan) / took:.0f} responses/s; traffic file {size / MB:.0f} MB")
    print(f"most memory while recording: {result['recorded'] / MB:.0f} MB")
    print(f"most memory, test case made: {result['stopped'] / MB:.0f} MB")
    if result["transactions"] != len(plan):
        raise SystemExit(f"{result['transactions']} transactions, not {len(plan)}")
    return int(result["stopped"] > MOST_MEMORY)


def _browse(origin: str, recorder: Recording, names: list[str]) -> None:
    connection, _ = _connection(f"{origin}/", recorder)
    for name in names:
        _ask(connection, f"{origin}/{name}")


if __name__ == "__main__":
    sys.exit(main())
