"""What is looked at after a status, as the failure's text shows it."""

from __future__ import annotations

import pytest

from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.model.case import (
    Header,
    Kind,
    Page,
    Recorded,
    Request,
    TestCase,
    Transaction,
)
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.report.failure import explain
from tests.report.outcomes import Answer, outcome

FORM = Header("Content-Type", "application/x-www-form-urlencoded")


def told(request: Request, status: int, *headers: tuple[bytes, bytes]) -> str:
    """The text of a replay of one request that was answered so, on one line."""
    one = Transaction(request)
    lines = [f"{request.method} {request.target} HTTP/1.1"]
    lines += [f"{each.name}: {each.value}" for each in request.headers]
    body = request.body if isinstance(request.body, str) else ""
    answer = Answer("\r\n".join([*lines, "", body]).encode(), status, headers)
    case = TestCase("shop", (Page("p", (one,)),))
    failed = outcome(0, "p", one, answer, f"Status Code is {status}")
    return " ".join(explain(case, [failed], path="x.case.toml", evidence=Evidence()).split())


@pytest.mark.promise(106)
@pytest.mark.promise(107)
@pytest.mark.parametrize(
    ("challenge", "meaning"),
    [
        (b'Basic realm="x"', "Basic: HTTP authentication"),
        (b'Digest realm="x", nonce="a"', "Digest: HTTP authentication"),
        (b"NTLM", "NTLM: HTTP authentication"),
        (b"Negotiate", "Negotiate: HTTP authentication"),
        (b'Bearer realm="x"', 'Bearer realm="x": an OAuth 2.0 token'),
        (b"", "none: a form or a session, not HTTP authentication"),
    ],
)
def test_what_a_challenge_means(challenge: bytes, meaning: str) -> None:
    """Whether HTTP authentication is configured is looked at first, what is asked for second."""
    headers = [(b"WWW-Authenticate", challenge)] if challenge else []
    text = told(Request("GET", "/account"), 401, *headers)
    assert "1. Authentication folder: none: HTTP authentication is not configured" in text
    assert f"2. WWW-Authenticate: {meaning}" in text


@pytest.mark.promise(105)
@pytest.mark.promise(110)
def test_causes_of_401() -> None:
    """All six are told where none was found, in this order, with what the original tool's users are
    told of NTLM."""
    text = told(Request("GET", "/account"), 401)
    causes = (
        "no credentials were sent",
        "the session cookie was not sent",
        "the session ended between recording and replay",
        "the server wants HTTP authentication",
        "demand NTLMv2 session security, which is spoken here",
        "the credentials are wrong",
    )
    places = [text.index(one) for one in causes]
    assert places == sorted(places)
    assert "(the original tool: from version 5.4; to turn it off makes a server weaker)" in text
    assert "loadtool> application-state loadtool> save" in text
    steps = ("1. Authentication folder", "2. WWW-Auth", "3. Set-Cookie of", "4. Cookie of this")
    assert all(one in text for one in steps)


def told_of_cookies(sent: str) -> str:
    """The fourth step after a 401, of a request that had the cookie sid when it was recorded."""
    recorded = Recorded(200, Kind.HTML, entry=0)
    one = Transaction(Request("GET", "/account"), recorded=recorded)
    head = f"GET /account HTTP/1.1\r\n{f'Cookie: {sent}' if sent else 'Accept: */*'}\r\n\r\n"
    cookies = (("Cookie", "sid=0ld9f8e7d"),)
    exchange = Exchange(0.0, 0.01, "GET", "http://shop/account", "HTTP/1.1", cookies, b"", 200)
    failed = outcome(0, "p", one, Answer(head.encode(), 401), "Status Code is 401")
    case, evidence = TestCase("shop", (Page("p", (one,)),)), Evidence((exchange,))
    text = " ".join(explain(case, [failed], path="x.case.toml", evidence=evidence).split())
    return text.partition("4. Cookie of this request: ")[2].partition(" usual causes")[0]


@pytest.mark.promise(109)
def test_a_cookie_that_is_missing_or_stale() -> None:
    """For both, dynamic values are to be found anew; for neither where it is there."""
    again = " (application-state finds dynamic values anew)"
    assert told_of_cookies("") == f"none was sent; missing, though recorded: sid{again}"
    assert told_of_cookies("sid=0ld9f8e7d") == f"sent sid; as recorded: sid{again}"
    assert told_of_cookies("sid=n3w1a2b3c") == "sent sid"


@pytest.mark.promise(113)
@pytest.mark.promise(114)
@pytest.mark.parametrize(
    "name",
    [
        *("X-CSRF-Token", "X-XSRF-Token", "X-Requested-With", "X-Shop-Csrf"),
        *("authenticity_token", "csrf_token", "__RequestVerificationToken"),
    ],
)
def test_where_a_token_is_looked_for(name: str) -> None:
    """After a 403, in headers and in the body; a constant is called one, and nothing is said
    of a recording that is not there."""
    if name.startswith("X-"):
        request = Request("POST", "/order", (FORM, Header(name, "dGhpcyBpcyBh3Qq8")), "title=Tea")
    else:
        request = Request("POST", "/order", (FORM,), f"title=Tea&{name}=dGhpcyBpcyBh3Qq8")
    text = told(request, 403)
    assert f"1. tokens: {name} (Constant value)" in text
    if name == "X-Requested-With":
        return  # it has no value of its own
    assert f"2. their values: {name}: the constant dGhpcyBpcyBh3Qq8" in text


@pytest.mark.promise(112)
@pytest.mark.promise(116)
def test_causes_of_403() -> None:
    """Where none was found: by their frequency, and what helps against those that are left."""
    text = told(Request("GET", "/admin"), 403)
    causes = ("anti-forgery token", "rights", "robots, or a rate limit", "never set up")
    places = [text.index(one) for one in causes]
    assert places == sorted(places)
    helps = "replay as another user, with more think time, or ask those who guard the target"
    assert helps in text


@pytest.mark.promise(120)
@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, ("malformed request", "investigate")),
        (500, ("its log says why", "log")),
        (503, ("overloaded", "look at the server")),
    ],
)
def test_what_is_to_be_investigated(status: int, expected: tuple[str, ...]) -> None:
    """What the status means, and where to look."""
    text = told(Request("GET", "/"), status)
    assert all(one in text for one in expected)
