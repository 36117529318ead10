"""Who the credentials in a recording belong to."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.auth.recorded import RecordedIdentity, recorded_identities
from tests.auth.negotiated import ASKS, BASIC, DIGEST, basic, exchange, ntlm_tokens

ALICE = basic("alice:secret1")
HOST = "shop.test"


def digest(username: str, more: str = "") -> str:
    """The credentials, as far as they say who."""
    return f'Digest {username}, realm="shop", nonce="n1", uri="/", response="0"{more}'


def test_of_basic_the_password_is_known() -> None:
    """It is nearly in the open."""
    recorded = [exchange(0, 401, "", BASIC), exchange(1, 200, ALICE), exchange(2, 200, ALICE)]
    assert recorded_identities(recorded) == (
        RecordedIdentity("basic", HOST, "shop", "alice", "secret1"),
    )
    (odd,) = recorded_identities([exchange(0, 200, basic("zoë:a:b"))])
    assert (odd.username, odd.password) == ("zoë", "a:b")


@pytest.mark.promise(89)
def test_credentials_that_go_out_unasked() -> None:
    """``curl -u`` does so; a client that was asked before does not."""
    (one,) = recorded_identities([exchange(0, 200, ALICE)])
    assert (one.ahead, one.realm) == (True, "")
    page = "http://shop.test/page"
    asked = [exchange(0, 401, "", BASIC), exchange(1, 200, ALICE)]
    (one,) = recorded_identities([*asked, exchange(2, 200, ALICE, url=page)])
    assert not one.ahead
    *_, bob = recorded_identities([*asked, exchange(2, 200, basic("bob:b"))])
    assert not bob.ahead
    (one,) = recorded_identities([exchange(0, 200, digest('username="alice"'))])
    assert (one.ahead, one.realm) == (False, "shop"), "nobody can answer before he is asked"


@pytest.mark.parametrize(
    ("given", "username"),
    [
        ('username="alice"', "alice"),
        (r'username="EXAMPLE\\alice"', "EXAMPLE\\alice"),
        ('username="zo\xc3\xab"', "zoë"),
        ("username*=UTF-8''zo%C3%AB", "zoë"),
        ('username="0123abcd", userhash=true', ""),
    ],
)
def test_the_name_in_digest(given: str, username: str) -> None:
    """Quoted, encoded, hashed."""
    recorded = [exchange(0, 401, "", DIGEST), exchange(1, 200, digest(given))]
    assert recorded_identities(recorded) == (RecordedIdentity("digest", HOST, "shop", username),)


@pytest.mark.promise(95)
@pytest.mark.parametrize("scheme", ["NTLM", "Negotiate"])
def test_the_names_in_ntlm(scheme: str, tmp_path: Path) -> None:
    """The last message has them, the first has none."""
    one, two, three = ntlm_tokens(tmp_path, "EXAMPLE", "älice", "secret1")
    recorded = [
        exchange(0, 401, "", *ASKS),
        exchange(1, 401, f"{scheme} {one}", f"{scheme} {two}"),
        exchange(2, 200, f"{scheme} {three}"),
    ]
    assert recorded_identities(recorded) == (
        RecordedIdentity(scheme.lower(), HOST, username="älice", domain="EXAMPLE"),
    )


def test_a_ticket_says_nothing() -> None:
    """Kerberos: what is not an NTLM message."""
    recorded = [exchange(0, 401, "", "Negotiate"), exchange(1, 200, "Negotiate YIIabcd=")]
    assert recorded_identities(recorded) == (RecordedIdentity("negotiate", HOST),)


def test_who_was_refused_first_is_left_out() -> None:
    """A slip of the keyboard; not where nothing else was ever taken."""
    tries = [exchange(0, 401, "", BASIC), exchange(1, 401, basic("alice:sekret"), BASIC)]
    (one,) = recorded_identities(tries)
    assert (one.password, one.refused) == ("sekret", True)
    (one,) = recorded_identities([*tries, exchange(2, 200, ALICE)])
    assert (one.password, one.refused) == ("secret1", False)


def test_several() -> None:
    """Realms, servers and a proxy are told apart, and so are users."""
    other = {"url": "https://user@admin.test:8443/x"}
    recorded = [
        exchange(0, 407, "", BASIC),
        exchange(1, 200, basic("proxy:p"), proxy="yes"),
        exchange(2, 401, "", BASIC),
        exchange(3, 200, ALICE),
        exchange(4, 401, "", 'Basic realm="admin"', **other),
        exchange(5, 200, basic("root:r"), **other),
        exchange(6, 200, basic("bob:b")),
        exchange(7, 401, "", 'Basic realm="office"', method="POST"),
        exchange(8, 200, ALICE, method="POST"),
    ]
    assert [
        (one.proxy, one.host, one.realm, one.username) for one in recorded_identities(recorded)
    ] == [
        (True, "", "shop", "proxy"),
        (False, HOST, "shop", "alice"),
        (False, "admin.test:8443", "admin", "root"),
        (False, HOST, "", "bob"),
        (False, HOST, "office", "alice"),
    ]


def test_what_is_broken_is_nobodys() -> None:
    """And no error."""
    recorded = [
        exchange(0, 200, "Basic ???"),
        exchange(1, 200, "Bearer abc"),
        exchange(2, 200, "NTLM TlRMTVNTUAAB"),
        exchange(3, 200, "NTLM"),
    ]
    assert recorded_identities(recorded) == ()
