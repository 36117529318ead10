"""Sessions with applications of four full-stack frameworks: what is correlated in them, what is
asserted, and that it holds on a server with other ids.

``full_stack`` has two recordings of each application of `tests.applications.notes`: one from a new
server, where the session's ids are 1, 2 and 3, and one from a used server, where others have notes
and its ids are 41, 42 and 43. They are cut down: no scripts and pictures, no headers that nobody
looks at, and of Next.js each page that is fetched in advance once, and no page for what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pytest_loadtool.casefile import read_har
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from tests.correlation.outcomes.adversary import colour, failures, serving
from tests.correlation.outcomes.office import Answer
from tests.correlation.talk import configure
from tests.observed import Observed

_RECORDINGS = Path(__file__).parent / "full_stack"
#: What is another one in each session, and nobody reads: boundaries, the checksum that Next.js
#: makes of some headers, and what an action has returned, which React sends with its next call.
_UNREAD = re.compile(r"_rsc=[\w-]+|-+WebKitFormBoundary\w+|\{\"created\":\d+\}")
#: Headers that the client takes something from.
_TAKEN = ("content-type", "location", "set-cookie")

#: Of each framework: which values are extracted, by what, and where they are sent.
_CORRELATED: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "sveltekit": (
        (
            'id[1] by JSON path $.nodes[1].data.notes[?(@.title=="Cups Ltd")].id',
            'note_id[1] by JSON path $.nodes[1].data.notes[?(@.title=="Tea House")].id',
            "version[1] by JSON path $.nodes[?(@.data.note.id==${note_id[1]})].data.note.version",
            'id[2] by JSON path $.nodes[1].data.notes[?(@.title=="Spoon & Co")].id',
        ),
        (
            "POST /?/toggle id=${id[1]}",
            "GET /notes/${note_id[1]}/__data.json?x-sveltekit-invalidated=01",
            "POST /notes/${note_id[1]}?/save "
            "version=${version[1]}&title=Tea+Palace&body=green+leaves",
            "POST /?/remove id=${id[2]}",
            "GET /notes/${note_id[1]}/__data.json?x-sveltekit-invalidated=01",
        ),
    ),
    "react_router": (
        (
            "note_id[1] by JSON path $.data.note.id",
            "noteId[1] by JSON path $.data.note.id",
            "noteId[2] by JSON path $.data.note.id",
            "version[1] by JSON path $['routes/note'].data.note.version",
        ),
        (
            "POST /_root.data?index noteId=${noteId[1]}&intent=toggle",
            "GET /notes/${note_id[1]}.data",
            "POST /notes/${note_id[1]}.data "
            "version=${version[1]}&title=Tea+Palace&body=green+leaves",
            "POST /_root.data?index noteId=${noteId[2]}&intent=remove",
            "GET /notes/${note_id[1]}.data",
        ),
    ),
    "next": (
        (
            "next_action[1] by boundary ':&quot;' … '&quot;'",
            "value_1__ACTION_KEY[1] by form field '$ACTION_KEY'",
            "note_id[1] by link /notes/* called 'Tea House'",
            "note_id[2] by link /notes/* called 'Cups Ltd'",
            "note_id[3] by link /notes/* called 'Spoon & Co'",
        ),
        (
            'POST /login {"id":"${next_action[1]|json}","bound":"$@1"} ${value_1__ACTION_KEY[1]}',
            "GET /notes/${note_id[1]}",
            "GET /notes/${note_id[2]}",
            "GET /notes/${note_id[3]}",
            "POST / [${note_id[2]}]",
            "GET /notes/${note_id[1]}",
            'POST /notes/${note_id[1]} [${note_id[1]},1,null,"$K1"]',
            "POST / [${note_id[3]}]",
            "GET /notes/${note_id[1]}",
        ),
    ),
    "nuxt": (
        (
            "note_id[1] by JSON path $.id",
            "id[1] by JSON path $.id",
            "note_id[2] by JSON path $.id",
            "version[1] by JSON path $.version",
        ),
        (
            'POST /api/toggle {"id":${id[1]}}',
            "GET /api/notes/${note_id[1]}",
            'PUT /api/notes/${note_id[1]} {"title":"Tea Palace","body":"green leaves",'
            '"version":${version[1]}}',
            "DELETE /api/notes/${note_id[2]}",
            "GET /api/notes/${note_id[1]}",
        ),
    ),
}


@cache
def _exchanges(name: str, kind: str) -> tuple[Exchange, ...]:
    return read_har(_RECORDINGS / f"{name}_{kind}.har")


@cache
def _case(name: str) -> TestCase:
    """That of the recording from the new server, configured."""
    exchanges = _exchanges(name, "new")
    return configure(build_case(exchanges, name="notes").case, exchanges).case


class Recorded:
    """A server that knows what was recorded from one, and nothing else."""

    def __init__(self, exchanges: Sequence[Exchange]) -> None:
        self.left = list(exchanges)
        self.unknown: list[str] = []

    def answer(self, method: str, target: str, body: str) -> Answer:
        """The first answer to such a request that was not given yet."""
        asked = _asked(method, target, body)
        found = next((one for one in self.left if _request(one) == asked), None)
        if found is None:
            self.unknown.append(asked)
            return 404, {}, ""
        self.left.remove(found)
        headers = {name: value for name in _TAKEN if (value := found.response_header(name))}
        return found.status, headers, found.response_body.decode()


def _asked(method: str, target: str, body: str) -> str:
    return _UNREAD.sub("", f"{method} {target} {body}")


def _request(one: Exchange) -> str:
    address = urlsplit(one.url)
    target = address.path + ("?" + address.query if address.query else "")
    return _asked(one.method, target, one.request_body.decode())


def _replayed(name: str, server: Recorded) -> Observed:
    observed = Observed()
    with serving(server) as url:
        plan = compile_case(_case(name), server=url, think_time=ThinkTime(scale=0.0))
        replay_once(plan, observer=observed)
    return observed


@pytest.mark.promise(72)
@pytest.mark.parametrize("name", _CORRELATED)
def test_what_is_correlated(name: str) -> None:
    """Ids and versions, each by what was typed or by the answer that gave it out, and nothing else;
    of Next.js also what its first page says of the build."""
    transactions = list(_case(name).transactions())
    extracted, sent = _CORRELATED[name]
    assert [
        f"{one.variable} by {one.source}" for each in transactions for one in each.extractors
    ] == [*extracted]
    found = (
        _sent(one.request.method, one.request.target, str(one.request.body or ""))
        for one in transactions
    )
    assert [one for one in found if "${" in one] == [*sent]


def _sent(method: str, target: str, body: str) -> str:
    """A request, of parts of a form those that have a value of the server's."""
    if "form-data" in body:
        parts = (one.partition("\r\n\r\n")[2] for one in body.split("\r\n--"))
        body = " ".join(one for one in parts if "${" in one)
    return _UNREAD.sub("", f"{method} {target} {body}").rstrip(" ?")


@pytest.mark.promise(3, 72)
@pytest.mark.parametrize("name", _CORRELATED)
def test_a_server_with_other_ids(name: str) -> None:
    """Where others have notes and ids are others, each request is the one that the client sends
    there itself, and what is asserted holds."""
    server = Recorded(_exchanges(name, "used"))
    observed = _replayed(name, server)
    assert not server.unknown
    assert failures(observed) == []
    assert colour(observed) == "GREEN"


#: Of each framework: the address of the list.
_LISTS = {"sveltekit": "/__data.json", "react_router": "/_root.data", "nuxt": "/api/notes"}
#: The changes of the session, in their order; and what pages show that Next.js answers where one
#: was done, and where it was not.
_CHANGES = ("log in", "create", "create another", "create a third", "toggle", "save", "remove")
_IN_NEXT = {
    "create": ("Tea House", "Nothing"),
    "create another": ("Cups Ltd", "Nothing"),
    "create a third": ("Spoon & Co", "Nothing"),
    "toggle": ('"done"', '""'),
    "save": ("Tea Palace", "Tea House"),
}


@pytest.mark.promise(3)
@pytest.mark.parametrize("name", _LISTS)
@pytest.mark.parametrize("change", _CHANGES[1:])
def test_a_change_that_was_not_done(name: str, change: str) -> None:
    """It is answered as ever, but the list that is asked for next is the one from before: the first
    failure says that it did not take effect."""
    exchanges = list(_exchanges(name, "used"))
    at = _place_of(change, exchanges)
    lists = [
        each
        for each, one in enumerate(exchanges)
        if urlsplit(one.url).path == _LISTS[name] and one.method == "GET"
    ]
    before, after = max(one for one in lists if one < at), min(one for one in lists if one > at)
    exchanges[after] = exchanges[after].changed(response_body=exchanges[before].response_body)
    first, *_ = failures(_replayed(name, Recorded(exchanges)))
    assert "did not take effect" in first


@pytest.mark.promise(3)
@pytest.mark.parametrize("change", ["create", "create another", "create a third", "toggle", "save"])
def test_a_change_that_was_not_done_by_next(change: str) -> None:
    """An action is answered with the page as it is afterwards: where that shows, then and later,
    what was there before, it is red."""
    exchanges = list(_exchanges("next", "used"))
    at = _place_of(change, exchanges)
    done, before = (one.encode() for one in _IN_NEXT[change])
    for each, one in enumerate(exchanges[at:], at):
        undone = one.response_body.replace(done, before)
        exchanges[each] = one.changed(response_body=undone)
    assert colour(_replayed("next", Recorded(exchanges))) == "red"


def _place_of(change: str, exchanges: Sequence[Exchange]) -> int:
    changes = [each for each, one in enumerate(exchanges) if one.method not in ("GET", "HEAD")]
    return changes[_CHANGES.index(change)]


@pytest.mark.promise(3)
def test_a_removal_that_was_not_done_by_next() -> None:
    """The answer of the action, and the page at the end, show the note as before."""
    exchanges = list(_exchanges("next", "used"))
    at, before = _place_of("remove", exchanges), _place_of("save", exchanges)
    exchanges[at] = exchanges[at].changed(response_body=exchanges[before].response_body)
    page, there = exchanges[-1].response_body, b'<li><a href="/notes/43">Spoon &amp; Co</a></li>'
    assert page.count(b"</ul>") == 1
    exchanges[-1] = exchanges[-1].changed(response_body=page.replace(b"</ul>", there + b"</ul>"))
    assert colour(_replayed("next", Recorded(exchanges))) == "red"
