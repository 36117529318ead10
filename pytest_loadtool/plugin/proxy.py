"""The proxy that is named from outside, in place of the test cases' own.

Only here is the environment asked for one. The user's name and password that a URL may have are
used, and never shown.
"""

from __future__ import annotations

import os

import pytest

from pytest_loadtool.model.case import TestCase

_OPTION = "loadtool_proxy"


def check_proxy(config: pytest.Config) -> None:
    """Find out whether the option can be used.

    Raises:
        pytest.UsageError: it is no proxy, or the environment, to which it leaves it, names none.
    """
    from pytest_loadtool.replay.compile.proxies import (
        DIRECT,
        ENVIRONMENT,
        ProxyUrl,
        environment_proxies,
    )

    said = _said(config)
    try:
        if said == ENVIRONMENT:
            environment_proxies(os.environ)
        elif said != DIRECT:
            ProxyUrl.parse(said)
    except ValueError as error:
        others = "" if said == ENVIRONMENT else f"; or {ENVIRONMENT!r}, or {DIRECT!r}"
        raise pytest.UsageError(f"--proxy-url: {error}{others}") from None


def through_proxy(case: TestCase, config: pytest.Config) -> TestCase:
    """Return ``case`` with the proxy that the option names, if it names one."""
    if not _said(config):
        return case
    from pytest_loadtool.replay.compile.proxies import through

    return through(case, _said(config))


def shown_proxy(config: pytest.Config) -> str:
    """Return the option, without a user's name and password."""
    before, at, after = _said(config).rpartition("@")
    scheme, separator, _ = before.rpartition("://")
    return f"{scheme}{separator}…@{after}" if at else after


def proxy_secrets(config: pytest.Config) -> list[str]:
    """Return the passwords in it, or in the environment if that is asked."""
    from pytest_loadtool.replay.compile.proxies import (
        DIRECT,
        ENVIRONMENT,
        ProxyUrl,
        environment_proxies,
    )

    said = _said(config)
    if not said or said == DIRECT:
        return []
    if said == ENVIRONMENT:
        return [one.password for one in environment_proxies(os.environ).proxies.values()]
    return [ProxyUrl.parse(said).password]


def _said(config: pytest.Config) -> str:
    return config.getoption(_OPTION, default=None) or ""
