"""What real clients do at places that want authentication, recorded: Chromium, curl and httpx."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import HttpCredentials, Page

from pytest_loadtool.capture import Recorder
from pytest_loadtool.model.exchange import Exchange
from tests.authentication.accounts import DOMAIN, USERS
from tests.authentication.ntlm_server import NtlmServer, ntlm_server
from tests.authentication.peer import Peer
from tests.capture.clients import curl, through
from tests.capture.driving import driven

__all__ = ["IMAGES", "PASSWORD", "USER", "Places", "add_pages", "places_at", "record"]

USER, PASSWORD = USERS[0]
#: Who is typed into the prompt; for Negotiate there is none, it takes the account of whoever runs
#: the browser.
WHO = {"basic": USER, "digest": USER, "ntlm": rf"{DOMAIN}\{USER}", "negotiate": ""}
#: Asks for its text once all of it is there.
HOME = """<!doctype html><title>Home</title><link rel=icon href=data:,><script>
onload = async () => {
  const response = await fetch(location.origin + location.pathname.replace("home", "code"))
  document.title += await response.text()
}
</script>"""
IMAGES = 8
GALLERY = "<!doctype html><title>Images</title><link rel=icon href=data:,>" + "".join(
    f"<img src=code?{number}>" for number in range(IMAGES)
)
CODE = " with its text"


@dataclass(frozen=True, slots=True)
class Places:
    """Where each scheme is wanted: http, and https."""

    apache: Peer
    ntlm: NtlmServer
    ntlm_tls: NtlmServer

    def urls(self, secure: bool) -> dict[str, str]:
        """The folder of each scheme. Negotiate is at localhost, whose servers the browser is told
        to trust with the account of whoever runs it."""
        origin = self.apache.url("https", "https") if secure else self.apache.url("http")
        ntlm = self.ntlm_tls if secure else self.ntlm
        return {
            "basic": f"{origin}/basic/one/",
            "digest": f"{origin}/digest/",
            "ntlm": f"{ntlm.origin}/ntlm/",
            "negotiate": f"{origin}/negotiate/".replace("127.0.0.1", "localhost"),
        }


@contextmanager
def places_at(apache: Peer) -> Iterator[Places]:
    """The servers, with a page for each scheme and what that asks for."""
    pages = add_pages(apache)
    (pages / "ntlm" / "images").write_text(GALLERY)
    accounts, certificate = apache.folder / "ntlm", apache.folder / "server.pem"
    with (
        ntlm_server(pages, accounts) as plain,
        ntlm_server(pages, accounts, certificate) as secure,
    ):
        yield Places(apache, plain, secure)


def add_pages(apache: Peer) -> Path:
    """Add a page and what it asks for below each scheme; the folder of all pages."""
    pages = apache.folder / "pages"
    for path in ("basic/one", "digest", "ntlm", "negotiate"):
        (pages / path / "home").write_text(HOME)
        (pages / path / "code").write_text(CODE)
    return pages


async def record(places: Places) -> dict[str, list[Exchange]]:
    """What each client did, by its name."""
    recorded: dict[str, list[Exchange]] = {}
    got: list[Exchange] = []

    async def done(name: str) -> None:
        # A client has its response a moment before that is reported, which nothing else tells.
        while recorder.in_flight:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        recorded[name] = list(got)
        got.clear()

    async with (
        Recorder(got.append) as recorder,
        driven(recorder, "about:blank", "--auth-server-allowlist=localhost") as page,
    ):
        for secure in (False, True):
            for scheme, url in places.urls(secure).items():
                async with _window(page, WHO[scheme]) as window:
                    await _show(window, f"{url}home")
                await done(f"{scheme} {'https' if secure else 'http'}")
        plain = places.urls(secure=False)
        address = plain["basic"].replace("//", f"//{USER}:{PASSWORD}@")
        async with _window(page) as window:
            await _show(window, f"{address}home")
        await done("address")
        await curl(*through(recorder), "-o", "-", f"{plain['basic']}page")
        await done("curl nobody")
        async with _window(page, rf"{DOMAIN}\{USER}") as window:
            await window.goto(f"{plain['ntlm']}images")
        await done("images")
        await _second_try(page, f"{plain['basic']}home")
        await done("second try")
        proxy = (*through(recorder), "-o", "-")
        for name, url, *options in (
            ("curl basic", plain["basic"], "-u", f"{USER}:{PASSWORD}"),
            ("curl digest", plain["digest"], "-u", f"{USER}:{PASSWORD}", "--digest"),
            ("curl negotiate", plain["negotiate"], "-u", ":", "--negotiate"),
            ("curl ntlm", plain["ntlm"], "-u", rf"{DOMAIN}\{USER}:{PASSWORD}", "--ntlm"),
        ):
            answered = await curl(*proxy, *options, f"{url}home", f"{url}code")
            assert answered.output.decode() == HOME + CODE, answered
            await done(name)
        async with httpx.AsyncClient(
            proxy=f"http://127.0.0.1:{recorder.port}", auth=httpx.DigestAuth(USER, PASSWORD)
        ) as client:
            for name in ("home", "code"):
                assert (await client.get(f"{plain['digest']}{name}")).status_code == 200
        await done("httpx digest")
    return recorded


@asynccontextmanager
async def _window(page: Page, user: str = "") -> AsyncIterator[Page]:
    """A window of the browser that has ``page``, without its memory of passwords. Its prompts are
    answered for ``user``; without one, they are left to the browser."""
    browser = page.context.browser
    assert browser is not None
    given: HttpCredentials | None = {"username": user, "password": PASSWORD} if user else None
    context = await browser.new_context(http_credentials=given)
    yield await context.new_page()
    await context.close()


async def _show(page: Page, url: str) -> None:
    await page.goto(url)
    await page.wait_for_function("document.title == 'Home with its text'")


async def _second_try(page: Page, url: str) -> None:
    """A person mistypes the password at the prompt, and is asked again."""
    passwords = iter(("sekret", PASSWORD))
    async with _window(page) as window:
        session = await window.context.new_cdp_session(window)
        tasks = set[asyncio.Task[Any]]()

        def send(command: str, event: dict[str, Any], **more: object) -> None:
            call = session.send(command, {"requestId": event["requestId"], **more})
            tasks.add(asyncio.ensure_future(call))

        def prompted(event: dict[str, Any]) -> None:
            typed = {"username": USER, "password": next(passwords)}
            answer = {"response": "ProvideCredentials", **typed}
            send("Fetch.continueWithAuth", event, authChallengeResponse=answer)

        session.on("Fetch.authRequired", prompted)
        session.on("Fetch.requestPaused", lambda event: send("Fetch.continueRequest", event))
        await session.send("Fetch.enable", {"handleAuthRequests": True})
        await _show(window, url)
        await asyncio.gather(*tasks)
