"""ASP.NET WebForms: ViewState in several fields, event validation, UpdatePanel.

The server checks what ASP.NET checks: the state's signature, which is bound to the session
(ViewStateUserKey), and that the event is one that the page, or its last partial update, offered.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import secrets
from collections.abc import Iterator
from html import escape
from typing import Any

from werkzeug.exceptions import InternalServerError
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from pytest_loadtool.model.extractor import FormField
from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial
from tests.frameworks.site import Site, page

#: MaxPageStateFieldLength of the application.
PIECE = 150
#: How many orders the application starts with: each one recorded from has another number.
ORDERS = itertools.cycle([5, 1, 9])


class WebForms(Site):
    """Log in, then add and remove orders, in part by asynchronous postbacks."""

    cookie = "ASP.NET_SessionId"

    def __init__(self) -> None:
        super().__init__()
        self.orders = [
            f"Order {number} of {secrets.token_hex(9)}" for number in range(next(ORDERS))
        ]

    @page("/Login.aspx", "GET POST")
    def login(self, request: Request) -> Response:
        if self.cookie not in request.cookies:
            return self.start(redirect("/Login.aspx"))
        if request.method == "GET":
            inputs = (
                '<input name="ctl00$User" type="text"><input name="ctl00$Password" type="password">'
            )
            return Response(self.form(request, [], ["ctl00$Login"], inputs), mimetype="text/html")
        self.posted(request, "ctl00$Login")
        self.session(request)["user"] = request.form["ctl00$User"]
        return redirect("/Orders.aspx")

    @page("/Orders.aspx", "GET POST")
    def show(self, request: Request) -> Response:
        self.signed_in(request)
        if request.method == "POST":
            event = request.form.get("__EVENTTARGET") or "ctl00$Add"
            state = self.posted(request, event)
            if event == "ctl00$Logout":
                return redirect("/Login.aspx")
            if event == "ctl00$Add":
                self.orders.append(request.form["ctl00$Name"])
            else:
                self.orders.remove(state[int(event.rpartition("l")[2])])
        if request.form.get("__ASYNCPOST") != "true":
            markup = self.form(request, self.orders, self.events(), self.table())
            return Response(markup, mimetype="text/html")
        nodes = [("#", "", "4"), ("updatePanel", "ctl00_Panel", self.table())]
        fields = reversed([*self.fields(request, self.orders, self.events())])
        nodes += [("hiddenField", name, value) for name, value in fields]
        nodes += [("asyncPostBackControlIDs", "", ""), ("pageTitle", "", "Orders | Shop")]
        delta = "".join(f"{len(inner)}|{kind}|{name}|{inner}|" for kind, name, inner in nodes)
        return Response(delta, mimetype="text/plain")

    def events(self) -> list[str]:
        return ["ctl00$Add", "ctl00$Logout", *(f"ctl00$ctl{n}" for n in range(len(self.orders)))]

    def table(self) -> str:
        rows = "".join(f"<td>{escape(one)} | 3|hiddenField|x|</td>" for one in self.orders)
        return f"<table>{rows}</table>"

    def form(self, request: Request, state: list[str], events: list[str], inner: str) -> str:
        hidden = "".join(
            f'<input type="hidden" name="{name}" id="{name}" value="{escape(value)}" />\r\n'
            for name, value in self.fields(request, state, events)
        )
        return (
            f'<html><form method="post" action=".{request.path}" id="form1">{hidden}{inner}'
            '<input name="ctl00$Name" type="text"></form></html>'
        )

    def fields(
        self, request: Request, state: list[str], events: list[str]
    ) -> Iterator[tuple[str, str]]:
        signed = self.signed(request, state)
        pieces = [signed[start : start + PIECE] for start in range(0, len(signed), PIECE)]
        yield "__EVENTTARGET", ""
        if len(pieces) > 1:
            yield "__VIEWSTATEFIELDCOUNT", str(len(pieces))
        for number, piece in enumerate(pieces):
            yield f"__VIEWSTATE{number or ''}", piece
        yield "__VIEWSTATEGENERATOR", hashlib.sha256(request.path.encode()).hexdigest()[:8].upper()
        yield "__EVENTVALIDATION", self.signed(request, [*events, signed[-20:]])

    def posted(self, request: Request, event: str) -> Any:
        """The state that was posted back, if the event was offered with it."""
        form = request.form
        count = int(form.get("__VIEWSTATEFIELDCOUNT", "1"))
        signed = "".join(form[f"__VIEWSTATE{number or ''}"] for number in range(count))
        *events, state_end = self.checked(request, form["__EVENTVALIDATION"])
        if event not in events or state_end != signed[-20:]:
            raise InternalServerError("Invalid postback or callback argument.")
        return self.checked(request, signed)

    def signed(self, request: Request, value: list[str]) -> str:
        content = json.dumps(value).encode()
        return base64.b64encode(content + self.mac(request, content)).decode()

    def checked(self, request: Request, text: str) -> Any:
        signed = base64.b64decode(text)
        if not hmac.compare_digest(signed[-32:], self.mac(request, signed[:-32])):
            raise InternalServerError("Validation of viewstate MAC failed.")
        return json.loads(signed[:-32])

    def mac(self, request: Request, content: bytes) -> bytes:
        key = self.secret + request.cookies[self.cookie].encode()
        return hmac.digest(key, content, "sha256")


def session(browser: Browser) -> None:
    """Log in, add an order by a postback, two by an UpdatePanel, remove the new ones, log out."""
    browser.go("/Login.aspx")
    browser.submit_form({"ctl00$User": "kim", "ctl00$Password": "secret pass"})
    browser.submit_form({"ctl00$Name": "Teapot"})
    for event, name in (("ctl00$Add", "Cup"), ("ctl00$Add", "Saucer"), ("ctl00$ctl0", "")):
        target, fields = browser.fields()
        fields |= updated(browser.text)
        fields |= {"ctl00$ScriptManager": f"ctl00$Panel|{event}", "__EVENTTARGET": event}
        fields |= {"ctl00$Name": name, "__ASYNCPOST": "true"}
        answer = browser.call_form(target, fields, X_MicrosoftAjax="Delta=true")
        browser.text = browser.text.partition("\0")[0] + "\0" + answer
    target, fields = browser.fields()
    browser.post_form(target, fields | updated(browser.text) | {"__EVENTTARGET": "ctl00$Logout"})


def updated(text: str) -> dict[str, str]:
    """The hidden fields of the last partial update, as the page's script would read them."""
    rest = text.partition("\0")[2]
    fields = {}
    while rest:
        length, kind, name, rest = rest.split("|", 3)
        if kind == "hiddenField":
            fields[name] = rest[: int(length)]
        rest = rest[int(length) + 1 :]
    return fields


def test_webforms() -> None:
    """States and event validation come from each page and each partial update anew."""
    trial = Trial(WebForms, session)
    trial.check(
        "VIEWSTATE by view-state",
        "VIEWSTATE1 by view-state",
        "VIEWSTATEGENERATOR by view-state",
        "EVENTVALIDATION by view-state",
    )
    sources = [
        one.source for each in trial.configured.case.transactions() for one in each.extractors
    ]
    assert FormField("__VIEWSTATE") in sources
    assert any(isinstance(one, FormField) and one.split > 1 for one in sources)
