"""Recording where servers are reached through a proxy only: the one that ``--proxy-url`` names."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from pytest_loadtool.console.credentials import Credentials, Source
from pytest_loadtool.console.placing import place
from pytest_loadtool.console.secrets import env_name
from pytest_loadtool.console.session import Session, Settings
from pytest_loadtool.model.authentication import Proxy
from pytest_loadtool.model.case import Variable
from pytest_loadtool.replay.compile.proxies import DIRECT, ENVIRONMENT, ProxyUrl


def upstream_of(settings: Settings) -> ProxyUrl | None:
    """The proxy that the recorder goes through, if a URL names one: it can have one for all servers
    only, and the environment may name several, or exceptions."""
    said = settings.proxy
    return None if said in ("", DIRECT, ENVIRONMENT) else ProxyUrl.parse(said)


@asynccontextmanager
async def way_through(proxy: ProxyUrl | None) -> AsyncIterator[ProxyUrl | None]:
    """What the recorder goes through, to get through ``proxy`` as the user whom that names; if
    there is one."""
    if proxy is None:
        yield None
        return
    from pytest_loadtool.capture.proxy.neighbours import doorkeeper
    from pytest_loadtool.transport.proxy.forwarder import Forwarder

    async with Forwarder(proxy, doorkeeper) as forwarder:
        yield forwarder.url


def go_through_proxy(session: Session) -> None:
    """Let the recorded test case go through the proxy that it was recorded through, unless it has
    one: as the same user, whose password is in the environment."""
    document, upstream = session.opened(), upstream_of(session.settings)
    case = document.case
    if upstream is None or case.proxy is not None:
        return
    who = ("", "", "")
    if upstream.username:
        name = env_name(session.case_path, "proxy_password")
        password = Source(variable=Variable(name, env=name))
        credentials = Credentials(Source(upstream.username), password, secret=upstream.password)
        placed = place(session, case, credentials)
        case, who = placed.case, placed.templates
    case = replace(case, proxy=Proxy(upstream.origin, *who))
    session.document = replace(document, case=case)
