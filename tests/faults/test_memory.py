"""Memory: bodies without end, and a process that has little room for them."""

from __future__ import annotations

import pytest

from tests.faults.server import Answer, Peer, by_path, endless, hold, serving
from tests.plugin.loading import Project, load
from tests.plugin.serving import case

#: Leaves pytest so much more memory (address space, in MB) than it has by now.
NARROW = """
import resource
from pathlib import Path

def pytest_collection_finish():
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    room = pages * resource.getpagesize() + ({room} << 20)
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
"""

CHUNKS = endless(
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"100000\r\n" + bytes(1 << 20) + b"\r\n",
)
TO_THE_END = endless(b"HTTP/1.1 200 OK\r\n\r\n", bytes(1 << 20))


def counted(size: int) -> Answer:
    """A body of so many bytes."""

    def answer(peer: Peer) -> None:
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        for _ in range(size >> 20):
            peer.send(bytes(1 << 20))
        hold()(peer)

    return answer


TRANSPORTS = pytest.mark.parametrize("transport", ["raw", "httpx"])


@TRANSPORTS
@pytest.mark.parametrize("answer", [CHUNKS, TO_THE_END], ids=["chunks", "to the end"])
def test_our_own_memory_is_not_the_servers_fault(
    project: Project, transport: str, answer: Answer
) -> None:
    """Where there is no room for a body, the failure says whose memory it is, and the run is
    inconclusive; requests that there is room for go on."""
    with serving(by_path({"/endless": answer})) as server:
        project.write(
            conftest__py=NARROW.replace("{room}", "150"),
            big__case__toml=case(server.http, "GET /endless", "GET /well"),
            rush__load__toml=load(
                "big.case.toml",
                users=1,
                duration="20s",
                more='iterations = 2\nbody_limit = "1000 GB"',
            ),
        )
        options = ("--load", "--load-json", "out.json", "-o", f"loadtool_transport={transport}")
        done = project.run(*options)
    assert done.returncode == 10, done.stdout
    assert "Traceback" not in done.stdout
    data = project.json()
    (error,) = data["errors"]
    assert (error["cause"], error["count"]) == ("memory", 2)
    assert data["totals"]["status"] == {"0": 2, "200": 2}
    assert data["verdict"] == "inconclusive"
    assert data["reasons"][0].startswith(
        "the memory of the workers did not suffice for 2 responses"
    )


@TRANSPORTS
def test_large_bodies_cost_no_memory(project: Project, transport: str) -> None:
    """Bodies of which not half would have room: what ends is counted to its last byte
    and passes, what never ends fails at its time-out."""
    size = 400 << 20
    with serving(by_path({"/endless": CHUNKS, "/large": counted(size)})) as server:
        project.write(
            conftest__py=NARROW.replace("{room}", "150"),
            big__case__toml=case(server.http, "GET /large", "GET /endless"),
            rush__load__toml=load(
                "big.case.toml",
                users=1,
                duration="100s",
                more='iterations = 1\ntimeout = "20s"\nbody_limit = "1 MB"',
            ),
        )
        options = ("--load", "--load-json", "out.json", "-o", f"loadtool_transport={transport}")
        done = project.run(*options)
    assert done.returncode == 1, done.stdout
    data = project.json()
    large, endless_one = data["transactions"]
    assert (large["errors"], endless_one["errors"]) == (0, 1)
    assert [error["cause"] for error in data["errors"]] == ["timeout"]
    assert size < data["totals"]["bytes_received"]
