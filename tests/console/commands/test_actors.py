"""The Actors View: validators and extractors made in the console."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.model.extractor import FormField, HeaderValue, JsonPath, Link
from pytest_loadtool.model.validator import JsonValidator, Outcome, StatusCodes, TextValidator
from tests.console.listener import Listener, do
from tests.console.running import run_script
from tests.console.traffic import exchange, sign_in, write_har
from tests.plugin.serving import Server, serving

ORDER = {"order": {"id": 4711, "state": "open"}, "items": [{"id": 7}, {"id": 8}]}
PAGE = '<title>Orders</title><ul><li>Tea <a href="/orders/4711/edit">Edit</a></li></ul>'


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Gives out another token than the recorded one."""
    with serving() as server:
        server.token = "zY9xW8vU7tS6rQ5pO4"
        yield server


@pytest.fixture
def signing_in(session: Console, server: Server, tmp_path: Path, listener: Listener) -> Console:
    """A console with a recorded sign-in whose dynamic values are not configured."""
    form, _, login = sign_in(server.url)
    do(session, f"import {write_har(tmp_path / 'in.har', form, login)}")
    listener.said.clear()
    return session


@pytest.fixture
def ordering(session: Console, tmp_path: Path, listener: Listener) -> Console:
    """A console with an order that an API has made, and what uses its id."""
    url = "http://127.0.0.1:9"
    kind = "application/json"
    recorded = (
        exchange(
            "POST", f"{url}/api/orders", 0, content_type=kind, answer=json.dumps(ORDER),
            answer_headers=(("Location", "/orders/4711?from=api"), ("X-Order", "4711")),
        ),
        exchange("GET", f"{url}/orders/4711", 1, answer=PAGE),
        exchange("GET", f"{url}/quote?order=4711&n=1", 2, content_type=kind, answer="[]"),
    )  # fmt: skip
    do(session, f"import {write_har(tmp_path / 'in.har', *recorded)}")
    listener.said.clear()
    return session


def targets(session: Console) -> list[str]:
    return [one.request.target for one in session.opened().case.transactions()]


@pytest.mark.promise(36)
@pytest.mark.promise(101)
def test_extractor_is_made_from_content(
    signing_in: Console, server: Server, listener: Listener
) -> None:
    """It shows what it gives and where that is a constant; with the variable there, it plays."""
    do(signing_in, "extract 1 csrf --form token --preview")
    assert listener.said == [
        "  recorded  200  1 match  aB3dE6gH9jK2mN5pQ8",
        "  sent as a constant by 2 POST /login: token",
    ]
    assert not signing_in.opened().case.variables
    listener.said.clear()
    do(signing_in, "extract 1 csrf --form token --use all")
    assert listener.said == [
        "  recorded  200  1 match  aB3dE6gH9jK2mN5pQ8",
        "csrf: Extractor[1], form field 'token'",
        "  2 POST /login sends it as token",
    ]
    do(signing_in, "play --fast")
    assert "2 transactions passed" in listener.said[-1]  # only with the token of today
    listener.said.clear()
    do(signing_in, "extractors")
    assert listener.said == ["1 GET /form", "  Extractor[1]  csrf  form field 'token', used by 2"]
    do(signing_in, "undo")  # `play` has configured
    do(signing_in, "undo")
    assert not signing_in.opened().case.variables


def test_replays_show_whether_a_value_is_dynamic(
    signing_in: Console, server: Server, listener: Listener
) -> None:
    """And validators are tried on what came then; a text may be one of a replay."""
    with suppress(CommandError):
        do(signing_in, "play --fast")
    listener.said.clear()
    do(signing_in, "extract 1 csrf --form token --preview")
    recorded, replayed = listener.said[:2]
    assert recorded.split() == ["recorded", "200", "1", "match", "aB3dE6gH9jK2mN5pQ8"]
    assert re.fullmatch(
        r"  replay \d\d:\d\d:\d\d  200  1 match  zY9xW8vU7tS6rQ5pO4  another value: dynamic",
        replayed,
    )
    listener.said.clear()
    do(signing_in, "validate 1 --text aB3dE6gH9jK2mN5pQ8 --preview")
    assert "holds" in listener.said[0]
    assert "Search text not found" in listener.said[1]
    listener.said.clear()
    do(signing_in, "extract 1 csrf --from zY9xW8vU7tS6rQ5pO4 --preview")
    assert listener.said[0] == "  1. form field 'token'"


def test_link_of_a_long_list_is_known_by_what_it_is_called(
    session: Console, tmp_path: Path, listener: Listener
) -> None:
    """By the text of its row, or by its own, before it is counted; a boundary comes last."""
    url = "http://127.0.0.1:9"
    rows = "".join(
        f'<tr><td>Tea {n}</td><td><a href="/product/{1000 + n}/">Show</a></td></tr>'
        for n in range(30)
    )
    links = "".join(f'<a href="/offer?id={2000 + n}">Offer {n}</a>' for n in range(30))
    answer = f"<table>{rows}</table>{links}"
    do(session, f"import {write_har(tmp_path / 'in.har', exchange('GET', url, 0, answer=answer))}")
    for value, first in (
        ("1019", "link /product/*/ in the item of 'Tea 19'"),
        ("2019", "link /offer?id=* called 'Offer 19'"),
    ):
        listener.said.clear()
        do(session, f"extract 1 it --from {value} --preview")
        assert listener.said[0] == f"  1. {first}"
        assert listener.said[-1].split()[2:] == ["1", "match", value]


TWO = '<p>Cart 4711</p><form><input name="order" value="4711"></form><a href="/o/4711">It</a>'


@pytest.fixture
def ambiguous(session: Console, tmp_path: Path, listener: Listener) -> Console:
    """A console with a page that has a number at three places, and JSON that has one twice."""
    recorded = (
        exchange("GET", "http://127.0.0.1:9/cart", 0, answer=TWO),
        exchange(
            "GET", "http://127.0.0.1:9/api", 1, content_type="application/json",
            answer='{"id": 17, "parent": 17, "year": 2017}',
        ),
    )  # fmt: skip
    do(session, f"import {write_har(tmp_path / 'in.har', *recorded)}")
    listener.said.clear()
    return session


def test_which_place_of_a_text_is_asked(ambiguous: Console, listener: Listener) -> None:
    """Where a text stands several times, the places are listed with what is around them, and what
    is taken is at the one that was chosen; the log has it. `any` is the steadiest of all."""
    listener.lines = ["3"]
    do(ambiguous, "extract 1 order --from 4711")
    assert listener.said[:4] == [
        "4711 stands at 3 places:",
        '  1. <p>Cart [4711]</p><form><input name="o',
        '  2. put name="order" value="[4711]"></form><a href="/o/471',
        '  3. 711"></form><a href="/o/[4711]">It</a>',
    ]
    assert listener.asked[-1] == "Which of them (1 to 3, or any)?"
    (extractor,) = next(ambiguous.opened().case.transactions()).extractors
    assert extractor.source == Link("/o/*")
    assert ambiguous.log.entries[-1].line == "extract 1 order --from 4711 --place 3"
    listener.lines = ["4", ""]
    do(ambiguous, "extract 1 order --from 4711")
    assert "a number from 1 to 3, or any, not '4'" in listener.said
    (extractor,) = next(ambiguous.opened().case.transactions()).extractors
    assert extractor.source == FormField("order")
    assert ambiguous.log.entries[-1].line == "extract 1 order --from 4711"


def test_a_place_of_a_text_is_given(ambiguous: Console, listener: Listener) -> None:
    """For scripts, and for validators, too; a number within a longer one is no place."""
    do(ambiguous, "extract 2 parent --from 17 --place 2")
    (extractor,) = list(ambiguous.opened().case.transactions())[1].extractors
    assert extractor.source == JsonPath("$.parent")
    do(ambiguous, "validate 2 --from 17 --place 2")
    assert list(ambiguous.opened().case.transactions())[1].validators[-1] == JsonValidator(
        "$.parent", 17
    )
    assert listener.asked == []
    with pytest.raises(UsageError, match="--place is 1 to 2, not 3"):
        do(ambiguous, "extract 2 parent --from 17 --place 3")


def test_extractor_is_moved(session: Console, tmp_path: Path, listener: Listener) -> None:
    """To the page that holds the form: it is tried there first, and nothing else changes."""
    url, form = "http://127.0.0.1:9", '<form><input name="token" value="{}"></form>'
    recorded = (
        exchange("GET", f"{url}/a", 0, answer=form.format("aaaa1111aaaa")),
        exchange("GET", f"{url}/b", 1, answer=form.format("bbbb2222bbbb")),
        exchange("GET", f"{url}/c", 2, answer="nothing"),
        exchange("GET", f"{url}/d?token=aaaa1111aaaa", 3),
    )
    do(session, f"import {write_har(tmp_path / 'in.har', *recorded)}")
    do(session, "extract 1 csrf --form token --use all")
    listener.said.clear()
    do(session, "move-extractor 1 csrf GET /b")
    assert listener.said == [
        "  recorded  200  1 match  bbbb2222bbbb",
        "csrf: from 2 GET /b now, form field 'token'",
    ]
    case = session.opened().case
    assert [len(one.extractors) for one in case.transactions()] == [0, 1, 0, 0]
    assert case.variables["csrf"].recorded == "bbbb2222bbbb"
    assert targets(session)[3] == "/d?token=${csrf}"
    with pytest.raises(CommandError, match="it finds nothing in the recorded response"):
        do(session, "move-extractor 2 csrf 3")
    listener.said.clear()
    do(session, "move-extractor 2 csrf 4 --anyway")
    assert listener.said[-1] == "  4 needs it before that: what was recorded is sent there"
    do(session, "undo")
    assert [len(one.extractors) for one in session.opened().case.transactions()] == [0, 1, 0, 0]
    for line, slip in (
        ("move-extractor 1 csrf 3", "no extractor of csrf: it has none"),
        ("move-extractor 2 csrf 2", "csrf is taken from 2 GET /b already"),
    ):
        with pytest.raises(UsageError, match=slip):
            do(session, line)


def test_token_is_cut(ordering: Console, listener: Listener) -> None:
    """Unless somebody wants to see it."""
    url = "http://127.0.0.1:9"
    answer = '{"access_token": "dGhpcyBpcyBhIHNlY3JldA", "expires_in": 60}'
    write_har(
        ordering.case_path.with_name("token.har"),
        exchange("POST", f"{url}/token", 0, content_type="application/json", answer=answer),
    )
    do(ordering, f"import {ordering.case_path.with_name('token.har')} --discard")
    listener.said.clear()
    do(ordering, "extract 1 bearer --json $.access_token --preview")
    assert listener.said == ["  recorded  200  1 match  dGhp…"]
    do(ordering, "extract 1 bearer --json $.access_token --preview --secrets")
    assert listener.said[-1].endswith("dGhpcyBpcyBhIHNlY3JldA")


def test_extractor_that_a_person_made_stays(signing_in: Console, listener: Listener) -> None:
    """Configuring leaves it alone; it is taken out with what was recorded in its place."""
    do(signing_in, "extract 1 csrf --form token --use 2")
    do(signing_in, "configure")
    (first, second) = signing_in.opened().case.transactions()
    assert [one.variable for one in first.extractors] == ["csrf"]
    assert "token=${csrf}&" in str(second.request.body)
    do(signing_in, "remove-extractor 1 csrf")
    (first, second) = signing_in.opened().case.transactions()
    assert first.extractors == ()
    assert "token=aB3dE6gH9jK2mN5pQ8&" in str(second.request.body)
    assert "csrf" not in signing_in.opened().case.variables


def test_text_of_a_response_is_enough(ordering: Console, listener: Listener) -> None:
    """What could take it is listed, the steadiest first; the person may choose."""
    do(ordering, "extract POST /api/orders order --from 4711 --preview")
    assert listener.said[:3] == [
        "  1. JSON path $.order.id",
        "  2. header X-Order",
        r"  3. header Location matching '/orders/([^/?#&;]+)\\?from=[^#&;]+'",
    ]
    assert listener.said[-3:] == [
        "  recorded  200  1 match  4711",
        "  sent as a constant by 2 GET /orders/4711: path[2]",
        "  sent as a constant by 3 GET /quote: order",
    ]
    do(ordering, "extract 1 order --from 4711 --use all")
    (extractor,) = next(ordering.opened().case.transactions()).extractors
    assert extractor.source == JsonPath("$.order.id")
    assert targets(ordering)[1:] == ["/orders/${order}", "/quote?order=${order}&n=1"]
    do(ordering, "extract 1 order --from 4711 --choose 2")
    (extractor,) = next(ordering.opened().case.transactions()).extractors
    assert extractor.source == HeaderValue("X-Order")
    with pytest.raises(UsageError, match="--choose is 1 to"):
        do(ordering, "extract 1 order --from 4711 --choose 20")
    with pytest.raises(CommandError, match="no known response of it has 'zzz'"):
        do(ordering, "extract 1 order --from zzz")
    do(ordering, "undo")
    do(ordering, "undo")
    do(ordering, "extract 2 id --from 4711")
    (extractor,) = list(ordering.opened().case.transactions())[1].extractors
    assert extractor.source == Link("/orders/*/edit")


def test_every_kind_of_extractor_can_be_written(ordering: Console, tmp_path: Path) -> None:
    """All that the file of a test case can say; the file is read back as it was meant."""
    for name, options in {
        "a": "--json '$.items[*].id' --match 2",
        "b": "--header Location --pattern 'orders/(\\d+)'",
        "c": '--regex \'"state": "(\\w+)"\'',
        "d": "--left '\"state\": \"' --right '\"'",
        "e": "--cookie sid --anyway",
        "f": "--json '$.order' --then '{ json = \"$.state\" }'",
        "g": "--header X-Order --decode url",
    }.items():
        do(ordering, f"extract 1 {name} {options}")
    for name, options in {
        "h": "--link '/orders/*/edit' --in-item Tea --item li --anyway",
        "i": "--form token --action /login --anyway",
        "j": "--choice payer --label Anna --anyway",
        "k": "--xml //Order/Id --anyway",
    }.items():
        do(ordering, f"extract 2 {name} {options}")
    before = ordering.opened().case
    do(ordering, "save")
    assert read_case(tmp_path / "shop.case.toml") == before
    values = {name: one.recorded for name, one in before.variables.items() if one.recorded}
    assert values == {
        "a": "8", "b": "4711", "c": "open", "d": "open", "f": "open", "g": "4711", "h": "4711",
    }  # fmt: skip


@pytest.mark.promise(41)
@pytest.mark.promise(42)
def test_validator_is_tried_before_it_is_taken(ordering: Console, listener: Listener) -> None:
    """One that does not hold on the recording is taken only by somebody who wants it."""
    do(ordering, "validate 1 --json $.order.state --equals open")
    assert listener.said == [
        "  recorded  200  holds",
        "1 POST /api/orders: JSON path $.order.state is 'open'",
    ]
    with pytest.raises(CommandError, match="does not hold on the recorded response: give --anyway"):
        do(ordering, "validate 1 --json $.order.id --equals 2")
    assert listener.said[-1] == "  recorded  200  $.order.id is 4711, expected 2"
    listener.answers = [False, True]
    with pytest.raises(CommandError):
        do(ordering, "validate 2 --text 'Your cart'")
    do(ordering, "validate 2 --text 'Your cart'")
    do(ordering, "validate 2 --text Error --absent --outcome 'Nothing went wrong'")
    first, second, _ = ordering.opened().case.transactions()
    assert first.validators == (JsonValidator("$.order.state", "open"),)
    assert second.validators[0] == TextValidator("Your cart")
    listener.said.clear()
    do(ordering, "validators")
    assert listener.said == [
        "1 POST /api/orders",
        "      Status Code is 200-399",
        "   1  JSON path $.order.state is 'open'",
        "2 GET /orders/4711",
        "      Status Code is 200-399",
        "   1  text 'Your cart'",
        "   2  no text 'Error' (Nothing went wrong)",
        "1 transaction more: Status Code is 200-399",
    ]
    do(ordering, "remove-validator 2 1")
    assert len(list(ordering.opened().case.transactions())[1].validators) == 1
    with pytest.raises(UsageError, match="no validator 2: it has validators 1 to 1"):
        do(ordering, "remove-validator 2 2")


def test_an_edited_outcome_stays_that_of_its_change(
    session: Console, server: Server, tmp_path: Path, listener: Listener
) -> None:
    """A failure still names the change; `configure` leaves it as it is, and finds no other in its
    place. One that is removed it finds again, as is said."""
    kind = "application/json"
    recorded = (
        exchange("POST", f"{server.url}/echo", 0, body='{"size": "tall"}', content_type=kind),
        exchange(
            "GET",
            f"{server.url}/cups",
            1,
            content_type=kind,
            answer='{"size": "tall", "open": true}',
        ),
    )
    do(session, f"import {write_har(tmp_path / 'in.har', *recorded)}")
    do(session, "configure")
    ((found,),) = [one.validators for one in list(session.opened().case.transactions())[1:]]
    assert found == JsonValidator("$.size", "tall", outcome=Outcome("size is tall", "POST /echo"))
    wanted = "--json $.open --equals false --outcome 'size is tall'"
    do(session, f"validate 2 {wanted} --replace 1 --anyway")
    do(session, "configure")
    (edited,) = list(session.opened().case.transactions())[1].validators
    assert edited == JsonValidator(
        "$.open", False, outcome=Outcome("size is tall", "POST /echo", edited=True)
    )
    with pytest.raises(CommandError):
        do(session, "play --fast")
    assert "POST /echo did not take effect: not so: size is tall" in listener.text
    for line in ("undo", "remove-validator 2 1"):
        do(session, line)
    assert "`configure` finds it again" in listener.said[-1]


def test_validator_is_made_from_a_text(ordering: Console, listener: Listener) -> None:
    """As a value, as a text, as a pattern for other numbers."""
    do(ordering, "validate 1 --from 4711 --preview")
    assert listener.said == [
        "  1. JSON path $.order.id is 4711",
        "  2. text '4711'",
        r"  3. match of '\\d+'",
        "  recorded  200  holds",
    ]
    do(ordering, "validate 2 --from Tea")
    (validator,) = list(ordering.opened().case.transactions())[1].validators
    assert validator == TextValidator("Tea")


@pytest.mark.promise(43)
@pytest.mark.promise(44)
@pytest.mark.promise(104)
def test_status_code_validator_is_edited(
    session: Console, server: Server, tmp_path: Path, listener: Listener
) -> None:
    """A transaction that is meant to fail passes with its error code alone."""
    found = exchange("GET", f"{server.url}/status/404", 0)
    do(session, f"import {write_har(tmp_path / 'in.har', found)}")
    with pytest.raises(CommandError, match="1 of 1 transaction failed"):
        do(session, "play --fast")
    listener.said.clear()
    do(session, "status 1 404,500-599")
    recorded, replayed, now = listener.said
    assert recorded.split(maxsplit=2) == ["recorded", "200", "the status is 200"]
    assert replayed.endswith("404  holds")
    assert now == "1 GET /status/404: Status Code is 404, 500-599"
    (one,) = session.opened().case.transactions()
    assert one.status == StatusCodes(((404, 404), (500, 599)))
    do(session, "play --fast")
    assert "1 transaction passed" in listener.said[-1]
    with pytest.raises(UsageError, match="expected a status code or a range"):
        do(session, "status 1 4xx")


def test_failure_tells_what_was_there(
    session: Console, server: Server, tmp_path: Path, listener: Listener
) -> None:
    """When it is replayed, and later from what was kept; not if it is a secret."""
    found = exchange("POST", f"{server.url}/echo", 0, body="anna", content_type="text/plain")
    do(session, f"import {write_har(tmp_path / 'in.har', found)}")
    do(session, "validate 1 --json $.body --equals bert --anyway")
    with pytest.raises(CommandError):
        do(session, "play --fast")
    said = "$.body is anna, expected bert"
    assert any(said in line for line in listener.said)
    listener.said.clear()
    do(session, "replays")
    do(session, "why")
    assert said in listener.text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("extract 1 token", "extract what. --from TEXT proposes .* or one of --json, --xml, "),
        ("extract 1 9a --json $.a", '"9a" is not a variable name'),
        ("extract 1 token --json $.a --cookie b", "got 'json' and 'cookie'"),
        ("extract 1 token --json '$.['", "json: bad JSON path"),
        ("extract 1 token --regex '('", "regex: bad regular expression"),
        ("extract 1 token --regex x --pattern y", "pattern: goes with 'header' only"),
        ("extract 1 token --json $ --then '{'", "--then is written as in a test case"),
        ("extract 1 token --json $ --decode b64", "is not a decoding"),
        ("extract 1 token --from 4711 --json $.a", "leave the other options out"),
        ("extract 9 token --json $.a", "there is no transaction 9"),
        ("validate 1", "validate what. --from TEXT proposes .* or one of --text, "),
        (
            "validate 1 --text a --equals b",
            "equals: goes with 'regex' or 'json' or ",
        ),
        ("remove-extractor 1 token", "no extractor of token: it has none"),
        ("remove-validator 1 1", "it has none but the Status Code validator"),
    ],
)
def test_slip_is_named(ordering: Console, line: str, message: str) -> None:
    """As the file of a test case would name it; nothing is changed."""
    before = ordering.document
    with pytest.raises(UsageError, match=message):
        do(ordering, line)
    assert ordering.document is before


def test_what_finds_nothing_is_not_taken(ordering: Console, listener: Listener) -> None:
    """Unless somebody wants it; a variable with a value of its own keeps it."""
    with pytest.raises(CommandError, match="finds nothing in the recorded response: give --anyway"):
        do(ordering, "extract 1 token --cookie sid")
    do(ordering, "extract 1 token --cookie sid --anyway")
    do(ordering, "set-field 3 n --variable amount")
    with pytest.raises(UsageError, match="amount is a variable with a value of its own"):
        do(ordering, "extract 1 amount --json $.order.id")


def test_script_makes_actors(server: Server, tmp_path: Path) -> None:
    """In a process of its own: extractor and validators from content, saved, replayed by pytest."""
    form, _, login = sign_in(server.url)
    write_har(tmp_path / "in.har", form, login)
    done = run_script(
        tmp_path,
        "import in.har\n"
        "extract GET /form csrf --from aB3dE6gH9jK2mN5pQ8 --use all\n"
        "validate POST /login --text Home\n"
        "validate POST /login --text Forbidden --absent\n"
        "validators POST /login\nplay --fast\nsave\n",
    )
    assert "   2  no text 'Forbidden'" in done.stdout
    assert "2 transactions passed" in done.stdout
    first, second = read_case(tmp_path / "shop.case.toml").transactions()
    assert first.extractors[0].source == FormField("token")
    assert [str(one.text) for one in second.validators if isinstance(one, TextValidator)] == [
        "Home",
        "Forbidden",
    ]
