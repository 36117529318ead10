"""What clients say to the recorder itself, as they say it to any proxy."""

from __future__ import annotations

from mitmproxy.http import Headers

_CREDENTIALS = ("proxy-authorization", "proxy-authenticate")


def leave_out_own(headers: Headers) -> None:
    """Remove what is meant for the proxy, so that the server gets what it would get without one."""
    for name in _CREDENTIALS:
        headers.pop(name, None)
    if "proxy-connection" in headers:
        # Chromium writes Proxy-Connection in the very place of its Connection header; other clients
        # (curl) add it to what they send anyway.
        browser = headers.get("user-agent", "").startswith("Mozilla/")
        replace = browser and "connection" not in headers
        headers.fields = tuple(
            (b"Connection" if name.lower() == b"proxy-connection" else name, value)
            for name, value in headers.fields
            if replace or name.lower() != b"proxy-connection"
        )
    if headers.get("upgrade", "").lower() == "h2c":
        for name in ("upgrade", "connection", "http2-settings"):
            headers.pop(name, None)
