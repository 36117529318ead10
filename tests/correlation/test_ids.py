"""Ids: of which kind of thing they are, in lists, as codes; and versions of things."""

from __future__ import annotations

import json

import pytest

from pytest_loadtool.correlation.kinds import collection, id_stem, reads
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import JsonPath
from tests.correlation.exchanges import answered, exchange, html, json_body
from tests.correlation.talk import EMPTY, call, get, made, post, requests, run


def bodies(*exchanges: Exchange) -> list[str]:
    """The last request as it is configured, and the one before."""
    return requests(run(*exchanges))[-2:]


def test_another_field_with_the_same_number_is_no_echo() -> None:
    """On a fresh database the first id is 1, and so is the quantity that was ordered."""
    new = call("POST", "/api/orders", {"quantity": 1, "page": 1}, json_body({"id": 1}))
    assert bodies(new, get("/api/orders/1"))[1] == "/api/orders/${order_id[1]}"


def test_the_same_field_is_an_echo() -> None:
    """What was sent as the id of that thing comes from no answer."""
    shown = call("PUT", "/api/orders/1", {"quantity": 2}, json_body({"id": 1, "quantity": 2}))
    assert bodies(shown, get("/api/orders/1/lines")) == [
        '/api/orders/1 {"quantity": 2}',
        "/api/orders/1/lines",
    ]


def test_the_number_of_another_thing_is_not_meant() -> None:
    """Task 3 of project 3: each has its own, in a path, in a query and in what is called."""
    last = run(
        call("POST", "/api/projects", {"name": "Tea"}, json_body({"id": 3})),
        get("/api/projects/3"),
        call("POST", "/api/projects/3/tasks", {"name": "Buy"}, json_body({"id": 3})),
        get("/api/tasks/3"),
        call("POST", "/api/notes", {"task_id": 3, "project_id": 3}),
    )
    assert requests(last)[3:] == [
        "/api/tasks/${task_id[1]}",
        '/api/notes {"task_id": ${task_id[1]}, "project_id": ${project_id[1]}}',
    ]


@pytest.mark.parametrize(
    ("method", "target", "body", "sent"),
    [
        ("POST", "/api/tasks/bulk", {"keys": [2, 3]}, '{"keys": [${id[1]}, ${id[2]}]}'),
        ("POST", "/api/tasks/archive", [3], "[${id[2]}]"),
        ("PUT", "/api/tasks/order", {"taskids": [3, 2]}, '{"taskids": [${id[2]}, ${id[1]}]}'),
        ("PUT", "/api/tasks/order", {"taskIds": [3, 2]}, '{"taskIds": [${id[2]}, ${id[1]}]}'),
        ("POST", "/api/tasks/bulk", {"ids": "3,2"}, '{"ids": "${id[2]},${id[1]}"}'),
        ("DELETE", "/api/tasks?ids=2,3", None, "?ids=${id[1]},${id[2]}"),
        ("DELETE", "/api/tasks?id=2&id=3", None, "?id=${id[1]}&id=${id[2]}"),
        ("DELETE", "/api/tasks/3,2", None, "/${id[2]},${id[1]}"),
        ("POST", "/api/tasks/bulk", {"sizes": [2, 3]}, '{"sizes": [2, 3]}'),
        ("POST", "/api/shops/bulk", {"keys": [2, 3]}, '{"keys": [2, 3]}'),
    ],
)
def test_elements_of_lists(method: str, target: str, body: object, sent: str) -> None:
    """Each one by itself, where ids of those things are meant."""
    act = get(target) if body is None else call(method, target, body)
    configured = run(
        call("POST", "/api/tasks", {"name": "Tea"}, json_body({"id": 2})),
        call("POST", "/api/tasks", {"name": "Cup"}, json_body({"id": 3})),
        act,
    )
    line = requests(configured)[-1]
    for number, variable in enumerate(one.variable for one in made(configured)):
        first = configured.case.variables[variable].recorded == "2"
        assert number < 2
        line = line.replace(f"${{{variable}}}", "${id[1]}" if first else "${id[2]}")
    assert line.endswith(sent)


@pytest.mark.parametrize(
    "code", ["tmvkqpxzb", "jR8Xk", "K7Q2ZD", "kBGOh", "0fa96d01", "q-fA_x1Zp0"]
)
@pytest.mark.parametrize("name", ["id", "code", "slug"])
def test_codes_are_ids_by_their_place(code: str, name: str) -> None:
    """Whatever they look like: the answer to the change gives them out, and paths have them."""
    lines = bodies(
        call("POST", "/api/links", {"url": "/tea"}, json_body({name: code, "state": "open"})),
        get(f"/api/links/{code}"),
        call("POST", "/api/clicks", {"link": code, "state": "open"}),
    )
    variable = lines[0].removeprefix("/api/links/")
    assert variable.startswith("${")
    assert lines[1] == f'/api/clicks {{"link": "{variable}", "state": "open"}}'


def test_a_code_that_a_redirect_leads_to() -> None:
    """And no page that only tells that all went well."""
    located = (("Location", "/notes/kqvzmtpa"),)
    thanks = (("Location", "/orders/thanks"),)
    lines = requests(
        run(
            post("/notes", "name=Tea", html("", *located), status=302),
            get("/notes/kqvzmtpa"),
            post("/notes/kqvzmtpa/edit", "name=Cup"),
            post("/orders", "name=Tea", html("", *thanks), status=302),
            get("/orders/thanks"),
        )
    )
    assert lines[1:] == [
        "/notes/${note_id[1]}",
        "/notes/${note_id[1]}/edit name=Cup",
        "/orders name=Tea",
        "/orders/thanks",
    ]


def test_a_program_name_is_no_id() -> None:
    """Lower camelCase is what programmers write."""
    shown = get("/page", html('<script>var call = "getObjPositionInParent"</script>'))
    assert bodies(shown, call("POST", "/rpc", {"call": "getObjPositionInParent"}))[1].endswith(
        '{"call": "getObjPositionInParent"}'
    )


def test_what_is_done_to_other_things_is_no_id() -> None:
    """A page before has a link with the word behind something else."""

    def listed(*names: str) -> Exchange:
        return html("".join(f'<a href="{name}/manage_workspace">{name}</a>' for name in names))

    folder = (post("/add", "id=tea-shop"), get("/", listed("acl_users", "tea-shop")))
    used = get("/tea-shop/manage_workspace")
    assert not run(get("/", listed("acl_users")), *folder, used).case.variables
    assert run(get("/", html("<p>")), *folder, used).case.variables


@pytest.mark.parametrize("name", ["version", "_rev", "rowVersion", "lock_version", "etag"])
@pytest.mark.parametrize("value", [3, "AAAAAAAAB9E="])
def test_versions_are_sent_back(name: str, value: object) -> None:
    """The latest one, small numbers too, although another field has that number."""
    last = run(
        get("/api/items/7", json_body({"id": 7, "size": 3, name: 1})),
        call("PATCH", "/api/items/7", {"size": 3}, json_body({"id": 7, name: value})),
        call("PATCH", "/api/items/7", {"size": 3, name: value}),
    )
    assert [one.rule for one in made(last)] == ["row-version"]
    assert json.dumps(value) not in requests(last)[2].partition(name)[2]


def test_the_version_of_a_thing_and_that_of_another() -> None:
    """Of three equal numbers the one of the name; that of a lock's key is none of the note's."""
    note = {"create_revision": "4", "version": "1", "key": "notes/7", "mod_revision": "4"}
    compared = [{"key": "notes/7", "modRevision": "4"}, {"key": "lock/8", "version": "1"}]
    last = run(
        post("/range", '{"key": "notes/7"}', json_body({"revision": "4", "kvs": [note]})),
        call("POST", "/txn", {"compare": compared}),
    )
    (extractor,) = last.case.pages[0].transactions[0].extractors
    assert isinstance(extractor.source, JsonPath)
    assert extractor.source.path.endswith(".mod_revision")
    assert '"version": "1"' in requests(last)[1]


def test_the_version_of_an_interface_is_a_constant() -> None:
    """``1.2`` is no state of a thing."""
    lines = bodies(
        get("/api", json_body({"version": "1.2"})), call("POST", "/api", {"version": "1.2"})
    )
    assert lines[1] == '/api {"version": "1.2"}'


def test_an_etag_is_sent_back() -> None:
    """In If-Match, however short it is."""
    shown = get("/api/items/7", json_body({"id": 7}), received=(("ETag", '"5"'),))
    change = exchange(
        "PUT", "http://shop.test/api/items/7", sent=(("If-Match", '"5"'),), body=b"", status=204
    )
    assert "${" in bodies(shown, change)[1]


@pytest.mark.parametrize("kind", ["parent", "object"])
def test_a_kind_beside_the_id(kind: str) -> None:
    """It decides, where it is said."""
    new = call("POST", "/api/tasks", {"name": "Tea"}, json_body({"id": 3}))
    sent = {f"{kind}_id": 3, f"{kind}_type": "task"}
    other = {f"{kind}_id": 3, f"{kind}_type": "wiki"}
    lines = bodies(new, call("POST", "/api/a", sent), call("POST", "/api/a", other))
    assert lines[0] == f'/api/a {{"{kind}_id": ${{task_id[1]}}, "{kind}_type": "task"}}'.replace(
        "task_id", f"{kind}_id"
    )
    assert "${" not in lines[1]


def test_the_id_of_a_call_is_no_id_of_a_thing() -> None:
    """JSON-RPC numbers its calls, by which the client knows the answers."""
    calls = [
        ("task.create", {"name": "Tea"}, 2),
        ("task.get", {"id": 2}, {"id": 2, "name": "Tea"}),
    ]
    envelope = {"jsonrpc": "2.0"}
    exchanges = [
        call(
            "POST",
            "/rpc",
            {**envelope, "id": at, "method": method, "params": params},
            json_body({**envelope, "id": at, "result": result}),
        )
        for at, (method, params, result) in enumerate(calls, 1)
    ]
    lines = requests(run(*exchanges))
    assert lines[1].startswith('/rpc {"jsonrpc": "2.0", "id": 2, "method"')
    assert lines[1].endswith('"params": {"id": ${id[1]}}}')


@pytest.mark.parametrize(
    ("called", "resource", "reading"),
    [
        ("/api/v1/tasks/17/edit", "tasks", False),
        ("/obj/1/1/16386", "obj", False),
        ("/tasks/search", "tasks", True),
        ("/list", "list", False),
        ("/task.php", "task", False),
        ("listTasks", "tasks", True),
        ("task.create", "task", False),
        ("list.create", "list", False),
        ("/api/TaskService/GetTask", "task", True),
        ("createLineItem", "line item", False),
        ("/api/teasByGrowerId", "teas", False),
    ],
)
def test_what_a_request_is_about(called: str, resource: str, reading: bool) -> None:
    """By its path or by what it calls, and whether that only reads."""
    assert (collection(called), reads(called)) == (resource, reading)


def test_what_is_searched_for_is_not_created() -> None:
    """A POST that finds things gives out no new ones."""
    rows = json_body({"tasks": [{"id": 7, "name": "Cup"}]})
    for path, body in (("/api/tasks/search", {"page": 1}), ("/api/tasks", {"_method": "GET"})):
        found = call("POST", path, {"text": "x", **body}, rows)
        assert bodies(found, get("/api/tasks/7"))[1] == "/api/tasks/7"


def test_the_result_of_a_call_in_xml() -> None:
    """An element that says no more than that it is the result."""
    made_ = exchange(
        answer=b"<Body><AddItemResponse><AddItemResult>3</AddItemResult></AddItemResponse></Body>",
        received=(("Content-Type", "text/xml"),),
    )
    sent = (("Content-Type", "text/xml"),)
    new = answered("POST", "/s", made_, sent=sent, body=b"<Body><AddItem><n>3</n></AddItem></Body>")
    use = b"<Body><ShipItem><itemId>3</itemId></ShipItem></Body>"
    lines = bodies(new, answered("POST", "/s", exchange(), sent=sent, body=use))
    assert lines[1] == "/s <Body><ShipItem><itemId>${itemId[1]}</itemId></ShipItem></Body>"


def test_a_choice_with_the_number_of_the_thing() -> None:
    """In a request to customer 3, the type 3 is another thing."""
    new = call("POST", "/api/customers", {"name": "Kim"}, json_body({"id": 3}))
    lines = bodies(new, call("POST", "/api/customers/3/orders", {"typeId": 3}))
    assert lines[1] == '/api/customers/${customer_id[1]}/orders {"typeId": 3}'


def test_a_variable_that_is_declared_as_an_id() -> None:
    """In GraphQL, whatever it is called, and although people say with such a field who they are."""
    made = call("POST", "/graphql", {"query": "mutation A { createUser(name: \"x\") { id } }"},
                json_body({"data": {"createUser": {"id": "3"}}}))  # fmt: skip
    for field, declared in (("user", "ID!"), ("owners", "[ID!]!")):
        query = f"mutation B(${field}: {declared}) {{ createPost(user_id: ${field}) {{ id }} }}"
        used = call("POST", "/graphql", {"query": query, "variables": {field: "3"}})
        found = "${" in requests(run(made, used))[1].partition('"variables"')[2]
        assert found is (field == "user")  # the owners may be of another kind


def test_an_address_that_says_no_kind() -> None:
    """Isso creates comments by ``/new``, and has them at ``/id/1``; an answer has its parent."""
    configuration = run(
        call("POST", "/new", {"text": "Green", "parent": None}, json_body({"id": 1})),
        get("/id/1"),
        call("POST", "/new", {"text": "Why?", "parent": 1}, json_body({"id": 2, "parent": 1})),
        call("PUT", "/id/2", {"text": "Because"}),
    )
    assert requests(configuration)[1:] == [
        "/id/${id[1]}",
        '/new {"text": "Why?", "parent": ${id[1]}}',
        '/id/${id[2]} {"text": "Because"}',
    ]


@pytest.mark.parametrize("kind", ["type", "kind", "_type"])
def test_a_kind_beside_a_bare_id(kind: str) -> None:
    """Task 3 and project 3: what is beside the id says which, in each object of its own."""
    rows = [{"id": 3, "note": {"a": 1}, kind: "task"}, {kind: "project", "id": 3}]
    last = run(
        call("POST", "/api/projects", {"name": "Tea"}, json_body({"id": 3})),
        get("/api/projects/3"),
        call("POST", "/api/tasks", {"name": "Buy"}, json_body({"id": 3})),
        get("/api/tasks/3"),
        call("POST", "/api/projects/star", {kind: "task", "id": 3}),
        call("POST", "/api/tasks/star", rows),
        call("POST", "/api/tasks/star", {kind: "large", "id": 3}),
    )
    assert requests(last)[4:] == [
        f'/api/projects/star {{"{kind}": "task", "id": ${{task_id[1]}}}}',
        '/api/tasks/star [{"id": ${task_id[1]}, "note": {"a": 1}, "'
        f'{kind}": "task"}}, {{"{kind}": "project", "id": ${{project_id[1]}}}}]',
        f'/api/tasks/star {{"{kind}": "large", "id": ${{task_id[1]}}}}',
    ]


def test_ids_behind_ids_are_called_after_a_word() -> None:
    """``/obj/1/1/16386``: no id is what another one is the id of."""
    for parent in ("/obj/1/1", "/obj/a81bc81bdead4e5d"):
        last = run(
            call("POST", parent, {"name": "Tea"}, json_body({"id": 16386})),
            get(f"{parent}/16386"),
        )
        assert requests(last)[1] == f"{parent}/${{obj_id[1]}}"


def test_an_xml_answer_alone_before_a_list() -> None:
    """The answer to the change has one id; the list has those of others, too."""
    kind, own, other = ("Content-Type", "text/xml"), "8c2f0b7e4d11", "77f0a1b2c3d4"
    alone = f"<Order><OrderId>{own}</OrderId></Order>"
    rows = "".join(f"<Order><OrderId>{at}</OrderId></Order>" for at in (other, own))
    last = run(
        call("POST", "/orders", {"lines": 1}, exchange(received=(kind,), answer=alone.encode())),
        get("/orders", exchange(received=(kind,), answer=f"<Orders>{rows}</Orders>".encode())),
        get("/print?what=" + own),
    )
    assert requests(last)[2] == "/print?what=${what[1]}"
    assert [bool(one.extractors) for one in last.case.transactions()] == [True, False, False]


def test_the_version_of_the_thing_itself() -> None:
    """Both are at version 7: each change takes that of its own thing."""
    last = run(
        call("POST", "/plan/create", {"name": "Tea"}, json_body({"plan_id": 89, "version": 7})),
        call("POST", "/step/create", {"name": "Buy"}, json_body({"step_id": 13, "version": 7})),
        call("POST", "/plan/update", {"plan_id": 89, "size": 1, "version": 7}, json_body({})),
    )
    first = [one.variable for one in next(iter(last.case.transactions())).extractors]
    assert first == ["plan_id[1]", "version[1]"]
    assert requests(last)[2].endswith('"version": ${version[1]}}')


def test_the_version_that_was_given_out_last() -> None:
    """The answer to the change has it alone, the list after it is newer: its row is known."""
    rows = [{"id": 30, "name": "Milk", "version": 4}, {"id": 31, "name": "Tea", "version": 7}]
    last = run(
        call("POST", "/tasks", {"name": "Tea"}, json_body({"id": 31, "version": 7})),
        get("/tasks", json_body(rows)),
        call("PUT", "/tasks/31", {"size": 1, "version": 7}),
    )
    taken = [[one.variable for one in each.extractors] for each in last.case.transactions()]
    assert taken == [["task_id[1]"], ["version[1]"], []]
    assert ".version" in str(next(iter(list(last.case.transactions())[1].extractors)).source)


def test_the_etag_of_the_path_itself() -> None:
    """Another thing may have the same."""
    tag = ("ETag", '"7"')
    last = run(
        get("/plans/tea", html("", tag)),
        get("/plans/cup", html("", tag)),
        call("PUT", "/plans/tea", {"size": 1}, sent=(("If-Match", '"7"'),)),
    )
    assert [bool(one.extractors) for one in last.case.transactions()] == [True, False, False]


def test_an_object_called_as_its_thing_is() -> None:
    """``list`` is what most answers wrap things in, and here a thing."""
    last = run(
        call("POST", "/lists", {"name": "Tea"}, json_body({"id": 3})),
        get("/lists/3"),
        call("POST", "/entries", {"name": "Buy", "list": {"id": 3}}),
    )
    assert requests(last)[2] == '/entries {"name": "Buy", "list": {"id": ${list_id[1]}}}'


def test_a_row_is_not_found_by_the_number_of_another_thing() -> None:
    """User 4 has made document 4: that is found by its name."""
    rows = [{"id": 9, "name": "Ida"}, {"id": 4, "name": "Route 66"}]
    last = run(
        call("POST", "/login", {"username": "kim"}, json_body({"user": {"id": 4}})),
        get("/users/4"),
        call("POST", "/documents", {"name": "Route 66"}, json_body({"ok": True})),
        get("/documents", json_body(rows)),
        get("/documents/4"),
    )
    (extractor,) = [*last.case.transactions()][3].extractors
    assert str(extractor.source) == """JSON path $[?(@.name=="Route 66")].id"""


def test_a_bare_id_in_a_query_is_of_what_the_path_says() -> None:
    """Document 9 in folder 9: the redirect to the folder gives out none of a document."""
    folder = (("Location", "/folders/show?id=9"),)
    rows = '<table><tr><td><a href="/documents/edit?id={0}">Edit</a></td><td>{1}</td></tr></table>'
    last = run(
        post("/folders", "name=Tea+House", html(""), status=302, received=folder),
        get("/folders/show?id=9", html("")),
        post("/documents", "name=Route+66", html(""), status=302, received=folder),
        get("/folders/show?id=9", html(rows.format(9, "Route 66"))),
        get("/documents/edit?id=9"),
    )
    (extractor,) = [*last.case.transactions()][3].extractors
    assert str(extractor.source) == "link /documents/edit?id=* in the item of 'Route 66'"
    assert requests(last)[4] == f"/documents/edit?id=${{{extractor.variable}}}"


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        *(("item_id", "item"), ("itemIds", "item"), ("itemid", "item"), ("id", "")),
        *(("itemids", "item"), ("kids", ""), ("androids", "")),
        *(("issue_to_id", "issue"), ("relation[issueFromId]", "relation issue"), ("to_id", "to")),
    ],
)
def test_which_of_two_things_an_id_is_of(name: str, stem: str) -> None:
    """Both ends of a relation are things of the kind."""
    assert id_stem(name) == stem


def test_ids_in_a_list_that_is_called_after_them() -> None:
    """As Zabbix answers who has made a host."""
    lines = requests(
        run(
            _called(1, "host.create", {"host": "kettle"}, {"hostids": ["10559"]}),
            _called(2, "item.create", {"hostid": "10559"}, {"itemids": ["44518"]}),
            _called(3, "item.get", {"hostids": ["10559"]}, [{"itemid": "44518"}]),
        )
    )
    assert '{"hostid": "${hostid[1]}"}' in lines[1]
    assert '{"hostids": ["${hostid[1]}"]}' in lines[2]


@pytest.mark.parametrize("kind", ["JSON", "form"])
def test_the_number_of_a_user_is_no_name(kind: str) -> None:
    """A person may sign in by what is called so, too."""
    made = call("POST", "/users", {"login": "kim"}, json_body({"userids": ["37"]}))
    sent = call("PUT", "/users", {"userid": "37", "team": "x"})
    sent = sent if kind == "JSON" else post("/users", "userid=37&team=x")
    assert "${user" in requests(run(made, sent))[1]


@pytest.mark.parametrize("code", ["CnQzIE2dnW", "GSToxJNZCS"])
def test_a_code_as_a_key(code: str) -> None:
    """Who may read what was written, as Parse is told."""
    made_at = ("Location", f"/users/{code}")
    lines = requests(
        run(
            call("POST", "/users", {"name": "Kim"}, exchange(status=201, received=(made_at,))),
            call("PUT", f"/users/{code}", {"team": "packers"}),
            call("PUT", "/notes/tea", {"acl": {"*": {"read": True}, code: {"read": True}}}),
        )
    )
    assert '"${user_id[1]}": {"read": true}' in lines[2]


def _called(at: int, method: str, params: object, result: object) -> Exchange:
    """A call of JSON-RPC before 2.0, which does not say what it is."""
    sent = {"id": at, "method": f"model.{method}", "params": params}
    return call("POST", "/rpc", sent, json_body({"id": at, "result": result}))


def test_arguments_without_names() -> None:
    """Ids stand in lists, and in what is compared; a limit has the same number by chance."""
    shown = [{"name": "Tea House", "id": 1, "addresses": [1]}]
    lines = requests(
        run(
            _called(1, "party.category.create", [[{"name": "Drinks"}]], [1]),
            _called(2, "party.party.create", [[{"name": "Tea House"}, {"name": "Cups"}]], [1, 2]),
            _called(3, "party.party.write", [[1, 2], {"categories": [["add", [1]]]}], None),
            _called(4, "party.party.read", [[1], ["name", "addresses"]], shown),
            _called(5, "party.address.write", [[1], {"street": "2 Tea Lane"}], None),
            _called(6, "party.party.search", [[["name", "=", "Cups"]], 0, 1], [2]),
            _called(7, "party.party.search_count", [[["categories", "=", 1]]], 2),
            _called(8, "party.party.delete", [[2]], None),
        )
    )
    ends = [line.partition('"params": ')[2] for line in lines[2:]]
    assert ends == [
        '[[${params[1]}, ${params[2]}], {"categories": [["add", [${categories[1]}]]]}]}',
        '[[${params[1]}], ["name", "addresses"]]}',
        '[[${params[3]}], {"street": "2 Tea Lane"}]}',
        '[[["name", "=", "Cups"]], 0, 1]}',
        '[[["categories", "=", ${categories[1]}]]]}',
        "[[${params[2]}]]}",
    ]


def test_an_argument_that_is_a_text() -> None:
    """The first one is what the call is about, be its id a number or a code that looks like any
    word."""
    last = run(
        _called(1, "tea.comment.create", [{"name": "Cup"}], {"comment_id": "_NsYTUxbCcp"}),
        _called(2, "tea.comment.get", ["_NsYTUxbCcp", {}], None),
    )
    assert requests(last)[1].endswith('"params": ["${params[1]}", {}]}')


def test_codes_in_one_segment_of_a_path() -> None:
    """Each is used once, and looks like any word: that there are several says that they are ids."""
    at = (("Location", "/tasks/obj_dQXNSPVRO"),), (("Location", "/tasks/obj_JkIABGEOA"),)
    made_two = [
        call("POST", "/tasks", {"name": name}, exchange(status=201, received=where))
        for name, where in zip(("Tea", "Cup"), at, strict=True)
    ]
    last = run(*made_two, answered("DELETE", "/tasks/obj_JkIABGEOA,obj_dQXNSPVRO", exchange()))
    assert requests(last)[2].count("${") == 2


@pytest.mark.parametrize("ending", ["", ".json", ".xml"])
def test_one_number_of_two_things(ending: str) -> None:
    """Shelf 6 and warehouse 6: what is asked for is told without its ending."""
    last = run(
        call("POST", "/warehouses", {"name": "Tea"}, json_body({"id": 6})),
        call("POST", "/shelves", {"name": "Cup"}, json_body({"id": 6})),
        call("PATCH", f"/shelves/6{ending}", {"size": 2}, json_body({"id": 6})),
        call("PUT", f"/warehouses/6{ending}", {"size": 3, "id": 6}),
    )
    first = [one.variable for one in next(iter(last.case.transactions())).extractors]
    assert requests(last)[3] == (
        f'/warehouses/${{{first[0]}}}{ending} {{"size": 3, "id": ${{{first[0]}}}}}'
    )


@pytest.mark.parametrize("id_", [89, "9L5WWJ"])
@pytest.mark.parametrize("is_call", [False, True])
@pytest.mark.parametrize("is_named", [False, True])
def test_a_version_that_another_thing_has_later(id_: object, is_call: bool, is_named: bool) -> None:
    """The thing is known by its id, be that a code; and by its path, unless all calls go there."""
    plan, step = {"plan_id": id_, "version": 7}, {"step_id": 13, "version": 7}

    def ask(at: int, verb: str, noun: str, sent: object, answer: object) -> Exchange:
        if is_call:
            return _called(at, f"{noun}.{verb}", sent, answer)
        path = f"/{noun}s/{id_}" if verb == "update" else f"/{noun}s"
        return call("PUT" if verb == "update" else "POST", path, sent, json_body(answer))

    def _with(about: dict[str, object]) -> object:
        sent = {**about, "size": 1}
        return sent if is_named or not is_call else [id_, sent]

    about: dict[str, object] = {"version": 7, **(plan if is_call and is_named else {})}
    last = run(
        ask(1, "create", "plan", {"name": "Tea"}, plan),
        ask(2, "create", "step", {"name": "Buy"}, step),
        ask(3, "update", "plan", _with(about), {}),
    )
    first = [one.variable for one in next(iter(last.case.transactions())).extractors]
    assert "version[1]" in first
    assert '"version": ${version[1]}' in requests(last)[2]


def test_a_number_of_a_thing_is_meant_in_a_query_of_that_name() -> None:
    """An order was sent with the number of its shop: so ``?shop=1`` is about that shop."""
    lines = requests(
        run(
            call("POST", "/shops/insert", {"name": "Tea House"}, json_body({"id": 1})),
            call("POST", "/orders/insert", {"title": "Tea", "shop": 1}, json_body({"id": 1})),
            get("/orders?shop=1"),
        )
    )
    assert lines[1:] == [
        '/orders/insert {"title": "Tea", "shop": ${shop[1]}}',
        "/orders?shop=${shop[1]}",
    ]


def test_a_session_with_the_number_of_a_page() -> None:
    """As Wagtail writes it: the third time that somebody edits any page is no page. The third page
    was asked for before, so it stays."""
    exchanges = (
        get("/pages/3/", html("<p>Home")),
        post("/pages/3/add", "title=Tea", html("", ("Location", "/pages/5/edit/"))),
        get("/pages/5/edit/", html('<a href="/editing/ping/page/5/3/">')),
        post("/editing/ping/page/5/3/", ""),
        get("/pages/3/", html("<p>Home")),
    )
    found = requests(run(*exchanges))
    assert found[3].startswith("/editing/ping/page/${page_id[1]}/${page_id[2]}/")
    assert found[4] == "/pages/3/"


def test_json_of_a_protocol() -> None:
    """A call whose media type only ends with the version of its JSON, and a handle of letters."""
    handle = "dcmqkyhcrpbwcrzljsgefohrysqzuvcnawfuqqfuimrwvqcbavjkcsbvwcscpdccdcgyzjgz"
    kind = (("Content-Type", "application/x-amz-json-1.0"),)
    received = exchange(
        received=kind, answer=f'{{"Messages": [{{"Handle": "{handle}"}}]}}'.encode()
    )
    configured = run(
        answered("POST", "/", received, sent=kind, body=b'{"Queue": "tea"}'),
        answered("POST", "/", EMPTY, sent=kind, body=f'{{"Handle": "{handle}"}}'.encode()),
    )
    (decision,) = made(configured)
    assert requests(configured)[1].endswith(f'{{"Handle": "${{{decision.variable}}}"}}')


@pytest.mark.parametrize("id_", ["RNvnAvOpyE", "vtkgnkuhmp", "vtkgnk", "VTKGNKUH", "mvoogUhPdv"])
def test_letters_of_a_redirect_that_is_not_followed(id_: str) -> None:
    """A word where ids stand is one, if what is there is changed."""
    location = html("", ("Location", f"/orders/{id_}"))
    last = run(
        post("/orders", "name=Tea", location, status=303), post(f"/orders/{id_}/note", "text=Hot")
    )
    assert requests(last)[1] == "/orders/${order_id[1]}/note text=Hot"


def test_a_field_that_says_what_is_done_to_a_thing() -> None:
    """``UpdateTicket=4`` of a bulk change is ticket 4, which a page called so shows
    (``Ticket/Display.html``); ``UpdateQueue=4`` is none."""
    made_it = exchange(status=302, received=(("Location", "/Ticket/Display.html?id=4&results=1"),))
    configuration = run(
        answered("POST", "/Ticket/Create.html", made_it, body=b"Subject=Too+much+milk"),
        get("/Ticket/Display.html?id=4&results=1"),
        post("/Search/Bulk.html", "UpdateTicket=4&UpdateQueue=4&Status=resolved"),
    )
    assert requests(configuration)[1:] == [
        "/Ticket/Display.html?id=${id[1]}&results=1",
        "/Search/Bulk.html UpdateTicket=${id[1]}&UpdateQueue=4&Status=resolved",
    ]
