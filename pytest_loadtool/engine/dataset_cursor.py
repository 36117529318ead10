"""Which dataset rows a virtual user takes: the load room's arithmetic, as replay asks for it."""

from __future__ import annotations

from pytest_loadtool.load.cluster.share import row_of
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.replay.user.user import Claim


def rows_of(user: int, users: int) -> Claim:
    """The claims of user number ``user`` (from 0) of ``users``."""

    def claim(use: DatasetUse, rows: int, iteration: int) -> int | None:
        return row_of(use, rows, user, users, iteration)

    return claim
