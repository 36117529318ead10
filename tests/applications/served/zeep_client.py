"""A session with `spyne_orders`, by Zeep. Usage: python zeep_client.py URL session|use|journal"""

from __future__ import annotations

import json
import sys

import zeep

call = zeep.Client(f"{sys.argv[1]}/?wsdl").service


def session() -> None:
    """Three orders: one is changed, two get a status together, one is cancelled."""
    call.ListOrders()
    tea = call.CreateOrder("Tea House", 1, "29.50")
    call.GetOrder(tea)
    cup = call.CreateOrder("Cup & Saucer", 2, "4.00")
    call.ChangeQuantity(tea, 3)
    call.GetOrder(tea)
    spoon = call.CreateOrder("Spoon Ltd", 1, "1.00")
    listed = {order.Customer: order.OrderId for order in call.ListOrders()}
    call.GetOrder(listed["Cup & Saucer"])
    call.ChangeQuantity(listed["Cup & Saucer"], 5)
    call.SetStatus({"integer": [tea, cup]}, "sent")
    call.GetOrder(tea)
    call.GetOrder(cup)
    call.CancelOrder(spoon)
    call.ListOrders()


def use() -> None:
    """Orders of others; one is cancelled."""
    for customer in ("Aunt Ann", "Uncle Bob", "Zoe", "Cousin"):
        order = call.CreateOrder(customer, 1, "2.00")
    call.CancelOrder(order)


def journal() -> None:
    """What was done, as JSON."""
    sys.stdout.write(json.dumps(call.Journal() or []))


if __name__ == "__main__":
    {"session": session, "use": use, "journal": journal}[sys.argv[2]]()
