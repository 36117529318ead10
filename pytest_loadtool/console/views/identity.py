"""The Properties of a test case, and who its virtual users are."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_loadtool.auth import scheme_names
from pytest_loadtool.auth.negotiation import challenges_in
from pytest_loadtool.editing.login_forms import LoginForm
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.workflow.telling import place_of, who


def login(case: TestCase, one: LoginForm) -> str:
    """Return ``login form 3 POST /login: username (Constant value ann), password (Dataset …)``."""
    title = next(t.title for index, t in enumerate(case.transactions()) if index == one.transaction)
    texts = []
    if one.username is not None:
        name = one.username
        texts.append(f"{name.name} ({name.datasource}, {name.value})")
    texts.append(f"{one.password.name} ({one.password.datasource})")
    return f"Login form {one.transaction + 1} {title}: {', '.join(texts)}"


def authentication(case: TestCase) -> Iterator[str]:
    """Yield the folder Authentication: a line for each identity."""
    for one in case.identities:
        ahead = "  (sent unasked)" if one.ahead else ""
        yield f"{place_of(case, one)}: {who(case, one)}{ahead}"


def offered(exchange: Exchange) -> str:
    """Return what an exchange of a negotiation was about: ``asks for Negotiate or NTLM``."""
    return f"asks for {scheme_names(challenges_in(exchange), ' or ')}"


def properties(case: TestCase, logins: tuple[LoginForm, ...]) -> Iterator[str]:
    """Yield each tab with its lines."""
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
