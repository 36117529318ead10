"""Keeping replays: what the file has of them, however they end."""

from __future__ import annotations

import json
import stat
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from pytest_loadtool.casefile import HarWriter, read_case
from pytest_loadtool.casefile.har.replay import read_replay
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.engine.prepare.resources import compile_from
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.kept_replay import DatasetRow, KeptReplay, KeptVariable
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay import PagePlan, Plan, Response, Step
from pytest_loadtool.workflow.keeping import MOST_KEPT, Keeper, keeping, kept_replays
from tests.plugin.serving import Server, case, serving, transaction
from tests.transport.peer import answering, peer

ORDER = '{"id": "17", "of": "Grüße"}'.encode()
COOKIE = (
    b"HTTP/1.1 200 Fine\r\nContent-Type: application/json; charset=utf-8\r\n"
    b"Set-Cookie: sid=s3ss10n; Path=/\r\nContent-Length: %d\r\n\r\n" % len(ORDER) + ORDER
)


class Silent:
    """An observer that does nothing."""

    stopped = threading.Event()

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        pass

    def negotiation(self, step: Step, response: Response) -> None:
        pass

    def challenged(self, step: Step, seconds: float) -> None:
        pass

    def page(self, page: PagePlan, started: float, finished: float, failed: bool) -> None:
        pass

    def iteration(self, started: float, finished: float, failed: bool) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


def plan_of(path: Path, text: str) -> Plan:
    path.write_text(text, encoding="utf-8")
    return compile_from(path, read_case(path), think_time=ThinkTime(scale=0.0))


def play(path: Path, plan: Plan, observer: Silent | None = None) -> Keeper:
    """Replay once, and keep it."""
    with keeping(path, plan, observer or Silent()) as keeper:
        replay_once(plan, observer=keeper, challenged=keeper.challenged, began=keeper.began)
    return keeper


def kept(path: Path) -> KeptReplay:
    return read_replay(kept_replays(path)[0])


def test_all_of_it_is_there(tmp_path: Path) -> None:
    """What was sent and received, in the order of the test case, with times, values and cookies."""
    path = tmp_path / "shop.case.toml"
    (tmp_path / "users.csv").write_text("name\nann\nbob\n")
    order = transaction(
        "GET /order",
        "extractors = [",
        '  { variable = "order", json = "$.id" },',
        '  { variable = "sid", cookie = "sid" },',
        "]",
    )
    use = transaction(
        "POST /orders/${order}",
        'headers = ["Content-Type: text/plain"]',
        'body = "${users.name} is here: é"',
    )
    with peer(answering(COOKIE, COOKIE)) as server:
        head = '[datasets.users]\nfile = "users.csv"'
        text = case(server.url, order, use, page="Ordering").replace(
            "[[page]]", f"{head}\n[[page]]"
        )
        play(path, plan_of(path, text))
    found = kept(path)
    assert (found.case, found.server, found.ending) == (
        "A visit to the shop",
        server.url,
        "finished",
    )
    first, second = found.transactions
    assert (first.id.title, first.id.page, first.outcome) == ("GET /order", "Ordering", "passed")
    assert first.taken == {"order": "17", "sid": "s3ss10n"}
    assert second.exchange is not None
    assert first.exchange is not None
    sent = second.exchange
    assert (sent.method, sent.url) == ("POST", f"{server.url}/orders/17")
    assert sent.request_body == "ann is here: é".encode()
    assert sent.request_header("cookie") == "sid=s3ss10n"
    assert (sent.status, sent.reason, sent.http_version) == (200, "Fine", "HTTP/1.1")
    assert sent.response_body == ORDER
    assert found.started <= first.exchange.started <= sent.started
    assert 0 < first.first_byte <= first.exchange.took <= found.seconds
    assert {one.name: one for one in found.variables} == {
        "order": KeptVariable("order", "17", (0,)),
        "sid": KeptVariable("sid", "s3ss10n", (0,)),
        "users.name": KeptVariable("users.name", "ann"),
    }
    assert [(one.name, one.value, one.path) for one in found.cookies] == [("sid", "s3ss10n", "/")]
    assert found.rows == (DatasetRow("users", "users.csv", 1),)


def test_failures_and_what_was_never_sent(tmp_path: Path, server: Server) -> None:
    """Each failure with its cause; an extractor that finds nothing has set nothing; a page whose
    document does not come asks for no more."""
    path = tmp_path / "shop.case.toml"
    takes = 'extractors = [{ variable = "token", form = "none" }]'
    lost = transaction("GET http://127.0.0.1:1/", "", "[page.transaction.recorded]", "status = 200")
    text = case(server.url, transaction("GET /status/404", takes))
    text += (
        case("", lost + '\nkind = "HTML"', "GET http://127.0.0.1:1/style.css")
        .partition("[[page]]")[2]
        .join(["[[page]]", ""])
    )
    play(path, plan_of(path, text))
    refused, lost_page, never = kept(path).transactions
    assert [one.cause for one in refused.failures] == ["status", "extractor"]
    assert refused.taken == {}
    assert lost_page.outcome == "failed"
    assert lost_page.exchange is not None
    assert lost_page.exchange.status == 0
    assert "refused" in lost_page.exchange.error
    assert (never.outcome, never.exchange) == ("never sent", None)
    assert len(kept(path).failed) == 2


def test_body_that_cannot_be_decoded_is_kept_as_it_came(tmp_path: Path) -> None:
    """With the reason."""
    path = tmp_path / "shop.case.toml"
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x00\x01no"
    with peer(answering(answer)) as server:
        play(path, plan_of(path, case(server.url, "GET /")))
    [one] = kept(path).transactions
    assert one.exchange is not None
    assert one.exchange.response_body == b"\x00\x01no"
    assert "gzip" in one.undecoded


def test_challenges_go_with_their_transaction(tmp_path: Path) -> None:
    """A request that was answered by 401 is kept before the one that was let in."""
    path = tmp_path / "shop.case.toml"
    asks = b'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n'
    (tmp_path / "users.csv").write_text("username,password\nann,correct horse\n")
    who = '[[identity]]\nusername = "${users.username}"\npassword = "${users.password}"\n'
    head = f'[datasets.users]\nfile = "users.csv"\n{who}'
    with peer(answering(asks, COOKIE)) as server:
        play(path, plan_of(path, case(server.url, "GET /", head=head)))
    [one] = kept(path).transactions
    assert [each.status for each in one.negotiation] == [401]
    assert one.exchange is not None
    assert one.exchange.status == 200
    assert (one.exchange.request_header("authorization") or "").startswith("Basic ")


def test_large_bodies_stay_in_the_file(tmp_path: Path) -> None:
    """They are read when they are asked for."""
    path = tmp_path / "shop.case.toml"
    body = bytes(range(256)) * 4096
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    with peer(answering(answer)) as server:
        play(path, plan_of(path, case(server.url, "GET /")))
    [one] = kept(path).transactions
    assert one.exchange is not None
    assert not isinstance(one.exchange.held_body, bytes)
    assert one.exchange.response_body == body


def test_only_the_last_ones_stay_and_for_their_owner_alone(tmp_path: Path, server: Server) -> None:
    """Others have no access, and Git passes them over."""
    path = tmp_path / "shop.case.toml"
    plan = plan_of(path, case(server.url, "GET /"))
    made = [play(path, plan).path for _ in range(MOST_KEPT + 2)]
    assert kept_replays(path) == made[:1:-1]
    folder = tmp_path / "shop.replays"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(one.stat().st_mode) for one in kept_replays(path)} == {0o600}
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    said = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=tmp_path, check=True, capture_output=True
    )
    assert said.stdout == b"?? shop.case.toml\n"


def test_only_what_is_ours_is_deleted(tmp_path: Path, server: Server) -> None:
    """Files that a person puts beside them stay; nothing is written where a link leads."""
    path, other = tmp_path / "shop.case.toml", tmp_path / "other.case.toml"
    mine = tmp_path / "shop.replays" / "good one.har"
    mine.parent.mkdir()
    mine.write_text("{}")
    plan = plan_of(path, case(server.url, "GET /"))
    for _ in range(MOST_KEPT + 1):
        play(path, plan)
    assert mine.exists()
    assert len(kept_replays(path)) == MOST_KEPT
    (tmp_path / "other.replays").symlink_to(mine.parent)
    assert "other.replays: this is a link" in play(other, plan).problem
    assert len(list(mine.parent.glob("*.har"))) == MOST_KEPT + 1


class Interrupting(Silent):
    """Somebody presses Ctrl-C when the first transaction has ended."""

    def transaction(self, step: Step, response: Response, failures: tuple[Failure, ...]) -> None:
        raise KeyboardInterrupt


def test_interrupted_replay_is_kept(tmp_path: Path, server: Server) -> None:
    """As far as it came; the others are told as never sent."""
    path = tmp_path / "shop.case.toml"
    plan = plan_of(path, case(server.url, "GET /a", "GET /b"))
    with pytest.raises(KeyboardInterrupt):
        play(path, plan, Interrupting())
    found = kept(path)
    assert found.ending == "interrupted"
    assert [one.outcome for one in found.transactions] == ["passed", "never sent"]


def test_replay_that_was_killed_can_be_read(tmp_path: Path, server: Server) -> None:
    """Up to where its last write was torn; its end is unknown, what it had set is not."""
    path = tmp_path / "shop.case.toml"
    takes = 'extractors = [{ variable = "token", form = "token" }]'
    keeper = play(path, plan_of(path, case(server.url, transaction("GET /form", takes), "GET /b")))
    assert keeper.path is not None
    content = keeper.path.read_bytes()
    torn = content[: content.rindex(b'"_loadtool"') + 20]
    keeper.path.write_bytes(torn)
    found = read_replay(keeper.path)
    assert found.ending == "interrupted"
    assert [one.outcome for one in found.transactions] == ["passed", "never sent"]
    assert found.variables == (KeptVariable("token", "tok3n", (0,)),)
    assert found.seconds > 0


def test_replay_goes_on_where_it_cannot_be_kept(tmp_path: Path, server: Server) -> None:
    """Something else has the folder's name: the problem is told, no replay fails of it."""
    path = tmp_path / "shop.case.toml"
    (tmp_path / "shop.replays").write_text("mine")
    plan = plan_of(path, case(server.url, "GET /a"))
    asked = len(server.requests)
    keeper = play(path, plan)
    assert (keeper.path, len(server.requests) - asked) == (None, 1)
    assert keeper.problem.endswith("shop.replays: cannot make it: file exists")
    assert (tmp_path / "shop.replays").read_text() == "mine"


def test_what_is_no_kept_replay_is_refused(tmp_path: Path) -> None:
    """Recorded traffic, another program's file, and none."""
    HarWriter(tmp_path / "recorded.har").close()
    (tmp_path / "other.har").write_text('{"log": {"entries": []}}')
    for name in ("recorded.har", "other.har"):
        with pytest.raises(FileError, match=f"{name}: no kept replay: `play` and --loadtool-keep"):
            read_replay(tmp_path / name)
    with pytest.raises(FileError, match="no such file"):
        read_replay(tmp_path / "none.har")


#: What HAR 1.2 wants of each object, and of which type it is.
SPECIFIED: dict[str, dict[str, Any]] = {
    "log": {"version": str, "creator": dict, "entries": list},
    "creator": {"name": str, "version": str},
    "entry": {
        "startedDateTime": str,
        "time": (int, float),
        "request": dict,
        "response": dict,
        "cache": dict,
        "timings": dict,
    },
    "request": {
        "method": str,
        "url": str,
        "httpVersion": str,
        "cookies": list,
        "headers": list,
        "queryString": list,
        "headersSize": int,
        "bodySize": int,
    },
    "response": {
        "status": int,
        "statusText": str,
        "httpVersion": str,
        "cookies": list,
        "headers": list,
        "content": dict,
        "redirectURL": str,
        "headersSize": int,
        "bodySize": int,
    },
    "timings": {"send": (int, float), "wait": (int, float), "receive": (int, float)},
    "content": {"size": int, "mimeType": str},
}


def check(kind: str, found: Any) -> None:
    """Make sure that it has what HAR 1.2 wants; what is not specified begins with ``_``."""
    for name, type_ in SPECIFIED[kind].items():
        assert isinstance(found[name], type_), f"{kind}.{name}"
        if name in SPECIFIED:
            check(name, found[name])


def test_others_open_it(tmp_path: Path, server: Server) -> None:
    """It is HAR 1.2, times add up, and Chromium is served from it by Playwright's HAR player."""
    path = tmp_path / "shop.case.toml"
    play(path, plan_of(path, case(server.url, "GET /home", "GET /echo")))
    file = kept_replays(path)[0]
    log = json.loads(file.read_bytes())["log"]
    check("log", log)
    for entry in log["entries"]:
        check("entry", entry)
        times = sum(one for one in entry["timings"].values() if one >= 0)
        assert times == pytest.approx(entry["time"])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page()
        page.route_from_har(file)
        assert page.goto(f"{server.url}/home") is not None
        assert page.title() == "Home"
        browser.close()
