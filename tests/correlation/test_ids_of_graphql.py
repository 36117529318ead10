"""Ids of GraphQL on a fresh server, where everything has the number 1: of which kind they are."""

from __future__ import annotations

import json

from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import json_body
from tests.correlation.talk import call, requests, run, sources


def ask(field: str, variables: object, answer: object, head: str = "Do") -> Exchange:
    """A mutation of that field, and what it is answered with."""
    query = f"mutation {head} {{ {field} {{ id }} }}"
    body = {"query": query, "variables": variables}
    return call("POST", "/graphql", body, json_body({"data": {field: answer}}))


PRODUCT = ask("createProduct", {"name": "Mountain tea"}, {"id": "1", "name": "Mountain tea"})
NAMED = {"1": "Small tin", "2": "Large tin"}
TINS = ask(
    "createProductVariants",
    {"input": [{"productId": "1", "name": name} for name in NAMED.values()]},
    [{"id": number, "name": name} for number, name in NAMED.items()],
)


def variables_of(*exchanges: Exchange) -> str:
    """The variables of the last request as it is configured."""
    return json.dumps(json.loads(requests(run(*exchanges))[-1].partition(" ")[2])["variables"])


def test_the_last_word_of_a_call_says_what_its_id_is_of() -> None:
    """The variant 1 of the product 1 is no product, and the product is none of its variants."""
    variant = ask("updateProductVariants", {"input": [{"id": "1", "price": 475}]}, [{"id": "1"}])
    assert variables_of(PRODUCT, TINS, variant) == '{"input": [{"id": "${id[1]}", "price": 475}]}'
    (source,) = [one for name, one, _ in sources(run(PRODUCT, TINS, variant)) if name == "id[1]"]
    assert "createProductVariants" in str(source)
    product = ask("updateProductPrice", {"id": "1", "price": 475}, {"id": "1"})
    assert variables_of(PRODUCT, TINS, product) == '{"id": "${productId[1]}", "price": 475}'


def test_the_type_of_an_object_tells_more_than_the_call() -> None:
    """Who removes a line of an order is answered with the order, and its other lines."""
    line = {"id": "1", "name": "Small tin"}
    left = {"__typename": "Order", "id": "1", "lines": [line]}
    sold = {"__typename": "Order", "id": "1", "lines": [line, {"id": "2", "name": "Large tin"}]}
    add = ask("addItemToOrder", {"name": "Small tin"}, sold)
    remove = ask("removeOrderLine", {"name": "Large tin"}, left)
    ship = ask("addFulfillment", {"lines": [{"orderLineId": "1"}]}, {"id": "9"})
    configured = run(add, remove, ship)
    (source,) = [one for name, one, _ in sources(configured) if name == "orderLineId[1]"]
    assert ".lines[" in str(source)


def test_values_of_a_thing_are_things() -> None:
    """The ``values`` of a facet are facet values; the facet itself is none."""
    values = [{"id": "1", "name": "Green"}, {"id": "2", "name": "Black"}]
    sent = {"name": "Leaf", "values": [{"name": "Green"}, {"name": "Black"}]}
    facet = ask("createFacet", sent, {"id": "1", "name": "Leaf", "values": values})
    product = ask("createTea", {"facetValueIds": ["1"]}, {"id": "8"})
    (source,) = [one for name, one, _ in sources(run(facet, product))]
    assert "values[?(@.name==" in str(source)
    assert variables_of(facet, product) == '{"facetValueIds": ["${facetValueIds[1]}"]}'


def test_a_variable_of_ids_is_called_after_them() -> None:
    """``$customers: [ID!]!`` are those of customers, ``$group: ID!`` that of a customer group."""
    customer = ask("createCustomer", {"name": "Ann Teasdale"}, {"id": "1"})
    group = ask("createCustomerGroup", {"name": "Tasters"}, {"id": "1"})
    head = "Join($group: ID!, $customers: [ID!]!)"
    join = ask("addCustomersToGroup", {"group": "1", "customers": ["1"]}, {"id": "1"}, head)
    assert variables_of(customer, group, join) == (
        '{"group": "${group[1]}", "customers": ["${customers[1]}"]}'
    )


def test_an_item_is_not_known_by_the_number_of_another_thing() -> None:
    """An order is looked for by its customer, and the group 1 is none."""
    group = ask("createCustomerGroup", {"name": "Tasters"}, {"id": "1"})
    used = ask("renameGroup", {"group": "1"}, {"id": "1"}, "Name($group: ID!)")
    orders = [{"id": "7", "customer": {"id": "1"}}, {"id": "8", "customer": {"id": "2"}}]
    sold = ask("createOrders", {"note": "Wrap it well"}, orders)
    sent = ask("sendOrder", {"orderId": "7"}, {"id": "7"})
    found = {name: str(one) for name, one, _ in sources(run(group, used, sold, sent))}
    assert found.keys() == {"group[1]", "orderId[1]"}
    assert "customer" not in found["orderId[1]"]


def test_the_value_of_an_id_is_called_as_the_name_beside_it() -> None:
    """Arguments in a list have name and value, here a list as text."""
    facet = ask("createFacetValue", {"name": "Black"}, {"id": "1"})
    rule = [{"name": "facetValueIds", "value": '["1"]'}, {"name": "depth", "value": "1"}]
    kept = ask("createCollection", {"filters": rule}, {"id": "5"})
    sent = requests(run(facet, kept))[-1]
    assert r'"value": "[\"${facetValueIds[1]|json}\"]"' in sent
    assert r'{"name": "depth", "value": "1"}' in sent
