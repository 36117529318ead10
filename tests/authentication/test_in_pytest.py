"""Test cases with HTTP authentication as tests of pytest: what is said, and what never is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.authentication.peer import Peer

IDENTITY = r"""
[[identity]]
username = 'EXAMPLE\${users.username}'
password = "${users.password}"

[datasets.users]
file = "users.csv"
"""
USERS = "username,password\nalice,secret1\n"


def write(folder: Path, url: str, target: str, *, head: str = "", tail: str = "") -> None:
    """A test case with one transaction, and its users."""
    (folder / "users.csv").write_text(USERS)
    (folder / "shop.case.toml").write_text(
        f'format = 1\nname = "Shop"\nserver = "{url}"\n{head}\n[[page]]\nname = "Home"\n'
        f'\n[[page.transaction]]\nrequest = "{target}"\n{tail}'
    )


def said(pytester: pytest.Pytester, *arguments: str) -> str:
    """What pytest says to the one test case, which fails."""
    result = pytester.runpytest(*arguments)
    result.assert_outcomes(failed=1)
    return result.stdout.str()


@pytest.mark.promise(92)
def test_a_login_and_its_steps(pytester: pytest.Pytester, apache: Peer) -> None:
    """The transaction passes, and -v says how many requests were needed before it."""
    write(pytester.path, apache.url("http"), "GET /ntlm/page", head=IDENTITY)
    result = pytester.runpytest("-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*200*passed*GET /ntlm/page (after 2 requests of negotiation)"])


@pytest.mark.parametrize(("transport", "count"), [("raw", 4), ("httpx", 6)])
def test_a_login_at_a_proxy_and_behind_it(
    pytester: pytest.Pytester, apache: Peer, transport: str, count: int
) -> None:
    """What a tunnel takes is said with the transaction that needs it, next to what its server
    asks: NTLM is new on each connection. The second host has another; so has, with httpx, what is
    to be logged in."""
    proxy = (
        f'\n[proxy]\nurl = "{apache.url("ntlm")}"\nusername = "alice"\n'
        'password = "${users.password}"\ndomain = "EXAMPLE"\n'
        f'\n[tls]\nca = "{apache.folder}/ca.pem"\n'
    )
    other = f"https://localhost:{apache.ports['https']}/open/page"
    write(
        pytester.path,
        apache.url("https", "https"),
        "GET /ntlm/page",
        head=f'hosts = ["localhost"]\n{IDENTITY}{proxy}',
        tail=f'[[page.transaction]]\nrequest = "GET {other}"\n',
    )
    allowed = f"-oloadtool_outside_paths={apache.folder}"
    result = pytester.runpytest("-v", f"--loadtool-transport={transport}", allowed)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines_random(
        [
            f"*GET /ntlm/page (after {count} requests of negotiation)",
            "*GET https://localhost:*/open/page (after 2 requests of negotiation)",
        ]
    )


def test_a_wrong_password(pytester: pytest.Pytester, apache: Peer) -> None:
    """The row is named, and the password is not."""
    write(pytester.path, apache.url("http"), "GET /ntlm/page", head=IDENTITY)
    (pytester.path / "users.csv").write_text("username,password\nalice,not the password\n")
    text = said(pytester)
    assert "wrong user name or password: the server refuses row 1 of users.csv (NTLM)" in text
    assert "not the" not in text


def test_passwords_are_masked(
    pytester: pytest.Pytester, apache: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in what is sent elsewhere, what is sent back, and in the Base64 of Basic."""
    monkeypatch.setenv("OFFICE_PASSWORD", "correct horse")
    body = "x=${users.password} y=${pair|base64} z=${OFFICE}"
    basic = IDENTITY.replace("EXAMPLE\\", "")
    write(
        pytester.path,
        apache.url("http"),
        "POST /open/echo",
        head=basic,
        tail=f"body = '{body}'\nstatus = 201\n\n[variables]\n"
        "pair = { template = '${users.username}:${users.password}' }\n"
        'OFFICE = { env = "OFFICE_PASSWORD" }\n',
    )
    text = said(pytester)
    assert "Status Code is 200, expected 201" in text
    for secret in ("secret1", "correct horse", "YWxpY2U6c2VjcmV0MQ=="):
        assert secret not in text
    assert text.count("x=… y=YWxp… z=corr…") == 2  # as sent and as received


@pytest.mark.promise(57)
def test_what_was_recorded_with_a_login_and_is_not_configured(
    pytester: pytest.Pytester, apache: Peer
) -> None:
    """Nothing is asked; the wizard is named, and the line of the first such transaction."""
    recorded = "recorded = { status = 200, entry = 1, negotiation = [0] }\n"
    write(pytester.path, apache.url("http"), "GET /basic/one/page", tail=recorded)
    mark = apache.log.mark()
    text = said(pytester)
    assert "shop.case.toml:10: page.transaction.recorded.negotiation: HTTP authentication" in text
    assert "run the Test Case Configuration Wizard (`pytest --record FILE`, " in text
    assert "command `test-case-configuration`)" in text
    assert apache.log.since(mark, 0) == []


@pytest.mark.parametrize(
    ("target", "head", "expected"),
    [
        ("GET /negotiate/page", "", "(Negotiate, NTLM), and the test case does not say."),
        ("GET /digest/page", "", "(Digest), and the test case does not say."),
        (
            "GET /basic/two/page",
            IDENTITY.replace("[datasets", 'realm = "One"\n\n[datasets'),
            "(Basic), and no [[identity]] is for this host and the realm 'Two'.",
        ),
    ],
)
def test_a_challenge_that_nobody_answers(
    pytester: pytest.Pytester, apache: Peer, target: str, head: str, expected: str
) -> None:
    """A test case written by hand: the 401 is a response, and what to do about it is said."""
    write(pytester.path, apache.url("http"), target, head=head)
    text = said(pytester)
    assert "Status Code is 401, expected 200-399" in text
    assert f"The server asks who you are {expected}" in " ".join(text.split())


def test_a_load_test_with_a_wrong_row(pytester: pytest.Pytester, apache: Peer) -> None:
    """One line of errors names it, over two workers; what was negotiated is apart: two requests for
    each of 11 logins. Who was refused does not try again."""
    write(pytester.path, apache.url("http"), "GET /ntlm/page", head=IDENTITY)
    rows = [f"user{number},password of {number}" for number in range(6)]
    rows[4] = "user4,wrong"
    (pytester.path / "users.csv").write_text("\n".join(["username,password", *rows]))
    (pytester.path / "shop.load.toml").write_text(
        'format = 1\nname = "Load"\nusers = 6\niterations = 2\n\n[[case]]\n'
        'file = "shop.case.toml"\n'
    )
    result = pytester.runpytest_subprocess("shop.load.toml", "--load", "-n2")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "FIX FIRST  *  Home*GET /ntlm/page  2 of 12 iterations",
            "*(12 requests in *",
            "authentication  22 requests to negotiate it, in no other number",
            "negotiation *",
        ]
    )
    said = " ".join(result.stdout.str().split())
    assert "wrong user name or password: the server refuses row 5 of users.csv (NTLM)" in said
