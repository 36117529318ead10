"""Laravel: the cookie XSRF-TOKEN, encrypted anew in each response, which scripts send back decoded.

Cookies are encrypted as Illuminate\\Encryption\\Encrypter does it (AES-256-CBC, then a MAC), and
percent-encoded. A wrong token is answered with 419, a code of Laravel's own.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from typing import Any
from urllib.parse import quote, unquote

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.padding import PKCS7
from werkzeug.exceptions import Forbidden
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial
from tests.frameworks.site import Site, first_id, page


class Laravel(Site):
    """Log in by a form, keep notes by scripts, log out by a form."""

    cookie = "laravel_session"

    def __init__(self) -> None:
        super().__init__()
        self.next = first_id()
        self.notes: dict[int, str] = {}

    def answer(self, request: Request) -> Response:
        """Start a session where there is none, check the token, set both cookies anew."""
        key = self.decrypted(unquote(request.cookies.get(self.cookie, ""))) or secrets.token_hex(20)
        session = self.sessions.setdefault(key, {"token": secrets.token_urlsafe(30)})
        request.environ["session"] = session
        if request.method != "GET" and self.token_of(request) != session["token"]:
            return Response("Page Expired", status=419)
        response = super().answer(request)
        for name, value in ((self.cookie, key), ("XSRF-TOKEN", session["token"])):
            cookie = f"{name}={quote(self.encrypted(value), safe='')}; Max-Age=7200; path=/"
            response.headers.add("Set-Cookie", cookie + "; samesite=lax")
        return response

    def token_of(self, request: Request) -> str:
        plain = request.form.get("_token") or request.headers.get("X-CSRF-TOKEN")
        return plain or self.decrypted(request.headers.get("X-XSRF-TOKEN", ""))

    def session(self, request: Request) -> dict[str, Any]:
        found: dict[str, Any] = request.environ["session"]
        return found

    @page("/login", "GET POST")
    def login(self, request: Request) -> Response:
        session = self.session(request)
        if request.method == "GET":
            inputs = '<input name="email"><input type="password" name="password">'
            return self.view(session, f'<form method="POST" action="/login">{inputs}')
        session.update(user=request.form["email"], token=secrets.token_urlsafe(30))
        return redirect("/home")

    @page("/home")
    def home(self, request: Request) -> Response:
        return self.view(self.signed_in(request), '<form method="POST" action="/logout">')

    @page("/logout", "POST")
    def logout(self, request: Request) -> Response:
        self.signed_in(request).update(user="", token=secrets.token_urlsafe(30))
        return Response("Good bye", mimetype="text/html")

    @page("/api/notes", "POST")
    def create(self, request: Request) -> Response:
        self.signed_in(request)
        self.next += 1
        self.notes[self.next] = json.loads(request.data)["text"]
        return Response(json.dumps({"data": {"id": self.next}}), mimetype="application/json")

    @page(r"/api/notes/(?P<number>\d+)", "PUT DELETE")
    def change(self, request: Request, number: str) -> Response:
        self.signed_in(request)
        if int(number) not in self.notes:
            raise Forbidden("no such note")
        return Response("{}", mimetype="application/json")

    def view(self, session: dict[str, Any], inner: str) -> Response:
        token = f'<input type="hidden" name="_token" value="{session["token"]}" autocomplete="off">'
        return Response(f"<html>{inner}{token}</form></html>", mimetype="text/html")

    def encrypted(self, value: str) -> str:
        vector = secrets.token_bytes(16)
        pad = PKCS7(128).padder()
        cipher = Cipher(AES(self.secret), CBC(vector)).encryptor()
        sealed = cipher.update(pad.update(value.encode()) + pad.finalize()) + cipher.finalize()
        iv, text = base64.b64encode(vector).decode(), base64.b64encode(sealed).decode()
        mac = hmac.new(self.secret, (iv + text).encode(), "sha256").hexdigest()
        payload = {"iv": iv, "value": text, "mac": mac, "tag": ""}
        return base64.b64encode(json.dumps(payload).encode()).decode()

    def decrypted(self, text: str) -> str:
        """What was encrypted; nothing if it was not by this server, or was sent undecoded."""
        try:
            payload = json.loads(base64.b64decode(text, validate=True))
        except ValueError:
            return ""
        if not isinstance(payload, dict):
            return ""
        signed = (payload["iv"] + payload["value"]).encode()
        mac = hmac.new(self.secret, signed, "sha256").hexdigest()
        if not hmac.compare_digest(mac, payload["mac"]):
            return ""
        cipher = Cipher(AES(self.secret), CBC(base64.b64decode(payload["iv"]))).decryptor()
        padded = cipher.update(base64.b64decode(payload["value"])) + cipher.finalize()
        pad = PKCS7(128).unpadder()
        return (pad.update(padded) + pad.finalize()).decode()


def session(browser: Browser) -> None:
    """Log in, write a note, change and delete it by scripts, log out."""
    browser.go("/login")
    browser.submit_form({"email": "kim@example.com", "password": "secret pass"})
    created = browser.json("POST", "/api/notes", {"text": "Tea"}, X_XSRF_TOKEN=token(browser))
    target = f"/api/notes/{created['data']['id']}"
    browser.json("PUT", target, {"text": "Cups"}, X_XSRF_TOKEN=token(browser))
    browser.json("DELETE", target, X_XSRF_TOKEN=token(browser))
    browser.submit_form()


def token(browser: Browser) -> str:
    """The cookie as axios reads it."""
    return unquote(browser.cookie("XSRF-TOKEN"))


def test_laravel() -> None:
    """Forms send the token of their page, scripts the decoded cookie of the last response."""
    trial = Trial(Laravel, session)
    trial.check(
        "csrf_token by csrf-form-field", "csrf_token by csrf-header", "note_id by created-id"
    )
    text = trial.refused("csrf-header")
    assert "Status Code is 419" in text
    block = " ".join(text.partition("\n\n")[0].split())
    assert "cause X-XSRF-TOKEN = eyJ" in block
    assert " was sent as recorded, and " in block
    assert 'take "POST /api/notes: X-XSRF-TOKEN #1" out of `ignore`' in block
