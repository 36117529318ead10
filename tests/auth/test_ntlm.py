"""NTLM, alone and within Negotiate, with pyspnego's own server as the other side."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
import spnego
from hypothesis import given, settings
from hypothesis import strategies as st
from spnego._ntlm_raw.messages import Authenticate, Negotiate, NegotiateFlags
from spnego.exceptions import SpnegoError

from pytest_loadtool.auth import Credentials, Handshake, RequestFacts, parse_challenges, start
from pytest_loadtool.errors import AuthenticationError

REQUEST = RequestFacts("GET", "/", "intranet:8080")
BOTH = ["Negotiate", "NTLM"]
KERBEROS_OID = bytes.fromhex("2a864886f712010202")


@pytest.fixture(scope="module", autouse=True)
def users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Who may log in."""
    path: Path = tmp_path_factory.mktemp("ntlm") / "users"
    lines = "EXAMPLE:alice:secret1", ":bob:pässwört", "ÖRTLICH:Ünal:пароль✓"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NTLM_USER_FILE", str(path))
        yield


class Server:
    """A connection of a server that wants NTLM, and what it says to a value of Authorization."""

    def __init__(self) -> None:
        self.context = spnego.server(protocol="ntlm", options=spnego.NegotiateOptions.use_ntlm)
        self.tokens: list[bytes] = []

    def asks(self, value: str) -> list[str] | None:
        """Its next challenges; None: the user is in."""
        scheme, _, token = value.partition(" ")
        self.tokens.append(b64decode(token, validate=True))
        try:
            reply = self.context.step(self.tokens[-1])
        except SpnegoError:
            return BOTH
        return [f"{scheme} {b64encode(reply).decode()}"] if reply else None


def begin(credentials: Credentials, offered: list[str], method: str = "") -> Handshake:
    """The handshake of a request that was answered with 401."""
    handshake = start(parse_challenges(offered), credentials, REQUEST, method)
    assert handshake is not None
    return handshake


def log_in(credentials: Credentials, offered: list[str]) -> Server:
    """All of the exchange; the server tells how it ended."""
    server, handshake = Server(), begin(credentials, offered)
    challenges: list[str] | None = offered
    while challenges is not None:
        value = handshake.next(parse_challenges(challenges))
        if value is None:
            break
        challenges = server.asks(value)
    return server


@pytest.mark.promise(75, 76, 88)
@pytest.mark.parametrize("offered", [["NTLM"], ["Negotiate"], BOTH, ["Negotiate, NTLM"]])
@pytest.mark.parametrize(
    ("credentials", "principal"),
    [
        (Credentials("alice", "secret1", "EXAMPLE"), r"EXAMPLE\alice"),
        (Credentials(r"EXAMPLE\alice", "secret1"), r"EXAMPLE\alice"),
        (Credentials("", "secret1", r"EXAMPLE\alice"), r"EXAMPLE\alice"),
        (Credentials("bob", "pässwört"), "bob"),
        (Credentials(r"ÖRTLICH\Ünal", "пароль✓"), r"ÖRTLICH\Ünal"),
    ],
    ids=["domain", "before the name", "with the name", "none", "not ASCII"],
)
def test_the_server_knows_the_user(
    credentials: Credentials, principal: str, offered: list[str]
) -> None:
    """Two tokens and the user is in, twice over: the second time the hash is there already."""
    for _ in range(2):
        server = log_in(credentials, offered)
        assert server.context.complete
        assert server.context.client_principal == principal
        assert len(server.tokens) == 2


@pytest.mark.promise(88)
def test_it_is_ntlm_version_2_with_session_security() -> None:
    """Extended session security, a response longer than version 1 has, and an integrity code."""
    server = log_in(Credentials("alice", "secret1", "EXAMPLE"), ["NTLM"])
    asked = Negotiate.unpack(server.tokens[0])
    sent = Authenticate.unpack(server.tokens[1])
    strong = NegotiateFlags.extended_session_security | NegotiateFlags.key_128
    assert asked.flags & strong == strong
    assert sent.flags & NegotiateFlags.extended_session_security
    assert sent.nt_challenge_response is not None
    assert len(sent.nt_challenge_response) > 24
    assert sent.mic is not None
    assert sent.mic != bytes(16)


@pytest.mark.promise(83, 87)
def test_the_first_token_has_neither_user_nor_body() -> None:
    """It cannot be the end, so a body would cross the network for nothing."""
    server, handshake = Server(), begin(Credentials("alice", "secret1", "EXAMPLE"), BOTH)
    assert handshake.connection_bound
    assert handshake.session is None
    first = handshake.next(parse_challenges(BOTH))
    assert first is not None
    assert not handshake.wants_body
    assert b"alice" not in b64decode(first.split()[1])
    challenges = server.asks(first)
    assert challenges is not None
    assert handshake.next(parse_challenges(challenges)) is not None
    assert handshake.wants_body


@pytest.mark.parametrize("offered", [["NTLM"], BOTH])
@pytest.mark.parametrize(
    "credentials", [Credentials("alice", "wrong", "EXAMPLE"), Credentials("nobody", "x")]
)
def test_wrong_credentials_are_not_sent_again(credentials: Credentials, offered: list[str]) -> None:
    """The server asks anew: that is its no."""
    server = log_in(credentials, offered)
    assert not server.context.complete
    assert len(server.tokens) == 2


def test_a_user_without_a_name_is_nobody_that_the_environment_knows() -> None:
    """Not the first one of the file that it names for servers."""
    with pytest.raises(AuthenticationError, match="needs a user name"):
        begin(Credentials("", "secret1", "EXAMPLE"), BOTH)


def test_each_handshake_has_its_own_challenge() -> None:
    """Nothing of one connection is left in the next, though both are of one user."""
    alice = Credentials("alice", "secret1", "EXAMPLE")
    answers = {log_in(alice, ["NTLM"]).tokens[1] for _ in range(3)}
    assert len(answers) == 3


@pytest.mark.promise(77)
@pytest.mark.parametrize(
    "reply",
    ["Negotiate", f"Negotiate {b64encode(b'a1143012a003' + KERBEROS_OID).decode()}", "Basic"],
)
def test_kerberos_is_refused_by_name(reply: str) -> None:
    """Negotiate that does not end in NTLM: it says so, and what can be done."""
    handshake = begin(Credentials("alice", "secret1"), ["Negotiate"])
    assert handshake.next(parse_challenges(["Negotiate"])) is not None
    with pytest.raises(AuthenticationError, match=r"wants Kerberos, which is not supported; have"):
        handshake.next(parse_challenges([reply]))


def test_a_server_that_offers_ntlm_beside_kerberos() -> None:
    """Its Negotiate is Kerberos alone: then NTLM, which comes next, is tried."""
    handshake = begin(Credentials("alice", "secret1", "EXAMPLE"), BOTH)
    server = Server()
    assert handshake.next(parse_challenges(BOTH)) is not None
    first = handshake.next(parse_challenges(BOTH))
    assert first is not None
    assert first.startswith("NTLM ")
    assert handshake.scheme == "ntlm"
    challenges = server.asks(first)
    assert challenges is not None
    last = handshake.next(parse_challenges(challenges))
    assert last is not None
    assert server.asks(last) is None


def test_a_method_that_was_asked_for_has_no_alternative() -> None:
    """Who wants Negotiate hears that it does not work."""
    handshake = begin(Credentials("alice", "secret1"), BOTH, "negotiate")
    handshake.next(parse_challenges(BOTH))
    with pytest.raises(AuthenticationError, match="Kerberos"):
        handshake.next(parse_challenges(BOTH))


def test_a_connection_that_forgets() -> None:
    """NTLM's first token is answered as if there had been none: something shares connections."""
    handshake = begin(Credentials("alice", "secret1"), ["NTLM"])
    handshake.next(parse_challenges(["NTLM"]))
    with pytest.raises(AuthenticationError, match="closed or shared the connection"):
        handshake.next(parse_challenges(["NTLM"]))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_challenge_that_is_broken(data: st.DataObject) -> None:
    """Whatever the server sends, it is an answer or an error that says so."""
    context = spnego.server(protocol="ntlm", options=spnego.NegotiateOptions.use_ntlm)
    handshake = begin(Credentials("alice", "secret1"), ["NTLM"])
    first = handshake.next(parse_challenges(["NTLM"]))
    assert first is not None
    token = bytearray(context.step(b64decode(first.split()[1])) or b"")
    at = data.draw(st.integers(8, len(token) - 1))
    token[at : data.draw(st.integers(at, len(token)))] = data.draw(st.binary(max_size=8))
    try:
        value = handshake.next(parse_challenges([f"NTLM {b64encode(token).decode()}"]))
    except AuthenticationError as error:
        assert "NTLM challenge is malformed" in str(error)  # noqa: PT017 - or no error
    else:
        assert value is not None


def test_no_token_gets_into_a_log(caplog: pytest.LogCaptureFixture) -> None:
    """A password can be guessed from one: not even with the log level DEBUG for everything."""
    with caplog.at_level("DEBUG"):
        server = log_in(Credentials("alice", "secret1", "EXAMPLE"), ["NTLM"])
    assert server.context.complete
    assert b64encode(server.tokens[1]).decode() not in caplog.text


def test_pyspnego_is_asked_for_nothing_but_ntlm() -> None:
    """Its tokens are NTLM's own, not those of a Kerberos that happens to be installed here."""
    server = log_in(Credentials("bob", "pässwört"), ["Negotiate"])
    assert [token[:12] for token in server.tokens] == [
        b"NTLMSSP\0\1\0\0\0",
        b"NTLMSSP\0\3\0\0\0",
    ]
    assert "NTLM_USER_FILE" in os.environ
