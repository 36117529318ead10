"""From a test case to a load test: the load configuration, and running it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_load
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from tests.console.listener import Listener, do
from tests.plugin.serving import Server, case, serving

USUAL = """\
format = 1
name = "shop"
users = 20
duration = "1m"
ramp_up = "10s"

[[case]]
file = "shop.case.toml"
"""

#: A load test of two users that visit once. No number of it depends on how fast the machine is.
ONCE = """\
format = 1
name = "Once"
users = 2
iterations = 1

[[case]]
file = "shop.case.toml"
"""


@pytest.fixture
def server() -> Iterator[Server]:
    """A running server of its own for the test."""
    with serving() as running:
        yield running


@pytest.fixture
def opened(session: Console, server: Server) -> Console:
    """A console with a test case of two transactions open, as it is in its file."""
    session.case_path.write_text(case(server.url, "GET /", "GET /two"))
    open_file(session)
    return session


def test_load_configuration_stands_beside_the_test_case(
    opened: Console, listener: Listener, tmp_path: Path
) -> None:
    """Without arguments it has the usual numbers, and the test case's name and place."""
    do(opened, "create-load-configuration")
    assert (tmp_path / "shop.load.toml").read_text() == USUAL
    assert listener.said[-1] == (
        "Wrote shop.load.toml: 20 users for 1m, ramp-up 10s. `start` runs it."
    )


def test_a_load_that_is_too_short_for_an_iteration_is_told(
    opened: Console, server: Server, listener: Listener
) -> None:
    """When it is written, when it is started, and by its verdict; not if it is long enough."""
    text = opened.case_path.read_text()
    slow = text.replace("[[page]]", '[[page]]\nthink_time = "1m 47s"')
    opened.case_path.write_text(slow + text[text.index("[[page]]") :])
    open_file(opened)
    do(opened, "create-load-configuration users=2 duration=200ms")
    hint = "one iteration needs about 107 s, all of it think time, and the load lasts 0.2 s"
    assert hint in listener.said[-1]
    assert listener.said[-1].endswith("raise duration, or set think_time")
    path = opened.case_path.with_name("shop.load.toml")
    path.write_text(path.read_text().replace("\n[[case]]", '\ngrace = "0s"\n\n[[case]]'))
    listener.said.clear()
    with pytest.raises(CommandError, match=r"inconclusive: test case .* finished no iteration"):
        do(opened, "start")
    begun = next(n for n, line in enumerate(listener.said) if line.startswith("Load test shop"))
    assert hint in listener.said[begun + 1]
    do(opened, "create-load-configuration users=2 duration=3m --replace")
    assert listener.said[-1].startswith("Wrote")


@pytest.mark.parametrize(
    ("line", "name", "numbers"),
    [
        ("create load configuration users=5 duration=5s", "shop", (5, 5.0, 1.0)),
        ("create-load rush duration=90s ramp_up=1m", "rush", (20, 90.0, 60.0)),
        ("create-load rush.load.toml --users 3 --ramp-up 0s", "rush", (3, 60.0, 0.0)),
    ],
)
def test_name_and_numbers_are_said_in_the_command(
    opened: Console, tmp_path: Path, line: str, name: str, numbers: tuple[int, float, float]
) -> None:
    """In full or in short; a short run has a short ramp-up."""
    (tmp_path / "elsewhere").mkdir()
    do(opened, line.replace("rush", f"{tmp_path}/rush"))
    shares = (CaseShare("shop.case.toml"),)
    assert read_load(tmp_path / f"{name}.load.toml") == LoadConfiguration(name, shares, *numbers)


def test_load_configuration_elsewhere_finds_its_test_case(opened: Console, tmp_path: Path) -> None:
    """In another directory it names the test case from there; the directory is made."""
    do(opened, f"create-load {tmp_path}/load/nightly")
    path = tmp_path / "load" / "nightly.load.toml"
    assert read_load(path).cases == (CaseShare("../shop.case.toml"),)


def test_load_configuration_is_not_written_over_unasked(opened: Console, tmp_path: Path) -> None:
    """Somebody's file stays as it is until --replace; then it keeps their comments."""
    path = tmp_path / "shop.load.toml"
    path.write_text(f"# For the Monday rush.\n{USUAL}")
    with pytest.raises(CommandError, match="would be written over: give --replace"):
        do(opened, "create-load users=50")
    assert path.read_text() == f"# For the Monday rush.\n{USUAL}"
    do(opened, "create-load users=50 --replace")
    assert path.read_text() == f"# For the Monday rush.\n{USUAL}".replace("20", "50")


def test_person_is_asked_before_a_file_is_written_over(
    opened: Console, listener: Listener, tmp_path: Path
) -> None:
    """With a person there, a yes will do."""
    (tmp_path / "shop.load.toml").write_text(USUAL)
    listener.answers = [True]
    do(opened, "create-load users=50")
    assert listener.asked == ["shop.load.toml would be written over. Replace?"]
    assert read_load(tmp_path / "shop.load.toml").users == 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("users=0", "users: must be at least 1, got 0"),
        ("duration=soon", "--duration must be a duration such as 30s, 5m or 1h30m, not 'soon'"),
        ("duration=1m ramp_up=2m", "ramp_up: must not be longer than 'duration'"),
        ("rush.toml", "rush.toml is not the name of a load configuration"),
    ],
)
def test_wrong_number_is_refused(
    opened: Console, tmp_path: Path, arguments: str, message: str
) -> None:
    """What the file could not hold is named, and nothing is written."""
    with pytest.raises(UsageError, match=message):
        do(opened, f"create-load {arguments}")
    assert list(tmp_path.glob("*.load.toml")) == []


def test_test_case_is_saved_first(opened: Console, server: Server, tmp_path: Path) -> None:
    """A load test runs files: what is only in the console would not be in it."""
    (tmp_path / "shop.load.toml").write_text(ONCE)
    do(opened, "delete 2")
    for line in ("create-load other", "start"):
        with pytest.raises(CommandError, match=r"runs shop\.case\.toml, and .* not saved: `save`"):
            do(opened, line)
    assert not (tmp_path / "other.load.toml").exists()
    assert server.requests == []
    do(opened, "save")
    do(opened, "start")
    assert server.requests == ["GET /", "GET /"]


def test_nothing_to_start_is_said(session: Console, opened: Console) -> None:
    """Without a load configuration, the command that makes one is named."""
    with pytest.raises(CommandError, match=r"there is no shop\.load\.toml: `create-load-con"):
        do(opened, "start")
    with pytest.raises(CommandError, match=r"there is no load configuration .*rush\.load\.toml$"):
        do(opened, "start rush")
    (session.case_path.with_name("night.load.toml")).write_text(ONCE)
    for line in ("start", "start rush", "start rush.toml", "load rush", "load trial rush"):
        with pytest.raises(CommandError, match=r"; there is night\.load\.toml(:|$)"):
            do(opened, line)
    session.document = None
    with pytest.raises(CommandError, match="there is no test case yet"):
        do(session, "start")


@pytest.mark.promise(66)
def test_start_runs_the_load_configuration(
    opened: Console, server: Server, listener: Listener, tmp_path: Path
) -> None:
    """Its report has each request that the server saw; the console goes on."""
    (tmp_path / "shop.load.toml").write_text(ONCE)
    do(opened, "start")
    assert sorted(server.requests) == ["GET /", "GET /", "GET /two", "GET /two"]
    assert "Once  " in listener.text
    assert "PASSED" in listener.text
    assert "(4 requests in" in listener.text
    assert not opened.done


def test_it_is_told_what_a_run_waits_for_in_the_end(
    opened: Console,
    server: Server,
    listener: Listener,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Users who think beyond the end of the run, for how long, and when they are cut off."""
    load = import_module("pytest_loadtool.console.commands.load")
    monkeypatch.setattr(load, "_FIRST_LINE", 0.1)
    monkeypatch.setattr(load, "_BETWEEN_LINES", 0.1)
    thinks = case(server.url, "GET /").replace('"Home"', '"Home"\nthink_time = "57s"')
    more = '[[page]]\nname = "Next"\n[[page.transaction]]\nrequest = "GET /two"\n'
    opened.case_path.write_text(f"{thinks}{more}")
    (tmp_path / "shop.load.toml").write_text(
        USUAL.replace("20", "2").replace("1m", "500ms").replace('"10s"', '"0s"\ngrace = "1s"')
    )
    with pytest.raises(CommandError, match="inconclusive"):
        do(opened, "start")
    assert re.search(
        r"^ +2 users are in think time, longest 5\d s more; cut in [01] s$", listener.text, re.M
    )


@pytest.mark.promise(126)
def test_percentiles_of_pages_are_turned_on(
    opened: Console, server: Server, listener: Listener, tmp_path: Path
) -> None:
    """Only then a page has p95 and p99 in the report."""
    (tmp_path / "shop.load.toml").write_text(ONCE)
    columns = {}
    for value in ("false", "true"):
        do(opened, f"load set detailed_pages {value}")
        listener.clear()
        do(opened, "start")
        [line] = re.findall(r"^  \w.* 2 +0 .*$", listener.text, re.MULTILINE)
        columns[value] = line.split()[-3:-1]
    assert columns["false"] == ["–", "–"]
    assert all(re.fullmatch(r"[\d.,]+", one) for one in columns["true"])
    assert len(server.requests) == 8


def test_start_runs_what_was_created_last(
    opened: Console, server: Server, listener: Listener, tmp_path: Path
) -> None:
    """One that was just created under another name is meant; a name says otherwise."""
    (tmp_path / "shop.load.toml").write_text(ONCE)
    do(opened, f"create-load {tmp_path}/rush users=1 duration=300ms")
    do(opened, "start")
    assert "Load test rush, rush.load.toml." in listener.text
    assert server.requests[:2] == ["GET /", "GET /two"]
    do(opened, f"start {tmp_path}/shop")
    assert "Load test Once, shop.load.toml." in listener.text


def test_load_can_go_to_another_server(opened: Console, server: Server, tmp_path: Path) -> None:
    """--server is what it is for `play`: another base URL."""
    (tmp_path / "shop.load.toml").write_text(ONCE)
    with serving() as other:
        do(opened, f"start --server {other.url}")
        assert len(other.requests) == 4
    assert server.requests == []


def test_load_test_that_does_not_pass_fails_the_command(
    opened: Console, server: Server, listener: Listener, tmp_path: Path
) -> None:
    """A script ends there, after the report; the reason is that of the verdict."""
    server.failing["/two"] = 1
    (tmp_path / "shop.load.toml").write_text(ONCE)
    with pytest.raises(CommandError, match=r"^load test failed: .*25 %") as failed:
        do(opened, "start")
    assert failed.value.status == 1
    assert "FAILED" in listener.text
    assert re.search(r"status codes +200: 3 +500: 1", listener.text)


def test_inconclusive_load_test_has_a_status_of_its_own(opened: Console, tmp_path: Path) -> None:
    """The one that pytest --load has for it, too."""
    (tmp_path / "users.csv").write_text("name\nann\nbob\ncarl\n")
    text = opened.case_path.read_text().replace("GET /two", "GET /?n=${users.name}")
    text += '\n[datasets.users]\nfile = "users.csv"\nreusable = false\n'
    opened.case_path.write_text(text)
    open_file(opened)
    (tmp_path / "shop.load.toml").write_text(
        ONCE.replace("iterations = 1", 'duration = "10m"').replace("users = 2", "users = 1")
    )
    with pytest.raises(CommandError, match=r"^load test inconclusive: ") as failed:
        do(opened, "start")
    assert failed.value.status == 10


def test_unverified_certificates_and_fixtures_are_pointed_out(
    opened: Console, server: Server, listener: Listener, tmp_path: Path
) -> None:
    """What a run in the console does not do as pytest does, it says."""
    text = case(server.url, "GET /", head='server_fixture = "shop"') + "[tls]\nverify = false\n"
    opened.case_path.write_text(text)
    open_file(opened)
    (tmp_path / "shop.load.toml").write_text(ONCE)
    do(opened, "start")
    assert "Certificates are not verified: the test case A visit to the shop" in listener.text
    assert f"goes to {server.url}, where it was recorded" in listener.text


def test_person_is_asked_for_a_load_configuration(
    opened: Console, listener: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Model, numbers, think times, weights, what must hold; a slip is asked again, `back` works,
    Enter takes what is shown. What runs in the end is a line with options."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "api.case.toml").write_text(opened.case_path.read_text())
    listener.interactive = True
    listener.lines = [
        "rate", "lots", "10/s", "", "5m", "back", "90s", "", "api.case.toml:3", "0.5",
        "p95 < 800 ms", "",
    ]  # fmt: skip
    do(opened, "create-load rush")
    made = read_load(tmp_path / "rush.load.toml")
    assert (made.rate, made.users, made.duration, made.ramp_up) == (10.0, 100, 90.0, 10.0)
    assert [one.weight for one in made.cases] == [1, 3]
    assert made.think_time.scale == 0.5
    assert [one.text for one in made.thresholds] == ["p95 < 800 ms"]
    assert listener.asked.count("For how long?") == 2
    assert [one.line.partition(" ")[0] for one in opened.log.entries[-2:]] == [
        "create-load-configuration", "load",
    ]  # fmt: skip
    assert "--rate=10/s --users=100 --duration=90s" in opened.log.entries[-2].line
    assert re.search(r"^A visit to the shop \(2\) ", listener.text, re.M)  # both have that name


def test_proposed_ramp_up_fits_into_the_duration(
    opened: Console, listener: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So Enter is always an answer, and the number of steps is known from the beginning."""
    monkeypatch.chdir(tmp_path)
    listener.interactive = True
    listener.lines = ["users", "2", "5s", "", "", "", ""]
    do(opened, "create-load short")
    assert read_load(tmp_path / "short.load.toml").ramp_up == 1.0
    steps = [line for line in listener.said if ", step " in line][1:]
    assert [line.partition(", ")[2] for line in steps] == [f"step {n} of 7" for n in range(2, 8)]


def test_options_say_what_a_load_configuration_has(opened: Console, tmp_path: Path) -> None:
    """Stages, think times and what must hold, without a question."""
    (tmp_path / "api.case.toml").write_text(opened.case_path.read_text())
    do(
        opened,
        f"create-load {tmp_path}/rush --stage 50:10m:2m --stage 0:1m:1m --think-time 5s "
        f"--case {tmp_path}/api.case.toml:2 --threshold 'p95 < 800 ms'",
    )
    made = read_load(tmp_path / "rush.load.toml")
    assert [(one.users, one.duration, one.ramp) for one in made.stages] == [
        (50, 600.0, 120.0), (0, 60.0, 60.0),
    ]  # fmt: skip
    assert made.think_time.cap == 5.0
    assert made.cases == (CaseShare("shop.case.toml"), CaseShare("api.case.toml", 2))


def test_load_shows_what_it_comes_to(opened: Console, listener: Listener, tmp_path: Path) -> None:
    """Users over time, iterations, rows; what is missing is told before anything is sent."""
    text = opened.case_path.read_text()
    (tmp_path / "users.csv").write_text("username\nann\nben\nzoe\n")
    used = '[datasets.users]\nfile = "users.csv"\nsharable = false\n[[page]]\nthink_time = "30s"'
    text = text.replace("GET /two", "GET /two?u=${users.username}")
    opened.case_path.write_text(text.replace("[[page]]", used) + text[text.index("[[page]]") :])
    open_file(opened)
    do(opened, "create-load users=50 duration=10m ramp-up=2m")
    listener.said.clear()
    do(opened, "load")
    assert listener.said[0] == "shop  shop.load.toml"
    assert listener.said[1] == "50 users for 10 min (ramp-up 2 min)"
    assert listener.said[2].startswith("50 users |")
    assert any(re.fullmatch(r" +0 \|0 +2min +10min", line) for line in listener.said)
    assert "one iteration   30 s, all of it think time" in listener.said
    assert "users (users.csv): 3 of 50 rows that are needed, 47 missing" in listener.text
    assert listener.said[-1].startswith("! dataset 'users' (users.csv) has 3 rows, and 50 are")


def test_value_of_a_load_configuration_is_set(
    opened: Console, listener: Listener, tmp_path: Path
) -> None:
    """Comments stay; what it comes to is shown; `undo` takes it back."""
    path = tmp_path / "shop.load.toml"
    path.write_text(f"# For the Monday rush.\n{USUAL}")
    do(opened, "load set duration 10m")
    assert path.read_text() == f"# For the Monday rush.\n{USUAL}".replace('"1m"', '"10m"')
    assert "20 users for 10 min (ramp-up 10 s)" in listener.said
    do(opened, "undo")
    assert path.read_text() == f"# For the Monday rush.\n{USUAL}"
    with pytest.raises(UsageError, match="did you mean 'duration'"):
        do(opened, "load-set durtion 1m")
    with pytest.raises(UsageError, match=r"there is no test case pay\.case\.toml"):
        do(opened, f"load-set case {tmp_path}/pay.case.toml:3")
    do(opened, "load-set duration 1m")
    assert listener.said[-1] == "shop.load.toml says so already."
    with pytest.raises(UsageError, match=r"load-set needs VALUE\.\.\."):
        do(opened, "load set users")


def test_values_of_several_words_need_no_quotes(opened: Console, tmp_path: Path) -> None:
    """Stages, and what must hold; quoted they mean the same."""
    path = tmp_path / "shop.load.toml"
    for quote in ("", "'"):
        path.write_text(USUAL)
        do(opened, f"load set stages {quote}5:10s:2s 10:20s:10s{quote}")
        do(opened, f"load set threshold {quote}p95 < 800 ms{quote}")
        made = read_load(path)
        assert [(one.level, one.duration) for one in made.stages] == [(5, 10), (10, 20)]
        assert any("p95 < 800 ms" in str(one) for one in made.thresholds)


def test_trial_is_one_iteration_of_one_user(
    opened: Console, server: Server, listener: Listener, tmp_path: Path
) -> None:
    """Whatever the load is, and without what must hold of all of it."""
    slow = opened.case_path.read_text().replace("[[page]]", '[[page]]\nthink_time = "1h"')
    opened.case_path.write_text(slow + slow[slow.index("[[page]]") :])
    open_file(opened)
    begun = USUAL.replace("\n\n[[case]]", '\nthresholds = ["throughput > 900/s"]\n\n[[case]]')
    (tmp_path / "shop.load.toml").write_text(begun)
    do(opened, "load trial --fast")
    assert server.requests == ["GET /", "GET /two"] * 2
    assert "1 user, 1 iteration each" in listener.text
    assert "PASSED" in listener.text


def test_a_value_ends_where_an_option_begins(opened: Console, tmp_path: Path) -> None:
    """Also one of several words; and a test case has a schedule of its own by such words."""
    path = tmp_path / "other.load.toml"
    path.write_text(ONCE)
    night = tmp_path / "night.case.toml"
    night.write_text(opened.case_path.read_text())
    do(opened, f"load set case {night} users=3 duration=2m start=1m --file {path}")
    do(opened, f"load set --file {path} threshold p95 < 800 ms")
    written = read_load(path)
    (shared, own) = written.populations
    assert (shared.schedule.users, own.schedule.users, own.schedule.start) == (2, 3, 60.0)
    assert [one.text for one in written.thresholds] == ["p95 < 800 ms"]
    with pytest.raises(UsageError, match="needs VALUE"):
        do(opened, f"load set users --file {path}")
