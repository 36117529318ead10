"""The Properties of the test case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_loadtool.console.arguments import ProxyScheme
from pytest_loadtool.console.credentials import NOBODY, Given, ask_credentials
from pytest_loadtool.console.document import readable, tidied
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.identity import change_identity
from pytest_loadtool.console.placing import place
from pytest_loadtool.console.session import Session
from pytest_loadtool.console.views import properties as views
from pytest_loadtool.correlation.logins import logins
from pytest_loadtool.model.authentication import PROXY_METHODS, Proxy, ProxyMethod
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.template import escape

__all__ = ["properties"]


async def properties(
    session: Session,
    *,
    show_negotiation: bool = False,
    hide_negotiation: bool = False,
    user_identity: bool = False,
    proxy: str = "",
    no_proxy: bool = False,
    proxy_username: str = "",
    proxy_password_env: str = "",
    proxy_keyring: str = "",
    proxy_dataset: Path | None = None,
    proxy_domain: str = "",
    proxy_method: ProxyScheme | None = None,
) -> None:
    """Properties: show those of the test case, or change them.

    --show-negotiation (Show connection negotiation transactions) has `tree` list the exchanges that
    only negotiate authentication, also once it is configured; --hide-negotiation takes that back.
    `show` lists them in any case. --user-identity opens the User Identity Wizard.

    Proxy tab: --proxy is the URL of the proxy that requests go through, --no-proxy takes it away.
    --proxy-username is who the virtual users are to it, and --proxy-password-env NAME or
    --proxy-keyring SERVICE where the password is; or --proxy-dataset is a CSV file as for
    `test-case-configuration`. --proxy-domain is the Windows domain. --proxy-method is basic,
    digest, ntlm or negotiate; without it, the proxy's first choice is taken.
    """
    document = session.opened()
    if show_negotiation and hide_negotiation:
        raise UsageError("--show-negotiation and --hide-negotiation exclude each other")
    given = Given(proxy_dataset, proxy_username, proxy_password_env, proxy_keyring)
    if no_proxy and (proxy or given.anything or proxy_method or proxy_domain):
        raise UsageError("--no-proxy excludes the other options of the proxy")
    case = document.case
    if show_negotiation or hide_negotiation:
        case = replace(case, show_negotiation=show_negotiation)
    if no_proxy:
        case = replace(case, proxy=None)
    elif proxy:
        case = replace(case, proxy=replace(case.proxy or Proxy(proxy), url=proxy))
    if given.anything:
        found = await session.consult(ask_credentials(session, given, NOBODY, _SOURCES))
        _with_proxy(case)
        placed = place(session, case, found)
        case = _proxied(placed.case, *placed.templates)
    if proxy_domain:
        case = replace(case, proxy=replace(_with_proxy(case), domain=escape(proxy_domain)))
    if proxy_method is not None:
        case = replace(case, proxy=replace(_with_proxy(case), method=_method(proxy_method)))
    case = tidied(case, document.case)
    readable(case, session.case_path)
    session.document = replace(document, case=case)
    if user_identity:
        await change_identity(session, Given(), None)
    document = session.opened()
    for line in views.properties(document.case, logins(document.case, document.exchanges)):
        session.say(line)


_SOURCES = (
    "say --proxy-username USERNAME with --proxy-password-env NAME or --proxy-keyring SERVICE, or "
    "--proxy-dataset FILE"
)


def _with_proxy(case: TestCase) -> Proxy:
    if case.proxy is None:
        raise UsageError("there is no proxy yet: say --proxy URL")
    return case.proxy


def _proxied(case: TestCase, username: str, password: str, domain: str) -> TestCase:
    proxy = replace(_with_proxy(case), username=username, password=password, domain=domain)
    return replace(case, proxy=proxy)


def _method(text: str) -> ProxyMethod:
    for known in PROXY_METHODS:
        if text.lower() == known:
            return known
    raise UsageError(f"--proxy-method must be one of {', '.join(PROXY_METHODS)}, not {text!r}")
