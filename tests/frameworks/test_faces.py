"""JSF: the session in the path, view states that are used once, partial responses.

The state of a view is kept on the server under two numbers (Mojarra); whoever posts others gets a
ViewExpiredException. The application wants no cookies (tracking mode URL): each address carries
``;jsessionid=``.
"""

from __future__ import annotations

import secrets
from html import escape
from typing import Any

from werkzeug.exceptions import Forbidden, InternalServerError
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial
from tests.frameworks.site import Site, page

STATE = "javax.faces.ViewState"


class Faces(Site):
    """A list of guests: log in, add by Ajax, remove by Ajax, leave by a form."""

    @page("/guests/?")
    def start_page(self, request: Request) -> Response:
        key = secrets.token_hex(16).upper()
        self.sessions[key] = {"views": set(), "guests": ["Ada"]}
        return redirect(f"/guests/login.xhtml;jsessionid={key}")

    @page("/guests/login.xhtml;jsessionid=(?P<key>[^;/]+)", "GET POST")
    def login(self, request: Request, key: str) -> Response:
        session = self.of(key)
        if request.method == "GET":
            inner = '<input name="login:name"><input type="password" name="login:password">'
            return self.view(session, f"login.xhtml;jsessionid={key}", "login", inner)
        self.posted(request, session)
        session["user"] = request.form["login:name"]
        return redirect(f"/guests/list.xhtml;jsessionid={key}")

    @page("/guests/list.xhtml;jsessionid=(?P<key>[^;/]+)", "GET POST")
    def list(self, request: Request, key: str) -> Response:
        session = self.of(key)
        if "user" not in session:
            raise Forbidden("log in first")
        if request.method == "GET":
            inner = f'<div id="guests:table">{self.table(session)}</div><input name="guests:name">'
            inner += f'<a href="about.xhtml;jsessionid={key}">About</a>'
            return self.view(session, f"list.xhtml;jsessionid={key}", "guests", inner)
        self.posted(request, session)
        if request.headers.get("Faces-Request") != "partial/ajax":
            del session["user"]
            return redirect("/guests/bye.xhtml")
        source = request.form["javax.faces.source"]
        if source == "guests:add":
            session["guests"].append(request.form["guests:name"])
        else:
            session["guests"].pop(int(source.split(":")[2]))
        return Response(
            '<?xml version="1.0" encoding="UTF-8"?>\n<partial-response id="j_id1"><changes>'
            f'<update id="guests:table"><![CDATA[{self.table(session)}]]></update>'
            f'<update id="j_id1:{STATE}:0"><![CDATA[{self.new_state(session)}]]></update>'
            "</changes></partial-response>",
            mimetype="text/xml",
        )

    @page("/guests/about.xhtml;jsessionid=(?P<key>[^;/]+)")
    def about(self, request: Request, key: str) -> Response:
        self.of(key)
        return Response("<p>Guests, version 2</p>", mimetype="text/html")

    @page("/guests/bye.xhtml")
    def bye(self, request: Request) -> Response:
        return Response("<p>Good bye</p>", mimetype="text/html")

    def of(self, key: str) -> dict[str, Any]:
        if key not in self.sessions:
            raise Forbidden("no session")
        return self.sessions[key]

    def new_state(self, session: dict[str, Any]) -> str:
        one, other = (secrets.randbits(64) - (1 << 63) for _ in range(2))
        session["views"].add(f"{one}:{other}")
        return f"{one}:{other}"

    def posted(self, request: Request, session: dict[str, Any]) -> None:
        if request.form.get(STATE) not in session["views"]:
            raise InternalServerError("ViewExpiredException")
        session["views"].remove(request.form[STATE])

    def view(self, session: dict[str, Any], action: str, name: str, inner: str) -> Response:
        return Response(
            f'<html><form id="{name}" name="{name}" method="post" action="{action}">'
            f'<input type="hidden" name="{name}" value="{name}" />{inner}'
            f'<input type="hidden" name="{STATE}" id="j_id1:{STATE}:0" '
            f'value="{self.new_state(session)}" autocomplete="off" /></form></html>',
            mimetype="text/html",
        )

    def table(self, session: dict[str, Any]) -> str:
        return "".join(f"<li>{escape(guest)}</li>" for guest in session["guests"])


def session(browser: Browser) -> None:
    """Log in, add two guests and remove one by Ajax, look at another page, log out."""
    browser.go("/guests/")
    browser.submit_form({"login:name": "kim", "login:password": "secret pass"})
    target, fields = browser.fields()
    for source, name in (("guests:add", "Grace"), ("guests:add", "Edsger"), ("guests:rm:0", "")):
        ajax = {
            "javax.faces.partial.ajax": "true",
            "javax.faces.source": source,
            "javax.faces.partial.execute": "@all",
            "guests:name": name,
        }
        browser.text = browser.call_form(target, fields | ajax, Faces_Request="partial/ajax")
        fields[STATE] = browser.found(r'ViewState:0"><!\[CDATA\[(.*?)\]\]>')
    browser.go(target)
    browser.click("about")
    browser.go(target)
    browser.submit_form()


def test_faces() -> None:
    """Session and view states come from addresses, pages and partial responses."""
    Trial(Faces, session).check(
        "jsessionid by session-in-path", "javax_faces_ViewState by view-state"
    )
