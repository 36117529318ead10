"""Browsers without a network that open a page from disk: Chromium by Playwright, Firefox by its own
protocol (Marionette), which needs no driver."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from playwright.sync_api import sync_playwright

__all__ = ["BROWSERS", "Shown", "opened"]

#: Whatever a page asks for but files would go here, where nothing listens.
NOWHERE = 9


class Shown(Protocol):
    """A page that a browser shows."""

    def run(self, script: str) -> Any:
        """What ``return …`` gives."""

    def picture(self, path: Path) -> None:
        """Take a picture of what is seen."""

    def until(self, script: str) -> None:
        """Wait until ``return …`` gives true."""

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press, move and release the mouse."""

    def printed(self) -> bytes:
        """The page as it is printed: a PDF."""


class _Waiting:
    """Runs scripts until they are content."""

    def until(self: Shown, script: str) -> None:
        deadline = time.monotonic() + 60
        while not self.run(script):
            assert time.monotonic() < deadline, script
            time.sleep(0.05)


class _Chromium(_Waiting):
    def __init__(self, page: Any) -> None:
        self._page = page

    def run(self, script: str) -> Any:
        return self._page.evaluate(f"() => {{ {script} }}")

    def picture(self, path: Path) -> None:
        self._page.screenshot(path=path)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self._page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=5)
        mouse.up()

    def printed(self) -> bytes:
        return bytes(self._page.pdf())


@contextmanager
def _chromium(file: Path, width: int, dark: bool) -> Iterator[Shown]:
    asked: list[str] = []
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path)
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            offline=True,
            color_scheme="dark" if dark else "light",
        )
        page = context.new_page()
        page.on("request", lambda one: asked.append(one.url))
        page.on("pageerror", lambda error: asked.append(f"error: {error}"))
        page.on("dialog", lambda one: asked.append(f"dialog: {one.message}"))
        page.goto(file.as_uri())
        try:
            yield _Chromium(page)
        finally:
            browser.close()
    assert asked == [file.as_uri()]


class _Firefox(_Waiting):
    """A session of Marionette: messages of JSON, each after its length."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._stream = self._socket.makefile("rb")
        self._number = 0
        self._read()
        self.tell("WebDriver:NewSession")

    def tell(self, command: str, **parameters: Any) -> Any:
        self._number += 1
        text = json.dumps([0, self._number, command, parameters])
        self._socket.sendall(f"{len(text)}:{text}".encode())
        _, _, error, result = self._read()
        assert error is None, error
        return result.get("value") if isinstance(result, dict) else result

    def run(self, script: str) -> Any:
        return self.tell("WebDriver:ExecuteScript", script=script, args=[])

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.tell("WebDriver:TakeScreenshot", full=False)))

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        moves = [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 50}
            for x, y in (start, end)
        ]
        button = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        actions = [moves[0], button[0], moves[1], button[1]]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}
        self.tell("WebDriver:PerformActions", actions=[mouse | {"actions": actions}])

    def printed(self) -> bytes:
        return base64.b64decode(self.tell("WebDriver:Print"))

    def close(self) -> None:
        self._stream.close()
        self._socket.close()

    def _read(self) -> Any:
        length = b""
        while (byte := self._stream.read(1)) != b":":
            assert byte, "Firefox has gone"
            length += byte
        return json.loads(self._stream.read(int(length)))


_PREFERENCES = {
    "marionette.port": 0,
    "network.proxy.type": 1,
    **{f"network.proxy.{kind}": "127.0.0.1" for kind in ("http", "ssl", "socks")},
    **{f"network.proxy.{kind}_port": NOWHERE for kind in ("http", "ssl", "socks")},
    "network.proxy.no_proxies_on": "",
    "datareporting.policy.dataSubmissionEnabled": False,
    "browser.shell.checkDefaultBrowser": False,
}


@contextmanager
def _firefox(file: Path, width: int, dark: bool) -> Iterator[Shown]:
    profile = file.parent / "firefox"
    profile.mkdir(exist_ok=True)
    wanted = _PREFERENCES | {"ui.systemUsesDarkTheme": int(dark)}
    (profile / "user.js").write_text(
        "".join(f'user_pref("{k}", {json.dumps(v)});\n' for k, v in wanted.items())
    )
    port = profile / "MarionetteActivePort"
    port.unlink(missing_ok=True)
    command = ["firefox-esr", "--headless", "--no-remote", "--marionette", f"--width={width}"]
    with subprocess.Popen(
        [*command, "--height=900", "--profile", str(profile)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            deadline = time.monotonic() + 90
            while not (port.exists() and port.read_text().strip()):
                assert process.poll() is None, "Firefox has ended"
                assert time.monotonic() < deadline, "Firefox does not come up"
                time.sleep(0.2)
            session = _Firefox(int(port.read_text()))
            try:
                session.tell("WebDriver:Navigate", url=file.as_uri())
                yield session
                entries = "return performance.getEntriesByType('resource').map(one => one.name)"
                assert session.run(entries) == []
            finally:
                session.close()
        finally:
            process.terminate()


BROWSERS = {"chromium": _chromium, "firefox": _firefox}


@contextmanager
def opened(browser: str, file: Path, width: int = 1280, *, dark: bool = False) -> Iterator[Shown]:
    """The page as the browser shows it. Afterwards nothing but the file was asked for."""
    with BROWSERS[browser](file, width, dark) as shown:
        yield shown
