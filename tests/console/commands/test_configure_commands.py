"""Configure for Replay, Application State, and the reasons for both."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.casefile import format_case, read_case
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from pytest_loadtool.model.websocket import WEBSOCKET
from tests.console import traffic
from tests.console.listener import Listener
from tests.console.traffic import RECORDED_TOKEN, sign_in, write_har
from tests.correlation.exchanges import exchange, json_body
from tests.correlation.talk import call, get
from tests.plugin.serving import Server, serving


def do(session: Console, line: str) -> None:
    asyncio.run(execute(session, line))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """An application that lets nobody in with yesterday's token."""
    with serving() as server:
        server.token = "zY9xW8vU7tS6rQ5pO4"
        yield server


@pytest.fixture
def imported(session: Console, server: Server, tmp_path: Path) -> Console:
    """A console with a recorded sign-in that is not configured."""
    do(session, f"import {write_har(tmp_path / 'in.har', *sign_in(server.url))}")
    return session


def targets(session: Console) -> list[str]:
    return [one.request.target for one in session.opened().case.transactions()]


@pytest.mark.promise(55)
@pytest.mark.promise(2)
def test_hostnames_come_first_and_application_state_second(
    imported: Console, listener: Listener
) -> None:
    """Third parties are listed and left out; only then dynamic values are looked for."""
    do(imported, "configure")
    assert targets(imported) == ["/form", "/login"]
    assert imported.opened().case.hosts == ("127.0.0.1",)
    text = listener.text
    assert text.index("1 of 2: hostnames") < text.index("2 of 2: application state")
    assert "  left out: metrics.third-party.invalid, 1 transaction" in text
    assert "To keep them: `undo`, then `configure --hosts metrics.third-party.invalid`" in text
    assert "1 dynamic value configured." in text


@pytest.mark.promise(55)
@pytest.mark.parametrize("hosts", ["metrics.third-party.invalid", "third-party.invalid", "all"])
def test_hosts_that_are_asked_for_stay(imported: Console, listener: Listener, hosts: str) -> None:
    """By name, by domain, or all of them; then nobody is asked."""
    do(imported, f"configure --hosts {hosts}")
    assert len(targets(imported)) == 3
    assert imported.opened().case.hosts == ("127.0.0.1", "metrics.third-party.invalid")
    assert listener.asked == []


@pytest.mark.promise(55)
def test_person_is_asked_until_the_answer_is_a_hostname(
    imported: Console, listener: Listener
) -> None:
    """A slip is told, with the names there are, and asked about again."""
    listener.interactive = True
    listener.lines = ["metric.example", "back", "metrics.third-party.invalid", ""]
    do(imported, "configure")
    assert len(listener.asked) == 4
    assert "This is the first question: Ctrl-C gives up." in listener.said
    assert "Configure for Replay, step 2 of 2" in listener.said
    assert "  configure --hosts metrics.third-party.invalid" in listener.text
    assert "no transaction goes to 'metric.example'; other hostnames: metrics." in listener.text
    assert len(targets(imported)) == 3


def test_unknown_host_is_refused(imported: Console) -> None:
    """Nothing has changed then."""
    with pytest.raises(UsageError, match="no transaction goes to 'shop"):
        do(imported, "configure hosts=shop.example")
    assert len(targets(imported)) == 3


@pytest.mark.promise(54)
def test_first_play_configures(imported: Console, server: Server, listener: Listener) -> None:
    """What was recorded yesterday passes today; the second time nothing is configured."""
    do(imported, "play --fast")
    assert listener.text.count("Configure for Replay, 1 of 2") == 1
    # This server's form has no title, which the recorded page had.
    assert "2 transactions passed, but 1 not as recorded." in listener.text
    assert server.requests[-2:] == ["GET /form", "POST /login"]
    do(imported, "play --fast")
    assert listener.text.count("Configure for Replay, 1 of 2") == 1
    do(imported, "undo")
    assert len(targets(imported)) == 3


@pytest.mark.promise(54)
@pytest.mark.promise(56)
def test_configured_test_case_stays_so(
    imported: Console, server: Server, listener: Listener
) -> None:
    """That the hostnames are restricted is in the file; Application State then runs by itself."""
    do(imported, "configure")
    do(imported, "save")
    case = read_case(imported.case_path)
    imported.document = imported.saved = None
    open_file(imported)
    listener.said.clear()
    do(imported, "application state")
    assert imported.opened().case == case
    assert "hostnames" not in listener.text
    assert "1 dynamic value configured." in listener.text
    do(imported, "play --fast")
    assert "Configure for Replay" not in listener.text


@pytest.mark.promise(56)
def test_application_state_comes_after_the_hostnames(imported: Console) -> None:
    """While third parties are in the test case, it says what comes first."""
    with pytest.raises(CommandError, match="the hostnames are not restricted yet"):
        do(imported, "application-state")
    assert len(imported.opened().case.variables) == 0


def test_decisions_are_explained(imported: Console, listener: Listener) -> None:
    """Value, producer, consumers, rule and confidence; asking changes nothing."""
    do(imported, "configure")
    before = imported.opened()
    listener.said.clear()
    do(imported, "explain")
    assert imported.opened() is before
    assert f"recorded: {RECORDED_TOKEN[:11]}…" in listener.text
    assert "set by 1 GET /form, used by 2 POST /login" in listener.text
    assert re.search(r"token .* \[[a-z-]+, \d\d%\]", listener.text)
    assert "[typed-credentials, " in listener.text
    assert "correct horse" not in listener.text
    (name,) = before.case.variables
    listener.said.clear()
    do(imported, f"explain '{name}'")
    assert "typed-credentials" not in listener.text
    with pytest.raises(UsageError, match="no decision is about 'nothing'"):
        do(imported, "explain nothing")


def test_what_is_taken_by_its_place_is_named(
    session: Console, listener: Listener, tmp_path: Path
) -> None:
    """With the transaction whose list it is taken from; the file says so, too."""
    rows = [{"id": 101 + at, "etag": f"{at}c7Jq2Xv9Lm4PzR8tYw3N"} for at in range(2)]
    exchanges = (
        get("/api/items", json_body({"items": rows})),
        call("PUT", "/api/items/102", {"etag": rows[1]["etag"]}),
    )
    do(session, f"import {write_har(tmp_path / 'in.har', *exchanges)}")
    do(session, "configure")
    assert "  taken by its place in the list: etag[1] (1 GET /api/items)" in listener.text
    assert "by_place = true" in format_case(session.opened().case)


def test_what_was_done_over_websockets_is_said(
    session: Console, listener: Listener, tmp_path: Path
) -> None:
    """By `import`, as by `stop`, and by `configure`: it is not in the test case."""
    socket = exchange("GET", "http://shop.test/live", status=101)
    sockets = [replace(socket, note=WEBSOCKET, events=events) for events in (0, 3, 0, 1)]
    do(session, f"import {write_har(tmp_path / 'in.har', get('/'), *sockets)}")
    said = "in 2 of 4 WebSockets the page sent events; what they did is not in the test case"
    assert listener.text.count(said) == 1
    assert "WebSocket upgrade, over which the page sent events" in listener.text
    do(session, "configure")
    assert listener.text.count(said) == 2


@pytest.mark.promise(55)
@pytest.mark.parametrize("answer", ["1", "cdn", "cdn.shop.example", "CDN"])
def test_hostnames_are_a_check_list(
    session: Console, listener: Listener, tmp_path: Path, answer: str
) -> None:
    """A number, a name or its beginning; what stayed is proposed when it is asked again, and kept
    by whoever is not there to ask; the remedy for what was left out keeps it, too."""
    three = [
        traffic.exchange("GET", "http://shop.test/", 0, ("Accept", "text/html")),
        traffic.exchange("GET", "http://cdn.shop.example/a", 1),
        traffic.exchange("GET", "http://tracker.example/b", 2),
    ]
    do(session, f"import {write_har(tmp_path / 'in.har', *three)}")
    listener.interactive = True
    listener.lines = [answer, ""]
    do(session, "configure")
    listener.interactive = False
    assert "   1 [ ] cdn.shop.example  1 transaction  (another)" in listener.text
    assert session.log.entries[-1].line == "configure --hosts cdn.shop.example"
    assert (
        "  To keep them: `undo`, then `configure --hosts cdn.shop.example,tracker.example`."
        in listener.said
    )
    listener.said.clear()
    do(session, "configure")
    assert any(" 1 [x] cdn.shop.example" in one for one in listener.said)
    assert "cdn.shop.example" in session.opened().case.hosts
