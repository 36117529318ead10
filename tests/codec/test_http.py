"""What is known of methods and authorities."""

from __future__ import annotations

import pytest

from pytest_loadtool.codec.http import IDEMPOTENT_METHODS, SAFE_METHODS, authority


@pytest.mark.parametrize(
    ("host", "port", "scheme", "written"),
    [
        ("shop.example", None, "https", "shop.example"),
        ("shop.example", 443, "https", "shop.example"),
        ("shop.example", 443, "http", "shop.example:443"),
        ("shop.example", 80, "http", "shop.example"),
        ("shop.example", 80, "", "shop.example:80"),
        ("::1", 8080, "http", "[::1]:8080"),
        ("::1", None, "http", "[::1]"),
    ],
)
def test_authority(host: str, port: int | None, scheme: str, written: str) -> None:
    """The port of the scheme is left out, and addresses of IPv6 stand in brackets."""
    assert authority(host, port, scheme) == written


def test_what_is_safe_may_be_repeated() -> None:
    """RFC 9110 §9.2.2; nothing that adds something may."""
    assert SAFE_METHODS < IDEMPOTENT_METHODS
    assert not {"POST", "PATCH", "CONNECT"} & IDEMPOTENT_METHODS
