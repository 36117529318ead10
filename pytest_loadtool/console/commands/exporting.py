"""The test case for other tools."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.casefile.files import replace_file
from pytest_loadtool.console.arguments import ExportKind, SelectionWord
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.selection import select
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.line import UNBROKEN, ViewLine
from pytest_loadtool.workflow.exporting import KINDS, exported
from pytest_loadtool.workflow.files import write_private_text


async def export(
    session: Console,
    kind: ExportKind,
    *selected: SelectionWord,
    file: Path | None = None,
    secrets: bool = False,
) -> None:
    """Write the test case, or some of it, for another tool: as a script of k6, or curl commands.

    KIND is `k6` or `curl`, SELECTED transactions and pages as for `delete`; without them it is all.
    Variables stay variables. Passwords, tokens and credentials become variables of the environment,
    and columns of datasets that are called so are left empty; --secrets writes them as they are.
    What the tool cannot say is listed with its line in the test case, and at the top of the script.
    That is shown; --file writes it into a file.

    Example: `export k6 --file shop.k6.js`
    """
    if kind not in KINDS:
        raise UsageError(f"KIND is one of {', '.join(KINDS)}, not {kind!r}")
    document = session.opened()
    every = range(len(list(document.case.transactions())))
    chosen = select(document, selected).transactions if selected else every
    script = exported(
        session.settings, session.case_path, document.case, kind, set(chosen), secrets=secrets
    )
    if file is None:
        session.tell(ViewLine((line, ""), hanging=UNBROKEN) for line in script.text.split("\n"))
        return
    path = session.settings.directory / file
    if secrets:
        write_private_text(path, script.text)
    else:
        replace_file(path, script.text.encode())
    session.say(f"Wrote {session.shown(path)}.")
    for line, what in script.left:
        session.say(f"  left out{f', line {line}' if line else ''}: {what}")
