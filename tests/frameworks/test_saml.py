"""SAML, POST binding: two servers that talk through forms which the browser submits by itself.

The identity provider escapes values as Shibboleth does (``&#x2b;`` for ``+``), keeps the request
under a state as SimpleSAMLphp does (with an address in it), and signs its response, here with a
key in place of XML signatures. The service takes each response once, for a request of its own.
"""

from __future__ import annotations

import base64
import hmac
import re
import secrets
from html import escape
from typing import Any
from urllib.parse import urlencode

from werkzeug.exceptions import Forbidden
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial
from tests.frameworks.site import Site, page


class SingleSignOn(Site):
    """Service provider below /sp/, identity provider below /idp/."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: dict[str, str] = {}  # those sent and not answered, with the relay state
        self.asked: dict[str, tuple[str, str]] = {}  # at the identity provider, by its state

    @page("/sp/(?P<name>notes|profile)?")
    def service(self, request: Request, name: str | None) -> Response:
        if self.cookie in request.cookies:
            user = self.signed_in(request)["user"]
            links = '<a href="/sp/profile">Profile</a> <a href="/sp/logout">Log out</a>'
            return Response(f"<h1>{user}</h1>{links}", mimetype="text/html")
        key, relay = f"_{secrets.token_hex(20)}", f"ss:mem:{secrets.token_hex(16)}"
        self.requests[key] = relay
        message = f'<samlp:AuthnRequest ID="{key}" Version="2.0" Destination="/idp/sso"/>'
        return posting("/idp/sso", SAMLRequest=encoded(message), RelayState=relay)

    @page("/idp/sso", "POST")
    def sso(self, request: Request) -> Response:
        message = base64.b64decode(request.form["SAMLRequest"]).decode()
        state = f"_{secrets.token_hex(21)}:{request.url_root}idp/sso?spentityid=shop"
        self.asked[state] = message.split('"')[1], request.form["RelayState"]
        target = "/idp/login?" + urlencode({"AuthState": state})
        return Response(status=302, headers={"Location": target})

    @page("/idp/login", "GET POST")
    def login(self, request: Request) -> Response:
        state = request.values["AuthState"]
        if state not in self.asked:
            raise Forbidden("State information lost")
        if request.method == "GET":
            hidden = f'<input type="hidden" name="AuthState" value="{escape(state)}" />'
            fields = '<input name="username"><input type="password" name="password">'
            action = escape(request.full_path)
            return Response(
                f'<form action="{action}" method="post">{fields}{hidden}</form>',
                mimetype="text/html",
            )
        if request.form["password"] != "secret pass":
            raise Forbidden("wrong password")
        key, relay = self.asked.pop(state)
        name = request.form["username"]
        message = f'<samlp:Response InResponseTo="{key}"><saml:NameID>{name}</saml:NameID>'
        message += f"<ds:SignatureValue>{self.mac(message)}</ds:SignatureValue></samlp:Response>"
        return posting("/sp/acs", SAMLResponse=encoded(message), RelayState=relay)

    @page("/sp/acs", "POST")
    def acs(self, request: Request) -> Response:
        message = base64.b64decode(request.form["SAMLResponse"]).decode()
        found = re.fullmatch(r'(.*?"(.*?)".*NameID>(.*)</.*)<ds:S.*>(.*?)</ds:.*', message)
        if not found or not hmac.compare_digest(self.mac(found[1]), found[4]):
            raise Forbidden("the signature is wrong")
        if self.requests.pop(found[2], "") != request.form["RelayState"]:
            raise Forbidden("no such request is open")
        return self.start(redirect("/sp/notes"), user=found[3])

    @page("/sp/logout")
    def logout(self, request: Request) -> Response:
        self.signed_in(request).clear()
        return Response("<p>Good bye</p>", mimetype="text/html")

    def mac(self, text: str) -> str:
        return base64.b64encode(hmac.digest(self.secret, text.encode(), "sha256")).decode()


def encoded(message: str) -> str:
    return base64.b64encode(message.encode()).decode()


def posting(target: str, **fields: Any) -> Response:
    """A page whose form is submitted as soon as it is there."""
    inputs = "".join(
        f'<input type="hidden" name="{name}" value="{strictly(value)}"/>'
        for name, value in fields.items()
    )
    return Response(
        f'<html><body onload="document.forms[0].submit()"><form action="{strictly(target)}" '
        f'method="post"><div>{inputs}</div></form></body></html>',
        mimetype="text/html",
    )


def strictly(text: str) -> str:
    """All but letters and digits as character references, in hexadecimal."""
    return re.sub(r"[^\w,.-]", lambda found: f"&#x{ord(found[0]):x};", text)


def session(browser: Browser) -> None:
    """Ask for a page, log in at the other server, come back, look around, log out."""
    browser.go("/sp/")
    browser.submit_form()
    browser.submit_form({"username": "kim", "password": "secret pass"})
    browser.submit_form()
    browser.click("profile")
    browser.click("logout")


def test_saml() -> None:
    """Messages and states go from form to form, decoded and encoded for each."""
    Trial(SingleSignOn, session).check(
        "SAMLRequest by saml",
        "SAMLResponse by saml",
        "RelayState by saml",
        "AuthState by redirect",
    )
