"""Odd responses, end to end: each is a failure in words, or none."""

from __future__ import annotations

import socket
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.server import OK, Peer, Server, serving
from tests.hostile.own import OWN, case_of
from tests.plugin.loading import Project, load

#: How often each is met under load.
_ITERATIONS = 2


@contextmanager
def odd() -> Iterator[Server]:
    """The responses by their number, and one that is well."""
    answers = [one.answer for one in OWN.values()]

    def script(peer: Peer) -> None:
        peer.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while request := peer.request():
            target = request.split(b" ", 2)[1].partition(b"?")[0][1:]
            peer.send(answers[int(target)] if target.isdigit() else OK)

    with serving(script) as server:
        yield server


def file_of(name: str) -> str:
    return f"odd{list(OWN).index(name):02}.case.toml"


def write(project: Project, server: Server) -> None:
    for name in OWN:
        (project.path / file_of(name)).write_text(case_of(name, server.http), encoding="utf-8")


def test_replayed(pytester: pytest.Pytester) -> None:
    """Of a test case for each some pass; the others fail in words. No request holds what a response
    had hidden in a value."""
    project = Project(pytester.path, pytester)
    with odd() as server:
        write(project, server)
        done = project.run("--junitxml", "out.xml")
    assert "Traceback" not in done.stdout
    assert "INTERNALERROR" not in done.stdout
    told = dict(_told(pytester))
    wrong = [
        f"{name}: expected {one.says or 'nothing'!r}, was told: {said[:300]}"
        for name, one in OWN.items()
        for said in (told[file_of(name)],)
        if (one.says not in said if one.says else said)
    ]
    assert not wrong, "\n".join(wrong)
    assert len(told) == len(OWN)
    assert not [one for one in server.asked if b"\nX-Injected" in one.data]


@pytest.mark.alone
def test_under_load(tmp_path: Path) -> None:
    """A user for each, in two processes: those requests fail that fail in a replay, no other does,
    and every user has played to its end."""
    project = Project(tmp_path)
    with odd() as server:
        write(project, server)
        files = map(file_of, OWN)
        more = f"iterations = {_ITERATIONS}"
        text = load(*files, users=len(OWN), duration="60s", more=more)
        project.write(odd__load__toml=text)
        done = project.run("--load", "-n", "2", "--load-json", "out.json")
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stdout
    data = project.json()
    assert data["verdict"] == "failed"
    assert [one["state"] for one in data["workers"]] == ["final", "final"]
    assert {one["name"]: one["iterations"] for one in data["cases"]} == dict.fromkeys(
        OWN, _ITERATIONS
    )
    failed = {one["case"]: one["errors"] for one in data["transactions"] if one["errors"]}
    assert failed == {name: _ITERATIONS for name, one in OWN.items() if one.says}


def _told(pytester: pytest.Pytester) -> Iterator[tuple[str, str]]:
    """What is said of each file; nothing where it has passed."""
    for case in ET.parse(pytester.path / "out.xml").iter("testcase"):
        failures = (*case.iter("failure"), *case.iter("error"))
        said = "".join(f"{one.get('message')}\n{one.text}" for one in failures)
        yield f"{case.get('name')}.case.toml", said
