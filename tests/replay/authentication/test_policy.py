"""What is done about a challenge, whoever was asked."""

from __future__ import annotations

from pytest_loadtool.auth import Credentials, RequestFacts, parse_challenges
from pytest_loadtool.replay.authentication.policy import (
    KNOWN,
    REFUSED,
    SAY,
    UNABLE,
    WAIT,
    Login,
    log_in,
)
from pytest_loadtool.replay.user.credential_cache import CredentialCache
from pytest_loadtool.replay.user.origin import Account

ALICE = Credentials("alice", "a")
BASIC = parse_challenges(['Basic realm="shop"'])


def account(realm: str = "") -> Account:
    return Account(realm, False, lambda _values: ALICE, "the user alice", ())


def login(
    cache: CredentialCache,
    offered: str = 'Basic realm="shop"',
    realm: str = "",
    method: str = "",
) -> Login | None:
    return log_in(
        "Authorization",
        parse_challenges([offered]),
        [account(realm)],
        lambda _account: ALICE,
        lambda: RequestFacts("GET", "/", "shop.example"),
        method,
        "shop",
        cache,
    )


def made(cache: CredentialCache) -> Login:
    one = login(cache)
    assert one is not None
    return one


def test_who_answers() -> None:
    """Whose realm asks, in a scheme that is supported, and wanted."""
    assert login(CredentialCache(), 'Bearer realm="shop"') is None
    assert login(CredentialCache(), realm="office") is None
    assert login(CredentialCache(), realm="shop") is not None
    assert login(CredentialCache(), method="ntlm") is None


def test_the_same_credentials_again_are_a_refusal() -> None:
    """What was sent, and asked for once more, is wrong; all who come later know it at once."""
    cache = CredentialCache()
    one = made(cache)
    assert one.answer(BASIC, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 0) == SAY
    assert one.line == b"Authorization: Basic YWxpY2U6YQ==\r\n"
    sent = b"GET / HTTP/1.1\r\nHost: x\r\n" + one.line + b"\r\n"
    assert one.answer(BASIC, sent, 1) == REFUSED
    one.refuse(" (Basic)")
    later = made(cache)
    assert later.answer(BASIC, b"", 2) == KNOWN
    assert later.why == " (Basic)"


def test_one_tries_and_the_others_wait() -> None:
    """Until there is a verdict, or will be none."""
    cache = CredentialCache()
    first, second, third = (made(cache) for _ in range(3))
    assert first.answer(BASIC, b"", 0) == SAY
    assert second.answer(BASIC, b"", 1) == WAIT
    first.leave()
    assert second.answer(BASIC, b"", 2) == SAY
    assert third.answer(BASIC, b"", 2) == WAIT
    second.accept()
    assert third.answer(BASIC, b"", 2) == SAY
    assert made(cache).answer(BASIC, b"", 2) == SAY


def test_what_cannot_be_answered_keeps_nobody_waiting() -> None:
    """The reason is told, and the next one may try."""
    cache = CredentialCache()
    digest = 'Digest realm="shop", qop="auth", nonce="%s"'
    one, other = login(cache, digest % 0), login(cache, digest % 0)
    assert one is not None
    assert other is not None
    for number in range(100):
        said = one.answer(parse_challenges([f"{digest % number}, stale=true"]), b"", 0)
        if said != SAY:
            break
    assert said == UNABLE
    assert "nonce" in one.why
    assert other.answer(parse_challenges([digest % 0]), b"", 0) == SAY
