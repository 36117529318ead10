"""The Properties: negotiation in the tree, the User Identity tab, the Proxy tab."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.model.authentication import Proxy
from tests.auth.negotiated import BASIC, basic, exchange
from tests.console.listener import Listener, do
from tests.console.negotiated import with_ntlm
from tests.console.traffic import write_har

CONFIGURE = "test-case-configuration --share alice --password-env ALICE"
NEGOTIATION = ["  CAN  GET  401  asks for Negotiate or NTLM", "  CAN  GET  401  asks for NTLM"]


@pytest.fixture
def recorded(session: Console, listener: Listener, tmp_path: Path) -> Console:
    """A console after a recording with NTLM."""
    do(session, f"import {write_har(tmp_path / 'in.har', *with_ntlm(tmp_path))}")
    listener.said.clear()
    return session


def said(session: Console, line: str) -> list[str]:
    """What a command says."""
    assert isinstance(session.frontend, Listener)
    session.frontend.said.clear()
    do(session, line)
    return list(session.frontend.said)


@pytest.mark.promise(16)
@pytest.mark.promise(23)
@pytest.mark.promise(61)
@pytest.mark.promise(91)
def test_negotiation_in_the_tree(recorded: Console) -> None:
    """It is there until authentication is configured, and then again where it is wanted."""
    assert said(recorded, "tree")[2:4] == NEGOTIATION
    do(recorded, CONFIGURE)
    assert "401" not in "\n".join(said(recorded, "tree"))
    assert "  Show connection negotiation transactions: no" in said(recorded, "properties")
    shown = said(recorded, "properties --show-negotiation")
    assert "  Show connection negotiation transactions: yes" in shown
    assert [one for one in said(recorded, "tree") if "CAN" in one] == NEGOTIATION
    do(recorded, "properties --hide-negotiation")
    assert "401" not in "\n".join(said(recorded, "tree"))
    do(recorded, "undo")
    assert [one for one in said(recorded, "tree") if "CAN" in one] == NEGOTIATION


def test_proxy_of_the_command_line(recorded: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the place of the test case's own in a replay, and is not in the test case."""
    monkeypatch.setenv("ALICE", "secret1")
    do(recorded, CONFIGURE)
    do(recorded, "configure")
    do(recorded, "properties --proxy http://proxy.test:3128")
    recorded.settings = replace(recorded.settings, proxy="http://127.0.0.1:9")
    with pytest.raises(CommandError, match="failed"):
        do(recorded, "play --fast")
    assert isinstance(recorded.frontend, Listener)
    assert "proxy http://127.0.0.1:9: connection refused" in recorded.frontend.text
    assert recorded.opened().case.proxy == Proxy("http://proxy.test:3128")


@pytest.mark.promise(19)
def test_folder_in_the_tree(recorded: Console) -> None:
    """Authentication, from the moment that it is configured."""
    assert "Authentication" not in "\n".join(said(recorded, "tree"))
    do(recorded, CONFIGURE)
    lines = said(recorded, "tree")
    assert lines[1:3] == [
        "▾ Authentication",
        "       shop.test: alice, password from the environment variable ALICE, domain EXAMPLE",
    ]
    assert said(recorded, "tree --collapse-all")[1] == "▸ Authentication"


@pytest.mark.promise(62)
def test_headers_view_has_the_negotiation(recorded: Console) -> None:
    """Before it is configured and after, whatever the Properties say."""
    for _ in range(2):
        lines = said(recorded, "show 1")
        first = lines.index("Connection authentication negotiation, 1 of 2:")
        assert lines[first + 1] == "    GET http://shop.test/ HTTP/1.1"
        assert "    WWW-Authenticate: Negotiate" in lines[first:]
        second = lines.index("Connection authentication negotiation, 2 of 2:")
        assert any(one.startswith("    Authorization: NTLM Tl") for one in lines[second:])
        assert any(one.startswith("Authorization: NTLM Tl") for one in lines[second:])
        assert not any("negotiation" in one for one in said(recorded, "show 2"))
        do(recorded, CONFIGURE)


def test_authorization_in_the_fields_view(recorded: Console) -> None:
    """Its datasource is the user identity; no text takes its place."""
    assert said(recorded, "fields 1")[1:] == [
        "HEADERS",
        "  Authorization  Server authentication header  NTLM (not configured)",
    ]
    do(recorded, CONFIGURE)
    line = "# Authorization  Server authentication header  NTLM alice"
    assert said(recorded, "fields 1")[2] == line
    assert isinstance(recorded.frontend, Listener)
    assert recorded.frontend.gray == [line]
    with pytest.raises(CommandError, match="no text of the test case: the user identity sends it"):
        do(recorded, "set-field 1 Authorization --constant x")


@pytest.mark.promise(18)
@pytest.mark.promise(59)
def test_user_identity_tab(recorded: Console, listener: Listener, tmp_path: Path) -> None:
    """It tells who the virtual users are, and leads to the wizard."""
    shown = said(recorded, "properties")
    assert shown[shown.index("User Identity") + 1] == "  not configured: `user-identity` does"
    listener.lines = ["yes", "dataset", "", "secret1"]
    shown = said(recorded, "properties --user-identity")
    assert shown[shown.index("User Identity") + 1] == (
        "  shop.test: a row of users.csv for each virtual user"
    )
    assert (tmp_path / "users.csv").exists()


@pytest.mark.promise(17)
def test_proxy_tab(recorded: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    """User name, password (which is elsewhere), domain and method; saved and taken away again."""
    monkeypatch.setenv("PROXY_PASSWORD", "p")
    shown = said(
        recorded,
        "properties --proxy http://127.0.0.1:3128 --proxy-username bob "
        "--proxy-password-env PROXY_PASSWORD --proxy-domain EXAMPLE --proxy-method NTLM",
    )
    assert shown[shown.index("Proxy") + 1 :] == [
        "  url: http://127.0.0.1:3128",
        "  user: bob, password from the environment variable PROXY_PASSWORD, domain EXAMPLE",
        "  method: ntlm",
    ]
    proxy = Proxy("http://127.0.0.1:3128", "bob", "${PROXY_PASSWORD}", "EXAMPLE", "ntlm")
    assert recorded.opened().case.proxy == proxy
    do(recorded, "save")
    assert read_case(recorded.case_path).proxy == proxy
    do(recorded, "properties --proxy http://127.0.0.1:3129 --proxy-method digest")
    changed = Proxy("http://127.0.0.1:3129", "bob", "${PROXY_PASSWORD}", "EXAMPLE", "digest")
    assert recorded.opened().case.proxy == changed
    do(recorded, "properties --no-proxy")
    assert recorded.opened().case.proxy is None
    assert recorded.opened().case.variables == {}
    do(recorded, "undo")
    assert recorded.opened().case.proxy == changed


def test_proxy_in_a_recording(session: Console, listener: Listener, tmp_path: Path) -> None:
    """Where it belongs is said; its credentials are no server's."""
    asked = exchange(0, 407, "", BASIC)
    answered = exchange(1, 200, basic("bob:p"), proxy="yes")
    do(session, f"import {write_har(tmp_path / 'proxied.har', asked, answered)}")
    assert "  Basic at a proxy, recorded as bob: `properties --proxy URL` is" in listener.text
    assert "test-case-configuration" not in listener.text
    assert "bob:p" not in listener.text


def test_each_user_has_a_row_for_the_proxy(recorded: Console, tmp_path: Path) -> None:
    """As for servers."""
    (tmp_path / "proxy.csv").write_text("username,password\nann,a\nben,b\n")
    do(recorded, f"properties --proxy http://p:1 --proxy-dataset {tmp_path}/proxy.csv")
    assert recorded.opened().case.proxy == Proxy(
        "http://p:1", "${users.username}", "${users.password}"
    )
    shown = said(recorded, "properties")
    assert "  user: a row of proxy.csv for each virtual user" in shown
    assert "  method: what the proxy prefers" in shown


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ("--show-negotiation --hide-negotiation", "exclude each other"),
        ("--no-proxy --proxy http://p:1", "--no-proxy excludes"),
        ("--proxy-method ntlm", "there is no proxy yet: give --proxy URL"),
        ("--proxy-username bob --proxy-password-env P", "there is no proxy yet"),
        ("--proxy http://p:1 --proxy-method kerberos", "must be one of basic, digest, ntlm"),
        ("--proxy http://p:1 --proxy-username bob", "give the place of the password of bob"),
        ("--proxy http://p:1 --proxy-method ntlm", "means nothing without a user"),
        ("--proxy http://ann:secret@p:1", "proxy.url: leave out the user and the password"),
        ("--proxy nowhere", "expected a base URL"),
    ],
)
def test_what_cannot_be(recorded: Console, options: str, wrong: str) -> None:
    """It is said, nothing is changed, and no password is shown."""
    before = recorded.document
    with pytest.raises((UsageError, CommandError), match=wrong) as caught:
        do(recorded, f"properties {options}")
    assert "secret" not in str(caught.value)
    assert recorded.document == before
