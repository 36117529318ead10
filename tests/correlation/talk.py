"""Short names for tests of configuring: requests with their answers, and what came of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pytest_loadtool.casefile import package_rules
from pytest_loadtool.correlation import Configuration
from pytest_loadtool.correlation import configure as configure_by
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Source
from tests.correlation.exchanges import FORM, JSON, answered, case_of, exchange

__all__ = [
    "EMPTY",
    "TOKEN",
    "UUID",
    "call",
    "configure",
    "get",
    "made",
    "post",
    "requests",
    "run",
    "sources",
]

TOKEN = "c7Jq2Xv9Lm4PzR8tYw3N"
UUID = "3f2b8c1e-9d47-4a60-b1c5-7e8f90a1b2c3"
EMPTY = exchange()


def configure(case: TestCase, exchanges: Sequence[Exchange]) -> Configuration:
    """Configure a case by the package's rules."""
    return configure_by(case, exchanges, rules=package_rules())


def run(*exchanges: Exchange) -> Configuration:
    """Configure a case of these exchanges."""
    return configure(case_of(*exchanges), exchanges)


def requests(configuration: Configuration) -> list[str]:
    """Each request as one line: target, headers with a placeholder, body."""
    lines: list[str] = []
    for one in configuration.case.transactions():
        request = one.request
        headers = [header.value for header in request.headers if "${" in (header.value or "")]
        lines.append(" ".join(filter(None, [request.target, *headers, str(request.body or "")])))
    return lines


def sources(configuration: Configuration) -> list[tuple[str, Source, int]]:
    """All extractors."""
    return [
        (extractor.variable, extractor.source, extractor.match)
        for one in configuration.case.transactions()
        for extractor in one.extractors
    ]


def made(configuration: Configuration) -> list[Decision]:
    """The decisions that made a variable."""
    return [one for one in configuration.decisions if one.variable]


def post(target: str, body: str, answer: Exchange = EMPTY, **more: Any) -> Exchange:
    """A form that is submitted."""
    sent = (FORM, *more.pop("sent", ()))
    return answered("POST", target, answer, sent=sent, body=body.encode(), **more)


def call(method: str, target: str, body: Any, answer: Exchange = EMPTY, **more: Any) -> Exchange:
    """A call of a JSON API."""
    return answered(
        method,
        target,
        answer,
        sent=(JSON, *more.pop("sent", ())),
        body=json.dumps(body).encode(),
        **more,
    )


def get(target: str, answer: Exchange = EMPTY, **more: Any) -> Exchange:
    """A page, or a call without a body."""
    return answered("GET", target, answer, **more)
