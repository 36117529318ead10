"""Reports of installed extensions: ``--load-report NAME=FILE``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.extensions import REPORTS, extension, extension_names


def reports_of(
    config: pytest.Config, document: Callable[..., dict[str, Any]]
) -> Iterator[tuple[str, Path, Callable[..., bytes]]]:
    """Yield, for each report that is asked for, the option, its file, and what writes it of the
    session's results; ``document`` makes of these what ``--load-json`` has.

    Raises:
        pytest.UsageError: there is no such report, or it cannot be imported.
    """
    for asked in config.getoption("load_report") or ():
        name, equals, file = asked.partition("=")
        if not (name and equals and file):
            raise pytest.UsageError(f"--load-report: expected NAME=FILE, got {asked!r}")
        known = extension_names(REPORTS)
        if name not in known:
            near = did_you_mean(name, known) or f": there are {', '.join(known) or 'none'}"
            raise pytest.UsageError(f"--load-report: no installed extension is {name!r}{near}")
        try:
            write = extension(REPORTS, name)
        except ReplayError as error:
            raise pytest.UsageError(f"--load-report: {error}") from None

        def content(
            results: Sequence[Any], config: pytest.Config, write: Callable[..., Any] = write
        ) -> bytes:
            text = write(document(results, config))
            return text if isinstance(text, bytes) else str(text).encode()

        yield "load_report", Path(config.invocation_params.dir, file), content
