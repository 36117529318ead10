"""``--load-html`` while a load test runs: the file shows how it is getting on.

A browser that shows it loads it anew. Nothing listens on a network, and whoever makes the load does
not wait for the disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from pytest_loadtool.casefile.files import replace_file
from pytest_loadtool.errors import FileError
from pytest_loadtool.load import Progress
from pytest_loadtool.load.verdict.summarise import MomentsSoFar
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.plugin.load.live import LiveView
from pytest_loadtool.plugin.load.results import environment
from pytest_loadtool.plugin.paths import target_file

#: Seconds between two pages.
_BETWEEN_PAGES = 5.0


class LivePage:
    """Writes the page now and then. The first is written at once, before there is any load: then
    templates and their library are at hand."""

    def __init__(self, config: pytest.Config, configuration: LoadConfiguration) -> None:
        self._path = target_file(config, "load_html")
        self._configuration = configuration
        self._environment = list(environment(config, configuration).facts())
        self._moments = MomentsSoFar(configuration.percentiles)
        self._begun = time.monotonic()
        self._next = 0.0
        self._started = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
        self.show(Progress())

    @property
    def wanted(self) -> bool:
        """Whether there is a file to write to."""
        return self._path is not None

    def show(self, seen: Progress) -> None:
        """Write the page if it is time to."""
        now = time.monotonic()
        if self._path is None or now < self._next:
            return
        from pytest_loadtool.report.html.load import live_data, load_page

        self._next = now + _BETWEEN_PAGES
        moments, elapsed = self._moments.look(seen.course), now - self._begun
        data = live_data(
            seen, moments, self._configuration, self._started, elapsed, self._environment
        )
        try:
            content = load_page([data], refresh=round(_BETWEEN_PAGES))
            replace_file(self._path, content, durable=False)
        except FileError:
            self._path = None  # the end of the session says it, if it is so still


def shown_on(*views: LiveView | LivePage) -> Callable[[Progress], None] | None:
    """Return what shows on all views that are wanted; None if none is."""
    wanted = [view.show for view in views if view.wanted]

    def show(seen: Progress) -> None:
        for one in wanted:
            one(seen)

    return show if wanted else None
