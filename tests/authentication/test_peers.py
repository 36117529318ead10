"""The peers do ask for credentials and do check them, as curl and pyspnego find out."""

from __future__ import annotations

import base64
import http.client
import subprocess

import pytest
import spnego

from tests.authentication.accounts import DOMAIN, USERS
from tests.authentication.apache import PAGE
from tests.authentication.peer import Peer

ALICE, BOB = USERS


def _curl(*arguments: str) -> tuple[str, bool]:
    """The statuses of all responses, with those of tunnels, and whether the page came."""
    command = ["curl", "--silent", "--include", "--max-time", "60", "--noproxy", "", *arguments]
    output = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    statuses = [line.split()[1] for line in output.splitlines() if line.startswith("HTTP/")]
    return " ".join(statuses), output.endswith(PAGE)


def _ntlm(
    port: int, target: str, scheme: str, password: str, *, proxy: bool = False
) -> tuple[list[int], http.client.HTTPConnection]:
    """The statuses of a login as alice, and the connection that it was made on."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    context = spnego.client(
        f"{DOMAIN}\\{ALICE[0]}", password, hostname="127.0.0.1", protocol=scheme.lower(),
        options=spnego.NegotiateOptions.use_ntlm,
    )  # fmt: skip
    credentials = "Proxy-Authorization" if proxy else "Authorization"
    challenge = "Proxy-Authenticate" if proxy else "WWW-Authenticate"
    statuses, token = [], None
    while not context.complete:
        token = context.step(token)
        value = f"{scheme} {base64.b64encode(token or b'').decode()}"
        status, offers = _get(connection, target, {credentials: value}, challenge)
        statuses.append(status)
        token = base64.b64decode(offers[0].split()[1]) if not context.complete else None
    return statuses, connection


def _get(
    connection: http.client.HTTPConnection, target: str, headers: dict[str, str], wanted: str
) -> tuple[int, list[str]]:
    connection.request("GET", target, headers=headers)
    response = connection.getresponse()
    response.read()
    return response.status, response.headers.get_all(wanted, [])


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    ("path", "option", "user", "right"),
    [
        ("/basic/one", "--basic", ALICE, "200"),
        ("/basic/two", "--basic", BOB, "200"),
        ("/digest", "--digest", ALICE, "401 200"),
    ],
)
def test_server(
    apache: Peer, scheme: str, path: str, option: str, user: tuple[str, str], right: str
) -> None:
    """The right password gets the page, a wrong one does not, nor does one for another realm."""
    name, password = user
    authority, url = f"{apache.folder}/ca.pem", f"{apache.url(scheme, scheme)}{path}/page"
    trusted = ("--cacert", authority, option)
    assert _curl(*trusted, "-u", f"{name}:{password}", url) == (right, True)
    assert _curl(*trusted, "-u", f"{name}:wrong", url)[0][-3:] == "401"
    assert _curl(*trusted, "-u", "alice:secret1", url)[1] == (user is ALICE)
    assert _curl(*trusted, url) == ("401", False)


@pytest.mark.parametrize("scheme", ["NTLM", "Negotiate"])
@pytest.mark.parametrize("path", ["/ntlm/page", "/negotiate/page"])
def test_ntlm_server(apache: Peer, path: str, scheme: str) -> None:
    """It is the connection that is logged in."""
    connection = http.client.HTTPConnection("127.0.0.1", apache.ports["http"])
    offers = ["NTLM"] if path == "/ntlm/page" else ["Negotiate", "NTLM"]
    assert _get(connection, path, {}, "WWW-Authenticate") == (401, offers)
    connection.close()
    mark = apache.log.mark()
    statuses, connection = _ntlm(apache.ports["http"], path, scheme, ALICE[1])
    assert statuses == [401, 200]
    assert _get(connection, path, {}, "WWW-Authenticate") == (200, [])
    connection.close()
    statuses, connection = _ntlm(apache.ports["http"], path, scheme, "wrong")
    connection.close()
    assert statuses == [401, 401]
    log = apache.log.since(mark, 5)
    assert [one.user for one in log] == ["", r"EXAMPLE\alice", r"EXAMPLE\alice", "", ""]
    assert len({one.connection for one in log}) == 2


@pytest.mark.parametrize("which", ["apache", "squid"])
@pytest.mark.parametrize("option", ["basic", "digest"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_proxy(
    apache: Peer, which: str, option: str, scheme: str, request: pytest.FixtureRequest
) -> None:
    """Plain and through a tunnel."""
    proxy: Peer = request.getfixturevalue(which)
    url = f"{apache.url(scheme, scheme)}/open/page"
    through = ("--cacert", f"{apache.folder}/ca.pem", f"--proxy-{option}", "-x", proxy.url(option))
    first = "" if option == "basic" else "407 "
    tunnel = "" if scheme == "http" else "200 "
    right = _curl(*through, "-U", f"alice:{ALICE[1]}", url)
    assert right == (f"{first}{tunnel}200", True)
    assert _curl(*through, "-U", "alice:wrong", url)[0][-3:] == "407"


@pytest.mark.parametrize("which", ["apache", "squid"])
@pytest.mark.parametrize("scheme", ["NTLM", "Negotiate"])
def test_ntlm_proxy(apache: Peer, which: str, scheme: str, request: pytest.FixtureRequest) -> None:
    """It is the connection to the proxy that is logged in."""
    proxy: Peer = request.getfixturevalue(which)
    target = f"{apache.url('http')}/open/page"
    for password, expected in ((ALICE[1], [407, 200]), ("wrong", [407, 407])):
        port = proxy.ports[scheme.lower()]
        statuses, connection = _ntlm(port, target, scheme, password, proxy=True)
        connection.close()
        assert statuses == expected


@pytest.mark.parametrize("which", ["apache", "squid"])
def test_who_keeps_a_connection_for_a_client(
    apache: Peer, which: str, request: pytest.FixtureRequest
) -> None:
    """squid does, so a login of NTLM to a server works through it without TLS. Apache does not:
    each request comes to the server on another connection, and the login never ends."""
    proxy: Peer = request.getfixturevalue(which)
    mark = apache.log.mark()
    statuses, connection = _ntlm(
        proxy.ports["none"], f"{apache.url('http')}/ntlm/page", "NTLM", ALICE[1]
    )
    connection.close()
    assert statuses == [401, 200 if which == "squid" else 401]
    at_server = [
        one.connection
        for one in apache.log.since(mark, 2 if which == "squid" else 4)
        if one.port == "http"
    ]
    assert len(set(at_server)) == (1 if which == "squid" else 2)


def test_a_body_comes_back(apache: Peer) -> None:
    """Of any size, through a login too."""
    url = f"{apache.url('http')}/digest/echo"
    output = subprocess.check_output(
        ["curl", "-s", "--digest", "-u", f"alice:{ALICE[1]}", "--data-binary", "@-", url],
        input=b"x" * 300_000,
    )
    assert output == b"x" * 300_000
