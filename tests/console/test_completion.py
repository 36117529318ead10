"""What Tab offers."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document as Text

from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.repl.completion import RegistryCompleter
from pytest_loadtool.console.session import Console
from tests.console.listener import do
from tests.console.negotiated import with_ntlm
from tests.console.samples import DOCUMENT
from tests.console.screens.shop import SHOP
from tests.console.traffic import write_har


def completed(session: Console, line: str) -> list[str]:
    completer = RegistryCompleter(session)
    return [one.text for one in completer.get_completions(Text(line), CompleteEvent())]


def offered(session: Console, line: str) -> list[str]:
    """Without the blank that ends a word."""
    return [one.removesuffix(" ") for one in completed(session, line)]


def test_empty_line_offers_every_command(session: Console) -> None:
    """Everything that can be done is found by pressing Tab."""
    assert offered(session, "") == list(COMMANDS.commands)


def test_options_come_with_what_they_are(session: Console) -> None:
    """A few words of the help, and not that they are options."""
    completer = RegistryCompleter(session)
    found = completer.get_completions(Text("set-field 1 user --"), CompleteEvent())
    said = {one.text: one.display_meta_text for one in found}
    assert said["--constant"].startswith("the new value (Text Constant)")
    assert said["--dataset"].startswith("a column such as users.username")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("rec", ["record"]),
        (
            "record --",
            [
                "--browser",
                "--port",
                "--only",
                "--block",
                "--block-trackers",
                "--any-user",
                "--discard",
            ],
        ),
        ("record --only x --o", ["--only"]),
        (
            "record --browser x --",
            ["--port", "--only", "--block", "--block-trackers", "--any-user", "--discard"],
        ),
        ("record --p", ["--port"]),
        ("help de", ["delete"]),
        ("dataset a", ["add row", "add column"]),
        ("dataset add r", ["row"]),
        ("create l", ["load configuration"]),
        ("load s", ["set"]),
        ("variables ", []),
        ("preferences --grouping ", ["referrer", "activity"]),
        ("dataset properties x --lifespan ", ["virtual-user", "test-case"]),
        ("dataset properties x --sharable ", ["yes", "no"]),
        ("create-load --think-time r", ["recorded"]),
        ("cr", ["create-load-configuration"]),
        ("create-load --u", ["--users"]),
        ("create load configuration --r", ["--rate", "--ramp-up", "--replace"]),
        ("show ", ["1", "2", "3"]),
        ("delete --page ", ["'Log in'", "Home"]),
        ("strip --", []),
        ("save --secrets ", ["keep", "dataset", "env"]),
        ("properties --proxy-method n", ["ntlm", "negotiate"]),
        ("test-case-configuration --user ", []),
        ("user-identity --k", ["--keyring"]),
        ("user-identity ", ["1", "2", "3"]),
        ("set-field 2 p", ["path[1]"]),
        ("set-field 9 ", []),
        ("fields ", ["1", "2", "3", "P1", "P2"]),
        ("set-field POST /login p", ["path[1]"]),
        ("delete ", ["1", "2", "3", "P1", "P2"]),
        ("delete 1 --k", ["--kind"]),
        ("delete --kind ", ["html", "other"]),
        ("delete --status 3", ["302"]),
        ("delete --host ", ["127.0.0.1"]),
        ("tree ~k h", ["html"]),
        ("tree ~c ", ["200", "302"]),
        ("tree ~m POST & ~p H", ["Home"]),
        ("delete 1,", ["1,1", "1,2", "1,3", "1,P1", "1,P2"]),
        ("delete lo", ["'Log in'"]),
        ("delete /", ["/login", "/by-hand"]),
        ("delete 1 POST /", ["/login"]),
        ("show GET /l", ["/login"]),
        ("show 1 /", []),
        ("delete ~h", ["~h", "~hq", "~hs"]),
        ("configure --hosts ", []),
        ("show --full 2", ["2"]),
        ("show 1 ", []),
        ("run curl --", []),
        ("no-such-command ", []),
        ("record --port ", []),
    ],
)
def test_words_are_offered_by_their_place(session: Console, line: str, words: list[str]) -> None:
    """A command first, then its options, or values of the kind its argument takes."""
    session.document = DOCUMENT
    assert offered(session, line) == words


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("import ", [".har"]),
        ("save ", [".case.toml"]),
        ("start ", [".load.toml"]),
        ("load result ", [".json"]),
        ("wait 5 --file ", [".case.toml", ".har", ".json", ".load.toml"]),
    ],
)
def test_file_names_are_offered(
    session: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, kinds: list[str]
) -> None:
    """Where a file is expected, the folders that are there, and the files of that kind."""
    for name in (".har", ".json", ".case.toml", ".load.toml"):
        (tmp_path / f"recorded{name}").touch()
    (tmp_path / "records").mkdir()
    monkeypatch.chdir(tmp_path)
    assert offered(session, f"{line}rec") == [*(f"orded{kind}" for kind in kinds), "ords"]


def test_a_single_candidate_ends_its_word(
    session: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A blank follows, as in a shell; behind a folder what is in it. Of several, nothing does."""
    (tmp_path / "records").mkdir()
    (tmp_path / "my 1.har").touch()
    monkeypatch.chdir(tmp_path)
    session.document = DOCUMENT
    assert completed(session, "col") == ["collapse "]
    assert completed(session, "show GET /l") == ["/login "]
    assert completed(session, "delete --page Lo") == ["'Log in' "]
    assert completed(session, "record --p") == ["--port "]
    assert completed(session, "preferences --g") == ["--grouping "]
    assert completed(session, "import rec") == ["ords/"]
    assert completed(session, "import my") == ["'my 1.har' "]
    assert completed(session, "delete /") == ["/login", "/by-hand"]


#: Commands whose first word is a person's own: an address, a program, a text, a time, what a flow
#: is to be called.
_OWN_WORDS = {"record", "run", "wait", "unique", "search", "shell", "flow"}


@pytest.mark.promise(14)
@pytest.mark.parametrize("name", list(COMMANDS.commands))
def test_first_word_of_every_command_is_offered(
    session: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Where a command takes one, Tab offers what it may be."""
    for file in ("a.har", "a.json", "a.case.toml", "a.load.toml"):
        (tmp_path / file).touch()
    (tmp_path / "shop.replays").mkdir()
    (tmp_path / "shop.replays" / "2026-01-01-000000-000.har").touch()
    monkeypatch.chdir(tmp_path)
    session.document = SHOP
    command = COMMANDS.commands[name]
    takes = command.slot(0) is not None and name not in _OWN_WORDS
    assert bool(offered(session, f"{name} ")) == takes


def test_flows_are_offered(session: Console) -> None:
    """Those that there are, with quotes where they have spaces."""
    session.document = SHOP
    do(session, "flow 'once more' P3 --repeat 2")
    assert offered(session, "flow ") == ["'once more'"]


def test_functions_of_the_project_are_offered(session: Console, tmp_path: Path) -> None:
    """Those that may be called; nothing of them is run for that."""
    session.document = SHOP
    (tmp_path / "steps.py").write_text("raise SystemExit\ndef sets(user): ...\ndef main(): ...\n")
    (tmp_path / "not-a-module.py").write_text("def sets(user): ...\n")
    assert offered(session, "call 5 s") == ["steps:sets"]


def test_recorded_users_are_offered(session: Console, tmp_path: Path) -> None:
    """With quotes around a backslash."""
    do(session, f"import {write_har(tmp_path / 'in.har', *with_ntlm(tmp_path))}")
    assert offered(session, "test-case-configuration --user ") == ["'EXAMPLE\\alice'"]


def test_datasets_and_their_columns_are_offered(session: Console) -> None:
    """Those of the test case, and of the dataset that is named before."""
    session.document = DOCUMENT
    do(session, "dataset new users username password --rows 1 --identity")
    do(session, "dataset new things name")
    assert offered(session, "dataset show ") == ["users", "things"]
    assert offered(session, "dataset fill us") == ["users"]
    assert offered(session, "dataset fill users ") == ["username", "password"]
    assert offered(session, "dataset remove things --column ") == ["name"]
    assert offered(session, "dataset fill nothing ") == []
    assert offered(session, "set-field 2 user --dataset users.p") == ["users.password"]
    assert offered(session, "extract POST /l") == ["/login"]
    assert offered(session, "extract 1 token --use P") == ["P1", "P2"]
