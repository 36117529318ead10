"""The Navigator: what belongs to the project, and another test case in the same console."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.console.arguments import CaseFile, ResultFile
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.history import History
from pytest_loadtool.console.opening import may_drop, open_file
from pytest_loadtool.console.session import Console, Folding
from pytest_loadtool.console.views import navigator as views
from pytest_loadtool.workflow.errors import PathError
from pytest_loadtool.workflow.files import as_case_path
from pytest_loadtool.workflow.navigator import navigate, results_in


async def navigator(session: Console) -> None:
    """Navigator: list what belongs to the project, each with the command that opens it.

    Test cases, the datasets of the open one with their rows and the next of them, load
    configurations, the replays that were kept, results of load tests (`--load-json`), and
    Authentication once that is configured. Looked at are the folder of the test case, that of the
    project, and the folders right below.

    Example: `navigator`
    """
    case = session.document.case if session.document is not None else None
    found = list(navigate(session.settings, session.case_path, case))
    if not found:
        session.say("There is nothing yet: `record` or `import` makes a test case.")
    session.tell(views.folders(found))


async def open_case(session: Console, file: CaseFile, *, discard: bool = False) -> None:
    """Open another test case in this console, as `pytest --record FILE` does.

    What is open and not saved is dropped only with --discard, or if you agree. `undo` knows the
    changes of the test case that is open, and begins anew.

    Example: `open-case api.case.toml`
    """
    try:
        path = as_case_path(session.settings.directory / file)
    except PathError as error:
        raise UsageError(f"{error}{_those_there(session)}") from None
    if not _there(path):
        raise CommandError(f"there is no {session.shown(path)}{_those_there(session)}")
    if session.live is not None:
        raise CommandError("a recording is running, and becomes this test case: `stop` first")
    await may_drop(session, f"open-case {file}", discard)
    before = {name: getattr(session, name) for name in _OF_THE_CASE}
    session.case_path = path
    for name, value in _fresh().items():
        setattr(session, name, value)
    session.settings = replace(session.settings, replay_har=None)
    try:
        open_file(session)
    except BaseException:
        for name, value in before.items():
            setattr(session, name, value)
        raise


async def load_result(session: Console, file: ResultFile) -> None:
    """Load Result: show what the results of a load test say, a file that `--load-json` has written.

    The verdict with its reasons, and the numbers of all requests and of each page.

    Example: `load result results.json`
    """
    path = session.settings.directory / file
    if not _there(path):
        raise CommandError(f"there is no {session.shown(path)}: `navigator` lists results")
    found = results_in(path)
    if found is None:
        raise CommandError(
            f"{session.shown(path)} holds no results of a load test: `pytest --load FILE "
            "--load-json results.json` writes them"
        )
    session.tell(views.results(found, shutil.get_terminal_size().columns))


#: What a console knows of the test case that is open, and not of others.
_OF_THE_CASE = (
    "case_path", "settings", "document", "saved", "on_disk", "layout", "stranger", "load_path",
    "replay", "chosen", "breakpoints", "folding", "history",
)  # fmt: skip


def _fresh() -> dict[str, object]:
    return {
        "document": None, "saved": None, "on_disk": None, "layout": "", "stranger": "",
        "load_path": None, "replay": None, "chosen": False, "breakpoints": set(),
        "folding": Folding(), "history": History(),
    }  # fmt: skip


def _those_there(session: Console) -> str:
    folders = navigate(session.settings, session.case_path, None)
    names = [
        one.name for folder in folders if folder.title == "Test cases" for one in folder.entries
    ]
    return f"; there {'is' if len(names) == 1 else 'are'} {', '.join(names)}" if names else ""


def _there(path: Path) -> bool:
    return path.is_file()
