"""Descriptions of APIs as test cases, an operation each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from pytest_loadtool.casefile import format_case, parse_case
from pytest_loadtool.casefile.foreign.openapi import read_openapi
from pytest_loadtool.errors import FileError
from tests.casefile.foreign.replaying import echo_server, imported_and_replayed

SHOP = """
openapi: 3.0.3
info: {title: Shop, version: "1"}
servers:
  - url: "{scheme}://shop.example/api"
    variables: {scheme: {default: http}}
security:
  - key: []
paths:
  /items/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}, example: 7}
    get:
      operationId: getItem
      parameters:
        - {name: since, in: query, required: true, schema: {type: string, format: date}}
        - {name: page, in: query, schema: {type: integer}}
        - {name: lang, in: header, schema: {type: string, enum: [de, en]}}
      responses:
        200:
          content:
            application/json:
              schema: {type: object, required: [url], properties: {url: {type: string}}}
    delete:
      operationId: deleteItem
      security: []
      responses: {"204": {description: gone}, "404": {description: no such item}}
  /items:
    post:
      operationId: addItem
      security: [{token: []}]
      requestBody:
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Item"}
      responses: {2XX: {description: made}}
      callbacks: {}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    token: {type: http, scheme: bearer}
  schemas:
    Item:
      type: object
      required: [name]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string, example: Tea}
        count: {type: integer, minimum: 3}
        born: {type: string, example: 2026-01-31}
        parent: {$ref: "#/components/schemas/Item"}
"""


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_each_operation_is_a_test_case_that_is_replayed(suffix: str, tmp_path: Path) -> None:
    """With its examples, its credentials and its answers; YAML says the same as JSON."""
    text = SHOP if suffix == "yaml" else json.dumps(yaml.safe_load(SHOP), default=str)
    (tmp_path / f"shop.{suffix}").write_text(text)
    with echo_server() as echo:
        outcome = imported_and_replayed(tmp_path / f"shop.{suffix}", tmp_path / "cases", echo)
        get, delete, add = echo.requests
    assert (outcome.problem, outcome.cases, outcome.replays) == ("", 3, True)
    assert (get["method"], get["url"].partition("/api")[2]) == ("GET", "/items/7?since=2026-01-31")
    assert (get["headers"]["lang"], get["headers"]["x-key"]) == ("de", "value")
    assert (delete["method"], "x-key" in delete["headers"]) == ("DELETE", False)
    assert add["json"] == {"name": "Tea", "born": "2026-01-31"}
    assert add["headers"]["authorization"] == "Bearer value"
    assert set(outcome.failures) == {"Status Code is 200, expected 204"}
    assert sorted(path.name for path in (tmp_path / "cases").iterdir()) == [
        *("addItem.case.toml", "deleteItem.case.toml", "getItem.case.toml"),
    ]
    assert outcome.left == (
        "GET /items/{id}: the query parameter since has no example: '2026-01-31' stands in "
        "[variables]",
        "getItem: ${key} is set by nothing: it comes from the environment, KEY",
        "POST /items: callbacks",
        "addItem: ${token} is set by nothing: it comes from the environment, TOKEN",
    )


def test_answers_are_what_is_described() -> None:
    """The codes that are described, and the members that an answer must have."""
    get, delete, add = read_openapi(SHOP, "x").cases
    written = [format_case(one) for one in (get, delete, add)]
    assert [parse_case(one, "x") for one in written] == [get, delete, add]
    assert "status = 200" in written[0]
    assert '{ json = "$.url" }' in written[0]
    assert "status = 204" in written[1]
    assert 'status = "200-299"' in written[2]
    assert get.server == "http://shop.example"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("openapi: 3.1.0\npaths: [", "x.yaml:2: not valid YAML"),
        ("openapi: 3.1.0", "paths: there is no operation in it"),
        ('{"swagger": "2.0"}', "expected 3.0 or 3.1, got Swagger 2.0: convert it first"),
        ("openapi: 4", "expected 3.0 or 3.1, got openapi '4'"),
    ],
)
def test_what_is_no_description_is_an_error(text: str, message: str) -> None:
    """It says what was expected."""
    with pytest.raises(FileError) as caught:
        read_openapi(text, "x.yaml")
    assert message in str(caught.value)


def test_what_lies_elsewhere_is_told() -> None:
    """References to other documents, what the server sends by itself, bodies of other kinds."""
    text = json.dumps(
        {
            "openapi": "3.1.0",
            "webhooks": {"x": {}},
            "paths": {
                "/a": {
                    "put": {
                        "requestBody": {
                            "content": {"text/plain": {"example": "a"}, "text/csv": {}}
                        },
                        "responses": {"200": {"$ref": "other.yaml#/ok"}},
                    }
                }
            },
        }
    )
    foreign = read_openapi(text, "x")
    assert [str(one) for one in foreign.left] == [
        "webhooks: what the server sends by itself",
        "other.yaml#/ok: it refers to another document",
        "PUT /a: no server: http://server.invalid (import --server URL)",
        "PUT /a: the body as text/csv: text/plain is taken",
    ]
    assert read_openapi(text, "x", "http://here").cases[0].server == "http://here"
