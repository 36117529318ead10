"""The Fields View."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.fields import table
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.correlation.requests.fields import Field
from pytest_loadtool.workflow.fields import ShownField
from tests.console.listener import Listener
from tests.console.traffic import FORM, exchange, sign_in, write_har
from tests.plugin.serving import Server, serving


def do(session: Console, line: str) -> None:
    asyncio.run(execute(session, line))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Shows what was posted to it."""
    with serving() as server:
        yield server


@pytest.fixture
def configured(session: Console, server: Server, tmp_path: Path, listener: Listener) -> Console:
    """A console with a recorded sign-in, configured."""
    do(session, f"import {write_har(tmp_path / 'in.har', *sign_in(server.url))}")
    do(session, "configure")
    listener.said.clear()
    return session


def body(session: Console) -> str:
    text = list(session.opened().case.transactions())[1].request.body
    assert isinstance(text, str)
    return text


@pytest.mark.promise(25)
@pytest.mark.promise(26)
@pytest.mark.promise(70)
def test_fields_are_listed(configured: Console, listener: Listener) -> None:
    """With their datasource; what was correlated is gray, what was typed is sent as it was."""
    (token,) = configured.opened().case.variables
    do(configured, "fields 2")
    assert listener.said == [
        "POST /login",
        "PATH",
        "  path[1]   Constant value  login",
        "POST content",
        f"# token     Extractor[1]    ${{{token}}}",
        "  user      Constant value  ann",
        "  password  Constant value  corr…",
        "# correlated",
    ]
    assert listener.gray == [listener.said[4]]


def test_each_section_is_listed_once(session: Console, listener: Listener, tmp_path: Path) -> None:
    """Headers of all kinds stand under one heading; tokens are cut."""
    url, token = "http://127.0.0.1:8000", "gVVxQ7mKeLLMLM2qG47SP9GNMixIh"
    asked = (("Authorization", f"Bearer {token}"), ("Cookie", "sid=1q8Zk3vQ8sN2pLx7RtB4"))
    body = (("Content-Type", FORM), ("X-Requested-With", "XMLHttpRequest"))
    orders = exchange("POST", f"{url}/orders", 1, *asked, *body, body="amount=1")
    set_ = (("Set-Cookie", "sid=1q8Zk3vQ8sN2pLx7RtB4"),)
    first = exchange("GET", f"{url}/", 0, ("Accept", "text/html"), answer_headers=set_)
    do(session, f"import {write_har(tmp_path / 'in.har', first, orders)}")
    do(session, "configure")
    listener.said.clear()
    do(session, "fields POST /orders")
    headings = [line for line in listener.said if not line.startswith(("  ", "# "))]
    assert headings[1:] == ["PATH", "HEADERS", "POST content"]
    assert any(line.startswith("  Authorization") for line in listener.said)
    assert any(line.startswith("# Cookie sid") for line in listener.said)
    assert token not in listener.text


@pytest.mark.promise(71)
def test_constant_is_set(configured: Console, listener: Listener) -> None:
    """And taken back, like any change."""
    do(configured, "set-field 2 password --constant 'a&b'")
    assert "password=a%26b" in body(configured)
    assert listener.said == ["password: Constant value, …"]
    do(configured, "undo")
    assert "password=correct+horse+7" in body(configured)


@pytest.mark.promise(71)
def test_dataset_is_set(configured: Console, tmp_path: Path, server: Server) -> None:
    """Its file lies beside the test case; the login then takes its row."""
    (tmp_path / "users.csv").write_text("username,password\nben,secret\n")
    do(configured, "set-field 2 user --dataset users.username")
    do(configured, "set-field 2 password dataset=users.password")
    assert [use.file for use in configured.opened().case.datasets] == ["users.csv"]
    assert body(configured).endswith("&user=${users.username}&password=${users.password}")
    do(configured, "save")
    with pytest.raises(CommandError, match="no column 'name': it has username, password"):
        do(configured, "set-field 2 user --dataset users.name")
    with pytest.raises(CommandError, match=r"others\.csv: no such file"):
        do(configured, "set-field 2 user --dataset others.name")
    with pytest.raises(UsageError, match=r"--dataset is DATASET\.COLUMN"):
        do(configured, "set-field 2 user --dataset users")


@pytest.mark.promise(71)
def test_variable_is_set(configured: Console, listener: Listener) -> None:
    """A new one has the value that was there; then other fields can use it too."""
    do(configured, "set-field 2 user --variable name")
    assert configured.opened().case.variables["name"].value == "ann"
    do(configured, "set-field 2 password --variable name")
    assert body(configured).endswith("&user=${name}&password=${name}")
    do(configured, "set-field 2 password --variable me")
    assert listener.said[-1] == (
        "  me is a new variable, with the value that was there: did you mean 'name'?"
    )
    assert configured.opened().case.variables["me"].template == "${name}"
    assert body(configured).endswith("&user=${name}&password=${me}")


def test_variable_gets_another_value(configured: Console, listener: Listener) -> None:
    """Wherever it came from before; it is one step for undo, and a secret is not said."""
    do(configured, "set-field 2 user --variable name")
    do(configured, "variable name 'Ann Example'")
    assert configured.opened().case.variables["name"].value == "Ann Example"
    assert body(configured).partition("&user=")[2].startswith("${name}&")
    assert listener.said[-1] == "name: Ann Example"
    do(configured, "undo")
    assert configured.opened().case.variables["name"].value == "ann"
    do(configured, "set-field 2 password --variable password")
    do(configured, "variable password 4711")
    assert configured.opened().case.variables["password"].value == "4711"
    assert listener.said[-1] == "password: ********"
    assert "4711" not in configured.log.entries[-1].line


def test_variable_that_has_no_value_of_its_own_is_refused(configured: Console) -> None:
    """A slip, and what a response sets."""
    (token,) = configured.opened().case.variables
    do(configured, "set-field 2 user --variable name")
    before = configured.document
    with pytest.raises(UsageError, match=r"there is no variable 'nmae'.*did you mean 'name'"):
        do(configured, "variable nmae x")
    with pytest.raises(UsageError, match=r"an extractor of 1 GET .* sets"):
        do(configured, f"variable {token} x")
    assert configured.document is before


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("set-field 2 user", "needs one of --constant, --dataset, --variable, --extractor and"),
        ("set-field 2 user --constant a --variable b", "needs one of --constant"),
        ("set-field 2 usr --constant a", "has no field 'usr'; did you mean 'user'"),
        ("set-field 2 zzz --constant a", "has no field 'zzz'; `fields 2` lists them"),
        ("set-field 9 user --constant a", "there is no transaction 9"),
        ("fields 9", "there is no transaction 9"),
    ],
)
def test_slip_is_named(configured: Console, line: str, message: str) -> None:
    """Nothing is changed then."""
    before = configured.document
    with pytest.raises(UsageError, match=message):
        do(configured, line)
    assert configured.document is before


def test_variable_takes_the_place_of_a_column(configured: Console, tmp_path: Path) -> None:
    """Whatever a field sends, a new variable has that."""
    (tmp_path / "users.csv").write_text("username\nben\n")
    do(configured, "set-field 2 user --dataset users.username")
    do(configured, "set-field 2 user --variable me")
    assert configured.opened().case.variables["me"].template == "${users.username}"
    assert "&user=${me}&" in body(configured)


SOAP = """<soap:Envelope xmlns:soap="x"><soap:Body><Buy id="17"><Sku>TEA-1</Sku></Buy></soap:Body>
</soap:Envelope>"""
GRAPHQL = (
    '{"query": "mutation Buy($sku: ID!) { buy(sku: $sku) { id } }", "variables": {"sku": "TEA-1"}}'
)
ORDER = '{"items": [{"sku": "TEA-1", "count": 2}], "note": "Café"}'


CARD = Field("c" * 30, "QUERY", "v" * 30, "Constant value", False, None)


def test_one_field_is_as_recorded_again(configured: Console, listener: Listener) -> None:
    """It is connected again, and what else was edited in the request stays; one that was not
    recorded is told."""
    recorded = body(configured)
    do(configured, "set-field 2 user --variable user")
    edited = body(configured)
    do(configured, "set-field 2 token --constant somebodys")
    do(configured, "restore 2 token")
    assert "token is as recorded: `application-state` connects it." in listener.said
    do(configured, "application-state")
    assert body(configured) == edited != recorded
    with pytest.raises(UsageError, match="transaction 2 has no field 'tokn'; did you mean 'token'"):
        do(configured, "restore 2 tokn")


@pytest.fixture
def shop(session: Console, tmp_path: Path, listener: Listener) -> Console:
    """A console with calls that send the same thing in several places, and cookies."""
    jar = ("Cookie", "sid=secret-session-1; theme=dark")
    calls = [
        exchange("GET", "http://shop.test/items/TEA-1?view=full", 0, jar, answer="{}"),
        exchange("POST", "http://shop.test/orders?dry=no", 1, jar, *JSON, body=ORDER, answer="{}"),
        exchange("POST", "http://shop.test/graphql", 2, *JSON, body=GRAPHQL, answer="{}"),
        exchange("POST", "http://shop.test/soap", 3, ("Content-Type", "text/xml"), body=SOAP),
        exchange("GET", "http://shop.test/me", 4, ("Authorization", "Bearer k3y-of-ann-12345")),
    ]
    do(session, f"import {write_har(tmp_path / 'in.har', *calls)}")
    listener.said.clear()
    return session


JSON = (("Content-Type", "application/json"),)


def listed(session: Console, line: str) -> list[str]:
    assert isinstance(session.frontend, Listener)
    session.frontend.said.clear()
    do(session, line)
    return [" ".join(one.split()) for one in session.frontend.said]


@pytest.mark.promise(24)
@pytest.mark.promise(28)
@pytest.mark.promise(29)
@pytest.mark.promise(30)
def test_fields_of_the_test_case(shop: Console) -> None:
    """By section, with the number of the transaction, and which others have the same value."""
    assert listed(shop, "fields all --filter 'TEA|view|dry'") == [
        "PATH",
        "1 path[2] Constant value TEA-1 also in 2, 3, 4",
        "QUERY",
        "1 view Constant value full",
        "2 dry Constant value no",
        "POST content",
        "2 sku Constant value TEA-1 also in 1, 3, 4",
        "3 sku Constant value TEA-1 also in 1, 2, 4",
        "4 Sku Constant value TEA-1 also in 1, 2, 3",
    ]
    assert listed(shop, "fields 1-2 ~m GET --filter view") == [
        "GET /items/TEA-1",
        "QUERY",
        "view Constant value full",
    ]
    assert listed(shop, "fields P1 --filter nothing-like-it")[-1] == "No field is like that."
    with pytest.raises(UsageError, match="--filter: '\\[' is no regular expression"):
        do(shop, "fields all --filter [")
    with pytest.raises(UsageError, match="fields of what"):
        do(shop, "fields")


@pytest.mark.parametrize("width", [80, 160])
def test_fields_fit(shop: Console, width: int) -> None:
    """What does not go into the terminal is cut, or only counted."""
    assert isinstance(shop.frontend, Listener)
    shop.frontend.columns = width
    do(shop, "set-field 3 sku --variable a_variable_with_quite_a_long_name_in_it --all")
    shop.frontend.said.clear()
    do(shop, "fields all")
    assert max(map(len, shop.frontend.said)) <= width
    (row,) = (line for line in shop.frontend.said if line.startswith("+ 3  sku "))
    assert row.endswith("  also in 1, 2, 4")
    assert ("…" in row) == (width == 80)
    _, one = table([ShownField(0, CARD, senders=range(40))], width=width)
    assert one.endswith("  also in 2, 3, 4, 5 and 35 more" if width == 160 else "  in 39 more")


def test_sections_have_one_heading_each(shop: Console) -> None:
    """Authorization and cookies are headers, both."""
    lines = listed(shop, "fields all")
    assert [line for line in lines if line in ("PATH", "QUERY", "HEADERS", "POST content")] == [
        *("PATH", "QUERY", "HEADERS", "POST content")
    ]


def test_cookies_of_the_jar_are_there_once(session: Console, tmp_path: Path) -> None:
    """Each value of them: nobody edits them, and every request has them."""
    set_cookie = [(("Set-Cookie", f"sid={sid}"),) for sid in ("abcd1234", "efgh5678")]
    sent = [("Cookie", f"sid={sid}") for sid in ("abcd1234", "efgh5678")]
    calls = [
        exchange("GET", "http://shop.test/", 0, answer_headers=set_cookie[0]),
        exchange("GET", "http://shop.test/1", 1, sent[0]),
        exchange("GET", "http://shop.test/2", 2, sent[0], answer_headers=set_cookie[1]),
        exchange("GET", "http://shop.test/3", 3, sent[1]),
    ]
    do(session, f"import {write_har(tmp_path / 'in.har', *calls)}")
    cookies = [line for line in listed(session, "fields all --secrets") if "Cookie" in line]
    assert cookies == [
        "2 Cookie sid Server authentication header abcd1234 also in 3",
        "4 Cookie sid Server authentication header efgh5678",
    ]


def test_secrets_are_cut_in_fields(shop: Console) -> None:
    """Unless they are asked for."""
    text = "\n".join(listed(shop, "fields all"))
    assert "secret-session-1" not in text
    assert "k3y-of-ann" not in text
    text = "\n".join(listed(shop, "fields all --secrets"))
    assert "secret-session-1" in text
    assert "k3y-of-ann-12345" in text


@pytest.mark.promise(27)
@pytest.mark.parametrize(
    ("line", "sent"),
    [
        ("set-field 1 path[2] --constant 'a/b'", "/items/a%2Fb?view=full"),
        ("set-field 1 view --constant 'a&b'", "/items/TEA-1?view=a%26b"),
        ("set-field 2 sku --constant 'a\"b'", '{"sku": "a\\"b", "count": 2}'),
        ("set-field 3 sku --constant X-9", '"variables": {"sku": "X-9"}'),
        ("set-field 4 Sku --constant 'a<b'", "<Sku>a&lt;b</Sku>"),
    ],
)
def test_edited_field_is_encoded_for_its_place_and_marked(
    shop: Console, line: str, sent: str
) -> None:
    """Path segments, query, JSON, GraphQL and XML; what a person wrote is green, with a sign."""
    do(shop, line)
    number, name = line.split()[1:3]
    request = list(shop.opened().case.transactions())[int(number) - 1].request
    assert sent in request.target + str(request.body)
    assert isinstance(shop.frontend, Listener)
    shop.frontend.said.clear()
    do(shop, f"fields {number}")
    (edited,) = (
        one
        for one in shop.frontend.said
        if isinstance(one, ViewLine) and one.startswith("+ ") and "edited by" not in one
    )
    assert name in edited
    assert ("+ ", "edited") in edited.spans
    assert shop.frontend.said[-1] == "+ edited by a person"


def test_all_with_the_same_value_are_changed(shop: Console, listener: Listener) -> None:
    """Wherever it stands, and one `undo` takes all of it back."""
    before = shop.document
    do(shop, "set-field 1 path[2] --variable sku --all")
    assert listener.said[-2:] == [
        "  sku is a new variable, with the value that was there",
        "  4 fields changed, in 1, 2, 3, 4",
    ]
    requests = [one.request for one in shop.opened().case.transactions()]
    assert requests[0].target == "/items/${sku}?view=full"
    assert all("${sku" in str(one.body) for one in requests[1:4])
    do(shop, "undo")
    assert shop.document is before
    do(shop, "set-field 2 sku --constant 'x y' --all")
    requests = [one.request for one in shop.opened().case.transactions()]
    assert requests[0].target == "/items/x%20y?view=full"
    assert all("x y" in str(one.body) for one in requests[1:4])


def test_cookie_of_the_jar_is_no_text(shop: Console) -> None:
    """It is said who sends it, whether others send it or not."""
    with pytest.raises(CommandError, match="Cookie sid is no text of the test case"):
        do(shop, "set-field 2 'Cookie sid' --constant x")


def test_words_of_paths_are_no_values(session: Console, tmp_path: Path) -> None:
    """A user called as a folder is another thing; small numbers are so, too."""
    form = ("Content-Type", "application/x-www-form-urlencoded")
    calls = [
        exchange("GET", "http://shop.test/admin/17", 0),
        exchange("POST", "http://shop.test/login", 1, form, body="user=admin&count=17&id=70017"),
        exchange("POST", "http://shop.test/again", 2, form, body="user=admin&login=admin&n=70017"),
    ]
    do(session, f"import {write_har(tmp_path / 'in.har', *calls)}")
    also = {line for line in listed(session, "fields all") if "also in" in line}
    assert also == {
        "2 user Constant value admin also in 3",
        "3 user Constant value admin also in 2",
        "2 id Constant value 70017 also in 3",
        "3 n Constant value 70017 also in 2",
    }


def test_extractor_is_set(configured: Console, listener: Listener) -> None:
    """By its number or its variable; one that comes later gives nothing out in time."""
    (token,) = configured.opened().case.variables
    do(configured, "set-field 2 user --extractor 1")
    assert listener.said[-1] == f"user: Extractor[1], ${{{token}}}"
    do(configured, "undo")
    do(configured, f"set-field 2 user --extractor {token}")
    assert listener.said[-1] == f"user: Extractor[1], ${{{token}}}"
    with pytest.raises(CommandError, match=r"no extractor '7': Extractor\[1\] "):
        do(configured, "set-field 2 user --extractor 7")
    with pytest.raises(CommandError, match="taken from 1 GET /form, which does not come before"):
        do(configured, "set-field 1 path[1] --extractor Extractor[1]")


def test_server_authentication_is_set(shop: Console, listener: Listener) -> None:
    """The virtual user keeps the header then; other fields it knows nothing of."""
    do(shop, "set-field 5 Authorization --server-authentication")
    request = list(shop.opened().case.transactions())[4].request
    assert not any(one.name == "Authorization" for one in request.headers)
    with pytest.raises(CommandError, match="keep Authorization and cookies, and no view"):
        do(shop, "set-field 1 view --server-authentication")


def test_value_without_its_option(session: Console) -> None:
    """What is behind the field says which option it belongs to."""
    with pytest.raises(UsageError, match="an option: --constant, --dataset, --variable"):
        do(session, "set-field 7 name Teapot")
