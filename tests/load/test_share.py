"""Shares: who does what is computed from numbers alone, and adds up to the whole."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.errors import ReplayError
from pytest_loadtool.load import Share, case_of, preflight, row_of
from pytest_loadtool.load.cluster.share import rows_for
from pytest_loadtool.model.dataset import DatasetUse, Lifespan, Order

weights = st.lists(st.integers(1, 9), min_size=1, max_size=5)
SCARCE = DatasetUse("users", "users.csv", lifespan="virtual user", sharable=False)


@given(st.integers(0, 500), st.integers(1, 40))
def test_shares_are_the_whole(total: int, count: int) -> None:
    """Each user belongs to exactly one share, and shares differ by one user at most."""
    shares = [Share(index, count).users(total) for index in range(count)]
    assert sorted(user for share in shares for user in share) == list(range(total))
    sizes = [len(share) for share in shares]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("count", "seconds"), [(1, 1), (128, 1), (129, 2), (256, 2), (257, 4), (1000, 8)]
)
def test_many_workers_report_rarely(count: int, seconds: int) -> None:
    """So that there are 128 reports a second at most."""
    assert Share(0, count).report_length == seconds


@pytest.mark.parametrize(("index", "count"), [(2, 2), (-1, 2), (0, 0)])
def test_impossible_shares(index: int, count: int) -> None:
    """A share that does not exist cannot be made."""
    with pytest.raises(ValueError, match="no share"):
        Share(index, count)


@given(weights, st.integers(0, 50))
def test_weights_are_kept_exactly(given_weights: list[int], group: int) -> None:
    """Of each group of sum(weights) users, exactly as many run a case as its weight says."""
    size = sum(given_weights)
    users = range(group * size, (group + 1) * size)
    dealt = Counter(case_of(user, given_weights) for user in users)
    assert dealt == dict(enumerate(given_weights))


def test_cases_are_spread_from_the_start() -> None:
    """Already a few users run a mixture: no case waits until another has its number."""
    assert [case_of(user, [3, 1]) for user in range(4)].count(1) == 1
    assert {case_of(user, [5, 3, 2]) for user in range(4)} == {0, 1, 2}


@pytest.mark.parametrize("workers", range(2, 17))
@pytest.mark.parametrize("mix", [(1, 1), (3, 1), (2, 1), (1, 1, 1), (5, 3, 2)])
def test_no_worker_gets_one_case_only(mix: tuple[int, ...], workers: int) -> None:
    """Dealing users to workers by turns does not deal cases to workers: each gets a mixture."""
    for index in range(workers):
        users = Share(index, workers).users(workers * 60)
        dealt = Counter(case_of(user, mix) for user in users)
        for case, weight in enumerate(mix):
            wanted = weight / sum(mix)
            assert wanted / 4 < dealt[case] / len(users) < wanted * 2.25


lifespans = st.sampled_from(["virtual user", "test case"])


@given(lifespans, st.booleans(), st.integers(1, 30), st.integers(0, 60), st.integers(0, 40))
def test_no_two_users_hold_a_row(
    lifespan: Lifespan, reusable: bool, users: int, extra: int, iterations: int
) -> None:
    """Not sharable: no row is ever held by two users, whatever iterations they are in."""
    use = DatasetUse("d", "d.csv", lifespan, reusable=reusable, sharable=False)
    rows = users + extra
    held = [
        {row_of(use, rows, user, users, n) for n in range(iterations + 1)} - {None}
        for user in range(users)
    ]
    assert sum(len(rows_of_user) for rows_of_user in held) == len(set().union(*held))
    assert all(row in range(rows) for rows_of_user in held for row in rows_of_user)


@given(st.integers(1, 30), st.integers(1, 60), st.integers(0, 5))
def test_rows_that_are_not_reusable_are_used_once(users: int, rows: int, more: int) -> None:
    """Not reusable: every row comes exactly once, then there is none."""
    use = DatasetUse("d", "d.csv", reusable=False)
    rounds = -(-rows // users) + more
    taken = [row_of(use, rows, user, users, n) for n in range(rounds) for user in range(users)]
    assert taken[:rows] == list(range(rows))
    assert set(taken[rows:]) <= {None}


def test_a_row_for_life() -> None:
    """A user that keeps its row for life has the row of its number in every iteration."""
    assert {row_of(SCARCE, 5, 3, 5, n) for n in range(10)} == {3}


def test_sharable_rows_come_again() -> None:
    """Sharable and reusable: after the last row the first one follows, so all are used equally."""
    use = DatasetUse("d", "d.csv")
    assert [row_of(use, 3, user, 2, n) for n in range(3) for user in range(2)] == [0, 1, 2, 0, 1, 2]


@given(st.integers(1, 9), st.integers(1, 40))
def test_random_rows_are_those_of_a_shuffled_file(users: int, rows: int) -> None:
    """Each comes once before any comes again, in each run and for each user in the same order;
    another dataset has another one."""
    use = DatasetUse("d", "d.csv", order="random")
    every = [row_of(use, rows, n % users, users, n // users) for n in range(2 * rows)]
    assert {*every[:rows]} == {*range(rows)}
    assert every[rows:] == every[:rows]
    assert every == [row_of(use, rows, n % users, users, n // users) for n in range(2 * rows)]


def test_random_order_is_none_of_the_file() -> None:
    """Nor that of another dataset, but the same in each process."""
    first, second = (
        [row_of(DatasetUse(name, "d.csv", order="random"), 8, user, 8, 0) for user in range(8)]
        for name in ("users", "orders")
    )
    assert first == [2, 3, 7, 4, 6, 5, 0, 1]
    assert second != first


def test_own_rows_come_again() -> None:
    """Reusable, not sharable: a user goes round its own rows."""
    use = DatasetUse("d", "d.csv", sharable=False)
    assert [row_of(use, 5, 0, 2, n) for n in range(5)] == [0, 2, 4, 0, 2]
    assert [row_of(use, 5, 1, 2, n) for n in range(4)] == [1, 3, 1, 3]


@pytest.mark.parametrize(
    ("use", "rows", "users", "parts"),
    [
        (SCARCE, 3, 20, ["'users' (users.csv)", "3 rows for 20 users", "add 17 more", "sharable"]),
        (DatasetUse("d", "d.csv", reusable=False), 1, 2, ["1 row for 2 users", "reusable = true"]),
        (DatasetUse("d", "d.csv"), 0, 1, ["has no rows"]),
    ],
)
def test_preflight_refuses(use: DatasetUse, rows: int, users: int, parts: list[str]) -> None:
    """Too few rows are told before the start: which dataset, how many, and what to do."""
    with pytest.raises(ReplayError) as caught:
        preflight(use, rows, users)
    for part in parts:
        assert part in str(caught.value)


ONCE = DatasetUse("d", "d.csv", reusable=False)


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        (11, ["11 rows for 4 users with 3 iterations each", "add 1 more, lower users to 3, or"]),
        (2, ["used twice", "add 10 more, or set reusable = true"]),
    ],
)
def test_preflight_knows_how_many_iterations_there_will_be(rows: int, parts: list[str]) -> None:
    """Rows that are used once must do for all iterations, as far as their number is known."""
    with pytest.raises(ReplayError) as caught:
        preflight(ONCE, rows, users=4, iterations=3)
    for part in parts:
        assert part in str(caught.value)
    preflight(ONCE, 12, users=4, iterations=3)
    assert all(row_of(ONCE, 12, user, 4, n) is not None for user in range(4) for n in range(3))
    preflight(DatasetUse("d", "d.csv", "virtual user", reusable=False), 4, users=4, iterations=3)


@pytest.mark.parametrize(
    ("use", "rows", "users"),
    [
        (SCARCE, 20, 20),
        (DatasetUse("d", "d.csv"), 1, 1000),
        (DatasetUse("d", "d", "test case"), 5, 5),
    ],
)
def test_preflight_accepts(use: DatasetUse, rows: int, users: int) -> None:
    """Enough rows, or rows that may be shared, are no obstacle."""
    preflight(use, rows, users)
    assert all(row_of(use, rows, user, users, 0) is not None for user in range(users))


@given(st.integers(0, 500), st.lists(st.integers(1, 8), min_size=1, max_size=6))
def test_shares_by_weight_are_the_whole(total: int, capacity: list[int]) -> None:
    """Each user, and each arrival, belongs to one share, which has as many as its weight says."""
    shares = [Share(index, len(capacity), tuple(capacity)) for index in range(len(capacity))]
    dealt = [share.users(total) for share in shares]
    assert sorted(user for users in dealt for user in users) == list(range(total))
    for weight, users in zip(capacity, dealt, strict=True):
        assert abs(len(users) - total * weight / sum(capacity)) < len(capacity)


@given(
    st.sampled_from(get_args(Lifespan)),
    st.booleans(),
    st.booleans(),
    st.sampled_from(get_args(Order)),
    st.integers(0, 40),
    st.integers(1, 12),
    st.sampled_from([None, 1, 3]),
)
def test_rows_of_a_share_are_all_that_its_users_hold(
    lifespan: Lifespan,
    reusable: bool,
    sharable: bool,
    order: Order,
    rows: int,
    users: int,
    iterations: int | None,
) -> None:
    """And where it is told which, those are no more than its part."""
    use = DatasetUse("users", "users.csv", lifespan, reusable, sharable, order)
    for share in (Share(0, 2), Share(1, 3), Share(1, 2, (2, 1))):
        own = share.users(users)
        told = rows_for(use, rows, own, users, iterations)
        held = {
            row_of(use, rows, user, users, step) for user in own for step in range(iterations or 9)
        }
        assert told is None or held - {None} <= told
        assert told is None or len(told) <= len(own) * -(-rows // users)
    if lifespan == "virtual user" and rows >= users:
        assert rows_for(use, rows, range(1), users, None) is not None
