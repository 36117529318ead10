"""What a session says that is played again on the server where it was recorded: each is right, or
red, or says what was otherwise. Judged by the state of the server."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl
from uuid import uuid4

import pytest

from pytest_loadtool.model.validator import TextValidator
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded, three


@dataclass
class Switch:
    """Each POST turns it, on and off."""

    page: bool = False
    is_on: bool = False

    def answer(self, method: str, _target: str, _body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            self.is_on = not self.is_on
            return json_answer({"done": True})
        button = "Unstar" if self.is_on else "Star"
        page = f"<html><title>x</title><form method=post action=/star><button>{button}</button>"
        if self.page:
            return 200, {"Content-Type": "text/html"}, f"{page}</form></html>"
        return json_answer({"name": "x", "mode": {"starred": self.is_on}})


@dataclass
class Machine:
    """Does what was asked in its modes."""

    mode: str = "manual"
    works: bool = True

    def answer(self, method: str, _target: str, _body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST" and self.works:
            self.mode = "automatic"
        return json_answer({} if method == "POST" else {"machine": {"mode": self.mode}})


@dataclass
class Poll:
    """Counts one vote of each user, with a friendly word for those that come again."""

    votes: list[str] = field(default_factory=list)

    def answer(self, method: str, _target: str, _body: str) -> Answer:
        """What is answered to a request."""
        if method != "POST":
            return json_answer({"question": "Tea?"})
        if self.votes:
            return json_answer({"message": "You have already voted"})
        self.votes.append("ann")
        return json_answer({"message": "Thanks for voting"})


@dataclass
class Stock:
    """Has one of each."""

    left: int = 1

    def answer(self, method: str, _target: str, _body: str) -> Answer:
        """What is answered to a request."""
        if method != "POST":
            return json_answer({"shop": "Tea House"})
        reserved, self.left = self.left > 0, max(self.left - 1, 0)
        return json_answer({"reserved": reserved})


@dataclass
class Payments:
    """Does nothing for a key that it knows."""

    made: list[tuple[str, str]] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)

    def answer(self, method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            asked = json.loads(body)
            number = self.keys.setdefault(asked["idempotency_key"], len(self.keys) + 1)
            if number > len(self.made):
                self.made.append((asked["to"], asked["amount"]))
            return json_answer({"payment": number}, 201)
        return json_answer({"made": len(self.made)})


def _played(office: Any, session: Callable[[Client], None], times: int = 2) -> list[str]:
    """Record it, and play it so often on the same server."""
    case = recorded(office, session)
    return [colour(replayed(case, office)) for _ in range(times)]


@pytest.mark.parametrize("page", [False, True])
def test_what_is_switched_back_is_red(page: bool) -> None:
    """The session has switched it on: what leaves it off has not done that."""
    office = Switch(page)
    assert _played(office, three("/star", {}), 3) == ["red", "GREEN", "red"]


def test_a_state_that_is_reached_again_is_green() -> None:
    """And red where it is not."""
    office = Machine()
    assert _played(office, three("/mode", {}), 2) == ["GREEN", "GREEN"]
    case = recorded(Machine(), three("/mode", {}))
    assert colour(replayed(case, Machine())) == "GREEN"
    assert colour(replayed(case, Machine(works=False))) == "red"


@pytest.mark.parametrize(
    ("office", "path", "body"),
    [(Poll(), "/vote", {"choice": "yes"}), (Stock(), "/reserve", {"sku": "A1"})],
    ids=["a message", "a truth"],
)
def test_an_answer_that_says_something_else_is_told(office: Any, path: str, body: Any) -> None:
    """Where nothing shows what was done, the answer to the change is compared."""
    assert _played(office, three(path, body)) == ["told", "told"]


@pytest.mark.parametrize(
    "key", [str(uuid4()), "payment-of-ann-1", "1"], ids=["random", "readable", "short"]
)
def test_an_idempotency_key_is_each_runs_own(key: str) -> None:
    """By the name of its field."""
    office = Payments()
    session = three("/payments", {"to": "Tea House", "idempotency_key": key, "amount": "1"})
    assert _played(office, session) == ["GREEN", "GREEN"]
    assert office.made == [("Tea House", "1")] * 3


def test_what_a_client_has_said_is_no_message_of_the_server() -> None:
    """A chat answers with the text that was sent; others say something else."""

    class Chat:
        def answer(self, method: str, _target: str, body: str) -> Answer:
            """What is answered to a request."""
            said = json.loads(body)["message"] if method == "POST" else ""
            return json_answer({"message": said} if said else {"room": "tea"})

    case = recorded(Chat(), three("/say", {"message": "Hello there"}))
    answers = (one.recorded.answer for one in case.transactions() if one.recorded is not None)
    assert not any(one.said for one in answers if one is not None)


@dataclass
class Settings:
    """A page with a box, which keeps what it is told unless it is broken."""

    works: bool = True
    news: bool = False

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            self.news = "news=on" in body if self.works else self.news
            return 303, {"Location": target}, ""
        box = '<input type="checkbox" name="news"{}>'.format(" checked" if self.news else "")
        form = f'<form method="post" action="{target}">{box}<button>Save</button></form>'
        return 200, HTML, f"<html><title>Settings</title>{form}</html>"


def test_a_box_that_is_checked() -> None:
    """What the page of a form shows of it afterwards."""

    def session(client: Client) -> None:
        client.send("GET", "/settings")
        client.send("POST", "/settings", b"news=on", FORM)
        client.send("GET", "/settings")

    case = recorded(Settings(), session)
    assert colour(replayed(case, Settings())) == "GREEN"
    assert colour(replayed(case, Settings(works=False))) == "red"


@dataclass
class Lanes:
    """Texts, or items with ids, that can be put in another order."""

    ids: list[Any]
    works: bool = True

    def answer(self, method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "PUT" and self.works:
            self.ids = json.loads(body)["order"]
        if method == "PUT":
            return json_answer({})
        texts = isinstance(self.ids[0], str) and len(self.ids[0]) < 10
        return json_answer({"lanes": self.ids if texts else [{"id": one} for one in self.ids]})


@pytest.mark.parametrize("kind", ["texts", "numbers", "random ids"])
def test_another_order(kind: str) -> None:
    """What is sent first is first afterwards."""

    def lanes() -> list[Any]:
        ids: dict[str, list[Any]] = {"texts": ["Brew", "Pour", "Drink"], "numbers": [1, 2, 3]}
        return ids.get(kind) or [uuid4().hex for _ in range(3)]

    first = lanes()

    def session(client: Client) -> None:
        client.send("GET", "/lanes")
        client.json("PUT", "/lanes", {"order": [first[2], first[0], first[1]]})
        client.send("GET", "/lanes")

    case = recorded(Lanes(first), session)
    assert colour(replayed(case, Lanes(lanes()))) == "GREEN"
    assert colour(replayed(case, Lanes(lanes(), works=False))) == "red"


@dataclass
class Members:
    """Members with their roles."""

    works: bool = True
    roles: dict[str, str] = field(default_factory=lambda: {"bob": "reader", "eve": "reader"})

    def answer(self, method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST" and self.works:
            self.roles[json.loads(body)["user"]] = "admin"
        members = [{"name": name, "role": role} for name, role in self.roles.items()]
        return json_answer({} if method == "POST" else {"members": members})


def test_the_state_of_an_item_by_its_name() -> None:
    """Of the one that the change names, and not of others."""
    case = recorded(Members(), three("/promote", {"user": "eve"}))
    assert colour(replayed(case, Members())) == "GREEN"
    assert colour(replayed(case, Members(works=False))) == "red"
    others = {"ann": "owner", "eve": "reader", "bob": "owner"}
    assert colour(replayed(case, Members(roles=others))) == "GREEN"


class Ballot:
    """Answers a form with a page that says what came of it, each time the same."""

    def __init__(self, *, closed: bool = False) -> None:
        self._closed = closed

    def answer(self, method: str, _target: str, _body: str) -> Answer:
        """What is answered to a request."""
        said = "The poll is closed" if self._closed else "Your vote was counted"
        shown = f'<div class="alert">{said}</div>' if method == "POST" else "<form method=post>"
        return 200, HTML, f"<html><title>Poll</title>{shown}</html>"


def test_the_message_of_a_page_that_answers_a_form() -> None:
    """Where nothing else shows what was done, another message is red."""

    def session(client: Client) -> None:
        client.send("GET", "/poll")
        client.send("POST", "/poll/vote", b"choice=yes", FORM)

    case = recorded(Ballot(), session)
    assert colour(replayed(case, Ballot())) == "GREEN"
    assert colour(replayed(case, Ballot(closed=True))) == "red"


@dataclass
class Tasks:
    """Tasks that are done, or open again, as the class of their rows says."""

    ids: Sequence[Any]
    works: bool = True
    done: set[str] = field(default_factory=set)

    def answer(self, method: str, target: str, _body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            self.done ^= {target.split("/")[2]} if self.works else set()
            return 303, {"Location": "/tasks"}, ""
        rows = "".join(
            f'<li class="{"done" if str(one) in self.done else "open"}">Brew it'
            f'<form method="post" action="/tasks/{one}/toggle"><button>x</button></form></li>'
            for one in self.ids
        )
        return 200, HTML, f"<html><title>Tasks</title><ul>{rows}</ul></html>"


@pytest.mark.parametrize("numbered", [True, False], ids=["numbers", "random ids"])
def test_the_class_of_a_row(numbered: bool) -> None:
    """Where only that says how a thing is, a second run that turns it back is red."""

    def ids() -> list[Any]:
        return [1, 2, 3] if numbered else [uuid4().hex for _ in range(3)]

    first = ids()

    def session(client: Client) -> None:
        client.send("GET", "/tasks")
        client.send("POST", f"/tasks/{first[1]}/toggle", b"", FORM)
        client.send("GET", "/tasks")

    case, used = recorded(Tasks(first), session), Tasks(ids())
    assert [colour(replayed(case, used)) for _ in range(3)] == ["GREEN", "red", "GREEN"]
    assert colour(replayed(case, Tasks(ids(), works=False))) == "red"


def test_the_class_that_says_where_a_row_is() -> None:
    """Another one was added above: every other row has a class, which proves nothing."""

    class Striped(Tasks):
        def answer(self, method: str, target: str, body: str) -> Answer:
            """What is answered to a request."""
            status, headers, page = super().answer(method, target, body)
            if self.done:
                page = page.replace("<ul>", '<ul><li class="odd">Done: one</li>')
            odd = "even" if self.done else "odd"
            return status, headers, page.replace('"open"', f'"{odd}"').replace('"done"', f'"{odd}"')

    def session(client: Client) -> None:
        client.send("GET", "/tasks")
        client.send("POST", "/tasks/2/toggle", b"", FORM)
        client.send("GET", "/tasks")

    case = recorded(Striped([1, 2, 3]), session)
    assert colour(replayed(case, Striped([1, 2, 3]))) == "GREEN"
    checks = [str(each) for one in case.transactions() for each in one.validators]
    assert not any("even" in one for one in checks)


def test_a_message_with_a_link_is_no_row() -> None:
    """What its class says is no state of the thing."""

    class Linking(Tasks):
        def answer(self, method: str, target: str, body: str) -> Answer:
            """What is answered to a request."""
            status, headers, page = super().answer(method, target, body)
            said = '<li class="success"><a href="/tasks/2/toggle">Task</a> was changed.</li>'
            page = page.replace("<ul>", f"<ul>{said if self.done else ''}</ul><table>")
            page = page.replace('<li class="open', '<tr class="open')
            return status, headers, page.replace('"done"', '"open"')

    def session(client: Client) -> None:
        client.send("GET", "/tasks")
        client.send("POST", "/tasks/2/toggle", b"", FORM)
        client.send("GET", "/tasks")

    case = recorded(Linking([1, 2, 3]), session)
    every = [each for one in case.transactions() for each in one.validators]
    assert not any(isinstance(one, TextValidator) and one.row for one in every)


@dataclass
class Notes:
    """Notes that are removed by the boxes before them, or by their ids."""

    ids: list[Any]
    page: bool = True
    works: bool = True

    def answer(self, method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            sent = [one for _, one in parse_qsl(body)] if self.page else json.loads(body)["ids"]
            gone = {*map(str, sent)} if self.works else set()
            self.ids = [one for one in self.ids if str(one) not in gone]
            return (303, {"Location": "/notes"}, "") if self.page else json_answer({})
        if not self.page:
            return json_answer([{"id": one} for one in self.ids])
        rows = "".join(
            f'<tr><td><input type="checkbox" name="ids" value="{one}"></td><td>Note</td></tr>'
            for one in self.ids
        )
        form = f'<form method="post" action="/notes"><table>{rows}</table></form>'
        return 200, HTML, f"<html><title>Notes</title>{form}</html>"


@pytest.mark.parametrize("page", [True, False])
@pytest.mark.parametrize("numbered", [True, False], ids=["numbers", "random ids"])
def test_what_was_removed_is_gone(page: bool, numbered: bool) -> None:
    """And was there before: by constant ids, a second run removes nothing, which is told. What a
    list has no more is known by its place there."""

    def ids() -> list[Any]:
        return [*range(1, 9)] if numbered else [uuid4().hex for _ in range(8)]

    first = ids()

    def session(client: Client) -> None:
        client.send("GET", "/notes")
        if page:
            client.send("POST", "/notes", f"ids={first[0]}&ids={first[1]}".encode(), FORM)
        else:
            client.json("POST", "/notes/remove", {"ids": first[:2]})
        client.send("GET", "/notes")

    case, used = recorded(Notes(first, page), session), Notes(ids(), page)
    again = "told" if numbered and page else "GREEN"
    assert [colour(replayed(case, used)) for _ in range(2)] == ["GREEN", again]
    assert len(used.ids) == (6 if numbered and page else 4)
    assert colour(replayed(case, Notes(ids(), page, works=False))) == "red"


@dataclass
class Seats:
    """Seats that are given to the first who asks for one; what its pages say has no class."""

    works: bool = True
    listed: bool = False
    taken: set[str] = field(default_factory=set)

    def answer(self, method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        seat = body.partition("=")[2]
        said = (
            "Sorry, this seat is taken" if seat in self.taken else "Thank you for booking with us"
        )
        self.taken |= {seat} if self.works and method == "POST" else set()
        shown = f"<p>{said}</p>" if method == "POST" else "<p>Our seats</p><form method=post>"
        rows = "".join(
            f"<tr><td>{one}</td><td>{'taken' if one in self.taken else 'free'}</td>"
            f"{'' if one in self.taken else f'<td><button value={one}>Book</button></td>'}</tr>"
            for one in (("A1", "A2", "A3") if self.listed and method == "GET" else ())
        )
        return 200, HTML, f"<html><title>Seats</title>{shown}<table>{rows}</table></html>"


@pytest.mark.parametrize("listed", [True, False])
def test_another_sentence_is_told(listed: bool) -> None:
    """Which only the page that answers a form has; where the row of what was sent says what became
    of it, a server that has done nothing is red."""

    def session(client: Client) -> None:
        client.send("GET", "/seats")
        client.send("POST", "/seats/book", b"seat=A2", FORM)
        client.send("GET", "/seats")

    case, used = recorded(Seats(listed=listed), session), Seats(listed=listed)
    assert [colour(replayed(case, used)) for _ in range(2)] == ["GREEN", "told"]
    idle = colour(replayed(case, Seats(works=False, listed=listed)))
    assert idle == ("red" if listed else "GREEN")


class Message:
    """Sends a form on to a page that says what came of it, each time the same."""

    def __init__(self, said: str = "Your vote was counted") -> None:
        self._said, self._is_due = said, False

    def answer(self, method: str, _target: str, _body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            self._is_due = True
            return 303, {"Location": "/poll"}, ""
        said = f'<div class="alert">{self._said}</div>' if self._is_due else ""
        self._is_due = False
        return 200, HTML, f"<html><title>Poll</title>{said}<form method=post></form></html>"


def test_the_message_of_a_page_that_a_form_leads_to() -> None:
    """Where nothing else shows what was done, another message is red."""

    def session(client: Client) -> None:
        client.send("GET", "/poll")
        client.send("POST", "/poll/vote", b"choice=yes", FORM)
        client.send("GET", "/poll")

    case = recorded(Message(), session)
    assert colour(replayed(case, Message())) == "GREEN"
    assert colour(replayed(case, Message("The poll is closed"))) == "red"


class Comments:
    """Has what is written with markup as HTML, in a list of all."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = [{"id": 7, "text": "<p>First</p>"}]
        self.edits = True

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            self.comments.append({"id": 8 + len(self.comments)})
        if method == "GET" or not (method == "POST" or self.edits):
            return json_answer({"comments": self.comments})
        number = int(target.rpartition("/")[2]) if method == "PUT" else self.comments[-1]["id"]
        one = next(each for each in self.comments if each["id"] == number)
        words = json.loads(body)["text"].split("**")
        one["text"] = "<p>" + words[0] + "".join(f"<b>{each}</b>" for each in words[1:]) + "</p>"
        return json_answer({"id": number})


def test_html_of_one_with_an_id() -> None:
    """An earlier run has left that text; by the id, one's own is known."""

    def session(client: Client) -> None:
        client.send("GET", "/comments")
        made = client.json("POST", "/comments", {"text": "Green is best"})
        number = made["id"]
        client.send("GET", "/comments")
        client.json("PUT", f"/comments/{number}", {"text": "Green is **better, black good"})
        client.send("GET", "/comments")

    case, used = recorded(Comments(), session), Comments()
    assert [colour(replayed(case, used)) for _ in range(2)] == ["GREEN", "GREEN"]
    used.edits = False
    assert colour(replayed(case, used)) == "red"


class Latest:
    """Has a page for each note, and lists the last three; others may write many."""

    def __init__(self, others: int = 0, *, undoes: bool = False) -> None:
        self._others, self._undoes = others, undoes
        self.notes = [f"Old {number}" for number in range(5)]

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        number = target.rpartition("/")[2]
        if method == "POST":
            self.notes.append(json.loads(body)["title"])
            return json_answer({"id": len(self.notes) - 1})
        if number.isdecimal():
            return json_answer({"id": int(number), "title": self.notes[int(number)]})
        if len(self.notes) > 5:
            self.notes += ["Other"] * self._others
            self.notes[5] = "Old" if self._undoes else self.notes[5]
        last = [{"id": at, "title": one} for at, one in enumerate(self.notes)][-3:]
        return json_answer(last[::-1])


@pytest.mark.parametrize("page", [True, False])
def test_a_list_that_shows_others(page: bool) -> None:
    """It tells nothing of what its own page shows; where it shows the note, it says that of it."""

    def session(client: Client) -> None:
        client.send("GET", "/notes")
        made = client.json("POST", "/notes", {"title": "Milk and tea"})
        if page:
            client.send("GET", f"/notes/{made['id']}")
        client.send("GET", "/notes")

    case = recorded(Latest(), session)
    assert colour(replayed(case, Latest())) == "GREEN"
    assert colour(replayed(case, Latest(others=3))) == ("GREEN" if page else "told")
    assert colour(replayed(case, Latest(undoes=True))) == ("red" if page else "told")


class Tickets:
    """Numbers its tickets, and the comments of each from 1 on."""

    def __init__(self, first: int = 1, *, works: bool = True) -> None:
        self._first, self._works = first, works
        self.tickets: list[list[str]] = []

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        number = target.rpartition("/")[2]
        if method == "POST" and not number.isdecimal():
            self.tickets.append([])
            return 303, {"Location": f"/ticket/{self._first + len(self.tickets) - 1}"}, ""
        said = self.tickets[int(number) - self._first] if number.isdecimal() else []
        if method == "POST":
            said += dict(parse_qsl(body))["comment"].splitlines() if self._works else []
            return 303, {"Location": f"/ticket/{number}"}, ""
        changes = "".join(
            f"<div class=change><form><input type=hidden name=replyto value='{at}'>"
            f"<button>Reply</button></form><div class=text>{one}</div></div>"
            for at, one in enumerate(said, 1)
        )
        page = f"<html><title>Tickets</title>{changes}<form method=post>"
        return 200, HTML, f"{page}<textarea name=comment></textarea></form></html>"


def test_a_number_that_is_not_of_ones_own() -> None:
    """The first comment has that of the first ticket, and is in no row of that."""

    def session(client: Client) -> None:
        client.send("GET", "/new")
        client.send("POST", "/ticket", b"title=Water+them", FORM)
        client.send("GET", "/ticket/1")
        client.send("POST", "/ticket/1", b"comment=Half+of+them+are+done%0AMore+soon", FORM)
        client.send("GET", "/ticket/1")

    case = recorded(Tickets(), session)
    assert colour(replayed(case, Tickets(first=300))) == "GREEN"
    assert colour(replayed(case, Tickets(first=300, works=False))) == "red"


class Quotes:
    """Numbers its tickets and its notes, and has the numbers of both in the row of a note."""

    def __init__(self, first: int = 3, *, works: bool = True) -> None:
        self._first, self._works = first, works
        self.notes: list[str] = []

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        sent = dict(parse_qsl(body))
        if method == "POST" and target == "/tickets":
            return 303, {"Location": f"/tickets/{self._first}"}, ""
        if method == "POST" and target.startswith("/notes"):
            self.notes[-1] = sent["note"] if self._works else self.notes[-1]
        elif method == "POST":
            self.notes.append(sent["note"])
        if method == "POST":
            return 303, {"Location": f"/tickets/{self._first}"}, ""
        notes = "".join(
            f"<div class=note><a href='/page/{self._first}/{at}/'>Page</a>"
            f"<a href='/tickets/{self._first}/quote?note_id={at}&x=1'>Quote</a>"
            f"<a href='/notes/{at}/edit'>Edit</a><div class=text><i></i>{one}</div></div>"
            for at, one in enumerate(self.notes, self._first + 4)
        )
        return 200, HTML, f"<html><title>Tickets</title>{notes}<form method=post></form></html>"


def test_an_address_with_the_number_of_something_else() -> None:
    """The row of a note is known by what is behind that."""

    def session(client: Client) -> None:
        client.send("GET", "/new")
        client.send("POST", "/tickets", b"title=Water+them", FORM)
        client.send("GET", "/tickets/3")
        client.send("POST", "/tickets/3", b"note=None+of+these", FORM)
        client.send("GET", "/tickets/3")
        client.send("POST", "/tickets/3", b"note=Half+of+them", FORM)
        client.send("GET", "/tickets/3")
        client.send("GET", "/notes/8/edit")
        client.send("POST", "/notes/8", b"note=More+than+half+of+them", FORM)
        client.send("GET", "/tickets/3")

    case = recorded(Quotes(), session)
    assert colour(replayed(case, Quotes(first=300))) == "GREEN"
    assert colour(replayed(case, Quotes(first=300, works=False))) == "red"


class Links:
    """Has a list of links, the newest first, with an anchor between two."""

    def __init__(self, others: int, *, works: bool = True) -> None:
        self.links, self._works = [("Old", "Theirs")] * others, works

    def answer(self, method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            sent = dict(parse_qsl(body))
            at = int(sent.get("id") or len(self.links))
            new = [(sent["title"], sent["text"])]
            self.links[at:] = new if self._works else [(sent["title"], "")]
            return 303, {"Location": "/"}, ""
        items = "".join(
            f"<div class=anchor id=a{at}></div><div class=item data-id='{at}'><h2>{title}</h2>"
            f"<div class=text><i></i>{text}</div>{'<i>x</i>' * 50}"
            f"<div class='foot list'><a href='/edit/{at}'>Edit</a></div></div>"
            for at, (title, text) in reversed([*enumerate(self.links)])
        )
        head = "<html><title>Links</title><div class=list>Links</div><div class=list><div>"
        return 200, HTML, f"{head}{items}</div></div></html>"


def test_the_element_around_a_list_is_no_row() -> None:
    """On a used server, the list is longer than any row."""

    def session(client: Client) -> None:
        client.send("GET", "/")
        client.send("POST", "/save", b"title=Green+tea&text=About+green+tea", FORM)
        client.send("GET", "/")
        client.send("GET", "/edit/9")
        client.send("POST", "/save", b"id=9&title=Green+tea&text=All+of+green+tea", FORM)
        client.send("GET", "/")

    case = recorded(Links(9), session)
    assert colour(replayed(case, Links(60))) == "GREEN"
    assert colour(replayed(case, Links(60, works=False))) == "red"


@dataclass
class Library:
    """Calls a second file of a name otherwise, and asks for what a page shows by POST, too."""

    files: list[tuple[str, str]] = field(default_factory=list)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        sent = dict(parse_qsl(body))
        if sent.get("action") == "query-files":
            return json_answer({"files": [name for name, _ in self.files]})
        if target == "/upload" and method == "POST":
            stem, _, kind = sent["file"].partition(".")
            taken = sum(name.startswith(stem) for name, _ in self.files)
            name = f"{stem}-{taken}.{kind}" if taken else sent["file"]
            self.files.append((name, ""))
            return 303, {"Location": "/files"}, ""
        if method == "POST":
            at = int(sent["file_ID"])
            self.files[at - 40] = (self.files[at - 40][0], sent["note"])
            return 303, {"Location": f"/file?file={at}&action=edit&saved=1"}, ""
        asked = dict(parse_qsl(target.partition("?")[2]))
        if "file" in asked:
            name, note = self.files[int(asked["file"]) - 40]
            return 200, HTML, (
                f"<html><title>File</title><h1>{name}</h1><form method=post action=/file>"
                f"<input type=hidden name=file_ID value={asked['file']}>"
                f"<textarea name=note>{note}</textarea></form></html>"
            )  # fmt: skip
        rows = "".join(
            f"<tr><td><a href='/file?file={at}&amp;action=edit'>File</a></td><td>{name}</td></tr>"
            for at, (name, _) in reversed([*enumerate(self.files, 40)])
        )
        return 200, HTML, f"<html><title>Files</title><table>{rows}</table></html>"


@pytest.mark.parametrize("asks", [False, True])
def test_what_was_just_made_has_no_note_yet(asks: bool) -> None:
    """A server that knows the name calls the file otherwise: it would be that of an earlier run to
    which the note is written. What only asks for files in between does not make another one."""

    def session(client: Client) -> None:
        client.send("GET", "/files")
        client.send("POST", "/upload", b"file=leaf.png", FORM)
        if asks:
            client.send("POST", "/ask", b"action=query-files&order=date", FORM)
        client.send("GET", "/files")
        client.send("GET", "/file?file=40&action=edit")
        client.send("POST", "/file", b"file_ID=40&action=save&note=Picked+in+spring", FORM)
        client.send("GET", "/file?file=40&action=edit&saved=1")

    assert _played(Library(), session) == ["told", "told"]
    case = recorded(Library(), session)
    assert colour(replayed(case, Library())) == "GREEN"
    assert colour(replayed(case, Library([("cup.png", "Blue")]))) == "GREEN"


class Shelves:
    """Has a page for each book, beside the list of all shelves, all in an element of a class that
    the head of the page has, too."""

    def __init__(self, others: int = 0, *, works: bool = True) -> None:
        self.shelves, self._works = ["Old shelf"] * others, works
        self.books: dict[int, str] = {}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        number = target.rpartition("/")[2]
        if method == "POST" and not number.isdecimal():
            number = str(len(self.shelves) + len(self.books) + 1)
            self.books[int(number)] = ""
        if method == "POST":
            tags = dict(parse_qsl(body)).get("tags", "")
            self.books[int(number)] = tags if self._works else ""
            return 303, {"Location": f"/book/{number}"}, ""
        side = "".join(
            f"<li><a href='/shelf/{at}'><span class='list-of-shelves icon'></span>{one}</a></li>"
            for at, one in enumerate((*self.shelves, "To read", "Read"), 1)
        )
        edit, tags = f"<a href='/edit/book/{number}'>Edit</a>", self.books.get(int(number or 0), "")
        form = f"<form method=post action='/book/{number}'><input name=tags></form>"
        main = f"<div class=book><h2>Tea</h2><b>{tags}</b>{form}<div class=end>{edit}</div></div>"
        head = "<html><title>Books</title><div><div class=wide>Books</div></div><div class=wide>"
        return 200, HTML, f"{head}<ul>{side}</ul>{'<i>x</i>' * 500}{main}</div></html>"


def test_what_is_around_the_lists_of_a_page_is_no_row() -> None:
    """Of others' shelves there may be more than any row is long."""

    def session(client: Client) -> None:
        client.send("GET", "/")
        client.send("POST", "/book", b"title=Tea", FORM)
        client.send("GET", "/book/1")
        client.send("POST", "/book/1", b"tags=Drinks", FORM)
        client.send("GET", "/book/1")

    case = recorded(Shelves(), session)
    assert colour(replayed(case, Shelves(others=300))) == "GREEN"
    assert colour(replayed(case, Shelves(others=300, works=False))) == "red"


class Offers:
    """Has numbered ranges of things, and offers for them; and pages of orders, whose lines can be
    picked by a number of their own."""

    def __init__(self, first: int = 1) -> None:
        self._first = first
        self.ranges: list[str] = []
        self.offers: list[str] = []

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        sent = dict(parse_qsl(body))
        if target == "/orders":
            rows = (
                f"<tr><td><input type=checkbox name=selected_line value='{at}'></td><td>{one}</td>"
                "<td>1</td></tr>"
                for at, one in enumerate(("Green tea", "Black tea", "White tea"), 1)
            )
            return 200, HTML, f"<html><title>Order</title><table>{''.join(rows)}</table></html>"
        if method == "POST" and target == "/ranges":
            self.ranges.append(sent["name"])
            return 303, {"Location": f"/ranges/{self._first + len(self.ranges) - 1}"}, ""
        if method == "POST":
            self.offers.append(
                f"{self.ranges[int(sent['range_id']) - self._first]} {sent['value']}"
            )
            return 303, {"Location": "/offers"}, ""
        rows = (f"<p>{one}</p>" for one in self.ranges)
        form = "<form method=post><input name=value size='1'></form>"
        return 200, HTML, f"<html><title>Offers</title>{''.join(rows)}{form}</html>"


def test_what_is_picked_is_what_its_name_says() -> None:
    """The line of an order has the number of the range, and a column with that of the offer."""

    def session(client: Client) -> None:
        client.send("GET", "/offers")
        client.send("POST", "/ranges", b"name=Tea+lovers", FORM)
        client.send("GET", "/ranges/1")
        client.send("POST", "/offers", b"range_id=1&value=1", FORM)
        client.send("GET", "/orders")

    case, office = recorded(Offers(), session), Offers(first=300)
    assert colour(replayed(case, office)) == "GREEN"
    assert office.offers == ["Tea lovers 1"]


class Toggles:
    """Has a page for each book, with a link by which it is marked; only a badge beside it in the
    list shows that."""

    def __init__(self, first: int = 1, *, works: bool = True) -> None:
        self._first, self._works = first, works
        self.books: list[str] = []
        self.read: set[int] = set()

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        number = target.rpartition("/")[2]
        if method == "POST" and target == "/book":
            self.books.append(dict(parse_qsl(body))["title"])
            return 303, {"Location": f"/book/{self._first + len(self.books) - 1}"}, ""
        if method == "POST":
            self.read ^= {int(number)} if self._works else set()
            return 200, HTML, ""
        if number:
            title = self.books[int(number) - self._first]
            do = f"<form action='/ajax/toggleread/{number}'><input type=checkbox></form>"
            return 200, HTML, f"<html><title>{title}</title><h1>{title}</h1>{do}</html>"
        badge = "<span class='badge read icon icon-ok icon-small'></span>"
        cards = "".join(
            f'<div class=card><a href="/book/{at}"><b>{one}</b></a>'
            f"{badge if at in self.read else ''}</div>"
            for at, one in enumerate(self.books, self._first)
        )
        return 200, HTML, f"<html><title>Books</title>{cards}</html>"


def test_what_is_toggled_is_shown_by_a_badge() -> None:
    """The number behind the verb is that of the thing whose page has the link."""

    def session(client: Client) -> None:
        client.send("GET", "/")
        client.send("POST", "/book", b"title=Tea+and+time", FORM)
        client.send("GET", "/book/1")
        client.send("POST", "/book", b"title=Leaves+of+spring", FORM)
        client.send("GET", "/")
        client.send("GET", "/book/1")
        client.send("POST", "/ajax/toggleread/1", b"", FORM)
        client.send("GET", "/")

    case, office = recorded(Toggles(), session), Toggles(first=300)
    assert colour(replayed(case, office)) == "GREEN"
    assert office.read == {300}
    assert colour(replayed(case, Toggles(first=300, works=False))) == "red"
