"""Pages whose scripts hold the token, written as PHP, .NET and Next.js write strings there.

Each page gives a token of its own, base64 as ever, and takes no other. The scripts read their
string and send what it means: in a form, in JSON, in a header, in an address.
"""

from __future__ import annotations

import base64
import json
import secrets
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest
from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Request, Response

from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial
from tests.frameworks.site import Site, page


def _base64(*, odd: bool) -> str:
    """A token of 32 bytes that has both ``+`` and ``/``, or neither."""
    while True:
        token = base64.b64encode(secrets.token_bytes(32)).decode()
        if ("+" in token, "/" in token) == (odd, odd):
            return token


class Shop(Site):
    """Log in, look at the cart, order, and look at two pages of a list."""

    def __init__(self, *, odd: bool) -> None:
        super().__init__()
        self.odd = odd

    @page("/login", "GET POST")
    def login(self, request: Request) -> Response:
        if request.method == "GET":
            answer = self.start(Response(mimetype="text/html"))
            key = self._key(self.sessions[list(self.sessions)[-1]])
            config = json.dumps({"base": "https://shop.test/", "key": key}).replace("/", "\\/")
            answer.set_data(f"<script>var app = {config};</script>")
            return answer
        body: Any = request.get_json()
        self._verify(request, body["key"])
        self.session(request)["user"] = body["user"]
        return Response("{}", mimetype="application/json")

    @page("/cart", "GET POST")
    def cart(self, request: Request) -> Response:
        session = self.signed_in(request)
        if request.method == "POST":
            self._verify(request, request.form["key"])
            return Response("added")
        key = self._key(session).replace("+", "&#x2B;")
        return Response(f'<div data-phone="&#x2B;1" data-key="{key}">', mimetype="text/html")

    @page("/order", "GET POST")
    def order(self, request: Request) -> Response:
        session = self.signed_in(request)
        if request.method == "POST":
            self._verify(request, request.headers["X-Order-Key"])
            return Response("ordered")
        state = json.dumps({"more": "1+", "key": self._key(session)}).replace("+", "\\u002B")
        script = f"self.__next_f.push([1,{json.dumps('7:' + state)}])"
        return Response(f"<script>{script}</script>", mimetype="text/html")

    @page("/list")
    def list(self, request: Request) -> Response:
        session = self.signed_in(request)
        if cursor := request.args.get("cursor"):
            self._verify(request, cursor)
        link = f"{request.host_url}list?size=2&cursor={quote(self._key(session), safe='')}"
        return Response(json.dumps({"next": link, "items": [1, 2]}), mimetype="application/json")

    def _key(self, session: dict[str, Any]) -> str:
        session["key"] = _base64(odd=self.odd)
        return str(session["key"])

    def _verify(self, request: Request, key: str) -> None:
        if key != self.session(request)["key"]:
            raise Forbidden(f"{key} is not the key of the page")


def session(browser: Browser) -> None:
    """Log in, put something into the cart, order it, look at two pages of a list."""

    def key(pattern: str) -> str:
        return str(json.loads(f'"{browser.found(pattern)}"'))

    browser.go("/login")
    browser.json("POST", "/login", {"user": "kim", "key": key('"key": "(.*?)"')})
    browser.go("/cart")
    browser.call_form("/cart", {"item": "7", "key": unescape(browser.found('data-key="(.*?)"'))})
    browser.go("/order")
    written = json.loads(f'"{browser.found(r"key.*?: (.*?)}")}"')
    browser.send("POST", "/order", headers={"X-Order-Key": json.loads(written)})
    address = browser.json("GET", "/list")["next"]
    browser.json("GET", address.removeprefix(browser.url))


@pytest.mark.parametrize("odd", [True, False], ids=["escapes-recorded", "escapes-replayed"])
def test_scripts(odd: bool) -> None:
    """Tokens with characters that are escaped, of which the recording or the replay has none."""
    kinds = iter((odd, not odd, odd))
    Trial(lambda: Shop(odd=next(kinds)), session).check(
        "key by record-scan", "order_key by record-scan", "cursor by record-scan"
    )
