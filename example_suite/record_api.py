"""An API session to be recorded: ``run python -m example_suite.record_api URL`` in the console.

A client like any script's, on the standard library: it sends its requests through the recorder's
proxy and uses what the answers give it, a token and the id of an order.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

__all__ = ["session"]


class _Client:
    """One persistent connection to the proxy, or without one to the shop itself."""

    def __init__(self, url: str, proxy: str | None) -> None:
        # A proxy wants the whole URL as the target (RFC 9112 section 3.2.2).
        self._prefix = url if proxy else ""
        self._connection = http.client.HTTPConnection(urlsplit(proxy or url).netloc, timeout=30)
        self.headers = {"Accept": "application/json"}

    def send(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        """The JSON of the answer, None where it has no body.

        Raises:
            RuntimeError: the shop refused.
        """
        headers, content = self.headers, None
        if body is not None:
            headers = headers | {"Content-Type": "application/json"}
            content = json.dumps(body)
        self._connection.request(method, self._prefix + path, content, headers)
        response = self._connection.getresponse()
        text = response.read()
        if response.status >= 400:
            raise RuntimeError(f"{method} {path}: {response.status} {text.decode()}")
        return json.loads(text) if text else None

    def close(self) -> None:
        self._connection.close()


def session(url: str, proxy: str | None = None) -> None:
    """Get a token, list the products, then place, read, change, list and delete an order."""
    client = _Client(url, proxy)
    try:
        login = {"username": "alice", "password": "alice-password"}
        token = client.send("POST", "/api/token", login)["access_token"]
        client.headers["Authorization"] = f"Bearer {token}"
        product = client.send("GET", "/api/products")["products"][0]["id"]
        order = {"product": product, "quantity": 2, "note": "For the afternoon"}
        placed = f"/api/orders/{client.send('POST', '/api/orders', order)['id']}"
        client.send("GET", placed)
        client.send("PATCH", placed, {"quantity": 3})
        client.send("GET", "/api/orders")
        client.send("DELETE", placed)
    finally:
        client.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m example_suite.record_api", description=__doc__)
    parser.add_argument("url", help="where the shop is, http://127.0.0.1:PORT")
    parser.add_argument(
        "--proxy",
        default=os.environ.get("LOADTOOL_PROXY"),
        help="the recorder, http://127.0.0.1:PORT (default: LOADTOOL_PROXY, else no proxy)",
    )
    arguments = parser.parse_args()
    session(arguments.url.rstrip("/"), arguments.proxy)


if __name__ == "__main__":
    main()
