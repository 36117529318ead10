"""``python soap_client.py URL CUSTOMER``: place an order, find it in the list, close it."""

import sys

import zeep

url, customer = sys.argv[1:]
service = zeep.Client(f"{url}/?wsdl").bind()
service.PlaceOrder(customer, "cups")
(mine,) = [one for one in service.ListOrders() if one.Customer == customer]
closed = service.CloseOrder(mine.OrderId, mine.RowVersion)
assert closed.State == "closed"
(again,) = [one for one in service.ListOrders() if one.Customer == customer]
assert again.RowVersion == closed.RowVersion
