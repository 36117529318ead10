"""``python -m tests.correlation.outcomes.adversary``: which tricks of a server a replay sees."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol

from pytest_loadtool.correlation.configuration import asserted_anew
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from tests.correlation.client import Client
from tests.correlation.outcomes.office import TRICKS, Answer, Office
from tests.correlation.talk import configure
from tests.observed import Observed
from tests.served import served

__all__ = ["BLAMED", "SESSIONS", "TYPED", "opened", "recorded", "replayed", "serving"]

#: How a failure begins behind the change that it names: it did nothing, or too much.
BLAMED = ("did not take effect", "did something else, too")
#: What a person types, and would make each run's own.
TYPED = "Tea & Tales"
_ORDER = {"name": TYPED, "note": "For the afternoon", "quantity": 2, "price": 12.35}


class Answering(Protocol):
    """An application in this process."""

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""


def by_object(client: Client) -> None:
    """Looks at the order after each change."""
    orders = "/api/orders"
    client.json("GET", orders)
    made = client.json("POST", orders, {**_ORDER, "tags": ["hot tea", "green tea"]})["id"]
    one = f"{orders}/{made}"
    client.json("GET", one)
    client.json("GET", orders)
    client.json("PATCH", one, {"note": "At the door", "quantity": 3, "gift": True})
    client.json("GET", one)
    client.json("GET", orders)
    client.json("GET", f"{one}/comments")
    client.json("POST", f"{one}/comments", {"text": "Ring twice please"})
    client.json("GET", f"{one}/comments")
    client.json("POST", f"{one}/comments", {"text": "Never mind the dog"})
    client.json("GET", f"{one}/comments")
    client.json("GET", one)
    client.json("POST", f"{one}/like")
    client.json("GET", one)
    client.json("POST", f"{one}/ship")
    client.json("GET", one)
    client.json("GET", orders)
    client.json("DELETE", one)
    client.json("GET", orders)
    client.json("GET", orders)


def by_list(client: Client) -> None:
    """Looks at the list, and nowhere else; makes two, and drops one."""
    orders = "/api/orders"
    client.json("GET", orders)
    made = client.json("POST", orders, {**_ORDER, "tags": ["hot tea", "green tea"]})["id"]
    client.json("GET", orders)
    other = client.json("POST", orders, {"name": "Cup Shop", "quantity": 7})["id"]
    client.json("GET", orders)
    client.json("PATCH", f"{orders}/{made}", {"note": "At the door", "quantity": 3})
    client.json("GET", orders)
    client.json("POST", f"{orders}/{made}/ship")
    client.json("GET", orders)
    client.json("POST", f"{orders}/{made}/comments", {"text": "Ring twice please"})
    client.json("GET", orders)
    client.json("POST", f"{orders}/{made}/like")
    client.json("GET", orders)
    client.json("DELETE", f"{orders}/{made}")
    client.json("GET", orders)
    client.json("DELETE", f"{orders}/{other}")
    client.json("GET", orders)
    client.json("GET", orders)


def by_pages(client: Client) -> None:
    """As a browser does it."""
    client.open("/orders")
    page = client.open("/orders/new")
    typed = {one: str(value) for one, value in _ORDER.items()}
    client.submit(page, typed, action="/orders/0/edit")
    made = client.page.rpartition("=")[2]
    one = f"/orders/{made}"
    page = client.open(one)
    edited = {**typed, "note": "At the door", "quantity": "3"}
    client.submit(page, edited, action=f"{one}/edit")
    page = client.open(one)
    client.submit(page, {"text": "Ring twice please"}, action=f"{one}/say")
    client.open(one)
    client.submit(page, {"text": "Never mind the dog"}, action=f"{one}/say")
    page = client.open(one)
    client.open("/orders")
    client.submit(page, {}, action=f"{one}/ship")
    client.submit(page, {}, action=f"{one}/drop")
    client.open("/orders")


def by_name(client: Client) -> None:
    """Knows what it has made by its name alone."""
    client.open("/orders")
    page = client.open("/orders/new")
    typed = {one: str(value) for one, value in _ORDER.items()}
    client.submit(page, typed, action="/orders/0/edit")
    client.open("/orders")
    client.json("GET", "/api/orders")
    client.json("POST", "/api/orders", {"name": "Cup Shop", "note": "Two blue ones please"})
    client.json("GET", "/api/orders")


SESSIONS: Mapping[str, Callable[[Client], None]] = {
    "object": by_object,
    "list": by_list,
    "pages": by_pages,
    "name": by_name,
}


def opened(first: int = 1, **settings: Any) -> Office:
    """An office in which others have ordered."""
    office = Office(first, **settings)
    for name in ("Milk", "Bread Shop", "Coffee"):
        office.put({"name": name})
    return office


@contextmanager
def serving(office: Answering) -> Iterator[str]:
    """Its base URL, as long as it is entered."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            with lock:
                status, headers, text = office.answer(self.command, self.path, body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _any  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with served(Handler) as url:
        yield url


def recorded(name: str, *, unique: bool = False, **settings: Any) -> TestCase:
    """A session, recorded in a new office and configured; with ``unique``, its name is each run's
    own. ``settings`` are those of the office."""
    with serving(opened(**settings)) as url:
        client = Client(url)
        SESSIONS[name](client)
        client.close()
    exchanges = tuple(client.exchanges)
    case = configure(build_case(exchanges, name=name).case, exchanges).case
    if not unique:
        return case
    made = make_unique(case, TYPED)
    assert made is not None, "it was typed"
    return asserted_anew(made.case, exchanges).case


def replayed(case: TestCase, office: Answering) -> Observed:
    """What became of each transaction."""
    observed = Observed()
    with serving(office) as url:
        replay_once(compile_case(case, server=url), observer=observed)
    return observed


def at_once(case: TestCase, office: Answering, users: int, turns: int) -> list[Observed]:
    """What became of the transactions of each replay by so many users at once."""
    with serving(office) as url, ThreadPoolExecutor(users) as pool:
        plan = compile_case(case, server=url)

        def play(_: int) -> Observed:
            observed = Observed()
            replay_once(plan, observer=observed)
            return observed

        return list(pool.map(play, range(users * turns)))


def failures(observed: Observed) -> list[str]:
    """What failed, in the order of transactions."""
    return [failure.message for each in observed.failures for failure in each]


def colour(observed: Observed) -> str:
    """Red, told as another answer than was recorded, or green."""
    if any(observed.failures):
        return "red"
    return "told" if any(one.not_as_recorded for one in observed.responses) else "GREEN"


def say(*words: object, sep: str = " ") -> None:
    """Print a line."""
    sys.stdout.write(sep.join(map(str, words)) + "\n")


def _bodies(observed: Observed) -> list[bytes]:
    return [one.body for one in observed.responses]


def busy(office: Office) -> None:
    """What others do before each request: they order, change, say and drop."""
    turn = next(office.turns)
    number = office.put({"name": TYPED if turn % 3 else "Milk", "quantity": 2 + turn % 2})
    if turn % 2:
        office.do_honestly("comment", number, {"text": "Ring twice please"})
    office.do_honestly("ship", number, {"state": "shipped"})
    if turn % 5 == 4 and number > office.first:
        office.do_honestly("drop", number, {})


def crowded(office: Office) -> None:
    """Others order more than a list of four shows, before each request."""
    for name in ("Milk", "Bread Shop", "Coffee", "Sugar"):
        office.put({"name": name})


#: Offices that do all that they are asked.
HONEST: Mapping[str, Callable[[], Office]] = {
    "new": Office,
    "used": lambda: opened(71),
    "busy": lambda: opened(71, between=busy),
    "short lists": lambda: opened(71, shown=2),
    "busy, short lists": lambda: opened(971, between=busy, shown=15),
    "busy, lists of four": lambda: opened(971, between=busy, shown=4),
    "crowded, lists of four": lambda: opened(971, between=crowded, shown=4),
}
_REPLAYS, _USERS, _TURNS = 20, 10, 5


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else f"{text[:_CUT]}…"


_CUT = 8
#: Settings of offices whose lists are written in other ways, also when a session is recorded there.
KINDS: Mapping[str, Mapping[str, Any]] = {
    "oldest first": {"order": lambda one: one["id"], "shown": 10},
    "sorted": {"order": lambda one: one["name"], "shown": 10},
    "by state": {"order": lambda one: (one["state"], -one["quantity"], one["id"]), "shown": 10},
    "cut": {"write": _cut, "shown": 10},
    "escaped": {"escape": lambda text: text.replace("&amp;", "&#38;").replace(" & ", r" \u0026 ")},
    "aged": {"aged": True, "shown": 10},
    "in capitals": {"write": str.upper},
    "translated": {"write": lambda text: text.replace("e", "é").replace("Tea", "Thé")},
}


def _seen(session: str) -> Iterator[tuple[str, str]]:
    """The tricks of which any answer of the session shows anything."""
    case = recorded(session)
    honest = _bodies(replayed(case, opened(71)))
    for (change, trick), how in TRICKS.items():
        if _bodies(replayed(case, opened(71, change=change, trick=how))) != honest:
            yield change, trick


def _tricks(session: str, unique: bool) -> Iterator[str]:
    """What the replays of one session are, by colour."""
    case = recorded(session, unique=unique)
    for change, trick in _seen(session):
        observed = replayed(case, opened(71, change=change, trick=TRICKS[change, trick]))
        shade, said = colour(observed), failures(observed)
        named = bool(said) and any(one in said[0] for one in BLAMED)
        yield f"{shade}{', names the change first' if named else ''}"
        if not named or "-v" in sys.argv:
            called = f"{session}{' unique' if unique else ''}"
            say(f"{called:14} {change:8} {trick:25} {shade:6}", *(one[:120] for one in said[:1]))


def main() -> None:
    """Print what was not seen, and the sums."""
    tally = Counter(
        f"{session}{', unique' if unique else ''}: {one}"
        for session in SESSIONS
        for unique in (False, True)
        for one in _tricks(session, unique)
    )
    say(*(f"{name}: {number}" for name, number in sorted(tally.items())), sep="\n")
    red = sum(number for name, number in tally.items() if ": red" in name)
    say(f"{red} of {tally.total()} red")
    for session in SESSIONS:
        case = recorded(session, unique=True)
        for name, make in HONEST.items():
            office = make()
            wrong = Counter(
                said for _ in range(_REPLAYS) for said in failures(replayed(case, office))[:1]
            )
            say(f"{session}, honest, {name}: {wrong.total()} of {_REPLAYS} red", *wrong)
        for name in ("used", "busy, lists of four"):
            many = at_once(case, HONEST[name](), _USERS, _TURNS)
            wrong = Counter(said for one in many for said in failures(one)[:1])
            say(f"{session}, honest, {name}, ten users: {wrong.total()} of {len(many)} red", *wrong)
        for name, settings in KINDS.items():
            case = recorded(session, unique=True, **settings)
            for called, office in (
                ("used", opened(71, **settings)),
                ("busy", opened(71, between=busy, **settings)),
            ):
                many = [replayed(case, office) for _ in range(_REPLAYS)]
                many += at_once(case, office, _USERS, 1)
                wrong = Counter(said for one in many for said in failures(one)[:1])
                say(f"{session}, {name}, {called}: {wrong.total()} of {len(many)} red", *wrong)


if __name__ == "__main__":
    main()
