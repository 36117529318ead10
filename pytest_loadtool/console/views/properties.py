"""The Properties of a test case, tab by tab."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_loadtool.console.views.identity import authentication, login, who
from pytest_loadtool.editing.login_forms import Login
from pytest_loadtool.model.case import TestCase


def properties(case: TestCase, logins: tuple[Login, ...]) -> Iterator[str]:
    """Each tab with its lines."""
    yield f"Properties of {case.name}"
    shown = "yes" if case.show_negotiation else "no"
    yield f"  Show connection negotiation transactions: {shown}"
    yield "User Identity"
    lines = [*authentication(case), *(login(case, one) for one in logins)]
    yield from (f"  {line}" for line in lines or ["not configured: `user-identity` does"])
    yield "Proxy"
    proxy = case.proxy
    if proxy is None:
        yield "  none: `properties --proxy URL` sets one"
        return
    yield f"  url: {proxy.url}"
    if proxy.username:
        yield f"  user: {who(case, proxy)}"
        yield f"  method: {proxy.method or 'what the proxy prefers'}"
