"""What Redmine sends, as it writes it: a Rails application with jquery-ujs."""

from __future__ import annotations

import pytest

from pytest_loadtool.masking.found_secrets import typed
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import FormField
from tests.correlation.exchanges import exchange, html
from tests.correlation.talk import get, made, post, requests, run, sources

#: What jquery-ujs sends (without TLS, browsers send no Sec-Fetch-Dest), and what it is answered: a
#: script that changes the page.
UJS = (("X-Requested-With", "XMLHttpRequest"),)
SCRIPT = exchange(received=(("Content-Type", "text/javascript; charset=utf-8"),), answer=b"$();")

ISSUE = """<a class="issue-3-watcher" data-remote="true" data-method="post"
 href="/watchers/watch?object_id=3&amp;object_type=issue">Watch</a>"""
EDIT = '<a title="Edit" data-remote="true" data-method="get" href="/journals/{}/edit">Edit</a>'
LOGIN = """<form action="/login" method="post"><input name="username" />
<input type="password" name="password" /><input type="submit" name="login" value="Login" />
</form>"""
MOVE = """<form action="/issues/3" method="post">
<input type="hidden" name="_method" value="patch" />
<select name="issue[project_id]" id="issue_project_id"><option value="1">Cellar</option>
<option {}value="2">Tea garden</option></select><input name="issue[subject]" /></form>"""


def created(page: str) -> tuple[Exchange, ...]:
    """An issue is added, and shown."""
    redirect = exchange(received=(("Location", "http://shop.test/issues/3"),))
    added = post("/projects/tea/issues", "issue[subject]=Water", redirect, status=302)
    return added, get("/issues/3", html(page))


@pytest.mark.parametrize("journal", ["3", "8"])
def test_a_script_that_the_server_makes(journal: str) -> None:
    """It is no static resource: the id in its address is that of the note which was just added.
    That may be the number of the issue by chance."""
    configuration = run(
        *created(ISSUE),
        post("/issues/3", "_method=patch&issue[notes]=Half", status=302),
        get("/issues/3", html(ISSUE + EDIT.format(journal))),
        get(f"/journals/{journal}/edit", SCRIPT, sent=UJS),
        post(f"/journals/{journal}", "_method=put&journal[notes]=All", SCRIPT),
    )
    assert requests(configuration)[2:] == [
        "/issues/${issue_id[1]} _method=patch&issue[notes]=Half",
        "/issues/${issue_id[1]}",
        "/journals/${journal_id[1]}/edit",
        "/journals/${journal_id[1]} _method=put&journal[notes]=All",
    ]


def test_a_script_of_a_page() -> None:
    """One that an element of the page fetches is as static as it was."""
    page = html('<script src="/assets/7f3a9b2c1d4e5f60.js"></script>')
    configuration = run(get("/", page), get("/assets/7f3a9b2c1d4e5f60.js", SCRIPT))
    assert not made(configuration)


@pytest.mark.parametrize(
    ("sent", "wanted"),
    [
        ("object_id=3&object_type=issue", "object_id=${issue_id[1]}&object_type=issue"),
        ("about_id=3&about_type=Issue", "about_id=${issue_id[1]}&about_type=Issue"),
        ("time_entry[issue_id]=3", "time_entry[issue_id]=${issue_id[1]}"),
        ("object_id=3&object_type=wiki_page", "object_id=3&object_type=wiki_page"),
        ("tracker_id=3", "tracker_id=3"),
        ("issue_count=3", "issue_count=3"),
    ],
)
def test_fields_that_are_called_like_the_thing(sent: str, wanted: str) -> None:
    """By their own name, or by the type beside them (Rails: a polymorphic association)."""
    configuration = run(*created(ISSUE), post(f"/watchers/watch?{sent}", "", SCRIPT))
    assert requests(configuration)[-1].strip() == f"/watchers/watch?{wanted}"


def test_a_button_is_no_credential() -> None:
    """It is called like a field for who one is."""
    body = "username=admin&password=correct-horse&login=Login"
    configuration = run(get("/login", html(LOGIN)), post("/login", body, status=302))
    assert {one.value for one in configuration.decisions} == {"admin", "********"}
    assert [one.column for one in typed(configuration.case)] == ["username", "password"]


@pytest.mark.parametrize("selected", ['selected="selected" ', ""])
def test_a_choice_that_was_left(selected: str) -> None:
    """The form came with the user's own project selected. That is taken, and not the first that has
    the name."""
    form = html(MOVE.format(selected))
    configuration = run(
        post("/projects", "project[name]=Tea+garden"),
        get("/issues/3/edit", form),
        post("/issues/3", "_method=patch&issue[project_id]=2&issue[subject]=Water"),
    )
    ((_, source, _),) = sources(configuration)
    assert (source == FormField("issue[project_id]")) is bool(selected)
