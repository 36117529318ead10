"""Pages as minifiers write them, without the end tags and quotes that HTML can do without, of talks
whose codes stand in addresses and in the names of fields. Judged by the state of the server."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import pytest

from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, failures, replayed, serving
from tests.correlation.small_servers import HTML, Answer
from tests.correlation.talk import configure

_MENU = (
    "<ul><li class=nav><a href=/me>Kim Lee</a><li class=nav><a href=/tracks/>Tracks</a></ul><aside>"
    "<a href=/talks/>Talks</a><a href=/talks/tags/>Tags</a><a href=/reviews/>Reviews</a></aside>"
)
#: As in codes that people read aloud.
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ3789"


@dataclass
class Talk:
    title: str
    track: int = 0
    state: str = "submitted"


@dataclass
class Programme:
    """Talks in tracks, which are accepted or rejected, many at once."""

    seed: int = 1
    used: bool = False
    deaf: bool = False
    tracks: dict[int, str] = field(default_factory=dict)
    talks: dict[str, Talk] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.codes = self._codes()
        if self.used:
            self.tracks = {at: f"Old track {at}" for at in range(1, 6)}
            self.talks = {next(self.codes): Talk(f"Old talk {at}", at) for at in range(1, 6)}

    def _codes(self) -> Iterator[str]:
        draw = random.Random(self.seed)
        while True:
            yield "".join(draw.choices(_LETTERS, k=6))

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        sent = dict(parse_qsl(body))
        if method == "POST":
            return 302, {"Location": self._change(target, sent)}, ""
        pages: dict[str, Callable[[], str]] = {
            "/tracks/": self._tracks,
            "/talks/": self._list,
            "/talks/new": self._form,
            "/reviews/": self._reviews,
        }
        page = pages.get(target, lambda: f"<h1>{self.talks[target.split('/')[2]].title}</h1>")
        return 200, HTML, f"<!doctype html><html lang=en><title>Programme</title>{_MENU}{page()}"

    def _change(self, target: str, sent: dict[str, str]) -> str:
        if target == "/tracks/":
            self.tracks[max(self.tracks, default=0) + 1] = sent["name"]
        elif target == "/talks/new":
            code = next(self.codes)
            assert int(sent["track"]) in self.tracks, "it is one of the choices"
            self.talks[code] = Talk(sent["title"], int(sent["track"]))
            return f"/talks/{code}/"
        elif not self.deaf:
            for name, state in sent.items():
                self.talks[name.removeprefix("s-")].state = state
        return target

    def _tracks(self) -> str:
        rows = "".join(f"<tr><td>{at}<td>{one}" for at, one in self.tracks.items())
        return f"<form method=post><input name=name></form><table><tbody>{rows}</table><p>End"

    def _list(self) -> str:
        rows = "".join(
            f"<tr class=talk><td><a href=/talks/{code}/>{one.title}</a><td>{one.state}"
            for code, one in self.talks.items()
        )
        return f"<table><thead><tr><th>Talk<tbody>{rows}</table>"

    def _form(self) -> str:
        options = "".join(
            f"<option data-color=#283 value={at}>{one}" for at, one in self.tracks.items()
        )
        return (
            "<form method=post><input name=title><label for=track>Track</label><select id=track "
            f"name=track><option value>---{options}</select></form>"
        )

    def _reviews(self) -> str:
        rows = "".join(
            f"<tr><td>{one.title}<td>{one.state}<td><input name=s-{code} type=radio value=accepted>"
            f"<input name=s-{code} type=radio value=rejected>"
            for code, one in self.talks.items()
        )
        return f"<form method=post><table><tbody>{rows}</table></form>"

    def made(self) -> list[tuple[str, str, str]]:
        """The talks of the session, each with its track."""
        return [
            (one.title, one.state, self.tracks[one.track])
            for one in self.talks.values()
            if not one.title.startswith("Old")
        ]


def _session(client: Client) -> None:
    """Two tracks with a talk each, one of which is accepted, and one rejected."""
    client.open("/tracks/")
    for name in ("Brewing", "Cups and pots"):
        client.submit(client.open("/tracks/"), {"name": name}, action="/tracks/")
    client.open("/tracks/")
    codes = []
    for title, track in (("Two minutes", "Cups and pots"), ("Round or flat", "Brewing")):
        page = client.open("/talks/new")
        picked = re.search(rf"value=(\d+)>{track}<", page)
        assert picked is not None, "it is offered"
        client.submit(page, {"title": title, "track": picked[1]}, action="/talks/new")
        client.open("/talks/")
        codes.append(client.exchanges[-2].url.split("/")[-2])
    page = client.open("/reviews/")
    sent = dict(zip((f"s-{one}" for one in codes), ("accepted", "rejected"), strict=True))
    client.submit("<form></form>", sent, action="/reviews/")
    client.open("/talks/")


def _recorded(office: Programme) -> tuple[TestCase, tuple[Any, ...]]:
    with serving(office) as url:
        client = Client(url)
        _session(client)
        client.close()
    exchanges = tuple(client.exchanges)
    return configure(build_case(exchanges, name="talks").case, exchanges).case, exchanges


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_what_was_made_is_found(seed: int) -> None:
    """On a new server, and where others' things are there: talks by their codes, whatever they look
    like, and tracks by what they are called. The menu has no ids."""
    recorded = Programme(seed)
    case, _ = _recorded(recorded)
    assert "/talks/" in [one.request.target.partition("$")[0] for one in case.transactions()]
    for office in (Programme(seed + 10), Programme(seed + 20, used=True)):
        seen = replayed(case, office)
        assert (colour(seen), failures(seen)) == ("GREEN", [])
        assert office.made() == recorded.made()
        assert all(one.state == "submitted" for one in office.talks.values() if "Old" in one.title)


def test_what_is_not_done_is_red() -> None:
    """The outcome names the change."""
    case, _ = _recorded(Programme())
    failed = failures(replayed(case, Programme(9, deaf=True)))
    assert any("POST /reviews/ did not take effect" in one for one in failed)
