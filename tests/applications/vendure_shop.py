"""Vendure on PostgreSQL: a shop by GraphQL, whose refusals are answers with status 200."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications import postgres
from tests.applications.installed import node_modules
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Vendure 3.7, GraphQL"
BROWSER = False
#: Of a customer there is one of an address, and of kinds one of a code.
UNIQUE: tuple[str, ...] = ("ann@example.com", "ben@example.com", "tea-leaves")
SESSIONS = 3

_REQUIREMENTS = ("@vendure/core@3.7.3", "pg@8.23.1")
_SERVER = Path(__file__).parent / "served" / "vendure_server.mjs"
_PASSWORD = "correct-horse-battery"
_STATE = """
SELECT 'product', name, enabled, "deletedAt" IS NULL FROM product
  JOIN product_translation t ON t."baseId" = product.id;
SELECT 'variant', t.name, sku, price, "stockOnHand", "stockAllocated", v."deletedAt" IS NULL,
  (SELECT name FROM product_translation WHERE "baseId" = v."productId")
  FROM product_variant v JOIN product_variant_translation t ON t."baseId" = v.id
  JOIN product_variant_price p ON p."variantId" = v.id
  JOIN stock_level s ON s."productVariantId" = v.id;
SELECT 'of a kind', t.name, f.name FROM product_facet_values_facet_value j
  JOIN product_translation t ON t."baseId" = j."productId"
  JOIN facet_value_translation f ON f."baseId" = j."facetValueId";
SELECT 'kind', t.name, f.name FROM facet_value v
  JOIN facet_value_translation t ON t."baseId" = v.id
  JOIN facet_translation f ON f."baseId" = v."facetId";
SELECT 'collection', t.name, (SELECT name FROM facet_value_translation WHERE "baseId"::text =
  substring(filters from 'facetValueIds[^0-9]*([0-9]+)')) FROM collection c
  JOIN collection_translation t ON t."baseId" = c.id WHERE NOT "isRoot";
SELECT 'customer', "firstName", "lastName", "emailAddress", "deletedAt" IS NULL FROM customer;
SELECT 'in', g.name, c."emailAddress" FROM customer_groups_customer_group j
  JOIN customer_group g ON g.id = j."customerGroupId" JOIN customer c ON c.id = j."customerId";
SELECT 'order', state, "emailAddress", "shippingAddress"::json->>'streetLine1', (
  SELECT string_agg(sku || ' ' || quantity, ', ' ORDER BY sku) FROM order_line l
  JOIN product_variant v ON v.id = l."productVariantId" WHERE l."orderId" = o.id)
  FROM "order" o LEFT JOIN customer c ON c.id = o."customerId";
SELECT 'note', data::json->>'note', c."emailAddress" FROM history_entry h
  JOIN "order" o ON o.id = h."orderId" LEFT JOIN customer c ON c.id = o."customerId"
  WHERE h.type = 'ORDER_NOTE';
"""

_LOGIN = """mutation Login($username: String!, $password: String!) {
  login(username: $username, password: $password) { __typename ... on CurrentUser { id } } }"""
_FACET = """mutation CreateFacet($input: CreateFacetInput!) {
  createFacet(input: $input) { id name values { id code name } } }"""
_PRODUCT = """mutation CreateProduct($input: CreateProductInput!) {
  createProduct(input: $input) { id name slug facetValues { id name } } }"""
_PRODUCT_AGAIN = """mutation UpdateProduct($input: UpdateProductInput!) {
  updateProduct(input: $input) { id name enabled facetValues { id name } } }"""
_VARIANTS = """mutation CreateVariants($input: [CreateProductVariantInput!]!) {
  createProductVariants(input: $input) { id name sku price stockOnHand } }"""
_VARIANTS_AGAIN = """mutation UpdateVariants($input: [UpdateProductVariantInput!]!) {
  updateProductVariants(input: $input) { id sku price stockOnHand } }"""
_DELETE = """mutation DeleteProduct($id: ID!) { deleteProduct(id: $id) { result message } }"""
_COLLECTION = """mutation CreateCollection($input: CreateCollectionInput!) {
  createCollection(input: $input) { id name filters { code args { name value } } } }"""
_CUSTOMER = """mutation CreateCustomer($input: CreateCustomerInput!) {
  createCustomer(input: $input) { __typename ... on Customer { id emailAddress }
    ... on ErrorResult { errorCode message } } }"""
_GROUP = """mutation CreateGroup($input: CreateCustomerGroupInput!) {
  createCustomerGroup(input: $input) { id name customers { totalItems } } }"""
_JOIN = """mutation Join($group: ID!, $customers: [ID!]!) {
  addCustomersToGroup(customerGroupId: $group, customerIds: $customers) { id name
    customers { items { id emailAddress } } } }"""
_PRODUCTS = """query Products { products(options: {sort: {name: ASC}, take: 100}) { totalItems
  items { id name enabled variants { id sku price } } } }"""
_ORDERS = """query Orders { orders(options: {sort: {id: DESC}, take: 100}) { totalItems
  items { id code state customer { id emailAddress } lines { id quantity } } } }"""
_ORDER = """query Order($id: ID!) { order(id: $id) { id code state
  lines { id quantity productVariant { id sku } } payments { id state } } }"""
_NOTE = """mutation Note($input: AddNoteToOrderInput!) { addNoteToOrder(input: $input) { id } }"""
_SHIP = """mutation Ship($input: FulfillOrderInput!) { addFulfillmentToOrder(input: $input) {
  __typename ... on Fulfillment { id state trackingCode }
  ... on ErrorResult { errorCode message } } }"""

_CART = """fragment Cart on Order { id code state totalQuantity
  lines { id quantity productVariant { id sku } } }"""
_ERROR = "... on ErrorResult { errorCode message }"
_FIND = """query Find { products(options: {sort: {name: DESC}, take: 100}) {
  items { id name slug variants { id sku priceWithTax } } } }"""
_ADD = f"""mutation Add($variant: ID!, $quantity: Int!) {{
  addItemToOrder(productVariantId: $variant, quantity: $quantity) {{
    __typename ...Cart {_ERROR} }} }} {_CART}"""
_ADJUST = f"""mutation Adjust($line: ID!, $quantity: Int!) {{
  adjustOrderLine(orderLineId: $line, quantity: $quantity) {{
    __typename ...Cart {_ERROR} }} }} {_CART}"""
_REMOVE = f"""mutation Remove($line: ID!) {{
  removeOrderLine(orderLineId: $line) {{ __typename ...Cart {_ERROR} }} }} {_CART}"""
_WHO = f"""mutation Who($input: CreateCustomerInput!) {{
  setCustomerForOrder(input: $input) {{ __typename ... on Order {{ id }} {_ERROR} }} }}"""
_WHERE = f"""mutation Where($input: CreateAddressInput!) {{
  setOrderShippingAddress(input: $input) {{ __typename ... on Order {{ id }} {_ERROR} }} }}"""
_WAYS = "query Ways { eligibleShippingMethods { id code price } }"
_WAY = f"""mutation Way($ids: [ID!]!) {{
  setOrderShippingMethod(shippingMethodId: $ids) {{
    __typename ... on Order {{ id }} {_ERROR} }} }}"""
_TO = """mutation To($state: String!) {
  transitionOrderToState(state: $state) { __typename ... on Order { id state }
    ... on OrderStateTransitionError { errorCode message } } }"""
_PAY = f"""mutation Pay($input: PaymentInput!) {{
  addPaymentToOrder(input: $input) {{ __typename ... on Order {{ id code state }} {_ERROR} }} }}"""


def install() -> None:
    """Vendure's core from npm, PostgreSQL as a Debian package."""
    _modules()
    postgres.install()


def _modules() -> Path:
    return node_modules("vendure", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new shop with a way to pay and one to send."""
    port = free_port()
    settings = {
        "TEA_MODULES": str(_modules().parent),
        "TEA_PORT": str(port),
        "TEA_DATABASE": str(state),
        "TEA_PASSWORD": _PASSWORD,
        "TZ": "UTC",
    }
    command = postgres.with_database(state, ("node", str(_SERVER)))
    url = f"http://127.0.0.1:{port}"
    with serving(command, f"{url}/shop-api", state=state, environment=settings):
        while not postgres.rows(state, "SELECT id FROM payment_method"):
            time.sleep(0.2)  # which is made last
        yield url


def state(url: str, folder: Path) -> State:
    """Products, variants and their kinds; customers and groups; orders with lines and notes."""
    return State(Counter(postgres.rows(folder, _STATE).splitlines()))


class _Client(httpx.Client):
    """Asks one of the two APIs."""

    def __init__(self, url: str, api: str) -> None:
        super().__init__(base_url=url, timeout=120)
        self._api = api

    def ask(self, query: str, **variables: object) -> Any:
        """What the one field of the query has; an error of any kind ends the session."""
        sent = {"query": query, "variables": variables}
        answer = self.post(f"/{self._api}", json=sent).raise_for_status()
        document = answer.json()
        assert "errors" not in document, document
        found = next(iter(document["data"].values()))
        assert "errorCode" not in found, found
        return found


@contextlib.contextmanager
def _admin(url: str) -> Iterator[_Client]:
    """One who is logged in."""
    with _Client(url, "admin-api") as client:
        client.ask(_LOGIN, username="kim", password=_PASSWORD)
        yield client


def _named(name: str, **more: object) -> dict[str, object]:
    slug = name.lower().replace(" ", "-")
    text = {"languageCode": "en", "name": name, "slug": slug, "description": f"About {name}"}
    return {"translations": [text], **more}


def _variant(product: str, name: str, sku: str, price: int) -> dict[str, object]:
    text = [{"languageCode": "en", "name": name}]
    more = {"price": price, "stockOnHand": 100, "trackInventory": "TRUE"}
    return {"productId": product, "translations": text, "sku": sku, **more}


def _customer(first: str, last: str, address: str) -> dict[str, object]:
    return {"firstName": first, "lastName": last, "emailAddress": address}


def use(url: str, folder: Path) -> None:
    """Others have products, customers and an order, and what they number begins elsewhere."""
    with _admin(url) as admin, _Client(url, "shop-api") as shop:
        for name in ("Aa old", "Zz old"):
            product = admin.ask(_PRODUCT, input=_named(name))["id"]
            (variant,) = admin.ask(_VARIANTS, input=[_variant(product, name, "OLD", 100)])
            address = f"{name[:2].lower()}@example.com"
            admin.ask(_CUSTOMER, input=_customer(name, "Old", address))
        shop.ask(_ADD, variant=variant["id"], quantity=1)
        shop.ask(_ADD, variant=variant["id"], quantity=1)
    tables = (
        "product_variant",
        "facet_value",
        "customer",
        '"order"',
        "order_line",
        "customer_group",
        "facet",
    )
    moved = "".join(
        f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), {217 + 1013 * number});"
        for number, table in enumerate(tables)
    )
    postgres.rows(folder, moved)


def drive(url: str) -> None:
    """Kinds, products with variants, a customer in a group; then a visitor orders and pays, and
    the order is sent."""
    with _admin(url) as admin, _Client(url, "shop-api") as shop:
        values = [
            {"code": name.lower(), "translations": [{"languageCode": "en", "name": name}]}
            for name in ("Green", "Black")
        ]
        kinds = {"code": "tea-leaves", "isPrivate": False, "values": values}
        text = [{"languageCode": "en", "name": "Leaf"}]
        facet = admin.ask(_FACET, input={**kinds, "translations": text})
        green, black = (one["id"] for one in facet["values"])
        tea = admin.ask(_PRODUCT, input=_named("Mountain tea", facetValueIds=[green]))["id"]
        cup = admin.ask(_PRODUCT, input=_named("Glass cup"))["id"]
        small, large = admin.ask(
            _VARIANTS,
            input=[
                _variant(tea, "Mountain tea, small", "TEA-S", 450),
                _variant(cup, "Glass cup, large", "CUP-L", 1900),
            ],
        )
        more = [{"id": small["id"], "price": 475, "stockOnHand": 80}]
        admin.ask(_VARIANTS_AGAIN, input=more)
        admin.ask(_PRODUCT_AGAIN, input={"id": tea, "facetValueIds": [green, black]})
        chosen = [
            {"name": "facetValueIds", "value": f'["{black}"]'},
            {"name": "containsAny", "value": "false"},
        ]
        rule = [{"code": "facet-value-filter", "arguments": chosen}]
        admin.ask(_COLLECTION, input=_named("All that is black", filters=rule))
        ann = admin.ask(_CUSTOMER, input=_customer("Ann", "Teasdale", "ann@example.com"))["id"]
        group = admin.ask(_GROUP, input={"name": "Tasters", "customerIds": []})["id"]
        admin.ask(_JOIN, group=group, customers=[ann])
        admin.ask(_PRODUCTS)
        shop.ask(_FIND)
        shop.ask(_ADD, variant=small["id"], quantity=2)
        cart = shop.ask(_ADD, variant=large["id"], quantity=1)
        lines = {one["productVariant"]["sku"]: one["id"] for one in cart["lines"]}
        shop.ask(_ADJUST, line=lines["TEA-S"], quantity=3)
        shop.ask(_REMOVE, line=lines["CUP-L"])
        shop.ask(_WHO, input=_customer("Ben", "Guest", "ben@example.com"))
        where = {"fullName": "Ben Guest", "streetLine1": "1 Kettle Lane", "countryCode": "GB"}
        shop.ask(_WHERE, input=where)
        (way,) = shop.ask(_WAYS)
        shop.ask(_WAY, ids=[way["id"]])
        shop.ask(_TO, state="ArrangingPayment")
        paid = shop.ask(_PAY, input={"method": "by-hand", "metadata": {}})
        listed = admin.ask(_ORDERS)["items"]
        order = next(one for one in listed if one["code"] == paid["code"])
        found = admin.ask(_ORDER, id=order["id"])
        note = {"id": order["id"], "note": "Wrap it well", "isPublic": False}
        admin.ask(_NOTE, input=note)
        sent = {
            "lines": [{"orderLineId": found["lines"][0]["id"], "quantity": 3}],
            "handler": {
                "code": "manual-fulfillment",
                "arguments": [
                    {"name": "method", "value": "Post"},
                    {"name": "trackingCode", "value": "TRACK-1"},
                ],
            },
        }
        admin.ask(_SHIP, input=sent)
        admin.ask(_DELETE, id=cup)
        admin.ask(_ORDER, id=order["id"])
        admin.ask(_PRODUCTS)
