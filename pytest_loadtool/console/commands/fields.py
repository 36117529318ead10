"""The Fields View: looking at fields, and editing them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.console.arguments import (
    DatasetColumn,
    ExtractorName,
    FieldName,
    SelectionWord,
    TransactionName,
    VariableName,
)
from pytest_loadtool.console.commands.dataset_files import declared
from pytest_loadtool.console.errors import CommandError, UsageError, as_usage
from pytest_loadtool.console.replays import selected_by
from pytest_loadtool.console.selection import (
    NO_FILTERS,
    Filters,
    transaction_index,
)
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.fields import masked_value, table
from pytest_loadtool.editing.datasets import checked_columns, with_column
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.workflow.accounts import identity_fields
from pytest_loadtool.workflow.datasets import dataset_file, open_dataset
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.errors import CaseError
from pytest_loadtool.workflow.telling import counted

if TYPE_CHECKING:
    from pytest_loadtool.correlation.requests.fields import Field


#: Transactions that are named before the rest is only counted.
_TOLD = 8
#: Rows of a dataset that a preview shows the values of.
_ROWS_TOLD = 3


async def fields(
    session: Console,
    *selected: SelectionWord,
    filter: str = "",  # noqa: A002  the option is called so
    secrets: bool = False,
    filters: Filters = NO_FILTERS,
) -> None:
    """Fields View: list fields, each with its datasource, its value and who else sends that.

    SELECTED is a transaction (`15`, `POST /login`), several, a page (`P3`) or `all`. --filter is a
    regular expression: only fields whose name, datasource or value has it. --page, --kind, --host,
    --status and --failed are as for `delete`. The datasources are Constant value, Dataset, User
    variable, Extractor[N] (the N-th extractor of the test case) and Server authentication header.
    What application state management correlated has a # and a gray background, what a person edited
    a + and is green. Of passwords, tokens and cookies only the beginning is shown; --secrets shows
    them as they are.

    Example: `fields all --filter token`
    """
    from pytest_loadtool.workflow.fields import shown_fields

    document = session.opened()
    if not selected and filters == NO_FILTERS:
        raise UsageError("fields of what? A transaction (15, POST /login), a page (P3) or `all`")
    chosen = selected_by(session, selected, filters).transactions
    try:
        found = shown_fields(document, chosen, filter)
    except ValueError as error:
        raise UsageError(f"--filter: {error}") from None
    if len(chosen) == 1:
        session.say(list(document.case.transactions())[chosen[0]].title)
    lines = list(table(found, secrets=secrets, width=session.width))
    await session.page(lines or ["No field is like that."])


async def set_field(
    session: Console,
    which: TransactionName,
    field: FieldName,
    *,
    constant: str | None = None,
    dataset: DatasetColumn | None = None,
    variable: VariableName | None = None,
    extractor: ExtractorName | None = None,
    server_authentication: bool = False,
    all: bool = False,  # noqa: A002  the option is called so
    new: bool = False,
    preview: bool = False,
) -> None:
    """Edit a field of a transaction: give it another value or datasource.

    WHICH is its number in `tree`, or what it is (`POST /login`), FIELD the name that `fields`
    shows. One of: --constant is the new value (Text Constant), encoded as its place needs;
    --dataset is a column such as users.username, which is made if you agree, with the present value
    in its first row, where it is not there; --new makes it unasked; --variable is a user variable,
    which is made with the present value if there is none of that name; --extractor is what takes
    the value from an earlier response, by its number (3, Extractor[3]) or its variable;
    --server-authentication leaves it to the virtual user, who keeps Authorization and cookies.
    --all changes all fields with the same value. --preview only shows what is sent then.

    Example: `set-field POST /login username --dataset users.username`
    """
    from pytest_loadtool.workflow import fields as editing

    given = (constant, dataset, variable, extractor, server_authentication or None)
    if len(given) - given.count(None) != 1:
        raise UsageError(
            "set-field needs one of --constant, --dataset, --variable, --extractor and "
            "--server-authentication"
        )
    document = session.opened()
    index = transaction_index(document, which)
    one = field_called(document, index, field)
    case, name = document.case, dataset or variable or ""
    alone = [(index, one)]
    targets = list(editing.same_value(case, one)) if all and not server_authentication else alone
    try:
        if server_authentication:
            case = editing.left_to_the_user(case, index, one)
        else:
            if dataset is not None and preview:
                session.tell(_column_in_words(session, dataset))
            elif dataset is not None:
                case = await _with_dataset(session, one, dataset, new=new)
            elif variable is not None:
                case = editing.with_variable(case, variable, one)
            elif extractor is not None:
                name = editing.extracted_variable(case, extractor, min(at for at, _ in targets))
            case = editing.with_value(case, targets or alone, constant=constant, name=name)
    except (ValueError, CaseError) as error:
        raise CommandError(str(error)) from None
    document_now = replace(session.opened(), case=case)
    changed = next((each for each in _fields(document_now, index) if each.name == field), one)
    if not preview:
        session.document = document_now
    session.say(f"{changed.name}: {changed.datasource}, {masked_value(changed)}")
    if variable is not None:
        _tell_made(session, document.case, variable)
    if all:
        numbers = [str(at + 1) for at in sorted({at for at, _ in targets})]
        more = f" and {len(numbers) - _TOLD} more" if len(numbers) > _TOLD else ""
        count = counted(len(targets), "field")
        session.say(f"  {count} changed, in {', '.join(numbers[:_TOLD])}{more}")


def _fields(document: Document, index: int) -> tuple[Field, ...]:
    from pytest_loadtool.correlation.requests.fields import fields_of

    one = list(document.case.transactions())[index]
    found = fields_of(document.case, index, document.evidence_of(one), empty=True)
    return (*found, *identity_fields(document, one))


def field_called(document: Document, index: int, name: str) -> Field:
    """Return the field of that name.

    Raises:
        UsageError: there is none; the text names the nearest.
    """
    by_name = {one.name: one for one in _fields(document, index)}
    if name in by_name:
        return by_name[name]
    near = did_you_mean(name, by_name).removeprefix(": ")
    hint = near or f"`fields {index + 1}` lists them"
    raise UsageError(f"transaction {index + 1} has no field {name!r}; {hint}")


async def _with_dataset(session: Console, field: Field, wanted: str, *, new: bool) -> TestCase:
    """Return the open test case with the dataset that the column ``wanted`` is of. One that is not
    there is made, with the field's value in its first row, if it is to be ``new`` or somebody
    agrees.

    Raises:
        UsageError: that is no column.
        FileError: it is not there, or cannot be read.
    """
    from pytest_loadtool.correlation.requests.fields import CONSTANT

    case = session.opened().case
    use, column = _column(session, wanted)
    name, path = use.name, session.case_path.parent / use.file
    value = field.value if field.datasource == CONSTANT else ""
    if not path.exists():
        with as_usage():
            header = checked_columns([column])
        if not new:
            await session.agree(
                f"There is no {session.shown(path)}. Make it, with the present value in its first "
                "row?",
                f"{path}: no such file: give --new, or make one with `dataset new {name} {column}`",
                "--new",
            )
        content = Dataset(header, ((value,),))
    else:
        content = open_dataset(session.settings, session.case_path, use).content
        if column not in content.columns:
            columns = ", ".join(content.columns)
            if not new:
                await session.agree(
                    f"{session.shown(path)} has {columns}. Add the column {column}, with the "
                    "present value in each row?",
                    f"{path}: no column {column!r}: it has {columns}; --new adds it",
                    "--new",
                )
            with as_usage():
                content = with_column(content, column, value)
        elif use in case.datasets:
            return case
        else:
            return replace(case, datasets=(*case.datasets, use))
    declared(session, use, content)
    return session.opened().case


def _column(session: Console, wanted: str) -> tuple[DatasetUse, str]:
    """Return a dataset of the test case, or one that it may have, and the column.

    Raises:
        UsageError: that is no column.
    """
    name, dot, column = wanted.partition(".")
    if not dot or not name or not column:
        raise UsageError(f"--dataset is DATASET.COLUMN, such as users.username, not {wanted!r}")
    known = (one for one in session.opened().case.datasets if one.name == name)
    return next(known, DatasetUse(name, dataset_file(session.case_path, name))), column


def _column_in_words(session: Console, wanted: str) -> Iterator[str]:
    """Yield what the first users have in a column, or that it will be made."""
    use, column = _column(session, wanted)
    if not (session.case_path.parent / use.file).exists():
        yield f"  {use.file} is not there: it is made, with the present value in its first row"
        return
    content = open_dataset(session.settings, session.case_path, use).content
    if column not in content.columns:
        yield f"  {use.file} has {', '.join(content.columns)}: {column} is added to it"
        return
    at = content.columns.index(column)
    hide = is_secret(column)
    rows = [(number, row[at]) for number, row in enumerate(content.rows[:_ROWS_TOLD], 1)]
    told = ", ".join(f"row {number}: {'*' * 8 if hide else value}" for number, value in rows)
    more = f" … of {counted(len(content.rows), 'row')}" if len(content.rows) > _ROWS_TOLD else ""
    yield f"  {told or 'it has no rows yet'}{more}"


def _tell_made(session: Console, before: TestCase, name: str) -> None:
    """Say that a variable was made, for a slip would have made one, too."""
    from pytest_loadtool.correlation.writing.revert import names_in_use

    known = names_in_use(before)
    if name not in known:
        near = did_you_mean(name, known)
        session.say(f"  {name} is a new variable, with the value that was there{near}")
