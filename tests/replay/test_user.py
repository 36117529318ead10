"""A virtual user, played against by hand."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace

import pytest

from pytest_loadtool.errors import ReplayError
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
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.extractor import Extractor, JsonPath
from pytest_loadtool.model.load import Distribution, ThinkTime
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import (
    HeaderValidator,
    JsonValidator,
    RegexValidator,
    StatusCodes,
    TextValidator,
    Validator,
    XmlValidator,
)
from pytest_loadtool.replay import Plan, VirtualUser, compile_case
from tests.replay.playbook import Diary, Playbook, first_row, with_pages

SERVER = "http://127.0.0.1:8000"


def get(target: str, **more: object) -> Transaction:
    return Transaction(Request("GET", target), **more)  # type: ignore[arg-type]  # passed on


def plan_of(*transactions: Transaction, **more: object) -> Plan:
    case = TestCase("case", (Page("page", transactions),), SERVER, **more)  # type: ignore[arg-type]
    return compile_case(case)


def test_one_after_the_other() -> None:
    """Each request goes out when the one before was answered, and is due at that moment."""
    book = Playbook(plan_of(get("/a"), get("/b")))
    assert book.new == ["GET /a"]
    book.answer("GET /a")
    assert book.new == ["GET /b"]
    sent = book.answer("GET /b")
    assert sent.due == 101.0
    assert book.ended
    assert book.diary.transactions == [("GET /a", ()), ("GET /b", ())]
    assert book.diary.pages == [("page", False)]
    assert book.diary.iterations == [False]


@pytest.mark.promise(103)
@pytest.mark.parametrize(
    ("status", "passes"), [(199, False), (200, True), (399, True), (400, False)]
)
def test_status_code_validator(status: int, passes: bool) -> None:
    """200 to 399 passes without any validator of one's own."""
    book = Playbook(plan_of(get("/")))
    book.answer("GET /", status)
    [(_, failures)] = book.diary.transactions
    assert (not failures) is passes
    if not passes:
        assert failures == (Failure("status", f"Status Code is {status}, expected 200-399"),)


def test_edited_status_code() -> None:
    """An intended error code is what passes then, and the usual ones fail."""
    plan = plan_of(get("/", status=StatusCodes(((404, 404), (410, 410)))))
    for status, passes in ((404, True), (410, True), (200, False)):
        book = Playbook(plan)
        book.answer("GET /", status)
        assert (not book.diary.transactions[0][1]) is passes


BODY = b'{"name": "alice", "n": 3, "ok": true, "price": 1.5}'
GOOD = (
    TextValidator("alice"),
    TextValidator("bob", absent=True),
    RegexValidator(r'"n":\s*\d'),
    RegexValidator("bob", absent=True),
    JsonValidator("$.name", "alice"),
    JsonValidator("$.n", 3),
    JsonValidator("$.ok", True),
    JsonValidator("$.price", 1.5),
    JsonValidator("$.name"),
    JsonValidator("$.other", absent=True),
    XmlValidator("//name", absent=True),
    HeaderValidator("content-TYPE"),
    HeaderValidator("Content-Type", equals="application/json"),
    HeaderValidator("Content-Type", contains="json"),
    HeaderValidator("Content-Type", matches="^app.*/json$"),
    HeaderValidator("Set-Cookie", contains="b=2"),
    HeaderValidator("Set-Cookie", contains="c=3", absent=True),
    HeaderValidator("X-Other", absent=True),
)
BAD = (
    TextValidator("bob"),
    TextValidator("alice", absent=True),
    RegexValidator("^x"),
    RegexValidator("alice", absent=True),
    JsonValidator("$.name", "bob"),
    JsonValidator("$.n", 4),
    JsonValidator("$.ok", False),
    JsonValidator("$.other"),
    JsonValidator("$.name", absent=True),
    XmlValidator("//name"),
    HeaderValidator("X-Other"),
    HeaderValidator("Content-Type", equals="json"),
    HeaderValidator("Content-Type", contains="JSON"),
    HeaderValidator("Content-Type", matches="xml"),
    HeaderValidator("Content-Type", absent=True),
    HeaderValidator("Set-Cookie", contains="b=2", absent=True),
)
SENT = ((b"Content-Type", b"application/json"), (b"Set-Cookie", b"a=1"), (b"Set-Cookie", b"b=2"))


@pytest.mark.parametrize("validator", GOOD)
def test_validators_pass(validator: Validator) -> None:
    """Each kind of validator on a response that is as expected."""
    book = Playbook(plan_of(get("/", validators=(validator,))))
    book.answer("GET /", body=BODY, headers=SENT)
    assert book.diary.transactions == [("GET /", ())]


@pytest.mark.parametrize("validator", BAD)
def test_validators_fail(validator: Validator) -> None:
    """Each kind of validator on a response that is not."""
    book = Playbook(plan_of(get("/", validators=(validator,))))
    book.answer("GET /", body=BODY, headers=SENT)
    assert len(book.diary.transactions[0][1]) == 1


@pytest.mark.parametrize(
    ("validator", "told"),
    [
        (
            HeaderValidator("Content-Type", equals="text/html"),
            "Content-Type is application/json, expected = 'text/html'",
        ),
        (
            HeaderValidator("Set-Cookie", contains="c=3"),
            "Set-Cookie is another value, expected with 'c=3'",
        ),
        (HeaderValidator("X-Other", matches="a"), "Header X-Other matching 'a': not found"),
    ],
)
def test_a_header_that_differs_is_told(validator: Validator, told: str) -> None:
    """What came is said, but of cookies; all users' failures have one message."""
    book = Playbook(plan_of(get("/", validators=(validator,))))
    book.answer("GET /", body=BODY, headers=SENT)
    [failure] = book.diary.transactions[0][1]
    assert failure.told == told
    assert "application/json" not in failure.message


def test_xml_values_are_validated_with_the_users_values() -> None:
    """A path and a value of a document, with placeholders; and a header with one."""
    checks = (
        XmlValidator('//Order[Name="${users.name}"]/State', "open"),
        XmlValidator("//Order/@id", "${users.name}"),
        XmlValidator("//Lost", absent=True),
        HeaderValidator("X-User", equals="${users.name}"),
    )
    case = TestCase(
        "case",
        (Page("p", (get("/", validators=checks),)),),
        SERVER,
        datasets=(DatasetUse("users", "users.csv"),),
    )
    plan = compile_case(case, datasets={"users": Dataset(("name",), (("Ann",), ("Bob",)))})
    for row in (0, 1):
        diary = Diary()
        user = VirtualUser(plan, lambda _use, _rows, _iteration, row=row: row, diary)  # type: ignore[misc]
        book = Playbook(plan, user, diary)
        document = b'<Orders><Order id="Ann"><Name>Ann</Name><State>open</State></Order></Orders>'
        book.answer("GET /", body=document, headers=((b"X-User", b"Ann"),))
        failures = book.diary.transactions[0][1]
        assert [one.cause for one in failures] == ([] if row == 0 else ["xml", "xml", "header"])


def test_all_failures_are_reported_status_first() -> None:
    """Nothing hides behind the first failure."""
    book = Playbook(plan_of(get("/", validators=(TextValidator("x"), RegexValidator("y")))))
    book.answer("GET /", 500, b"oops")
    assert [one.cause for one in book.diary.transactions[0][1]] == ["status", "text", "regex"]


def test_compressed_bodies_are_read() -> None:
    """Validators see the text, whatever the content coding."""
    book = Playbook(plan_of(get("/", validators=(TextValidator("alice"),))))
    book.answer("GET /", body=gzip.compress(BODY), headers=((b"Content-Encoding", b"gzip"),))
    assert book.diary.transactions == [("GET /", ())]


def test_a_broken_body_is_its_own_cause() -> None:
    """A body that cannot be decoded fails as that, not as missing text."""
    book = Playbook(plan_of(get("/", validators=(TextValidator("alice"),))))
    book.answer("GET /", body=b"no gzip", headers=((b"Content-Encoding", b"gzip"),))
    assert book.diary.transactions[0][1][0].cause == "decoding"


def test_more_than_one_content_encoding() -> None:
    """A second header counts as a longer list (RFC 9110 §5.3); so do codings of the transfer."""
    book = Playbook(plan_of(get("/", validators=(TextValidator("alice"),))))
    twice = gzip.compress(gzip.compress(BODY))
    book.answer("GET /", body=twice, headers=((b"Content-Encoding", b"gzip"),) * 2)
    assert book.diary.transactions == [("GET /", ())]
    book = Playbook(plan_of(get("/", validators=(TextValidator("alice"),))))
    codings = ((b"Content-Encoding", b"gzip"), (b"Transfer-Encoding", b"gzip, chunked"))
    book.answer("GET /", body=twice, headers=codings)
    assert book.diary.transactions == [("GET /", ())]


@pytest.mark.parametrize("validator", [JsonValidator("$.a"), TextValidator("a", absent=True)])
def test_json_that_is_nested_too_deeply(validator: JsonValidator) -> None:
    """It is not JSON to look into; as a text it is one."""
    book = Playbook(plan_of(get("/", validators=(validator,))))
    book.answer("GET /", body=b"[" * 200_000)
    [(_, failures)] = book.diary.transactions
    assert [one.cause for one in failures] == (["json"] if "$" in repr(validator) else [])


def test_whatever_goes_wrong_in_judging_is_a_failure() -> None:
    """The user and all others go on; the failure says what and where, and no secret."""
    plan = plan_of(get("/a"), get("/b"))

    def broken(*_: object) -> Failure | None:
        raise LookupError("what the server sent")

    step = plan.pages[0].steps[0]
    page = replace(plan.pages[0], steps=(replace(step, checks=(broken,)), plan.pages[0].steps[1]))
    book = Playbook(with_pages(plan, page))
    book.answer("GET /a", 500)
    book.answer("GET /b")
    assert book.ended
    (_, [status, failure]), (_, none) = book.diary.transactions
    assert status.cause == "status"
    assert failure.cause == "internal"
    assert re.match(r"LookupError in pytest_loadtool/replay/user/user\.py:\d+: ", failure.message)
    assert "what the server sent" not in failure.message
    assert none == ()


TOKEN = Extractor("token", JsonPath("$.token"))


def test_a_lone_surrogate_goes_anywhere() -> None:
    """JSON can hold one and nothing that is sent can: it becomes a question mark."""
    reference = "${token}"
    multipart = f'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n{reference}\r\n--b--'
    bodies = {
        "application/json": f'{{"a": "{reference}", "b": {reference}}}',
        "application/x-www-form-urlencoded": f"a={reference}",
        "application/xml": f"<a>{reference}</a>",
        "multipart/form-data; boundary=b": multipart,
        "text/plain": reference,
    }
    posts = [
        Transaction(
            Request(
                "POST",
                f"/{number}/{reference}?a={reference}",
                (Header("Content-Type", kind), Header("X-Token", reference)),
                body,
                cookies=(f"token={reference}",),
            )
        )
        for number, (kind, body) in enumerate(bodies.items())
    ]
    variable = Variable("token", recorded="recorded", set_by="asm")
    plan = plan_of(get("/login", extractors=(TOKEN,)), *posts, variables={"token": variable})
    book = Playbook(plan)
    book.answer("GET /login", body=b'{"token": "\\ud800x"}')
    for number in range(len(bodies)):
        [line] = book.new
        sent = book.answer(line)
        assert line == f"POST /{number}/%3Fx?a=%3Fx"
        assert b"X-Token: ?x\r\n" in sent.data
        assert b"Cookie: token=?x\r\n" in sent.data
        assert b"?x" in sent.data.partition(b"\r\n\r\n")[2].replace(b"%3F", b"?")
    assert book.ended


def token_plan() -> Plan:
    variable = Variable("token", recorded="recorded", set_by="asm")
    return plan_of(
        get("/login", extractors=(TOKEN,)), get("/me?t=${token}"), variables={"token": variable}
    )


def test_extracted_values_are_used() -> None:
    """What an extractor takes goes into the next request, encoded."""
    plan = token_plan()
    user = VirtualUser(plan, first_row, Diary())
    book = Playbook(plan, user)
    book.answer("GET /login", body=b'{"token": "a b"}')
    assert book.new == ["GET /me?t=a%20b"]
    assert user.values == {"token": "a b"}


def test_extractor_that_finds_nothing() -> None:
    """Its own transaction fails, and the recorded value goes out for the server to judge."""
    book = Playbook(token_plan())
    book.answer("GET /login", body=b"{}")
    assert book.diary.transactions[0][1] == (
        Failure("extractor", "Extractor found nothing for ${token}: JSON path $.token"),
    )
    assert book.new == ["GET /me?t=recorded"]


def test_cookies_are_carried() -> None:
    """A cookie that a response sets is in the next request."""
    plan = plan_of(get("/a"), get("/b"))
    book = Playbook(plan)
    book.answer("GET /a", headers=((b"Set-Cookie", b"sid=1; Path=/"),))
    assert b"\r\nCookie: sid=1\r\n" in book.answer("GET /b").data


def test_each_iteration_is_a_new_user() -> None:
    """Cookies and variables of the last iteration are gone."""
    plan, diary = token_plan(), Diary()
    first = Playbook(plan, diary=diary)
    first.answer("GET /login", body=b'{"token": "x"}', headers=((b"Set-Cookie", b"a=1; Path=/"),))
    first.answer("GET /me?t=x")
    second = Playbook(plan, first.user, diary)
    sent = second.answer("GET /login", body=b"{}")
    assert b"Cookie" not in sent.data
    assert second.new == ["GET /me?t=recorded"]


def recorded_page(kind: Kind = Kind.HTML) -> Plan:
    return plan_of(
        get("/", recorded=Recorded(200, kind, at=0.0, took=1.0)),
        get("/a.css", recorded=Recorded(200, Kind.CSS, at=1.1, took=1.0)),
        get("/b.js", recorded=Recorded(200, Kind.JAVASCRIPT, at=1.1, took=2.0)),
        get("/api", recorded=Recorded(200, Kind.JSON, at=3.2, took=1.0)),
    )


def test_resources_go_out_together() -> None:
    """As the recording overlapped them, on connections of their own."""
    book = Playbook(recorded_page())
    assert book.new == ["GET /"]
    first = book.answer("GET /")
    assert book.new == ["GET /a.css", "GET /b.js"]
    slots = {send.slot for send in book.under_way.values()}
    assert len(slots) == 2
    assert first.slot in slots
    book.answer("GET /b.js")
    assert book.new == []
    book.answer("GET /a.css")
    assert book.new == ["GET /api"]
    book.answer("GET /api")
    assert book.ended
    assert len(book.diary.transactions) == 4


def test_a_header_set_waits_for_its_values() -> None:
    """Overlap when recorded does not send a request before the response that its header needs."""
    plan = plan_of(
        get("/t", extractors=(TOKEN,), recorded=Recorded(200, at=0.0, took=2.0)),
        get("/a", recorded=Recorded(200, at=1.0, took=2.0)),
        Transaction(
            Request("GET", "/b", header_set="signed"), recorded=Recorded(200, at=1.0, took=2.0)
        ),
        header_sets={"signed": (Header("X-Token", "${token}"),)},
    )
    book = Playbook(plan)
    assert "GET /b" not in book.new
    book.answer("GET /t", body=b'{"token": "abc"}')
    assert b"X-Token: abc\r\n" in book.answer("GET /b").data


def test_at_most_six_connections_per_host() -> None:
    """A page of twenty images is loaded six at a time."""
    images = [
        get(f"/{i}.png", recorded=Recorded(200, Kind.IMAGE, at=0.0, took=1.0)) for i in range(20)
    ]
    book = Playbook(plan_of(*images))
    assert len(book.new) == 6
    while not book.ended:
        assert len(book.under_way) <= 6
        book.answer(next(iter(book.under_way)))
    assert len(book.diary.transactions) == 20


def test_a_page_whose_document_does_not_come_is_left() -> None:
    """Nothing would ask for its resources; the next page is tried."""
    book = Playbook(recorded_page())
    book.answer("GET /", failure=Failure("reset", "gone"))
    assert book.ended
    assert book.diary.pages == [("page", True)]


def test_an_error_status_does_not_stop_the_page() -> None:
    """Replay goes on after errors: one cause can show in many transactions."""
    book = Playbook(recorded_page())
    book.answer("GET /", 500)
    assert book.new == ["GET /a.css", "GET /b.js"]


def thinking_case() -> TestCase:
    pages = (Page("one", (get("/1"),), 8.0), Page("two", (get("/2"),), 5.0))
    return TestCase("case", pages, SERVER)


@pytest.mark.parametrize(
    ("think_time", "pause"),
    [(None, 8.0), (ThinkTime(scale=0.5), 4.0), (ThinkTime(cap=3.0), 3.0)],
)
def test_think_time(think_time: ThinkTime | None, pause: float) -> None:
    """After a page, as recorded, scaled or capped; none after the last page."""
    book = Playbook(compile_case(thinking_case(), think_time=think_time))
    book.answer("GET /1")
    assert book.wait == pause
    book.wake()
    assert book.new == ["GET /2"]
    due = book.clock
    assert book.answer("GET /2").due == due
    assert book.ended


def test_no_think_time() -> None:
    """Scale 0 goes from page to page at once."""
    book = Playbook(compile_case(thinking_case(), think_time=ThinkTime(scale=0)))
    book.answer("GET /1")
    assert book.new == ["GET /2"]


def spa_page(*pauses: float) -> Page:
    """A document with two calls of its script, then a call for each pause."""
    recorded = [(0.0, 0.1, 0.0), (0.2, 0.1, 0.0), (0.2, 0.2, 0.0)]
    for pause in pauses:
        at = recorded[-1][0] + recorded[-1][1] + pause
        recorded.append((at, 0.1, pause))
    return Page(
        "spa",
        tuple(
            get(
                f"/{n}",
                recorded=Recorded(
                    200, Kind.HTML if not n else Kind.JSON, None, at, took, (), pause
                ),
            )
            for n, (at, took, pause) in enumerate(recorded)
        ),
        5.0,
    )


@pytest.mark.parametrize(
    ("think_time", "waits"),
    [
        (None, [3.0, 2.0]),
        (ThinkTime(scale=0.5), [1.5, 1.0]),
        (ThinkTime(cap=2.5), [2.5, 2.0]),
        (ThinkTime(drawn=Distribution("constant", (4.0,))), [4.0, 4.0]),
    ],
)
def test_pauses_within_a_page(think_time: ThinkTime | None, waits: list[float]) -> None:
    """What a person took to think before a click in an application of one document is waited for
    as any think time, once all before it has come; it is no time of the page."""
    book = Playbook(
        compile_case(TestCase("spa", (spa_page(3.0, 2.0),), SERVER), think_time=think_time)
    )
    book.answer("GET /0")
    assert book.new == ["GET /1", "GET /2"]
    book.answer("GET /2")
    assert (book.new, book.wait) == ([], None)
    book.answer("GET /1")
    for number, wait in enumerate(waits, 3):
        assert book.wait == pytest.approx(wait)
        book.wake()
        assert book.new == [f"GET /{number}"]
        due = book.clock
        assert book.answer(f"GET /{number}").due == due
    assert book.ended
    assert book.diary.pages == [("spa", False)]
    assert book.diary.durations == [pytest.approx(5.0)]  # a second for each answer


def test_no_pauses_within_a_page() -> None:
    """Without think times its calls go out as they did, but at once."""
    book = Playbook(
        compile_case(TestCase("spa", (spa_page(3.0),), SERVER), think_time=ThinkTime(scale=0))
    )
    for line in ("GET /0", "GET /1", "GET /2"):
        book.answer(line)
    assert book.new == ["GET /3"]


def test_parts_of_a_page_that_overlap() -> None:
    """After a pause, too, calls go out together as they did; a value from before it is there."""
    page = Page(
        "spa",
        (
            get("/t", extractors=(TOKEN,), recorded=Recorded(200, at=0.0, took=1.0)),
            get("/a", recorded=Recorded(200, at=3.0, took=1.0, pause=2.0)),
            get("/b?t=${token}", recorded=Recorded(200, at=3.1, took=0.2)),
            get("/c", recorded=Recorded(200, at=3.4, took=1.0)),
        ),
    )
    book = Playbook(compile_case(TestCase("spa", (page,), SERVER)))
    book.answer("GET /t", body=b'{"token": "abc"}')
    book.wake()
    assert book.new == ["GET /a", "GET /b?t=abc"]
    book.answer("GET /b?t=abc")
    assert book.new == ["GET /c"]
    book.answer("GET /c")
    book.answer("GET /a")
    assert book.ended


@pytest.mark.parametrize("stop_on_error", [False, True])
def test_a_page_that_is_left_does_not_pause(stop_on_error: bool) -> None:
    """Neither when its document does not come, nor when an error ends the iteration."""
    plan = compile_case(TestCase("spa", (spa_page(3.0), Page("next", (get("/next"),))), SERVER))
    diary = Diary()
    user = VirtualUser(plan, first_row, diary, stop_on_error=stop_on_error)
    book = Playbook(plan, user, diary)
    if stop_on_error:
        book.answer("GET /0", 500)
        assert book.ended
    else:
        book.answer("GET /0", failure=Failure("reset", "gone"))
        assert book.wait == pytest.approx(5.0)
    assert diary.pages == [("spa", True)]


def test_dataset_row() -> None:
    """The row that the virtual user claims fills its columns, in text validators, too."""
    case = TestCase(
        "case",
        (Page("p", (get("/?u=${users.name}", validators=(TextValidator("Hi ${users.name}"),)),)),),
        SERVER,
        datasets=(DatasetUse("users", "users.csv"),),
    )
    plan = compile_case(
        case, datasets={"users": Dataset(("id", "name"), (("1", "al"), ("2", "bo")))}
    )
    diary = Diary()
    book = Playbook(plan, VirtualUser(plan, lambda _use, _rows, _iteration: 1, diary), diary)
    book.answer("GET /?u=bo", body=b"Hi bo!")
    assert diary.transactions == [("GET /", ())]
    with pytest.raises(ReplayError, match="dataset 'users' has no row left"):
        Playbook(plan, VirtualUser(plan, lambda _use, _rows, _iteration: None, diary), diary)


def test_environment_variable() -> None:
    """A variable's value can come from the environment; a missing one is named."""
    case = TestCase(
        "c",
        (Page("p", (get("/?k=${key}"),)),),
        SERVER,
        variables={"key": Variable("key", env="KEY")},
    )
    assert Playbook(compile_case(case, environ={"KEY": "s3"})).new == ["GET /?k=s3"]
    with pytest.raises(ReplayError, match="the environment variable KEY is not set"):
        compile_case(case)


def test_server_can_be_replaced() -> None:
    """A case recorded on one server is replayed on another; without any it is refused in words."""
    case = TestCase(
        "c", (Page("p", (Transaction(Request("GET", "/", (Header("Host"),))),)),), SERVER
    )
    sent = Playbook(compile_case(case, server="https://staging:8443/")).answer("GET /")
    assert b"Host: staging:8443\r\n" in sent.data
    assert (sent.step.origin.scheme, sent.step.origin.port) == ("https", 8443)
    with pytest.raises(ReplayError, match="no server to send it to"):
        compile_case(TestCase("c", case.pages))
