"""The console in a real terminal (tmux): what a person sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.casefile import read_case
from tests.console.negotiated import with_ntlm
from tests.console.running import fetch
from tests.console.terminal import Terminal, console
from tests.console.traffic import sign_in, write_har
from tests.plugin.serving import case, serving


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """`pytest --record shop.case.toml` at a terminal, without a browser."""
    with console(tmp_path) as opened:
        yield opened


@pytest.mark.promise(14)
@pytest.mark.promise(15)
@pytest.mark.promise(48)
def test_person_records_and_saves(terminal: Terminal, tmp_path: Path, shop: ShopServer) -> None:
    """Record, watch the counter, stop, see the tree, save, leave: all at a real terminal."""
    terminal.enter("record")
    proxy = terminal.wait_for(r"Recording through (http://127\.0\.0\.1:\d+)")[1]
    terminal.wait_for(rf"recording: 0 exchanges, proxy {proxy.removeprefix('http://')}")
    fetch(proxy, f"{shop.url}/")
    terminal.wait_for(rf"recorded GET {shop.url}/ 200")
    terminal.wait_for(r"recording: 1 exchange,")
    terminal.enter("quit")
    terminal.wait_for(r"Quit without a test case\?")
    terminal.enter("n")
    terminal.wait_for(r"^still here: `stop` makes the test case")
    terminal.enter("stop")
    terminal.wait_for(r"shop\.case\.toml: 1 page, 1 transaction \(unsaved\)")
    terminal.type("tre")
    terminal.press("Tab")
    terminal.wait_for(r"^loadtool> tree")
    terminal.enter("P1")  # a blank ends the word that was completed
    terminal.wait_for(r"^▾ \S+")
    terminal.wait_for(r"^ +1  GET  200  HTML +[\d.]+ k?B  /$")
    terminal.enter("save")
    terminal.wait_for(r"Saved shop\.case\.toml: 1 page, 1 transaction")
    # Ctrl-D means something to the prompt, not to a command that is still at work.
    terminal.wait_for(r"^shop\.case\.toml: 1 page, 1 transaction *$")
    terminal.press("C-d")
    terminal.wait_for(r"exit status 0")
    assert len(list(read_case(tmp_path / "shop.case.toml").transactions())) == 1


def test_a_traffic_file_is_opened(tmp_path: Path) -> None:
    """It is imported at once, for a test case of its name."""
    write_har(tmp_path / "in.har", *sign_in("http://127.0.0.1:9"))
    with console(tmp_path, "in.har") as terminal:
        terminal.wait_for(r"^loadtool> import in\.har$")
        terminal.wait_for(r"^in\.case\.toml: 1 page, 3 transactions \(unsaved\)")


def test_control_c_interrupts_a_command_and_not_the_console(terminal: Terminal) -> None:
    """A command that takes long is given up, the recording goes on, and so does the prompt."""
    terminal.enter("record")
    terminal.wait_for(r"Recording through")
    terminal.enter("wait 600")
    terminal.wait_for(r"Recording goes on; Ctrl-C ends the waiting\.")
    terminal.press("C-c")
    terminal.wait_for(r"^interrupted")
    terminal.wait_for(r"recording: 0 exchanges")
    terminal.enter("quit")
    terminal.wait_for(r"Quit without a test case\? \[y/N\]")
    terminal.enter("y")
    terminal.wait_for(r"exit status 2")


def test_program_has_the_terminal_while_it_runs(terminal: Terminal, shop: ShopServer) -> None:
    """What a program started with `run` prints is seen, and it can ask."""
    terminal.enter("record")
    terminal.wait_for(r"Recording through")
    terminal.enter(
        f"run sh -c 'echo name?; read name; curl -s -o x {shop.url}/?$name; echo ok $name'"
    )
    terminal.wait_for(r"^name\?")
    terminal.enter("teapot")
    terminal.wait_for(r"^ok teapot")
    terminal.wait_for(r"^1 exchange recorded\.")


def test_interrupted_program_leaves_the_terminal_alone(terminal: Terminal, tmp_path: Path) -> None:
    """What it has started may set the terminal back a moment later, as node does: the prompt comes
    after that."""
    later = "(trap '' INT; echo begun; sleep 1; stty sane < /dev/tty; touch gone) & sleep 60"
    terminal.enter("record")
    terminal.wait_for(r"Recording through")
    terminal.enter(f'run sh -c "{later}"')
    terminal.wait_for(r"^begun")
    terminal.press("C-c")
    terminal.wait_for(r"^interrupted")
    assert (tmp_path / "gone").exists()
    terminal.enter("help wait")
    terminal.wait_for(r"^Keep recording: ")
    assert terminal.screen().count("loadtool> help wait") == 1


@pytest.mark.promise(54)
@pytest.mark.promise(55)
def test_first_play_asks_about_the_hostnames(tmp_path: Path) -> None:
    """Ctrl-C at the question changes nothing; a slip is asked again; Enter leaves others out."""
    with serving() as server:
        server.token = "zY9xW8vU7tS6rQ5pO4"
        write_har(tmp_path / "in.har", *sign_in(server.url))
        with console(tmp_path) as terminal:
            terminal.enter("import in.har")
            terminal.wait_for(r"shop\.case\.toml: 1 page, 3 transactions \(unsaved\)")
            terminal.enter("play --fast")
            terminal.wait_for(r"^Which other hostnames stay \(numbers or names")
            terminal.press("C-c")
            terminal.wait_for(r"^given up: nothing was changed")
            assert server.requests == []
            terminal.enter("configure")
            terminal.wait_for(r"(?s)Which other hostnames.*Which other hostnames")
            terminal.enter("metric.example")
            terminal.wait_for(r"^no transaction goes to 'metric.example'; other hostnames: ")
            terminal.enter("")
            terminal.wait_for(
                r"(?s)^  configure --hosts none$.*^Run it \(yes, no, back\)\? \[yes\]"
            )
            terminal.enter("")
            terminal.wait_for(r"^1 dynamic value configured")
            terminal.enter("play --fast")
            terminal.wait_for(r"^  sends to http://127\.0\.0\.1:\d+$")
            terminal.wait_for(r"^Replay it \(yes, no\)\? \[no\]")
            terminal.enter("yes")
            terminal.wait_for(r"^2 transactions passed")
            terminal.enter("fields 2")
            terminal.wait_for(r"^# token +Extractor\[1\]")
            assert "[48;5;250m# token " in terminal.screen("-e")
            assert "250m  user " not in terminal.screen("-e")
            terminal.enter("save")
            terminal.wait_for(r"^Credentials and tokens: keep them in the files, or move them")
            terminal.enter("dataset")
            terminal.wait_for(r"^Moved username, password to shop\.users\.csv, which \.gitignore")
            terminal.enter("play --fast")
            terminal.wait_for(r"(?s)2 transactions passed.*2 transactions passed")
            terminal.enter("undo")
            terminal.wait_for(r"^Undid `save --secrets dataset`")
            terminal.enter("undo")
            terminal.wait_for(
                r"^Undid `configure --hosts none`\. The test case has 1 page, 3 transactions"
            )


@pytest.mark.promise(57)
@pytest.mark.promise(58)
@pytest.mark.promise(59)
@pytest.mark.promise(60)
def test_wizards_ask_who_the_users_are(tmp_path: Path) -> None:
    """The first play asks, and no password is seen; Ctrl-C gives up; then the login form is asked
    about, too."""
    with serving() as server:
        server.token = "zY9xW8vU7tS6rQ5pO4"
        form = [replace(one, started=one.started + 60) for one in sign_in(server.url)]
        write_har(tmp_path / "in.har", *with_ntlm(tmp_path, server.url), *form)
        with console(tmp_path) as terminal:
            terminal.enter("import in.har")
            terminal.wait_for(
                r"^  NTLM at 127\.0\.0\.1:\d+, recorded as EXAMPLE\\alice: `test-case"
            )
            terminal.enter("configure")
            terminal.wait_for(r"^Which other hostnames stay")
            terminal.enter("")
            terminal.wait_for(r"^Run it \(yes, no, back\)")
            terminal.enter("")
            terminal.wait_for(r"^1 dynamic value configured")
            terminal.enter("play --fast")
            terminal.wait_for(r"^Configure user identity for connection authentication \(yes, no\)")
            terminal.press("C-c")
            terminal.wait_for(r"^given up: nothing was changed")
            assert server.requests == []
            terminal.enter("play --fast")
            terminal.wait_for(r"(?s)Configure user identity.*Configure user identity")
            terminal.enter("")
            terminal.wait_for(
                r"^Use a dataset, or Share a username \(dataset, share\)\? \[dataset\]"
            )
            terminal.enter("")
            terminal.wait_for(r"made if there is none\? \[users\.csv\]")
            terminal.enter("")
            terminal.wait_for(r"^Password of alice \(for users\.csv\):")
            terminal.enter("secret1")
            terminal.wait_for(r"^Test Case Configuration, step 5 of 5$")
            terminal.wait_for(r"^  test-case-configuration --dataset users\.csv$")
            terminal.wait_for(r"^Run it \(yes, no, back\)\? \[yes\]")
            terminal.enter("")
            terminal.wait_for(r"^Wrote users\.csv, for you alone; \.gitignore names it")
            terminal.wait_for(r"^  reads the file users\.csv$")
            terminal.wait_for(r"^Replay it \(yes, no\)\? \[no\]")
            terminal.enter("yes")
            terminal.wait_for(r"^4 transactions passed")
            assert "secret1" not in terminal.screen()
            terminal.enter("user-identity")
            terminal.wait_for(r"now a row of users\.csv for each virtual user$")
            terminal.wait_for(r"^Change it \(yes, no\)\? \[no\]")
            terminal.enter("")
            terminal.wait_for(r"^  Login form 4 POST /login: user \(Constant value, ann\)")
            terminal.wait_for(r"^   2  value +a name that you type, for all virtual users$")
            terminal.wait_for(r"^user: a dataset, a value, or as it is")
            terminal.enter("value")
            terminal.wait_for(r"^Username\? \[ann\]")
            terminal.enter("ben")
            terminal.wait_for(r"^password: a dataset, a value, or as it is .*\[env\]")
            terminal.enter("keep")
            terminal.wait_for(r"^  user-identity 4 --field username --share ben$")
            terminal.enter("")
            terminal.enter("fields 4")
            terminal.wait_for(r"^\+ user +Constant value +ben")
            terminal.enter("undo")
            terminal.wait_for(r"^Undid `user-identity 4 --field")
            written = (tmp_path / "users.csv").read_text()
            assert written.endswith("\nalice,secret1,EXAMPLE\\alice\n")
            terminal.enter("undo")
            terminal.wait_for(r"^Undid `play --fast`\.")
    assert not (tmp_path / "users.csv").exists()  # the wizard had made it


@pytest.mark.promise(66)
def test_control_c_stops_a_load_test_and_not_the_console(tmp_path: Path) -> None:
    """What was measured until then is reported, and the next command runs."""
    with serving() as server:
        (tmp_path / "shop.case.toml").write_text(case(server.url, "GET /"))
        with console(tmp_path) as terminal:
            terminal.enter("create load configuration users=2 duration=10m ramp_up=0s")
            terminal.wait_for(r"^Wrote shop\.load\.toml: 2 users for 10m, ramp-up 0s")
            terminal.enter("start")
            terminal.wait_for(r"^Replay it \(yes, no\)\? \[no\]")
            terminal.enter("yes")
            terminal.wait_for(r"^ +\d s of 10 min: 2 users, .* requests")
            terminal.press("C-c")
            terminal.wait_for(r"^shop +INCONCLUSIVE *$")
            terminal.wait_for(r"^  \* stopped after \d")
            terminal.wait_for(r"^interrupted")
            terminal.enter("tree")
            terminal.wait_for(r"^ +1  GET")
            terminal.enter("quit")
            terminal.wait_for(r"exit status 0")
        assert server.requests


def test_person_holds_a_replay(tmp_path: Path) -> None:
    """Skip a think time, be held at a breakpoint, edit the request there, go on, stop; nothing
    is left of the lines that told where it was, nor of what was typed."""
    with serving() as server:
        text = case(server.url, "GET /1", "POST /echo?x=2", "GET /3")
        think = text.replace('name = "Home"', 'name = "Home"\nthink_time = "10m"')
        more = '[[page]]\nname = "Next"\n[[page.transaction]]\nrequest = "GET /silence"\n'
        (tmp_path / "shop.case.toml").write_text(f"{think}{more}")
        (tmp_path / "ed.sh").write_text('#!/bin/sh\nsed -i s/x=2/x=edited/ "$1"\n')
        (tmp_path / "ed.sh").chmod(0o755)
        with console(tmp_path, editor=str(tmp_path / "ed.sh")) as terminal:
            terminal.enter("break 2")
            terminal.wait_for(r"^`play` is held before 2 POST /echo\.")
            terminal.enter("play")
            terminal.wait_for(r"^Replay it \(yes, no\)\? \[no\]")
            terminal.enter("yes")
            terminal.wait_for(r"^page 1 of 2  Home  1 of 4  errors 0  held before 2 \(breakpoint\)")
            terminal.press("e")
            terminal.wait_for(r"^ +2 POST /echo goes out as edited\.")
            terminal.press("c")
            terminal.wait_for(r"thinking \d\.\d of 600\.0 s  elapsed \d:\d\d$")
            assert server.requests == ["GET /1", "POST /echo?x=edited", "GET /3"]
            terminal.press("Space")
            terminal.wait_for(r"thinking \d+\.\d of 600\.0 s \(paused\)")
            terminal.enter("think P1")
            terminal.wait_for(r"thinking \d+\.\d of 600\.0 s \(paused\)")
            terminal.press("Enter")
            terminal.wait_for(r"^page 2 of 2  Next  3 of 4  errors 0  elapsed")
            server.busy.wait()
            terminal.press("C-c")
            terminal.wait_for(r"^3 of 4 transactions passed until then\.\n+interrupted")
            terminal.wait_for(r"^loadtool> *$")
            screen = terminal.screen()
            assert "elapsed" not in screen
            assert "Enter skips" not in screen
            assert "think P1" not in screen  # Ctrl-C drops what waits
            terminal.enter("quit")
            terminal.wait_for(r"exit status 0")


def test_output_stands_below_its_command(terminal: Terminal, tmp_path: Path) -> None:
    """However fast lines come: typed ahead, each is shown, and below it what it says."""
    write_har(tmp_path / "in.har", *sign_in("http://127.0.0.1:9"))
    terminal.enter("import in.har")
    terminal.wait_for(r"`configure` finds")
    # At once: the terminal itself echoes what comes between two prompts.
    terminal.type("".join(f"think P1 {pause}\r" for pause in ("1s", "2s", "3s", "4s", "5s")))
    terminal.wait_for(r"^ +P1 +5s .*\nloadtool> *$")
    shown = [line.split()[:4] for line in terminal.lines() if re.match(r"loadtool> t|  P1 ", line)]
    expected = []
    for pause in ("1s", "2s", "3s", "4s", "5s"):
        expected += [["loadtool>", "think", "P1", pause], ["P1", pause, "Sign", "in"]]
    assert shown == expected


def test_line_that_is_typed_while_a_long_text_is_shown(tmp_path: Path) -> None:
    """It ends the text and is run; q only ends it, and Space goes on, at once."""
    with console(tmp_path, size=(80, 12)) as terminal:
        terminal.enter("help record")
        terminal.wait_for(r"lines: Enter goes on, q ends --")
        terminal.enter("think")
        terminal.wait_for(r"^loadtool> think\n.*there is no test case yet")
        terminal.enter("help record")
        terminal.wait_for(r"lines: Enter goes on, q ends --")
        terminal.press(" ")
        terminal.wait_for(r"-- 20 of \d+ lines: Enter goes on, q ends --")
        terminal.press("q")
        terminal.wait_for(r"help record\n(.*\n)+loadtool> *$")
        assert "there is no command" not in terminal.screen().lower()


def test_the_terminal_echoes_nothing_while_a_command_runs(
    terminal: Terminal, tmp_path: Path
) -> None:
    """What is typed meanwhile is for the next prompt, key by key and in order, or for the view that
    opens: nothing of it stands on the screen that the view leaves behind. A long text does not wait
    for whoever has typed on. A program that reads is written to as usual."""
    write_har(tmp_path / "in.har", *sign_in("http://127.0.0.1:9"))
    terminal.resize(150, 20)
    terminal.enter("record")
    terminal.wait_for(r"^recording: 0 exchanges")
    terminal.enter("wait 3")
    terminal.wait_for(r"Ctrl-C ends the waiting")
    terminal.type("help recorx\x7fd\rquit\rn\r\x04n\rhelp wait")
    terminal.enter('\x15!echo ready; read a; echo "<$a>"')
    terminal.wait_for(
        r"(?s)> help record\n.*> quit\n.*test case\? \[y/N\] n\nstill here.*y/N\] n\n"
    )
    terminal.wait_for(r"^ready$")
    terminal.enter("abc")
    terminal.wait_for(r"^abc\n<abc>$")
    terminal.enter("stop")
    terminal.enter("import in.har")
    terminal.wait_for(r"`configure` finds")
    terminal.wait_for(r"^loadtool> *$")
    terminal.press("F2")
    terminal.type("jj")
    terminal.wait_for(r"│ 2 GET https")
    terminal.type("q")
    screen = terminal.wait_for(r"^(?s:.*)^loadtool> view\n+loadtool> *$")[0]
    assert "jj" not in screen
    assert len(re.findall("!echo", screen)) == 1


def test_the_next_prompt_comes_after_all_that_was_said(tmp_path: Path) -> None:
    """Whoever types as soon as it is there does not write into the midst of a replay's lines. One q
    ends as many replays as there would be."""
    with serving() as server:
        (tmp_path / "shop.case.toml").write_text(case(server.url, *["GET /"] * 20))
        with console(tmp_path) as terminal:
            terminal.enter("play --fast")
            terminal.wait_for(r"Replay it \(yes, no\)\?")
            terminal.enter("yes")
            for count in range(1, 6):
                said = terminal.wait_for(rf"(?:> play --fast[^>]*){{{count}}}> *$")[0]
                assert said.count("20 transactions passed.") == count
                terminal.enter("play --fast")
            terminal.wait_for(r"(?:> play --fast[^>]*){6}> *$")
            terminal.enter("play --fast --loop")
            terminal.wait_for(r"^Replay 2$")
            terminal.press("q")  # whether it comes while one is played, or between two
            terminal.wait_for(r"^stopped(: \d+ of 20 transactions passed| after \d+ replays)\n")
