"""Virtual users that authenticate: how many requests, on which connections, with what in them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
import spnego

from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import Header, Request, Transaction
from pytest_loadtool.model.dataset import Dataset
from pytest_loadtool.model.extractor import CookieValue, Extractor
from pytest_loadtool.model.validator import StatusCodes
from tests.replay.talking import ALICE, CLOSED, TOOK, Answer, Asked, Respond, Talk, planned, shown

DOMAIN_ALICE = Identity(r"EXAMPLE\alice", "${PASSWORD}")
USERS = Dataset(("username", "password"), (("alice", "s3cret"), ("bob", "wr0ng")))
OF_DATASET = Identity("${users.username}", "${users.password}")
POST = Transaction(
    Request("POST", "/upload", (Header("Content-Type", "text/plain"),), body="much " * 1000)
)


def basic(realm: str = "R", accepted: str = "alice:s3cret", space: str = "/") -> Respond:
    """A server that asks for Basic below ``space``."""
    expected = f"Basic {b64encode(accepted.encode()).decode()}"

    def respond(asked: Asked) -> Answer:
        path = urlsplit(asked.line.split()[1]).path
        if not path.startswith(space) or asked.credentials == expected:
            return Answer()
        return Answer(401, (f'Basic realm="{realm}"',))

    return respond


class Ntlm:
    """A server that asks for NTLM by connection; pyspnego checks what it gets."""

    def __init__(
        self, tmp_path: object, monkeypatch: pytest.MonkeyPatch, *offered: str, close: bool = False
    ) -> None:
        file = f"{tmp_path}/users"
        with open(file, "w") as users:  # noqa: PTH123
            users.write("EXAMPLE:alice:s3cret\nEXAMPLE:bob:s3cret\n")
        monkeypatch.setenv("NTLM_USER_FILE", file)
        self.offered = offered or ("Negotiate", "NTLM")
        self.close = close
        self.contexts: dict[int, spnego.ContextProxy] = {}
        self.inside: set[int] = set()

    def __call__(self, asked: Asked) -> Answer:
        if asked.connection in self.inside:
            assert not asked.credentials, "the connection is authenticated already"
            return Answer()
        scheme, _, token = asked.credentials.partition(" ")
        if not token:
            return Answer(401, self.offered)
        context = self.contexts.get(asked.connection)
        if context is None:
            context = spnego.server(protocol="ntlm", options=spnego.NegotiateOptions.use_ntlm)
            self.contexts[asked.connection] = context
        try:
            challenge = context.step(b64decode(token))
        except spnego.exceptions.SpnegoError:
            del self.contexts[asked.connection]
            return Answer(401, self.offered)
        if context.complete:
            self.inside.add(asked.connection)
            return Answer()
        assert challenge
        return Answer(401, (f"{scheme} {b64encode(challenge).decode()}",), close=self.close)


@pytest.fixture
def ntlm(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Ntlm:
    """A server that asks for Negotiate or NTLM."""
    return Ntlm(tmp_path, monkeypatch)


@pytest.mark.promise(81)
@pytest.mark.promise(131)
def test_basic_takes_two_requests_for_the_first_url_and_one_for_the_others() -> None:
    """The same request again with credentials; then they go ahead in the directory."""
    talk = Talk(planned("/a/1", "/a/2?x=1", "/a/b/3"), basic())
    assert talk.iterate() == [
        *("1 GET /a/1", "1 GET /a/1 Basic"),
        *("1 GET /a/2?x=1 Basic", "1 GET /a/b/3 Basic"),
    ]
    assert talk.diary.negotiated == ["GET /a/1"]
    assert [failures for _, failures in talk.diary.transactions] == [(), (), ()]


@pytest.mark.promise(82)
def test_credentials_go_ahead_in_what_they_protect_and_no_further() -> None:
    """Outside of the challenged directory the server has to ask first."""
    talk = Talk(planned("/a/1", "/b/1", "/", "/a/2"), basic(space="/a/"))
    assert talk.iterate() == [
        *("1 GET /a/1", "1 GET /a/1 Basic", "1 GET /b/1", "1 GET /", "1 GET /a/2 Basic"),
    ]


@pytest.mark.promise(82)
def test_credentials_do_not_cross_realms() -> None:
    """An identity for one realm does not answer for another: that 401 is the response."""
    inner, outer = basic("inner", "bob:s3cret"), basic("outer")

    def respond(asked: Asked) -> Answer:
        return (inner if "/in/" in asked.line else outer)(asked)

    bob = Identity("bob", "${PASSWORD}", realm="inner")
    alice = Identity("alice", "${PASSWORD}", realm="outer")
    talk = Talk(planned("/in/1", "/1", "/in/2", "/2", identities=(bob, alice)), respond)
    assert talk.iterate() == [
        *("1 GET /in/1", "1 GET /in/1 Basic", "1 GET /1", "1 GET /1 Basic"),
        *("1 GET /in/2 Basic", "1 GET /2 Basic"),
    ]
    talk = Talk(planned("/in/1", "/1", identities=(alice,)), respond)
    assert talk.iterate() == ["1 GET /in/1", "1 GET /1", "1 GET /1 Basic"]
    (failure,) = talk.diary.transactions[0][1]
    assert failure.cause == "status"


@pytest.mark.promise(82)
def test_credentials_do_not_cross_hosts() -> None:
    """Another host, or port, that asks gets none, unless an identity names it."""
    elsewhere = ("http://other.example/", "http://shop.example:8080/")
    talk = Talk(planned("/", *elsewhere), basic())
    assert talk.iterate() == ["1 GET /", "1 GET / Basic", "2 GET /", "3 GET /"]
    named = Identity("alice", "${PASSWORD}", host="other.example:80")
    talk = Talk(planned("/", *elsewhere, identities=(named,)), basic())
    assert talk.iterate() == ["1 GET /", "2 GET /", "2 GET / Basic", "3 GET /"]


def test_credentials_ahead_of_any_challenge() -> None:
    """As the clients of some APIs send them."""
    ahead = Identity("alice", "${PASSWORD}", ahead=True)
    talk = Talk(planned("/a/1", "/b/2", identities=(ahead,)), basic())
    assert talk.iterate() == ["1 GET /a/1 Basic", "1 GET /b/2 Basic"]
    assert talk.diary.negotiated == []
    talk = Talk(planned("/a/1", "/b/2", identities=(ahead,)), basic(accepted="alice:other"))
    assert talk.iterate() == ["1 GET /a/1 Basic"]
    (failure,) = talk.diary.transactions[0][1]
    assert failure.cause == "auth"


def test_credentials_that_go_ahead_wait_for_nobody_and_end_with_the_first_refusal() -> None:
    """All requests under way bring wrong ones; no later request does, of whichever user."""
    ahead = Identity("alice", "${PASSWORD}", ahead=True)
    plan = planned("/1", *SIX[:3], identities=(ahead,), overlapped=True)
    asks = basic(accepted="alice:other", space="/a/")
    talks = [Talk(plan, asks) for _ in range(2)]
    assert talks[0].iterate() == [
        "1 GET /1 Basic",
        *(f"{number} GET {path} Basic" for number, path in zip((1, 2, 3), SIX, strict=False)),
    ]
    assert not any(line.endswith("Basic") for line in talks[1].iterate() + talks[0].iterate())


def test_a_step_with_credentials_of_its_own_keeps_them() -> None:
    """A bearer token is not replaced, and what the server says to it is the response."""
    own = Transaction(Request("GET", "/api", (Header("Authorization", "Bearer x"),)))
    talk = Talk(planned("/", own), basic())
    assert talk.iterate() == ["1 GET /", "1 GET / Basic", "1 GET /api Bearer"]


@pytest.mark.parametrize("challenges", [(), ('Bearer realm="R", error="invalid_token"',)])
def test_a_401_that_asks_for_nothing_known_is_a_response(challenges: tuple[str, ...]) -> None:
    """Without WWW-Authenticate, or with Bearer alone: one request, judged by its status."""
    talk = Talk(planned("/"), lambda _: Answer(401, challenges))
    assert talk.iterate() == ["1 GET /"]
    (failure,) = talk.diary.transactions[0][1]
    assert failure.message == "Status Code is 401, expected 200-399"
    assert talk.diary.negotiated == []


@pytest.mark.parametrize("keep_state", [False, True])
@pytest.mark.parametrize("ahead", [False, True])
def test_refused_credentials_are_sent_once_in_the_life_of_a_user(
    ahead: bool, keep_state: bool
) -> None:
    """No account is locked: one failure with the row for each iteration, which is over then."""
    who = replace(OF_DATASET, ahead=ahead)
    plan = planned("/a", "/b", identities=(who,), dataset=USERS)
    talk = Talk(plan, basic(), rows=(1,), keep_state=keep_state)
    asked = [] if ahead else ["1 GET /a"]
    assert talk.iterate() == [*asked, "1 GET /a Basic"]
    assert talk.iterate() == ["2 GET /a"]
    assert talk.iterate() == ["3 GET /a"]
    failures = {failure for _, some in talk.diary.transactions for failure in some}
    ((cause, message),) = {(one.cause, one.message) for one in failures}
    assert cause == "auth"
    assert message == (
        "wrong user name or password: the server refuses row 2 of users.csv (Basic, realm 'R')"
    )
    assert talk.diary.iterations == [True] * 3
    assert len(talk.diary.transactions) == 3


def test_what_was_refused_of_one_row_is_not_refused_of_another() -> None:
    """Nor elsewhere; and the row is not tried when its turn comes again."""
    users = Dataset(USERS.columns, (*USERS.rows, ("bob", "s3cret")))
    elsewhere = replace(OF_DATASET, host="other.example")
    plan = planned(
        "/a", "http://other.example/a", identities=(OF_DATASET, elsewhere), dataset=users
    )
    talk = Talk(plan, basic(accepted="bob:s3cret"), rows=(1, 2, 1, 2))
    there = ["GET /a", "GET /a Basic"]
    assert talk.iterate() == [f"1 {one}" for one in there]
    assert talk.iterate() == [f"{number} {one}" for number in (2, 3) for one in there]
    assert talk.iterate() == ["4 GET /a"]
    assert talk.iterate() == [f"{number} {one}" for number in (5, 6) for one in there]


def test_refused_in_one_realm() -> None:
    """Which says nothing of another."""
    inner, outer = basic("inner", "alice:other"), basic("outer")
    refused = Transaction(Request("GET", "/in/1"), status=StatusCodes(((200, 401),)))
    talk = Talk(
        planned(refused, "/1"),
        lambda asked: (inner if "/in/" in asked.line else outer)(asked),
    )
    assert talk.iterate() == [
        *("1 GET /in/1", "1 GET /in/1 Basic", "1 GET /1", "1 GET /1 Basic"),
    ]
    assert talk.iterate() == ["2 GET /in/1", "2 GET /1", "2 GET /1 Basic"]


#: Requests that bring something of each scheme, until it is known who asks.
TRIES = {"Basic": 1, "NTLM": 2}

SIX = tuple(f"/a/{number}" for number in range(2, 8))


@pytest.mark.parametrize("scheme", ["Basic", "NTLM"])
def test_a_wrong_password_is_tried_on_one_of_six_connections(
    scheme: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others wait for what becomes of it, and fail with the same message."""
    asks: Respond = basic(accepted="alice:other", space="/a/")
    if scheme == "NTLM":
        asks = Ntlm(tmp_path, monkeypatch, "NTLM")
    wrong = Identity(r"EXAMPLE\alice", "${PASSWORD}x")
    plan = planned("/1", *SIX, identities=(wrong,), overlapped=True)

    def respond(asked: Asked) -> Answer:
        return Answer() if asked.line == "GET /1" else asks(asked)

    talk = Talk(plan, respond)
    lines = talk.iterate()
    assert sum(line.endswith(scheme) for line in lines) == TRIES[scheme]
    assert len(lines) == 1 + 6 + TRIES[scheme]
    failures = [failure for _, some in talk.diary.transactions for failure in some]
    assert len(failures) == 6
    assert len(set(failures)) == 1
    assert len(talk.iterate()) == 1 + 6


@pytest.mark.parametrize("space", ["/a/", "/"])
def test_a_right_password_lets_those_go_on_that_have_waited(space: str) -> None:
    """So many requests as if each connection had tried it; each is taken once."""
    plan = planned("/1", *SIX, identities=(OF_DATASET,), dataset=USERS, overlapped=True)
    talk = Talk(plan, basic(space=space), rows=(0, 0))
    for _ in range(2):
        lines = talk.iterate()
        asked = 6 if space == "/a/" else 1
        assert len(lines) == 7 + asked
        assert sum(line.endswith("Basic") for line in lines) == 6 + (space == "/")
    assert not any(failures for _, failures in talk.diary.transactions)
    assert len(talk.diary.transactions) == 2 * 7


def test_who_waits_tries_when_the_first_gets_no_answer(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection is closed in the middle, which says nothing of the credentials."""
    asks = Ntlm(tmp_path, monkeypatch, "NTLM", close=True)
    plan = planned("/1", *SIX[:3], identities=(DOMAIN_ALICE,), overlapped=True)
    talk = Talk(plan, lambda asked: Answer() if asked.line == "GET /1" else asks(asked))
    lines = talk.iterate()
    assert [one.partition(" ")[2] for one in lines if one.endswith("NTLM")] == [
        *("GET /a/2 NTLM", "GET /a/3 NTLM", "GET /a/4 NTLM"),
    ]
    assert [failures for _, failures in talk.diary.transactions] == [(), *[(CLOSED,)] * 3]


@pytest.mark.parametrize("scheme", ["Basic", "NTLM"])
@pytest.mark.parametrize("wrong", [True, False])
def test_users_who_share_their_credentials(
    wrong: bool, scheme: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them tries, and the others wait for that: each fails with the same message, or is let
    in."""
    right: Respond = basic(accepted=r"EXAMPLE\alice:s3cret")
    who = Identity(r"EXAMPLE\alice", "${PASSWORD}x" if wrong else "${PASSWORD}")
    plan = planned("/1", "/2", identities=(who,))
    asks = [Ntlm(tmp_path, monkeypatch, "NTLM") if scheme == "NTLM" else right for _ in range(5)]
    talks = [Talk(plan, one) for one in asks]
    acting = [one.steps() for one in talks]
    while acting:  # a step of each in turn
        acting = [one for one in acting if next(one, acting) is not acting]
    asked = [[shown(one) for one in talk.asked] for talk in talks]
    tries = TRIES[scheme]
    first = ["1 GET /1", *[f"1 GET /1 {scheme}"] * tries]
    if wrong:
        assert asked == [first, *[["1 GET /1"]] * 4]
    else:
        last = "1 GET /2" if scheme == "NTLM" else "1 GET /2 Basic"
        assert asked == [[*first, last]] * 5
    failures = [
        failure for talk in talks for _, some in talk.diary.transactions for failure in some
    ]
    assert len(failures) == (5 if wrong else 0)
    assert len(set(failures)) == (1 if wrong else 0)
    assert not wrong or {one.cause for one in failures} == {"auth"}


def test_a_password_that_is_taken_from_a_response() -> None:
    """It is as it is when the server asks: what was refused of an old one is nothing to a new."""
    token = Transaction(
        Request("GET", "/token"), extractors=(Extractor("token", CookieValue("token")),)
    )
    given = iter(["old", "new"])
    asks = basic(accepted="alice:new", space="/a/")

    def respond(asked: Asked) -> Answer:
        return Answer(cookie=f"token={next(given)}") if asked.line == "GET /token" else asks(asked)

    who = Identity("alice", "${token}")
    talk = Talk(planned(token, "/a/1", "/a/2", identities=(who,)), respond, keep_state=True)
    assert talk.iterate() == ["1 GET /token", "1 GET /a/1", "1 GET /a/1 Basic"]
    assert talk.iterate() == [
        *("2 GET /token", "2 GET /a/1", "2 GET /a/1 Basic", "2 GET /a/2 Basic"),
    ]


@pytest.mark.parametrize("scheme", ["Basic", "NTLM"])
def test_an_error_in_place_of_a_verdict(
    scheme: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong password is not taken for right: of those who wait one tries it next, not all."""
    asks: Respond = basic(accepted="alice:other", space="/a/")
    if scheme == "NTLM":
        asks = Ntlm(tmp_path, monkeypatch, "NTLM")
    wrong = Identity(r"EXAMPLE\alice", "${PASSWORD}x")
    plan = planned("/1", *SIX, identities=(wrong,), overlapped=True)
    errors = iter([503])

    def respond(asked: Asked) -> Answer:
        answer = Answer() if asked.line == "GET /1" else asks(asked)
        refused = asked.credentials and answer.challenges in (("NTLM",), ('Basic realm="R"',))
        return Answer(next(errors, 401), answer.challenges) if refused else answer

    talk = Talk(plan, respond)
    lines = talk.iterate()
    assert sum(line.endswith(scheme) for line in lines) == 2 * TRIES[scheme]
    causes = [failure.cause for _, some in talk.diary.transactions for failure in some]
    assert sorted(causes) == ["auth"] * 5 + ["status"]


def test_an_answer_to_a_request_whose_body_was_left_out(ntlm: Ntlm) -> None:
    """Whatever it is, the server has not seen that; one without a body needs nothing more."""

    def respond(asked: Asked) -> Answer:
        return Answer() if asked.credentials else ntlm(asked)

    talk = Talk(planned("/1", POST, identities=(DOMAIN_ALICE,)), respond)
    assert talk.iterate() == [
        *("1 GET /1", "1 GET /1 Negotiate", "1 POST /upload", "1 POST /upload Negotiate"),
    ]
    (_, nothing), (_, (failure,)) = talk.diary.transactions
    assert nothing == ()
    assert failure.cause == "auth"
    assert failure.message.startswith("200 in the middle of the Negotiate handshake: nobody")


def test_a_refusal_that_the_test_case_wants() -> None:
    """Where 401 is accepted, wrong credentials are no failure."""
    refused = Transaction(Request("GET", "/a"), status=StatusCodes(((401, 401),)))
    talk = Talk(planned(refused, "/b"), basic(accepted="alice:other"))
    talk.iterate()
    causes = [[one.cause for one in failures] for _, failures in talk.diary.transactions]
    assert causes == [[], ["auth"]]


def test_credentials_that_were_accepted_and_are_no_more() -> None:
    """A password that changes meanwhile: what is refused is not sent once more."""
    accepted = iter([basic()] * 3 + [basic(accepted="alice:new")] * 9)
    talk = Talk(planned("/1", "/2", "/3", "/4"), lambda asked: next(accepted)(asked))
    assert talk.iterate() == [
        *("1 GET /1", "1 GET /1 Basic", "1 GET /2 Basic", "1 GET /3 Basic"),
    ]


@pytest.mark.promise(83)
@pytest.mark.promise(85)
@pytest.mark.promise(86)
@pytest.mark.promise(131)
def test_ntlm_takes_three_requests_for_the_first_url_of_a_connection(ntlm: Ntlm) -> None:
    """Asked, a token without credentials, the answer; then nothing more on this connection."""
    talk = Talk(planned("/1", "/2", "/3", identities=(DOMAIN_ALICE,)), ntlm)
    assert talk.iterate() == [
        *("1 GET /1", "1 GET /1 Negotiate", "1 GET /1 Negotiate", "1 GET /2", "1 GET /3"),
    ]
    assert talk.diary.negotiated == ["GET /1", "GET /1"]
    assert [failures for _, failures in talk.diary.transactions] == [(), (), ()]
    first, second = (one.credentials for one in talk.asked[1:3])
    assert b"alice" not in b64decode(first.split()[1]).replace(b"\0", b"")
    assert b"alice" in b64decode(second.split()[1]).replace(b"\0", b"")


@pytest.mark.promise(86)
def test_each_of_six_connections_authenticates_once(ntlm: Ntlm) -> None:
    """Two requests more for each, none for what comes later on them."""
    targets = [f"/{number}" for number in range(13)]
    talk = Talk(planned(*targets, identities=(DOMAIN_ALICE,), overlapped=True), ntlm)
    lines = talk.iterate()
    connections = {line.split()[0] for line in lines}
    assert len(connections) == 6
    assert len(lines) == 13 + 2 * 6
    assert len(talk.diary.negotiated) == 2 * 6
    assert not any(failures for _, failures in talk.diary.transactions)


@pytest.mark.promise(87)
def test_a_large_post_first_on_a_connection_is_sent_twice(ntlm: Ntlm) -> None:
    """Its body goes with the first request and the last; between them is an empty one."""
    talk = Talk(planned(POST, identities=(DOMAIN_ALICE,)), ntlm)
    assert len(talk.iterate()) == 3
    assert [len(one.body) for one in talk.asked] == [5000, 0, 5000]
    assert [one.headers["content-length"] for one in talk.asked] == ["5000", "0", "5000"]
    assert [one.send.repeatable for one in talk.asked] == [False, True, False]
    assert [one.send.bound for one in talk.asked] == [False, False, True]


def test_a_connection_that_closes_in_the_middle(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer belongs to it: it goes out on no other, and the transaction fails."""
    talk = Talk(planned("/"), Ntlm(tmp_path, monkeypatch, "NTLM", close=True))
    assert talk.iterate() == ["1 GET /", "1 GET / NTLM"]
    (failure,) = talk.diary.transactions[0][1]
    assert failure.cause == "auth"


def test_a_connection_that_closes_before(ntlm: Ntlm) -> None:
    """The handshake begins on the next one."""

    def respond(asked: Asked) -> Answer:
        answer = ntlm(asked)
        answer.close = not asked.credentials and answer.status == 401
        return answer

    talk = Talk(planned("/", identities=(DOMAIN_ALICE,)), respond)
    assert talk.iterate() == ["1 GET /", "2 GET / Negotiate", "2 GET / Negotiate"]


def test_ntlm_that_is_refused(ntlm: Ntlm) -> None:
    """A wrong password: three requests, one failure."""
    wrong = Identity(r"EXAMPLE\alice", "${PASSWORD}x")
    talk = Talk(planned("/1", "/2", identities=(wrong,)), ntlm)
    assert talk.iterate() == ["1 GET /1", *["1 GET /1 Negotiate"] * 2]
    ((_, (failure,)),) = talk.diary.transactions
    assert failure.message == (
        "wrong user name or password: the server refuses the user EXAMPLE\\alice (Negotiate)"
    )


def test_ntlm_of_an_application_in_this_process() -> None:
    """It has no connection that could be authenticated: refused by name."""
    talk = Talk(planned("/", app="shop:app"), lambda _: Answer(401, ("NTLM",)))
    assert talk.iterate() == ["1 GET /"]
    ((_, (failure,)),) = talk.diary.transactions
    assert failure.cause == "auth"
    assert failure.message.startswith("NTLM authenticates a connection, which an application")


def test_a_connection_is_never_somebody_elses(ntlm: Ntlm) -> None:
    """Where connections are kept and the next iteration has another row, new ones are opened."""
    rows = ((r"EXAMPLE\alice", "s3cret"), (r"EXAMPLE\bob", "s3cret"))
    users = Dataset(("username", "password"), rows)
    plan = planned("/1", identities=(OF_DATASET,), dataset=users)
    talk = Talk(plan, ntlm, keep_connections=True, rows=(0, 0, 1))
    first = ["1 GET /1", "1 GET /1 Negotiate", "1 GET /1 Negotiate"]
    assert talk.iterate() == first
    assert talk.iterate() == ["1 GET /1"]
    assert talk.iterate() == [line.replace("1", "2", 1) for line in first]


@pytest.mark.parametrize(("keep", "later"), [(False, 2), (True, 1)])
def test_what_is_known_of_realms_lasts_as_long_as_cookies(keep: bool, later: int) -> None:
    """An iteration is somebody new, unless state is kept."""
    talk = Talk(planned("/1"), basic(), keep_state=keep)
    assert len(talk.iterate()) == 2
    assert len(talk.iterate()) == later


def test_a_challenge_may_set_a_cookie() -> None:
    """It goes along with the credentials already: load balancers find the right server by it."""

    def respond(asked: Asked) -> Answer:
        answer = basic()(asked)
        answer.cookie = "node=7" if answer.status == 401 else ""
        return answer

    talk = Talk(planned("/1"), respond)
    talk.iterate()
    assert [one.headers.get("cookie") for one in talk.asked] == [None, "node=7"]


def test_an_error_of_the_scheme_is_the_failure() -> None:
    """Credentials that Basic cannot send."""
    colon = Identity("al:ice", "${PASSWORD}")
    for identity in (colon, Identity("al:ice", "${PASSWORD}", ahead=True)):
        talk = Talk(planned("/1", identities=(identity,)), basic())
        assert talk.iterate() == ["1 GET /1"]
        (failure,) = talk.diary.transactions[0][1]
        assert failure.cause == "auth"
        assert "it has a colon" in failure.message
        assert "s3cret" not in failure.message


def test_times_of_a_transaction_are_without_its_negotiation() -> None:
    """The last request is due when the challenge has come."""
    talk = Talk(planned("/1"), basic())
    talk.iterate()
    first, second = (one.send.due for one in talk.asked)
    assert second == first + TOOK


def test_digest_goes_ahead_with_the_next_count() -> None:
    """One nonce serves the whole host, counted up."""

    def respond(asked: Asked) -> Answer:
        if asked.credentials:
            return Answer()
        return Answer(401, ('Digest realm="R", nonce="abc", qop="auth", algorithm=SHA-256',))

    talk = Talk(planned("/a/1", "/b/2?x=1", "/"), respond)
    assert talk.iterate() == [
        *("1 GET /a/1", "1 GET /a/1 Digest", "1 GET /b/2?x=1 Digest", "1 GET / Digest"),
    ]
    sent = [one.credentials for one in talk.asked[1:]]
    assert [value.partition("nc=")[2][:8] for value in sent] == ["00000001", "00000002", "00000003"]
    assert [value.partition('uri="')[2].partition('"')[0] for value in sent] == [
        *("/a/1", "/b/2?x=1", "/")
    ]


@pytest.mark.parametrize("at_proxy", [False, True])
def test_digest_goes_on_with_the_nonce_that_it_is_told(at_proxy: bool) -> None:
    """A server that takes each nonce once gives out the next one; the count begins anew."""
    wanted = "n0"

    def respond(asked: Asked) -> Answer:
        nonlocal wanted
        sent = asked.at_proxy if at_proxy else asked.credentials
        if f'nonce="{wanted}"' not in sent or "nc=00000001" not in sent:
            stale = ", stale=true" if sent else ""
            challenge = f'Digest realm="R", nonce="{wanted}", qop="auth"{stale}'
            return Answer(407 if at_proxy else 401, (challenge,))
        wanted = f"n{int(wanted[1:]) + 1}"
        return Answer(nextnonce=wanted)

    plan = planned("/1", "/2", "/3", proxy=AT_PROXY if at_proxy else None)
    talk = Talk(plan, respond)
    assert len(talk.iterate()) == 4
    assert talk.diary.negotiated == ["GET /1"]
    assert not any(failures for _, failures in talk.diary.transactions)


def test_a_page_with_a_path_of_placeholders() -> None:
    """What goes ahead is decided anew for each path."""
    ids = Dataset(("id", "username", "password"), (("a", "x", "y"), ("b", "x", "y")))
    plan = planned("/a/1", "/${users.id}/2", identities=(ALICE,), dataset=ids)
    talk = Talk(plan, basic(), rows=(0, 1), keep_state=False)
    assert talk.iterate() == ["1 GET /a/1", "1 GET /a/1 Basic", "1 GET /a/2 Basic"]
    assert talk.iterate() == [
        *("2 GET /a/1", "2 GET /a/1 Basic", "2 GET /b/2", "2 GET /b/2 Basic"),
    ]


OFFICE = "http://proxy.example:3128"
AT_PROXY = Proxy(OFFICE, "bob", "${PASSWORD}")


def proxy_basic(behind: Respond, accepted: str = "bob:s3cret") -> Respond:
    """A proxy that asks for Basic before it asks the server ``behind`` it."""
    expected = f"Basic {b64encode(accepted.encode()).decode()}"

    def respond(asked: Asked) -> Answer:
        if asked.at_proxy != expected:
            return Answer(407, ('Basic realm="P"',))
        return behind(asked)

    return respond


@pytest.mark.promise(80)
def test_a_proxy_and_a_server_behind_it() -> None:
    """Each is told who asks, once; then both go ahead, the proxy's with whatever it is asked."""
    plan = planned("/1", "/2", "http://other.example/3", proxy=AT_PROXY)
    talk = Talk(plan, proxy_basic(basic()))
    home, elsewhere = "http://shop.example", "http://other.example"
    assert talk.iterate() == [
        f"1 GET {home}/1",
        f"1 GET {home}/1 (Basic)",
        f"1 GET {home}/1 Basic (Basic)",
        f"1 GET {home}/2 Basic (Basic)",
        f"2 GET {elsewhere}/3 (Basic)",
    ]
    assert talk.diary.negotiated == ["GET /1", "GET /1"]


def test_what_a_proxy_has_accepted_stays_out_of_tunnels() -> None:
    """Within one it is the server that would get it."""

    def respond(asked: Asked) -> Answer:
        inside = asked.send.step.origin.scheme == "https"
        return Answer() if inside else proxy_basic(lambda _: Answer())(asked)

    talk = Talk(planned("/1", "https://shop.example/2", "/3", proxy=AT_PROXY), respond)
    home = "1 GET http://shop.example"
    assert talk.iterate() == [
        *(f"{home}/1", f"{home}/1 (Basic)", "2 GET /2", f"{home}/3 (Basic)"),
    ]


def test_ntlm_at_the_proxy_then_digest_at_the_server(ntlm: Ntlm) -> None:
    """The connection to the proxy is authenticated, and the server's nonce counts up."""

    def respond(asked: Asked) -> Answer:
        seen = Asked(asked.connection, "", {"authorization": asked.at_proxy}, b"", asked.send)
        answer = ntlm(seen)
        if answer.status == 401:
            return Answer(407, answer.challenges)
        if not asked.credentials:
            return Answer(401, ('Digest realm="R", nonce="abc", qop="auth"',))
        return Answer()

    office = Proxy(OFFICE, r"EXAMPLE\bob", "${PASSWORD}", method="ntlm")
    talk = Talk(planned("/1", "/2", proxy=office), respond)
    home = "1 GET http://shop.example"
    assert talk.iterate() == [
        *(f"{home}/1", f"{home}/1 (NTLM)", f"{home}/1 (NTLM)", f"{home}/1 Digest"),
        f"{home}/2 Digest",
    ]
    assert 'uri="/2"' in talk.asked[-1].credentials


@pytest.mark.parametrize(
    ("proxy", "challenge", "message"),
    [
        (AT_PROXY, "Basic", "wrong user name or password: it refuses the user in [proxy] (Basic"),
        (Proxy(OFFICE), "Basic", "it wants to know who asks (Basic): set username and password in"),
        (
            Proxy(OFFICE, "bob", "${PASSWORD}", method="ntlm"),
            "Basic",
            "it offers Basic, and method in [proxy] allows NTLM only",
        ),
    ],
)
def test_a_proxy_that_lets_nobody_through(proxy: Proxy, challenge: str, message: str) -> None:
    """What to set is said, and in which table."""
    talk = Talk(planned("/1", proxy=proxy), lambda _: Answer(407, (f'{challenge} realm="P"',)))
    talk.iterate()
    ((_, (failure,)),) = talk.diary.transactions
    assert failure.cause == "auth"
    assert failure.message.startswith(f"proxy {OFFICE}: {message}")


def test_a_407_that_no_proxy_sent() -> None:
    """Without a proxy it is a response like any other."""
    talk = Talk(planned("/1"), lambda _: Answer(407, ('Basic realm="P"',)))
    assert talk.iterate() == ["1 GET /1"]
    ((_, (failure,)),) = talk.diary.transactions
    assert failure.cause == "status"


def test_connections_to_a_proxy_are_never_somebody_elses() -> None:
    """Where the user of the proxy changes with the row, kept connections are closed."""
    office = Proxy(OFFICE, "${users.username}", "${users.password}")
    plan = planned("https://shop.example/1", identities=(), dataset=USERS, proxy=office)
    talk = Talk(plan, lambda _: Answer(), keep_connections=True, rows=(0, 0, 1))
    assert [talk.iterate() for _ in range(3)] == [["1 GET /1"], ["1 GET /1"], ["2 GET /1"]]


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("overlapped", [False, True])
def test_each_iteration_brings_its_own_credentials(ahead: bool, overlapped: bool) -> None:
    """What was found out for one row of the dataset is not used for another."""
    who = replace(OF_DATASET, ahead=ahead)
    reports = Identity("reports", "${PASSWORD}", host="other.example")

    def respond(asked: Asked) -> Answer:
        return Answer() if asked.credentials else Answer(401, ('Basic realm="R"',))

    targets = ("/a/1", "/a/2", "http://other.example/a/1", "http://other.example/a/2")
    plan = planned(*targets, identities=(who, reports), dataset=USERS, overlapped=overlapped)
    talk = Talk(plan, respond, rows=(0, 1, 0, 1))
    for row in (0, 1, 0, 1):
        before = len(talk.asked)
        talk.iterate()
        brought = {
            (b64decode(one.credentials.split()[1]).decode(), one.send.step.origin.host)
            for one in talk.asked[before:]
            if one.credentials
        }
        assert brought == {
            (":".join(USERS.rows[row]), "shop.example"),
            ("reports:s3cret", "other.example"),
        }
        assert not any(failures for _, failures in talk.diary.transactions)
