"""What a replay shows beside the recording: what is proposed, and what is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, repeat

import pytest

from pytest_loadtool.casefile import package_rules
from pytest_loadtool.codec.filters import FILTERS
from pytest_loadtool.correlation.autocorrelate import REPLAYS, Conclusion, ReplayRound, improve
from pytest_loadtool.correlation.index.indexing import read_traffic
from pytest_loadtool.correlation.index.traffic import steps_of
from pytest_loadtool.correlation.requests.parts import rendered
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.strategies.replay_compare import Replayed
from pytest_loadtool.correlation.trials import suggestions
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import FORM, case_of, html, json_body
from tests.correlation.talk import EMPTY, call, get, post

RULES = package_rules()
MAIL = "m1Yt83nWb6Vc"


def proposed(
    recorded: Sequence[Exchange], now: Sequence[Exchange], failed: Sequence[int] = ()
) -> list[tuple[str, str, bool]]:
    """Field, source and whether it is a trial, of each proposal."""
    case = case_of(*recorded)
    traffic = read_traffic(case, steps_of(case, recorded), RULES)
    replayed = Replayed(
        {index: one for index, one in enumerate(now) if index not in failed},
        dict.fromkeys(failed, ("refused",)),
    )
    return [
        (one.slot.name, str(one.source), one.trial) for one in suggestions(traffic, replayed, RULES)
    ]


@pytest.mark.parametrize(
    ("was", "now", "use", "found"),
    [
        (  # by its key
            json_body({"desk": {"seat": 7, "size": 20}}),
            json_body({"desk": {"seat": 8, "size": 20}}),
            get("/take?seat=7&size=20"),
            [("seat", "JSON path $.desk.seat", False)],
        ),
        (  # in a script, in front of which its name stands
            html("<script>var seat = 7; var size = 20</script>"),
            html("<script>var seat = 8; var size = 20</script>"),
            post("/take", "seat=7&size=20"),
            [("seat", r"regular expression '\\bseat\\s*=\\s*([\\w.~+/%|!-]+=*)'", False)],
        ),
        (  # a word in an address or a script: a page has many of that name
            html('<a href="/x?do=show">x</a><script>go({do: "show"})</script>'),
            html('<a href="/x?do=edit">x</a><script>go({do: "edit"})</script>'),
            post("/take", "do=show"),
            [],
        ),
        (  # a header; one that differs each time is none
            get("/", EMPTY, received=(("X-Seat", "7"), ("Date", "7"))),
            get("/", EMPTY, received=(("X-Seat", "8"), ("Date", "8"))),
            call("POST", "/take", {"x_seat": 7, "date": 7}),
            [("x_seat", "header X-Seat", False)],
        ),
        (  # in another encoding as a whole, by its key and in a cookie
            json_body({"seat": FILTERS["base64"](MAIL)}),
            json_body({"seat": FILTERS["base64"]("n2Zu94oXc7Wd")}),
            post("/take", f"seat={MAIL}"),
            [("seat", "JSON path $.seat", False)],
        ),
        (
            html("", ("Set-Cookie", f"seat={FILTERS['base64url'](MAIL)}; Path=/")),
            html("", ("Set-Cookie", f"seat={FILTERS['base64url']('n2Zu94oXc7Wd')}; Path=/")),
            post("/take", f"seat={MAIL}"),
            [("seat", "cookie 'seat'", False)],
        ),
        (  # in JSON that is encoded
            json_body({"state": FILTERS["base64"]('{"size": 20, "seat": 7}')}),
            json_body({"state": FILTERS["base64"]('{"size": 20, "seat": 8}')}),
            get("/take?seat=7&size=20"),
            [("seat", "JSON path $.seat in JSON path $.state, decoded as base64", False)],
        ),
        (  # an element of a list that is longer now may be another one, encoded or not
            json_body([{"seat": 7}]),
            json_body([{"seat": 8}, {"seat": 7}]),
            get("/take?seat=7"),
            [],
        ),
        (
            html("", ("X-State", FILTERS["base64"]('[{"seat": 7}, "and more"]'))),
            html("", ("X-State", FILTERS["base64"]('[{"seat": 8}, {"seat": 7}, "and more"]'))),
            get("/take?seat=7"),
            [],
        ),
        (  # what a person typed into the form
            html('<form><input name="seat" value="1"></form><p>seat 7</p>'),
            html('<form><input name="seat" value="1"></form><p>seat 8</p>'),
            post("/take", "seat=7"),
            [],
        ),
        (  # a message for the next page, as Roundup has it; a number is none
            get("/", received=(("Location", "/item?@ok_message=item%201%20created&at=7"),)),
            get("/", received=(("Location", "/item?@ok_message=item%202%20created&at=8"),)),
            get("/item?@ok_message=item%201%20created&at=7"),
            [
                (
                    "at",
                    r"header Location matching '/item\\?@ok_message=[^#&;]+&at=([^/?#&;]+)'",
                    False,
                )
            ],
        ),
        (  # a password, and a word
            json_body({"password": "7", "on": "yes"}),
            json_body({"password": "8", "on": "no"}),
            post("/take", "password=7&on=yes"),
            [],
        ),
    ],
)
def test_values_that_differ(
    was: Exchange, now: Exchange, use: Exchange, found: list[tuple[str, str, bool]]
) -> None:
    """At the same place, under the field's name, and only if it is another value now."""
    start = [replace(one, method="GET", url="http://shop.test/") for one in (was, now)]
    assert proposed([start[0], use], [start[1], use]) == found


def test_another_name_needs_a_refusal() -> None:
    """Without the name it is a trial, and only for a request that failed."""
    was, now = html("<p>No. 7 waits</p>"), html("<p>No. 8 waits</p>")
    use = get("/queue/7")
    assert proposed([was, use], [now, use]) == []
    assert proposed([was, use], [now], failed=[1]) == [("queue", "boundary 'No. ' … ' '", True)]


def test_echo_of_what_was_replayed() -> None:
    """What only repeats its own request gives nothing out: both times, whatever that had. What
    happened to be in the recorded request, and is not in the replayed one, does."""
    was, now = (
        call("POST", "/open", {"no": seat}, json_body({"seat": seat})) for seat in (118, 119)
    )
    use = get("/take?seat=118")
    assert proposed([was, use], [now, use]) == []
    other = replace(now, request_body=was.request_body)
    assert proposed([was, use], [other, use]) == [("seat", "JSON path $.seat", False)]


def test_small_number_is_shown_by_two_replays() -> None:
    """One that mends a request may do so by chance: it is kept when the next replay shows it, too,
    and taken back when none follows."""
    exchanges = [html("<p>No. 7 waits</p>"), get("/queue/7")]
    case = case_of(*exchanges)
    now = html("<p>No. 8 waits</p>")
    refused, mended = Replayed({0: now}, {1: ("refused",)}), Replayed({0: now, 1: EMPTY})
    attempts, conclusion = conclude(case, exchanges, refused, mended)
    assert len(attempts) == 3
    assert attempts[2].proven == case
    assert len(conclusion.configuration.case.variables) == 1
    attempts, conclusion = conclude(case, exchanges, refused, mended, refused)
    assert conclusion.configuration.case == case
    assert conclusion.missing
    attempts, conclusion = conclude(case, exchanges, refused, mended, most=2)
    assert len(attempts) == 2
    assert conclusion.configuration.case == case
    assert "no replay could show" in conclusion.left[0]
    assert [one.index for one in conclusion.missing] == [1]


def test_what_is_given_out_as_recorded_shows_nothing() -> None:
    """A trial that sends the recorded value again is undecided, whatever becomes of it."""
    exchanges = [html("<p>No. 718 waits</p>"), get("/queue/718")]
    case = case_of(*exchanges)
    moved, back = html("<p>No. 719 waits</p>"), exchanges[0]
    refused = Replayed({0: moved}, {1: ("refused",)})
    _, conclusion = conclude(case, exchanges, refused, Replayed({0: back, 1: EMPTY}))
    assert conclusion.configuration.case == case
    _, conclusion = conclude(
        case, exchanges, refused, Replayed({0: back, 1: EMPTY}), Replayed({0: moved, 1: EMPTY})
    )
    assert len(conclusion.configuration.case.variables) == 1


def test_failed_response_proves_nothing() -> None:
    """What an error page holds is no value of the server's."""
    was = json_body({"seat": 7})
    assert proposed([was, get("/take?seat=7")], [], failed=[0, 1]) == []


def conclude(
    case: TestCase, exchanges: Sequence[Exchange], *answers: Replayed, most: int = REPLAYS
) -> tuple[list[ReplayRound], Conclusion]:
    """The attempts of a loop that is answered so, the last time for good, and how it ended."""
    loop = improve(case, exchanges, rules=RULES, most=most)
    attempts = [next(loop)]
    try:
        for answer in chain(answers, repeat(answers[-1])):
            attempts += [loop.send(answer)]
    except StopIteration as end:
        return attempts, end.value
    raise AssertionError("it goes on")


def test_trial_that_does_not_help_is_taken_back() -> None:
    """It is not tried again; the loop ends, and says what is missing."""
    exchanges = [html("<p>No. 7 waits</p>"), get("/queue/7")]
    case = case_of(*exchanges)
    refused = Replayed({0: html("<p>No. 8 waits</p>")}, {1: ("refused",)})
    attempts, conclusion = conclude(case, exchanges, refused, refused)
    assert [len(one.found) for one in attempts] == [0, 1]
    assert list(attempts[1].case.variables) == list(attempts[1].found)
    assert conclusion.configuration.case == case
    assert conclusion.missing[0].index == 1
    assert "queue is sent as recorded, 7: " in conclusion.missing[0].reasons[1]


def test_what_is_in_base64_is_sent_decoded() -> None:
    """Without any rule: a replay finds it, and the value of another day is sent in its place."""
    was, now = (json_body({"seat": FILTERS["base64"](one)}) for one in (MAIL, "n2Zu94oXc7Wd"))
    exchanges = [was, post("/take", f"seat={MAIL}")]
    loop = improve(case_of(*exchanges), exchanges, rules=())
    assert not next(loop).found
    first, second = loop.send(Replayed({0: now}, {1: ("refused",)})).case.transactions()
    (extractor,) = first.extractors
    value = compile_source(extractor.source, extractor.match)(RecordedResponse(now))
    assert value is not None
    assert isinstance(second.request.body, str)
    sent = rendered(second.request.body, "body", FORM[1], {extractor.variable: value})
    assert sent == "seat=n2Zu94oXc7Wd"


def test_next_place_is_tried() -> None:
    """What did not help from one place may help from another, and stays then."""
    exchanges = [json_body({"row": 7, "number": 7}), get("/queue/7")]
    now = json_body({"row": 9, "number": 8})
    refused = Replayed({0: now}, {1: ("refused",)})
    attempts, conclusion = conclude(
        case_of(*exchanges), exchanges, refused, refused, Replayed({0: now, 1: EMPTY})
    )
    tried = [
        str(extractor.source)
        for attempt in attempts
        for one in attempt.case.transactions()
        for extractor in one.extractors
    ]
    # Of so small a number two replays have to show it.
    assert tried == ["JSON path $.row", "JSON path $.number", "JSON path $.number"]
    assert conclusion.missing == ()
    assert len(conclusion.configuration.case.variables) == 1


def test_an_item_of_a_list_is_known_by_its_name() -> None:
    """What a replay shows to come from a list is taken from the item that the user has named."""

    def listed(seat: int) -> Exchange:
        return json_body([{"name": "Milk", "seat": 5}, {"name": "Teapot", "seat": seat}])

    exchanges = [
        call("POST", "/things", {"name": "Teapot"}),
        get("/things", listed(7)),
        post("/take", "seat=7"),
    ]
    _, conclusion = conclude(
        case_of(*exchanges),
        exchanges,
        Replayed({0: EMPTY, 1: listed(8)}, {2: ("refused",)}),
        Replayed({0: EMPTY, 1: listed(8), 2: EMPTY}),
    )
    (extractor,) = list(conclusion.configuration.case.transactions())[1].extractors
    assert str(extractor.source) == 'JSON path $[?(@.name=="Teapot")].seat'


def test_trial_waits_for_better_proof() -> None:
    """What fails after a request that can be mended may only follow: nothing is guessed."""
    exchanges = [
        html("<p>No. 7 waits</p><script>seat = 5;</script>"),
        post("/take", "seat=5"),
        get("/queue/7"),
    ]
    now = html("<p>No. 8 waits</p><script>seat = 6;</script>")
    attempts, conclusion = conclude(
        case_of(*exchanges),
        exchanges,
        Replayed({0: now}, {1: ("refused",), 2: ("refused",)}),
        Replayed({0: now, 1: EMPTY, 2: EMPTY}),
    )
    assert [one.found for one in attempts] == [(), ("seat[1]",), ()]
    assert conclusion.missing == ()


def test_random_value_is_taken_from_one_place_everywhere() -> None:
    """In a field of another name, within another value, in requests that passed as well."""
    was, now = (json_body({"mail": one}) for one in (MAIL, "q9Wc46bXz2Ld"))
    exchanges = [
        was,
        get(f"/open?mail={MAIL}"),
        get(f"/log?line=opened%20{MAIL}"),
        get("/seen", sent=(("X-Last", MAIL),)),
    ]
    assert proposed(exchanges, [now, *exchanges[1:]]) == [
        (name, "JSON path $.mail", False) for name in ("mail", "line", "X-Last")
    ]


def test_what_passed_before_is_said() -> None:
    """A replay may leave something behind that makes the next one fail."""
    exchanges = [json_body({"seat": 7}), post("/new", "name=Anna"), get("/take?seat=7")]
    now = json_body({"seat": 8})
    _, conclusion = conclude(
        case_of(*exchanges),
        exchanges,
        Replayed({0: now, 1: EMPTY}, {2: ("refused",)}),
        Replayed({0: now, 2: EMPTY}, {1: ("name is taken",)}),
    )
    (missing,) = conclusion.missing
    assert missing.reasons[0] == "name is taken"
    assert missing.reasons[1].startswith("it passed on replay 1: a server may take")


def test_what_needs_a_dangerous_transaction_is_held_back() -> None:
    """So is what needs that in turn; what comes anew from elsewhere is sent."""
    exchanges = [
        call("POST", "/pay", {}, json_body({"receipt_id": "r4Xk92mQz7Lp"})),
        call(
            "POST", "/mail", {"receipt_id": "r4Xk92mQz7Lp"}, json_body({"mail_id": "m1Yt83nWb6Vc"})
        ),
        get(f"/mails/{MAIL}"),
        get("/home"),
    ]
    case = case_of(*exchanges)
    (page,) = case.pages
    first = replace(page.transactions[0], dangerous=True)
    page = replace(page, transactions=(first, *page.transactions[1:]))
    attempts, conclusion = conclude(
        replace(case, pages=(page,)), exchanges, Replayed({0: exchanges[3]}, {})
    )
    assert attempts[0].indexes == (3,)
    assert [one.title for one in attempts[0].case.transactions()] == ["GET /home"]
    assert list(conclusion.held) == [0, 1, 2]
    assert "transaction 1 is marked as dangerous" in conclusion.held[0]
    assert "transaction 1 gives out" in conclusion.held[1]
    assert "transaction 2 gives out" in conclusion.held[2]
    assert conclusion.missing == ()


def test_the_number_of_a_call_is_the_clients() -> None:
    """An answer of JSON-RPC has it again, and no later call takes its own from anywhere
    (JSON-RPC 2.0 §4)."""

    def calls(first: int) -> tuple[Exchange, ...]:
        return (
            get("/state", json_body({"id": first + 1, "open": True})),
            call("POST", "/rpc", {"jsonrpc": "2.0", "method": "add", "params": {}, "id": 1702}),
        )

    assert proposed(calls(1701), calls(1801), failed=(1,)) == []
