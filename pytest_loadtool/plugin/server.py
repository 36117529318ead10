"""The server that a test case is replayed against, when it is not the case's own."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest


def checked_server(url: str) -> str:
    """Return ``url`` as a base URL, without a slash at its end.

    Raises:
        ValueError: it is not one; the text says what is expected.
    """
    expected = "expected http://host:port or https://host"
    try:
        parts = urlsplit(url.strip())
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise ValueError(f"{expected}, got {url!r}")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError(f"{expected} and nothing after it, got {url!r}")
    return f"{parts.scheme}://{parts.netloc}"


def server_from_base_url(url: str) -> str:
    """Return the server of the base URL that a project's other tests have: test cases have the
    paths.

    Raises:
        pytest.UsageError: it has none.
    """
    try:
        parts = urlsplit(url)
        return checked_server(f"{parts.scheme}://{parts.netloc}")
    except ValueError as error:
        raise pytest.UsageError(f"--base-url: {error}") from None


def server_from_fixture(request: pytest.FixtureRequest, name: str) -> str:
    """Return the base URL that the fixture ``name`` gives: its value, or the value's ``url``.

    Raises:
        ValueError: it gives none; the text says what is expected.
    """
    value = request.getfixturevalue(name)
    url = value if isinstance(value, str) else getattr(value, "url", None)
    if not isinstance(url, str):
        raise ValueError(
            f"fixture {name!r} should give the server's URL, as a string or an object with a "
            f"string attribute 'url', but gives {_shown(value)}"
        )
    try:
        return checked_server(url)
    except ValueError as error:
        raise ValueError(f"fixture {name!r} should give the server's URL: {error}") from None


def _shown(value: object) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"
