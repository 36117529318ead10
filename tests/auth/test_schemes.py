"""Which scheme is used."""

from __future__ import annotations

import pytest

from pytest_loadtool.auth import Credentials, RequestFacts, parse_challenges, start

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
