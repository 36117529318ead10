"""Collections of Postman as test cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool.casefile import format_case, parse_case
from pytest_loadtool.casefile.foreign.postman import read_postman
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase
from tests.casefile.foreign.replaying import echo_server, imported_and_replayed

SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"


def collection(*items: dict[str, Any], **more: Any) -> str:
    """A collection of these items."""
    return json.dumps({"info": {"name": "Shop", "schema": SCHEMA}, "item": items, **more})


def item(name: str, *tests: str, event: str = "test", **request: Any) -> dict[str, Any]:
    """A request with the lines of a script."""
    script = [{"listen": event, "script": {"exec": list(tests)}}]
    return {"name": name, "request": {"method": "GET", **request}, "event": script}


SHOP = collection(
    {
        "name": "Session",
        "item": [
            item(
                "Log in",
                "const data = pm.response.json();",
                'pm.test("ok", function () {',
                "    pm.response.to.have.status(200);",
                '    pm.expect(data.form.user).to.eql("ann");',
                "});",
                'pm.environment.set("token", data.form.user);',
                method="POST",
                url="{{base}}/login?src=a b",
                auth={"type": "noauth"},
                body={
                    "mode": "urlencoded",
                    "urlencoded": [
                        {"key": "user", "value": "ann"},
                        {"key": "old", "value": "x", "disabled": True},
                        {"key": "pass word", "value": "{{password}}&"},
                    ],
                },
            ),
            item(
                "Order",
                'tests["Status"] = responseCode.code === 200;',
                'pm.expect(pm.response.text()).to.include("Bearer ann");',
                'pm.response.to.have.header("Content-Type");',
                method="POST",
                url={"raw": "{{base}}/orders/:id", "variable": [{"key": "id", "value": "7"}]},
                body={
                    "mode": "raw",
                    "raw": '{"n": {{count}}}',
                    "options": {"raw": {"language": "json"}},
                },
            ),
        ],
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}"}]},
    },
    item(
        "Query",
        'pm.expect(pm.response.json().json.query).to.eql("{ items { id } }");',
        method="POST",
        url="{{base}}/graphql",
        auth={"type": "basic", "basic": {"username": "ann", "password": "pw"}},
        body={"mode": "graphql", "graphql": {"query": "{ items { id } }", "variables": '{"a": 1}'}},
    ),
    item(
        "Upload",
        method="POST",
        url="{{base}}/upload/{{$guid}}",
        body={
            "mode": "formdata",
            "formdata": [
                {"key": "title", "value": "Leaf", "type": "text"},
                {"key": "picture", "type": "file", "src": "leaf.txt"},
            ],
        },
    ),
    variable=[
        {"key": "base", "value": "http://shop.example"},
        {"key": "password", "value": "s$cret"},
        {"key": "count", "value": 2},
    ],
)


def test_a_collection_is_replayed_and_its_checks_hold(tmp_path: Path) -> None:
    """Folders are pages; variables, authentication, bodies and checks are what Postman sends and
    checks: a server that tells what it was asked says so."""
    (tmp_path / "shop.json").write_text(SHOP)
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "leaf.txt").write_text("green")
    with echo_server() as echo:
        outcome = imported_and_replayed(tmp_path / "shop.json", tmp_path / "case", echo)
        login, order, query, upload = echo.requests
    assert (outcome.problem, outcome.failures) == ("", {})
    assert outcome.is_green
    assert login["form"] == {"user": "ann", "pass word": "s$cret&"}
    assert login["args"] == {"src": "a b"}
    assert (order["url"].partition("/orders")[2], order["json"]) == ("/7", {"n": 2})
    assert order["headers"]["authorization"] == "Bearer ann"
    assert query["headers"]["authorization"] == "Basic YW5uOnB3"
    assert query["json"]["variables"] == {"a": 1}
    assert upload["form"] == {"title": "Leaf", "picture": "green"}
    assert len(upload["url"].rpartition("/")[2]) == 36
    assert outcome.left == ("Upload: the file leaf.txt has to be there, from the test case on",)


def case_of(*items: dict[str, Any], **more: Any) -> tuple[TestCase, list[str]]:
    """The test case of a collection, as its file would be read; and what was left out."""
    foreign = read_postman(collection(*items, **more), "shop.json")
    (case,) = foreign.cases
    assert parse_case(format_case(case), "shop.case.toml") == case
    return case, [str(one) for one in foreign.left]


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("pm.response.to.be.ok;", 'status = "200-299"'),
        ("pm.expect(pm.response.code).to.be.oneOf([201, 202]);", "status = [201, 202]"),
        ("tests['x'] = (responseCode.code === 204);", "status = 204"),
        ("pm.test('x', () => { pm.response.to.have.status(201) });", "status = 201"),
        (
            'pm.expect(pm.response.json().a[0]["b c"]).to.be.equal(7);',
            """json = "$.a[0]['b c']", equals = 7""",
        ),
        ("tests['x'] = _.has(jsonData, 'files');", 'json = "$.files"'),
        ("tests['x'] = 'gzip' in jsonData.headers;", 'json = "$.headers.gzip"'),
        ("tests['x'] = responseBody.has(\"a'b\");", """text = "a'b\""""),
        (
            'pm.expect(pm.response.headers.get("ETag")).to.include("W/");',
            'header = "ETag", contains = "W/"',
        ),
        ('pm.globals.set("x", jsonData.list[0].id);', 'variable = "x", json = "$.list[0].id"'),
        (
            'pm.environment.set("x", pm.response.headers.get("Location"));',
            'variable = "x", header = "Location"',
        ),
        (
            "pm.expect(jsonData).to.have.property('a').and.equal('b');",
            'json = "$.a", equals = "b"',
        ),
    ],
)  # fmt: skip
def test_lines_of_scripts_are_checks_and_extractors(line: str, written: str) -> None:
    """What most scripts say is carried over, and nothing is left."""
    case, left = case_of(item("Look", line, url="http://a/"))
    assert (written in format_case(case), left) == (True, [])


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (("let n = 1;", "n++;"), ["Look, test, line 1: let n = 1;", "Look, test, line 2: n++;"]),
        (
            ("if (responseCode.code === 200) {", "  pm.response.to.have.status(200);", "}"),
            [
                "Look, test, line 1: if (responseCode.code === 200) {",
                "Look, test, line 2: pm.response.to.have.status(200);",
                "Look, test, line 3: }",
            ],
        ),
        (("postman.setNextRequest('x');",), ["Look, test, line 1: postman.setNextRequest('x');"]),
    ],
)
def test_what_a_program_does_is_told_by_its_line(lines: tuple[str, ...], told: list[str]) -> None:
    """What depends on something, or computes, is no check of a test case."""
    case, left = case_of(item("Look", *lines, url="http://a/"))
    assert (left, next(case.transactions()).validators) == (told, ())


def test_what_else_is_left_out_is_told() -> None:
    """A scheme that is not known, a host without a value, a variable that nothing sets."""
    _, left = case_of(
        item("Sign", url="{{api}}/a/{{id}}", auth={"type": "hawk", "hawk": []}),
        item("Before", "while (1) {}", event="prerequest", url="{{api}}/b"),
    )
    assert left == [
        "Sign: authentication of the kind hawk",
        "Before, pre-request script, line 1: while (1) {}",
        "Sign: the host ${api} has no value: http://api.invalid stands for it (import --server "
        "URL)",
        "Sign: ${id} is set by nothing: it comes from the environment, ID",
    ]


def test_an_environment_gives_values() -> None:
    """Those of an exported environment take the place of the collection's."""
    text = collection(item("a", url="{{api}}/x"), variable=[{"key": "api", "value": "http://old"}])
    values = {"values": [{"key": "api", "value": "http://new", "enabled": True}]}
    (case,) = read_postman(text, "x", "", json.dumps(values)).cases
    assert case.server == "http://new"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"item": [', "shop.json:1: not valid JSON"),
        ('{"requests": [], "order": []}', "a collection of version 1: export it as version 2.1"),
        (collection(), "there is no request in it"),
    ],
)
def test_what_is_no_collection_is_an_error(text: str, message: str) -> None:
    """It says what was expected."""
    with pytest.raises(FileError) as caught:
        read_postman(text, "shop.json")
    assert message in str(caught.value)
