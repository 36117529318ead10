"""Text in the person's own editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from pytest_loadtool.console.errors import CommandError

#: Looked for where neither VISUAL nor EDITOR is set.
_EDITORS = ("nano", "vim", "vi")


def edited(text: str, name: str) -> str:
    """Return what the person makes of ``text``, in a file of that name which is gone afterwards.

    Blocks, and has the terminal meanwhile. Nobody else can read the file.

    Raises:
        CommandError: there is no editor, or it failed.
    """
    with tempfile.TemporaryDirectory(prefix="loadtool-") as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
        command = [*_editor(), str(path)]
        try:
            status = subprocess.run(command, check=False).returncode  # noqa: S603  it is theirs
        except OSError as error:
            raise CommandError(f"{command[0]}: {error.strerror}: EDITOR names another") from None
        if status:
            raise CommandError(f"{command[0]} ended with exit status {status}: nothing was changed")
        try:
            return path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise CommandError("what was written is not UTF-8: nothing was changed") from None


def _editor() -> list[str]:
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        return shlex.split(named)
    found = next(filter(shutil.which, _EDITORS), None)
    if found is None:
        raise CommandError("there is no editor here: name one in the environment, EDITOR=…")
    return [found]
