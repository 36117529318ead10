"""Lists that all users share: each row has forms, tokens and ids of its own, in any order.

As Rails has it with tokens per form, and Django in its lists. A thing can only be changed by whom
it belongs to, a name is taken only once, and nothing but the lists tells what id a thing got.
"""

from __future__ import annotations

import hmac
import itertools
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import escape
from secrets import token_hex

import pytest
from werkzeug.exceptions import Conflict, Forbidden, NotFound
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from pytest_loadtool.casefile import package_rules
from pytest_loadtool.correlation import configure
from pytest_loadtool.correlation.configuration import asserted_anew
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.model.case import TestCase
from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial, ten_at_once, twice
from tests.frameworks.site import Site, first_id, page, serving

NAME, NOTE = "Tea & 'Cups'", "Salt [1+1]"


@dataclass
class Thing:
    number: int
    name: str
    owner: str
    version: str = field(default_factory=token_hex)


class Shelf(Site):
    """Things in a table, each with an address of its own; notes in a list, whose forms all go to
    one address; and both in JSON."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = itertools.count(10 * first_id())
        names = [f"Thing {one}" for one in range(random.randrange(1, 9))]
        self.things = [Thing(next(self.numbers), name, "") for name in names]

    @page("/login", "GET POST")
    def login(self, request: Request) -> Response:
        if request.method == "POST":
            return self.start(redirect("/things", 303), user=token_hex(4))
        return self.html('<form action="/login" method="post"><input name="email"></form>')

    @page("/things", "GET POST")
    def all_things(self, request: Request) -> Response:
        self.signed_in(request)
        if request.method == "POST":
            self.create(request, request.form["name"])
            return redirect("/things", 303)
        rows = "".join(
            f'<tr class="r"><td>\n{escape(one.name)}\n</td><td><a href="/things/{one.number}/edit">'
            f"Edit</a></td><td>{self.form(request, f'/things/{one.number}/delete')}</td></tr>\n"
            for one in self.shuffled()
        )
        new = '<form action="/things" method="post"><input name="name"></form>'
        return self.html(f"<table>{rows}</table>{new}<a href='/notes'>Notes</a>")

    @page("/notes", "GET POST")
    def notes(self, request: Request) -> Response:
        self.signed_in(request)
        if request.method == "POST":
            self.create(request, request.form["title"])
            return redirect("/notes", 303)
        rows = "".join(
            f'<li><a href="/things/{one.number}/edit"><b>No.</b></a> <i>{escape(one.name)}</i>'
            + self.form(request, "/remove", f'<input type="hidden" name="id" value="{one.number}">')
            + "</li>"
            for one in self.shuffled()
        )
        new = '<form action="/notes" method="post"><input name="title"></form>'
        return self.html(f"<ul>{rows}</ul>{new}")

    @page(r"/things/(?P<number>\d+)/edit", "GET POST")
    def edit(self, request: Request, number: str) -> Response:
        one = self.own(request, number)
        if request.method == "POST":
            self.verify(request)
            one.version = token_hex()
            return redirect("/things", 303)
        form = self.form(request, f"/things/{number}/edit", '<input name="colour">')
        return self.html(f"<h1>{escape(one.name)}</h1>{form}")

    @page(r"/things/(?P<number>\d+)/delete", "POST")
    def delete(self, request: Request, number: str) -> Response:
        self.verify(request)
        self.things.remove(self.own(request, number))
        return redirect("/things", 303)

    @page("/remove", "POST")
    def remove(self, request: Request) -> Response:
        self.verify(request)
        self.things.remove(self.own(request, request.form["id"]))
        return redirect("/notes", 303)

    @page("/api/things")
    def listed(self, request: Request) -> Response:
        self.signed_in(request)
        found = [
            {"id": one.number, "attributes": {"name": one.name}, "version": one.version}
            for one in self.shuffled()
        ]
        return Response(json.dumps({"data": found}), mimetype="application/json")

    @page(r"/api/things/(?P<number>\d+)", "PUT")
    def put(self, request: Request, number: str) -> Response:
        one = self.own(request, number)
        if json.loads(request.data)["version"] != one.version:
            raise Conflict("somebody else has changed it")
        return Response("{}", mimetype="application/json")

    def create(self, request: Request, name: str) -> None:
        """Raises Conflict: the name is taken."""
        if any(one.name == name for one in list(self.things)):
            raise Conflict(name)
        self.things.append(Thing(next(self.numbers), name, self.signed_in(request)["user"]))

    def own(self, request: Request, number: str) -> Thing:
        """Raises Forbidden: it is another user's."""
        user = self.signed_in(request)["user"]
        found = [one for one in list(self.things) if one.number == int(number)]
        if not found:
            raise NotFound(number)
        if found[0].owner != user:
            raise Forbidden("not yours")
        return found[0]

    def shuffled(self) -> list[Thing]:
        things = list(self.things)
        return random.sample(things, len(things))

    def html(self, inner: str) -> Response:
        return Response(f"<html>{inner}</html>", mimetype="text/html")

    def form(self, request: Request, action: str, inner: str = "") -> str:
        token = self.token(request, action, inner)
        return (
            f'<form action="{action}" method="post">{inner}<input type="hidden" name="_csrf" '
            f'value="{token}"><button>Go</button></form>'
        )

    def token(self, request: Request, action: str, inner: str) -> str:
        """Of one form alone: also of those with one action, by the id within."""
        user = self.signed_in(request)["user"]
        about = f"{user} {action} {''.join(filter(str.isdigit, inner))}"
        return hmac.new(self.secret, about.encode(), "sha256").hexdigest()

    def verify(self, request: Request) -> None:
        """Raises Forbidden: the token is that of another form."""
        about = request.form.get("id", "")
        if request.form.get("_csrf") != self.token(request, request.path, about):
            raise Forbidden("CSRF")


def session(browser: Browser) -> None:
    """Make a thing, find it in the table, change it; by a script, too; delete it; a note likewise,
    by forms that go to one address."""
    browser.go("/login")
    browser.submit_form({"email": "kim@example.com"})
    browser.submit_form({"name": NAME}, form='action="/things"')
    number = browser.found(rf'{escape(NAME)}\s*</td><td><a href="/things/(\d+)/')
    browser.click(f"/{number}/edit")
    browser.submit_form({"colour": "blue"})
    listed = json.loads(browser.send("GET", "/api/things", b"", {}).text)["data"]
    (mine,) = [one for one in listed if one["attributes"]["name"] == NAME]
    browser.json("PUT", f"/api/things/{mine['id']}", {"version": mine["version"]})
    browser.go("/things")
    browser.submit_form(form=f'action="/things/{number}/delete"')
    browser.go("/notes")
    browser.submit_form({"title": NOTE}, form='action="/notes"')
    row = browser.found(rf"(?s)<i>{escape(NOTE).replace('[', '.').replace('+', '.')}</i>(.*?)</li>")
    browser.text = row
    browser.submit_form()
    browser.go("/things")


@pytest.fixture(scope="module")
def trial() -> Trial:
    return Trial(Shelf, session)


@pytest.fixture(scope="module")
def unique(trial: Trial) -> TestCase:
    """The names are each virtual user's own."""
    case = trial.configured.case
    for text in (NAME, NOTE):
        changed = make_unique(case, text)
        assert changed is not None
        case = changed.case
    return replace(case, pages=tuple(replace(one, think_time=0.0) for one in case.pages))


def test_rows_of_others_are_left_alone(trial: Trial) -> None:
    """Although each replay has others, in another order."""
    trial.check(
        "thing_id by created-link",
        "csrf_token by csrf-form-field",
        "id by hidden-field",
        "version by row-version",
    )


def test_no_extractor_counts(trial: Trial) -> None:
    """Neither an index nor a match, nor an id as it was recorded."""
    extractors = [one for each in trial.configured.case.transactions() for one in each.extractors]
    assert len(extractors) >= 6
    for one in extractors:
        assert one.match == 1
        assert "[0]" not in str(one.source)


def test_configuring_again_keeps_what_is_unique(trial: Trial, unique: TestCase) -> None:
    """The recording has the names as they were typed."""
    case = replace(unique, pages=tuple(unique.pages))
    again = configure(case, trial.exchanges, rules=package_rules()).case
    assert again == asserted_anew(case, trial.exchanges).case


@pytest.fixture
def url() -> Iterator[str]:
    with serving(Shelf()) as address:
        yield address


def test_twice_one_after_the_other(unique: TestCase, url: str) -> None:
    """Against one server, which keeps nothing of the first."""
    twice(unique, url)


def test_ten_users_at_once(unique: TestCase, url: str) -> None:
    """Each among the rows of the others, three times: no request fails."""
    ten_at_once(unique, url)
