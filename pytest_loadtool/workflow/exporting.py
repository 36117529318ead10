"""A test case for other tools: with its secrets as variables of the environment, or as they are."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from pytest_loadtool.codec.names import CREDENTIALS, is_secret
from pytest_loadtool.correlation.requests.fields import CONSTANT, fields_of
from pytest_loadtool.editing.curl_script import curl_script
from pytest_loadtool.editing.k6_script import Script, k6_script
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.model.editing import without
from pytest_loadtool.workflow.credentials import env_name, unused
from pytest_loadtool.workflow.datasets import open_dataset
from pytest_loadtool.workflow.fields import with_value
from pytest_loadtool.workflow.project import Project

#: What a test case can be written for.
KINDS = ("curl", "k6")


def exported(
    project: Project,
    case_path: Path,
    case: TestCase,
    kind: str,
    chosen: Collection[int],
    *,
    secrets: bool,
) -> Script:
    """Return the script of these transactions of ``case``; secrets in it only if that is asked for.

    Raises:
        FileError: a dataset cannot be read.
    """
    if not secrets:
        case = without_secrets(case, case_path)
    every = list(case.transactions())
    if kind == "curl":
        return curl_script(case, [every[at] for at in sorted(chosen)])
    left_out = {at for at in range(len(every)) if at not in chosen}
    rows = {
        use.name: _rows(project, case_path, case, use.name, secrets=secrets)
        for use in case.datasets
    }
    return k6_script(without(case, left_out), rows)


def without_secrets(case: TestCase, case_path: Path) -> TestCase:
    """Return ``case`` with variables of the environment in place of passwords, tokens and
    credentials that stand in it."""
    variables: dict[str, Variable] = {
        name: Variable(name, env=env_name(case_path, name))
        if is_secret(name) and one.value is not None
        else one
        for name, one in case.variables.items()
    }
    names: dict[tuple[str, str], str] = {}
    for index in range(len(list(case.transactions()))):
        # One at a time, the last first: what is written moves what stands behind it.
        for at in reversed(range(len(fields_of(case, index)))):
            one = fields_of(case, index)[at]
            key = (one.wire_name, one.value)
            hidden = is_secret(one.wire_name) or one.wire_name.lower() in CREDENTIALS
            if not hidden or one.datasource != CONSTANT or one.slot is None or not one.value:
                continue
            if key not in names:
                plain = re.sub(r"\W+", "_", one.wire_name, flags=re.ASCII).strip("_") or "secret"
                names[key] = unused(plain, [*variables, *names.values()])
            case = with_value(case, [(index, one)], constant=None, name=names[key])
    variables |= {one: Variable(one, env=env_name(case_path, one)) for one in names.values()}
    return replace(case, variables=MappingProxyType(variables))


def _rows(
    project: Project, case_path: Path, case: TestCase, name: str, *, secrets: bool
) -> Sequence[Mapping[str, str]]:
    use = next(one for one in case.datasets if one.name == name)
    content = open_dataset(project, case_path, use).content
    return [
        {
            column: value if secrets or not is_secret(column) else ""
            for column, value in zip(content.columns, row, strict=True)
        }
        for row in content.rows
    ]
