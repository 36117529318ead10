"""``--load-otlp`` and ``--load-remote-write``: metrics go out while load tests run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from pytest_loadtool.telemetry.collector import MetricsCollector
    from pytest_loadtool.telemetry.sender import Sender


def _otlp(url: str) -> MetricsCollector:
    from pytest_loadtool.telemetry.otlp import OtlpCollector

    return OtlpCollector(url)


def _remote_write(url: str) -> MetricsCollector:
    from pytest_loadtool.telemetry.remote_write import RemoteWriteCollector

    return RemoteWriteCollector(url)


#: What takes metrics, by the option that has its address, and the extra that brings what it needs.
_COLLECTORS: dict[str, tuple[Callable[[str], MetricsCollector], str]] = {
    "load_otlp": (_otlp, "otel"),
    "load_remote_write": (_remote_write, "prometheus"),
}


class Telemetry:
    """The collectors of the metrics of a session's load tests, and what went wrong with them.

    Raises:
        pytest.UsageError: what sends them is not installed, or an address is none.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._collectors = [
            _collector(option, str(url))
            for option in _COLLECTORS
            if (url := config.getoption(option))
        ]
        self._senders: list[Sender] = []

    def senders(self, test: str) -> Sequence[Sender]:
        """Return what sends the metrics of the load test of that name."""
        if not self._collectors:
            return ()
        from pytest_loadtool.telemetry.sender import Sender

        senders = [Sender(one, test) for one in self._collectors]
        self._senders += senders
        return senders

    def close(self) -> None:
        """Close what is open to collectors."""
        for one in self._collectors:
            one.close()

    def problems(self) -> list[str]:
        """Return what to tell people, each once."""
        return list(dict.fromkeys(filter(None, (one.problem() for one in self._senders))))


TELEMETRY = pytest.StashKey[Telemetry]()


def _collector(option: str, url: str) -> MetricsCollector:
    make, extra = _COLLECTORS[option]
    spelled = "--" + option.replace("_", "-")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise pytest.UsageError(f"{spelled}: expected an address such as http://127.0.0.1:4318")
    try:
        return make(url)
    except ImportError:
        raise pytest.UsageError(
            f"{spelled} needs what is not installed: pip install 'pytest-loadtool[{extra}]'"
        ) from None
