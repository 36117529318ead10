"""Rails: masked authenticity tokens, one for each form, and one in a meta tag for scripts.

The tokens are those of ActionController::RequestForgeryProtection (Rails 7): the session holds a
random one; a form gets HMAC(it, "path#method"), scripts HMAC(it, "!real_csrf_token"), each time
under a new one-time pad.
"""

from __future__ import annotations

import base64
import hmac
import itertools
import json
import secrets
from typing import Any

from werkzeug.exceptions import NotFound, UnprocessableEntity
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial
from tests.frameworks.site import Site, first_id, page

#: How many posts there are at the beginning: never as many as the last time.
_SIZES = itertools.cycle((1, 4))
_DELETE = '<input type="hidden" name="_method" value="delete" autocomplete="off" />'


class Rails(Site):
    """Log in; write, change and delete posts."""

    cookie = "_blog_session"

    def __init__(self) -> None:
        super().__init__()
        self.ids = itertools.count(first_id())
        self.posts = {next(self.ids): "Welcome" for _ in range(next(_SIZES))}

    @page("/login", "GET POST")
    def login(self, request: Request) -> Response:
        if request.method == "POST":
            self.verify(request)
            return self.start(redirect("/posts"), csrf=secrets.token_bytes(32), user="kim")
        if self.cookie not in request.cookies:
            return self.start(redirect("/login"), csrf=secrets.token_bytes(32))
        return self.view(request, self.form(request, "/login", '<input name="email" type="email">'))

    @page("/posts", "GET POST")
    def index(self, request: Request) -> Response:
        self.signed_in(request)
        if request.method == "POST":
            self.verify(request)
            number = next(self.ids)
            self.posts[number] = request.form["post[title]"]
            return redirect(f"/posts/{number}", 302)
        links = "".join(
            f'<a href="/posts/{number}">{self.posts[number]}</a>'
            + self.form(request, f"/posts/{number}", _DELETE, "delete")
            for number in self.posts
        )
        search = self.form(request, "/searches", '<input name="q">')
        return self.view(request, links + search + '<a href="/posts/new">New post</a>')

    @page("/searches", "POST")
    def search(self, request: Request) -> Response:
        self.signed_in(request)
        self.verify(request)
        return self.view(request, f"<p>Nothing about {request.form['q']}</p>")

    @page("/posts/new")
    def new(self, request: Request) -> Response:
        self.signed_in(request)
        return self.view(request, self.form(request, "/posts", '<input name="post[title]">'))

    @page(r"/posts/(?P<number>\d+)", "GET PATCH POST")
    def post(self, request: Request, number: str) -> Response:
        self.signed_in(request)
        if int(number) not in self.posts:
            raise NotFound(number)
        if request.method == "GET":
            recent = "".join(
                self.form(request, f"/posts/{other}/likes", "")
                for other in self.posts
                if other != int(number)
            )
            comment = self.form(request, f"/posts/{number}/comments", '<input name="text">')
            delete = self.form(request, f"/posts/{number}", _DELETE, "delete")
            return self.view(request, recent + comment + delete)
        self.verify(request)
        if request.method == "PATCH":
            self.posts[int(number)] = json.loads(request.data)["post"]["title"]
            return Response(json.dumps({"id": int(number)}), mimetype="application/json")
        del self.posts[int(number)]
        return redirect("/posts", 303)

    @page(r"/posts/(?P<number>\d+)/comments", "POST")
    def comments(self, request: Request, number: str) -> Response:
        self.signed_in(request)
        self.verify(request)
        return redirect(f"/posts/{number}", 302)

    def view(self, request: Request, inner: str) -> Response:
        token = self.masked(self.token(request, "!real_csrf_token"))
        out = self.form(request, "/login", "", "delete")
        return Response(
            '<html><head><meta name="csrf-param" content="authenticity_token" />\n'
            f'<meta name="csrf-token" content="{token}" /></head>{inner}{out}</html>',
            mimetype="text/html",
        )

    def form(self, request: Request, action: str, inner: str, method: str = "post") -> str:
        token = self.masked(self.token(request, f"{action}#{method}"))
        return (
            f'<form class="f" action="{action}" accept-charset="UTF-8" method="post">{inner}<input '
            f'type="hidden" name="authenticity_token" value="{token}" autocomplete="off" /></form>'
        )

    def token(self, request: Request, purpose: str) -> bytes:
        return hmac.digest(self.session(request)["csrf"], purpose.encode(), "sha256")

    def masked(self, token: bytes) -> str:
        pad = secrets.token_bytes(len(token))
        both = pad + bytes(a ^ b for a, b in zip(pad, token, strict=True))
        return base64.urlsafe_b64encode(both).decode().rstrip("=")

    def verify(self, request: Request) -> None:
        """Rails: InvalidAuthenticityToken, 422."""
        sent = request.form.get("authenticity_token") or request.headers.get("X-CSRF-Token", "")
        both = base64.urlsafe_b64decode(sent + "=" * (-len(sent) % 4))
        token = bytes(a ^ b for a, b in zip(both[:32], both[32:], strict=True))
        method = request.form.get("_method", request.method).lower()
        purposes = ("!real_csrf_token", f"{request.path}#{method}")
        if not any(hmac.compare_digest(token, self.token(request, one)) for one in purposes):
            raise UnprocessableEntity("Can't verify CSRF token authenticity.")


def session(browser: Browser) -> None:
    """Log in, search below a list; write a post, comment on it, change it by a script, delete it;
    another."""
    browser.go("/login")
    browser.submit_form({"email": "kim@example.com"})
    browser.submit_form({"q": "Tea"}, form="/searches")
    browser.go("/posts")
    browser.click("new")
    browser.submit_form({"post[title]": "Tea & cups"})
    browser.submit_form({"text": "Two, please"}, form="/comments")
    change: Any = {"post": {"title": "Tea"}}
    token = browser.found('name="csrf-token" content="(.*?)"')
    browser.json("PATCH", browser.page, change, X_CSRF_Token=token)
    browser.submit_form(form=f'action="{browser.page}"')
    browser.click("new")
    browser.submit_form({"post[title]": "Cups"})


def test_rails() -> None:
    """Each form's own token, the meta tag's for scripts, and the id of what was created.

    The lists have another length on replay, and a form of its own for each of its posts: the ones
    below are known by where they submit to, whatever the id in there is.
    """
    trial = Trial(Rails, session)
    trial.check(
        "csrf_token by csrf-form-field",
        "csrf_token by csrf-header",
        "post_id by created-location",
    )
    text = trial.refused("csrf-form-field")
    assert "Status Code is 422" in text
    block = " ".join(text.partition("\n\n")[0].split())
    assert "cause authenticity_token = " in block
    assert " was sent as recorded, and " in block
    assert 'take "POST /login: authenticity_token" out of `ignore`' in block
    for path in ("/searches", "/comments"):
        used = [one for one in trial.configured.case.transactions() if path in one.title]
        assert "${csrf_token[" in str(used[0].request.body)
