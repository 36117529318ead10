"""The test case's file beside what is open: what others have changed in it, and editing it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.casefile import parse_case
from pytest_loadtool.casefile.editor_schemas import write_editor_schemas
from pytest_loadtool.casefile.saving import case_over
from pytest_loadtool.casefile.toml.schema_line import SCHEMAS_FOLDER
from pytest_loadtool.console.editor import in_editor
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.opening import may_drop, open_file
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.console.wizard import choice
from pytest_loadtool.errors import FileError
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.workflow.changed_outside import differences, places, text_of
from pytest_loadtool.workflow.files import there, write_private_text

#: What can be done about a file that was changed outside. The first is what Enter does.
_CHOICES = ("show", "reload", "overwrite")


async def reload(session: Console, *, discard: bool = False) -> None:
    """Read the test case and its traffic again, as they are on disk now.

    What is open and not saved is dropped only with --discard, or if you agree; `undo` brings it
    back.

    Example: `reload`
    """
    if not there(session.case_path):
        raise CommandError(f"there is no {session.shown(session.case_path)} yet: `save` writes it")
    await may_drop(session, "reload", discard)
    open_file(session)


async def schemas(session: Console, folder: Path | None = None) -> None:
    """Write JSON Schemas of test cases, load configurations and rules, for editors.

    They go into the folder loadtool-schemas, in FOLDER or in the folder of the project. From then
    on `save` has the first line of a file in there, or below, name its own: `#:schema …`, by which
    taplo, and Even Better TOML in VS Code, complete keys and mark what is wrong. After an update of
    pytest-loadtool, write them anew.

    Example: `schemas`
    """
    base = session.settings.directory / folder if folder is not None else session.settings.directory
    path = base / SCHEMAS_FOLDER
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise CommandError(f"{session.shown(path)} cannot be made: {error.strerror}") from None
    for one in write_editor_schemas(path):
        session.say(f"Wrote {session.shown(one)}.")


async def edit_(session: Console) -> None:
    """Edit the test case as text: open it in $VISUAL or $EDITOR, and take over what was changed.

    The text is that of the file with what was done here since. When the editor ends it is read
    again; if something in it is wrong, it is said in which line, and you may go on editing. All of
    it is one step for `undo`, and only `save` writes the file.

    Example: `edit`
    """
    document = session.opened()
    shown = session.shown(session.case_path)
    before = case_over(session.layout or session.on_disk, str(session.case_path), document.case)
    with tempfile.TemporaryDirectory(prefix="loadtool-") as folder:
        draft = Path(folder) / session.case_path.name
        write_private_text(draft, before)
        while True:
            await in_editor(draft, session.settings.directory)
            text = text_of(draft) or ""
            if text == before:
                session.say("Nothing was changed.")
                return
            try:
                case = parse_case(text, shown)
            except FileError as error:
                session.say(str(error))
                again = choice(
                    "Edit it again",
                    ("yes", "no"),
                    "yes",
                    unattended="nothing was changed",
                    why="Yes opens it as you left it; no forgets what was written in the editor.",
                )
                if await session.consult(again) == "no":
                    raise CommandError("nothing was changed") from None
            else:
                break
    session.document = replace(document, case=case)
    session.layout = text
    session.say(f"Changed {places(before, text)}. The test case has {summary(session.document)}.")


async def agree_with_outside(session: Console, path: Path) -> bool:
    """Ask what is to become of a file that was changed outside since it was read or written here.

    Return whether it may be written over; if not, it was read instead.

    Raises:
        CommandError: nobody is there to ask, or who is there gave up.
    """
    outside = changed_outside(session)
    if path != session.case_path or not outside:
        return True
    shown = session.shown(path)
    session.say(f"{shown} was changed outside ({outside}).")
    while True:
        kept_as = await session.consult(
            choice(
                "Show the difference, reload the file, or overwrite it",
                _CHOICES,
                _CHOICES[0],
                unattended=f"{shown} was changed outside ({outside}): `reload` takes that, "
                "`save --replace` writes over it",
                why="Overwrite loses what was changed in the file, reload what was changed here "
                "since the last `save`; `undo` takes a reload back.",
            )
        )
        if kept_as == "show":
            text = text_of(path) or ""
            lines = differences(session.on_disk or "", text, shown)
            await session.page(BY_NAME.text(line) for line in lines)
        elif kept_as == "reload":
            open_file(session)
            session.repeated_as("reload --discard")
            return False
        else:
            session.decided("--replace")
            return True


def changed_outside(session: Console) -> str:
    """Return where the file of the open test case was changed since it was read or written here;
    empty if it was not."""
    if session.on_disk is None:
        return ""
    try:
        text = text_of(session.case_path)
    except FileError as error:
        return str(error)
    return places(session.on_disk, text) if text not in (None, session.on_disk) else ""
