"""What answers are compared with: the recorded ones, without what is a user's or a thing's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from pytest_loadtool.answers.judge import ExpectedAnswer, words
from pytest_loadtool.codec.template import BUILTIN_NAMES
from pytest_loadtool.model.answer import Answer
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.dataset import Dataset
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.exchange import Response
from pytest_loadtool.replay.user.likeness import Likeness
from pytest_loadtool.structure.uses import used_names

#: Rows of a dataset whose values are sought in titles.
_MOST_ROWS = 1000
_SHORTEST = 3  # a shorter value is in too many segments of paths
_SIGNS = re.compile(r"[\W_]+")


class References:
    """The recorded answers of a test case, to compare with."""

    def __init__(self, case: TestCase, datasets: Mapping[str, Dataset]) -> None:
        self._case = case
        values = list(_values(case, datasets))
        self._words = frozenset(one for value in values for one in words(value))
        self._slugs = frozenset(
            slug for value in values if len(slug := _SIGNS.sub("-", value.lower())) >= _SHORTEST
        )

    def comparing(self, transaction: Transaction) -> Callable[[Response], Failure | None] | None:
        """Return what compares the answers to a transaction with the recorded one.

        None where nothing is known, or where the recorded status is not expected any more.
        """
        recorded = transaction.recorded
        if recorded is None or not recorded.status:
            return None
        if not transaction.status.accepts(recorded.status):
            return None
        answer = recorded.answer or Answer()
        names = used_names((transaction.request.target,), self._case.variables)
        was = ExpectedAnswer(
            replace(recorded, answer=self._with_stars(answer)) if recorded.answer else recorded,
            frozenset(words(answer.title or answer.heading)) - self._words,
            is_of_a_resource=not names <= BUILTIN_NAMES,
        )
        return Likeness(was, self._case.strict).failure

    def _with_stars(self, answer: Answer) -> Answer:
        """Return where it leads to, without the values that are other ones now."""
        segments = answer.location.split("/")
        kept = ("*" if self._is_of_a_value(one) else one for one in segments)
        return replace(answer, location="/".join(kept))

    def _is_of_a_value(self, segment: str) -> bool:
        plain = _SIGNS.sub("-", segment.lower())
        return len(plain) >= _SHORTEST and any(
            plain in slug or slug in plain for slug in self._slugs
        )


def _values(case: TestCase, datasets: Mapping[str, Dataset]) -> Iterator[str]:
    """Yield texts that may be others in each replay."""
    for variable in case.variables.values():
        yield from (one for one in (variable.recorded, variable.value) if one)
    for dataset in datasets.values():
        for row in islice(dataset.rows, _MOST_ROWS):
            yield from row
