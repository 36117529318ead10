"""Causes that are looked for in made-up exchanges, where real servers are slow to show them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.diagnosis.diagnose import diagnose
from pytest_loadtool.diagnosis.finding import Diagnosis
from pytest_loadtool.diagnosis.outcome import Evidence, StepOutcome
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.asm import AsmSettings
from pytest_loadtool.model.authentication import Proxy
from pytest_loadtool.model.case import (
    Header,
    Kind,
    Page,
    Recorded,
    Request,
    TestCase,
    Transaction,
    Variable,
)
from pytest_loadtool.model.exchange import Exchange
from tests.report.outcomes import Answer, outcome

TOKEN = "dGhpcyBpcyBh+3Qq8/Kn2w=="
FORM_TYPE = (Header("Content-Type", "application/x-www-form-urlencoded"),)
FORM = Transaction(Request("GET", "/posts/new"), recorded=Recorded(200, Kind.HTML, entry=0))


def exchange(method: str, path: str, *, answer: str = "", body: str = "") -> Exchange:
    """A recorded one."""
    return Exchange(
        started=0.0,
        took=0.01,
        method=method,
        url=f"http://shop:8000{path}",
        http_version="HTTP/1.1",
        request_headers=(),
        request_body=body.encode(),
        status=200,
        response_body=answer.encode(),
    )


def saving(body: str, status: int = 302) -> Transaction:
    """A form that is sent, and was answered with that status when it was recorded."""
    return Transaction(
        Request("POST", "/posts", FORM_TYPE, body), recorded=Recorded(status, Kind.HTML, entry=1)
    )


def failed(
    save: Transaction, status: int, page: str = "", *, asm: AsmSettings | None = None
) -> Diagnosis:
    """The diagnosis where ``save`` is answered with that page, after a form that came."""
    variables = {"token": Variable("token", recorded=TOKEN, set_by="asm", rule="csrf-form-field")}
    case = TestCase("shop", (Page("p", (FORM, save)),), variables=variables)
    if asm is not None:
        case = replace(case, asm=asm)
    body = save.request.body if isinstance(save.request.body, str) else ""
    head = b"POST /posts HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
    sent = Answer(head + body.encode(), status, body=page.encode())
    form = Answer(b"GET /posts/new HTTP/1.1\r\n\r\n", body=b"<form></form>")
    outcomes: list[StepOutcome] = [
        outcome(0, "p", FORM, form),
        outcome(1, "p", save, sent, f"Status Code is {status}"),
    ]
    evidence = Evidence(
        (
            exchange("GET", "/posts/new", answer=f"<input value='{TOKEN}'>"),
            exchange("POST", "/posts"),
        )
    )
    return diagnose(case, outcomes, path="x.case.toml", evidence=evidence, mask=Mask())


def name_taken(body: str, complaint: str, status: int = 200) -> str:
    """The name that the server may have, as the command has it that gives out new ones."""
    page = f"<p class='error'>{complaint}</p>" if complaint else ""
    commands = [
        command
        for one in failed(saving(body), status, page).causes
        for remedy in one.remedies
        for command in remedy.commands
    ]
    return next((one for one in commands if one.startswith("unique ")), "").removeprefix("unique ")


@pytest.mark.parametrize(
    ("body", "complaint", "expected"),
    [
        ("title=Tea&name=Pot&username=kim", "", ""),
        ("title=Tea&name=Pot", "Your voucher does not exist", ""),
        ("title=Tea&name=Pot&username=kim", "There is a 'Pot' already.", "Pot"),
        ("first_name=Kim&login_name=kim&title=Tea", "A post with that title exists.", "Tea"),
        ("email=a%40b.org&username=kim", "Email is in use", "a@b.org"),
        ("username=kim&password=x", "Wrong user name or password.", ""),
        ("username=kim&password=x", "", ""),
        ("username=kim&password=x", "That user already exists", "kim"),
        ("price=Tea&title=12&on=true", "", ""),
    ],
)
def test_name_that_may_exist(body: str, complaint: str, expected: str) -> None:
    """What the page says exists, else who somebody is; of a login that was refused, none, nor where
    nothing says so."""
    assert name_taken(body, complaint) == expected


def test_ignored_token() -> None:
    """The entry that keeps a token from being correlated is named."""
    save = saving(f"sig={TOKEN.replace('+', '%2B').replace('=', '%3D')}&title=Tea")
    plain = failed(save, 403).causes[0]
    assert plain.text.startswith("sig = ")
    assert plain.remedies[0].commands == ("application-state", "save")
    ignoring = failed(save, 403, asm=AsmSettings(ignore=("s*g",))).causes[0]
    assert 'take "s*g" out of `ignore`' in ignoring.remedies[0].text


def test_token_that_nothing_gives_out() -> None:
    """A variable without an extractor is sent as it was recorded."""
    save = saving("csrf=${token}&title=Tea")
    sent = saving(f"csrf={TOKEN}&title=Tea")
    case = TestCase(
        "shop",
        (Page("p", (FORM, save)),),
        variables={"token": Variable("token", recorded=TOKEN, set_by="asm")},
    )
    body = str(sent.request.body).encode()
    answer = Answer(b"POST /posts HTTP/1.1\r\n\r\n" + body, 403)
    found = diagnose(
        case,
        [outcome(1, "p", save, answer, "Status Code is 403")],
        path="x.case.toml",
        evidence=Evidence(),
        mask=Mask(),
    )
    assert "was sent with the recorded value" in found.causes[0].text
    assert dict(found.steps)["tokens"] == "csrf (${token}, which no transaction before gives out)"


@pytest.mark.promise(117)
def test_proxy_that_wants_a_login() -> None:
    """The command writes the proxy's user and method into the test case."""
    transaction = Transaction(Request("GET", "/"), recorded=Recorded(200, Kind.HTML))
    headers = ((b"Proxy-Authenticate", b'Basic realm="office"'),)
    answer = Answer(b"GET / HTTP/1.1\r\n\r\n", 407, headers)
    found = diagnose(
        TestCase("shop", (Page("p", (transaction,)),), proxy=Proxy("http://127.0.0.1:3128")),
        [outcome(0, "p", transaction, answer, "Status Code is 407")],
        path="x.case.toml",
        evidence=Evidence(),
        mask=Mask(),
    )
    assert found.causes[0].text == "The proxy wants a login (Basic)."
    command, save = found.causes[0].remedies[0].commands
    assert command.startswith("properties --proxy http://127.0.0.1:3128 --proxy-username USER")
    assert save == "save"
