"""Requests that were refused for their token's age while recording, and sent again with a new one.

Replay has tokens of its own, which expire at other times; then it does the same by itself. In the
test case the request stands once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_loadtool.auth.negotiation import is_http_credentials
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.renewal import asks_for_renewal


@dataclass(frozen=True, slots=True)
class _Refused:
    index: int
    credentials: str
    answers: int
    """How many tokens had been refreshed before."""


def expired(exchanges: Sequence[Exchange]) -> frozenset[int]:
    """The indexes of these requests in ``exchanges``, which may come in any order.

    Each was answered by 401, and later the same with another token, which a refresh has given out
    in between, by something else.
    """
    found: set[int] = set()
    refused: dict[tuple[str, str, bytes], list[_Refused]] = {}
    answers: list[bytes] = []
    for index in sorted(range(len(exchanges)), key=lambda at: exchanges[at].started):
        exchange = exchanges[index]
        shown = _token(exchange)
        if shown:
            key = exchange.method, exchange.url, exchange.request_body
            if exchange.status == 401:
                refused.setdefault(key, []).append(_Refused(index, shown, len(answers)))
                continue
            for one in refused.pop(key, ()):
                given = shown.rpartition(" ")[2].encode()
                if one.credentials != shown and any(given in it for it in answers[one.answers :]):
                    found.add(one.index)
        if _refreshes(exchange):
            answers.append(exchange.response_body)
    return frozenset(found)


def _token(exchange: Exchange) -> str:
    """The credentials of the request, unless they are of HTTP authentication."""
    value = exchange.request_header("authorization") or ""
    return "" if is_http_credentials("authorization", value) else value


def _refreshes(exchange: Exchange) -> bool:
    body = exchange.request_body.decode(errors="replace")
    return 200 <= exchange.status < 300 and asks_for_renewal(exchange.url, body)
