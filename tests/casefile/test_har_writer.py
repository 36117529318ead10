"""The HAR file that grows: whole after every entry, readable by others, safe from a kill."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from mitmproxy.http import HTTPFlow
from mitmproxy.io import FlowReader
from playwright.sync_api import sync_playwright

from pytest_loadtool.casefile import HarWriter, read_har, read_troubles
from pytest_loadtool.casefile.har.lines import StoredBody
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


class Large:
    """A body that is in no memory: the same piece over and over."""

    def __init__(self, piece: bytes, times: int) -> None:
        self.piece, self.times = piece, times
        self.size = len(piece) * times

    def chunks(self) -> Iterator[bytes]:
        """All of it."""
        for _ in range(self.times):
            yield self.piece


def test_bodies_are_left_in_the_file(tmp_path: Path) -> None:
    """Text, bytes and bodies of any length are read from it when they are asked for, even after
    the file was moved; the file is like any other."""
    path, moved = tmp_path / "x.har", tmp_path / "y.har"
    large = Large(b"<p>Gr\xc3\xb6\xc3\x9fe \xff", 100_001)
    given = [
        PAGE,
        IMAGE,
        replace(PAGE, response_body=b""),
        replace(PAGE, response_body=b'"quoted" \\ \n \x00 ' + "𝄞".encode()),
        replace(PAGE, response_body=large),
        replace(PAGE, response_body=Large(b"ab", 5)),
    ]
    with HarWriter(path) as writer:
        kept = [writer.keep(one) for one in given]
    path.rename(moved)
    assert not [one for one in kept if isinstance(one.held_body, bytes)]
    assert kept == given
    assert [one.response_size for one in kept] == [len(one.response_body) for one in given]
    assert [one.response_start(7) for one in kept] == [one.response_body[:7] for one in given]
    assert list(read_har(moved)) == given
    texts = [one["response"]["content"] for one in json.loads(moved.read_text())["log"]["entries"]]
    assert texts[5] == {"size": 10, "mimeType": "text/html; charset=utf-8", "text": "ab" * 5}
    assert texts[4]["encoding"] == "base64"


@pytest.mark.slow
def test_large_uploads_are_left_in_the_file(tmp_path: Path) -> None:
    """Text and bytes, in memory before or not; small ones stay at hand."""
    large = Large(b"--X\r\n\x89PNG", 100_001)
    given = [
        replace(EXCHANGE, request_body=large, response_body=large),
        replace(EXCHANGE, request_body=b"".join(large.chunks())),
        replace(EXCHANGE, request_body='"\\\n\u20ac'.encode() * 50_000),
        replace(EXCHANGE, request_body=Large(b"ab", 5)),
        EXCHANGE,
    ]
    path = tmp_path / "x.har"
    with HarWriter(path) as writer:
        kept = [writer.keep(one) for one in given]
    assert [isinstance(one.held_request, StoredBody) for one in kept] == [True] * 3 + [False] * 2
    assert kept == given
    assert [one.request_size for one in kept] == [len(one.request_body) for one in given]
    assert list(read_har(path)) == given
    assert kept[0].changed(url="http://other/").held_request is kept[0].held_request


def test_the_start_of_a_large_body_needs_little_reading() -> None:
    """Only as many pieces as are needed."""
    large = Large(b"abc", 10)
    pieces = large.chunks()
    large.chunks = lambda: pieces  # type: ignore[method-assign]
    assert replace(PAGE, response_body=large).response_start(4) == b"abca"
    assert len(list(pieces)) == 8


WRITE_MUCH_TO_A_FULL_DISK = """
import resource, sys
from dataclasses import replace
from pathlib import Path
from pytest_loadtool.casefile import HarWriter
from pytest_loadtool.errors import FileError
from tests.casefile.test_har_writer import PAGE, Large
writer = HarWriter(Path(sys.argv[1]))
kept = writer.keep(PAGE)
resource.setrlimit(resource.RLIMIT_FSIZE, (5_000_000, 5_000_000))
try:
    writer.keep(replace(PAGE, response_body=Large(bytes(100_000), 100)))
except FileError as error:
    writer.append(PAGE)
    print(error, kept == PAGE)
"""


def test_a_large_body_that_does_not_fit_leaves_the_file_whole(tmp_path: Path) -> None:
    """What was written of it is taken back, and recording goes on."""
    path = tmp_path / "x.har"
    output = subprocess.run(
        [sys.executable, "-c", WRITE_MUCH_TO_A_FULL_DISK, path],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    assert output == f"{path}: cannot write it: file too large True\n"
    assert read_har(path) == (PAGE, PAGE)


def test_troubles_of_a_recording_stand_at_its_end(tmp_path: Path) -> None:
    """They are there at once, whatever follows, in a file that is still whole."""
    path = tmp_path / "x.har"
    with HarWriter(path) as writer:
        assert read_troubles(path) == ()
        writer.append(PAGE)
        writer.trouble('a tab crashed ("oom")')
        assert read_har(path) == (PAGE,)
        writer.append(IMAGE)
        writer.trouble("Größe ],")
        assert read_troubles(path) == ('a tab crashed ("oom")', "Größe ],")
    assert read_har(path) == (PAGE, IMAGE)
    assert read_troubles(path) == ('a tab crashed ("oom")', "Größe ],")


def test_what_only_looks_like_troubles_is_none(tmp_path: Path) -> None:
    """A recorded body that holds the very words, and files of others."""
    path = tmp_path / "x.har"
    body = b'\n],"_troubles":["no"]}}\n'
    with HarWriter(path) as writer:
        writer.append(replace(PAGE, response_body=body))
    assert read_troubles(path) == ()
    path.write_text('{"log": {"entries": [\n],"_troubles":[7, "yes"]}}')
    assert read_troubles(path) == ("yes",)
    path.write_bytes(b'...\n],"_troubles":{')
    assert read_troubles(path) == ()
