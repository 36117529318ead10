"""The forms of the editor, by what keys call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pytest_loadtool.console.screens.actor_forms import actor_form, extractor_form, validator_form
from pytest_loadtool.console.screens.editor import Editor
from pytest_loadtool.console.screens.field_form import field_form
from pytest_loadtool.console.screens.form import Form

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
