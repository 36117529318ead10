"""Who changes a thing sends back when it was changed last: a replay sends what its own has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import failures
from tests.correlation.talk import configure, made
from tests.observed import Observed, explained
from tests.served import answer, served

_JSON = {"Content-Type": "application/json"}
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
#: What changes a thing: its method, target, body and headers.
_Sent = tuple[str, str, str, dict[str, str]]


class Way(NamedTuple):
    """How a stamp is written, how a thing is shown, and how one is changed."""

    stamp: Callable[[datetime], Any]
    send: Callable[[Any, Any, str], _Sent]
    show: Callable[[dict[str, Any]], dict[str, Any]] = lambda one: one


def _iso(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _http(when: datetime) -> str:
    return format_datetime(when, usegmt=True)


def _put(body: Callable[[Any, Any, str], Any], target: str = "/things/{}") -> Any:
    return lambda id_, stamp, note: (
        "PUT", target.format(id_), json.dumps(body(id_, stamp, note)), _JSON)  # fmt: skip


def _flat(_: Any, stamp: Any, note: str) -> Any:
    return {"note": note, "updated_at": stamp}


WAYS = {
    "ISO": Way(_iso, _put(_flat)),
    "ISO with a zone": Way(lambda when: when.isoformat(), _put(_flat)),
    "a space and fractions": Way(lambda when: f"{when:%Y-%m-%d %H:%M:%S}.250000", _put(_flat)),
    "seconds": Way(lambda when: int(when.timestamp()), _put(_flat)),
    "milliseconds in a text": Way(lambda when: f"{int(when.timestamp())}250", _put(_flat)),
    "in a list": Way(_iso, _put(lambda *sent: {"things": [_flat(*sent)]})),
    "another name": Way(_iso, _put(lambda _, stamp, note: {"note": note, "expected": stamp})),
    "the id in the body": Way(
        _iso, _put(lambda id_, *rest: {"id": id_, **_flat(id_, *rest)}, "/things/save")),
    "the id around it": Way(
        _iso, _put(lambda id_, *rest: {"id": id_, "set": _flat(id_, *rest)}, "/things/save")),
    "the id beside it": Way(
        _iso,
        _put(lambda id_, *rest: {"where": {"id": id_}, "data": _flat(id_, *rest)}, "/things/do")),
    "with the thing beside it": Way(
        _iso, _put(lambda id_, *rest: {**_flat(id_, *rest), "tags": [{"id": 1}, {"id": 2}]})),
    "a call": Way(_iso, lambda id_, *rest: (
        "POST", "/rpc", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "thing.update",
                                    "params": {"id": id_, **_flat(id_, *rest)}}), _JSON)),
    "a mutation": Way(_iso, lambda id_, stamp, note: (
        "POST", "/graphql", json.dumps({
            "query": "mutation($id: ID!, $in: Thing) { saveThing(id: $id, in: $in) { id } }",
            "variables": {"id": id_, "in": _flat(id_, stamp, note)}}), _JSON)),
    "a form": Way(_iso, lambda id_, stamp, note: (
        "POST", f"/things/{id_}", urlencode(_flat(id_, stamp, note)), _FORM)),
    "a query": Way(_iso, lambda id_, stamp, note: (
        "PATCH", f"/things/{id_}?{urlencode({'if_updated_at': stamp})}",
        json.dumps({"note": note}), _JSON)),
    "a header": Way(_http, lambda id_, stamp, note: (
        "PUT", f"/things/{id_}", json.dumps({"note": note}),
        {**_JSON, "If-Unmodified-Since": stamp})),
    "shown within": Way(
        _iso, _put(_flat), lambda one: {"id": one["id"], "meta": {"updated_at": one["updated_at"]},
                                        "name": one["name"]}),
}  # fmt: skip


_SINCE = "If-Unmodified-Since"


class Register:
    """The state. What is changed with another stamp than it has is refused; two things are made in
    one second."""

    def __init__(self, way: Way, since: datetime, others: int) -> None:
        self.way, self._since, self._clock = way, int(since.timestamp()), count()
        self.things: dict[int, dict[str, Any]] = {}
        for number in range(others):
            self._put(f"Other {number}")

    def _now(self) -> Any:
        return self.way.stamp(datetime.fromtimestamp(self._since + next(self._clock) // 2, UTC))

    def _put(self, name: str) -> dict[str, Any]:
        id_ = 40 + len(self.things)
        stamp = self._now()
        one = {"id": id_, "name": name, "created_at": stamp, "updated_at": stamp, "note": ""}
        self.things[id_] = one
        return one

    def answer(self, method: str, target: str, body: str, since: str) -> Any:
        """What is answered to a request."""
        if method == "GET":
            return self._shown({"things": [*map(self.way.show, self.things.values())]})
        if target == "/things":
            one = self._put(json.loads(body)["name"])
            return self._shown(self.way.show(one), one["updated_at"], 201)
        for id_, one in self.things.items():
            for note in ("first", "second"):
                wanted = self.way.send(id_, one["updated_at"], note)
                if (method, target, body) == wanted[:3] and since == wanted[3].get(_SINCE, ""):
                    one |= {"note": f"{one['note']} {note}", "updated_at": self._now()}
                    return self._shown(self.way.show(one), one["updated_at"])
        return 409, _JSON, json.dumps({"error": "somebody else has changed it"})

    @staticmethod
    def _shown(what: Any, stamp: Any = "", status: int = 200) -> Any:
        return status, {**_JSON, "Last-Modified": str(stamp)}, json.dumps(what)


@contextmanager
def _serving(register: Register) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            since = self.headers.get(_SINCE, "")
            status, headers, text = register.answer(self.command, self.path, body, since)
            answer(self, status, text.encode(), *headers.items())

        do_GET = do_POST = do_PATCH = do_PUT = _any  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with served(Handler) as url:
        yield url


def _session(way: Way) -> tuple[Exchange, ...]:
    register = Register(way, datetime(2026, 3, 1, 9, tzinfo=UTC), 2)
    with _serving(register) as url:
        client = Client(url)
        client.json("GET", "/things")
        ids = [client.json("POST", "/things", {"name": name})["id"] for name in ("Tea", "Cups")]
        for note in ("first", "second"):
            for id_ in ids:
                method, target, body, headers = way.send(
                    id_, register.things[id_]["updated_at"], note
                )
                client.send(method, target, body.encode(), headers)
        client.json("GET", "/things")
        client.close()
    return tuple(client.exchanges)


def _used(way: Way, others: int) -> Register:
    """On another day."""
    return Register(way, datetime(2026, 11, 28, 6, tzinfo=UTC), others)


@pytest.mark.parametrize("name", WAYS)
def test_moments(name: str) -> None:
    """On another day, and where the clock is at another half of a second."""
    exchanges = _session(WAYS[name])
    configuration = configure(build_case(exchanges, name="moments").case, exchanges)
    assert {one.rule for one in made(configuration)} & {"row-time", "filled-in-field"}
    for others in (0, 5):
        used = _used(WAYS[name], others)
        observed = Observed()
        with _serving(used) as url:
            replay_once(compile_case(configuration.case, server=url), observer=observed)
        assert failures(observed) == []
        mine = [one["note"] for one in used.things.values()][others:]
        assert mine == [" first second"] * 2
        assert not any(one["note"] for one in [*used.things.values()][:others])


def test_what_is_told_of_one_that_was_left() -> None:
    """The time is to blame, and not the id, which the list has as well."""
    exchanges = _session(WAYS["ISO"])
    case = build_case(exchanges, name="moments").case
    left = replace(case, asm=replace(case.asm, ignore=("updated_at",)))
    with _serving(_used(WAYS["ISO"], 0)) as url:
        said = explained(configure(left, exchanges).case, exchanges, url)
    assert "updated_at = 2026-03-01T09:00:01.000Z was sent as recorded" in said
    assert "was taken from" not in said
