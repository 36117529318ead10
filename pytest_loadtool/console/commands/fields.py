"""The Fields View: looking at the fields of a transaction, and editing them."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_loadtool.console.arguments import FieldName, TransactionName, VariableName
from pytest_loadtool.console.commands.dataset_files import declared
from pytest_loadtool.console.errors import CommandError, UsageError, as_usage
from pytest_loadtool.console.selection import transaction, transaction_index
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.transaction import table
from pytest_loadtool.editing.datasets import checked_columns, with_column
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.workflow.accounts import identity_fields
from pytest_loadtool.workflow.datasets import open_dataset
from pytest_loadtool.workflow.document import Document

if TYPE_CHECKING:
    from pytest_loadtool.correlation.requests.fields import Field


async def fields(session: Console, which: TransactionName, *, secrets: bool = False) -> None:
    """Fields View: list the fields of a transaction's request, each with its datasource and value.

    WHICH is its number in `tree`, or what it is: `fields POST /login`. The datasources are Constant
    value, Dataset, User variable, Extractor[N] (the N-th extractor of the test case) and Server
    authentication header. What application state management correlated has a gray background at a
    terminal. Of passwords, tokens and cookies only the beginning is shown; --secrets shows them as
    they are.

    Example: `fields POST /login`
    """
    document = session.opened()
    index = transaction_index(document, which)
    session.say(transaction(document, which).title)
    session.tell(table(_fields(document, index), secrets=secrets))


async def set_field(
    session: Console,
    which: TransactionName,
    field: FieldName,
    *,
    constant: str | None = None,
    dataset: str | None = None,
    variable: VariableName | None = None,
) -> None:
    """Edit a field of a transaction: give it another value or datasource.

    WHICH is its number in `tree`, or what it is (`POST /login`), FIELD the name that `fields`
    shows. One of: --constant, the new value (Text Constant), encoded as its place needs; --dataset,
    a column such as users.username: of a dataset that is not there you are asked whether it is to
    be made, with the present value in its first row; --variable, a user variable, which is made
    with the present value if there is none of that name.

    Example: `set-field 15 username --dataset users.username`
    """
    from pytest_loadtool.editing.bulk_edit import with_constant, with_reference

    if [constant, dataset, variable].count(None) != 2:
        raise UsageError("set-field needs one of --constant, --dataset and --variable")
    document = session.opened()
    index = transaction_index(document, which)
    one = _field(document, index, field)
    case = document.case
    try:
        if constant is not None:
            case = with_constant(case, index, one, constant)
        elif dataset is not None:
            known = await _with_dataset(session, one, dataset)
            case = with_reference(known, index, one, dataset)
        elif variable is not None:
            case = with_reference(_with_variable(case, variable, one), index, one, variable)
    except ValueError as error:
        raise CommandError(str(error)) from None
    session.document = replace(session.opened(), case=case)
    changed = _field(session.document, index, field)
    session.say(f"{changed.name}: {changed.datasource}, {BY_NAME.field(changed)}")


def _fields(document: Document, index: int) -> tuple[Field, ...]:
    from pytest_loadtool.correlation.requests.fields import fields_of

    one = list(document.case.transactions())[index]
    found = fields_of(document.case, index, document.evidence_of(one))
    return (*found, *identity_fields(document, one))


def _field(document: Document, index: int, name: str) -> Field:
    """The field of that name.

    Raises:
        UsageError: there is none; the text names the nearest.
    """
    by_name = {one.name: one for one in _fields(document, index)}
    if name in by_name:
        return by_name[name]
    near = difflib.get_close_matches(name, by_name, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"`fields {index + 1}` lists them"
    raise UsageError(f"transaction {index + 1} has no field {name!r}; {hint}")


async def _with_dataset(session: Console, field: Field, wanted: str) -> TestCase:
    """The open test case with the dataset that the column ``wanted`` is of. A person is asked
    whether one that is not there is to be made, with the field's value in its first row.

    Raises:
        UsageError: that is no column.
        FileError: it is not there, or cannot be read.
    """
    from pytest_loadtool.correlation.requests.fields import CONSTANT

    name, dot, column = wanted.partition(".")
    if not dot or not name or not column:
        raise UsageError(f"--dataset is DATASET.COLUMN, such as users.username, not {wanted!r}")
    case = session.opened().case
    use = next((one for one in case.datasets if one.name == name), DatasetUse(name, f"{name}.csv"))
    path = session.case_path.parent / use.file
    value = field.value if field.datasource == CONSTANT else ""
    if not path.exists():
        await session.agree(
            f"There is no {session.shown(path)}. Make it, with the present value in its first row?",
            f"{path}: no such file: `dataset new {name} {column}` makes one",
        )
        with as_usage():
            content = Dataset(checked_columns([column]), ((value,),))
    else:
        content = open_dataset(session.settings, session.case_path, use).content
        if column not in content.columns:
            columns = ", ".join(content.columns)
            await session.agree(
                f"{session.shown(path)} has {columns}. Add the column {column}, with the present "
                "value in each row?",
                f"{path}: no column {column!r}: it has {columns}; `dataset add-column {name} "
                f"{column}` adds it",
            )
            with as_usage():
                content = with_column(content, column, value)
        elif use in case.datasets:
            return case
        else:
            return replace(case, datasets=(*case.datasets, use))
    declared(session, use, content)
    return session.opened().case


def _with_variable(case: TestCase, name: str, field: Field) -> TestCase:
    """The test case with a variable of that name."""
    extracted = {extractor.variable for one in case.transactions() for extractor in one.extractors}
    if name in case.variables or name in extracted:
        return case
    from pytest_loadtool.correlation.requests.fields import CONSTANT

    if field.datasource != CONSTANT:
        known = ", ".join(sorted({*case.variables, *extracted})) or "none yet"
        raise UsageError(f"there is no variable {name!r}: {known}")
    variables = {**case.variables, name: Variable(name, value=field.value)}
    return replace(case, variables=variables)
