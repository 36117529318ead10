"""Samples of what failed in a load test: exchanges as they were sent and received, without secrets.

While the load is made, they are only held; what is sent of them is made when it is over.

It also has the first example of an error of a load test: what was asked and what came, without
secrets.
"""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

from pytest_loadtool.codec.content import ContentError
from pytest_loadtool.codec.printable import clip
from pytest_loadtool.diagnosis.causes.challenge import challenge_remedy
from pytest_loadtool.diagnosis.kept import identities_of
from pytest_loadtool.masking.carried import carried_by
from pytest_loadtool.masking.text import Mask, secrets_of, without_secrets
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.exchange import exchange_of
from pytest_loadtool.replay.user.exchange import Response, Step
from pytest_loadtool.replay.user.failures import internal_failure
from pytest_loadtool.replay.user.plan import Plan

#: How many characters of a body an example shows, and how many are looked at for that: where
#: secrets are cut, what is behind them moves up.
_LONGEST_BODY, _LONGEST_READ = 160, 20_000


class Examples:
    """Describes responses to requests of ``plans``. An example is of the first user that has an
    error, and stands for all: it shows no secret of anybody."""

    def __init__(self, plans: Sequence[Plan]) -> None:
        self._secrets = frozenset(
            secret for plan in plans for secret in secrets_of(plan.case, plan.values)
        )
        self._with_identities = frozenset(
            step for plan in plans if plan.case.identities for step in plan.steps
        )

    def describe(self, response: Response) -> str:
        """Return in one line what was asked and what came."""
        try:
            return self._described(response)
        except Exception as error:  # an example is not worth the worker's other users
            return internal_failure(error).message

    def _described(self, response: Response) -> str:
        # The target is the test case's own text, not what went out: that may hold a user's values.
        mask = Mask([*self._secrets, *carried_by(response)])
        request = response.send.step.transaction.request
        asked = f"{request.method} {mask.text(request.target)}"
        if not response.status:
            return f"{asked}: no response"
        try:
            body = clip(mask.text(clip(response.text, _LONGEST_READ)), _LONGEST_BODY)
        except ContentError as error:
            body = f"({error})"
        remedy = challenge_remedy(
            response.status,
            response.headers,
            has_identities=response.send.step in self._with_identities,
        )
        if remedy and response.failure is None:
            body = remedy
        return f"{asked}: status {response.status}, {body or 'no body'}"


LONGEST_BODY = 64 * 1024
"""How many bytes of a body a sample has."""

_PATIENCE = 5.0
"""For how long (seconds) samples are made: whoever leads the run waits for them."""

KeptStep = tuple[Step, Response, tuple[Failure, ...]]


@dataclass(slots=True)
class KeptSteps:
    """Transactions of an iteration of a user of test case number ``case``, the first of which, if
    it is not ``whole``, is the one that failed. ``rows`` are the user's, from 0, by dataset;
    ``values`` what its placeholders stood for."""

    case: int
    steps: list[KeptStep]
    rows: dict[str, int]
    values: dict[str, str]
    whole: bool


class Samples:
    """Makes what can be sent of samples: of builtin types, with all secrets cut."""

    def __init__(self, plans: Sequence[Plan]) -> None:
        self._plans = plans
        #: When the clock of the responses stood at 0, in seconds since the epoch.
        self._epoch = time.time() - perf_counter()
        self._left = _PATIENCE

    def sent(self, kept: KeptSteps) -> dict[str, Any] | str:
        """Return the sample as `load.metrics.samples.sample_of` reads it, or why it cannot be
        made."""
        if self._left < 0:
            return f"the {_PATIENCE:g} s for making samples were over"
        began = perf_counter()
        try:
            return self._made(kept)
        except Exception as error:  # whatever a server has sent, the numbers of the run go on
            return f"{type(error).__name__}, a defect of pytest-loadtool: please report it"
        finally:
            self._left -= perf_counter() - began

    def _made(self, kept: KeptSteps) -> dict[str, Any]:
        plan = self._plans[kept.case]
        secrets = [*secrets_of(plan.case, plan.values | kept.values)]
        for _, response, _ in kept.steps:
            secrets += carried_by(response)
        mask = Mask(secrets)
        files = {one.use.name: one.use.file for one in plan.datasets}
        identities = list(identities_of(plan.case))
        return {
            "whole": kept.whole,
            "started": self._epoch + kept.steps[0][1].sent,
            "server": plan.case.server or plan.case.app,
            "rows": [[name, files.get(name, ""), row + 1] for name, row in kept.rows.items()],
            "transactions": [
                self._transaction(one, asdict(identities[one[0].index]), mask) for one in kept.steps
            ],
        }

    def _transaction(self, one: KeptStep, identity: dict[str, Any], mask: Mask) -> dict[str, Any]:
        step, response, failures = one
        exchange, undecoded = exchange_of(response, self._epoch)
        exchange = without_secrets(exchange, mask)
        return {
            "index": step.index,
            "id": identity,
            "exchange": _exchange(exchange),
            "failures": [[one.cause, one.message, mask.text(one.seen)] for one in failures],
            "not_as_recorded": mask.text(response.not_as_recorded),
            "first_byte": max(0.0, response.first_byte - response.sent),
            "undecoded": undecoded,
        }


def _exchange(exchange: Exchange) -> dict[str, Any]:
    return {
        "started": exchange.started,
        "took": exchange.took,
        "method": exchange.method,
        "url": exchange.url,
        "http_version": exchange.http_version,
        "request_headers": [[*one] for one in exchange.request_headers],
        "request_body": _body(exchange.request_body),
        "status": exchange.status,
        "reason": exchange.reason,
        "response_headers": [[*one] for one in exchange.response_headers],
        "response_body": _body(exchange.response_body),
        "error": exchange.error,
    }


def _body(body: bytes) -> str:
    return b64encode(body[:LONGEST_BODY]).decode()
