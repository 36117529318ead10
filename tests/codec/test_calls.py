"""What calls over HTTP say that they ask for."""

from __future__ import annotations

import pytest

from pytest_loadtool.codec.calls import (
    graphql_operation,
    meant_method,
    rpc_method,
    soap_action,
    soap_operation,
)


@pytest.mark.parametrize(
    ("document", "name", "found"),
    [
        ("query Basket { a }", None, ("query", "Basket")),
        ("# of the shop\n  mutation AddItem($id: ID!) { b }", None, ("mutation", "AddItem")),
        ("mutation { b }", None, ("mutation", "")),
        ("query A { a } mutation B { b }", "B", ("mutation", "B")),
        ("query A { a } mutation B { b }", "C", ("query", "A")),
        ("{ me }", None, None),
        ("fragment F on X { a }", None, None),
    ],
)
def test_graphql(document: str, name: str | None, found: tuple[str, str] | None) -> None:
    """By its name, else the first; comments before it do not count."""
    operation = graphql_operation(document, name)
    assert (None if operation is None else operation.groups()) == found


@pytest.mark.parametrize(
    ("call", "method"),
    [
        ({"jsonrpc": "2.0", "method": "order.place", "id": 1}, "order.place"),
        ({"method": "add", "params": [1, 2]}, "add"),
        ({"jsonrpc": "2.0", "result": 3}, ""),
        ({"method": "session-get"}, "session-get"),
        ({"method": "card"}, None),
        ({"method": "session-get", "amount": 7}, None),
        ([1], None),
    ],
)
def test_json_rpc(call: object, method: str | None) -> None:
    """Version 1 has no mark of its own, but parameters."""
    assert rpc_method(call) == method


@pytest.mark.parametrize(
    ("action", "content_type", "called"),
    [
        ('"http://shop.example/Orders/GetOrder"', "text/xml", "GetOrder"),
        ("urn:shop#GetOrder", "text/xml", "GetOrder"),
        (None, 'application/soap+xml; action="urn:shop:GetOrder"', "GetOrder"),
        (None, "application/soap+xml", ""),
        (None, "text/xml; action=x", ""),
        ('""', "text/xml", ""),
    ],
)
def test_soap(action: str | None, content_type: str, called: str) -> None:
    """In version 1.2 the content type has the action."""
    assert soap_action(action, content_type) == called


def test_the_body_of_soap() -> None:
    """Whatever its prefixes."""
    body = b'<s:Envelope><s:Body x="1">\n<m:GetOrder><id>7</id></m:GetOrder></s:Body></s:Envelope>'
    assert soap_operation(body) == "GetOrder"
    assert soap_operation(b"<order/>") == ""


@pytest.mark.parametrize(
    ("method", "headers", "body", "meant"),
    [
        ("POST", {}, b"a=1&_method=delete", "DELETE"),
        ("POST", {}, b'{"where": {}, "_method":"GET"}', "GET"),
        ("POST", {}, b'--b\r\nContent-Disposition: form-data; name="_method"\r\n\r\nPUT', "PUT"),
        ("POST", {"x-http-method-override": "PATCH"}, b"", "PATCH"),
        ("POST", {}, b"payment_method=GET", "POST"),
        ("get", {}, b"_method=delete", "GET"),
    ],
)
def test_a_method_that_is_meant(
    method: str, headers: dict[str, str], body: bytes, meant: str
) -> None:
    """Only POST stands for another."""
    assert meant_method(method, headers.get, body) == meant
