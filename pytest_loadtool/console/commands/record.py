"""Recording: a proxy in this process, and a browser that goes through it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

from pytest_loadtool.codec.media import is_html, media_type
from pytest_loadtool.console.arguments import BrowserPath
from pytest_loadtool.console.environment import exports
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.opening import domains, may_drop, open_traffic
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.line import VERBATIM, ViewLine
from pytest_loadtool.console.wizard import choice
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import Domain
from pytest_loadtool.replay.compile.proxies import ENVIRONMENT
from pytest_loadtool.workflow.files import new_recording_path
from pytest_loadtool.workflow.recording import Live, start
from pytest_loadtool.workflow.telling import counted

#: How errors begin that are told at once: of the proxy to go through, and of who was refused.
_TOLD = ("proxy ", "a process of user ")


async def record(
    session: Console,
    url: str = "",
    *,
    browser: BrowserPath | None = None,
    port: int = 0,
    only: tuple[Domain, ...] = (),
    block: tuple[Domain, ...] = (),
    block_trackers: bool = False,
    any_user: bool = False,
    discard: bool = False,
) -> None:
    """Record: start the proxy, and a browser (the Virtual Browser) that goes through it to URL.

    --browser is the path of a Chromium-like browser, or `none` when another client is recorded;
    where several are found, you are asked. Another client needs the settings that are printed, or
    is started with `run`. --port fixes the
    proxy's port. Traffic reaches the disk as it arrives. `stop` ends the recording and makes the
    test case. A test case that is open and not saved is dropped only with --discard, or if you
    agree. While a recording runs, `record` alone prints the settings again.

    --only DOMAIN (Only record domain) records this domain with its subdomains; what others send
    passes through. --block DOMAIN refuses requests to a domain and its subdomains, which then are
    not fetched at all; --block-trackers does so for common analytics, advertising and tracking
    services. --only and --block may be given several times.

    On Linux the proxy refuses programs of other users of this machine, but for root's; --any-user
    takes them all.

    Example: `record http://127.0.0.1:8000/ --block-trackers`
    """
    if session.live is not None:
        if url or browser or port or only or block or block_trackers or any_user:
            raise CommandError(f"already recording through {session.live.proxy}: `stop` ends it")
        _explain(session, session.live)
        return
    await may_drop(session, "record", discard)
    if session.settings.proxy == ENVIRONMENT:
        session.say("Recorded directly: only the URL of a proxy (--proxy-url) counts here.")
    executable = _browser(await _chosen(session, browser or session.settings.browser))
    running = await start(
        session.settings,
        new_recording_path(session.case_path),
        _with_scheme(url) if url else "about:blank",
        executable,
        domains(session, only, block, block_trackers=block_trackers),
        _teller(session),
        port=port,
        any_user=any_user,
    )
    session.live = running
    if running.browser is None:
        _explain(session, running)
        return
    session.say(
        f"Recording through {running.proxy} into {session.settings.brief(running.evidence.path)}."
    )
    _present(session)
    running.watch(lambda reason: _closed(session, reason))


async def stop(session: Console) -> None:
    """Stop recording: close the browser and the proxy, and make the test case.

    Prints what the test case holds, and the fidelity report: everything that was filtered, merged
    or cannot be replayed, and what went wrong. `show fidelity` and `show errors` print it again.

    Example: `stop`
    """
    running = session.live
    if running is None:
        raise CommandError("nothing is being recorded: `record` starts")
    session.live = None
    captured = await running.stop()
    if not captured.exchanges and not captured.problem:
        captured.evidence.unlink()  # or the console would offer it as a recording, each time
    session.repeated_as(f"import {shlex.quote(session.shown(running.evidence.path))}")
    session.say(f"{counted(len(captured.exchanges), 'exchange')} recorded.")
    open_traffic(session, captured)


async def _chosen(session: Console, browser: str) -> str:
    """Return the browser to record with: one of those that are found, if nobody has said which."""
    from pytest_loadtool.capture import browsers

    known = browsers()
    if browser or len(known) < 2 or not session.frontend.interactive:
        return browser
    paths = {Path(path).name: path for path in known}
    ways = {name: f"the Virtual Browser, {path}" for name, path in paths.items()}
    answer = await session.consult(
        choice(
            "Which browser",
            {**ways, "none": "another client"},
            next(iter(ways)),
            why="It opens with a profile of its own, and sends all it does through the recorder. "
            "With none, `record` says how a client is pointed there.",
        )
    )
    chosen = paths.get(answer, answer)
    session.decided(f"--browser {chosen}")
    return chosen


def _browser(path: str) -> str | None:
    from pytest_loadtool.capture import find_browser

    return None if path == "none" else find_browser(path or None)


def _with_scheme(url: str) -> str:
    """Return the address to open, of which `http://` may be left out.

    Raises:
        UsageError: it names no server.
    """
    whole = url if "://" in url or url.startswith("about:") else f"http://{url}"
    if re.match(r"https?://(?![^/?#])", whole):
        raise UsageError(f"{url!r} names no server: `record http://HOST/`, with a path behind it")
    return whole


def _present(session: Console) -> None:
    from pytest_loadtool.capture.browser.chromium import has_display

    session.say("The browser is open: what is done in it is recorded. `stop` ends the recording.")
    if not has_display():
        session.say("There is no display, so it has no window: `run` starts a program to drive it.")
    session.say("`record` tells how other clients are recorded meanwhile.")


def _explain(session: Console, running: Live) -> None:
    session.say(
        f"Recording through {running.proxy} into {session.settings.brief(running.evidence.path)}."
    )
    session.say(f"The proxy's certificate: {running.recorder.ca_certificate}")
    session.say("Programs started with `run` are recorded. For a client in another terminal:")
    for line in exports(running):
        session.say(ViewLine((f"  {line}", ""), hanging=VERBATIM))


def _teller(session: Console) -> Callable[[Exchange], None]:
    """Return what hears of each exchange of a recording."""
    refusals = set[str]()

    def tell(exchange: Exchange) -> None:
        if exchange.error.startswith(_TOLD) and exchange.error not in refusals:
            refusals.add(exchange.error)
            session.say(f"  {exchange.error}")
        problem = session.live.evidence.problem if session.live is not None else ""
        if problem and problem not in refusals:
            refusals.add(problem)
            session.say(f"  {problem}. What does not fit is in memory only, until `save`.")
        _tell(session, exchange)

    return tell


def _tell(session: Console, exchange: Exchange) -> None:
    """Name each navigation as it is recorded; the rest only counts."""
    html = is_html(media_type(exchange.response_header("content-type")))
    page = exchange.response_size or 300 <= exchange.status < 400
    if html and page and exchange.request_header("sec-fetch-mode") in (None, "navigate"):
        asked = BY_NAME.text(f"{exchange.method} {exchange.url}")
        session.say(f"  recorded {asked} {exchange.status}")


def _closed(session: Console, reason: str) -> None:
    if reason:
        session.say(
            f"{reason}. `stop` makes a test case of what there is; record it again if not all is."
        )
    else:
        session.say("The browser was closed. `stop` makes the test case.")
