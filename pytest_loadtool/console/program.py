"""Recording a stretch of a program: ``with record("shop.case.toml") as proxy: …``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace as with_changes
from pathlib import Path

from pytest_loadtool.capture import Proxy
from pytest_loadtool.console.files import as_case_path, har_path
from pytest_loadtool.console.process import RecordingProcess
from pytest_loadtool.console.session import Settings
from pytest_loadtool.console.unattended import End, Recorded
from pytest_loadtool.errors import RecordingError
from pytest_loadtool.recording import Domain, DomainFilter
from pytest_loadtool.replay.compile.proxies import ProxyUrl

#: What became of recordings, until somebody who shows it takes it.
recorded_so_far: list[Recorded] = []


@contextmanager
def record(
    file: str | Path,
    *,
    replace: bool = False,
    only: Sequence[str] = (),
    block: Sequence[str] = (),
    proxy: str = "",
    say: Callable[[str], None] | None = None,
) -> Iterator[Proxy]:
    """Record what goes through a proxy, and make a test case of it: ``file`` and its traffic.

    The value says how clients reach the proxy: `Proxy.url`, `Proxy.ca`, and ready-made settings for
    Playwright, Selenium, httpx and requests. At the end the test case is configured for replay
    and written; ``say`` is called with each line of a summary. If the block raises, no test case is
    made: the traffic is kept, and a note on the exception says where.

    ``only`` and ``block`` are domains to record and to block, with their subdomains. ``proxy`` is
    the URL of a proxy that servers are reached through, with a user name and password if it asks.
    A test case that exists is written over only with ``replace``; what a person set in it stays.

    Raises:
        RecordingError: on entering, when the file exists or recording cannot start; on leaving,
            when no test case can be made of what came, or nothing came.
        LoadToolError: on entering, when the file's name is not one of a test case.
        ValueError: a domain is none, or the proxy's URL.
    """
    path = as_case_path(Path(file).absolute())
    domains = DomainFilter(tuple(map(Domain.parse, only)), tuple(map(Domain.parse, block)))
    if proxy:
        ProxyUrl.parse(proxy)
    if (existing := in_the_way(path)) and not replace:
        raise RecordingError(f"{existing} exists: record(…, replace=True) writes over it")
    with RecordingProcess(Settings(Path.cwd(), domains=domains, proxy=proxy)) as process:
        process.begin(path)
        try:
            yield process.proxy
        except BaseException as error:
            kept = process.end(End(keep=False))
            if kept is not None:
                recorded_so_far.append(with_changes(kept, reason="the block raised an exception"))
                error.add_note(f"loadtool: what was recorded is in {kept.file}")
            raise
        recorded = process.end(End(keep=True))
    if recorded is None:
        raise RecordingError(f"nothing was recorded for {path}: no client used the proxy")
    if recorded.reason:
        raise RecordingError(
            f"no test case was made: {recorded.reason}. The traffic is in {recorded.file}"
        )
    recorded_so_far.append(recorded)
    if say is not None:
        for line in (f"{recorded.file}: {recorded.summary}", *recorded.notes):
            say(line)


def in_the_way(case_path: Path) -> Path | None:
    """A file that recording this test case would write over, if there is one."""
    return next((one for one in (case_path, har_path(case_path)) if one.exists()), None)
