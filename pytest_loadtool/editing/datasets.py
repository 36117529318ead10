"""Editing datasets: their values, and which fields of a test case take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from string import Formatter
from types import MappingProxyType
from typing import Any

from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.codec.template import Reference, rewritten
from pytest_loadtool.correlation.requests.fields import every_field
from pytest_loadtool.correlation.requests.parts import (
    header_sets,
    text_parts,
    with_header_sets,
    with_part,
)
from pytest_loadtool.model.case import Request, TestCase, Transaction
from pytest_loadtool.model.dataset import Dataset, is_column_name
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.extractor import source_texts, with_texts
from pytest_loadtool.model.validator import validator_texts, with_validator_texts
from pytest_loadtool.structure.uses import sent_texts, used_names

#: The pattern of plain numbers.
NUMBERS = "{}"


def generated(pattern: str, numbers: Iterable[int]) -> tuple[str, ...]:
    """Generate Values: each number in the pattern, ``user{:03}``; without braces, the same text.

    Raises:
        ValueError: the pattern is none.
    """
    try:
        fields = [one for one in Formatter().parse(pattern) if one[1] is not None]
        if any(name or conversion for _, name, _, conversion in fields):
            raise ValueError("there are only numbers to put in")
        return tuple(pattern.format(*[number] * len(fields)) for number in numbers)
    except (ValueError, IndexError, KeyError) as error:
        raise ValueError(
            f"{pattern!r} is no pattern: {error}; {{}} stands for the number, {{:03}} for one of "
            "three digits, as in 'user{:03}'"
        ) from None


def filled(dataset: Dataset, column: str, values: Sequence[str]) -> Dataset:
    """Return ``dataset`` with these values in a column, from the first row on. Where there are more
    values than rows, rows are added, empty but for these.

    Raises:
        ValueError: it has no such column.
    """
    at = column_index(dataset, column)
    missing = len(values) - len(dataset.rows)
    rows = [*map(list, dataset.rows), *([""] * len(dataset.columns) for _ in range(missing))]
    for row, value in zip(rows, values, strict=False):
        row[at] = value
    return replace(dataset, rows=tuple(map(tuple, rows)))


def with_row(dataset: Dataset, values: Sequence[str]) -> Dataset:
    """Return ``dataset`` with one more row.

    Raises:
        ValueError: these are not as many as it has columns.
    """
    if len(values) != len(dataset.columns):
        raise ValueError(
            f"expected {len(dataset.columns)} values ({', '.join(dataset.columns)}), "
            f"got {len(values)}"
        )
    return replace(dataset, rows=(*dataset.rows, tuple(values)))


def without_row(dataset: Dataset, number: int) -> Dataset:
    """Return ``dataset`` without a row, counted from 1.

    Raises:
        ValueError: there is no such row.
    """
    at = row_index(dataset, number)
    return replace(dataset, rows=dataset.rows[:at] + dataset.rows[at + 1 :])


def with_value(dataset: Dataset, number: int, column: str, value: str) -> Dataset:
    """Return ``dataset`` with another value in a row, counted from 1.

    Raises:
        ValueError: it has no such row or column.
    """
    index, at = row_index(dataset, number), column_index(dataset, column)
    row = dataset.rows[index]
    changed = (*row[:at], value, *row[at + 1 :])
    return replace(dataset, rows=(*dataset.rows[:index], changed, *dataset.rows[index + 1 :]))


def with_column(dataset: Dataset, column: str, value: str = "") -> Dataset:
    """Return ``dataset`` with one more column, of that value in each row.

    Raises:
        ValueError: it has that column, or a placeholder cannot name it.
    """
    columns = checked_columns((*dataset.columns, column))
    return Dataset(columns, tuple((*row, value) for row in dataset.rows))


def without_column(dataset: Dataset, column: str) -> Dataset:
    """Return ``dataset`` without a column.

    Raises:
        ValueError: it has no such column, or no other one.
    """
    at = column_index(dataset, column)
    if len(dataset.columns) == 1:
        raise ValueError(f"{column!r} is its only column")
    columns, *rows = (one[:at] + one[at + 1 :] for one in (dataset.columns, *dataset.rows))
    return Dataset(columns, tuple(rows))


def column_index(dataset: Dataset, column: str) -> int:
    """Return where a column stands.

    Raises:
        ValueError: there is none of that name; the text names the nearest.
    """
    if column not in dataset.columns:
        near = did_you_mean(column, dataset.columns) or f": it has {', '.join(dataset.columns)}"
        raise ValueError(f"no column {column!r}{near}")
    return dataset.columns.index(column)


def row_index(dataset: Dataset, number: int) -> int:
    """Return where the row of that number, counted from 1, stands.

    Raises:
        ValueError: there is no such row.
    """
    if not 1 <= number <= len(dataset.rows):
        known = f"rows 1 to {len(dataset.rows)}" if dataset.rows else "no rows yet"
        raise ValueError(f"no row {number}: it has {known}")
    return number - 1


def checked_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns, which placeholders can name, each once.

    Raises:
        ValueError: they are not so.
    """
    for at, column in enumerate(columns):
        if not is_column_name(column):
            raise ValueError(
                f"{column!r} is no name of a column: expected letters, digits, '_' and '-'"
            )
        if column in columns[:at]:
            raise ValueError(f"the column {column!r} stands twice")
    return tuple(columns)


def users_of(case: TestCase, name: str) -> Iterator[str]:
    """Yield what takes its value from the dataset ``name``, or from that column (``users.name``):
    ``5 POST /login: username``."""
    transactions = zip(case.transactions(), every_field(case), strict=True)
    for number, (one, fields) in enumerate(transactions, 1):
        extracting = [text for each in one.extractors for text in source_texts(each.source)]
        checked = [text for each in one.validators for text in validator_texts(each).values()]
        texts = [(field.name, [field.value]) for field in fields]
        sent = [what for what, found in texts if _uses(case, found, name)]
        if not sent and _uses(case, sent_texts(case, one.request), name):
            sent = ["its request"]
        texts = [("an extractor", extracting), ("a validator", checked)]
        for what in (*sent, *(what for what, found in texts if _uses(case, found, name))):
            yield f"{number} {one.title}: {what}"
    if any(_uses(case, one.templates, name) for one in case.identities):
        yield "the user identity"
    if case.proxy is not None and _uses(case, case.proxy.templates, name):
        yield "the proxy"


def _uses(case: TestCase, texts: Iterable[str], name: str) -> bool:
    """Return whether these texts, and what they are made of, take values of a dataset or column."""
    used = used_names(texts, case.variables)
    return name in used or any(Reference(one).dataset == name for one in used)


def renamed(case: TestCase, old: str, new: str) -> TestCase:
    """Return ``case`` with the dataset ``old`` called ``new``, in all that uses it; its file
    stays."""

    def written(text: str) -> str:
        return _with_names(text, lambda one: f"{new}.{one.name.partition('.')[2]}", old)

    sets = {name: _request(one, written) for name, one in header_sets(case).items()}
    case = with_header_sets(case, sets)
    case = with_transactions(case, (_transaction(one, written) for one in case.transactions()))
    return replace(
        case,
        datasets=tuple(replace(one, name=new) if one.name == old else one for one in case.datasets),
        variables=MappingProxyType(
            {
                name: replace(one, template=written(one.template)) if one.template else one
                for name, one in case.variables.items()
            }
        ),
        identities=tuple(_user(one, written) for one in case.identities),
        proxy=None if case.proxy is None else _user(case.proxy, written),
    )


def _with_names(text: str, named: Callable[[Reference], str], dataset: str) -> str:
    if f"${{{dataset}." not in text:
        return text
    return rewritten(
        text, lambda one: replace(one, name=named(one)) if one.dataset == dataset else one
    )


def _request(request: Request, written: Callable[[str], str]) -> Request:
    for part, text in tuple(text_parts(request)):
        changed = written(text)
        if changed != text:
            request = with_part(request, part, changed)
    return request


def _transaction(transaction: Transaction, written: Callable[[str], str]) -> Transaction:
    return replace(
        transaction,
        request=_request(transaction.request, written),
        extractors=tuple(
            replace(one, source=with_texts(one.source, written)) for one in transaction.extractors
        ),
        validators=tuple(with_validator_texts(one, written) for one in transaction.validators),
    )


def _user(one: Any, written: Callable[[str], str]) -> Any:
    username, password, domain = map(written, one.templates)
    return replace(one, username=username, password=password, domain=domain)
