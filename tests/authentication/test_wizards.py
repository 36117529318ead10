"""What the console's wizards configure logs in to Apache httpd."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from pytest_loadtool import record
from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console, Settings
from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.exchange import Exchange
from tests.auth.negotiated import ASKS, basic, exchange, ntlm_tokens
from tests.authentication.peer import Peer
from tests.console.listener import Listener, do
from tests.console.traffic import write_har
from tests.unheard import unheard


@pytest.fixture
def session(tmp_path: Path) -> Console:
    """A console with a person at it."""
    settings = Settings(directory=tmp_path, browser="none")
    return Console(settings, Listener(), COMMANDS, tmp_path / "shop.case.toml")


def recording(folder: Path, server: str) -> tuple[Exchange, ...]:
    """A page behind Negotiate and another one, as EXAMPLE\\alice."""
    one, two, three = ntlm_tokens(folder, "EXAMPLE", "alice", "secret1")
    page = f"{server}/negotiate/page"
    return (
        exchange(0, 401, "", *ASKS, url=page),
        exchange(1, 401, f"Negotiate {one}", f"Negotiate {two}", url=page),
        exchange(2, 200, f"Negotiate {three}", url=page),
        exchange(3, 200, url=f"{page}?more"),
    )


@pytest.mark.promise(57)
@pytest.mark.promise(92)
def test_first_play_asks_and_logs_in(session: Console, apache: Peer, tmp_path: Path) -> None:
    """As the user in the dataset's first row; the negotiation is shown where it is wanted."""
    assert isinstance(session.frontend, Listener)
    exchanges = recording(tmp_path, apache.url("http"))
    do(session, f"import {write_har(tmp_path / 'in.har', *exchanges)}")
    session.frontend.lines = ["yes", "dataset", "", "secret1"]
    mark = apache.log.mark()
    do(session, "play --fast")
    assert "2 transactions passed." in session.frontend.said
    entries = apache.log.since(mark, 4)
    assert [one.status for one in entries] == [401, 401, 200, 200]
    assert [one.user for one in entries[2:]] == ["EXAMPLE\\alice"] * 2
    assert len({one.connection for one in entries}) == 1
    assert "CAN" not in session.frontend.text
    do(session, "properties --show-negotiation")
    session.frontend.said.clear()
    do(session, "play --fast")
    assert [one.split()[:2] for one in session.frontend.said if "ms" in one] == [
        ["CAN", "401"],
        ["CAN", "401"],
        ["1", "200"],
        ["2", "200"],
    ]


@pytest.mark.promise(93)
@pytest.mark.promise(17)
def test_share_and_proxy_tab(
    session: Console, apache: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One user for all, at the server and at a proxy that wants NTLM, too."""
    assert isinstance(session.frontend, Listener)
    monkeypatch.setenv("ALICE", "secret1")
    page = f"{apache.url('http')}/basic/one/page"
    exchanges = (
        exchange(0, 401, "", 'Basic realm="One"', url=page),
        exchange(1, 200, basic("alice:secret1"), url=page),
    )
    do(session, f"import {write_har(tmp_path / 'in.har', *exchanges)}")
    do(session, "configure")
    do(session, "test-case-configuration --share alice --password-env ALICE")
    do(
        session,
        f"properties --proxy {apache.url('ntlm')} --proxy-username alice --proxy-domain EXAMPLE "
        "--proxy-password-env ALICE --proxy-method ntlm",
    )
    mark = apache.log.mark()
    do(session, "play --fast")
    assert "1 transaction passed." in session.frontend.said
    asked = [(one.port, one.status, one.user) for one in apache.log.since(mark, 6)]
    assert [one for one in asked if one[0] == "http"] == [("http", 401, ""), ("http", 200, "alice")]
    assert [status for port, status, _ in asked if port == "ntlm"] == [407, 407, 401, 200]


def test_recorded_with_nobody_at_the_console(
    session: Console, apache: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program is told that the users are to be configured; Basic that went out unasked does so
    again."""
    assert isinstance(session.frontend, Listener)
    page, said = f"{apache.url('http')}/basic/one/page", list[str]()
    with unheard(), record(session.case_path, say=said.append) as proxy:
        httpx.get(page, auth=("alice", "secret1"), timeout=60, **proxy.httpx).raise_for_status()
    hint = ", recorded as alice: `test-case-configuration` says who the users are."
    assert [one for one in said if one.endswith(hint)]
    open_file(session)
    monkeypatch.setenv("ALICE", "secret1")
    do(session, "test-case-configuration --share alice --password-env ALICE")
    assert session.opened().case.identities == (Identity("alice", "${ALICE}", ahead=True),)
    mark = apache.log.mark()
    do(session, "play --fast")
    assert [(one.status, one.user) for one in apache.log.since(mark, 1)] == [(200, "alice")]
