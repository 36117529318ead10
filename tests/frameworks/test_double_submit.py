"""Cookies that only scripts set: a token out of JSON that is sent twice, as cookie and as header.

Recorded with Chromium. The server takes no token of another server, wants the cookies that its
pages' scripts set, and refuses those that they have removed or set for another path.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import re
import secrets
from functools import cached_property
from urllib.parse import unquote

import pytest
from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Request, Response

from pytest_loadtool.capture import Recorder
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.generator import Uuid
from tests.capture.driving import driven
from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial
from tests.frameworks.site import Site, page, serving

_HEAD = "<!doctype html><link rel=icon href='data:,'><button>Order</button><p></p><script>"
_SCRIPT = """
async function start() {
  if (!document.cookie.includes("visitor="))
    document.cookie = "visitor=" + crypto.randomUUID() + "; path=/";
  const token = (await (await fetch("/api/token")).json()).token;
  document.cookie = "csrf=" + encodeURIComponent(token) + "; path=/; SameSite=Lax";
  document.querySelector("button").onclick = async () => {
    await fetch("/api/orders", { method: "POST", headers: { "X-CSRF-Token": token } });
    document.cookie = "notice=; Max-Age=0; path=/";
    document.cookie = "lang=de; path=/";
    document.cookie = "theme=dark; path=/shop";
    document.querySelector("p").id = "done";
  };
  document.querySelector("button").id = "ready";
}
start();
</script>"""


class Shop(Site):
    """Order on the home page, look at the list, order there."""

    def valid(self, token: str) -> bool:
        """Whether the token is one of this server."""
        number, _, seal = base64.b64decode(token).partition(b".")
        return hmac.compare_digest(seal, self.sealed(number))

    def sealed(self, number: bytes) -> bytes:
        return hmac.digest(self.secret, number, "sha256")[:13]

    @page("/")
    def home(self, request: Request) -> Response:
        response = Response(_HEAD + _SCRIPT, mimetype="text/html")
        if "lang" not in request.cookies:
            response.set_cookie("lang", "en")
        return response

    @page("/api/token")
    def token(self, request: Request) -> Response:
        self._known(request)
        number = secrets.token_hex(4).encode()
        text = base64.b64encode(number + b"." + self.sealed(number)).decode()
        return Response(json.dumps({"token": text}), mimetype="application/json")

    @page("/api/orders", "POST")
    def order(self, request: Request) -> Response:
        self._known(request)
        token = unquote(request.cookies.get("csrf", ""))
        if not token or token != request.headers.get("X-CSRF-Token") or not self.valid(token):
            raise Forbidden("this is not the token")
        response = Response("{}", mimetype="application/json")
        response.set_cookie("notice", "ordered")
        return response

    @page("/shop/list")
    def list(self, request: Request) -> Response:
        self._known(request, theme="dark", lang="de")
        return Response(_HEAD + _SCRIPT, mimetype="text/html")

    def _known(self, request: Request, **wanted: str) -> None:
        """Whether the browser has what scripts gave it, and no more."""
        has = request.cookies
        if not re.fullmatch("[0-9a-f]{8}-.{27}", has.get("visitor", "")):
            raise Forbidden("who is this?")
        if "notice" in has or any(has.get(name) != value for name, value in wanted.items()):
            raise Forbidden("a script has seen to that")
        if "theme" in has and "theme" not in wanted:
            raise Forbidden("that is for the shop")


async def _record(url: str) -> list[Exchange]:
    got: list[Exchange] = []
    async with Recorder(got.append) as recorder, driven(recorder, "about:blank") as tab:
        for target in ("/", "/shop/list"):
            await tab.goto(url + target)
            await tab.click("#ready")
            await tab.wait_for_selector("#done", state="attached")
    return got


class _InChromium(Trial):
    @cached_property
    def exchanges(self) -> tuple[Exchange, ...]:
        with serving(self.make()) as url:
            return tuple(asyncio.run(asyncio.wait_for(_record(url), timeout=120)))


def _nobody(_: Browser) -> None:
    pytest.fail("Chromium is there")


@pytest.fixture(scope="module")
def trial() -> Trial:
    """The shop, recorded once."""
    return _InChromium(Shop, _nobody)


def test_double_submit(trial: Trial) -> None:
    """The token goes into the cookie and the header, each user makes up its id, the rest is as
    recorded."""
    trial.check("csrf_token by csrf-header", "visitor by client-uuid")


def test_what_the_test_case_says(trial: Trial) -> None:
    """Each cookie stands where it is first sent, as the script set it."""
    configured = trial.configured
    cookies = [
        (one.title, one.request.cookies)
        for one in configured.case.transactions()
        if one.request.cookies
    ]
    assert cookies == [
        ("GET /api/token", ("visitor=${visitor[1]}",)),
        ("POST /api/orders", ("csrf=${csrf_token[1]|url}",)),
        ("GET /shop/list", ("theme=dark; Path=/shop", "lang=de", "notice=; Max-Age=0")),
        ("POST /api/orders", ("csrf=${csrf_token[2]|url}",)),
    ]
    assert configured.case.variables["visitor[1]"].generate == Uuid()
    reasons = [one.reason for one in configured.decisions if one.rule == "script-cookie"]
    assert [one.split()[5] for one in reasons] == ["lang", "visitor", "csrf", "theme"]
