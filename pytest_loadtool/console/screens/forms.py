"""The forms of the editor, by what keys call them.

It also has the form for a field: one of the five datasources.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pytest_loadtool.console.screens.actor_forms import actor_form, extractor_form, validator_form
from pytest_loadtool.console.screens.editor import Editor
from pytest_loadtool.console.screens.field_rows import sent_name
from pytest_loadtool.console.screens.form import Blank, CheckBox, Form, Part, Radio, form_of
from pytest_loadtool.correlation.requests.fields import (
    CONSTANT,
    DATASET,
    SERVER_AUTHENTICATION,
    USER_VARIABLE,
)
from pytest_loadtool.masking.text import BY_NAME

#: Other transactions with the same value that are named.
_SHOWN_USES = 9


def field_form(editor: Editor, columns: Sequence[str], wanted: str = "") -> Form | None:
    """Return what edits the field at the cursor; ``columns`` are those of datasets, ``wanted`` is
    the datasource that is chosen at first, by default the one it has."""
    row = editor.field
    if row is None:
        return None
    field, document = row.field, editor.tree.document
    secret = BY_NAME.field(field) != field.value
    name = sent_name(field.value)
    constant = field.value if field.datasource == CONSTANT and not secret else ""
    extracted = [
        one.variable
        for each in list(document.case.transactions())[: row.number - 1]
        for one in each.extractors
    ]
    known = tuple(one for one in document.case.variables if one not in extracted)
    now = {
        CONSTANT: "constant",
        DATASET: "dataset",
        USER_VARIABLE: "variable",
        SERVER_AUTHENTICATION: "server authentication",
    }.get(field.datasource, "extractor")
    rows: list[tuple[Part, ...]] = [
        (Radio("source", "constant", "Constant value"), Blank("constant", secret=secret)),
        (Radio("source", "dataset", "Dataset"), Blank("dataset", choices=tuple(columns))),
        (Radio("source", "variable", "User variable"), Blank("variable", choices=known)),
        (Radio("source", "extractor", "Extractor"), Blank("extractor", choices=tuple(extracted))),
        (Radio("source", "server authentication", "Server authentication header"),),
    ]
    if row.others and field.slot is not None:
        shown = ", ".join(map(str, row.also(_SHOWN_USES)))
        shown += ", …" if row.others > _SHOWN_USES else ""
        rows.append((CheckBox("all", f"same value in {row.others} more ({shown}): change all"),))
    values = {"source": wanted or now, "constant": constant, now: name or constant}

    def line(values: Mapping[str, str]) -> str:
        chosen = values["source"]
        text = values.get(chosen, "")
        given = (
            f"--{chosen} {shlex.quote(text)}"
            if chosen in _VALUED
            else f"--{chosen.replace(' ', '-')}"
        )
        every = " --all" if values.get("all") else ""
        return f"set-field {row.number} {shlex.quote(field.name)} {given}{every}"

    sender = list(document.case.transactions())[row.number - 1]
    title = f"Edit {field.name} of {row.number} {sender.title}"
    return form_of(title, rows, values, line)


_VALUED = ("constant", "dataset", "variable", "extractor")


FORMS: Mapping[str, Callable[[Editor, Sequence[str]], Form | None]] = MappingProxyType(
    {
        "field": field_form,
        "field from a dataset": lambda editor, columns: field_form(editor, columns, "dataset"),
        "field from a variable": lambda editor, columns: field_form(editor, columns, "variable"),
        "extractor": lambda editor, _: extractor_form(editor),
        "validator": lambda editor, _: validator_form(editor),
        "actor": lambda editor, _: actor_form(editor),
    }
)
"""A function that gets the columns of datasets and makes the form; None where there is nothing to
fill in."""
