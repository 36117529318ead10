"""The first example of an error of a load test: what was asked and what came, without secrets."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_loadtool.codec.content import ContentError
from pytest_loadtool.codec.printable import clip
from pytest_loadtool.diagnosis.causes.challenge import challenge_remedy
from pytest_loadtool.masking.carried import carried_by
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.masking.values import secrets_of
from pytest_loadtool.replay.user.failures import internal_failure
from pytest_loadtool.replay.user.plan import Plan, Response

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
        """In one line: what was asked, what came."""
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
