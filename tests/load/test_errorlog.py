"""Distinct errors: counted apart, with an example, and bounded."""

from __future__ import annotations

import json
from collections.abc import Callable

from pytest_loadtool.load import ErrorLog
from pytest_loadtool.load.metrics.errorlog import MOST_DISTINCT
from pytest_loadtool.model.result import Failure

STATUS = Failure("status", "status 500, expected 200-399")
TEXT = Failure("text", "search text 'Welcome' not found")


def never() -> str:
    """An example that must not be made."""
    raise AssertionError("an example was made for a known error")


def saying(text: str) -> Callable[[], str]:
    """An example of that text."""
    return lambda: text


def test_distinct_by_transaction_cause_and_message() -> None:
    """Each distinct error is counted with its first example, which is made only once."""
    log = ErrorLog()
    log.record(0, (STATUS, TEXT), 3, saying("first"))
    log.record(0, (STATUS,), 4, never)
    log.record(1, (STATUS,), 5, saying("elsewhere"))
    found = [(one.transaction, one.cause, one.count, one.second, one.example) for one in log]
    assert found == [
        (0, "status", 2, 3, "first"),
        (0, "text", 1, 3, "first"),
        (1, "status", 1, 5, "elsewhere"),
    ]


def test_the_same_failure_twice_in_a_request() -> None:
    """Two equal failures of one request count once."""
    log = ErrorLog()
    log.record(0, (TEXT, TEXT), 0, saying("x"))
    assert [one.count for one in log] == [1]


def test_bounded_whatever_comes() -> None:
    """Messages that differ each time, and long texts, cannot fill the memory."""
    log = ErrorLog()
    for number in range(MOST_DISTINCT + 300):
        log.record(0, (Failure("regex", f"{number} " + "x" * 10_000),), 0, saying("y" * 100_000))
    assert len(log) == MOST_DISTINCT
    assert log.others == 300
    assert all(len(one.message) <= 500 and len(one.example) <= 2000 for one in log)
    log.record(0, (Failure("regex", "7 " + "x" * 10_000),), 0, never)
    assert [one.count for one in log if one.message.startswith("7 ")] == [2]


def test_merging_keeps_the_earliest_example() -> None:
    """Whichever worker is merged first, the example is the one that came first in the run."""
    early, late = ErrorLog(), ErrorLog()
    early.record(0, (STATUS,), 2, saying("early"))
    late.record(0, (STATUS,), 7, saying("late"))
    late.record(0, (TEXT,), 7, saying("only here"))
    for order in ((early, late), (late, early)):
        merged = ErrorLog()
        for log in order:
            merged.merge(log)
        assert {one.message: (one.count, one.second, one.example) for one in merged} == {
            STATUS.message: (2, 2, "early"),
            TEXT.message: (1, 7, "only here"),
        }


def test_wire_with_text_from_anywhere() -> None:
    """Text that no encoding can hold, such as half of a surrogate pair, travels and comes back."""
    log = ErrorLog()
    log.record(0, (Failure("text", "not found: \udc80\x00"),), 1, saying("\ud800 body"))
    log.others = 4
    back = ErrorLog.from_wire(json.loads(json.dumps(log.to_wire())))
    assert list(back) == list(log)
    assert back.others == 4
