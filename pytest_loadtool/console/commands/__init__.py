"""The commands by groups, in the order that help lists them."""

from __future__ import annotations

from pytest_loadtool.console.commands.actors import extractors, validators
from pytest_loadtool.console.commands.calls import call
from pytest_loadtool.console.commands.case import (
    collapse,
    expand,
    show,
    show_errors,
    show_fidelity,
    tree,
)
from pytest_loadtool.console.commands.case_file import edit_, reload, schemas
from pytest_loadtool.console.commands.configure import (
    application_state,
    configure,
    explain,
    undo_decision,
)
from pytest_loadtool.console.commands.dataset_files import (
    dataset_properties,
    dataset_remove,
    dataset_rename,
    dataset_reset,
    dataset_show,
    datasets,
)
from pytest_loadtool.console.commands.dataset_sources import dataset_import, dataset_new
from pytest_loadtool.console.commands.dataset_values import (
    dataset_add_column,
    dataset_add_row,
    dataset_fill,
    dataset_set,
)
from pytest_loadtool.console.commands.edit import (
    delete,
    mark_dangerous,
    redo,
    restore,
    strip,
    undo,
    unique,
)
from pytest_loadtool.console.commands.exporting import export
from pytest_loadtool.console.commands.extracting import extract, move_extractor, remove_extractor
from pytest_loadtool.console.commands.fields import fields, set_field
from pytest_loadtool.console.commands.files import import_, import_page, save
from pytest_loadtool.console.commands.flows import flow
from pytest_loadtool.console.commands.general import clear, help_, log, quit_, shell, wizards
from pytest_loadtool.console.commands.inspection import curl, diff, open_, response, view
from pytest_loadtool.console.commands.load import load_trial, start
from pytest_loadtool.console.commands.load_configuration import (
    create_load_configuration,
    load,
    load_set,
)
from pytest_loadtool.console.commands.navigator import load_result, navigator, open_case
from pytest_loadtool.console.commands.outside import run, wait
from pytest_loadtool.console.commands.properties import (
    properties,
    test_case_configuration,
    user_identity,
)
from pytest_loadtool.console.commands.record import record, stop
from pytest_loadtool.console.commands.regroup import preferences, regroup
from pytest_loadtool.console.commands.replay import break_, breakpoints, play
from pytest_loadtool.console.commands.replays import replays, why
from pytest_loadtool.console.commands.simulating import dataset_simulate
from pytest_loadtool.console.commands.structure import (
    duplicate,
    merge,
    move,
    once,
    rename,
    split,
    think,
)
from pytest_loadtool.console.commands.validating import remove_validator, status, validate
from pytest_loadtool.console.commands.values import generate, search, trace, variable, variables
from pytest_loadtool.console.registry import registry

__all__ = ["COMMANDS"]

#: What other tools for testers call it, or a person does.
_ALIASES = {
    "?": "help",
    "exit": "quit",
    "q": "quit",
    "ls": "shell ls",
    "replay": "play",
    "replay-fast": "play --fast",
    "play-fast": "play --fast",
    "import-har": "import",
    "import-as-new-web-page": "import-page",
    "as-new-web-page": "import-page",
    "strip-static-resources": "strip",
    "delete-transaction": "delete",
    "delete-page": "delete",
    "configure-for-replay": "configure",
    "application-state-management": "application-state",
    "test-case-configuration-wizard": "test-case-configuration",
    "user-identity-wizard": "user-identity",
    "show-connection-negotiation-transactions": "properties --show-negotiation",
    "navigator-new-dataset": "dataset-new",
    "create-dataset": "dataset-new",
    "new-dataset": "dataset-new",
    "import-dataset": "dataset-import",
    "fill": "dataset-fill",
    "generate-values": "dataset-fill",
    "reset-dataset-state": "dataset-reset",
    "simulate": "dataset-simulate",
    "simulate-parameter": "dataset-simulate",
    "new-variable": "variable",
    "edit-field": "set-field",
    "add-validator": "validate",
    "add-extractor": "extract",
    "actors": "help actors",
    "test-case-editor": "view",
    "content": "show",
    "content-view": "show",
    "headers": "show",
    "headers-view": "show",
    "fields-view": "fields",
    "variables-tab": "variables",
    "errors": "show-errors",
    "errors-view": "show-errors",
    "load-configuration": "load",
    "start-load-test": "start",
    "think-time": "think",
    "breakpoint": "break",
    "compare": "diff",
    "find": "search",
    "where": "trace",
    "where-from": "trace",
    "where-to": "trace",
    "run-to": "play --to",
    "step": "play --step",
    "parameters": "datasets",
    "parameter-list": "datasets",
    "correlations": "explain",
    "correlation-studio": "explain",
    "snapshot": "response",
    "replay-summary": "replays",
    "runtime-settings": "load",
    "save-as": "save",
}

#: Groups in the order of a day's work, and the commands of each. A group says in `help` what
#: belongs together; a command is in one of them.
COMMANDS = registry(
    {
        "Record": (record, run, wait, stop, import_, import_page, preferences),
        "Look": (view, tree, collapse, expand, show, fields, show_errors, show_fidelity),
        "Edit": (
            *(set_field, variable, generate, restore, unique, strip, delete, rename, think, once),
            *(flow, call, move, merge, split, duplicate, regroup, undo, redo),
        ),
        "Actors": (
            *(validators, validate, status, remove_validator),
            *(extractors, extract, move_extractor, remove_extractor),
        ),
        "Configure": (
            *(configure, application_state, explain, undo_decision),
            *(mark_dangerous, properties),
        ),
        "Users": (wizards, test_case_configuration, user_identity),
        "Dataset": (
            *(datasets, dataset_show, dataset_new, dataset_import, dataset_fill, dataset_set),
            *(dataset_add_row, dataset_add_column, dataset_properties, dataset_simulate),
            *(dataset_reset, dataset_rename, dataset_remove),
        ),
        "Replay": (
            *(play, break_, breakpoints, replays, why),
            *(response, diff, variables, search, trace, curl, export, open_),
        ),
        "Load": (create_load_configuration, load, load_set, load_trial, start, load_result),
        "File": (
            navigator,
            open_case,
            save,
            reload,
            edit_,
            schemas,
            log,
            shell,
            clear,
            help_,
            quit_,
        ),
    },
    aliases=_ALIASES,
)
