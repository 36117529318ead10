"""Scripts that build lists, in pages and in answers to scripts: each thing has a call, with its id
and what it is called. Judged by the state of the server."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import FORM, HTML, Answer, json_answer, recorded


@dataclass
class Contacts:
    """Has contacts and notes, each with numbers of its own; a script shows them."""

    first: int = 1
    page: bool = False
    works: bool = True
    contacts: dict[int, dict[str, str]] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at in range(1, self.first):
            self.contacts[at] = {"name": f"Old {at}", "email": f"old{at}@tea.example"}
            self.notes[at] = f"Old note {at}"

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        asked, sent = dict(parse_qsl(target.partition("?")[2])), dict(parse_qsl(body))
        if method == "GET" and "_cid" in asked:
            return self._show(self.contacts.get(int(asked["_cid"]), {}))
        if method == "GET" and "_id" in asked:
            return self._show({"text": self.notes.get(int(asked["_id"]), "")})
        if method == "GET":
            return self._list()
        if sent["_action"] == "save-note":
            self.notes[number := len(self.notes) + 1] = sent["_text"]
            call = (
                f"parent.app.update_note_row({json.dumps(str(number))},{json.dumps(sent['_text'])})"
            )
            return 200, HTML, f"<html><title>Note</title><script>{call};</script></html>"
        number = int(sent.get("_cid") or len(self.contacts) + 1)
        if "_cid" not in sent or self.works:
            self.contacts[number] = {"name": sent["_name"], "email": sent["_email"]}
        return 200, HTML, "<html><title>Saved</title><script>parent.app.list();</script></html>"

    def _list(self) -> Answer:
        calls = "".join(
            f'this.add_contact_row("{at}",{{"name":{json.dumps(one["name"])}}},"person",'
            f"{json.dumps(one | {'ID': str(at)})});\n"
            for at, one in self.contacts.items()
        )
        calls = f'this.set_rowcount("{len(self.contacts)}");\n{calls}'
        if self.page:
            return 200, HTML, f"<html><title>List</title><script>{calls}</script></html>"
        return json_answer({"action": "list", "exec": calls})

    def _show(self, one: dict[str, Any]) -> Answer:
        shown = "".join(f"<p>{value}</p>" for value in one.values())
        return 200, HTML, f"<html><title>Show</title>{shown}</html>"


def _session(client: Client) -> None:
    def save(**sent: str) -> None:
        body = "&".join(f"_{name}={value}" for name, value in sent.items())
        client.send("POST", "/?_task=contacts", body.encode(), FORM)

    client.send("GET", "/?_action=list")
    for name in ("Kim", "Lou", "Max"):
        save(
            action="save", framed="1", name=f"{name}+Kettle", email=f"{name.lower()}%40tea.example"
        )
        client.send("GET", "/?_action=list")
    client.send("GET", "/?_cid=2&_action=show")
    save(action="save", framed="1", cid="2", name="Lou+Kettle", email="lou%40far.example")
    client.send("GET", "/?_cid=2&_action=show")
    save(action="save-note", text="For+the+afternoon")
    client.send("GET", "/?_action=edit-note&_id=1")


@pytest.mark.parametrize("page", [False, True], ids=["JSON", "page"])
def test_the_call_of_ones_own(page: bool) -> None:
    """It has the user's own texts; that of another kind of thing with the same number is none."""
    case, office = recorded(Contacts(page=page), _session), Contacts(first=8, page=page)
    assert colour(replayed(case, office)) == "GREEN"
    assert {at: one["email"] for at, one in office.contacts.items() if at >= 8} == {
        8: "kim@tea.example",
        9: "lou@far.example",
        10: "max@tea.example",
    }
    targets = [one.request.target for one in case.transactions()]
    assert targets[-1] == "/?_action=edit-note&_id=${id[1]}"
    assert colour(replayed(case, Contacts(first=8, page=page, works=False))) == "red"


def test_two_calls_with_the_text_are_told() -> None:
    """Somebody else's is before one's own."""
    case, office = recorded(Contacts(), _session), Contacts(first=3)
    office.contacts[1] = {"name": "Lou Kettle", "email": "lou@tea.example"}
    assert colour(replayed(case, office)) == "told"
