"""Exchanges that are kept for others to see."""

from __future__ import annotations

from pytest_loadtool.masking.text import Mask, without_secrets
from pytest_loadtool.model.exchange import Exchange

EXCHANGE = Exchange(
    started=1.0,
    took=0.5,
    method="POST",
    url="http://shop/login?access_token=f00dfeedbeef&page=2",
    http_version="HTTP/1.1",
    request_headers=(("Cookie", "sid=0123456789abcdef"), ("Accept", "*/*")),
    request_body=b"username=ann&password=hunter2hunter2",
    status=200,
    reason="OK",
    response_headers=(("Set-Cookie", "sid=fedcba9876543210; Path=/"),),
    response_body=b"<p>Hello, your key is s3cr3t-key-of-ann</p>",
)


def test_no_secret_is_left_and_all_else_is() -> None:
    """Credentials in headers, fields that are called so, and values that are known."""
    found = without_secrets(EXCHANGE, Mask(["s3cr3t-key-of-ann"]))
    everything = repr(found.changed(response_body=b"")) + repr(found.__dict__)
    for secret in ("f00dfeedbeef", "0123456789abcdef", "hunter2", "fedcba98", "s3cr3t-key"):
        assert secret not in everything
    assert found.url.endswith("&page=2")
    assert found.request_headers[1] == ("Accept", "*/*")
    assert found.request_body.startswith(b"username=ann&password=hunt")
    assert found.response_headers[0][1].endswith("; Path=/")
    assert found.response_body.startswith(b"<p>Hello, your key is s3cr")
    assert (found.status, found.took) == (200, 0.5)


def test_what_is_no_text_stays() -> None:
    """An image is not read as text."""
    image = bytes(range(256)) * 4
    assert without_secrets(EXCHANGE.changed(response_body=image), Mask()).response_body == image
