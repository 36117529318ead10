"""Every command that changes something is undone, and done again."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.session import Console, Settings
from tests.console.listener import Listener, do
from tests.console.negotiated import with_basic
from tests.console.screens.shop import SHOP
from tests.console.traffic import sign_in, write_har

#: What each of them is tried with, and what has to be done before.
EDITS: dict[str, Sequence[str]] = {
    "import": ("import again.har --discard",),
    "import-page": ("import-page request.txt response.txt",),
    "set-field": ("set-field 5 amount --dataset things.name",),
    "variable": ("variable pot Kettle", "set-field 5 amount --variable pot"),
    "generate": ("generate pot sequence start=7",),
    "restore": ("restore 5", "set-field 5 amount --constant 3"),
    "unique": ("unique 21.50",),
    "strip": ("strip",),
    "delete": ("delete 3",),
    "rename": ("rename P3 Paying",),
    "think": ("think all x0.5",),
    "once": ("once P1 start",),
    "flow": ("flow again P3 --repeat 2",),
    "call": ("call 5 steps:sets",),
    "move": ("move 5 --before 3",),
    "merge": ("merge P2-P3 --name Both",),
    "split": ("split P2 --at 4",),
    "duplicate": ("duplicate P3 --name Again",),
    "regroup": ("regroup --activity --activity-threshold 1s",),
    "validate": ("validate 3 --json $.orders",),
    "status": ("status 5 500",),
    "remove-validator": ("remove-validator 3 1",),
    "extract": ("extract 3 order --json $.orders[0].id",),
    "move-extractor": ("move-extractor 3 order 1 --anyway", "extract 3 order --regex (1)7"),
    "remove-extractor": ("remove-extractor 3 order", "extract 3 order --regex (1)7"),
    "configure": ("configure", "import again.har --discard"),
    "application-state": (
        *("application-state", "import again.har --discard", "configure"),
        "restore POST /login",
    ),
    "undo-decision": (
        "undo-decision 1",
        "import again.har --discard",
        "configure",
    ),
    "mark-dangerous": ("mark-dangerous 5",),
    "properties": ("properties --proxy http://127.0.0.1:3128",),
    "test-case-configuration": (
        "test-case-configuration --dataset people.csv",
        "import basic.har --discard",
    ),
    "user-identity": (
        "user-identity --dataset people.csv",
        "import again.har --discard",
        "configure",
    ),
    "dataset-new": ("dataset new people name --rows 3",),
    "dataset-import": ("dataset import table.csv --name towns",),
    "dataset-fill": ("dataset fill things name 1 5",),
    "dataset-set": ("dataset set things 1 name Pot",),
    "dataset-add-row": ("dataset add row things Pot",),
    "dataset-add-column": ("dataset add column things size --value 3",),
    "dataset-properties": ("dataset properties things --sharable no",),
    "dataset-rename": ("dataset rename things goods",),
    "dataset-remove": ("dataset remove things --row 1",),
    "reload": ("reload", "save --secrets keep", "!sed -i s/21.50/22.50/ shop.case.toml"),
    "edit": ("edit", "save --secrets keep"),
}

DATASET = "dataset new things name --rows 2 --fill name=thing{}"

#: Those that look, run, or write what `undo` says that it leaves alone.
OTHERS = {
    *("record", "run", "wait", "stop", "preferences", "view", "tree", "collapse", "expand"),
    *("show", "fields", "show-errors", "show-fidelity", "undo", "redo", "validators"),
    *("extractors", "explain", "wizards", "datasets", "dataset-show", "dataset-simulate"),
    *("dataset-reset", "play"),
    *("break", "breakpoints", "replays", "why", "response", "diff", "variables", "search"),
    *("trace", "curl", "open", "create-load-configuration", "load", "load-set", "load-trial"),
    *("start", "load-result", "navigator", "open-case", "save", "log", "shell", "clear"),
    *("help", "quit", "schemas", "export"),
}


def test_every_command_is_one_of_them() -> None:
    """A new one has to say whether it can be undone."""
    assert OTHERS.isdisjoint(EDITS)
    assert {*EDITS, *OTHERS} == set(COMMANDS.commands)


def files(folder: Path) -> dict[str, bytes]:
    """What is in the datasets."""
    return {one.name: one.read_bytes() for one in folder.glob("*.csv")}


def begun(session: Console, monkeypatch: pytest.MonkeyPatch) -> Console:
    """Give a session a test case of one of everything, and files to import."""
    folder = session.settings.directory
    write_har(folder / "again.har", *sign_in("http://127.0.0.1:8000"))
    write_har(folder / "basic.har", *with_basic())
    (folder / "users.csv").write_text("username,password\nann,ann-pass-1\n")
    (folder / "table.csv").write_text("town\nUlm\n")
    (folder / "request.txt").write_text("GET /form HTTP/1.1\nHost: 127.0.0.1:8000\n\n")
    (folder / "response.txt").write_text("HTTP/1.1 200 OK\nContent-Type: text/html\n\nHello\n")
    (folder / "steps.py").write_text("def sets(user): ...\n")
    program = folder / "editor.py"
    program.write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "path.write_text(path.read_text().replace('21.50', '22.50'))\n"
    )
    monkeypatch.setenv("VISUAL", shlex.join([sys.executable, str(program)]))
    monkeypatch.chdir(folder)
    session.document = SHOP
    return session


@pytest.fixture
def prepared(session: Console, monkeypatch: pytest.MonkeyPatch) -> Console:
    """A session that was begun, with a dataset."""
    do(begun(session, monkeypatch), DATASET)
    return session


@pytest.mark.promise(5)
@pytest.mark.parametrize("name", list(EDITS))
def test_edit_is_undone_and_done_again(
    prepared: Console, tmp_path: Path, listener: Listener, name: str
) -> None:
    """The test case, what it was made of, and the datasets are as before, and then as after."""
    line, *first = EDITS[name]
    listener.interactive = True
    for one in first:
        do(prepared, one)
    before, datasets = prepared.opened(), files(tmp_path)
    do(prepared, line)
    after, changed = prepared.opened(), files(tmp_path)
    assert (before, datasets) != (after, changed), listener.text
    do(prepared, "undo")
    assert prepared.opened().case == before.case
    assert prepared.opened().exchanges is before.exchanges
    assert files(tmp_path) == datasets
    do(prepared, "redo")
    assert prepared.opened().case == after.case
    assert files(tmp_path) == changed


@pytest.mark.parametrize("name", list(EDITS))
def test_the_log_does_an_edit_again(
    prepared: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Another session comes by its lines to the same test case and datasets, without a person; but
    for what was done in an editor, which the log says."""
    line, *first = EDITS[name]
    for one in (*first, line):
        do(prepared, one)
    script = prepared.log.script()
    (tmp_path / "again").mkdir()
    settings = Settings(directory=tmp_path / "again", browser="none")
    again = begun(
        Console(settings, Listener(), COMMANDS, tmp_path / "again" / "shop.case.toml"), monkeypatch
    )
    for one in script.splitlines():
        if not one.startswith("#"):
            do(again, one)
    if name in ("edit", "reload"):
        assert "# not repeated: " in script
        return
    assert again.opened().case == prepared.opened().case
    assert files(tmp_path / "again") == files(tmp_path)
