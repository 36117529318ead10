"""Datasets: named columns of values that virtual users take rows from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

#: What a placeholder can name. Other first lines are of files that are no datasets, and may be
#: secrets: they are not shown.
_NAME = re.compile(r"[A-Za-z0-9_-]+")

Lifespan = Literal["virtual user", "test case"]
Order = Literal["sequential", "random"]


@dataclass(frozen=True, slots=True)
class DatasetUse:
    """The use of a dataset file by a test case.

    * ``lifespan``: a virtual user keeps its row for its whole life, or takes one per iteration.
    * ``reusable``: after the last row the first comes again; otherwise running out is an error.
    * ``sharable``: two virtual users may hold the same row at once.
    * ``order``: rows come as the file has them, or shuffled, in each run in the same way.
    """

    name: str
    file: str
    lifespan: Lifespan = "test case"
    reusable: bool = True
    sharable: bool = True
    order: Order = "sequential"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset's content: column names and rows of text, each as wide as ``columns``."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)  # they may hold passwords


def is_column_name(text: str) -> bool:
    """Return whether a placeholder can name a column that is called so."""
    return _NAME.fullmatch(text) is not None


def shown_columns(columns: Iterable[str]) -> str:
    """Return the columns as errors list them: those that a placeholder can name."""
    names = [one for one in columns if is_column_name(one)]
    return ", ".join(names) or "none that a placeholder can name"
