"""oidc-provider, a client of it in the browser (oidc-client-ts) and an API that asks for tokens."""

from __future__ import annotations

import contextlib
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.applications.browsing import recorded_page
from tests.applications.installed import node_modules
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "oidc-provider 9.13"
BROWSER = True
UNIQUE: tuple[str, ...] = ()

_SERVER = "oidc_server.mjs"
_REQUIREMENTS = ("oidc-provider@9.13.3", "oidc-client-ts@3.5.0")
_SERVED = Path(__file__).parent / "served"


def install() -> None:
    """Node.js from Debian, where there is none, and both packages from npm."""
    _packages()


def _packages() -> Path:
    return node_modules("oidc-provider", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A provider with keys and state of its own, all in memory, and one client."""
    for name in (_SERVER, "oidc_client.html"):
        shutil.copy(_SERVED / name, state)
    (state / "node_modules").symlink_to(_packages())
    port = free_port()
    command = ("node", _SERVER, str(port))
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """What was done to notes."""
    return State(Counter(httpx.get(f"{url}/journal").json()))


def use(url: str, folder: Path) -> None:
    """Every id and token is random: nothing goes on elsewhere."""


def drive(url: str) -> None:
    """Sign in and consent, work with notes while tokens are renewed, sign out."""
    with recorded_page() as page:
        # The provider's pages for development want a font of Google's.
        page.route("https://fonts.googleapis.com/**", lambda route: route.abort())
        page.goto(url)
        page.click("#sign-in")
        page.fill("[name=login]", "carol")
        page.fill("[name=password]", "correct-horse-battery")
        page.click("button.login-submit")
        page.click("button:has-text('Continue')")
        page.wait_for_selector("text=Name of carol 0")
        page.fill("#text", "Buy tea")
        page.click("#add")
        page.click("text=Shout")
        page.wait_for_selector("text=Buy tea!")
        page.click("#renew")
        page.wait_for_selector("text=Name of carol 1")
        page.click("text=Shout")
        page.wait_for_selector("text=Buy tea!!")
        page.click("#renew")
        page.wait_for_selector("text=Name of carol 2")
        page.click("text=Delete")
        page.wait_for_selector("text=Buy tea", state="detached")
        page.click("#sign-out")
        page.click("button[autofocus]")
        page.wait_for_selector("text=nobody")
