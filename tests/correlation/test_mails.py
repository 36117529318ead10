"""Links and codes that people read in a mail or on a page, and open or type. Judged by the state of
the server."""

from __future__ import annotations

import itertools
import json
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded

#: Codes of which no two servers give out one.
_CODES = itertools.count(482_913)
TEXTS = {
    "link": "Hello,\n\nplease open http://mail.test/confirm/{} to confirm.\n",
    "code": "Hello,\n\nyour code is {}. It is valid for ten minutes.\n",
}


@dataclass
class Office:
    """People who sign up, and the mails that they get. Somebody else signs up, too."""

    by: str
    codes: dict[str, str] = field(default_factory=dict)
    confirmed: list[str] = field(default_factory=list)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        said = json.loads(body) if body else {}
        if target == "/signup":
            for who in (said["email"], f"odo-{len(self.codes)}@shop.test"):
                code = secrets.token_urlsafe(12) if self.by == "link" else str(next(_CODES))
                self.codes[code] = who
        elif target == "/mails":
            text = TEXTS[self.by]
            mails = [{"to": who, "text": text.format(code)} for code, who in self.codes.items()]
            return json_answer(mails[::-1])
        elif method == "POST" or target.startswith("/confirm/"):
            who = self.codes.get(said.get("code") or target.rpartition("/")[2], "")
            if not who:
                return json_answer({"message": "a wrong code"}, 400)
            self.confirmed.append(who)
        return json_answer({"ok": True})

    def session(self, client: Client) -> None:
        """Sign up, read the mail, and confirm."""
        client.json("POST", "/signup", {"email": "anna@tea.test"})
        client.send("GET", "/mails")
        code = next(code for code, who in self.codes.items() if who == "anna@tea.test")
        if self.by == "link":
            client.send("GET", f"/confirm/{code}")
        else:
            client.json("POST", "/verify", {"code": code})


@pytest.mark.parametrize("by", TEXTS)
def test_the_mail_of_the_user(by: str) -> None:
    """It is found by whom it is for, and the server that the link names need not be this one."""
    office = Office(by)
    case = recorded(office, office.session)
    used = Office(by, {"123456": "old@shop.test"})
    assert colour(replayed(case, used)) == "GREEN"
    assert used.confirmed == ["anna@tea.test"]
    rules = {one.rule for one in case.variables.values()}
    assert rules == {"record-scan" if by == "link" else "one-time-code"}


@dataclass
class Rooms:
    """Rooms with a short code each, by which one joins."""

    works: bool = True
    codes: dict[str, str] = field(default_factory=dict)
    joined: list[str] = field(default_factory=list)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        said = {name: one[0] for name, one in parse_qs(body).items()}
        if target == "/rooms" and method == "POST":
            number = next(_CODES)
            self.codes[f"{chr(65 + number % 26)}7{number % 89 + 10}X"] = said["name"]
        elif method == "POST":
            if said["code"] not in self.codes:
                return 200, HTML, "<html><title>Rooms</title><h1>There is no such room</h1>"
            if self.works:
                self.joined.append(self.codes[said["code"]])
        if method == "POST":
            return 303, {"Location": "/rooms"}, ""
        rows = "".join(
            f"<tr><td>{name}</td><td>Invite code: <b>{code}</b></td>"
            f"<td>{'joined' if name in self.joined else ''}</td></tr>"
            for code, name in self.codes.items()
        )
        return 200, HTML, f"<html><title>Rooms</title><table>{rows}</table>"

    def session(self, client: Client) -> None:
        """Open two rooms, and join the first of them by the code that its row shows."""
        for name in ("Tea+House", "Cups+Ltd"):
            client.send("POST", "/rooms", f"name={name}".encode(), FORM)
            client.send("GET", "/rooms")
        code = next(code for code, name in self.codes.items() if name == "Tea House")
        client.send("POST", "/join", f"code={code}".encode(), FORM)
        client.send("GET", "/rooms")


def test_a_short_code() -> None:
    """It is that of the user's own room, and the row says that one has joined."""
    rooms = Rooms()
    case = recorded(rooms, rooms.session)
    used = Rooms(codes={"OLD7": "Old room"})
    assert colour(replayed(case, used)) == "GREEN"
    assert used.joined == ["Tea House"]
    assert colour(replayed(case, Rooms(works=False))) == "red"
