"""Datasets in the console: made, filled, imported, bound to fields, taken row by row."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case, read_dataset
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.model.dataset import DatasetUse
from tests.console.listener import Listener, do
from tests.console.running import run_script
from tests.console.traffic import exchange, write_har
from tests.plugin.serving import Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    """Keeps what was asked of it."""
    with serving() as server:
        yield server


@pytest.fixture
def searching(session: Console, server: Server, tmp_path: Path, listener: Listener) -> Console:
    """A console with one recorded request, for things of a name."""
    found = exchange("GET", f"{server.url}/echo?name=ann", 0)
    do(session, f"import {write_har(tmp_path / 'in.har', found)}")
    do(session, "configure")
    listener.said.clear()
    return session


def lines(listener: Listener) -> list[str]:
    """What was said since this was asked last."""
    said = [line.rstrip() for line in listener.said]
    listener.said.clear()
    return said


@pytest.mark.promise(31)
@pytest.mark.promise(32)
@pytest.mark.promise(63)
@pytest.mark.promise(64)
def test_dataset_is_made_filled_bound_and_reset(
    searching: Console, server: Server, listener: Listener
) -> None:
    """Each `play` takes the next row, `dataset reset` the first again."""
    do(searching, "dataset new things name colour")
    assert lines(listener) == [
        "Wrote things.csv.",
        "things  things.csv, 0 rows of name, colour; a row for each iteration",
    ]
    do(searching, "dataset fill things name 1 3 --pattern 'thing{:02}'")
    assert lines(listener) == [
        "Filled name of 3 rows: thing01 to thing03.",
        "  3 rows of them new, in which colour is empty",
    ]
    do(searching, "dataset fill things colour --pattern red")
    do(searching, "set-field 1 name --dataset things.name")
    for _ in range(4):
        do(searching, "play --fast")
    do(searching, "dataset-reset things")
    do(searching, "play --fast")
    do(searching, "play --fast --row 3")
    do(searching, "play --fast")
    rows = [int(one[-1]) for one in server.requests]
    assert rows == [1, 2, 3, 1, 1, 3, 1]
    assert "Row 3 of 3 of things.csv." in listener.said
    listener.said.clear()
    do(searching, "dataset show things")
    assert lines(listener) == [
        "things  things.csv, 3 rows of name, colour; a row for each iteration",
        "     name     colour",
        "  1  thing01  red",
        "> 2  thing02  red",
        "  3  thing03  red",
        "  next `play`: row 2",
        "  used by 1 GET /echo: name",
    ]


def test_rows_that_are_used_once_run_out(
    searching: Console, server: Server, listener: Listener
) -> None:
    """The console says how to begin again; there is no row that a dataset does not have."""
    with pytest.raises(CommandError, match="no field has a value of a dataset: there is no row 2"):
        do(searching, "play --fast --row 2")
    do(searching, "dataset new things name --rows 2 --fill name=t{}")
    do(searching, "dataset-properties things --reusable no")
    do(searching, "set-field 1 name --dataset things.name")
    do(searching, "play --fast")
    do(searching, "play --fast")
    with pytest.raises(CommandError, match=r"no row left.*`dataset reset things`"):
        do(searching, "play --fast")
    with pytest.raises(CommandError, match="has no row 3: it has rows 1 to 2"):
        do(searching, "play --fast --row 3")
    assert len(server.requests) == 2
    do(searching, "dataset reset")
    do(searching, "play --fast")
    assert server.requests[0] == server.requests[2]


def test_rows_come_in_random_order(searching: Console, server: Server, listener: Listener) -> None:
    """Each once, in the same order each time; a row that is asked for is the one of the file."""
    do(searching, "dataset new things name --rows 5 --fill name=t{}")
    do(searching, "dataset properties things --order random")
    assert listener.said[-1] == "things: a row for each iteration, in random order"
    do(searching, "set-field 1 name --dataset things.name")
    for _ in range(5):
        do(searching, "play --fast")
    do(searching, "play --fast --row 2")
    do(searching, "dataset reset")
    do(searching, "play --fast")
    taken = [int(one[-1]) for one in server.requests]
    assert sorted(taken[:5]) == [1, 2, 3, 4, 5]
    assert taken[:5] != [1, 2, 3, 4, 5]
    assert taken[5:] == [2, taken[0]]
    do(searching, "save")
    assert read_case(searching.case_path).datasets[0].order == "random"


def test_a_table_in_the_place_of_its_dataset_is_told(
    searching: Console, tmp_path: Path, listener: Listener
) -> None:
    """It is written anew, as datasets are, and `undo` brings it back; one that is as they are
    stays."""
    path, table = tmp_path / "people.csv", "name;town\nJörg;Köln\n".encode("cp1252")
    path.write_bytes(table)
    do(searching, f"dataset import {path}")
    told = "people.csv was that table, and is written anew: `undo` brings it back."
    assert listener.said[-1] == told
    assert path.read_text(encoding="utf-8") == "name,town\nJörg,Köln\n"
    do(searching, "undo")
    assert path.read_bytes() == table
    path.write_bytes(b"name,town\nAnn,Ulm\n")
    do(searching, f"dataset import {path}")
    assert "written anew" not in listener.said[-1]
    assert path.read_bytes() == b"name,town\nAnn,Ulm\n"


def test_undo_covers_the_values(searching: Console, tmp_path: Path, listener: Listener) -> None:
    """Files are brought back and removed; what somebody else has changed since is left alone."""
    path = tmp_path / "things.csv"
    do(searching, "dataset new things name")
    do(searching, "dataset add-row things 'a, b'")
    do(searching, "dataset set things 1 name c")
    assert read_dataset(path).rows == (("c",),)
    do(searching, "undo")
    assert read_dataset(path).rows == (("a, b",),)
    do(searching, "redo")
    assert read_dataset(path).rows == (("c",),)
    for _ in range(3):
        do(searching, "undo")
    assert not path.exists()
    assert searching.opened().case.datasets == ()
    do(searching, "redo")
    do(searching, "redo")
    path.write_text("name\nmine\n")
    listener.said.clear()
    do(searching, "undo")
    assert path.read_text() == "name\nmine\n"
    assert listener.said[0] == "things.csv was changed since, and stays as it is."


@pytest.mark.promise(33)
@pytest.mark.promise(92)
def test_fifty_users_are_one_command(
    searching: Console, tmp_path: Path, listener: Listener
) -> None:
    """Each virtual user has a row for itself; passwords are for the owner alone, and not shown."""
    do(
        searching,
        "dataset new users username,password,domain --rows 50 --identity "
        "--fill username=user{:03} --fill password=word-{} --fill domain=OFFICE\\\\user{:03}",
    )
    path = tmp_path / "users.csv"
    found = read_dataset(path)
    assert found.rows[49] == ("user050", "word-50", "OFFICE\\user050")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (tmp_path / ".gitignore").read_text() == "/users.csv\n"
    (use,) = searching.opened().case.datasets
    assert use == DatasetUse("users", "users.csv", lifespan="virtual user", sharable=False)
    listener.said.clear()
    do(searching, "dataset show users --rows 49-60")
    assert lines(listener)[1:4] == [
        "      username  password  domain",
        "  49  user049   …         OFFICE\\user049",
        "  50  user050   …         OFFICE\\user050",
    ]
    do(searching, "dataset show users --rows 50 --secrets")
    assert "  50  user050   word-50   OFFICE\\user050" in listener.said


def test_passwords_are_not_in_the_session_log(searching: Console, listener: Listener) -> None:
    """However they were typed; names are."""
    for line in (
        "dataset new users username password --rows 2 --fill password=first-secret",
        "dataset set users 1 password second-secret",
        "dataset add-row users carol third-secret",
        "dataset fill users password --pattern fourth-secret",
    ):
        do(searching, line)
    script = searching.log.script()
    assert "carol" in script
    assert "-secret" not in script


def test_load_configuration_says_how_many_rows_are_missing(
    searching: Console, listener: Listener
) -> None:
    """Those beside the test case that replay it."""
    do(searching, "dataset new users username --rows 3 --identity --fill username=u{}")
    do(searching, "set-field 1 name --dataset users.username")
    do(searching, "save")
    do(searching, "create load configuration users=20 duration=5s")
    assert "has 3 rows for 20 users" in listener.said[-1]
    listener.said.clear()
    do(searching, "datasets")
    assert "  shop (20 users) needs 20 rows: 17 missing" in listener.said
    with pytest.raises(CommandError, match="add 17 more"):
        do(searching, "start")
    do(searching, "dataset fill users username 1 20 --pattern u{}")
    listener.said.clear()
    do(searching, "datasets")
    assert "  shop (20 users) needs 20 rows" in listener.said


def test_table_of_a_spreadsheet_is_imported(
    searching: Console, tmp_path: Path, listener: Listener
) -> None:
    """What was found out is told with the first rows, and only shown if that is wanted."""
    path = tmp_path / "Kunden 2026.csv"
    path.write_bytes(
        "Vorname;E-Mail;Straße\r\nJörg;j@x.example;Weg 1\r\nAnne;;\r\n".encode("cp1252")
    )
    do(searching, f"dataset import '{path}' --preview")
    assert lines(listener) == [
        "Kunden 2026.csv: 2 rows",
        "  cp1252, semicolons between values, the first row names the columns",
        "  column 'Straße' is called Strasse, for placeholders",
        "     Vorname  E-Mail       Strasse",
        "  1  Jörg     j@x.example  Weg 1",
        "  2  Anne",
    ]
    assert searching.opened().case.datasets == ()
    do(searching, f"dataset import '{path}' --name customers")
    assert read_dataset(tmp_path / "customers.csv").rows[0] == ("Jörg", "j@x.example", "Weg 1")
    assert path.read_bytes().startswith(b"Vorname;")
    with pytest.raises(CommandError, match=r"customers\.csv is there already: give --replace"):
        do(searching, f"dataset import '{path}' --name customers")


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_json_is_bound_imported_and_edited(
    searching: Console, server: Server, tmp_path: Path, listener: Listener, suffix: str
) -> None:
    """One that is beside the test case is used as it is, and played; edits keep its types."""
    rows = ['{"name": "anna", "age": 31}', '{"age": 7.50, "name": "007"}']
    array = suffix == ".json"
    text = "[\n" + ",\n".join(rows) + "\n]\n" if array else "\n".join(rows) + "\n"
    path = tmp_path / f"people{suffix}"
    path.write_text(text)
    do(searching, "set-field 1 name --dataset people.age")
    (use,) = searching.opened().case.datasets
    assert use.file == path.name
    assert path.read_text() == text
    do(searching, "play")
    do(searching, "play")
    assert server.requests[-2:] == ["GET /echo?name=31", "GET /echo?name=7.50"]
    do(searching, "dataset set people 2 age 8")
    do(searching, f"dataset import {path} --name others")
    listener.said.clear()
    do(searching, "dataset show others")
    assert [one.split() for one in lines(listener)[1:4]] == [
        ["name", "age"], [">", "1", "anna", "31"], ["2", "007", "8"]
    ]  # fmt: skip
    assert '{"name": "007", "age": 8}' in (tmp_path / f"others{suffix}").read_text().replace(
        '"8"', "8"
    )
    do(searching, "save")
    with pytest.raises(CommandError, match="is there already: give --replace"):
        do(searching, f"dataset import {path} --name others")


def test_dataset_is_renamed_with_what_uses_it(searching: Console, listener: Listener) -> None:
    """And not removed as long as something uses it."""
    do(searching, "dataset new things name,colour --rows 1 --fill name=x")
    do(searching, "set-field 1 name --dataset things.name")
    do(searching, "dataset rename things stuff")
    (one,) = searching.opened().case.transactions()
    assert one.request.target == "/echo?name=${stuff.name}"
    with pytest.raises(CommandError, match="stuff is used by 1 GET /echo: name"):
        do(searching, "dataset remove stuff")
    with pytest.raises(CommandError, match=r"stuff\.name is used by"):
        do(searching, "dataset remove stuff --column name")
    do(searching, "dataset remove stuff --column colour")
    do(searching, "set-field 1 name --constant y")
    do(searching, "dataset remove stuff")
    assert searching.opened().case.datasets == ()


@pytest.mark.promise(71)
def test_field_makes_the_dataset_it_wants(
    searching: Console, tmp_path: Path, listener: Listener
) -> None:
    """A person is asked; the recorded value is in the first row. A script is told what to say."""
    with pytest.raises(CommandError, match="'näme' is no name of a column"):
        do(searching, "set-field 1 name --dataset people.näme")
    with pytest.raises(CommandError, match="give --new, or make one with `dataset new"):
        do(searching, "set-field 1 name --dataset people.name")
    do(searching, "set-field 1 name --dataset people.name --new")
    do(searching, "undo")
    assert not (tmp_path / "people.csv").exists()
    listener.answers = [True, True]
    do(searching, "set-field 1 name --dataset people.name")
    assert read_dataset(tmp_path / "people.csv").rows == (("ann",),)
    do(searching, "set-field 1 name --constant bob")
    do(searching, "set-field 1 name --dataset people.nick")
    assert read_dataset(tmp_path / "people.csv").rows == (("ann", "bob"),)
    do(searching, "undo")
    assert read_dataset(tmp_path / "people.csv").columns == ("name",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dataset show thngs", "no dataset 'thngs': did you mean 'things'"),
        ("dataset show others", "no dataset 'others': it has things"),
        ("dataset new things name", "there is a dataset 'things' already"),
        ("dataset new 9x name", "is not a dataset name"),
        ("dataset new more 'first name'", "'first name' is no name of a column"),
        ("dataset new more a,a", "column 'a' stands twice"),
        ("dataset new more a --fill a=x", "--fill goes with --rows"),
        ("dataset new more a --rows 1 --fill b=x", "no column 'b'"),
        ("dataset fill things nme 1 2", "no column 'nme': did you mean 'name'"),
        ("dataset fill things name 5 2", "nothing to fill from 5 to 2"),
        ("dataset fill things name 1 2 --pattern '{x}'", "'{x}' is no pattern"),
        ("dataset fill things name 1 2 --pattern '{:q}'", "'{:q}' is no pattern"),
        ("dataset set things 4 name x", "no row 4: it has rows 1 to 2"),
        ("dataset add-row things a b", r"expected 1 values? \(name\), got 2"),
        ("dataset show things --rows 7", "--rows is such as 21-40, of 2 rows"),
        ("dataset properties things --lifespan long", "--lifespan is virtual-user "),
        ("dataset properties things --order up", "--order is one of sequential, random"),
        ("dataset properties things --sharable maybe", "--sharable is yes or no"),
    ],
)
def test_slip_is_named(searching: Console, tmp_path: Path, line: str, message: str) -> None:
    """And nothing is changed."""
    do(searching, "dataset new things name --rows 2 --fill name=x")
    before = searching.document, (tmp_path / "things.csv").read_bytes()
    with pytest.raises(UsageError, match=message):
        do(searching, line)
    assert (searching.document, (tmp_path / "things.csv").read_bytes()) == before


@pytest.mark.promise(63)
def test_script_makes_users_and_loads_with_them(server: Server, tmp_path: Path) -> None:
    """In a process of its own: each of the users sends a name of its own."""
    (tmp_path / "shop.load.toml").write_text(
        'format = 1\nname = "shop"\nusers = 4\niterations = 1\n[[case]]\nfile = "shop.case.toml"\n'
    )
    write_har(tmp_path / "in.har", exchange("GET", f"{server.url}/echo?name=ann", 0))
    run_script(
        tmp_path,
        "import in.har\nconfigure\n"
        "dataset new users username --rows 4 --identity --fill username=user{}\n"
        "set-field 1 name --dataset users.username\n"
        "play --fast --row 4\nsave\nstart shop.load.toml\n",
    )
    assert server.requests[0] == "GET /echo?name=user4"
    assert {one.partition("=")[2] for one in server.requests} == {f"user{n}" for n in range(1, 5)}
    assert read_case(tmp_path / "shop.case.toml").datasets[0].sharable is False


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("order sequence start=1000 step=10", "order: 1000, 1010, 1020, …"),
        ("n choice choices=a,b seed=7", "n: a, b, b, …"),
        ("n choice choices=a=3,b=1 seed=7", "n: a, b, b, …"),
        ("n choice 'choices={ a = 3, b = 1 }' seed=7", "n: a, b, b, …"),
        ("at timestamp unit=s", "at: the time of each request"),
    ],
)
def test_values_are_made_up(
    searching: Console, server: Server, listener: Listener, line: str, values: str
) -> None:
    """What the first users get is shown; the field has the first of them when it is played."""
    do(searching, f"generate {line}")
    assert lines(listener) == [values]
    name = line.partition(" ")[0]
    do(searching, f"set-field 1 name --variable {name}")
    do(searching, "play")
    if name != "at":
        assert server.requests[-1] == f"GET /echo?name={values.split()[1].strip(',')}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("n sequnce", "'sequnce' is not known: did you mean 'sequence'"),
        ("n number min=1", "generate = \"number\" needs max = 100"),
        ("n number 1", "expected KEY=VALUE, such as start=1000, not '1'"),
        ("n choice choices=a=x,b=1", "expected a whole number"),
        ("n faker provider=nam", "no provider 'nam' in en_US: did you mean 'name'"),
        ("9 uuid", '"9" is not a variable name'),
    ],
)  # fmt: skip
def test_what_cannot_be_made_up_is_said(searching: Console, line: str, message: str) -> None:
    """And what was meant, or what is missing."""
    with pytest.raises(UsageError) as refused:
        do(searching, f"generate {line}")
    assert message in str(refused.value)
