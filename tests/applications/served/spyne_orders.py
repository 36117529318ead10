"""Orders over SOAP, by Spyne's guide: complex types, arrays, faults.

From http://spyne.io/docs/2.10/manual/ (services, types, faults), with wsgiref. Not imported by the
tests: it runs in an environment of its own. Usage: python spyne_orders.py PORT
"""

# ruff: noqa: N802, N803 (these names go over the wire)
from __future__ import annotations

import itertools
import sys
from wsgiref.simple_server import make_server

from spyne import (
    Application,
    Array,
    ComplexModel,
    Decimal,
    Fault,
    Integer,
    ServiceBase,
    Unicode,
    rpc,
)
from spyne.protocol.soap import Soap11
from spyne.server.wsgi import WsgiApplication

NAMESPACE = "urn:example:orders"


class Order(ComplexModel):
    __namespace__ = NAMESPACE
    OrderId = Integer
    Customer = Unicode
    Quantity = Integer
    Price = Decimal
    Status = Unicode


orders: dict[int, Order] = {}
journal: list[str] = []
numbers = itertools.count(1)


def found(order_id: int) -> Order:
    if order_id not in orders:
        raise Fault("Client.NoSuchOrder", f"There is no order {order_id}")
    return orders[order_id]


class Orders(ServiceBase):
    @rpc(Unicode, Integer, Decimal, _returns=Integer)
    def CreateOrder(self, customer, quantity, price):
        number = next(numbers)
        orders[number] = Order(
            OrderId=number, Customer=customer, Quantity=quantity, Price=price, Status="new"
        )
        journal.append(f"{quantity} for {customer} at {price}")
        return number

    @rpc(Integer, _returns=Order)
    def GetOrder(self, orderId):
        return found(orderId)

    @rpc(_returns=Array(Order))
    def ListOrders(self):
        return sorted(orders.values(), key=lambda order: order.Customer)

    @rpc(Integer, Integer, _returns=Order)
    def ChangeQuantity(self, orderId, quantity):
        order = found(orderId)
        journal.append(f"{quantity} instead of {order.Quantity} for {order.Customer}")
        order.Quantity = quantity
        return order

    @rpc(Array(Integer), Unicode, _returns=Integer)
    def SetStatus(self, orderIds, status):
        for order in map(found, orderIds):
            order.Status = status
            journal.append(f"{order.Customer}: {status}")
        return len(orderIds)

    @rpc(Integer)
    def CancelOrder(self, orderId):
        journal.append(f"nothing for {found(orderId).Customer}")
        del orders[orderId]

    @rpc(_returns=Array(Unicode))
    def Journal(self):
        return journal


application = Application(
    [Orders], NAMESPACE, in_protocol=Soap11(validator="lxml"), out_protocol=Soap11()
)
if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]), WsgiApplication(application)).serve_forever()
