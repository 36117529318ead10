"""Keycloak: the address of the login form, and OpenID Connect's code flow behind it.

What Keycloak wants back: ``session_code``, ``execution``, ``tab_id`` and ``client_data`` of the
form's address, which the page writes with ``&amp;``; the code once, for the client's own
``redirect_uri``. What the application wants back is its ``state``.
"""

from __future__ import annotations

import base64
import json
import secrets
import uuid
from html import escape
from typing import Any
from urllib.parse import urlencode, urlsplit

from werkzeug.exceptions import BadRequest, Forbidden, Unauthorized
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial
from tests.frameworks.site import Site, page

REALM = "/realms/demo"
PROTOCOL = f"{REALM}/protocol/openid-connect"


class Keycloak(Site):
    """A realm, and an application behind it that shows an account."""

    def __init__(self) -> None:
        super().__init__()
        self.states: set[str] = set()  # of the application, for logins that have begun
        self.logins: dict[str, dict[str, str]] = {}  # by tab: what its form's address must hold
        self.codes: dict[str, str] = {}
        self.tokens: set[str] = set()
        self.execution = str(uuid.uuid4())

    @page("/app/")
    def home(self, request: Request) -> Response:
        if self.cookie in request.cookies:
            token = self.signed_in(request)["id_token"]
            out = f"{PROTOCOL}/logout?" + urlencode({"id_token_hint": token, "client_id": "shop"})
            links = f'<a href="{escape(out)}">Log out</a>'
            return Response(f"<h1>Account</h1>{links}", mimetype="text/html")
        state = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
        self.states.add(state)
        asked = {
            "response_type": "code",
            "client_id": "shop",
            "redirect_uri": f"{request.url_root}app/callback",
            "scope": "openid profile",
            "state": state,
            "nonce": secrets.token_hex(16),
        }
        return redirect(f"{PROTOCOL}/auth?{urlencode(asked)}")

    @page(f"{PROTOCOL}/auth")
    def auth(self, request: Request) -> Response:
        asked = request.args
        if asked["client_id"] != "shop" or urlsplit(asked["redirect_uri"]).path != "/app/callback":
            raise BadRequest("Invalid parameter: redirect_uri")
        tab = secrets.token_urlsafe(8)
        data = json.dumps({"ru": "/app/callback", "rt": "code", "st": asked["state"]})
        self.logins[tab] = {
            "session_code": secrets.token_urlsafe(32),
            "execution": self.execution,
            "client_id": "shop",
            "tab_id": tab,
            "client_data": base64.urlsafe_b64encode(data.encode()).decode().rstrip("="),
        }
        action = f"{request.url_root.rstrip('/')}{REALM}/login-actions/authenticate"
        action += "?" + urlencode(self.logins[tab])
        return Response(
            f'<form id="kc-form-login" onsubmit="return true;" action="{escape(action)}" '
            'method="post"><input name="username" type="text"><input name="password" '
            'type="password"><input type="hidden" name="credentialId" /></form>',
            mimetype="text/html",
        )

    @page(f"{REALM}/login-actions/authenticate", "POST")
    def authenticate(self, request: Request) -> Response:
        if self.logins.pop(request.args["tab_id"], None) != request.args.to_dict():
            raise BadRequest("Restart login cookie not found")
        if request.form["password"] != "secret pass":
            raise Unauthorized("Invalid username or password.")
        data = request.args["client_data"]
        state = json.loads(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4)))["st"]
        code = ".".join(str(uuid.uuid4()) for _ in range(3))
        self.codes[code] = state
        answer = {"state": state, "session_state": str(uuid.uuid4()), "code": code}
        return redirect(f"{request.url_root}app/callback?{urlencode(answer)}")

    @page("/app/callback")
    def callback(self, request: Request) -> Response:
        state, code = request.args["state"], request.args["code"]
        if state not in self.states or self.codes.pop(code, None) != state:
            raise Forbidden("this login was not begun here")
        self.states.remove(state)
        return self.start(redirect("/app/"), user="kim", id_token=self.token())

    @page("/app/api/token")
    def api_token(self, request: Request) -> Response:
        self.signed_in(request)
        answer = {"access_token": self.token(), "token_type": "Bearer", "expires_in": 300}
        return Response(json.dumps(answer), mimetype="application/json")

    @page("/app/api/orders")
    def orders(self, request: Request) -> Response:
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in self.tokens:
            raise Unauthorized("no token")
        return Response("[]", mimetype="application/json")

    @page(f"{PROTOCOL}/logout")
    def logout(self, request: Request) -> Response:
        if request.args["id_token_hint"] not in self.tokens:
            raise BadRequest("Invalid parameter: id_token_hint")
        self.signed_in(request).clear()
        return redirect("/app/bye")

    @page("/app/bye")
    def bye(self, request: Request) -> Response:
        return Response("<p>Good bye</p>", mimetype="text/html")

    def token(self) -> str:
        claims: list[Any] = [{"alg": "RS256", "typ": "JWT"}, {"jti": str(uuid.uuid4())}]
        parts = [base64.urlsafe_b64encode(json.dumps(one).encode()) for one in claims]
        parts.append(base64.urlsafe_b64encode(secrets.token_bytes(64)))
        token = ".".join(part.decode().rstrip("=") for part in parts)
        self.tokens.add(token)
        return token


def session(browser: Browser) -> None:
    """Ask for the page, log in, let its script call the API, log out."""
    browser.go("/app/")
    browser.submit_form({"username": "kim", "password": "secret pass"}, "kc-form-login")
    token = browser.json("GET", "/app/api/token")["access_token"]
    browser.json("GET", "/app/api/orders", Authorization=f"Bearer {token}")
    browser.click("logout")


def test_keycloak() -> None:
    """Every part of the form's address, the state, the code and both tokens."""
    Trial(Keycloak, session).check(
        "state by oauth2-state",
        "nonce by oauth2-state",
        "session_code by login-flow",
        "execution by login-flow",
        "tab_id by login-flow",
        "client_data by login-flow",
        "session_state by oauth2-state",
        "code by oauth2-code",
        "bearer_token by oauth2-access-token",
        "jwt by jwt",
    )
