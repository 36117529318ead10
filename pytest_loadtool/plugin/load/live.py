"""A load test under way, on whatever pytest writes to."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import Self

import pytest

from pytest_loadtool.load import Glimpse
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.report.load.live import live_view, status_line
from pytest_loadtool.report.load.sparkline import glyphs_for

#: Seconds between two lines where lines stay: a log, a pipe.
_BETWEEN_LINES = 5.0

_TO_LINE_START, _UP, _ERASE_LINE, _ERASE_BELOW = "\r", "\x1b[{}A", "\x1b[K", "\x1b[J"


class LiveView:
    """Shows how a run is getting on, from the moment it begins.

    A context manager: at its end nothing is left on a terminal for pytest's own reports to trip
    over. Under ``-q`` it shows nothing.
    """

    def __init__(self, config: pytest.Config, configuration: LoadConfiguration) -> None:
        self._configuration = configuration
        manager = config.pluginmanager
        self._capture = manager.get_plugin("capturemanager")
        reporter: pytest.TerminalReporter | None = manager.get_plugin("terminalreporter")
        self._reporter = reporter
        self._draw: Callable[[pytest.TerminalReporter, Glimpse, float], None] | None = None
        if reporter is not None and config.option.verbose >= 0:
            in_place = reporter.isatty() and os.environ.get("TERM") != "dumb"
            self._draw = self._draw_over if in_place else self._add_line
        self._drawn = 0  # lines that stand on the terminal now
        self._above = ""  # what pytest has written of the line above them, to go on with it
        self._started = time.monotonic()
        self._next_line = _BETWEEN_LINES

    @property
    def wanted(self) -> bool:
        """Whether anything is shown at all."""
        return self._draw is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.clear()

    def show(self, seen: Glimpse) -> None:
        """Show where the run is now."""
        if self._draw is not None and self._reporter is not None:
            with self._writing():
                self._draw(self._reporter, seen, time.monotonic() - self._started)

    def clear(self) -> None:
        """Take away what is drawn, before somebody else writes."""
        if self._drawn and self._reporter is not None:
            above = self._drawn + (1 if self._above else 0)
            with self._writing():
                self._reporter.write_raw(
                    f"{_UP.format(above)}{_TO_LINE_START}{_ERASE_BELOW}{self._above}", flush=True
                )
            self._drawn = 0

    def _draw_over(self, reporter: pytest.TerminalReporter, seen: Glimpse, elapsed: float) -> None:
        width, height = shutil.get_terminal_size()
        encoding = _encoding(reporter)
        # One column is left free: a full line would wrap, and the count of lines be wrong. So is
        # the last line, where the cursor stands, and one above for pytest's own.
        lines = live_view(
            seen, elapsed, self._configuration, width - 1, height - 2, glyphs_for(encoding)
        )
        if self._drawn:
            # What has left a terminal that was made smaller cannot be reached any more.
            first = _UP.format(min(self._drawn, height - 1))
        else:
            self._above = _unfinished_line(reporter)
            first = self._above and "\n"
        body = "".join(f"{line}{_ERASE_LINE}\n" for line in lines)
        text = f"{first}{_TO_LINE_START}{body}{_ERASE_BELOW}"
        reporter.write_raw(text.encode(encoding, "replace").decode(encoding), flush=True)
        self._drawn = len(lines)

    def _add_line(self, reporter: pytest.TerminalReporter, seen: Glimpse, elapsed: float) -> None:
        if elapsed >= self._next_line:
            self._next_line = elapsed + _BETWEEN_LINES
            reporter.write_line(status_line(seen, elapsed, self._configuration))
            reporter.flush()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Past pytest's capturing. Where nothing can be written any more, because the terminal was
        closed or a pipe is broken, nothing more is shown: the run and its results go on."""
        try:
            with self._uncaptured():
                yield
        except OSError:
            self._draw = None

    def _uncaptured(self) -> AbstractContextManager[None]:
        if self._capture is None:
            return nullcontext()
        context: AbstractContextManager[None] = self._capture.global_and_fixture_disabled()
        return context


def _encoding(reporter: pytest.TerminalReporter) -> str:
    """Of what pytest writes to. Text that it cannot carry would be shown as escapes."""
    return getattr(reporter._tw._file, "encoding", None) or "ascii"


def _unfinished_line(reporter: pytest.TerminalReporter) -> str:
    """What stands on pytest's current line: it will write the test's result behind it."""
    return str(getattr(reporter._tw, "_current_line", ""))
