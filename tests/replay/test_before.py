"""Validators of what is another value than in the answer to the same request before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pytest_loadtool.casefile import parse_validator
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.validator import Outcome, TextValidator
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.compile.validate import compile_validator
from tests.correlation.client import Client
from tests.correlation.exchanges import html
from tests.correlation.outcomes.adversary import colour, failures, replayed, serving

JSON, XML, REGEX = {"json": "$.n"}, {"xml": "//n"}, {"regex": r"(\d+) likes"}
SUM = {"regex": r"\$(.*)"}
#: A validator, the text before, the text now, and what is said of it.
ROWS: tuple[tuple[dict[str, Any], str, str, str], ...] = (
    ({**JSON, "than_before": "other"}, '{"n": 3}', '{"n": 4}', ""),
    (
        {**JSON, "than_before": "other"},
        '{"n": 3}',
        '{"n": 3}',
        "JSON path $.n is not other than before",
    ),
    ({**JSON, "than_before": "other"}, '{"n": 3}', "{}", "JSON path $.n: not found"),
    ({**JSON, "than_before": "other"}, "{}", '{"n": 3}', ""),
    ({**JSON, "than_before": "other"}, "", '{"n": 3}', "it does not show how JSON path $.n was"),
    ({**JSON, "than_before": "same"}, '{"n": 3}', '{"n": 3}', ""),
    (
        {**JSON, "than_before": "same"},
        '{"n": 3}',
        '{"n": 4}',
        "JSON path $.n is not as it",
    ),
    ({**JSON, "than_before": "other", "absent": True}, '{"n": 3}', '{"n": 3}', ""),
    ({**JSON, "than_before": "more"}, '{"n": 9}', '{"n": 10}', ""),
    ({**JSON, "than_before": "less"}, '{"n": 9}', '{"n": 10}', "JSON path $.n is not less than"),
    ({**JSON, "than_before": "more"}, '{"n": "a"}', '{"n": 10}', "JSON path $.n is not more than"),
    ({**REGEX, "than_before": "more"}, "1,999 likes", "2,000 likes", "match of"),
    ({**SUM, "than_before": "more"}, "$1,999.50", "$2,000.00", ""),
    ({**SUM, "than_before": "less"}, "$1,999.50", "$2,000.00", r"match of '\\$(.*)' is not less"),
    ({**XML, "than_before": "other"}, "<a><n>3</n></a>", "<a><n>4</n></a>", ""),
    (
        {**XML, "than_before": "other"},
        "<a><n>3</n></a>",
        "<a><n>3</n></a>",
        "XML path //n is not",
    ),
    ({**REGEX, "than_before": "other"}, "3 likes", "4 likes", ""),
    (
        {**REGEX, "than_before": "other"},
        "3 likes",
        "3 likes, 4 likes",
        r"match of '(\\d+) likes' is not",
    ),
)


@pytest.mark.parametrize(("table", "before", "now", "said"), ROWS)
def test_what_is_said(table: dict[str, Any], before: str, now: str, said: str) -> None:
    """The first that is found counts; nobody knows what an answer had that was not kept."""
    check = compile_validator(parse_validator(table), VariableNames({}), kept=0)
    failure = check(RecordedResponse(html(now)), (before,))
    assert (failure.message if failure else "")[: len(said) or None] == said
    assert failure is None or failure.certain is bool(before)


@dataclass
class Counter:
    """Counts what is sent to it, so many at most, unless it is broken, below a text of that
    length."""

    works: bool = True
    most: int = 9
    length: int = 0
    count: int = 0

    def answer(self, method: str, _target: str, _body: str) -> tuple[int, dict[str, str], str]:
        """What is answered to a request."""
        self.count += self.works and method == "POST" and self.count < self.most
        return 200, {"Content-Type": "text/plain"}, f"{'x' * self.length}{self.count} likes"


def case_of(
    *requests: str, changed: int, looks_at: Mapping[str, str] = REGEX, length: int = 0
) -> TestCase:
    """A session, in which the transaction ``changed`` is to show another number of likes, or be
    another in what it ``looks_at``."""
    with serving(Counter(length=length)) as url:
        client = Client(url)
        for method, target in map(str.split, requests):
            client.send(method, target)
        client.close()
    case = build_case(tuple(client.exchanges), name="likes").case
    validator = parse_validator({**looks_at, "than_before": "other"})
    return with_transactions(
        case,
        (
            replace(one, validators=(validator,)) if at == changed else one
            for at, one in enumerate(case.transactions())
        ),
    )


SESSION = ("GET /likes", "POST /like", "GET /likes")


def test_the_answer_before() -> None:
    """It is that of the last transaction that asks for the same."""
    case = case_of(*SESSION, changed=2)
    assert colour(replayed(case, Counter())) == "GREEN"
    assert failures(replayed(case, Counter(works=False))) == [
        r"match of '(\\d+) likes' is not other than before"
    ]
    more = case_of("GET /likes", "GET /likes", "POST /like", "GET /likes", changed=1)
    assert colour(replayed(more, Counter())) == "red"


def test_each_validator_has_an_answer_before() -> None:
    """That before its own change: another one of the same transaction is about an earlier change,
    since which the number is more in any case."""
    case = case_of(*SESSION, "POST /like", "GET /likes", changed=4)
    second = Outcome("more likes", "POST /like (2)")
    more = replace(parse_validator({**REGEX, "than_before": "more"}), outcome=second)
    first = TextValidator("likes", outcome=Outcome("likes are shown", "POST /like"))
    case = with_transactions(
        case,
        (
            replace(one, validators=(first, more)) if at == 4 else one
            for at, one in enumerate(case.transactions())
        ),
    )
    assert colour(replayed(case, Counter())) == "GREEN"
    assert colour(replayed(case, Counter(most=1))) == "red"


def test_a_long_answer_as_a_whole() -> None:
    """Of one that is too long to be kept it is known whether the next is another."""
    case = case_of(*SESSION, changed=2, looks_at={"regex": "(?s).+"}, length=50_000)
    assert colour(replayed(case, Counter(length=50_000))) == "GREEN"
    assert colour(replayed(case, Counter(length=50_000, works=False))) == "red"


def test_nobody_knows() -> None:
    """Nothing was asked for before, or the answer was too long to be kept: it is told."""
    assert colour(replayed(case_of("POST /like", "GET /likes", changed=1), Counter())) == "told"
    case = case_of(*SESSION, changed=2, length=50_000)
    assert colour(replayed(case, Counter(length=50_000))) == "told"
