"""Which rules of application state management count for the open test case."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.casefile import case_rules
from pytest_loadtool.console.session import Session
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.rule import Rule


def rules_of(session: Session, case: TestCase) -> tuple[Rule, ...]:
    """The test case's rules, then the project's, then the package's.

    Raises:
        FileError: something is wrong with one of the files.
    """
    return case_rules(
        case, session.case_path, project=session.settings.rules, trust=session.settings.trust
    )


def with_rules(case: TestCase, case_path: Path, file: Path) -> TestCase:
    """The test case with one more file of rules, which come before those it has."""
    name = Path(os.path.relpath(file.absolute(), case_path.parent)).as_posix()
    others = (one for one in case.asm.rules if one != name)
    return replace(case, asm=replace(case.asm, rules=(name, *others)))
