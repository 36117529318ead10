"""Lists whose rows have their ids in ``data-`` attributes: scripts make the addresses of them, as
Stimulus, Alpine, jQuery and what people write by hand do it."""

from __future__ import annotations

import itertools
import random
import re
from html import escape, unescape
from secrets import token_hex

import pytest
from werkzeug.exceptions import Conflict, Forbidden
from werkzeug.wrappers import Request, Response

from pytest_loadtool.editing.unique_values import make_unique
from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial, ten_at_once, twice
from tests.frameworks.site import Site, first_id, page, serving

TITLE, NOTE = "Tea & Cake", "Write to Zoë"


class Board(Site):
    """Cards and notes of everybody, in any order, each with a number that only its row has. A card
    has its number in the tag around its title, a note in a button in front of its text."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = itertools.count(first_id())
        self.things = {next(self.numbers): (f"Thing {one}", "") for one in range(4)}

    @page("/login", "POST")
    def login(self, _: Request) -> Response:
        return self.start(Response("{}", mimetype="application/json"), user=token_hex(4))

    @page("/board")
    def board(self, request: Request) -> Response:
        self.signed_in(request)
        rows = "".join(
            f'<div class="card" data-card-id="{number}" data-colour="1"><div class="body">'
            f"<h3>{escape(title)}</h3></div><button>Done</button></div>"
            for number, (title, _) in self.shuffled()
        )
        return Response(f'<html><div class="cards">{rows}</div></html>', mimetype="text/html")

    @page("/notes")
    def notes(self, request: Request) -> Response:
        self.signed_in(request)
        rows = "".join(
            f'<tr>\n<td><button class="x" data-id="{number}">Done</button></td>\n'
            f"<td> {escape(title)} </td></tr>"
            for number, (title, _) in self.shuffled()
        )
        return Response(f"<html><table>{rows}</table></html>", mimetype="text/html")

    @page("/api/(?:cards|notes)", "POST")
    def create(self, request: Request) -> Response:
        title = request.json["wish"] if request.path == "/api/cards" else request.json["text"]
        if any(one == title for one, _ in list(self.things.values())):
            raise Conflict(title)
        self.things[next(self.numbers)] = title, self.signed_in(request)["user"]
        return Response("{}", status=201, mimetype="application/json")

    @page(r"/api/(?:cards|notes)/(?P<number>\d+)/done", "PUT")
    def done(self, request: Request, number: str) -> Response:
        if self.things[int(number)][1] != self.signed_in(request)["user"]:
            raise Forbidden("it is another one's")
        return Response("{}", mimetype="application/json")

    def shuffled(self) -> list[tuple[int, tuple[str, str]]]:
        things = list(self.things.items())
        return random.sample(things, len(things))


def session(browser: Browser) -> None:
    """Make a card and a note, and press the button of each."""
    browser.json("POST", "/login", {"as": "kim"})
    browser.go("/board")
    browser.json("POST", "/api/cards", {"wish": TITLE})
    browser.go("/board")
    cards = re.findall(r'data-card-id="(\d+)".*?<h3>(.*?)</h3>', browser.text)
    (number,) = [number for number, title in cards if unescape(title) == TITLE]
    browser.json("PUT", f"/api/cards/{number}/done", {"at": "once"})
    browser.json("POST", "/api/notes", {"text": NOTE})
    browser.go("/notes")
    number = browser.found(rf'data-id="(\d+)">Done</button></td>\s*<td> {NOTE} <')
    browser.json("PUT", f"/api/notes/{number}/done", {"at": "once"})
    browser.go("/notes")


@pytest.fixture(scope="module")
def trial() -> Trial:
    return Trial(Board, session)


def test_rows_on_another_server(trial: Trial) -> None:
    """The numbers are other ones there, and the rows stand elsewhere."""
    for _ in range(3):
        trial.check("card_id by named-data", "note_id by named-data")


def test_rows_of_many_users(trial: Trial) -> None:
    """With texts of each one's own, in turn and at once."""
    case = trial.configured.case
    for text in (TITLE, NOTE):
        changed = make_unique(case, text)
        assert changed is not None
        case = changed.case
    with serving(Board()) as url:
        twice(case, url)
        ten_at_once(case, url)
