"""A load test under way, on whatever pytest writes to.

It also has ``--load-html`` while a load test runs: the file shows how it is getting on.

A browser that shows it loads it anew. Nothing listens on a network, and whoever makes the load does
not wait for the disk.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

import pytest

from pytest_loadtool.casefile.files import replace_file
from pytest_loadtool.errors import FileError
from pytest_loadtool.load import Progress
from pytest_loadtool.load.verdict.summarise import MomentsSoFar
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.plugin.load.results import environment
from pytest_loadtool.plugin.paths import target_file
from pytest_loadtool.plugin.private import output_of, uncaptured, unfinished_line, writer_of
from pytest_loadtool.report.columns import cells
from pytest_loadtool.report.load.status import status_line

if TYPE_CHECKING:
    from rich.live import Live

#: Seconds between two lines where lines stay: a log, a pipe.
_BETWEEN_LINES = 5.0


class LiveView:
    """Shows how a run is getting on, from the moment it is first told.

    A context manager: at its end nothing is left on a terminal for pytest's own reports to trip
    over. Under ``-q`` it shows nothing.
    """

    def __init__(self, config: pytest.Config, configuration: LoadConfiguration) -> None:
        self._configuration = configuration
        self._config = config
        reporter: pytest.TerminalReporter | None = config.pluginmanager.get_plugin(
            "terminalreporter"
        )
        self._reporter = reporter
        self._draw: Callable[[pytest.TerminalReporter, Progress, float], None] | None = None
        if reporter is not None and config.option.verbose >= 0:
            in_place = reporter.isatty() and os.environ.get("TERM") != "dumb"
            self._draw = self._draw_over if in_place else self._add_line
        self._live: Live | None = None  # while something is drawn
        self._above = 0  # columns of what pytest has written of the line above, to go on with it
        self._started: float | None = None  # when it was first shown something
        self._next_line = _BETWEEN_LINES

    @property
    def wanted(self) -> bool:
        """Return whether anything is shown at all."""
        return self._draw is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.clear()

    def show(self, seen: Progress) -> None:
        """Show where the run is now."""
        if self._draw is not None and self._reporter is not None:
            now = time.monotonic()
            if self._started is None:
                self._started = now
            with self._writing():
                self._draw(self._reporter, seen, now - self._started)

    def clear(self) -> None:
        """Take away what is drawn, before somebody else writes."""
        live, self._live = self._live, None
        if live is not None:
            from rich.control import Control

            with self._writing():
                self._resize(live)
                live.update("", refresh=True)
                live.stop()
                if self._above:
                    column = self._above % live.console.width
                    live.console.control(Control.move_to_column(column, -1))

    def _draw_over(self, reporter: pytest.TerminalReporter, seen: Progress, elapsed: float) -> None:
        from pytest_loadtool.report.load.live import RunView

        live = self._live
        if live is None:
            live = self._live = self._begun(reporter)
        self._resize(live)
        live.update(RunView(seen, elapsed, self._configuration), refresh=True)

    def _begun(self, reporter: pytest.TerminalReporter) -> Live:
        """Return what draws below pytest's current line, which pytest will go on with."""
        from rich.console import Console
        from rich.live import Live

        reporter.flush()
        file = output_of(writer_of(reporter))
        console = Console(
            # Text that it cannot carry must neither be an error nor change what pytest writes.
            file=open(  # noqa: SIM115  of a descriptor that is not ours to close
                file.fileno(), "w", encoding=file.encoding, errors="replace", closefd=False
            ),
            force_terminal=True,
            # pytest has considered --color, NO_COLOR and FORCE_COLOR.
            color_system="standard" if reporter.hasmarkup else None,
            no_color=not reporter.hasmarkup,
            width=80,
            height=24,
        )
        self._above = cells(unfinished_line(reporter))
        if self._above:
            console.line()
        live = Live(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        live.start()
        return live

    def _resize(self, live: Live) -> None:
        """Draw in the size that the terminal has now.

        One that was made narrower has broken the lines that stand on it: what is drawn over is
        higher than it was drawn.
        """
        from rich.console import ConsoleDimensions
        from rich.control import Control
        from rich.segment import ControlType, Segment

        console, (width, height) = live.console, shutil.get_terminal_size()
        if width < console.width:
            lines = console.render_lines(live.get_renderable(), pad=False)
            more = sum(max(0, Segment.get_line_length(line) - 1) // width for line in lines)
            erase = ((ControlType.ERASE_IN_LINE, 2), (ControlType.CURSOR_UP, 1))
            console.control(Control(*erase * more))
        # The line above is pytest's own.
        console.size = ConsoleDimensions(width, max(1, height - 1))

    def _add_line(self, reporter: pytest.TerminalReporter, seen: Progress, elapsed: float) -> None:
        if elapsed >= self._next_line:
            self._next_line = elapsed + _BETWEEN_LINES
            reporter.write_line(status_line(seen, elapsed, self._configuration))
            reporter.flush()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write past pytest's capturing while this lasts. Where nothing can be written any more,
        because the terminal was closed or a pipe is broken, nothing more is shown: the run and its
        results go on."""
        try:
            with uncaptured(self._config):
                yield
        except OSError:
            self._draw = None


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
        """Return whether there is a file to write to."""
        return self._path is not None

    def show(self, seen: Progress) -> None:
        """Write the page if it is time to."""
        now = time.monotonic()
        if self._path is None or now < self._next:
            return
        from pytest_loadtool.report.html.load import live_data, load_page

        self._next = now + _BETWEEN_PAGES
        moments, elapsed = self._moments.update(seen.course), now - self._begun
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
