"""A Chromium with a fresh profile whose whole traffic goes through the recorder."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from asyncio.subprocess import Process
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from pytest_loadtool.capture.browser.chromium import (
    command_line,
    environment,
    has_display,
    key_hash,
    write_profile,
)
from pytest_loadtool.capture.browser.devtools import DevToolsPipe
from pytest_loadtool.capture.tempdir import Scratch
from pytest_loadtool.errors import RecordingError

_START_TIME = 60.0
_CLOSE_TIME = 10.0
_TERMINATE_TIME = 3.0
#: Seconds between two questions whether the browser is alive, and for the answer.
_BEAT = 5.0
_BEAT_PATIENCE = 30.0
#: Seconds for a tab to answer when recording ends.
_TAB_PATIENCE = 10.0

#: What it always says where there is no desktop; nothing of it is why a browser ended.
_NOISE = re.compile(r"[:/]dbus/|org[./]freedesktop|ALSA lib|:gpu/|:gcm/|/vaapi/|:viz/|:vulkan")
#: What it, or the script that starts it, says and goes on: of its log a FATAL line is why it ended.
_GOING_ON = re.compile(
    r"^\[[^\]]*:(?:VERBOSE\d*|INFO|WARNING|ERROR):|^DevTools listening on |^/[^:]+: (?:line )?\d+: "
)
_LISTENING = re.compile(r"DevTools listening on ws://([^/]+)/")

# The shell gives the pipes the numbers that Chromium wants; "exec" leaves no process between.
_LAUNCHER = 'in=$1 out=$2; shift 2; exec "$@" 3<"/dev/fd/$in" 4>"/dev/fd/$out"'


class Browser:
    """A browser for one recording: launched on entering, closed and its profile deleted on leaving.

    ``headless`` None means: when there is no display. ``remote_debugging_port`` lets another
    program drive this very browser (Playwright's ``connect_over_cdp``); 0 takes a free port.
    ``arguments`` are added to the command line. A browser that says nothing for ``patience``
    seconds hangs.

    Raises:
        RecordingError: on entering, when the browser does not start.
    """

    def __init__(
        self,
        executable: str,
        url: str,
        proxy_port: int,
        ca_certificate: Path,
        *,
        headless: bool | None = None,
        remote_debugging_port: int | None = None,
        arguments: Sequence[str] = (),
        patience: float = _BEAT_PATIENCE,
    ) -> None:
        self._executable = executable
        self._url = url
        self._proxy_port = proxy_port
        self._ca_certificate = ca_certificate
        self._headless = not has_display() if headless is None else headless
        self._debugging_port = remote_debugging_port
        self._arguments = tuple(arguments)
        self._said: deque[str] = deque(maxlen=20)
        self._crashes: list[str] = []
        self._patience = patience
        self._tabs: set[str] = set()
        self._watchers: list[asyncio.Task[None]] = []
        self._listening: asyncio.Event = asyncio.Event()
        self._debugging_url = ""
        self._started: Process | None = None

    @property
    def debugging_url(self) -> str:
        """Return where the DevTools protocol is served (``http://127.0.0.1:9222``); empty when
        not."""
        return self._debugging_url

    @property
    def pid(self) -> int:
        """The process, which leads its process group."""
        return self._process.pid

    @property
    def _process(self) -> Process:
        if self._started is None:
            raise RuntimeError("the browser has not been started: enter it first")
        return self._started

    @property
    def crashes(self) -> tuple[str, ...]:
        """Return what crashed or hung, tabs or all of it: a recording with one must be made
        again."""
        return tuple(self._crashes)

    async def wait_closed(self) -> str:
        """Wait until the browser is gone, and return what happened; nothing when its user closed
        it."""
        code = await self._process.wait()
        if code == 0:
            return ""
        how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with status {code}"
        words = _last(line for line in self._said if not _GOING_ON.search(line))
        return f"the browser ended {how}{words and ': '}{words}"

    async def check_alive(self) -> None:
        """Ask the browser and each tab for a sign of life; what gives none is among `crashes`
        then."""
        try:
            async with asyncio.timeout(self._patience):
                await self._pipe.call("Browser.getVersion")
        except TimeoutError:
            return  # which is noticed anyway
        except (ConnectionError, OSError):
            # It is gone. How is known once its output has ended, a moment later.
            await asyncio.wait(self._watchers[:1], timeout=_CLOSE_TIME)
            return
        silent = await asyncio.gather(*(self._is_silent(tab) for tab in self._tabs))
        self._crashes += [
            "a tab did not answer when recording ended: it hung, or a dialog was open in it"
            for is_silent in silent
            if is_silent
        ]

    async def _is_silent(self, tab: str) -> bool:
        try:
            async with asyncio.timeout(min(self._patience, _TAB_PATIENCE)):
                attached = await self._pipe.call(
                    "Target.attachToTarget", targetId=tab, flatten=True
                )
                if session := attached.get("sessionId"):
                    await self._pipe.call("Runtime.evaluate", session, expression="0")
        except TimeoutError:
            return True
        except (ConnectionError, OSError):
            return False  # that the browser is gone is noted
        return False

    async def __aenter__(self) -> Self:
        if not re.match(r"https?://|about:", self._url):
            raise RecordingError(
                f"{self._url!r} is no address to open: start it with http:// or https://"
            )
        self._scratch = Scratch("browser")
        self._pipe = DevToolsPipe(self._event)
        try:
            await self._start()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._close()

    async def _start(self) -> None:
        """Launch it, and wait until it answers."""
        await self._launch()
        self._listener = asyncio.create_task(self._listen())
        await self._pipe.open()
        try:
            async with asyncio.timeout(_START_TIME):
                await self._pipe.call("Target.setDiscoverTargets", discover=True)
                if self._debugging_port is not None:
                    await self._listening.wait()
        except (ConnectionError, TimeoutError) as error:
            if isinstance(error, ConnectionError):  # it has ended, and said why a moment before
                await asyncio.wait([self._listener], timeout=_CLOSE_TIME)
            raise RecordingError(
                f"{self._executable} did not start: {_last(self._said) or 'no reason given'}"
            ) from error
        if self._debugging_port is not None and not self._debugging_url:
            raise RecordingError(
                f"{self._executable} offers no remote debugging: {_last(self._said)}"
            )
        self._watchers = [
            asyncio.create_task(self._watch_end()), asyncio.create_task(self._watch_pulse())
        ]  # fmt: skip

    async def _launch(self) -> None:
        profile = self._scratch.path / "profile"
        write_profile(profile)
        command = command_line(
            self._executable,
            self._url,
            profile=profile,
            proxy_port=self._proxy_port,
            trusted_key=key_hash(self._ca_certificate),
            headless=self._headless,
            remote_debugging_port=self._debugging_port,
            arguments=self._arguments,
            root=os.geteuid() == 0,
        )
        commands, replies = self._pipe.browser_ends
        self._started = await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", _LAUNCHER, "sh", str(commands), str(replies), *command,
            env=environment(self._scratch.path),
            pass_fds=(commands, replies),
            start_new_session=True,   # a group of its own, so that all of it can be ended
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip

    async def _close(self) -> None:
        """Ask, then hang up, then terminate, then kill: whatever is left of the process group."""
        for watcher in self._watchers:  # from here on an end is wanted
            watcher.cancel()
        if self._started is not None:
            with suppress(ConnectionError, OSError, TimeoutError):
                async with asyncio.timeout(_CLOSE_TIME):
                    await self._pipe.call("Browser.close")
                    await self._process.wait()
            await self._pipe.close()
            if self._process.returncode is None:
                self._signal(signal.SIGTERM)
                with suppress(TimeoutError):
                    async with asyncio.timeout(_TERMINATE_TIME):
                        await self._process.wait()
            self._signal(signal.SIGKILL)
            await self._process.wait()
            await self._listener
        await asyncio.to_thread(self._scratch.remove)

    async def _watch_end(self) -> None:
        """Note if the browser ends otherwise than by its user."""
        if reason := await self.wait_closed():
            self._crashes.append(reason)

    async def _watch_pulse(self) -> None:
        """Note if the browser does not answer any more."""
        with suppress(ConnectionError, OSError):
            while True:
                await asyncio.sleep(min(_BEAT, self._patience))
                try:
                    async with asyncio.timeout(self._patience):
                        await self._pipe.call("Browser.getVersion")
                except TimeoutError:
                    self._crashes.append(
                        f"the browser hung: it did not answer for {self._patience:g} seconds"
                    )
                    return

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    async def _listen(self) -> None:
        """Read what the browser says until it is gone; a full pipe would stop it."""
        assert self._process.stderr is not None
        while line := await self._process.stderr.readline():
            text = line.decode(errors="replace").strip()
            if text and not _NOISE.search(text):
                self._said.append(text)
            match = _LISTENING.search(text)
            if match:
                self._debugging_url = f"http://{match[1]}"
                self._listening.set()
        self._listening.set()

    def _event(self, method: str, parameters: Mapping[str, Any]) -> None:
        target = parameters.get("targetInfo", {})
        if method == "Target.targetCreated" and target.get("type") == "page":
            self._tabs.add(target["targetId"])
        elif method == "Target.targetDestroyed":
            self._tabs.discard(parameters["targetId"])
        elif method == "Target.targetCrashed":
            self._tabs.discard(parameters.get("targetId", ""))
            self._crashes.append(f"a tab crashed ({parameters.get('status', 'no reason given')})")


def _last(said: Iterable[str]) -> str:
    """Return the last lines of what the browser said."""
    return " / ".join(list(said)[-3:])
