"""What logs in, and what stands for somebody who has: typed credentials, tokens, keys, cookies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Boundary,
    Extractor,
    FormField,
    HeaderValue,
    JsonPath,
    RegularExpression,
)
from tests.correlation.exchanges import case_of, html, json_body
from tests.correlation.talk import (
    TOKEN,
    UUID,
    call,
    configure,
    get,
    made,
    post,
    requests,
    run,
    sources,
)

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIiwiZXhwIjoxfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
LOGIN = html(f'<form><input type="hidden" name="csrf" value="{TOKEN}"><input name="user"></form>')


@pytest.mark.promise(69, 70, 72)
def test_a_login_form() -> None:
    """User name and password are fields like others and stay as typed; the token is correlated."""
    typed = "user=kim&password=secret+pass&csrf="
    configuration = run(get("/login", LOGIN), post("/login", f"{typed}{TOKEN}"))
    assert requests(configuration)[1] == f"/login {typed}${{csrf_token[1]}}"
    assert sources(configuration) == [("csrf_token[1]", FormField("csrf"), 1)]
    typed_notes = [one for one in configuration.decisions if one.rule == "typed-credentials"]
    assert [(one.value, one.variable) for one in typed_notes] == [("kim", ""), ("********", "")]


@pytest.mark.promise(71)
@pytest.mark.parametrize("password", ["${users.password}", "${password}", "another"])
def test_a_person_changes_who_logs_in(password: str) -> None:
    """A column of a dataset, a variable or a constant in their place survives configuring."""
    exchanges = [get("/login", LOGIN), post("/login", f"user=kim&password=x&csrf={TOKEN}")]
    case = case_of(*exchanges)
    (page,) = case.pages
    first, login = page.transactions
    edited = replace(login.request, body=f"user=kim&password={password}&csrf={TOKEN}")
    page = replace(page, transactions=(first, replace(login, request=edited)))
    configuration = configure(replace(case, pages=(page,)), exchanges)
    assert (
        requests(configuration)[1] == f"/login user=kim&password={password}&csrf=${{csrf_token[1]}}"
    )
    assert configure(configuration.case, exchanges) == configuration


@pytest.mark.promise(97)
def test_tokens_that_are_issued_are_extracted() -> None:
    """Access and refresh token each get an extractor, used or not, by the rule of their name."""
    issued = {"access_token": JWT, "refresh_token": UUID, "token_type": "Bearer", "expires_in": 300}
    configuration = run(call("POST", "/token", {"grant_type": "password"}, json_body(issued)))
    assert sources(configuration) == [
        ("bearer_token[1]", JsonPath("$.access_token"), 1),
        ("refresh_token[1]", JsonPath("$.refresh_token"), 1),
    ]
    rules = {name: one.rule for name, one in configuration.case.variables.items()}
    assert rules == {
        "bearer_token[1]": "oauth2-access-token",
        "refresh_token[1]": "oauth2-refresh-token",
    }


@pytest.mark.parametrize("scheme", ["Bearer ", ""])
def test_a_jwt_anywhere(scheme: str) -> None:
    """A JSON Web Token is one value, all three parts of it, whatever the names around it."""
    configuration = run(
        get("/", html(f'<script>boot("{JWT}")</script>')),
        get(f"/socket?ticket={JWT}", sent=(("X-Ticket", f"{scheme}{JWT}"),)),
    )
    assert requests(configuration)[1] == f"/socket?ticket=${{jwt[1]}} {scheme}${{jwt[1]}}"
    assert sources(configuration) == [("jwt[1]", Boundary('boot("', '"'), 1)]
    assert {one.rule for one in made(configuration)} == {"jwt"}


@pytest.mark.promise(99)
@pytest.mark.parametrize("name", ["X-API-Key", "x-api-key", "Api-Key", "X-Auth-Token"])
def test_a_key_in_a_header(name: str) -> None:
    """A key that a response gives out is found by its header's name."""
    key = "abcdefghijkl"  # no randomness shows
    configuration = run(
        call("POST", "/apps", {"n": "x"}, json_body({"app": {"secret": key}})),
        get("/data", sent=((name, key),)),
    )
    assert requests(configuration)[1].startswith("/data ${")
    assert [source for _, source, _ in sources(configuration)] == [JsonPath("$.app.secret")]
    assert [one.rule for one in made(configuration)] == ["api-key-header"]


@pytest.mark.promise(100)
@pytest.mark.parametrize("name", ["api_key", "apiKey", "appid", "client_id", "Subscription-Key"])
def test_a_key_in_the_query_that_never_changes(name: str) -> None:
    """Although a page holds it, and it looks random: it is left, and a decision says so."""
    target = f"/v1/rates?{name}={TOKEN}"
    configuration = run(get("/", html(f'<a href="{target}">Rates</a>')), get(target), get(target))
    assert made(configuration) == []
    assert [one.rule for one in configuration.decisions] == ["api-key-query"]
    key = f"AIza{'Ab1' * 11}xy"
    assert made(run(get("/", html(f'key="{key}"')), get(f"/maps?key={key}"))) == []


def test_an_id_that_is_called_like_a_key() -> None:
    """Somebody's clients have ids, too: what the session created is no constant."""
    configuration = run(
        call("POST", "/clients", {"n": "x"}, json_body({"id": 41})), get("/invoices?client_id=41")
    )
    assert requests(configuration)[1] == "/invoices?client_id=${client_id[1]}"


def test_a_key_in_the_query_that_was_created() -> None:
    """It comes from the session's own request, so it must be another one each time."""
    configuration = run(
        call("POST", "/keys", {"n": "x"}, json_body({"key": TOKEN})), get(f"/rates?api_key={TOKEN}")
    )
    assert requests(configuration)[1] == "/rates?api_key=${api_key[1]}"
    assert [one.rule for one in made(configuration)] == ["api-key-issued"]


@pytest.mark.promise(101)
@pytest.mark.parametrize("scheme", ["", "Token "])
def test_a_header_of_the_servers_own_invention(scheme: str) -> None:
    """A value that changes is found whatever the header is called."""
    configuration = run(
        get("/hello", html("", ("X-Shop-Ticket", UUID))),
        get("/data", sent=(("X-Shop-Proof", f"{scheme}{UUID}"),)),
    )
    assert requests(configuration)[1] == f"/data {scheme}${{shop_proof[1]}}"
    assert sources(configuration) == [("shop_proof[1]", HeaderValue("X-Shop-Ticket"), 1)]


@pytest.mark.promise(101)
def test_an_extractor_made_by_hand() -> None:
    """A pattern too unusual to be found is extracted by hand, and configuring leaves that alone."""
    exchanges = [
        get("/hello", html("<p>ticket no. a-b of today</p>")),
        get("/data", sent=(("X-Shop-Proof", "today/a-b"),)),
    ]
    assert made(run(*exchanges)) == []
    case = case_of(*exchanges)
    (page,) = case.pages
    hello, data = page.transactions
    by_hand = Extractor("ticket", RegularExpression(r"ticket no\. (\S+)"))
    header = replace(data.request.headers[0], value="today/${ticket}")
    page = replace(
        page,
        transactions=(
            replace(hello, extractors=(by_hand,)),
            replace(data, request=replace(data.request, headers=(header,))),
        ),
    )
    edited = replace(case, pages=(page,))
    assert configure(edited, exchanges).case == edited


def test_csrfguard() -> None:
    """OWASP CSRFGuard: a script fetches the token as ``name:value``, to send it in a header."""
    token = "X8YD-7QWM-2LKP-90AB-C3DE-F4GH"
    fetched = html(f"OWASP_CSRFTOKEN:{token}")
    configuration = run(
        post("/JavaScriptServlet", "", fetched, status=200),
        call("POST", "/transfer", {"n": 1}, sent=(("OWASP-CSRFTOKEN", token),)),
        get(f"/report?OWASP_CSRFTOKEN={token}"),
    )
    assert requests(configuration)[1:] == [
        '/transfer ${csrf_token[1]} {"n": 1}',
        "/report?OWASP_CSRFTOKEN=${csrf_token[1]}",
    ]
    pattern = r"\bOWASP_CSRFTOKEN\s*:\s*([\w.~+/%|!-]+=*)"
    assert sources(configuration) == [("csrf_token[1]", RegularExpression(pattern), 1)]


def test_ids_of_graphql() -> None:
    """A number that a mutation creates goes into variables about the same thing, whether the
    operation or the variable is called after it; what a query lists is picked, not created."""

    def ask(query: str, answer: object, **variables: object) -> Exchange:
        return call("POST", "/graphql", {"query": query, "variables": variables}, json_body(answer))

    created = {"data": {"createPost": {"post": {"id": 41, "author": {"id": 7}}}}}
    configuration = run(
        ask("query Posts{posts{id}}", {"data": {"posts": [{"id": 5}]}}),
        ask("mutation Create($t:String){createPost(t:$t){post{id}}}", created, t="Tea"),
        ask("mutation UpdatePost($id:ID!){updatePost(id:$id){id}}", {}, id=41),
        ask("mutation($postId:ID!){like(post:$postId){n}}", {}, postId=41),
        ask("query Author($id:ID!){author(id:$id){name}}", {}, id=5),
        ask("query Post($id:ID!){post(id:$id){name}}", {}, id=5),
    )
    sent = [one.partition('"variables": ')[2] for one in requests(configuration)]
    assert sent[2:] == [
        '{"id": ${id[1]}}}',
        '{"postId": ${id[1]}}}',
        '{"id": 5}}',
        '{"id": 5}}',
    ]


def test_ids_in_the_text_of_graphql() -> None:
    """As an argument of a field about the same thing, quoted or not, in an address, too; each field
    of a query is asked for its own."""

    def ask(query: str, answer: object) -> Exchange:
        return call("POST", "/graphql", {"query": query}, json_body(answer))

    configuration = run(
        ask('mutation {addPost(title: "Tea", size: 4) {id}}', {"data": {"addPost": {"id": "41"}}}),
        ask('query Q { user(id: "41") {name} one: post(id: "41") {title(size: 41)} }', {}),
        ask("mutation { deletePost(id: 41, data: {postIds: [41], note: 41}) }", {}),
        get("/graphql?query=%7Bpost(id:%2241%22)%7Btitle%7D%7D", json_body({})),
    )
    assert [one.replace('\\"', "'") for one in requests(configuration)[1:]] == [
        "/graphql {\"query\": \"query Q { user(id: '41') {name} one: post(id: '${id[1]|json}') "
        '{title(size: 41)} }"}',
        '/graphql {"query": "mutation { deletePost(id: ${id[1]}, data: {postIds: [${id[1]}], '
        'note: 41}) }"}',
        "/graphql?query=%7Bpost(id:%22${id[1]|json}%22)%7Btitle%7D%7D",
    ]
    assert [one.rule for one in made(configuration)] == ["created-id"]


def test_hashes_of_persisted_queries() -> None:
    """They are built into the client: left alone, although a script that was fetched holds them."""
    digest = "ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38"
    persisted = {"persistedQuery": {"version": 1, "sha256Hash": digest}}
    body = {"operationName": "Posts", "variables": {}, "extensions": persisted}
    configuration = run(
        get("/app.js", html(f'var q = {{"Posts": "{digest}"}}')), call("POST", "/graphql", body)
    )
    assert made(configuration) == []
    assert [one.rule for one in configuration.decisions] == ["persisted-query"]


def test_the_fragment_of_a_redirect() -> None:
    """keycloak-js has the code handed over behind the ``#``, and sends it in a form."""
    where = f"/app/#state={UUID}&session_state=x1&code={TOKEN}.{TOKEN}"
    configuration = run(
        post("/login-actions", "a=b", html("", ("Location", where)), status=302),
        post("/token", f"grant_type=authorization_code&code={TOKEN}.{TOKEN}"),
    )
    assert requests(configuration)[1] == "/token grant_type=authorization_code&code=${code[1]}"
    assert [one.rule for one in made(configuration)] == ["oauth2-code"]


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/cb?code=4%2F0AX12cd34efGh7%3D%3D&s=1", "/cb?code=${code[1]|unurl}&s=1"),
        (f"/login?AuthState=_{TOKEN}%3A%2Fidp", "/login?AuthState=${AuthState[1]|unurl}"),
        (f"/login?to=_{TOKEN}%3Ahttp%3A%2F%2Fh", "/login?to=${to[1]}%3Ahttp%3A%2F%2Fh"),
        (f"/cb?code={TOKEN}&iss=%2Fr", "/cb?code=${code[1]|unurl}&iss=%2Fr"),
        ("/up?_state=UTZAA6XYaVi-yo9JnpQm3c_H", "/up?_state=${state[1]|unurl}"),
    ],
)
def test_values_of_redirects_that_are_encoded(location: str, target: str) -> None:
    """A code with characters that are percent-encoded, or a token within a longer value, is taken
    as it stands in Location, and written as it was."""
    redirect = get("/", html("", ("Location", location)), status=302)
    assert requests(run(redirect, get(location)))[1] == target


def test_values_of_links_that_are_encoded() -> None:
    """Likewise in a page."""
    target = "/reset?token=4%2F0AX12cd34efGh7%3D%3D"
    configuration = run(get("/", html(f'<a href="{target}">Reset</a>')), get(target))
    assert requests(configuration)[1] == "/reset?token=${token[1]|unurl}"
