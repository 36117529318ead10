"""The HAR file that grows: whole after every entry, readable by others, safe from a kill."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from mitmproxy.http import HTTPFlow
from mitmproxy.io import FlowReader
from playwright.sync_api import sync_playwright

from pytest_loadtool.casefile import HarWriter, read_har
from pytest_loadtool.errors import FileError
from tests.casefile.test_har import EXCHANGE

PAGE = replace(
    EXCHANGE,
    method="GET",
    url="http://shop.test/",
    request_headers=(("Host", "shop.test"),),
    request_body=b"",
    status=200,
    reason="OK",
    response_headers=(("Content-Type", "text/html; charset=utf-8"),),
    response_body="<title>Größe</title>".encode(),
)
IMAGE = replace(
    PAGE,
    url="http://shop.test/x.png",
    response_headers=(("Content-Type", "image/png"),),
    response_body=b"\x89PNG\r\n\x1a\n\xff",
)


def test_the_file_is_whole_after_every_entry(tmp_path: Path) -> None:
    """At each moment any JSON parser reads it, and it holds what was appended so far."""
    path = tmp_path / "x.har"
    with HarWriter(path) as writer:
        for count in range(4):
            log = json.loads(path.read_bytes())["log"]
            assert log["version"] == "1.2"
            assert log["creator"]["name"] == "pytest-loadtool"
            assert len(log["entries"]) == count
            assert writer.append(EXCHANGE) == count
    assert read_har(path) == (EXCHANGE,) * 4


def test_recorded_traffic_is_never_overwritten(tmp_path: Path) -> None:
    """A file that exists is not touched."""
    path = tmp_path / "x.har"
    path.write_text("precious")
    with pytest.raises(FileError, match=r"x\.har: cannot create it: file exists"):
        HarWriter(path)
    assert path.read_text() == "precious"


def test_only_the_owner_reads_the_traffic(tmp_path: Path) -> None:
    """It holds passwords and tokens."""
    path = tmp_path / "traffic.har"
    HarWriter(path).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_lone_surrogates_do_not_stop_a_recording(tmp_path: Path) -> None:
    """What no UTF-8 can hold is escaped, and comes back."""
    path = tmp_path / "x.har"
    odd = replace(EXCHANGE, reason="\udc80")
    with HarWriter(path) as writer:
        writer.append(odd)
    assert read_har(path) == (odd,)


WRITE_FOR_EVER = """
import sys
from pathlib import Path
from pytest_loadtool.casefile import HarWriter
from tests.casefile.test_har import EXCHANGE
writer = HarWriter(Path(sys.argv[1]))
while True:
    print(writer.append(EXCHANGE), flush=True)
"""


def test_a_killed_writer_loses_at_most_the_entry_in_flight(tmp_path: Path) -> None:
    """After kill -9 at any moment every entry that was appended is in the file."""
    path = tmp_path / "x.har"
    process = subprocess.Popen(
        [sys.executable, "-c", WRITE_FOR_EVER, path], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process.stdout as output:
        lines = [output.readline() for _ in range(50)]
        process.send_signal(signal.SIGKILL)
        last = int([*lines, *output.read().split()][-1])
    process.wait()
    exchanges = read_har(path)
    assert len(exchanges) in (last + 1, last + 2)
    assert set(exchanges) == {EXCHANGE}


WRITE_TO_A_FULL_DISK = """
import resource, sys
from pathlib import Path
from pytest_loadtool.casefile import HarWriter
from pytest_loadtool.errors import FileError
from tests.casefile.test_har import EXCHANGE
writer = HarWriter(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    while True:
        count = writer.append(EXCHANGE)
except FileError as error:
    print(count, error)
"""


def test_a_full_disk_leaves_the_file_whole(tmp_path: Path) -> None:
    """When there is no room for an entry, the file is as before it and the error says why."""
    path = tmp_path / "x.har"
    output = subprocess.run(
        [sys.executable, "-c", WRITE_TO_A_FULL_DISK, path],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    count, _, message = output.partition(" ")
    assert message == f"{path}: cannot write it: file too large\n"
    assert len(json.loads(path.read_bytes())["log"]["entries"]) == int(count) + 1


def test_chromium_is_served_from_our_file(tmp_path: Path) -> None:
    """Playwright's HAR player, which knows only the format, gives Chromium the recorded pages."""
    path = tmp_path / "x.har"
    with HarWriter(path) as writer:
        writer.append(PAGE)
        writer.append(IMAGE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page()
        page.route_from_har(path)
        assert page.goto("http://shop.test/") is not None
        assert page.title() == "Größe"
        image = page.goto("http://shop.test/x.png")
        assert image is not None
        assert image.body() == IMAGE.response_body
        browser.close()


def test_mitmproxy_opens_our_file(tmp_path: Path) -> None:
    """Another reader of HAR files finds the same requests and bodies."""
    path = tmp_path / "x.har"
    with HarWriter(path) as writer:
        writer.append(EXCHANGE)
        writer.append(IMAGE)
    with path.open("rb") as file:
        flows = [flow for flow in FlowReader(file).stream() if isinstance(flow, HTTPFlow)]
    assert [flow.request.url for flow in flows] == [EXCHANGE.url, IMAGE.url]
    assert flows[0].request.content == EXCHANGE.request_body
    assert flows[0].response is not None
    assert flows[0].response.content == EXCHANGE.response_body
    assert flows[1].response is not None
    assert flows[1].response.content == IMAGE.response_body
