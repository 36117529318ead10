"""The shop for the load tests of the documentation's pictures (``server_fixture = "shop"``)."""

from example_suite.conftest import shop, shop_server

__all__ = ["shop", "shop_server"]
