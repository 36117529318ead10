"""Real Chromium, launched by the recorder's `Browser`, through the recorder."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.async_api import Page, async_playwright

from pytest_loadtool.capture import Browser, Recorder, find_browser
from pytest_loadtool.errors import RecordingError
from pytest_loadtool.model.exchange import UNENDED, Exchange
from pytest_loadtool.recording.filter.rules import is_background
from tests.capture.clients import curl, through
from tests.capture.driving import driven
from tests.capture.servers import (
    Connection,
    SecureSite,
    WireServer,
    accept_websocket,
    answer,
    secure_site,
)

T = TypeVar("T")

HTML = "Content-Type: text/html; charset=utf-8"


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run it in a loop of its own."""
    return asyncio.run(asyncio.wait_for(coroutine, timeout=120))


@asynccontextmanager
async def browsing(got: list[Exchange], url: str) -> AsyncIterator[Page]:
    """A page of a recorded browser, at ``url``, driven over its debugging port."""
    async with Recorder(got.append) as recorder, driven(recorder, url) as page:
        yield page


def site(connection: Connection, request: bytes) -> bool:
    """A page with a form, and an answer to it."""
    body = b"<title>Form</title><form method=post action=/in><input name=u value='a b'><button>"
    if request.startswith(b"POST"):
        body = b"<title>Done</title>"
    return answer(body, HTML)(connection, request)


@pytest.mark.promise(8)
def test_the_server_sees_the_browser_as_if_there_were_no_recorder(tmp_path: Path) -> None:
    """Byte for byte the request that the same Chromium sends without a proxy; and so recorded."""
    got: list[Exchange] = []

    async def scenario(url: str) -> None:
        async with browsing(got, url):
            pass

    with WireServer(answer(b"<link rel=icon href=data:,><p>hello", HTML)) as server:
        url = f"{server.origin}/start?x=1"
        subprocess.run(
            [
                find_browser(), "--headless=new", "--no-sandbox", f"--user-data-dir={tmp_path}",
                "--dump-dom", url,
            ],
            check=True, capture_output=True, timeout=60,
        )  # fmt: skip
        run(scenario(url))
        direct, recorded = server.requests
    assert recorded == direct
    (exchange,) = got
    lines = recorded.partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
    assert [f"{name}: {value}" for name, value in exchange.request_headers] == lines


@pytest.mark.promise(8)
def test_only_what_its_user_does_is_recorded() -> None:
    """Starting, visiting, submitting a form and closing add no traffic of the browser's own."""
    got: list[Exchange] = []

    async def scenario(server: WireServer) -> None:
        async with browsing(got, f"{server.origin}/form") as page, page.expect_navigation():
            await page.click("button")

    with WireServer(site) as server:
        run(scenario(server))
    foreign = [exchange for exchange in got if not exchange.url.startswith(server.origin)]
    assert [exchange.url for exchange in foreign if not is_background(exchange)] == []
    assert foreign == []
    form = next(exchange for exchange in got if exchange.method == "POST")
    assert form.request_body == b"u=a+b"
    assert form.request_header("origin") == server.origin


@pytest.mark.promise(135)
@pytest.mark.promise(8)
def test_https_shows_no_error_page(tmp_path: Path) -> None:
    """The recorder's certificate is trusted in this profile, and HTTP/2 is spoken on both sides."""
    got: list[Exchange] = []

    async def scenario(nginx: SecureSite) -> tuple[str, str]:
        async with browsing(got, f"{nginx.origin}/") as page:
            return await page.title(), await page.inner_text("p")

    with secure_site(tmp_path) as nginx:
        assert run(scenario(nginx)) == ("Secure", "HTTP/2.0")
    # On a slow machine a browser may give up a connection, and open another.
    first = next(one for one in got if one.status)
    assert (first.http_version, first.status, first.error) == ("HTTP/2", 200, "")
    assert first.request_header("sec-fetch-dest") == "document"


_CLIENT = """
<!doctype html><title>API client</title><link rel=icon href=data:,><script>
async function all(api, ws) {
  const json = {"content-type": "application/json"}
  await fetch(api + "/rest/7", {method: "PUT", headers: {...json, "x-api-key": "k"}, body: "{}"})
  await fetch("/graphql", {method: "POST", headers: json,
    body: JSON.stringify({operationName: "Orders", query: "query Orders {orders {id}}"})})
  const soap = {"content-type": "text/xml", SOAPAction: '"urn:a"'}
  await fetch("/soap", {method: "POST", headers: soap, body: "<Envelope/>"})
  const socket = new WebSocket(ws)
  const message = await new Promise((done, failed) => {
    socket.onmessage = event => done(event.data)
    socket.onclose = event => failed(Error(`the WebSocket closed: ${event.code}`))
  })
  const events = new EventSource("/events")
  const event = await new Promise((done, failed) => {
    events.onmessage = event => done(event.data)
    events.onerror = () => failed(Error("the events broke off"))
  })
  return [message, event]
}
</script>
"""

_CORS = (
    "Access-Control-Allow-Origin: *",
    "Access-Control-Allow-Methods: PUT",
    "Access-Control-Allow-Headers: content-type, x-api-key",
)


def _application(connection: Connection, request: bytes) -> bool:
    if b" /events " in request.split(b"\r\n")[0]:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        connection.send(head + b"data: tick\n\n")
        connection.wait_closed()
        return False
    if request.startswith(b"POST /graphql"):
        return answer(b'{"data": {}}', "Content-Type: application/json")(connection, request)
    if request.startswith(b"POST /soap"):
        return answer(b"<Envelope/>", "Content-Type: text/xml")(connection, request)
    return answer(_CLIENT.encode(), HTML)(connection, request)


@pytest.mark.promise(6)
@pytest.mark.promise(8)
def test_an_api_client_in_the_browser_is_recorded() -> None:
    """REST on another origin with its preflight, GraphQL, SOAP, WebSocket, events: all are kept."""
    got: list[Exchange] = []

    async def scenario(client: WireServer, api: WireServer, ws: WireServer) -> list[str]:
        async with browsing(got, f"{client.origin}/client") as page:
            arguments = [api.origin, f"ws://127.0.0.1:{ws.port}/socket"]
            calls = page.evaluate("([api, ws]) => all(api, ws)", arguments)
            try:
                result: list[str] = await asyncio.wait_for(calls, timeout=90)
            except TimeoutError:
                pytest.fail(f"not all has ended; what has: {got}")
            return result

    with (
        WireServer(_application) as client,
        WireServer(answer(b'{"id": 7}', "Content-Type: application/json", *_CORS)) as api,
        WireServer(accept_websocket) as ws,
    ):
        assert run(scenario(client, api, ws)) == ["hello", "tick"]
    got[5:] = sorted(
        got[5:], key=lambda one: one.url[-6:]
    )  # both end with the browser, either first
    seen = [
        (exchange.method, exchange.url.rpartition(":")[2].partition("/")[2], exchange.note)
        for exchange in got
    ]
    assert seen == [
        ("GET", "client", ""),
        ("OPTIONS", "rest/7", ""),
        ("PUT", "rest/7", ""),
        ("POST", "graphql", ""),
        ("POST", "soap", ""),
        ("GET", "events", UNENDED),
        ("GET", "socket", "WebSocket upgrade"),
    ]
    assert got[2].request_header("x-api-key") == "k"
    assert got[4].request_header("soapaction") == '"urn:a"'
    assert got[5].response_body == b"data: tick\n\n"


def test_pages_are_not_told_that_a_program_drives_the_browser() -> None:
    """What is recorded is a person's session, and sites may treat others differently."""

    async def scenario(server: WireServer) -> object:
        async with browsing([], f"{server.origin}/") as page:
            return await page.evaluate("navigator.webdriver")

    with WireServer(answer(b"<p>", HTML)) as server:
        assert run(scenario(server)) is False


def test_a_deep_directory_for_temporary_files_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser's socket could not be made there; its profile is there nevertheless."""
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setenv("TMPDIR", str(deep))
    monkeypatch.setattr(tempfile, "tempdir", None)

    async def scenario() -> list[Path]:
        async with Recorder(lambda _: None) as recorder:
            address = ("about:blank", recorder.port, recorder.ca_certificate)
            async with Browser(find_browser(), *address, headless=True):
                return list(deep.glob("*/profile"))

    assert len(run(scenario())) == 1
    assert list(deep.iterdir()) == []


def test_closing_leaves_nothing_behind() -> None:
    """The profile is deleted, and no process of the browser is left."""

    async def scenario() -> tuple[int, str, list[str]]:
        async with Recorder(lambda _: None) as recorder:
            address = ("about:blank", recorder.port, recorder.ca_certificate)
            async with Browser(find_browser(), *address, headless=True) as browser:
                running = _group(browser.pid)
                profile = _profile(browser.pid)
                assert profile.is_dir()
                assert browser.debugging_url == ""
            assert not profile.exists()
            return browser.pid, await browser.wait_closed(), running

    pid, reason, running = run(scenario())
    assert running
    assert _left(pid) == []
    assert reason == ""


def test_a_crash_is_noticed() -> None:
    """`wait_closed` returns with what happened; what is left is removed all the same."""

    async def scenario() -> str:
        async with Recorder(lambda _: None) as recorder:
            address = ("about:blank", recorder.port, recorder.ca_certificate)
            async with Browser(find_browser(), *address, headless=True) as browser:
                profile = _profile(browser.pid)
                os.kill(browser.pid, signal.SIGSEGV)
                reason = await browser.wait_closed()
            assert _left(browser.pid) == []
            assert not profile.exists()
            return reason

    assert "the browser ended" in run(scenario())


def test_of_a_killed_browser_nothing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its profile nor the directory of its socket, which only itself would remove; the
    recorder goes on."""
    got: list[Exchange] = []
    with tempfile.TemporaryDirectory(prefix="t-") as short:
        monkeypatch.setattr(tempfile, "tempdir", short)
        monkeypatch.setenv("TMPDIR", short)

        async def scenario(url: str) -> str:
            async with (
                Recorder(got.append) as recorder,
                Browser(
                    find_browser(), "about:blank", recorder.port, recorder.ca_certificate
                ) as browser,
            ):
                os.kill(browser.pid, signal.SIGKILL)
                reason = await browser.wait_closed()
                assert (await curl(*through(recorder), url)).output == b"ok"
                return reason

        with WireServer(answer(b"ok")) as server:
            reason = run(scenario(f"{server.origin}/"))
        assert list(Path(short).iterdir()) == []
    assert reason == "the browser ended by signal SIGKILL"  # and nothing of what it always says
    assert [one.status for one in got] == [200]


def test_a_tab_that_crashes_is_reported() -> None:
    """The recording of a crashed page is not taken for a whole one."""

    async def scenario() -> tuple[str, ...]:
        async with Recorder(lambda _: None) as recorder:
            address = ("about:blank", recorder.port, recorder.ca_certificate)
            async with (
                Browser(
                    find_browser(), *address, headless=True, remote_debugging_port=0
                ) as browser,
                async_playwright() as playwright,
            ):
                connected = await playwright.chromium.connect_over_cdp(browser.debugging_url)
                page = connected.contexts[0].pages[0]
                crashed = asyncio.get_running_loop().create_future()
                page.on("crash", lambda _: crashed.set_result(None))
                session = await page.context.new_cdp_session(page)
                crash = asyncio.create_task(session.send("Page.crash"))
                await crashed
                crash.cancel()
            return browser.crashes

    assert run(scenario())[0].startswith("a tab crashed")


@pytest.mark.promise(125)
def test_a_tab_that_hangs_is_reported() -> None:
    """Its script never ends; the browser itself answers."""
    busy = b"<script>setTimeout(() => { while (true); }, 0)</script>"

    async def scenario(url: str) -> tuple[str, ...]:
        async with Recorder(lambda _: None) as recorder:
            address = (recorder.port, recorder.ca_certificate)
            async with Browser(find_browser(), url, *address, headless=True, patience=5) as browser:
                while not browser.crashes:
                    await browser.check_alive()
            return browser.crashes

    with WireServer(answer(busy, HTML)) as server:
        (crash,) = run(scenario(f"{server.origin}/"))
    assert crash.startswith("a tab did not answer")


@pytest.mark.promise(125)
@pytest.mark.parametrize(
    ("number", "patience", "condition"),
    [
        (signal.SIGKILL, 60, "the browser ended by signal SIGKILL"),
        (signal.SIGSTOP, 1, "the browser hung: it did not answer for 1 seconds"),
    ],
)
def test_a_browser_that_dies_or_hangs_is_reported(
    number: signal.Signals, patience: int, condition: str
) -> None:
    """Both leave a recording that must be made again; closing still leaves nothing behind."""

    async def scenario() -> tuple[str, ...]:
        async with Recorder(lambda _: None) as recorder:
            address = ("about:blank", recorder.port, recorder.ca_certificate)
            opened = Browser(find_browser(), *address, headless=True, patience=patience)
            async with opened as browser:
                os.kill(browser.pid, number)
                while not browser.crashes:  # noqa: ASYNC110  the console looks when it is asked
                    await asyncio.sleep(0.05)
                with suppress(ProcessLookupError):
                    os.kill(browser.pid, signal.SIGCONT)
            assert _left(browser.pid) == []
            return browser.crashes

    (crash,) = run(scenario())
    assert crash.startswith(condition)


#: What Chromium always says where there is no desktop.
DBUS = "[21392:1:ERROR:dbus/object_proxy.cc:572] Failed to call method: org.freedesktop.DBus"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("#!/bin/sh\necho no display >&2; exit 3\n", "did not start: no display"),
        ("#!/bin/sh\nexit 0\n", "did not start: no reason given"),
        (
            f"#!/bin/sh\necho no display >&2; echo '{DBUS}' >&2; exit 3\n",
            "did not start: no display$",
        ),
    ],
)
def test_a_browser_that_does_not_start_says_why(tmp_path: Path, script: str, message: str) -> None:
    """Its last words are in the error."""
    broken = tmp_path / "browser"
    broken.write_text(script)
    broken.chmod(0o755)

    async def scenario() -> None:
        async with Recorder(lambda _: None) as recorder:
            address = ("about:blank", recorder.port, recorder.ca_certificate)
            with pytest.raises(RecordingError, match=message):
                async with Browser(str(broken), *address):
                    pass

    run(scenario())


def test_an_address_must_be_one() -> None:
    """What looks like a switch does not become one."""

    async def scenario() -> None:
        with pytest.raises(RecordingError, match="start it with http"):
            async with Browser("chromium", "--gpu-launcher=xterm", 1, Path("ca.pem")):
                pass

    run(scenario())


def test_the_browser_dies_with_the_recorder() -> None:
    """Even when its parent is killed, no browser goes on in the background."""
    script = """
import asyncio, sys
from pytest_loadtool.capture import Browser, Recorder, find_browser

async def main():
    async with Recorder(print) as recorder:
        address = ("about:blank", recorder.port, recorder.ca_certificate)
        async with Browser(find_browser(), *address, headless=True) as browser:
            print(browser.pid, flush=True)
            await asyncio.sleep(60)

asyncio.run(main())
"""
    command = [sys.executable, "-c", script]
    # The profile stays, and for a socket in it Chromium needs a short path.
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "TMPDIR": folder}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            browser = int(process.stdout.readline())
            descriptor = os.pidfd_open(browser)
            process.kill()
        try:
            # A pidfd becomes readable when its process ends.
            assert select.select([descriptor], [], [], 30)[0]
        finally:
            os.close(descriptor)


def _left(pid: int) -> list[str]:
    """What is left of a process group that was killed: on a busy machine, that takes a while."""
    end = time.monotonic() + 20
    while (found := _group(pid)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def _group(pid: int) -> list[str]:
    """The commands of the processes in a process group, those aside that only wait to be reaped."""
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (directory / "stat").read_text().rpartition(")")
        except (FileNotFoundError, ProcessLookupError):
            continue
        state, _parent, group, *_ = rest.split()
        if int(group) == pid and state != "Z":
            found.append(name)
    return found


def _profile(pid: int) -> Path:
    command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    prefix = b"--user-data-dir="
    return Path(next(one[len(prefix) :] for one in command if one.startswith(prefix)).decode())
