"""A test case that goes to another folder, with the files that it names where they were."""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.console.uploads import with_file_names
from pytest_loadtool.model.case import TestCase


def relocated(case: TestCase, old: Path, new: Path, unwritten: Container[str] = ()) -> TestCase:
    """``case``, whose files have names relative to the folder ``old``, with names for ``new``.
    Absolute names stay, and those of files that are ``unwritten``."""

    def named(file: str) -> str:
        if not file or Path(file).is_absolute():
            return file
        return Path(os.path.relpath(old / file, new)).as_posix()

    tls = case.tls
    return replace(
        with_file_names(case, lambda file: file if file in unwritten else named(file)),
        datasets=tuple(replace(one, file=named(one.file)) for one in case.datasets),
        asm=replace(case.asm, rules=tuple(map(named, case.asm.rules))),
        tls=replace(
            tls,
            ca=named(tls.ca),
            client_certificate=named(tls.client_certificate),
            client_key=named(tls.client_key),
        ),
    )
