"""Which scheme is used."""

from __future__ import annotations

import pytest

from pytest_loadtool.auth import (
    METHODS,
    Credentials,
    RequestFacts,
    parse_challenges,
    start,
    supported,
)
from pytest_loadtool.errors import AuthenticationError

ALICE = Credentials("alice", "secret1")
REQUEST = RequestFacts("GET", "/private/report?x=1", "intranet:8080")
DIGEST = 'Digest realm="d", nonce="n", qop="auth"'


@pytest.mark.promise(84)
@pytest.mark.parametrize(
    ("lines", "scheme"),
    [
        (["Negotiate", "NTLM"], "negotiate"),
        (["NTLM", "Negotiate"], "ntlm"),
        (['Negotiate, NTLM, Basic realm="x"'], "negotiate"),
        (['Basic realm="x", NTLM'], "basic"),
        ([DIGEST, 'Basic realm="x"'], "digest"),
        (['Bearer realm="x"', "Kerberos", "NTLM"], "ntlm"),
        (['Digest realm="d", nonce="n", qop="auth-int"', 'Basic realm="x"'], "basic"),
        (['Digest realm="d", nonce="n", algorithm=WHIRLPOOL', DIGEST], "digest"),
    ],
)
def test_the_servers_order_is_its_preference(lines: list[str], scheme: str) -> None:
    """The first that can be answered, in one line or in several."""
    handshake = start(parse_challenges(lines), ALICE, REQUEST)
    assert handshake is not None
    assert handshake.scheme == scheme


@pytest.mark.parametrize(
    ("lines", "method"),
    [
        ([], ""),
        (['Bearer realm="api"'], ""),
        (["Kerberos"], ""),
        (["Negotiate", "NTLM"], "basic"),
    ],
)
def test_what_is_no_http_authentication_is_left_alone(lines: list[str], method: str) -> None:
    """A 401 without a challenge that can be answered is a response like any other."""
    assert start(parse_challenges(lines), ALICE, REQUEST, method) is None


@pytest.mark.parametrize("method", METHODS)
def test_a_method_can_be_chosen(method: str) -> None:
    """Whatever the server likes best."""
    challenges = parse_challenges(["Negotiate", "NTLM", DIGEST, 'Basic realm="x"'])
    handshake = start(challenges, ALICE, REQUEST, method)
    assert handshake is not None
    assert handshake.scheme == method
    assert [one.scheme for one in supported(challenges, method)] == [method]


def test_of_several_reasons_the_first_is_told() -> None:
    """When nothing that is offered can be used, the server's favourite says why."""
    lines = ['Digest realm="d", nonce="n", qop="auth-int"', 'Basic realm="x"']
    with pytest.raises(AuthenticationError, match="auth-int"):
        start(parse_challenges(lines), Credentials("a:b", "x"), REQUEST)
