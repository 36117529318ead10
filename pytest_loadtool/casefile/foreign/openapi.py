"""Descriptions of APIs, OpenAPI 3.0 and 3.1: a test case for each operation, of its examples."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pytest_loadtool.casefile.foreign.bodies import FORM_TYPE, FormEntry, multipart, url_encoded
from pytest_loadtool.casefile.foreign.building import Builder, Foreign, ForeignStep, Left
from pytest_loadtool.casefile.foreign.openapi_values import Description, example, read_document
from pytest_loadtool.codec.media import is_json
from pytest_loadtool.codec.template import escape
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.validator import StatusCodes

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

#: Keys of an operation that say nothing of its request or its answer.
_WORDS = frozenset(
    ["tags", "summary", "description", "externalDocs", "operationId", "deprecated", "servers"]
)
_TAKEN = frozenset(["parameters", "requestBody", "responses", "security"])


def read_openapi(text: str, path: str, server: str = "") -> Foreign:
    """Return the test cases of a description, one for each operation.

    Raises:
        FileError: it is no description of version 3, or describes no operation.
    """
    document = read_document(text, path)
    version = str(document.root.get("openapi", ""))
    if not version.startswith("3."):
        said = "Swagger 2.0" if "swagger" in document.root else f"openapi {version!r}"
        raise FileError(path, 0, "openapi", f"expected 3.0 or 3.1, got {said}: convert it first")
    cases: list[TestCase] = []
    left: list[Left] = []
    if document.root.get("webhooks"):
        left.append(Left("webhooks", "what the server sends by itself"))
    left += [Left(one, "it refers to another document") for one in document.elsewhere()]
    for target, item in document.members(document.root.get("paths")):
        for method in _METHODS:
            if not isinstance(operation := document.at(item.get(method)), dict):
                continue
            reader = _Operation(document, f"{method.upper()} {target}", server)
            reader.read(method, target, item, operation, {one.name for one in cases})
            if (case := reader.builder.case()) is not None:
                cases.append(case)
            left += [one for one in reader.builder.left if one not in left]
    if not cases:
        raise FileError(path, 0, "paths", "there is no operation in it")
    return Foreign(tuple(cases), tuple(left))


class _Operation:
    """Reads one operation."""

    def __init__(self, document: Description, where: str, server: str) -> None:
        self.document = document
        self.builder = Builder(where, server)
        self.where = where

    def read(
        self,
        method: str,
        target: str,
        item: Mapping[str, Any],
        operation: Mapping[str, Any],
        taken: set[str],
    ) -> None:
        """Make the step of the operation."""
        name = str(operation.get("operationId") or operation.get("summary") or self.where)
        self.builder.name = name if name not in taken else self.where
        step = ForeignStep(self.where, method.upper(), "")
        step.page, step.name = str(operation.get("summary") or name), name
        query: list[str] = []
        shared = [*self.document.tables(item.get("parameters"))]
        own = [*self.document.tables(operation.get("parameters"))]
        named = {(one.get("in"), one.get("name")): one for one in (*shared, *own)}
        for one in named.values():
            target = self._parameter(step, query, target, one)
        base = "" if self.builder.server else self._server(operation, item)
        step.url = f"{base}{target}"
        self._security(step, query, operation)
        if query:
            step.url += f"?{'&'.join(query)}"
        self._body(step, self.document.at(operation.get("requestBody")))
        self._answer(step, self.document.at(operation.get("responses")))
        for key in sorted(map(str, operation.keys() - _WORDS - _TAKEN)):
            if not key.startswith("x-"):
                self.builder.leave(self.where, key)
        self.builder.steps.append(step)

    def _server(self, *holders: Mapping[str, Any]) -> str:
        for holder in (*holders, self.document.root):
            for one in self.document.tables(holder.get("servers")):
                url = str(one.get("url") or "")
                for name, variable in self.document.members(one.get("variables")):
                    url = url.replace(f"{{{name}}}", str(variable.get("default", "")))
                url = url.rstrip("/")
                return (
                    url if "://" in url else f"http://server.invalid/{url.strip('/')}".rstrip("/")
                )
        self.builder.leave(self.where, "no server: http://server.invalid (import --server URL)")
        return "http://server.invalid"

    def _parameter(
        self, step: ForeignStep, query: list[str], target: str, one: Mapping[str, Any]
    ) -> str:
        """Add a parameter; return the target."""
        name, place = str(one.get("name") or ""), one.get("in")
        given, value = self._value(one)
        needed = one.get("required") or place == "path"
        if not needed and not given:
            return target
        text = value if isinstance(value, str) else json.dumps(value)
        if isinstance(value, list):
            text = ",".join(str(each) for each in value)
        if not given:
            what = f"the {place} parameter {name} has no example: {text!r} stands in [variables]"
            self.builder.leave(self.where, what)
        if not name:
            return target
        self.builder.constant(name, escape(text))
        placeholder = f"${{{self.builder.names.of(name)}}}"
        if place == "path":
            return target.replace(f"{{{name}}}", placeholder)
        if place == "query":
            query.append(f"{quote(name)}={placeholder}")
        elif place == "cookie":
            step.cookies.append(f"{name}={placeholder}")
        elif str(name).lower() not in ("accept", "content-type", "authorization"):
            step.headers.append((name, placeholder))
        return target

    def _value(self, one: Mapping[str, Any]) -> tuple[bool, Any]:
        """Return whether there is an example, and that or a value of the kind."""
        if "example" in one:
            return True, one["example"]
        for _, each in self.document.members(one.get("examples")):
            if "value" in each:
                return True, each["value"]
        schema = self.document.at(one.get("schema"))
        if schema is None:
            for _, media in self.document.members(one.get("content")):
                return self._value(media)
        return example(self.document, schema)

    def _security(self, step: ForeignStep, query: list[str], operation: Mapping[str, Any]) -> None:
        wanted = operation.get("security", self.document.root.get("security"))
        schemes = self.document.at(
            (self.document.at(self.document.root.get("components")) or {}).get("securitySchemes")
        )
        for choice in self.document.tables(wanted):
            for name in choice:
                scheme = self.document.at((schemes or {}).get(name)) or {}
                kind, scheme_name = scheme.get("type"), str(scheme.get("scheme", "")).lower()
                own = self.builder.names.of(str(name))
                placeholder = f"${{{own}}}"
                key = str(scheme.get("name") or "")
                if kind == "apiKey" and scheme.get("in") == "query":
                    query.append(f"{quote(key)}={placeholder}")
                elif kind == "apiKey" and scheme.get("in") == "cookie":
                    step.cookies.append(f"{key}={placeholder}")
                elif kind == "apiKey":
                    step.headers.append((key, placeholder))
                elif kind == "http" and scheme_name == "basic":
                    step.headers.append(("Authorization", f"Basic ${{{own}|base64}}"))
                elif kind in ("oauth2", "openIdConnect") or scheme_name == "bearer":
                    step.headers.append(("Authorization", f"Bearer {placeholder}"))
                else:
                    self.builder.leave(self.where, f"security {name}: {kind} {scheme_name}".strip())
            return  # of several ways the first one

    def _body(self, step: ForeignStep, body: Any) -> None:
        if not isinstance(body, dict):
            return
        kinds = [*self.document.members(body.get("content"))]
        kinds.sort(key=lambda one: not is_json(one[0]))
        if not kinds:
            return
        kind, media = kinds[0]
        for other, _ in kinds[1:]:
            self.builder.leave(self.where, f"the body as {other}: {kind} is taken")
        given, value = self._value(media)
        if not given:
            self.builder.leave(self.where, "the body has no example: it is made of the schema")
        if is_json(kind) or "*" in kind:
            kind = "application/json" if "*" in kind else kind
            step.body = escape(json.dumps(value, indent=2, ensure_ascii=False))
        elif isinstance(value, dict) and (kind == FORM_TYPE or kind.startswith("multipart/")):
            fields = [FormEntry(escape(str(k)), escape(_text(v))) for k, v in value.items()]
            if kind == FORM_TYPE:
                step.body = url_encoded(fields)
            else:
                kind, step.body = multipart(fields)
        elif isinstance(value, str):
            step.body = escape(value)
        else:
            self.builder.leave(self.where, f"the body: no example of {kind}")
            return
        step.headers.append(("Content-Type", kind))

    def _answer(self, step: ForeignStep, responses: Any) -> None:
        expected = [
            (code, one)
            for code, one in self.document.members(responses)
            if re.fullmatch(r"[23](?:\d\d|XX)", code, re.IGNORECASE)
        ]
        if not expected:
            return
        step.status = StatusCodes(tuple(_range(code) for code, _ in expected))
        kinds = {
            kind for _, one in expected for kind, _ in self.document.members(one.get("content"))
        }
        if kinds and "*" not in "".join(kinds):
            step.headers.append(("Accept", ", ".join(sorted(kinds))))
        else:
            step.headers.append(("Accept", "*/*"))
        if len(expected) > 1:
            return
        for kind, media in self.document.members(expected[0][1].get("content")):
            schema = self.document.at(media.get("schema"))
            if is_json(kind) and isinstance(schema, dict):
                for name in schema.get("required") or ():
                    if not _may_be_null(self.document, schema, str(name)):
                        step.validators.append(
                            {
                                "json": f"$['{name}']"
                                if not str(name).isidentifier()
                                else f"$.{name}"
                            }
                        )


def _may_be_null(document: Description, schema: Mapping[str, Any], name: str) -> bool:
    one = document.at((schema.get("properties") or {}).get(name)) or {}
    kinds = one.get("type")
    return (
        bool(one.get("nullable")) or not kinds or "null" in kinds or schema.get("type") == "array"
    )


def _range(code: str) -> tuple[int, int]:
    low = int(code.upper().replace("X", "0"))
    return low, low + (99 if "X" in code.upper() else 0)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
