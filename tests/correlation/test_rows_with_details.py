"""Rows with a name and what is said of it, buttons that have the number, and a link whose query has
it under a name that is no id's. Judged by the state of the server."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qs

from pytest_loadtool.correlation.configuration import asserted_anew
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from tests.correlation.client import Client
from tests.correlation.exchanges import html
from tests.correlation.outcomes.adversary import colour, failures, replayed, serving
from tests.correlation.small_servers import HTML, Answer
from tests.correlation.talk import configure, get, post, run

_NAMES = ("Tea shop", "Cup maker", "Spoon smith")
_BUTTONS = ("archive", "remove", "mark_as_read")


@dataclass
class _Note:
    title: str
    description: str
    unread: bool = True
    archived: bool = False
    shared: bool = False


@dataclass
class Notes:
    """Others have made as many notes before, which say the same of them. ``deaf``: what is asked
    for by that button is not done."""

    before: int = 0
    deaf: str = ""
    notes: dict[int, _Note] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at in range(1, self.before + 1):
            self.notes[at] = _Note(f"Old note {at}", f"All about number {at % 3}")

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        path, _, query = target.partition("?")
        asked, sent = parse_qs(query), {name: one[0] for name, one in parse_qs(body).items()}
        if path == "/new" and method == "POST":
            number = max(self.notes, default=self.before) + 1
            self.notes[number] = _Note(sent["title"], sent["description"])
        elif method == "POST":
            self._do(sent)
        elif "details" in asked:
            return self._details(int(asked["details"][0]))
        else:
            return self._list()
        return 302, {"Location": "/notes"}, ""

    def _do(self, sent: dict[str, str]) -> None:
        if "update_state" in sent and self.deaf != "update_state":
            self.notes[int(sent["update_state"])].shared = "shared" in sent
        for name in _BUTTONS:
            if name in sent and name != self.deaf:
                self._press(name, int(sent[name]))

    def _press(self, name: str, number: int) -> None:
        if name == "remove":
            del self.notes[number]
        elif name == "archive":
            self.notes[number].archived = True
        else:
            self.notes[number].unread = False

    def _details(self, number: int) -> Answer:
        note = self.notes[number]
        checked = " checked" if note.shared else ""
        form = (
            f'<form method=post action="/notes?details={number}"><input type=hidden '
            f'name=update_state value="{number}"><input type=checkbox name=shared{checked}></form>'
        )
        return 200, HTML, f"<html><title>{note.title}</title>{form}</html>"

    def _list(self) -> Answer:
        rows = "".join(
            f'<li data-note-id="{at}"><span>{escape(one.title)}</span><i>{one.description}</i>'
            f'<a href="/notes?details={at}">View</a>'
            + "".join(
                f'<button name="{name}" value="{at}">{label}</button>'
                for name, label in (
                    ("archive", "Archive"),
                    ("remove", "Remove"),
                    *([("mark_as_read", "Unread")] if one.unread else []),
                    *([("unshare", "Shared")] if one.shared else []),
                )
            )
            + "</li>"
            for at, one in self.notes.items()
            if not one.archived
        )
        form = f"<form method=post action=/notes><ul>{rows}</ul></form>"
        return 200, HTML, f"<html><title>Notes</title>{form}</html>"


def session(client: Client) -> None:
    """Three notes: one is read and shared, one archived, one removed."""
    client.open("/notes")
    for number, name in enumerate(_NAMES):
        sent = {"title": name, "description": f"All about number {number}"}
        client.submit("<form></form>", sent, action="/new")
    one, other, third = re.findall(r'details=(\d+)"', client.open("/notes"))[-3:]
    for button, number in (("mark_as_read", other), ("archive", one), ("remove", third)):
        client.submit("<form></form>", {button: number}, action="/notes")
        client.open("/notes")
    page = client.open(f"/notes?details={other}")
    client.submit(page, {"shared": "on"}, action=f"/notes?details={other}")
    client.open("/notes")


def _recorded(office: Notes) -> tuple[TestCase, tuple[Exchange, ...]]:
    with serving(office) as url:
        client = Client(url)
        session(client)
        client.close()
    exchanges = tuple(client.exchanges)
    return configure(build_case(exchanges, name="notes").case, exchanges).case, exchanges


def _own(office: Notes) -> list[_Note]:
    return [one for at, one in office.notes.items() if at > office.before]


def test_rows_are_those_of_the_session() -> None:
    """Wherever numbers begin, and whatever others have said of theirs."""
    office = Notes()
    case, _ = _recorded(office)
    (hidden,) = (one for one in case.variables.values() if one.name.startswith("update_state"))
    assert hidden.rule == "hidden-asked"
    wanted = _own(office)
    for before, told in ((0, "GREEN"), (7, "told")):  # that theirs say the same, too
        again = Notes(before)
        seen = replayed(case, again)
        assert (failures(seen), colour(seen)) == ([], told)
        assert _own(again) == wanted
        theirs = list(again.notes.values())[:before]
        assert all(one.unread and not one.archived and not one.shared for one in theirs)
        assert len(again.notes) == before + 2


def test_a_row_is_known_by_the_name_and_not_by_what_is_said_of_it() -> None:
    """Names of its own are enough for a second run."""
    office = Notes()
    case, exchanges = _recorded(office)
    own = case
    for name in _NAMES:
        unique = make_unique(own, name)
        assert unique is not None, "it was typed"
        own = asserted_anew(unique.case, exchanges).case
    again = Notes()
    for runs in (1, 2):
        seen = replayed(own, again)
        assert (failures(seen), colour(seen)) == ([], "GREEN")
        states = [(one.unread, one.archived, one.shared) for one in again.notes.values()]
        assert states == runs * [(True, True, False), (False, False, True)]


def test_what_a_button_does_not_do_is_red() -> None:
    """All that is taken from one row is about one thing, so that the list tells of each change."""
    case, _ = _recorded(Notes())
    for button in (*_BUTTONS, "update_state"):
        said = failures(replayed(case, Notes(deaf=button)))
        assert any("did not take effect" in one for one in said), (button, said)


def test_a_hidden_field_that_is_always_the_same() -> None:
    """The number of the first note is by chance that of a switch, which the second's page has,
    too."""
    form = "<form method=post><input type=hidden name=save value=1><input name=title></form>"
    configuration = run(
        *(
            one
            for number in (1, 2)
            for one in (
                get(f"/edit?details={number}", html(form)),
                post(f"/edit?details={number}", f"save=1&title=Tea+{number}"),
            )
        )
    )
    assert not [one for one in configuration.case.variables if one.startswith("save")]
