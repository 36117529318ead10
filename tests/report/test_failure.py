"""The text of a failed replay, from what happened."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.diagnosis.outcome import Evidence, StepOutcome
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
from pytest_loadtool.model.extractor import Extractor, FormField, JsonPath, RegularExpression
from pytest_loadtool.model.result import Failure
from pytest_loadtool.report.diagnosis import summary
from pytest_loadtool.report.failure import explain
from tests.report.outcomes import Answer, outcome

GOLDEN = Path(__file__).parent / "golden"

FORM = Transaction(
    Request("GET", "/login"), extractors=(Extractor("csrf[1]", FormField("csrf")),), line=12
)
LOGIN = Transaction(
    Request(
        "POST",
        "/login?next=/${area}",
        (Header("Content-Type", "application/x-www-form-urlencoded"), Header("X-Area", "${area}")),
        "csrf=${csrf[1]}&user=${users.name}&password=${users.password}",
    ),
    name="log in",
    line=18,
    recorded=Recorded(302, Kind.HTML, entry=1),
)
ORDERS = Transaction(Request("GET", "/orders"), line=31)
IMAGE = Transaction(Request("GET", "/logo.png"), line=35)

CASE = TestCase(
    name="Order something",
    pages=(Page("Log in", (FORM, LOGIN)), Page("Orders", (ORDERS, IMAGE))),
    headers=(Header("Host"), Header("Cookie")),
    variables={
        "csrf[1]": Variable("csrf[1]", recorded="Vz8recorded"),
        "area": Variable("area", value="admin", recorded="admin"),
    },
)

SENT = (
    b"POST /login?next=/admin HTTP/1.1\r\nHost: shop:8000\r\n"
    b"Cookie: csrftoken=abcdefghijk; theme=dark\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nX-Area: admin\r\n\r\n"
    b"csrf=Qq4today&user=ann%40example.org&password=correct+horse+battery"
)
REFUSED = Answer(
    SENT,
    403,
    ((b"Content-Type", b"text/html"), (b"Set-Cookie", b"csrftoken=zyxwvutsrqp; Path=/")),
    b"<html>\n<head><title>Forbidden</title></head>\n<body>\n<h1>Forbidden</h1>\n"
    b"<p>CSRF verification failed. Request aborted.</p>\n</body>\n</html>\n",
)
RECORDED = Exchange(
    started=0.0,
    took=0.1,
    method="POST",
    url="http://recorded/login",
    http_version="HTTP/1.1",
    request_headers=(),
    request_body=b"",
    status=302,
    reason="Found",
    response_headers=(
        ("Location", "/admin/"),
        ("Content-Type", "text/html"),
        ("Set-Cookie", "sessionid=recorded-session; HttpOnly"),
    ),
)
EVIDENCE = Evidence((RECORDED, RECORDED))

OUTCOMES = (
    outcome(0, "Log in", FORM, Answer(b"GET /login HTTP/1.1\r\n\r\n")),
    outcome(3, "Orders", IMAGE, Answer(b"GET /logo.png HTTP/1.1\r\n\r\n"), "connection reset"),
    outcome(
        1,
        "Log in",
        LOGIN,
        REFUSED,
        "Status Code is 403, expected 302",
        "Search text not found: 'Welcome'",
    ),
    outcome(2, "Orders", ORDERS, Answer(b"GET /orders HTTP/1.1\r\n\r\n"), "Status Code is 401"),
)


@pytest.mark.promise(4)
@pytest.mark.parametrize("name", ["with_evidence", "without_evidence"])
def test_whole_text(name: str) -> None:
    """The text in full: first failure first, however the transactions finished."""
    evidence = {
        "with_evidence": EVIDENCE,
        "without_evidence": Evidence(note="the recorded traffic, shop.har, is not there"),
    }[name]
    text = explain(CASE, OUTCOMES, path="cases/shop.case.toml", evidence=evidence)
    assert text + "\n" == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_documentation_shows_this_text() -> None:
    """The failure that docs/pytest.md explains is a real one."""
    page = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text(encoding="utf-8")
    assert (GOLDEN / "with_evidence.txt").read_text(encoding="utf-8") in page


def explained(answer: Answer, transaction: Transaction = ORDERS, recorded: bytes = b"") -> str:
    """The text for one failing transaction whose recorded body was ``recorded``."""
    case = TestCase("x", (Page("Orders", (transaction,)),))
    exchange = replace(RECORDED, status=200, response_headers=(), response_body=recorded)
    evidence = Evidence((exchange,) if recorded else ())
    return explain(
        case, [outcome(0, "Orders", transaction, answer, "no")], path="x.toml", evidence=evidence
    )


def test_brief() -> None:
    """At a terminal one sees the end: what to mend stands there, and no body before it."""
    text = explain(CASE, OUTCOMES, path="x.case.toml", evidence=EVIDENCE, brief=True)
    sections = text.split("\n\n")
    assert sections[0] == "later failures, possible consequences of the first: 3, 4"
    assert sections[-1].startswith("FIX FIRST  2 of 4")
    assert "sent to" not in text


def test_summary_is_one_line() -> None:
    """All reasons of a failed transaction stand in its one line, safe for any terminal."""
    failed = outcome(0, "P", replace(ORDERS, name="a\x1bb\udc80"), Answer(b""), "one", "two")
    where = "P \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} a\\x1bb? (1 of 4)"
    assert summary(failed, 4) == f"200 at {where}: one; two"


def test_nothing_received() -> None:
    """A transaction without a response says so; what it sent is there all the same."""
    text = explained(Answer(b"GET /orders HTTP/1.1\r\nHost: h\r\n\r\n", status=0))
    assert "GET /orders HTTP/1.1\n  Host: h" in text
    assert "received: nothing" in text


def test_text_can_be_sent_anywhere() -> None:
    """No control character and no lone surrogate of a message or body reaches the text."""
    transaction = replace(ORDERS, name="bad \ud800 name")
    text = explained(
        Answer(b"GET / HTTP/1.1\r\n\r\n", body=b"\x1b[2Jcleared\xc2\x9b\xff" + b" as it was" * 20),
        transaction,
    )
    assert "\\x1b[2Jcleared" in text
    assert text.encode("utf-8").decode() == text
    assert not [one for one in text if ord(one) < 32 and one != "\n"]


def test_undecodable_and_binary_bodies() -> None:
    """A body that is no text is described, not shown."""
    request = b"GET / HTTP/1.1\r\n\r\n"
    assert "(broken gzip body; 3 bytes as received)" in explained(
        Answer(request, body=b"abc", broken="broken gzip body")
    )
    assert "(binary, about 9 bytes)" in explained(Answer(request, body=b"\x89PNG\r\n\x1a\n\x00"))


def test_long_body_is_shown_where_it_differs() -> None:
    """Of a long page the part is shown that the recording does not have."""
    lines = [f"<li>item {number}</li>" for number in range(2000)]
    recorded = "\n".join(lines).encode()
    lines[1500] = "<li>sold out</li>"
    text = explained(
        Answer(b"GET / HTTP/1.1\r\n\r\n", body="\n".join(lines).encode()),
        replace(ORDERS, recorded=Recorded(200, entry=0)),
        recorded,
    )
    received = text.partition("received after")[2].partition("recorded:")[0]
    assert "<li>sold out</li>" in received
    assert "<li>item 3</li>" not in received
    assert "characters before this" in received
    assert "characters after this" in received
    assert "  - item 1500</li>" in text
    assert "  + sold out</li>" in text
    assert len(text) < 5000


def test_long_page_without_recording_is_shown_from_its_title() -> None:
    """With nothing to compare, a long page is shown from where it says what it is."""
    page = b"<html><style>" + b"x{}\n" * 5000 + b"</style><title>Server Error</title></html>"
    text = explained(Answer(b"GET / HTTP/1.1\r\n\r\n", 500, body=page))
    assert "<title>Server Error</title>" in text
    assert text.count("x{}") < 300


def test_many_failures_are_cut_short() -> None:
    """Twenty later failures are listed, the others counted."""
    transactions = tuple(Transaction(Request("GET", f"/{n}"), line=n + 1) for n in range(50))
    outcomes = [
        outcome(n, "P", one, Answer(b"GET / HTTP/1.1\r\n\r\n"), f"no {n}")
        for n, one in enumerate(transactions)
    ]
    case = TestCase("x", (Page("P", transactions),))
    text = explain(case, outcomes, path="x.toml", evidence=Evidence())
    assert "50 of 50 transactions failed" in text
    assert "x.toml:21: " in text
    assert "x.toml:22: " not in text
    assert text.endswith("and 29 more")


def test_transactions_that_were_never_sent_are_counted() -> None:
    """When a page did not come at all, the text says how many transactions were left out."""
    text = explain(CASE, OUTCOMES[1:2], path="x.toml", evidence=Evidence())
    assert "1 of 4 transactions failed." in text
    assert "3 were not sent, because their page did not come at all." in text


def test_stale_entry_is_no_evidence() -> None:
    """An entry that the evidence does not have is said to be missing."""
    text = explain(CASE, OUTCOMES, path="x", evidence=Evidence((RECORDED,)))
    assert "recorded: 302 Found (the recorded traffic has no such entry)" in text


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (419, "  419 Page Expired (Laravel: the anti-forgery token is missing or stale)"),
        (404, "  404 Not Found"),
        (599, "  599"),
    ],
)
def test_codes_that_frameworks_made_up(code: int, line: str) -> None:
    """They are shown with their meaning; a code that nobody knows stands alone."""
    failed = outcome(1, "Log in", LOGIN, replace(REFUSED, status=code), "Status Code is wrong")
    assert line in explain(CASE, [failed], path="x.toml", evidence=EVIDENCE).splitlines()


def test_what_an_extractor_went_by() -> None:
    """The user's own values, as requests have sent them; secrets are masked, here too."""
    sources = (
        JsonPath('$[?(@.n=="${users.name}")].id'),
        RegularExpression("${users.password} ${other}"),
    )
    one = Transaction(
        Request("GET", "/list"), extractors=tuple(Extractor("id", source) for source in sources)
    )
    case = replace(CASE, pages=(Page("p", (LOGIN, one)),))
    answer = Answer(b"GET /list HTTP/1.1\r\nHost: shop:8000\r\n\r\n", body=b"[]")
    failures = tuple(
        Failure("extractor", f"Extractor found nothing for ${{id}}: {one}") for one in sources
    )
    said = explain(
        case,
        [
            outcome(0, "p", LOGIN, Answer(SENT)),
            StepOutcome(1, "p", "http://shop:8000", one, answer, failures),
        ],
        path="shop.case.toml",
        evidence=Evidence(),
        secrets=["correct+horse+battery"],
    )
    assert "it went by ${users.name} = ann%40example.org, as it was sent" in said
    assert "it went by ${other}, which no request has sent" in said
    assert "it went by ${users.password} = " in said
    assert "horse" not in said


@pytest.mark.parametrize(
    ("location", "next_path", "said"),
    [
        (b"/posts/create", "/posts/18", True),  # refused: back to the form
        (b"/posts/18", "/posts/17", False),
        (b"/posts/tea-x7", "/posts/tea-x7", False),  # the replay goes there, too
    ],
)
def test_redirect_to_another_page_that_passed(location: bytes, next_path: str, said: bool) -> None:
    """What failed may follow from it: a form that was refused redirects back to itself."""
    save = Transaction(Request("POST", "/posts"), line=12, recorded=Recorded(302, entry=0))
    case = TestCase("x", (Page("p", (save, ORDERS)),))
    saved = Answer(b"POST /posts HTTP/1.1\r\n\r\n", 302, ((b"Location", location),))
    failed = Answer(f"GET {next_path} HTTP/1.1\r\n\r\n".encode(), 404)
    outcomes = [outcome(0, "p", save, saved), outcome(1, "p", ORDERS, failed, "Status Code is 404")]
    recorded = replace(RECORDED, response_headers=(("Location", "http://shop/posts/17?saved=1"),))
    told = explain(case, outcomes, path="x.toml", evidence=Evidence((recorded,)))
    text = " ".join(told.split())
    assert ("redirected to /posts/create where /posts/17 was recorded" in text) is said
    assert ("passed before" in text) is said


def test_a_form_with_a_file_is_shown_without_it() -> None:
    """Its fields can be read; the file is its size. The file is no placeholder with a value."""
    field = "--X\r\nContent-Disposition: form-data; name="
    body = f'{field}"t"\r\n\r\n${{t}}\r\n{field}"p"; filename="x"\r\n\r\n'
    body += "${file:x.files/x}\r\n--X--"
    headers = (Header("Content-Type", "multipart/form-data; boundary=X"),)
    upload = Transaction(Request("POST", "/up", headers, body))
    sent = body.replace("${t}", "Leaf").encode().replace(b"${file:x.files/x}", b"\xff\0" * 999)
    head = b"POST /up HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=X\r\n\r\n"
    text = explained(Answer(head + sent, 403), upload).replace("  \n", "\n")
    assert '  Content-Disposition: form-data; name="t"\n\n  Leaf\n' in text
    assert 'filename="x"\n\n  (1,998 bytes)\n  --X--' in text
    assert "${t} = Leaf" in text
    assert "${file:" not in text
