"""Constants that are none: what a green replay sends although the server gives out others."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.wizards import reset_server as resetting
from tests.console.commands.test_configure_replay import sent
from tests.console.listener import Listener, do
from tests.console.office import Office, create, record, serving
from tests.console.running import run_script

LABEL = ("POST /desk name=Tea", "PUT /parcels/{number}/label")


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with serving(create(tmp_path / "office.db", 118)) as office:
        yield office


def imported(session: Console, office: Office, tmp_path: Path, *requests: str) -> Console:
    """The console with a recorded visit."""
    do(session, f"import {record(office, tmp_path / 'in.har', *requests)}")
    return session


def test_what_passes_and_is_yesterdays(
    session: Console, office: Office, tmp_path: Path, listener: Listener
) -> None:
    """The server takes the recorded number, too, and labels the recorded parcel: a replay is green,
    and a third one shows that the new number is taken as well."""
    imported(session, office, tmp_path, *LABEL)
    do(session, "configure --replay")
    assert sent(session.opened().case)[1] == "/parcels/${number[1]}/label"
    assert "Replay 2 of at most 10: 2 transactions, 0 failed, on the same server" in listener.text
    assert (
        "Replay 3 of at most 10: 2 transactions, 0 failed, on the same server; tried number[1]"
        in (listener.text)
    )
    assert "Green after 3 replays." in listener.text
    assert 'On replay "1 POST /desk" gave out another value than when it was' in listener.text
    do(session, "play --fast")
    assert office.ask(
        "select parcel from labels where rowid = (select max(rowid) from labels)"
    ) == (office.ask("select max(number) from parcels"))
    listener.said.clear()
    do(session, "explain")
    assert "set by 1 POST /desk, used by 2 PUT /parcels/${number[1]}/label" in listener.text


def test_only_a_second_replay_shows_it(
    session: Console, office: Office, tmp_path: Path, listener: Listener
) -> None:
    """On a server that is as it was before the recording, the first replay shows nothing."""
    seed = shutil.copy(office.database, tmp_path / "seed.db")
    imported(session, office, tmp_path, *LABEL)
    shutil.copy(seed, office.database)
    do(session, "configure --replay")
    assert sent(session.opened().case)[1] == "/parcels/${number[1]}/label"
    assert "Green after 3 replays." in listener.text


@pytest.mark.parametrize(("name", "replays"), [("zones", 3), ("gate", 4)])
def test_what_the_server_does_not_take_is_taken_back(
    session: Console,
    office: Office,
    tmp_path: Path,
    listener: Listener,
    name: str,
    replays: int,
) -> None:
    """A number that moves, and a request that wants the recorded one: tried, refused, and said.
    Under the field's own name it is tried at once."""
    imported(session, office, tmp_path, "POST /desk name=Tea", f"PUT /zones/{{{name}}}")
    before = sent(session.opened().case)
    do(session, "configure --replay")
    assert sent(session.opened().case) == before
    assert f"Replay {replays} of at most 10: 2 transactions, 0 failed, on the same" in listener.text
    assert f"Green after {replays} replays." in listener.text
    assert "left: zones is sent as recorded, " in listener.text
    assert ", by transaction 2: transaction 1 gave it out, and now " in listener.text
    assert "; but with that the request fails" in listener.text


def test_trial_whose_producer_fails_is_undecided(
    session: Console, office: Office, tmp_path: Path, listener: Listener
) -> None:
    """The answer that gives the number out fails when that is tried, so that the recorded one is
    sent: that it passes shows nothing, and it is tried once more."""
    imported(session, office, tmp_path, *LABEL)
    office.refused = {6}  # two were recorded, four replayed
    do(session, "configure --replay")
    assert "Replay 3 of at most 10: 2 transactions, 1 failed, on the same server; tried number" in (
        listener.text
    )
    assert sent(session.opened().case)[1] == "/parcels/${number[1]}/label"
    assert "Green after 4 replays." in listener.text


def test_trial_that_no_replay_decides_is_taken_back(
    session: Console, office: Office, tmp_path: Path, listener: Listener
) -> None:
    """It fails twice: the number stays as it was recorded, which was green, and it is said."""
    imported(session, office, tmp_path, *LABEL)
    office.refused = {6, 8}
    do(session, "configure --replay")
    assert sent(session.opened().case)[1] == "/parcels/118/label"
    assert "no replay could show whether that is the one to send" in listener.text
    assert "Green after " in listener.text


def test_echo_is_judged_by_what_was_replayed(
    session: Console, office: Office, tmp_path: Path
) -> None:
    """The recorded request happened to have the number that the answer gave out."""
    imported(session, office, tmp_path, "POST /desk name=118", LABEL[1])
    do(session, "configure --replay")
    assert sent(session.opened().case) == [
        "/desk name=118",
        "/parcels/${number[1]}/label",
    ]


@pytest.mark.parametrize(("target", "told"), [("/list?size={shelf}", 0), ("/drawers/{id}", 1)])
def test_small_number_is_no_source_by_itself(
    session: Console, office: Office, tmp_path: Path, listener: Listener, target: str, told: int
) -> None:
    """A count of two digits is not taken for a size, nor a number of one for a path, which is
    said."""
    requests = ("POST /desk name=Tea", "PUT /parcels/{number}/label", "POST /rounds")
    imported(session, office, tmp_path, *requests, f"PUT {target}")
    do(session, "configure --replay")
    assert "${" not in sent(session.opened().case)[3]
    assert "Green after 3 replays." in listener.text
    assert listener.text.count("and nothing else tells that it is this") == told


def test_small_number_with_a_second_witness(
    session: Console, office: Office, tmp_path: Path, listener: Listener
) -> None:
    """Two answers have it as an id, and both have the same new one."""
    imported(session, office, tmp_path, "POST /rounds", "GET /rounds", "PUT /drawers/{id}")
    do(session, "configure --replay")
    assert sent(session.opened().case)[2] == "/drawers/${drawer_id[1]}"
    do(session, "play --fast")
    (used,) = office.ask("select used from drawers order by number desc limit 1")
    assert used == 1


@pytest.fixture
def reset(office: Office, tmp_path: Path) -> str:
    """A command that puts the database back, quoted for a line."""
    seed = shutil.copy(office.database, tmp_path / "seed.db")
    copy = "import shutil, sys; shutil.copy(*sys.argv[1:])"
    return shlex.quote(shlex.join([sys.executable, "-c", copy, str(seed), str(office.database)]))


DEPOT = ("POST /depots name=North", *LABEL)


def test_server_is_brought_back(
    session: Console, office: Office, tmp_path: Path, listener: Listener, reset: str
) -> None:
    """A name that the server takes only once, and that the recording has used: with --reset the
    first replay is green. The second is on the same server, so that numbers move; what it fails
    with is said."""
    imported(session, office, tmp_path, *DEPOT)
    with pytest.raises(CommandError, match="not green"):
        do(session, "configure --replay")
    listener.said.clear()
    do(session, f"configure --replay --reset {reset}")
    assert sent(session.opened().case)[2] == "/parcels/${number[1]}/label"
    assert "Replay 1 of at most 10: 3 transactions, 0 failed\n" in listener.text
    assert "Replay 2 of at most 10: 3 transactions, 1 failed, on the same server\n" in listener.text
    assert "failed on the same server: 1 POST /depots" in listener.text
    assert "it passed on replay 1: a server may take what it sends only once" in listener.text
    assert "Green after 3 replays." in listener.text


def test_red_on_the_same_server_is_proved_on_a_fresh_one(
    session: Console, office: Office, tmp_path: Path, listener: Listener, reset: str
) -> None:
    """What the second replay shows cannot be seen to pass there: the server is brought back once
    more, and a last replay shows that all passes."""
    depot = "POST /depots name=North&number={number}"
    imported(session, office, tmp_path, "POST /desk name=Tea", depot)
    do(session, f"configure --replay --reset {reset}")
    assert sent(session.opened().case)[1] == "/depots name=North&number=${number[1]}"
    assert "Replay 3 of at most 10: 2 transactions, 1 failed, on the same server; tried number" in (
        listener.text
    )
    assert "Replay 4 of at most 10: 2 transactions, 0 failed\n" in listener.text
    assert "Green after 4 replays." in listener.text


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (
            "sh -c 'echo the disk is full; exit 3'",
            r"sh ended with exit status 3\n  the disk is full",
        ),
        ("nosuchprogram --now", "nosuchprogram cannot be started: No such file or directory"),
        ("sh -c 'kill -9 $$'", "sh was ended by SIGKILL"),
        ("echo 'x", "a quotation mark is left open"),
        ("' '", "--reset needs a command"),
    ],
)
def test_reset_that_fails(
    session: Console, office: Office, tmp_path: Path, command: str, complaint: str
) -> None:
    """Nothing is replayed; the message has what the command said."""
    imported(session, office, tmp_path, *LABEL)
    asked = len(office.requests)
    line = command if command == "' '" else shlex.quote(command)
    with pytest.raises(CommandError, match=complaint):
        do(session, f"configure --replay --reset {line}")
    assert len(office.requests) == asked


def test_reset_without_replay(session: Console, office: Office, tmp_path: Path) -> None:
    """It would do nothing."""
    imported(session, office, tmp_path, *LABEL)
    with pytest.raises(UsageError, match="--reset means nothing without --replay"):
        do(session, "configure --reset true")


def test_reset_that_does_not_end(
    session: Console, office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is killed with what it has started."""
    monkeypatch.setattr(resetting, "_PATIENCE", 0.5)
    imported(session, office, tmp_path, *LABEL)
    fifo = tmp_path / "open"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    command = shlex.quote(f"sh -c 'exec 3>{fifo}; echo waiting; sleep 600 & wait'")
    with pytest.raises(CommandError, match=r"sh did not end within 0.5 seconds\n  waiting"):
        do(session, f"configure --replay --reset {command}")
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b""  # nobody has it open any more
    os.close(reader)


def test_reset_may_leave_a_server_behind(
    session: Console, office: Office, tmp_path: Path, listener: Listener
) -> None:
    """What it starts in the background goes on, and nobody waits for that."""
    imported(session, office, tmp_path, *LABEL)
    pid = tmp_path / "pid"
    do(session, f"configure --replay --reset \"sh -c 'sleep 600 & echo $! > {pid}'\"")
    os.kill(int(pid.read_text()), signal.SIGKILL)  # it is there
    assert "Green after 3 replays." in listener.text


def test_script_that_ends_red_saves_what_it_found(office: Office, tmp_path: Path) -> None:
    """By its own `save`; the other commands behind are not done. The exit status is 1."""
    visit = ("POST /desk name=Tea", "PUT /list?number={number}", "PUT /drawers/8")
    record(office, tmp_path / "in.har", *visit)
    with closing(sqlite3.connect(office.database)) as database, database:
        database.execute("delete from drawers")
    done = run_script(
        tmp_path,
        """
        import in.har
        configure --replay
        play --fast
        save other
        save
        """,
        status=1,
    )
    assert "script.txt:3: not green after" in done.stdout
    assert "> play" not in done.stdout
    assert not (tmp_path / "shop.case.toml").exists()
    saved = sent(read_case(tmp_path / "other.case.toml"))
    assert saved[1:] == ["/list?number=${number[1]}", "/drawers/8"]


def test_option_for_a_script(office: Office, tmp_path: Path, reset: str) -> None:
    """--record-reset holds for each `configure --replay` of it."""
    record(office, tmp_path / "in.har", *DEPOT)
    (command,) = shlex.split(reset)
    script = "import in.har\nconfigure --replay\nsave\n"
    done = run_script(tmp_path, script, "--record-reset", command)
    assert "Green after 3 replays." in done.stdout
    assert sent(read_case(tmp_path / "shop.case.toml"))[2] == "/parcels/${number[1]}/label"
    assert command not in (tmp_path / "shop.case.toml").read_text()
