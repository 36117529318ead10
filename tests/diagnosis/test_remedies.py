"""The request as a command of curl: it works as printed, and holds no secret."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from pytest_loadtool.diagnosis.diagnose import diagnose
from pytest_loadtool.diagnosis.finding import Cause
from pytest_loadtool.diagnosis.outcome import Evidence
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.authentication import Proxy
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction
from pytest_loadtool.model.dataset import DatasetUse
from tests.report.outcomes import Answer, outcome

SECRET = "hunter2-of-ann"
FORM = "Content-Type: application/x-www-form-urlencoded"
PART = "Content-Type: multipart/form-data; boundary=b"
NAMED = '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n{}\r\n--b--\r\n'


@dataclass(frozen=True)
class Sent:
    """A request as it was sent."""

    target: str = "/account"
    headers: tuple[str, ...] = ()
    body: bytes = b""
    proxy: Proxy | None = None
    known: tuple[str, ...] = field(default=())


def overloaded(sent: Sent) -> Cause:
    """The cause that is found where the server answers it with 503."""
    method = "POST" if sent.body else "GET"
    head = "\r\n".join([f"{method} {sent.target} HTTP/1.1", "Host: shop:8000", *sent.headers])
    transaction = Transaction(Request(method, sent.target))
    answer = Answer(head.encode() + b"\r\n\r\n" + sent.body, 503)
    found = diagnose(
        TestCase("shop", (Page("p", (transaction,)),), proxy=sent.proxy),
        [outcome(0, "p", transaction, answer, "Status Code is 503")],
        path="x.case.toml",
        evidence=Evidence(),
        mask=Mask(sent.known),
    )
    return found.causes[0]


@pytest.mark.parametrize(
    "sent",
    [
        Sent(headers=(f"Authorization: Bearer {SECRET}",)),
        Sent(headers=(f"Cookie: sid={SECRET}",)),
        Sent(headers=(f"X-API-Key: {SECRET}",)),
        Sent(headers=(f"X-Trace: {SECRET}",), known=(SECRET,)),
        Sent(f"/account?access_token={SECRET}"),
        Sent(f"/account/{SECRET}", known=(SECRET,)),
        Sent(f"http://ann:{SECRET}@shop:8000/account"),
        Sent(headers=(FORM,), body=f"user=ann&password={SECRET}".encode()),
        Sent(
            headers=("Content-Type: application/json",),
            body=b'{"password": "%b"}' % SECRET.encode(),
        ),
        Sent(headers=(PART,), body=NAMED.format(SECRET).encode()),
        Sent(body=b"\x00\x01" + SECRET.encode(), known=(SECRET,)),
        Sent(proxy=Proxy(f"http://ann:{SECRET}@127.0.0.1:3128")),
        Sent(proxy=Proxy("http://127.0.0.1:3128", username="ann", password=SECRET)),
    ],
)
def test_no_secret_is_printed(sent: Sent) -> None:
    """A request that holds one is shown in the console, to who asks for secrets there."""
    cause = overloaded(sent)
    assert SECRET not in repr(cause)
    assert cause.confirm == "pytest x.case.toml --loadtool-keep-replay"
    assert cause.confirm_in == ("curl 1 --replayed --secrets",)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (Sent(), "curl http://shop:8000/account --include"),
        (Sent("/find?q=tea"), "curl 'http://shop:8000/find?q=tea' --include"),
        (
            Sent(headers=(FORM,), body=b"title=Tea"),
            f"curl http://shop:8000/account --include --header '{FORM}' --data-raw title=Tea",
        ),
        (
            Sent(proxy=Proxy("http://127.0.0.1:3128")),
            "curl http://shop:8000/account --proxy http://127.0.0.1:3128 --include",
        ),
    ],
)
def test_a_request_without_secrets_is_printed(sent: Sent, expected: str) -> None:
    """In one line, for a shell."""
    assert overloaded(sent).confirm == expected


@pytest.mark.parametrize(("rows", "row"), [({}, 1), ({"users": 3}, 3)])
def test_the_row_that_was_used(rows: dict[str, int], row: int) -> None:
    """The password that is wrong is corrected in the row that the replay had, if that is known."""
    body = "username=${users.name}&password=${users.password}"
    login = Transaction(Request("POST", "/login", (Header(*FORM.split(": ")),), body))
    case = TestCase("shop", (Page("p", (login,)),), datasets=(DatasetUse("users", "users.csv"),))
    sent = f"POST /login HTTP/1.1\r\n{FORM}\r\n\r\nusername=ann&password=x".encode()
    failed = outcome(0, "p", login, Answer(sent, 401, body=b"Wrong password"), "Status Code is 401")
    evidence = Evidence(rows=rows)
    found = diagnose(case, [failed], path="x.case.toml", evidence=evidence, mask=Mask())
    assert found.causes[0].remedies[0].commands == (f"dataset-set users {row} password PASSWORD",)
    assert found.causes[0].remedies[0].place == f"users.csv:{row + 1}"
