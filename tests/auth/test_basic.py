"""Basic authentication."""

from __future__ import annotations

import pytest

from pytest_loadtool.auth import Credentials, RequestFacts, parse_challenges, start
from pytest_loadtool.errors import AuthenticationError

REQUEST = RequestFacts("GET", "/private/report?x=/1/", "intranet:8080")


def first_value(credentials: Credentials, challenge: str = 'Basic realm="x"') -> str | None:
    """What answers the challenge."""
    challenges = parse_challenges([challenge])
    handshake = start(challenges, credentials, REQUEST)
    assert handshake is not None
    return handshake.next(challenges)


@pytest.mark.promise(73)
@pytest.mark.parametrize(
    ("user", "password", "value"),
    [
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),  # RFC 7617 §2
        ("test", "123£", "Basic dGVzdDoxMjPCow=="),  # §2.1
        ("alice", "with:colon", "Basic YWxpY2U6d2l0aDpjb2xvbg=="),
        ("alice", "", "Basic YWxpY2U6"),
    ],
)
@pytest.mark.parametrize("challenge", ['Basic realm="x"', 'Basic realm="x", charset="UTF-8"'])
def test_user_and_password_go_out_in_base64(
    user: str, password: str, value: str, challenge: str
) -> None:
    """As UTF-8, which the server need not ask for."""
    assert first_value(Credentials(user, password), challenge) == value


def test_a_second_challenge_means_refused() -> None:
    """The same credentials are not sent to the same realm again."""
    challenges = parse_challenges(['Basic realm="x"'])
    handshake = start(challenges, Credentials("alice", "wrong"), REQUEST)
    assert handshake is not None
    assert not handshake.connection_bound
    assert handshake.wants_body
    assert handshake.next(challenges) is not None
    assert handshake.next(challenges) is None


def test_credentials_serve_the_paths_at_and_below_the_one_that_asked() -> None:
    """RFC 7617 §2.2: up to the last slash of the path; the query does not count."""
    challenges = parse_challenges(['Basic realm="x"'])
    handshake = start(challenges, Credentials("test", "123£"), REQUEST)
    assert handshake is not None
    assert handshake.session is not None
    assert handshake.session.prefixes == ("/private/",)
    assert handshake.session.realm == "x"
    assert handshake.session.header(REQUEST) == handshake.next(challenges)


@pytest.mark.parametrize(
    ("user", "password", "complaint"),
    [
        ("al:ice", "secret1", r"cannot send the user name 'al:ice': it has a colon"),
        ("alice", "secret\n", r"credentials of 'alice': user name or password has a control"),
    ],
)
def test_what_cannot_be_sent_is_refused(user: str, password: str, complaint: str) -> None:
    """RFC 7617 §2: no colon in the user name, no control characters anywhere."""
    with pytest.raises(AuthenticationError, match=complaint) as refusal:
        first_value(Credentials(user, password))
    assert password not in str(refusal.value)
