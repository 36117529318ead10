"""Samples of failed exchanges as they come from workers: as kept replays, of which only what failed
was kept, or a whole iteration."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.kept_replay import DatasetRow, KeptReplay, KeptTransaction, TransactionId
from pytest_loadtool.model.result import Failure


def sample_of(wire: dict[str, Any], case: str) -> KeptReplay:
    """Return what a worker has sent of a user of the test case of that name."""
    sent = tuple(map(_transaction, wire["transactions"]))
    ends = [one.exchange.started + one.exchange.took for one in sent if one.exchange is not None]
    return KeptReplay(
        case=case,
        started=wire["started"],
        seconds=max(ends) - wire["started"],
        server=wire["server"],
        transactions=sent,
        rows=tuple(DatasetRow(*row) for row in wire["rows"]),
        ending="finished" if wire["whole"] else "stopped",
    )


def _transaction(wire: dict[str, Any]) -> KeptTransaction:
    failures = tuple(Failure(*one) for one in wire["failures"])
    return KeptTransaction(
        wire["index"],
        TransactionId(**wire["id"]),
        "failed" if failures else "not as recorded" if wire["not_as_recorded"] else "passed",
        exchange=_exchange(wire["exchange"]),
        failures=failures,
        not_as_recorded=wire["not_as_recorded"],
        first_byte=wire["first_byte"],
        undecoded=wire["undecoded"],
    )


def _exchange(wire: dict[str, Any]) -> Exchange:
    changed = {
        "request_headers": tuple((name, value) for name, value in wire["request_headers"]),
        "response_headers": tuple((name, value) for name, value in wire["response_headers"]),
        "request_body": b64decode(wire["request_body"]),
        "response_body": b64decode(wire["response_body"]),
    }
    return Exchange(**(wire | changed))
