"""Digest authentication: the examples of the standards, and another implementation as judge."""

from __future__ import annotations

import hashlib
import re

import httpx
import pytest

from pytest_loadtool.auth import (
    Challenge,
    Credentials,
    HandshakeState,
    RequestFacts,
    parse_challenges,
    start,
)
from pytest_loadtool.auth.digest import DigestHandshake
from pytest_loadtool.errors import AuthenticationError

REQUEST = RequestFacts("GET", "/dir/index.html", "www.nowhere.org")
MUFASA = Credentials("Mufasa", "Circle of Life")

RFC_2069 = (
    'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", '
    'opaque="5ccc069c403ebaf9f0171e9517f40e41"'
)
RFC_2617 = f'{RFC_2069}, qop="auth,auth-int"'
RFC_7616 = (
    'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm={}, '
    'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", '
    'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
)
RFC_7616_CNONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
RFC_7616_WIDE = (
    'Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, '
    'nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", '
    'opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true'
)


def handshake(
    challenge: str,
    credentials: Credentials = MUFASA,
    request: RequestFacts = REQUEST,
    cnonce: str = "c",
) -> DigestHandshake:
    """The handshake for a challenge, with a client nonce that is no secret."""
    (parsed,) = parse_challenges([challenge])
    return DigestHandshake(parsed, credentials, request, lambda: cnonce)


def answer(shake: DigestHandshake, *challenges: str) -> Challenge:
    """The next value, taken apart: it is written as challenges are."""
    value = shake.next(parse_challenges(challenges))
    assert value is not None
    (parsed,) = parse_challenges([value])
    return parsed


@pytest.mark.promise(74)
@pytest.mark.parametrize(
    ("challenge", "password", "cnonce", "response"),
    [
        # §2.4, with the response that erratum 749 gives
        (RFC_2069, "CircleOfLife", "", "1949323746fe6a43ef61f9606e7febea"),
        (RFC_2617, "Circle Of Life", "0a4f113b", "6629fae49393a05397450978507c4ef1"),  # §3.5
        (
            RFC_7616.format("MD5"),  # §3.9.1
            "Circle of Life",
            RFC_7616_CNONCE,
            "8ca523f5e9506fed4657c9700eebdbec",
        ),
        (
            RFC_7616.format("SHA-256"),
            "Circle of Life",
            RFC_7616_CNONCE,
            "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
        ),
    ],
    ids=["RFC 2069", "RFC 2617", "RFC 7616 MD5", "RFC 7616 SHA-256"],
)
def test_the_examples_of_the_standards(
    challenge: str, password: str, cnonce: str, response: str
) -> None:
    """The password proves itself, and is not sent."""
    shake = handshake(challenge, Credentials("Mufasa", password), cnonce=cnonce)
    sent = answer(shake, challenge)
    (given,) = parse_challenges([challenge])
    expected = {
        "username": "Mufasa",
        "uri": "/dir/index.html",
        "response": response,
        **{name: value for name, value in given.parameters.items() if name != "qop"},
    }
    if cnonce:
        expected |= {"qop": "auth", "nc": "00000001", "cnonce": cnonce}
    assert sent.scheme == "digest"
    assert sent.parameters == expected


def test_a_name_that_is_not_ascii_hashed() -> None:
    """RFC 7616 §3.9.2, with the values of erratum 4897."""
    jason, request = (
        Credentials("Jäsøn Doe", "Secret, or not?"),
        RequestFacts("GET", "/doe.json", "h"),
    )
    cnonce = "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"
    sent = answer(handshake(RFC_7616_WIDE, jason, request, cnonce), RFC_7616_WIDE).parameters
    assert sent["response"] == "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"
    assert sent["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"
    assert sent["userhash"] == "true"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (", charset=UTF-8", "username*=UTF-8''J%C3%A4s%C3%B8n, "),
        ("", 'username="J\xc3\xa4s\xc3\xb8n", '),  # the octets of UTF-8, one character each
    ],
)
def test_a_name_that_is_not_ascii(more: str, expected: str) -> None:
    """As an extended value where the server knows them, else as browsers send it."""
    challenge = f'Digest realm="x", nonce="n", qop=auth{more}'
    value = handshake(challenge, Credentials("Jäsøn", "x")).next(parse_challenges([challenge]))
    assert value is not None
    assert value.startswith(f"Digest {expected}")


@pytest.mark.parametrize("algorithm", ["MD5", "SHA-256", "MD5-sess", "SHA-256-sess"])
@pytest.mark.parametrize("user", ["alice", r"EXAMPLE\alice"])
def test_another_implementation_says_the_same(algorithm: str, user: str) -> None:
    """httpx computes the same response from the same nonces, the -sess algorithms included."""
    challenge = f'Digest realm="a b", nonce="n/=", qop="auth", algorithm={algorithm}, opaque="o"'
    flow = httpx.DigestAuth(user, "secret1").auth_flow(httpx.Request("GET", "http://h/p?q=1"))
    request = next(flow)
    authenticate = {"WWW-Authenticate": challenge}
    theirs = flow.send(httpx.Response(401, headers=authenticate, request=request)).headers
    (expected,) = parse_challenges([theirs["authorization"]])
    request_facts = RequestFacts("GET", "/p?q=1", "h")
    cnonce = expected.parameters["cnonce"]
    ours = answer(
        handshake(challenge, Credentials(user, "secret1"), request_facts, cnonce), challenge
    )
    differing = {"username"} if "\\" in user else set()  # theirs is not escaped, so not readable
    assert {name: value for name, value in ours.parameters.items() if name not in differing} == {
        name: value for name, value in expected.parameters.items() if name not in differing
    }
    assert ours.parameters["username"] == user


def session_of(challenge: str) -> HandshakeState:
    """What is left when the challenge was answered."""
    shake = handshake(challenge)
    answer(shake, challenge)
    return shake.session


def test_the_nonce_is_used_again_and_its_uses_counted() -> None:
    """Later requests of the realm carry credentials without being asked (RFC 7616 §3.4)."""
    session = session_of(RFC_2617)
    later = RequestFacts("POST", "/dir/other?a=b", REQUEST.host)
    (sent,) = parse_challenges([session.header(later)])
    (again,) = parse_challenges([session.header(later)])
    assert [one.parameters["nc"] for one in (sent, again)] == ["00000002", "00000003"]
    assert sent.parameters["uri"] == "/dir/other?a=b"
    assert sent.parameters["response"] != again.parameters["response"]


def test_a_server_of_rfc_2069_gets_no_count() -> None:
    """Without qop there is neither count nor client nonce."""
    session = session_of(RFC_2069)
    (sent,) = parse_challenges([session.header(REQUEST)])
    assert sent.parameters.keys().isdisjoint({"nc", "cnonce", "qop"})


def test_a_stale_nonce_is_replaced() -> None:
    """The same credentials, the new nonce, the count from one (RFC 7616 §3.3)."""
    shake = handshake(RFC_2617)
    first = answer(shake, RFC_2617)
    renewed = RFC_2617.replace("dcd98b", "new") + ", stale=TRUE"
    second = answer(shake, renewed)
    assert second.parameters["nonce"] == first.parameters["nonce"].replace("dcd98b", "new")
    assert second.parameters["nc"] == "00000001"
    (sent,) = parse_challenges([shake.session.header(REQUEST)])
    assert (sent.parameters["nonce"], sent.parameters["nc"]) == (
        second.parameters["nonce"],
        "00000002",
    )


@pytest.mark.parametrize("again", [RFC_2617, 'Digest realm="other", nonce="n", stale=true', "NTLM"])
def test_wrong_credentials_are_not_sent_again(again: str) -> None:
    """A fresh challenge that does not call the nonce stale, or is another realm's."""
    shake = handshake(RFC_2617)
    answer(shake, RFC_2617)
    assert shake.next(parse_challenges([again])) is None


def test_a_server_for_which_every_nonce_is_stale() -> None:
    """It is not asked for ever, and nobody calls the password wrong."""
    shake = handshake(RFC_2617)
    stale = parse_challenges([f"{RFC_2617}, stale=true"])
    for _ in range(3):
        assert shake.next(stale)
    with pytest.raises(AuthenticationError, match=r"gave out 3 nonces .* called each"):
        shake.next(stale)


@pytest.mark.parametrize("algorithm", ["MD5", "MD5-sess"])
def test_the_nonce_that_the_server_wants_next(algorithm: str) -> None:
    """Its count is from one (RFC 7616 §3.5); the key of a session stays that of its challenge, as
    a server has it that made the key once."""
    session = session_of(f"{RFC_2617}, algorithm={algorithm}")
    (first,) = parse_challenges([session.header(REQUEST)])
    session.renew(['rspauth="0", qop=auth, nc=00000002', 'nextnonce="another one"'])
    (sent,) = parse_challenges([session.header(REQUEST)])
    given = sent.parameters
    assert (given["nonce"], given["nc"]) == ("another one", "00000001")
    assert given["cnonce"] == first.parameters["cnonce"]
    key = _md5(f"{MUFASA.username}:testrealm@host.com:{MUFASA.password}")
    if algorithm == "MD5-sess":
        key = _md5(f"{key}:{first.parameters['nonce']}:{first.parameters['cnonce']}")
    asked = _md5(f"GET:{REQUEST.target}")
    expected = _md5(f"{key}:another one:00000001:{given['cnonce']}:auth:{asked}")
    assert given["response"] == expected
    session.renew(["qop=auth"])
    (again,) = parse_challenges([session.header(REQUEST)])
    assert again.parameters["nc"] == "00000002"


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


@pytest.mark.parametrize(
    ("domain", "prefixes"),
    [
        ("", ("/",)),
        (', domain="/private/ /reports"', ("/private/", "/reports")),
        (', domain="http://WWW.nowhere.org/a http://elsewhere.org/b"', ("/a",)),
        (', domain="http://elsewhere.org/"', ("/",)),
        (', domain="http://[x /a"', ("/a",)),
        (', domain="http://[x"', ("/",)),
    ],
)
def test_what_is_protected(domain: str, prefixes: tuple[str, ...]) -> None:
    """The whole host, or what the challenge names of it; never another host."""
    assert handshake(RFC_2617 + domain).session.prefixes == prefixes


@pytest.mark.parametrize(
    ("challenge", "complaint"),
    [
        ('Digest realm="x", nonce="n", qop="auth-int"', r"qop=auth-int, which is not supported"),
        ('Digest realm="x", nonce="n", algorithm=TIGER', r"algorithm TIGER, which is not supp"),
        ('Digest realm="x", nonce="n", algorithm=MD5-session', r"algorithm MD5-session"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(challenge: str, complaint: str) -> None:
    """And it says what the server may offer instead."""
    with pytest.raises(AuthenticationError, match=complaint):
        start(parse_challenges([challenge]), MUFASA, REQUEST)


def test_client_nonces_differ() -> None:
    """Nobody can guess one from another."""
    (challenge,) = parse_challenges([RFC_2617])
    sent = [DigestHandshake(challenge, MUFASA, REQUEST).next(()) for _ in range(2)]
    nonces = {re.findall(r'cnonce="([0-9a-f]{32})"', value or "")[0] for value in sent}
    assert len(nonces) == 2
