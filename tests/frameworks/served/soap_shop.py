"""``python soap_shop.py PORT``: orders of many people behind SOAP 1.1, by spyne.

Orders are listed in no order, their ids begin anywhere, and only the version that was last read
can be changed. The second order of one customer is refused, so that a name tells one from others.
"""

# ruff: noqa: N802, N805 - operations are called so, and their first argument is the context

import random
import secrets
import sys
import threading
from wsgiref.simple_server import make_server

from spyne import Application, Array, ComplexModel, Fault, Integer, ServiceBase, Unicode, rpc
from spyne.protocol.soap import Soap11
from spyne.server.wsgi import WsgiApplication


class Order(ComplexModel):
    """An order as the service shows it."""

    OrderId = Integer
    Customer = Unicode
    State = Unicode
    RowVersion = Unicode


LOCK = threading.Lock()
NEXT = random.randrange(20, 900)
ORDERS = {
    NEXT + at: ["Milk Bar", "Bakery", "Kiosk"][at % 3] + f" {at}"
    for at in range(random.randrange(3, 7))
}
ORDERS = {key: [name, "open", secrets.token_hex()] for key, name in ORDERS.items()}


class Shop(ServiceBase):
    """What can be done with orders."""

    @rpc(Unicode, Unicode, _returns=Unicode)
    def PlaceOrder(ctx, customer, article):
        """Place one; the answer does not say its id."""
        with LOCK:
            if any(one[0] == customer for one in ORDERS.values()):
                raise Fault("Client.Taken", f"{customer} has an order")
            ORDERS[max(ORDERS) + random.randrange(1, 9)] = [customer, "open", secrets.token_hex()]
        return "accepted"

    @rpc(_returns=Array(Order))
    def ListOrders(ctx):
        """All there are, of everybody."""
        with LOCK:
            rows = [
                Order(OrderId=key, Customer=one[0], State=one[1], RowVersion=one[2])
                for key, one in ORDERS.items()
            ]
        return random.sample(rows, len(rows))

    @rpc(Integer, Unicode, _returns=Order)
    def CloseOrder(ctx, order_id, row_version):
        """Close an order, as it was read."""
        with LOCK:
            one = ORDERS.get(order_id)
            if one is None or one[2] != row_version or one[1] != "open":
                raise Fault("Client.Conflict", "somebody else has changed it")
            one[1:] = "closed", secrets.token_hex()
            return Order(OrderId=order_id, Customer=one[0], State=one[1], RowVersion=one[2])


application = Application([Shop], "urn:shop", in_protocol=Soap11(), out_protocol=Soap11())

if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]), WsgiApplication(application)).serve_forever()
