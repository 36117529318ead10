"""A server that is told what to answer, and the connections to it. No sockets.

It speaks HTTP authentication as `respond` decides, request by request, and knows on which
connection each request came: the one that its slot had, or a new one once that was closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import Page, Recorded, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay import Over, Plan, Response, Send, VirtualUser, Wait, compile_case
from pytest_loadtool.replay.acting import actor_for
from tests.replay.playbook import Diary

ALICE = Identity("alice", "${PASSWORD}")
SERVER = "http://shop.example"

#: How long (seconds) each answer takes.
TOOK = 0.01

CLOSED = Failure("auth", "closed")


@dataclass
class Asked:
    """A request as the server sees it. ``connection`` counts from 1."""

    connection: int
    line: str
    headers: dict[str, str]
    body: bytes
    send: Send

    @property
    def credentials(self) -> str:
        """The value of Authorization, or nothing."""
        return self.headers.get("authorization", "")

    @property
    def at_proxy(self) -> str:
        """The value of Proxy-Authorization, or nothing."""
        return self.headers.get("proxy-authorization", "")


@dataclass
class Answer:
    """``challenges`` are a server's, with status 407 a proxy's; ``close`` the connection
    afterwards. ``nextnonce`` is for later requests."""

    status: int = 200
    challenges: tuple[str, ...] = ()
    close: bool = False
    cookie: str = ""
    nextnonce: str = ""


Respond = Callable[[Asked], Answer]


@dataclass
class Talk:
    """Drives a virtual user against ``respond`` and keeps what was asked."""

    plan: Plan
    respond: Respond
    keep_state: bool = False
    keep_connections: bool = False
    rows: tuple[int, ...] = (0,)
    diary: Diary = field(default_factory=Diary)
    asked: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._open: dict[object, int] = {}
        self._opened = 0
        self._clock = 100.0
        self._number = 0
        self._virtual = VirtualUser(
            self.plan, self._choose_row, self.diary, keep_state=self.keep_state
        )
        self.user = actor_for(self._virtual)

    def _choose_row(self, _use: DatasetUse, _rows: int, iteration: int) -> int:
        return self.rows[iteration % len(self.rows)]

    def iterate(self) -> list[str]:
        """Act out one iteration; the requests as "connection line credentials-scheme"."""
        before = len(self.asked)
        for _ in self.steps():
            pass
        return [shown(one) for one in self.asked[before:]]

    def steps(self) -> Iterator[None]:
        """Act out one iteration; a step is one response, or a wait in which none comes."""
        if not self.keep_connections:
            self._open.clear()
        commands = self.user.act(self._virtual.next_visit(), self._number, self._clock)
        self._number += 1
        event: Response | None = None
        waiting: list[Send] = []
        while True:
            command = commands.send(event)
            if isinstance(command, Over):
                return
            if isinstance(command, Wait):
                if command.leave:
                    self._open.clear()
            else:
                waiting += command
            yield
            event = self._exchange(waiting.pop(0)) if waiting else None

    def _exchange(self, send: Send) -> Response:
        slot = (send.step.origin, send.slot)
        self._clock += TOOK
        response = Response(send)
        response.sent = self._clock - TOOK / 2
        response.finished = self._clock
        if slot not in self._open:
            if send.bound:
                response.failure = CLOSED
                return response
            self._opened += 1
            self._open[slot] = self._opened
        asked = _asked(send, self._open[slot])
        self.asked.append(asked)
        answer = self.respond(asked)
        if answer.close:
            del self._open[slot]
        response.status = answer.status
        lines = [f"HTTP/1.1 {answer.status} X"]
        asks = "Proxy-Authenticate" if answer.status == 407 else "WWW-Authenticate"
        lines += [f"{asks}: {one}" for one in answer.challenges]
        lines += [f"Set-Cookie: {answer.cookie}"] if answer.cookie else []
        info = "Proxy-Authentication-Info" if asked.at_proxy else "Authentication-Info"
        told = f'{info}: qop=auth, nextnonce="{answer.nextnonce}"'
        lines += [told] if answer.nextnonce else []
        response.head = "\r\n".join(lines).encode("latin-1")
        return response


def shown(asked: Asked) -> str:
    """Where a request went and what it brought along, in parentheses for the proxy."""
    schemes = [asked.credentials.partition(" ")[0]]
    if asked.at_proxy:
        schemes.append(f"({asked.at_proxy.partition(' ')[0]})")
    return " ".join([str(asked.connection), asked.line, *filter(None, schemes)])


def _asked(send: Send, connection: int) -> Asked:
    head, _, body = send.data.partition(b"\r\n\r\n")
    line, *others = head.decode("latin-1").split("\r\n")
    pairs = [one.partition(": ") for one in others]
    names = [name.lower() for name, _, _ in pairs]
    assert len(names) == len(set(names)), f"a header twice: {names}"
    headers = {name.lower(): value for name, _, value in pairs}
    return Asked(connection, line.removesuffix(" HTTP/1.1"), headers, body, send)


def planned(
    *transactions: Transaction | str,
    identities: tuple[Identity, ...] = (ALICE,),
    dataset: Dataset | None = None,
    overlapped: bool = False,
    proxy: Proxy | None = None,
    app: str = "",
) -> Plan:
    """The plan of a page with these transactions; a text is the target of a GET.

    ``dataset`` is called users, of the file users.csv; ``overlapped``: all but the first start at
    once.
    """
    every = [made(one) for one in transactions]
    if overlapped:
        first, *others = every
        every = [replace(first, recorded=Recorded(200, took=1.0))]
        every += [replace(one, recorded=Recorded(200, at=1.0, took=1.0)) for one in others]
    uses = (DatasetUse("users", "users.csv"),) if dataset else ()
    case = TestCase(
        "c",
        (Page("p", tuple(every)),),
        SERVER,
        hosts=("other.example",),
        identities=identities,
        variables={"PASSWORD": Variable("PASSWORD", env="APP_PASSWORD")},
        datasets=uses,
        proxy=proxy,
        app=app,
    )
    datasets = {"users": dataset} if dataset else {}
    return compile_case(case, environ={"APP_PASSWORD": "s3cret"}, datasets=datasets)


def made(one: Transaction | str) -> Transaction:
    """The transaction, or a GET of the text."""
    return one if isinstance(one, Transaction) else Transaction(Request("GET", one))
