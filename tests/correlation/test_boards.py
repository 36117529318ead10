"""Boards of cards, behind one address: scripts are sent on by a header of their own, the row around
a card has those of a whole board, and links with a token do something. Judged by the state of the
server."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qsl

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import HTML, Answer, recorded

_CARD = "/?controller=Card&action={}&card_id={}"


@dataclass
class _Card:
    board: int
    title: str
    column: str = "1"
    closed: bool = False


@dataclass
class Boards:
    """``first`` is the first number that is given out, and others have used those before it. The
    first board is everyone's."""

    first: int = 2
    deaf: bool = False
    boards: dict[int, str] = field(default_factory=lambda: {1: "Kitchen"})
    cards: dict[int, _Card] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for at in range(2, self.first):
            self.boards[at] = f"Old board {at}"
            self.cards[at] = _Card(1 if at % 2 else at, f"Old card {at}")

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        asked = dict(parse_qsl(target.partition("?")[2]))
        doing = f"{asked.get('controller')} {asked.get('action')}"
        number = int(asked.get("card_id", asked.get("board_id", 0)))
        if doing == "Board save":
            return self._led(f"/?controller=Board&action=show&board_id={self._board(body)}")
        if doing == "Card save":
            title = dict(parse_qsl(body))["title"]
            self.cards[max(self.cards, default=self.first - 1) + 1] = _Card(number, title)
            return self._led("self")
        if doing == "Board move":
            moved = json.loads(body)
            self.cards[int(moved["card_id"])].column = moved["column"]
            return self._board_page(number)
        if doing == "Card close":
            if asked.get("csrf_token") not in self.tokens:
                return 403, HTML, "<html><title>No</title>The token is no good.</html>"
            self.cards[number].closed = not self.deaf
            return self._led(f"/?controller=Board&action=show&board_id={self.cards[number].board}")
        if doing == "Card show":
            return 200, HTML, f"<html><title>Card</title><h1>{self.cards[number].title}</h1></html>"
        return self._board_page(number)

    def _board(self, body: str) -> int:
        number = max(*self.boards, self.first - 1) + 1
        self.boards[number] = dict(parse_qsl(body))["name"]
        return number

    def _led(self, to: str) -> Answer:
        return 200, {**HTML, "X-Ajax-Redirect": to}, ""

    def _board_page(self, number: int) -> Answer:
        own = {at: one for at, one in self.cards.items() if one.board == number and not one.closed}
        columns = "".join(
            "<td><div class='list'>"
            + "".join(self._card(at, one) for at, one in own.items() if one.column == column)
            + "</div></td>"
            for column in ("1", "2")
        )
        title = escape(self.boards.get(number, "Boards"))
        table = f"<table><tr class='lane'>{columns}</tr></table>"
        return 200, HTML, f"<html><title>{title}</title><h1>{title}</h1>{table}</html>"

    def _card(self, number: int, card: _Card) -> str:
        token = secrets.token_hex(20)
        self.tokens.add(token)
        show, edit = (escape(_CARD.format(one, number)) for one in ("show", "edit"))
        close = escape(f"{_CARD.format('close', number)}&csrf_token={token}")
        return (
            f'<div class="card open" data-card-id="{number}" data-owner-id="1" data-url="{show}">'
            f'<ul><li><a href="{edit}">Edit</a></li><li><a href="{close}">Close</a></li></ul>'
            f'<div class="title"><a href="{show}">{escape(card.title)}</a></div></div>'
        )


def _cards(client: Client, board: int) -> None:
    """Three cards, of which one is looked at and moved, and another one closed."""
    page = f"/?controller=Board&action=show&board_id={board}"
    shown = client.open(page)
    for title in ("Buy cups", "Boil water", "Polish spoons"):
        action = f"/?controller=Card&action=save&board_id={board}"
        client.submit("<form></form>", {"title": title}, action=action)
        shown = client.open(page)
    number = re.findall(r'data-card-id="(\d+)"', shown)[-2]
    client.open(_CARD.format("show", number))
    client.open(page)
    moved = json.dumps({"card_id": number, "column": "2"}).encode()
    to = f"/?controller=Board&action=move&board_id={board}"
    client.send("POST", to, moved, {"Content-Type": "application/json"})
    shown = client.open(page)
    closing = re.findall(r'href="([^"]*action=close[^"]*)"', shown)[-2]  # the last is moved away
    client.open(closing.replace("&amp;", "&"))
    client.open(page)


def on_shared_board(client: Client) -> None:
    """On the board that everyone has."""
    _cards(client, 1)


def on_own_board(client: Client) -> None:
    """On one that is made."""
    client.open("/?controller=Board&action=show&board_id=1")
    client.submit("<form></form>", {"name": "Tea house"}, action="/?controller=Board&action=save")
    leads = client.exchanges[-1].response_header("X-Ajax-Redirect") or ""
    _cards(client, int(leads.rpartition("=")[2]))


def _own(office: Boards) -> list[tuple[str, str, str, bool]]:
    return [
        (office.boards[one.board], one.title, one.column, one.closed)
        for at, one in office.cards.items()
        if at >= office.first
    ]


@pytest.mark.parametrize("session", [on_shared_board, on_own_board])
def test_cards_are_those_of_the_session(session: Callable[[Client], None]) -> None:
    """On a new server, and where others have boards and cards."""
    office = Boards()
    case = recorded(office, session)
    wanted = _own(office)
    for first in (2, 8):
        again = Boards(first)
        seen = replayed(case, again)
        assert (failures(seen), colour(seen)) == ([], "GREEN")
        assert _own(again) == wanted
        others = (one for at, one in again.cards.items() if at < first)
        assert not any(one.closed or one.column == "2" for one in others)


@pytest.mark.parametrize("session", [on_shared_board, on_own_board])
def test_a_link_with_a_token_that_does_nothing_is_red(session: Callable[[Client], None]) -> None:
    """It is a change, and the board shows what it did."""
    case = recorded(Boards(), session)
    said = failures(replayed(case, Boards(deaf=True)))
    assert any(
        re.match(r"GET / .*did not take effect: not so: the card is gone", one) for one in said
    ), said
