"""What proves a password leaves the evidence; who it was stays."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest
import spnego

from pytest_loadtool.auth.negotiation import negotiations
from pytest_loadtool.auth.recorded import recorded_identities
from pytest_loadtool.masking.case import masked
from pytest_loadtool.masking.signatures import without_proof
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from tests.auth.negotiated import ASKS, basic, exchange, ntlm_tokens

KEY = bytes(range(32))
DIGEST = (
    'Digest username="alice", realm="shop", nonce="n1", uri="/", qop=auth, nc=00000001, '
    'cnonce="0a4f113b", response="6629fae49393a05397450978507c4ef1"'
)


def without_secrets(*exchanges: Exchange) -> tuple[Exchange, ...]:
    """The evidence of a test case that holds none."""
    return masked(TestCase("shop", ()), exchanges, (), KEY)[1]


def sent(exchange: Exchange) -> str:
    return exchange.request_header("authorization") or ""


@pytest.mark.parametrize("scheme", ["NTLM", "Negotiate"])
def test_ntlm(scheme: str, tmp_path: Path) -> None:
    """Responses, session key and codes are blank; the messages still tell whose they are."""
    one, two, three = ntlm_tokens(tmp_path, "EXAMPLE", "alice", "secret1")
    recorded = (
        exchange(0, 401, "", *ASKS),
        exchange(1, 401, f"{scheme} {one}", f"{scheme} {two}"),
        exchange(2, 200, f"{scheme} {three}"),
    )
    clean = without_secrets(*recorded)
    assert negotiations(clean) == negotiations(recorded)
    assert recorded_identities(clean) == recorded_identities(recorded)
    assert clean[:2] == recorded[:2]
    message = base64.b64decode(sent(clean[2]).partition(" ")[2])
    before = base64.b64decode(three)
    assert len(message) == len(before)
    for at in (12, 20, 52):  # [MS-NLMP] 2.2.1.3: both responses and the session key
        length = int.from_bytes(before[at : at + 2], "little")
        offset = int.from_bytes(before[at + 4 : at + 8], "little")
        assert not any(message[offset : offset + length])
    assert not any(message[72:88])
    assert any(before[72:88])


def test_negotiate_as_windows_wraps_it(tmp_path: Path) -> None:
    """Within SPNEGO (RFC 4178): the code behind the message goes, too, and the server's."""
    accounts = tmp_path / "accounts"
    accounts.write_text("EXAMPLE:alice:secret1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NTLM_USER_FILE", str(accounts))
        options = spnego.NegotiateOptions.use_ntlm
        client = spnego.client(r"EXAMPLE\alice", "secret1", options=options)
        server = spnego.server(options=options)
        challenge = server.step(client.step() or b"") or b""
        last = client.step(challenge) or b""
        done = server.step(last) or b""
    assert b"NTLMSSP\0" not in done
    asked, told = (base64.b64encode(one).decode() for one in (last, done))
    recorded = exchange(0, 200, f"Negotiate {asked}", f"Negotiate {told}")
    (clean,) = without_secrets(recorded)
    assert recorded_identities([clean]) == recorded_identities([recorded])
    assert recorded_identities([clean])[0].username == "alice"
    code = last[-16:]
    assert code not in base64.b64decode(sent(clean).partition(" ")[2])
    answer = clean.response_header("www-authenticate") or ""
    assert not any(base64.b64decode(answer.partition(" ")[2]))


def test_digest() -> None:
    """The hash is another one; equal ones stay equal; a request for it stays."""
    challenge = 'Digest realm="shop", nonce="n1", qop="auth", opaque="5ccc069c403ebaf9"'
    recorded = (exchange(0, 401, "", challenge), exchange(1, 200, DIGEST), exchange(2, 200, DIGEST))
    clean = without_secrets(*recorded)
    assert clean[0] == recorded[0]
    assert sent(clean[1]) == sent(clean[2])
    start, _, end = DIGEST.partition("6629fae49393a05397450978507c4ef1")
    assert sent(clean[1]).startswith(start)
    assert sent(clean[1]).endswith(end)
    assert len(sent(clean[1])) == len(DIGEST)
    assert "6629fae4" not in sent(clean[1])
    assert recorded_identities(clean) == recorded_identities(recorded)


def test_of_a_server_too() -> None:
    """RFC 7616 §3.5: it proves that it knows the password."""
    value = 'rspauth="6629fae49393a05397450978507c4ef1", cnonce="0a4f113b", nc=00000001'
    changed = without_proof(value, lambda proof: "0" * len(proof))
    assert changed == value.replace("6629fae49393a05397450978507c4ef1", "0" * 32)


@pytest.mark.parametrize(
    "value",
    [
        "Basic YWxpY2U6c2VjcmV0MQ==",
        "Bearer abc",
        "NTLM",
        "Negotiate",
        "NTLM ???",
        f"NTLM {base64.b64encode(b'NTLMSSP' + bytes(3)).decode()}",
        'Digest realm="response", nonce="x"',
    ],
)
def test_nothing_else_changes(value: str) -> None:
    """What has no proof, or is broken."""
    assert without_proof(value, lambda proof: hashlib.sha256(proof.encode()).hexdigest()) == value


def test_basic_of_a_proxy() -> None:
    """Has a stand-in, as that of a server."""
    (clean,) = without_secrets(exchange(0, 200, basic("alice:secret1"), proxy="yes"))
    value = clean.request_header("proxy-authorization") or ""
    user, _, password = base64.b64decode(value.removeprefix("Basic ")).decode().partition(":")
    assert user == "alice"
    assert password not in ("", "secret1")
