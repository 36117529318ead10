"""Text in the person's own editor."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import tempfile
from pathlib import Path

from pytest_loadtool.console.environment import ended, finished
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.errors import FileError
from pytest_loadtool.workflow.changed_outside import text_of
from pytest_loadtool.workflow.files import write_private_text

#: Editors that are looked for where neither VISUAL nor EDITOR says which.
_EDITORS = ("editor", "nano", "vim", "vi")


async def edited(text: str, name: str) -> str:
    """Return what the person makes of ``text``, in a file of that name which is gone afterwards.

    Raises:
        CommandError: there is no editor, it failed, or what it has left is no text.
    """
    with tempfile.TemporaryDirectory(prefix="loadtool-") as folder:
        draft = Path(folder) / name
        write_private_text(draft, text)
        await in_editor(draft, Path(folder))
        try:
            return text_of(draft) or ""
        except FileError as error:
            raise CommandError(f"{error.message}: nothing was changed") from None


async def in_editor(draft: Path, folder: Path) -> None:
    """Have a person edit a file, to the editor's end. It has the terminal, and runs in ``folder``.

    Raises:
        CommandError: there is no editor, or it failed.
    """
    chosen = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    editor = chosen or next((one for one in _EDITORS if shutil.which(one)), "")
    if not editor:
        raise CommandError("no editor is known: set EDITOR to one, such as EDITOR=nano")
    words = shlex.split(editor)
    try:
        process = await asyncio.create_subprocess_exec(*words, str(draft), cwd=folder)
    except OSError as error:
        raise CommandError(f"the editor {words[0]} cannot be started: {error.strerror}") from None
    status = await finished(process)
    if status:
        raise CommandError(f"the editor {words[0]} {ended(status)}: nothing was changed")
