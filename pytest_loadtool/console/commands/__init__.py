"""The commands, in the order that help lists them."""

from __future__ import annotations

from pytest_loadtool.console.commands.case import show, show_errors, show_fidelity, tree
from pytest_loadtool.console.commands.configure import (
    application_state,
    configure,
    explain,
    undo_decision,
)
from pytest_loadtool.console.commands.dataset_values import (
    dataset_add_column,
    dataset_add_row,
    dataset_fill,
    dataset_set,
)
from pytest_loadtool.console.commands.datasets import (
    dataset_import,
    dataset_new,
    dataset_properties,
    dataset_remove,
    dataset_rename,
    dataset_reset,
    dataset_show,
    datasets,
)
from pytest_loadtool.console.commands.edit import (
    delete,
    mark_dangerous,
    redo,
    strip,
    undo,
    unique,
)
from pytest_loadtool.console.commands.fields import fields, set_field
from pytest_loadtool.console.commands.files import import_, import_page, save
from pytest_loadtool.console.commands.general import help_, quit_
from pytest_loadtool.console.commands.load import create_load_configuration, start
from pytest_loadtool.console.commands.outside import run, wait
from pytest_loadtool.console.commands.properties import (
    properties,
    test_case_configuration,
    user_identity,
)
from pytest_loadtool.console.commands.record import record, stop
from pytest_loadtool.console.commands.regroup import preferences, regroup
from pytest_loadtool.console.commands.replay import play
from pytest_loadtool.console.commands.replays import replays, why
from pytest_loadtool.console.registry import registry

__all__ = ["COMMANDS"]

COMMANDS = registry(
    record, run, wait, stop, import_, import_page,
    tree, show, fields, set_field, show_errors, show_fidelity,
    strip, delete, regroup, unique, undo, redo,
    configure, application_state, explain, undo_decision, mark_dangerous,
    test_case_configuration, user_identity, properties,
    datasets, dataset_show, dataset_new, dataset_import, dataset_fill, dataset_set, dataset_add_row,
    dataset_add_column, dataset_properties, dataset_reset, dataset_rename, dataset_remove,
    play, replays, why,
    save, create_load_configuration, start, preferences, help_, quit_,
)  # fmt: skip
