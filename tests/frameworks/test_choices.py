"""Expenses that people share: a member is picked by its label, a file removed by a hidden number,
and a bill kept open by an address that its page gives to a script.

As ihatemoney, Roundup and Wagtail have it. Each server begins with other ids, and everybody sees
the members of all projects, but only those of the own one may be sent.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import escape

import pytest
from werkzeug.exceptions import BadRequest, Conflict, Forbidden, NotFound
from werkzeug.utils import redirect
from werkzeug.wrappers import Request, Response

from pytest_loadtool.casefile import package_rules
from pytest_loadtool.correlation import configure
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.model.case import TestCase
from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial, ten_at_once, twice
from tests.frameworks.site import Site, first_id, page, serving

PROJECT, ANNA, BO = "seaside", "Anna & Co", "Boris"


@dataclass
class Project:
    members: dict[int, str] = field(default_factory=dict)
    bills: dict[int, str] = field(default_factory=dict)
    files: dict[int, int] = field(default_factory=dict)
    open: dict[int, int] = field(default_factory=dict)


class Expenses(Site):
    """Projects by their names, which are taken only once."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = itertools.count(first_id())
        others = {next(self.numbers): name for name in ("Dan", "Eve")}
        self.projects = {"elsewhere": Project(others)}

    @page("/create", "GET POST")
    def create(self, request: Request) -> Response:
        if request.method == "GET":
            return _html('<form method="post"><input name="id"></form>')
        name = request.form["id"]
        if name in self.projects:
            raise Conflict(name)
        self.projects[name] = Project()
        return self.start(redirect(f"/{name}/", 303), user=name)

    @page("/(?P<name>[^/]+)/", "GET POST")
    def project(self, request: Request, name: str) -> Response:
        own = self.own(request, name)
        if request.method == "POST":
            own.members[next(self.numbers)] = request.form["name"]
            return redirect(f"/{name}/", 303)
        rows = "".join(
            f'<tr><td>{escape(what)}</td><td><a class="edit" href="/{name}/edit/{one}">edit</a>'
            f'<form action="/{name}/delete/{one}" method="post"></form></td></tr>'
            for one, what in own.bills.items()
        )
        return _html(
            f'<form method="post"><input name="name"></form><table>{rows}</table>'
            f'<a href="/{name}/add">Add</a>'
        )

    @page("/(?P<name>[^/]+)/add", "GET POST")
    def add(self, request: Request, name: str) -> Response:
        own = self.own(request, name)
        if request.method == "GET":
            projects = list(self.projects.values())
            members = [one for each in projects for one in each.members.items()]
            return _html(_bill_form(random.sample(members, len(members))))
        sent = [int(one) for one in (request.form["payer"], *request.form.getlist("for"))]
        if not own.members.keys() >= {*sent}:
            raise BadRequest("somebody else's member")
        bill, attached = next(self.numbers), next(self.numbers)
        own.bills[bill] = request.form["what"]
        own.files[attached] = bill
        return redirect(f"/{name}/", 303)

    @page(r"/(?P<name>[^/]+)/edit/(?P<bill>\d+)", "GET POST")
    def edit(self, request: Request, name: str, bill: str) -> Response:
        own = self.own(request, name)
        if int(bill) not in own.bills:
            raise NotFound(bill)
        if request.method == "POST":
            if own.files.pop(int(request.form["remove_files"]), None) != int(bill):
                raise BadRequest("no file of this bill")
            return redirect(f"/{name}/", 303)
        number = next(self.numbers)
        own.open[number] = int(bill)
        rows = "".join(
            f'<tr><td><a href="/files/{one}/receipt.txt">receipt.txt</a><form method="post">'
            f'<input type="hidden" name="remove_files" value="{one}">'
            '<input type="hidden" name="version" value="1"></form></td></tr>'
            for one, of in own.files.items()
            if of == int(bill)
        )
        return _html(
            f'<div data-controller="w-session" data-w-session-ping-url-value="/open/{number}/ping"'
            f' data-w-session-bill-value="{bill}"></div><table>{rows}</table>'
        )

    @page(r"/open/(?P<number>\d+)/ping", "POST")
    def ping(self, request: Request, number: str) -> Response:
        if int(number) not in self.projects[self.signed_in(request)["user"]].open:
            raise Forbidden(number)
        return Response("{}", mimetype="application/json")

    def own(self, request: Request, name: str) -> Project:
        """Raises Forbidden: it is another user's."""
        if self.signed_in(request)["user"] != name:
            raise Forbidden("not yours")
        return self.projects[name]


def _html(inner: str) -> Response:
    return Response(f"<html>{inner}</html>", mimetype="text/html")


def _bill_form(members: list[tuple[int, str]]) -> str:
    options = "".join(f'<option value="{one}">{escape(name)}</option>' for one, name in members)
    boxes = "".join(
        f'<p><label for="for-{one}"><input name="for" type="checkbox" value="{one}" '
        f'id="for-{one}"/>\n<span>{escape(name)}</span></label></p>'
        for one, name in members
    )
    return (
        '<form method="post"><label for="payer">Who paid?</label><select id="payer" name="payer">'
        f'<option value="">-</option>{options}</select>{boxes}<input name="what"></form>'
    )


def session(browser: Browser) -> None:
    """Make a project with two members and a bill of theirs; open the bill, and remove its file."""
    browser.go("/create")
    browser.submit_form({"id": PROJECT})
    for name in (ANNA, BO):
        browser.submit_form({"name": name})
    browser.click("/add$")
    ids = {name: browser.found(rf'<option value="(\d+)">{escape(name)}<') for name in (ANNA, BO)}
    browser.post_form(
        browser.page, [("payer", ids[ANNA]), ("for", ids[BO]), ("for", ids[ANNA]), ("what", "Tent")]
    )
    browser.click("/edit/")
    browser.call_form(browser.found('ping-url-value="([^"]+)"'), {"open": "yes"})
    browser.submit_form()
    browser.go(f"/{PROJECT}/")


@pytest.fixture(scope="module")
def trial() -> Trial:
    return Trial(Expenses, session)


@pytest.fixture(scope="module")
def unique(trial: Trial) -> TestCase:
    """The names are each virtual user's own."""
    case = trial.configured.case
    for text in (PROJECT, ANNA, BO):
        changed = make_unique(case, text)
        assert changed is not None
        case = changed.case
    return replace(case, pages=tuple(replace(one, think_time=0.0) for one in case.pages))


def test_what_the_session_created_is_sent(trial: Trial) -> None:
    """By its label, by the link to it, and from the address for the script."""
    trial.check(
        "payer by named-choice",
        "for by named-choice",
        "edit_id by created-link",
        "remove_files by hidden-thing",
        "open_id by created-link",
        "version by row-version",
    )


def test_configuring_again_keeps_what_is_unique(trial: Trial, unique: TestCase) -> None:
    """The recording has the names as they were typed, also in addresses."""
    assert configure(unique, trial.exchanges, rules=package_rules()).case == unique


@pytest.fixture
def url() -> Iterator[str]:
    with serving(Expenses()) as address:
        yield address


def test_twice_one_after_the_other(unique: TestCase, url: str) -> None:
    """Against one server: the second user has other members, files and links."""
    twice(unique, url)


def test_ten_users_at_once(unique: TestCase, url: str) -> None:
    """Each among the members of the others, three times: no request fails."""
    ten_at_once(unique, url)
