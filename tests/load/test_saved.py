"""What is kept of a run, and what is not taken for one."""

from __future__ import annotations

import json
import re
from dataclasses import astuple
from typing import Any

import pytest

from pytest_loadtool.load import LoadMetrics, PageKey, TransactionKey
from pytest_loadtool.load.verdict.comparison import compare
from pytest_loadtool.load.verdict.saved import ALL, SavedRun
from tests.load.simulation import two_workers


def test_saved_runs_survive_json() -> None:
    """What is saved holds names, counts and response times, and is the same when read back."""
    result = two_workers(failing=50)
    metrics, came = result.metrics, list(result.course.stretches())
    saved = SavedRun.of(
        "run", "4 users for 10 s", "2026-03-01T00:00:00+00:00", "failed", metrics, came
    )
    text = json.dumps(saved.to_wire())
    back = SavedRun.from_wire(json.loads(text))
    assert back == saved
    assert back.timeline is not None
    for one, interval in zip(came, back.timeline, strict=True):
        assert (one.second, one.length, one.requests) == astuple(interval)[:3]
        times = one.response.total, one.longest_us
        assert (one.errors, one.user_seconds, *times) == astuple(interval)[3:]
    assert saved.requests[ALL].requests == metrics.requests
    assert saved.requests[ALL].response == metrics.total().response
    assert all(error.example not in text for error in metrics.errors)
    changes = compare([saved], saved, 0.0).changes
    assert changes
    assert all(change.before == change.after for change in changes)
    assert compare([saved], saved, 0.0).regressions == ()


def test_equal_names_are_told_apart() -> None:
    """A transaction whose name comes again on its page has a key of its own."""
    keys = [TransactionKey("c", "p", "GET /")] * 2, [PageKey("c", "p")], ["c"]
    saved = SavedRun.of("run", "", "", "passed", LoadMetrics(*keys))
    assert list(saved.requests) == [ALL, ("c", "p", "GET /"), ("c", "p", "GET / (2)")]


TIMES = [3_000, 1_000, 2_000, [-1, [1_000], [1]], [0, [976], [1]]]
RIGHT: dict[str, Any] = {
    "format": 1,
    "name": "run",
    "load": "1 user",
    "started": "2026-03-01T00:00:00+00:00",
    "verdict": "passed",
    "duration_s": 10,
    "requests": [["", "", "all requests", 2, 1, TIMES]],
}


@pytest.mark.parametrize("wire", [None, 7, [], "run"])
def test_what_is_no_saved_run(wire: object) -> None:
    """Anything else is refused, not taken for a run without requests."""
    with pytest.raises(ValueError, match=r"^expected a saved run, got "):
        SavedRun.from_wire(wire)


def test_a_run_that_is_right() -> None:
    """What the next test makes mistakes in."""
    run = SavedRun.from_wire(RIGHT)
    assert run.requests[ALL].response.percentiles([50, 95]) == [1_000, 2_000]


@pytest.mark.parametrize("key", RIGHT)
@pytest.mark.parametrize("value", [None, -1, float("nan"), 10**400, {"a": "b" * 100}, True])
def test_a_key_that_is_wrong(key: str, value: object) -> None:
    """It is named, with what was expected and what is there; so is one that is missing."""
    if key == "format":
        with pytest.raises(ValueError, match=r"^it was saved by another version of "):
            SavedRun.from_wire(RIGHT | {key: 2})
        return
    with pytest.raises(ValueError, match=rf"^{key}: expected .*, got .{{2,40}}$"):
        SavedRun.from_wire(RIGHT | {key: value})
    with pytest.raises(ValueError, match=rf"^{key}: it is missing$"):
        SavedRun.from_wire({name: one for name, one in RIGHT.items() if name != key})


ROWS = {
    "no list": (7, "requests[0]: expected a list of 6, got 7"),
    "short": (["", "", "all requests"], "requests[0]: expected a list of 6, got "),
    "name": (["", "", 7, 2, 1, TIMES], "requests[0][2]: expected the name of a transaction, got 7"),
    "count": (["", "", "x", -2, 1, TIMES], "requests[0][3]: expected a number of requests, got -2"),
    "part": (["", "", "x", 2, 0.5, TIMES], "requests[0][4]: expected a number of errors, got 0.5"),
    "errors": (["", "", "x", 2, 3, TIMES], "requests[0]: it has 3 errors in 2 requests"),
    "others": (["", "", "x", 3, 1, TIMES], "requests[0][5]: these are not the response times of 3"),
    "all": (["a", "b", "c", 2, 1, TIMES], "requests: the row of 'all requests' is missing"),
}


@pytest.mark.parametrize("mistake", ROWS)
def test_a_row_that_is_wrong(mistake: str) -> None:
    """It is named by its number, and the column by its own."""
    row, message = ROWS[mistake]
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        SavedRun.from_wire(RIGHT | {"requests": [row]})


@pytest.mark.parametrize(
    "times",
    [
        None,
        [],
        [1, 2],
        [3_000, 1_000, 2_000],
        [3_000, 1_000, 2_000, 7],
        [3_000, 1_000, 2_000, [-1, [1_000], [2, 2]]],
        [3_000, 1_000, 2_000, [-2, [1_000], [2]]],
        [3_000, 1_000, 2_000, [99, [1_000], [2]]],
        [3_000, 1_000, 2_000, [-1, [-1], [2]]],
        [3_000, 1_000, 2_000, [-1, [1_000, 5], [3, -1]]],
        [3_000, 1_000, 2_000, [-1, [1_000], [2.0]]],
        [3_000, 1_000, 2_000, [-1, [1_000], ["2"]]],
        ["3", 1_000, 2_000, [-1, [1_000], [2]]],
    ],
)
def test_response_times_that_are_none(times: object) -> None:
    """Numbers that no histogram has are refused, and not compared with."""
    with pytest.raises(ValueError, match=r"^requests\[0\]\[5\]: "):
        SavedRun.from_wire(RIGHT | {"requests": [["", "", "all requests", 2, 1, times]]})


@pytest.mark.parametrize(
    "wire",
    [
        None, 7, [], [[]], [7], [[0]], [[1, 2]], [[1], [0, 1, 1, 1, 1]], [[1], [0, 1, 1, 1, 1, -1]],
        [[1], [0, 1, 1, 1, 1, 1 << 64]], [[1], [3_600, 1, 1, 1, 1, 1]], [[1], [0, 1, 1, 1, 1, 0.5]],
    ],
)  # fmt: skip
def test_a_timeline_that_is_wrong(wire: object) -> None:
    """It is refused; a file from before there was one is read as it was."""
    assert SavedRun.from_wire(RIGHT).timeline is None
    right = SavedRun.from_wire(RIGHT | {"timeline": [[1], [0, 2, 1, 1, 3_000, 2_000]]})
    assert right.timeline is not None
    assert [one.requests for one in right.timeline] == [2]
    with pytest.raises(ValueError, match=r"^timeline: "):
        SavedRun.from_wire(RIGHT | {"timeline": wire})
