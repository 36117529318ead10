"""Cookies that were not sent."""

from __future__ import annotations

import pytest

from pytest_loadtool.diagnosis.causes.session import cookie_not_sent
from pytest_loadtool.diagnosis.finding import Cause
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import Subject
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import Kind, Page, Recorded, Request, TestCase, Transaction
from tests.correlation.exchanges import answered, exchange
from tests.report.outcomes import Answer, outcome


@pytest.mark.parametrize(
    ("sets", "sent", "told"),
    [
        ("", "", True),
        ("tea-99", "tea-99", False),  # the name has the number of the server
        ("tea-99", "", True),
        ("", "other", True),
    ],
)
def test_a_cookie_that_is_called_otherwise(sets: str, sent: str, told: bool) -> None:
    """Who set it has set another one now, which went with the request: that one is not lost."""
    login, use = (
        Transaction(Request(*line), recorded=Recorded(200, Kind.HTML, at))
        for at, line in enumerate((("POST", "/login"), ("GET", "/")))
    )
    evidence = Evidence(
        (
            answered("POST", "/login", exchange(received=(("Set-Cookie", "tea-17=a"),))),
            answered("GET", "/", exchange(), sent=(("Cookie", "tea-17=a"),)),
        )
    )
    now = [(b"Set-Cookie", f"{sets}=b".encode())] if sets else []
    cookie = f"Cookie: {sent}=b\r\n" if sent else ""
    first = outcome(0, "p", login, Answer(b"POST /login HTTP/1.1\r\n\r\n", 200, now))
    asked = f"GET / HTTP/1.1\r\n{cookie}\r\n".encode()
    second = outcome(1, "p", use, Answer(asked, 400), "Status Code is 400")
    case = TestCase("shop", (Page("p", (login, use)),))
    subject = Subject(case, "x.case.toml", second, Mask(), evidence)
    found = cookie_not_sent(Situation(subject, (first, second)))
    assert isinstance(found, Cause) == told


def test_a_command_names_the_file_as_a_shell_takes_it() -> None:
    """Wherever the test case is."""
    one = Transaction(Request("GET", "/"))
    failed = outcome(0, "p", one, Answer(b"GET / HTTP/1.1\r\n\r\n", 401), "Status Code is 401")
    case = TestCase("shop", (Page("p", (one,)),))
    subject = Subject(case, "my shop.case.toml", failed, Mask(), Evidence())
    assert Situation(subject, (failed,)).replay_command == "pytest 'my shop.case.toml'"
