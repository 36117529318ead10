# ruff: noqa: PT028  test_case_configuration is a command, and no test
"""The Properties of the test case, and the wizards for who the virtual users are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pytest_loadtool.codec.template import escape
from pytest_loadtool.console.arguments import ProxyScheme, TransactionName, UserName
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.guiding import guide
from pytest_loadtool.console.selection import transaction_index
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import identity as views
from pytest_loadtool.console.wizards.credentials import NOTHING_GIVEN, Given, ask_credentials
from pytest_loadtool.console.wizards.guided_identity import account_lines, identity_lines
from pytest_loadtool.console.wizards.identity import (
    ANYBODY,
    change_identity,
    changeable,
    configure_identity,
    to_configure,
)
from pytest_loadtool.editing.login_forms import logins
from pytest_loadtool.model.authentication import PROXY_METHODS, Proxy, ProxyMethod
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.workflow.credentials import NOBODY, place
from pytest_loadtool.workflow.document import readable, tidied


async def properties(
    session: Console,
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

    Example: `properties --proxy http://proxy.example:3128`
    """
    document = session.opened()
    if show_negotiation and hide_negotiation:
        raise UsageError("--show-negotiation and --hide-negotiation exclude each other")
    given = Given(
        dataset=proxy_dataset,
        share=proxy_username,
        password_env=proxy_password_env,
        keyring=proxy_keyring,
    )
    tab = _ProxyTab(proxy, given, proxy_domain, proxy_method)
    if no_proxy and tab != _ProxyTab():
        raise UsageError("--no-proxy excludes the other options of the proxy")
    case = document.case
    if show_negotiation or hide_negotiation:
        case = replace(case, show_negotiation=show_negotiation)
    case = replace(case, proxy=None) if no_proxy else await _proxied(session, case, tab)
    case = tidied(case, document.case)
    readable(case, session.case_path)
    session.document = replace(document, case=case)
    if user_identity:
        await execute(session, "user-identity")
    document = session.opened()
    session.tell(views.properties(document.case, logins(document.case, document.exchanges)))


_SOURCES = (
    "give --proxy-username USERNAME with --proxy-password-env NAME or --proxy-keyring SERVICE, or "
    "--proxy-dataset FILE"
)


@dataclass(frozen=True, slots=True)
class _ProxyTab:
    """The changes to the proxy; empty where there are none."""

    url: str = ""
    given: Given = NOTHING_GIVEN
    domain: str = ""
    method: ProxyScheme | None = None


async def _proxied(session: Console, case: TestCase, tab: _ProxyTab) -> TestCase:
    """Return the test case with the proxy as it is to be.

    Raises:
        UsageError: it has none.
    """
    if tab == _ProxyTab():
        return case
    if not tab.url and case.proxy is None:
        raise UsageError("there is no proxy yet: give --proxy URL")
    proxy = case.proxy or Proxy(tab.url)
    proxy = replace(proxy, url=tab.url or proxy.url)
    if tab.given.anything:
        found = await session.consult(ask_credentials(session, tab.given, NOBODY, _SOURCES))
        placed = place(session.settings, session.case_path, case, found)
        session.written += placed.written
        session.tell(placed.notes)
        case, (username, password, domain) = placed.case, placed.templates
        proxy = replace(proxy, username=username, password=password, domain=domain)
    if tab.domain:
        proxy = replace(proxy, domain=escape(tab.domain))
    if tab.method is not None:
        proxy = replace(proxy, method=_method(tab.method))
    return replace(case, proxy=proxy)


def _method(text: str) -> ProxyMethod:
    for known in PROXY_METHODS:
        if text.lower() == known:
            return known
    raise UsageError(f"--proxy-method must be one of {', '.join(PROXY_METHODS)}, not {text!r}")


async def test_case_configuration(
    session: Console,
    *,
    given: Given = NOTHING_GIVEN,
    user: UserName | None = None,
) -> None:
    """Test Case Configuration Wizard: configure user identity for connection authentication.

    For servers that ask for HTTP authentication (Basic, Digest, NTLM, Negotiate). Use a dataset:
    --dataset is a CSV file with the columns username, password and domain, of which each virtual
    user takes a row of its own; a file that is not there is made, for you alone, with the recorded
    user in its first row (--password-env names the environment variable with the password, where
    the recording does not tell it). Or Share a username: --share USERNAME for all, and where its
    password is, --password-env NAME or --keyring SERVICE. A domain is written 'DOMAIN\\username',
    in quotes.

    A username of its own for each virtual user is recommended: many servers end a user's earlier
    sessions, limit how many there are, or mix them up. No password is written into the test case.
    Without options you are asked; the first `play` of a recording with HTTP authentication asks by
    itself. --user says which user of the recording is meant, if there are several.

    Example: `test-case-configuration --dataset users.csv`
    """
    if given.anything:
        await configure_identity(session, given, user or "")
        return
    found = to_configure(session, user or "")
    if not found and not session.frontend.interactive:
        session.say(
            "The recording shows no HTTP authentication: nothing is to be configured. For a server "
            "that asks all the same, give --dataset FILE, or --share USERNAME."
        )
        return
    title = "Test Case Configuration"
    await guide(session, title, lambda: account_lines(session, found or (ANYBODY,)))


#: The fields of a login form that are somebody's.
_ROLES = ("username", "password")


async def user_identity(
    session: Console,
    which: TransactionName | None = None,
    *,
    given: Given = NOTHING_GIVEN,
    field: str = "",
    user: UserName | None = None,
) -> None:
    """User Identity Wizard: change the credentials of HTTP authentication and of login forms.

    A login form is a request with one password in it: of it, the fields of username and password
    are found, and each is kept, gets a value, or a column of a dataset. WHICH is the transaction of
    one form, which alone is changed then. The options are those of `test-case-configuration`, and
    count for all that is changed: --dataset FILE, or --share USERNAME with --password-env NAME or
    --keyring SERVICE; --user is the one who was recorded. --field is `username` or `password`,
    where one of the two of a form is changed alone. Without options you are asked.

    Example: `user-identity 15 --dataset users.csv`
    """
    number = None if which is None else transaction_index(session.opened(), which) + 1
    if field not in ("", *_ROLES):
        raise UsageError(f"--field is {' or '.join(_ROLES)}, not {field!r}")
    if given.anything:
        await change_identity(session, given, number, user or "", field)
        return
    found, forms = changeable(session, number, user or "")
    await guide(session, "User identity", lambda: identity_lines(session, found, forms))
