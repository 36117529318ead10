"""The run that the options ask for: tests, load tests, a recording of tests, or the console.

Imported where something is asked for; then it is a plugin of pytest.
"""

from __future__ import annotations

import sys

import pytest

from pytest_loadtool.plugin.options import profile_of, settle


def take_effect(config: pytest.Config) -> int | None:
    """Prepare the run; with ``--record`` the console is all of it, whose exit status is returned.

    Raises:
        pytest.UsageError: options contradict each other, or a value is not what it should be.
    """
    settle(config)
    config.pluginmanager.register(sys.modules[__name__], "loadtool-run")
    if config.option.record is None:
        return None
    try:
        from pytest_loadtool.plugin.record.hooks import main

        return main(config)
    except KeyboardInterrupt:  # while the console is imported; then it has a handler of its own
        sys.stderr.write("\ninterrupted\n")
        return pytest.ExitCode.INTERRUPTED


def pytest_configure(config: pytest.Config) -> None:
    """Prepare load tests, recording from tests, or a page of what tests did."""
    if config.option.load:
        from pytest_loadtool.plugin.load.hooks import configure

        configure(config)
    elif config.option.loadtool_html and config.option.record is None:
        from pytest_loadtool.plugin.functional import html

        html.configure(config)
    if config.option.record_from_tests:
        from pytest_loadtool.plugin.record.hooks import record_tests

        record_tests(config)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what is replayed otherwise than the test cases say."""
    names = ("server", "app", "transport", "think_time")
    said = {"profile": profile_of(config)}
    said |= {name: config.getoption(f"loadtool_{name}", default=None) for name in names}
    parts = [f"{name.replace('_', ' ')} {value}" for name, value in said.items() if value]
    if config.option.loadtool_proxy:
        from pytest_loadtool.plugin.proxy import shown_proxy

        parts.append(f"proxy {shown_proxy(config)}")
    if config.option.loadtool_strict:
        parts.append("strict")
    if config.option.loadtool_traceparent:
        parts.append("traceparent")
    if config.option.loadtool_untrusted:
        parts.append("test cases untrusted")
    if config.option.load:
        from pytest_loadtool.load.hot_path import build
        from pytest_loadtool.plugin.load_overrides import overrides_of

        parts.insert(0, build())
        parts += [one.said for one in overrides_of(config)]
    return [f"loadtool: {', '.join(parts)}"] if parts else []
