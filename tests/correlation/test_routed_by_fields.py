"""One address for everything: what a request is about and what is done stand in two fields of a
form or query, and things of each kind are numbered from 1 on. Judged by the state of the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed
from tests.correlation.small_servers import HTML, Answer, json_answer, recorded

_KINDS = ("pref-labels", "pref-filters", "pref-feeds")


@dataclass
class Preferences:
    """Others have made so many things of each kind ``before``, of the first kind one more."""

    names: tuple[str, str] = ("op", "method")
    before: int = 0
    deaf: bool = False
    things: dict[str, dict[int, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind in _KINDS:
            more = self.before and self.before + (kind == _KINDS[0])
            self.things[kind] = {at: f"Old {kind} {at}" for at in range(1, more + 1)}

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        sent = dict(parse_qsl(f"{target.partition('?')[2]}&{body}"))
        kind, to_do = (sent.get(one, "") for one in self.names)
        things = self.things.get(kind, {})
        number = int(sent.get("ids", sent.get("id", "0")))
        if to_do == "add":
            things[max(things, default=0) + 1] = sent["caption"]
        elif to_do == "edit":
            form = (
                f'<form><input type=hidden name={self.names[0]} value="{kind}"><input type=hidden '
                f'name={self.names[1]} value=save><input type=hidden name=id value="{number}">'
                f'<input name=caption value="{things[number]}"></form>'
            )
            return 200, HTML, form
        elif to_do == "save" and number in things:
            things[number] = sent["caption"]
        elif to_do == "remove" and not self.deaf:
            things.pop(number, None)
        if to_do != "tree":
            return 200, HTML, ""
        items = [{"id": f"IT:{at}", "bare_id": at, "name": one} for at, one in things.items()]
        return json_answer({"items": [{"id": "root", "items": items}]})

    def own(self) -> list[list[str]]:
        """What was made by others than those before, by kinds."""
        return [
            [name for at, name in things.items() if not name.startswith("Old ")]
            for things in self.things.values()
        ]


def session(client: Client, names: tuple[str, str]) -> None:
    """Two things of each kind, in another order: the first is called otherwise, the second is
    removed."""

    def call(kind: str, to_do: str, **more: str) -> str:
        return client.submit(
            "<form></form>", dict(zip(names, (kind, to_do), strict=True)) | more,
            action="/backend.php",
        )  # fmt: skip

    def tree(kind: str) -> dict[str, str]:
        asked = urlencode(dict(zip(names, (kind, "tree"), strict=True)))
        document = client.json("GET", f"/backend.php?{asked}")
        return {one["name"]: str(one["bare_id"]) for one in document["items"][0]["items"]}

    client.open("/backend.php")
    for kind in _KINDS:
        first, second = f"First of {kind}", f"Second of {kind}"
        tree(kind)
        for name in (second, first) if kind == _KINDS[1] else (first, second):
            call(kind, "add", caption=name)
            ids = tree(kind)
        call(kind, "edit", id=ids[first])
        call(kind, "save", id=ids[first], caption=f"Better {kind}")
        tree(kind)
        call(kind, "remove", ids=ids[second])
        tree(kind)


@pytest.mark.parametrize("names", [("op", "method"), ("module", "action")])
def test_numbers_are_of_the_kind_that_a_field_says(names: tuple[str, str]) -> None:
    """Label 2 is not filter 2, and the dialog of the one is not that of the other."""
    office = Preferences(names)
    case = recorded(office, lambda client: session(client, names))
    wanted = office.own()
    assert wanted == [[f"Better {kind}"] for kind in _KINDS]
    for before in (0, 4):
        again = Preferences(names, before)
        seen = replayed(case, again)
        assert (failures(seen), colour(seen)) == ([], "GREEN")
        assert again.own() == wanted
        theirs = [sum(one.startswith("Old ") for one in each.values()) for each in
                  again.things.values()]  # fmt: skip
        assert theirs == [before and before + 1, before, before]
    said = failures(replayed(case, Preferences(names, deaf=True)))
    assert any("did not take effect" in one for one in said), said
