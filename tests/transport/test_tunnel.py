"""Proxies that do not open the tunnel: what a request through them fails with."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Event

import pytest

from pytest_loadtool.model.authentication import Proxy
from pytest_loadtool.model.case import Recorded, Request, Transaction
from pytest_loadtool.model.result import Failure
from tests.observed import replay
from tests.ports import free_ports
from tests.transport.peer import Peer, Script, answering, peer, read_request, resetting

pytestmark = pytest.mark.parametrize("transport", ["raw", "httpx"])

BEHIND = "https://shop.example"

#: Somebody, in a URL as it may come from a command line.
SOMEBODY = "alice:secret1@"

BASIC = b'Proxy-Authenticate: Basic realm="Proxy"\r\n'
DIGEST = b'Proxy-Authenticate: Digest realm="Proxy", nonce="1", stale=true\r\n'
NTLM = b"Proxy-Authenticate: NTLM\r\n"
NTLM_CHALLENGE = (
    b"TlRMTVNTUAACAAAADgAOADAAAAAFAoqgASNFZ4mrze8AAAAAAAAAACQAJAA+AAAARQBYAEEATQBQAEwA"
    b"RQACAA4ARQBYAEEATQBQAEwARQABAAoAUABSAE8AWABZAAAAAAA="
)


def refusal(*headers: bytes, body: bytes = b"no") -> bytes:
    """A 407 after which the connection stays."""
    length = b"Content-Length: %d\r\n\r\n" % len(body)
    return b"HTTP/1.1 407 Who?\r\n" + b"".join(headers) + length + body


def failure(
    transport: str, proxy: Peer, somebody: str = "", method: str = "", timeout: float = 20.0
) -> Failure:
    """What a request to a server behind ``proxy`` fails with; the message without its beginning,
    which names the proxy and no more."""
    url = proxy.url.replace("://", f"://{somebody}")
    settings = Proxy(url, method=method)  # type: ignore[arg-type]  # a text for the literal
    found = replay(BEHIND, "/", proxy=settings, timeout=timeout, transport=transport)
    [[failed]] = found.failures
    assert found.responses[0].status == 0
    assert "secret1" not in failed.message
    return Failure(failed.cause, failed.message.removeprefix(f"proxy {proxy.url}: "))


CONSENT = b"HTTP/1.1 200 Go on\r\n\r\n"
CUT = Failure("reset", "connection closed while a tunnel was being opened")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (answering(b""), CUT),
        (resetting(), CUT),
        (resetting(b"HTTP/1.1 200"), CUT),
        (answering(b"HTTP/1.1 407 Who?\r\nContent-Length: 9\r\n\r\nno"), CUT),
        (
            answering(b"HTTP/1.1 502 Bad Gateway\r\n\r\nwhatever"),
            Failure(
                "connect",
                "no tunnel to shop.example:443: 502 Bad Gateway: it could not reach the server",
            ),
        ),
        (
            answering(b"HTTP/1.1 418\r\n\r\n"),
            Failure("connect", "no tunnel to shop.example:443: 418"),
        ),
        (
            answering(b"HTTP/1.1 302 Found\r\nLocation: http://x\r\n\r\n"),
            Failure("connect", "no tunnel to shop.example:443: 302 Found"),
        ),
        (
            answering(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000),
            Failure("protocol", "not HTTP: the head is longer than 256 KB"),
        ),
        (answering(b"SSH-2.0-x\r\n"), Failure("protocol", "not HTTP: no HTTP/1 status line")),
        (
            answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
            Failure("protocol", "not HTTP: something follows the proxy's consent"),
        ),
        (
            answering(refusal()),
            Failure("auth", "it answers 407, but does not say what it wants to know"),
        ),
        (
            answering(refusal(BASIC, NTLM)),
            Failure(
                "auth",
                "it wants to know who asks (Basic, NTLM): set username and password in [proxy] of "
                "the test case",
            ),
        ),
    ],
)
def test_without_credentials(script: Script, expected: Failure, transport: str) -> None:
    """The message names the proxy, and is the same for all users."""
    with peer(script) as proxy:
        assert failure(transport, proxy) == expected
        assert proxy.connections == 1


@pytest.mark.parametrize(
    ("script", "method", "expected"),
    [
        (
            answering(refusal(BASIC), refusal(BASIC)),
            "",
            "wrong user name or password: it refuses the user in the URL of the proxy (Basic)",
        ),
        (
            answering(refusal(b"Proxy-Authenticate: Bearer\r\n")),
            "",
            "it offers Bearer, which is not supported",
        ),
        (
            answering(refusal(BASIC, NTLM)),
            "digest",
            "it offers Basic, NTLM, and method in [proxy] allows Digest only",
        ),
        (
            answering(
                refusal(NTLM),
                b"HTTP/1.1 407 Who?\r\nConnection: close\r\nContent-Length: 0\r\n"
                b"Proxy-Authenticate: NTLM " + NTLM_CHALLENGE + b"\r\n\r\n",
            ),
            "",
            "it closes the connection in the middle of a handshake that belongs to it (NTLM): are "
            "persistent connections switched off there?",
        ),
    ],
)
def test_with_credentials(script: Script, method: str, expected: str, transport: str) -> None:
    """They are not shown, and the proxy is not asked again and again."""
    with peer(script) as proxy:
        assert failure(transport, proxy, SOMEBODY, method) == Failure("auth", expected)
        assert proxy.connections == 1


def test_a_proxy_that_is_never_content(transport: str) -> None:
    """It ends: here each nonce is stale as soon as it is used."""
    with peer(answering(*[refusal(DIGEST)] * 50)) as proxy:
        assert failure(transport, proxy, SOMEBODY).cause == "auth"


def test_nobody_listens(transport: str) -> None:
    """That it is the proxy which is not there is what counts."""
    [port] = free_ports(1)
    proxy = Proxy(f"http://127.0.0.1:{port}")
    [[failed]] = replay(BEHIND, "/", proxy=proxy, transport=transport).failures
    assert failed == Failure(
        "connect",
        f"proxy http://127.0.0.1:{port}: connection refused: is the server running?",
    )
    [[failed]] = replay("http://shop.example", "/", proxy=proxy, transport=transport).failures
    assert failed.message.startswith(f"proxy http://127.0.0.1:{port}: connection refused")


def late(transport: str, script: Callable[[Event, socket.socket], None]) -> Failure:
    """What a request fails with when the proxy comes so far in ``script`` that it sets the event,
    and no farther. A busy machine may need longer to get there."""
    for timeout in (0.3, 3, 30):
        there = Event()
        with peer(partial(script, there)) as proxy:
            found = failure(transport, proxy, timeout=timeout)
        if there.is_set():
            return found
    raise AssertionError("it never came so far")


def test_it_never_answers(transport: str) -> None:
    """That takes as long as connecting may take, and is called by its name."""

    def script(there: Event, connection: socket.socket) -> None:
        read_request(connection)
        there.set()
        connection.recv(1)

    found = late(transport, script)
    what = {"raw": "no tunnel through the proxy", "httpx": "no connection"}
    assert found == Failure("timeout", f"{what[transport]} in time")


def test_it_leads_to_somebody_who_does_not_speak_tls(transport: str) -> None:
    """Then the failure is that of the server, not the proxy's."""

    def saying(answer: bytes, connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(CONSENT)
        connection.recv(1)  # the hello begins
        connection.sendall(answer)
        # Closing while anything is unread is a reset, which may overtake the answer.
        connection.shutdown(socket.SHUT_WR)
        with suppress(ConnectionError):
            while connection.recv(65536):
                pass

    with peer(partial(saying, b"HTTP/1.1 400 Bad Request\r\n\r\n")) as proxy:
        assert failure(transport, proxy) == Failure(
            "tls",
            "TLS handshake failed: WRONG_VERSION_NUMBER: does the server speak TLS on this port?",
        )
    with peer(partial(saying, b"")) as proxy:
        found = failure(transport, proxy)
    assert found.cause == "tls"
    assert found.message.startswith("TLS handshake failed: ")


def test_it_says_nothing_after_its_consent(transport: str) -> None:
    """It is the handshake that is late then."""

    def script(there: Event, connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(CONSENT)
        while connection.recv(65536):
            there.set()

    what = {"raw": "no TLS handshake", "httpx": "no connection"}
    assert late(transport, script) == Failure("timeout", f"{what[transport]} in time")


def asked_of(transport: str, *scripts: tuple[bytes, ...]) -> tuple[list[list[str]], Failure]:
    """What a proxy was asked, connection by connection, that answers with ``scripts``: of each
    CONNECT the scheme of its credentials, or nothing."""
    asked: list[list[bytes]] = [[] for _ in scripts]

    def talking(number: int) -> Script:
        def script(connection: socket.socket) -> None:
            for answer in scripts[number]:
                asked[number].append(read_request(connection))
                connection.sendall(answer)
                if answer is CONSENT:  # then it is TLS that is cut, and not the tunnel
                    connection.recv(65536)

        return script

    with peer(*map(talking, range(len(scripts)))) as proxy:
        failed = failure(transport, proxy, SOMEBODY)
        assert proxy.connections == len(scripts)
    return [[_scheme(request) for request in one] for one in asked], failed


def _scheme(request: bytes) -> str:
    line, host, *others, _, _ = request.decode().split("\r\n")
    assert (line, host) == ("CONNECT shop.example:443 HTTP/1.1", "Host: shop.example:443")
    return "".join(others).removeprefix("Proxy-Authorization: ").partition(" ")[0]


@pytest.mark.parametrize(
    "first",
    [
        b"HTTP/1.1 407 Who?\r\nConnection: close\r\n%bContent-Length: 2\r\n\r\nno",
        b"HTTP/1.1 407 Who?\r\n%b\r\nwithout a length",
        b"HTTP/1.0 407 Who?\r\n%bContent-Length: 2\r\n\r\nno",
        b"HTTP/1.1 407 Who?\r\n%bContent-Length: 2\r\n\r\nno",  # and closes all the same
        b"HTTP/1.1 407 Who?\r\n%bContent-Length: 99999999\r\n\r\n" + bytes(100_000),
    ],
)
@pytest.mark.parametrize(
    ("challenge", "scheme"), [(BASIC, "Basic"), (DIGEST, "Digest"), (NTLM, "NTLM")]
)
def test_a_proxy_that_closes_after_its_challenge(
    first: bytes, challenge: bytes, scheme: str, transport: str
) -> None:
    """The handshake goes on over a new connection. Of NTLM nothing has been said by then that would
    belong to the old one."""
    asked, failed = asked_of(transport, (first % challenge,), (CONSENT,))
    assert asked == [[""], [scheme]]
    assert failed.cause == "tls"


def test_a_connection_that_stays_is_used(transport: str) -> None:
    """All challenges on one connection."""
    stale = DIGEST.replace(b'"1"', b'"2"')
    asked, failed = asked_of(transport, (refusal(DIGEST), refusal(stale), CONSENT))
    assert asked == [["", "Digest", "Digest"]]
    assert failed.cause == "tls"


def test_what_goes_ahead_and_is_refused(transport: str) -> None:
    """Credentials that served the tunnel before are not sent a second time."""
    asked: list[list[str]] = []

    def script(connection: socket.socket) -> None:
        mine: list[str] = []
        asked.append(mine)
        answers = [refusal(BASIC), CONSENT] if len(asked) == 1 else [refusal(BASIC)] * 3
        for answer in answers:
            request = read_request(connection)
            if not request:
                return
            mine.append(request.decode().partition("Proxy-Authorization: ")[2].partition(" ")[0])
            connection.sendall(answer)
        connection.recv(65536)

    with peer(script) as proxy:
        url = proxy.url.replace("://", f"://{SOMEBODY}")
        hosts = [f"https://{name}.example/" for name in ("one", "two")]
        found = replay(BEHIND, *hosts, proxy=Proxy(url), transport=transport)
    assert asked == [["", "Basic"], ["Basic"]]
    [[tunnelled], refused] = found.failures
    assert tunnelled.cause == "tls"
    why = "wrong user name or password: it refuses the user in the URL of the proxy (Basic)"
    assert refused == (Failure("auth", f"proxy {proxy.url}: {why}"),)


def test_who_waits_goes_on_when_the_first_is_cut(transport: str) -> None:
    """Of two tunnels at once one tries the credentials. When it gets no answer, on a new connection
    either, the other one does."""
    tries: list[bytes] = []

    def script(connection: socket.socket) -> None:
        while request := read_request(connection):
            if b"Proxy-Authorization: Basic" not in request:
                connection.sendall(refusal(BASIC))
                continue
            tries.append(request)
            if len(tries) < 3:
                return
            connection.sendall(CONSENT)
            connection.recv(65536)
            return

    both = [
        Transaction(Request("GET", f"/{number}"), recorded=Recorded(200, took=1.0))
        for number in range(2)
    ]
    with peer(script) as proxy:
        url = proxy.url.replace("://", f"://{SOMEBODY}")
        found = replay(BEHIND, *both, proxy=Proxy(url), transport=transport)
        assert proxy.connections == 3
    assert len(tries) == 3
    assert [failed.cause for (failed,) in found.failures] == ["reset", "tls"]


def test_cookies_keep_to_their_paths(transport: str) -> None:
    """A cookie without a path is for that of the request, not of the request line."""
    asked: list[bytes] = []

    def script(connection: socket.socket) -> None:
        while request := read_request(connection):
            asked.append(request)
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 2\r\n\r\nhi"
                if b"/shop/login?" in request
                else b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
            )

    with peer(script) as proxy:
        replay(
            "http://shop.example",
            *("/shop/login?next=/x/y", "/shop/cart", "/other"),
            proxy=Proxy(proxy.url),
            transport=transport,
        )
    assert [one.split(b" ")[1] for one in asked] == [
        b"http://shop.example/shop/login?next=/x/y",
        b"http://shop.example/shop/cart",
        b"http://shop.example/other",
    ]
    assert [b"\r\nCookie: a=1\r\n" in one for one in asked] == [False, True, False]
