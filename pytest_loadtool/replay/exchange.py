"""What a virtual user has sent and received, as an exchange."""

from __future__ import annotations

from pytest_loadtool.codec.request_coding import uncoded
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.replay.user.exchange import Response


def exchange_of(response: Response, began: float = 0.0) -> tuple[Exchange, str]:
    """Return the exchange that ended in this response, and why its body still has its content
    coding, if that is broken.

    ``began`` is when the clock of the responses stood at 0, in seconds since the epoch.
    """
    head, _, sent = response.request.partition(b"\r\n\r\n")
    line, *lines = head.decode("latin-1").split("\r\n")
    method, _, rest = line.partition(" ")
    target = rest.partition(" ")[0]
    status = response.head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
    request_headers = tuple(
        (name, value.strip()) for name, _, value in (one.partition(":") for one in lines)
    )
    body, undecoded = response.body, ""
    try:
        body = response.content
    except ValueError as error:
        undecoded = str(error)
    exchange = Exchange(
        started=began + response.sent,
        took=max(0.0, response.finished - response.sent),
        method=method,
        url=f"{response.send.step.origin}{target}" if target.startswith("/") else target,
        http_version=status[0] or "HTTP/1.1",
        request_headers=request_headers,
        request_body=uncoded(sent, request_headers),
        status=response.status,
        reason=status[2] if len(status) > 2 else "",
        response_headers=tuple(
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers
        ),
        response_body=body,
        error=response.failure.message if response.failure is not None else "",
    )
    return exchange, undecoded
