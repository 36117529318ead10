"""Configures sessions, replays them against another draw, and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from pytest_loadtool.model.case import Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import Over, Plan, Response, VirtualUser, Wait, compile_case
from pytest_loadtool.replay.user.cookies import CookieJar
from tests.correlation.talk import configure
from tests.replay.playbook import Diary, first_row
from tests.synthetic.fields import fields
from tests.synthetic.forms import forms
from tests.synthetic.rest import rest
from tests.synthetic.rpc import rpc
from tests.synthetic.server import Server
from tests.synthetic.talk import SERVER, Talk

__all__ = ["Judgement", "judge", "recorded", "unsteady"]

#: A field of a request: the request's number in the session, and the field's place.
Place = tuple[int, str]
_STYLES = (rest, forms, rpc)
#: How many draws a recording is replayed against, and how many tell what is dynamic: a small number
#: may be the same on some servers.
_REPLAYED, _WITNESSES = 3, 20


@dataclass(frozen=True)
class Judgement:
    """What became of a session that was recorded with a draw: its ``dynamic`` fields, those that
    get a placeholder, of the former those ``missed`` (or replaced by what gives another value), and
    of the latter those ``wrong``."""

    structure: int
    dynamic: frozenset[Place]
    replaced: frozenset[Place]
    missed: frozenset[Place]
    wrong: frozenset[Place]


@lru_cache(2 * _WITNESSES)
def recorded(structure: int, draw: int) -> tuple[Exchange, ...]:
    """The session of that structure on the server of that draw."""
    server = Server(f"{structure}/{draw}")
    talk = Talk(server.started)
    _STYLES[structure % len(_STYLES)](Random(structure), server, talk)
    return tuple(talk.exchanges)


def judge(structure: int, draw: int = 0) -> Judgement:
    """Configure the session as recorded with that draw, and replay it against the next ones."""
    session, own = recorded(structure, draw), _sent_by(structure, draw)
    others = [_sent_by(structure, one) for one in range(draw, draw + _WITNESSES)]
    dynamic = {key for key in own if any(other.get(key) != own[key] for other in others)}
    case = build_case(session, name="session").case
    plan = compile_case(configure(case, session).case)
    replaced = _replaced(plan, own)
    bad: set[Place] = set()
    for other in range(draw + 1, draw + 1 + _REPLAYED):
        sent, expected = _replayed(plan, recorded(structure, other)), _sent_by(structure, other)
        bad |= {key for key in own if sent.get(key) != expected.get(key)}
    missed = {key for key in dynamic if key in bad or key not in replaced}
    wrong = {key for key in replaced if key in bad or key not in dynamic}
    return Judgement(structure, *map(frozenset, (dynamic, replaced, missed, wrong)))


def unsteady(judgements: Sequence[Judgement]) -> frozenset[Place]:
    """The fields that get a placeholder with some of the draws and with others not."""
    found = [one.replaced for one in judgements]
    return frozenset.union(*found) - frozenset.intersection(*found)


@lru_cache(2 * _WITNESSES)
def _sent_by(structure: int, draw: int) -> dict[Place, str]:
    """All values that the session sends with that draw."""
    found: dict[Place, str] = {}
    for at, one in enumerate(recorded(structure, draw)):
        headers = list(one.request_headers)
        of_request = fields(one.method, one.url.removeprefix(SERVER), headers, one.request_body)
        found |= {(at, name): value for name, value in of_request.items()}
    return found


def _replaced(plan: Plan, recorded: dict[Place, str]) -> set[Place]:
    """The fields that change when all variables have other values."""
    values = list(plan.initial)
    for at in range(len(values)):
        values[at] = str(910_000_000 + at)
    sent: dict[Place, str] = {}
    for page in plan.pages:
        for step in page.steps:
            sent |= _read(_entry(step.transaction), step.render(values, CookieJar()))
    return {key for key in sent if sent[key] != recorded.get(key)}


def _replayed(plan: Plan, session: Sequence[Exchange]) -> dict[Place, str]:
    """What the case sends to a server that answers as in that session, whatever it is asked."""
    sent: dict[Place, str] = {}
    commands = VirtualUser(plan, first_row, Diary()).act(plan.visits.whole, 0, 0.0)
    answer: Response | None = None
    waiting: list[Response] = []
    while not isinstance(command := commands.send(answer), Over):
        if isinstance(command, Wait):
            answer = None
            continue
        for send in command:
            entry = _entry(send.step.transaction)
            sent |= _read(entry, send.data)
            exchange = session[entry]
            response = Response(send)
            response.status = exchange.status
            lines = [f"{name}: {value}" for name, value in exchange.response_headers]
            response.head = "\r\n".join((f"HTTP/1.1 {exchange.status} X", *lines)).encode()
            response.body = exchange.response_body
            waiting.append(response)
        answer = waiting.pop(0)
    return sent


def _entry(transaction: Transaction) -> int:
    """The number of its request in the session."""
    recorded = transaction.recorded
    entry = recorded.entry if recorded is not None else None
    assert entry is not None, "it comes from a recording"
    return entry


def _read(entry: int, data: bytes) -> dict[Place, str]:
    """The fields of a request as it goes out."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = [(name, value.strip()) for name, _, value in (one.partition(":") for one in lines)]
    return {(entry, name): value for name, value in fields(method, target, headers, body).items()}
