"""Transactions of a test case as commands of curl, their values as variables of the shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from pytest_loadtool.codec.curl import curl_command
from pytest_loadtool.codec.template import Template
from pytest_loadtool.editing.k6_script import Script
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.structure.uses import needed_by

#: What stands for a variable until the rest is quoted: in no text that was recorded.
_MARK = "\ue000{}\ue001"
_MARKED = re.compile("\ue000([A-Za-z0-9_]+)\ue001")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_JAR = ('--cookie "$jar"', '--cookie-jar "$jar"')


def curl_script(case: TestCase, transactions: Iterable[Transaction]) -> Script:
    """Return a script for any POSIX shell that sends these transactions of ``case``.

    Values go in as they are. What responses give is to be filled in: it is told where.
    """
    chosen = list(transactions)
    left: list[tuple[int, str]] = []
    used = {name for one in chosen for name in needed_by(case, one)} - {"server", "host"}
    lines = ["#!/bin/sh", "set -eu", f"server=${{SERVER:-{case.server}}}"]
    lines += ["host=${server#*://}", "jar=$(mktemp)", "trap 'rm -f \"$jar\"' EXIT"]
    for name in sorted(used):
        variable = case.variables.get(name)
        shell = _shell_name(name)
        if variable is not None and variable.value is not None:
            lines.append(f"{shell}={shlex.quote(variable.value)}")
        else:
            env = variable.env if variable is not None else None
            # What is no name to a shell may be a command to it.
            source = env if env and _NAME.fullmatch(env) else shell
            lines.append(f"{shell}=${{{source}:-}}")
    for one in chosen:
        lines += ["", f"# {' '.join(one.title.split())}", _command(case, one, left)]
        for extractor in one.extractors:
            if extractor.variable in used:
                shell = _shell_name(extractor.variable)
                lines.append(f"# {shell}='…'  # {extractor.source} of this response")
                left.append(
                    (one.line, f"{one.title}: ${{{extractor.variable}}} is to be filled in")
                )
    notes = [f"# Left out{f', line {line}' if line else ''}: {what}" for line, what in left]
    return Script("\n".join([lines[0], *notes, *lines[1:]]) + "\n", tuple(left))


def _command(case: TestCase, one: Transaction, left: list[tuple[int, str]]) -> str:
    request = one.request
    target = _marked(request.target)
    if not request.target.lower().startswith(("http:", "https:", "${server}")):
        target = _MARK.format("server") + target
    headers = tuple(
        (each.name, _marked(each.value))
        for each in case.wire_headers(request)
        if each.value is not None
    )
    body = request.body if isinstance(request.body, bytes) else _marked(request.body or "").encode()
    if isinstance(request.body, str) and any(
        each.file is not None for each in Template.parse(request.body).references
    ):
        left.append((one.line, f"{one.title}: the files in its body"))
    if one.flow:
        left.append((one.line, f"{one.title}: it stands in the flow {one.flow!r}"))
    command = curl_command(request.method, target, headers, body, proxied=_JAR, include=True)
    return _MARKED.sub(r"""'"$\1"'""", command)


def _marked(text: str) -> str:
    return Template.parse(text).filled(
        lambda one: "" if one.file is not None else _MARK.format(_shell_name(one.name))
    )


def _shell_name(name: str) -> str:
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
