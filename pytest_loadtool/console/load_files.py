"""Which load configuration a person means."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool import LOAD_SUFFIX
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.workflow.errors import PathError
from pytest_loadtool.workflow.files import as_load_path, load_path


def saved(session: Console) -> None:
    """Make sure that the file of the open test case is what is open.

    Raises:
        CommandError: it is not, or none is open.
    """
    session.opened()
    if session.unsaved:
        shown = session.shown(session.case_path)
        raise CommandError(
            f"a load test runs {shown}, and the test case is not saved: `save` first"
        )


def chosen(session: Console, file: Path | None) -> Path:
    """Return the load configuration that is meant; one that is named must be there.

    Raises:
        CommandError: there is none; the text lists those that there are.
    """
    if file is not None:
        try:
            path = as_load_path(file.absolute())
        except PathError as error:
            raise UsageError(f"{error}{_those_there(session)}") from None
        if not path.exists():
            name = session.shown(path)
            raise CommandError(f"there is no load configuration {name}{_those_there(session)}")
        return path
    if session.load_path is not None:
        return session.load_path
    session.opened()
    path = load_path(session.case_path)
    if not path.exists():
        there = _those_there(session)
        made = (
            f": `{'load FILE` shows one, `' if there else ''}create-load-configuration` makes one"
        )
        raise CommandError(f"there is no {session.shown(path)}{there}{made}")
    return path


def load_configurations(session: Console) -> list[Path]:
    """Return the load configurations in the folders of the test case and of the console."""
    folders = dict.fromkeys((session.case_path.parent, session.settings.directory))
    return [path for one in folders for path in sorted(one.glob(f"*{LOAD_SUFFIX}"))]


def _those_there(session: Console) -> str:
    names = [session.shown(path) for path in load_configurations(session)]
    return f"; there {'is' if len(names) == 1 else 'are'} {', '.join(names)}" if names else ""
