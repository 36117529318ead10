"""Patterns that would not end on what a server has sent: the run goes on, and says which."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case, transaction

#: Both transactions get this back.
BODY = "body = 'name=" + "a" * 60 + "!'"

#: Each with the beginning of its failure.
SLOW = {
    "validator": ("validators = [{ regex = '(a|aa)+$' }]", "Regular expression took longer than "),
    "JSON validator": (
        "validators = [{ json = '''$[?(@ =~ \"(a|aa)+$\")]''' }]",
        "Regular expression took longer than ",
    ),
    "extractor": (
        "extractors = [{ variable = 'x', regex = '(a|aa)+$' }]",
        "Regular expression took longer than ",
    ),
    "with a placeholder": (
        "extractors = [{ variable = 'x', regex = '[nm]ame=${who}(a|aa)+$' }]",
        "Regular expression took longer than ",
    ),
    "what was catastrophic": (
        "validators = [{ regex = '(a+)+$' }]",
        "Regular expression does not match: '(a+)+$'",
    ),
}


def slow(server: Server, looked_for: str) -> str:
    """A case of two transactions, the first with what takes too long."""
    return case(
        server.url,
        transaction("POST /echo", BODY, looked_for),
        "GET /two",
        head='[variables]\nwho = "a"\nx = "y"\n',
    )


@pytest.mark.parametrize("kind", SLOW)
def test_in_a_replay(tmp_path: Path, server: Server, kind: str) -> None:
    """The transaction fails, and the next one is sent."""
    project = Project(tmp_path)
    looked_for, message = SLOW[kind]
    project.write(slow__case__toml=slow(server, looked_for))
    done = project.run("-v")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert f"POST /echo: {message}" in done.stdout
    assert "1 failed" in done.stdout
    assert server.requests == ["POST /echo", "GET /two"]


def test_in_a_load_test(tmp_path: Path, server: Server) -> None:
    """All workers report, and each such response counts."""
    project = Project(tmp_path)
    project.write(
        slow__case__toml=slow(server, SLOW["validator"][0]),
        rush__load__toml=load("slow.case.toml", users=2, duration="60s", more="iterations = 6"),
    )
    done = project.run("--load", "-n", "2", "--load-json", "out.json")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    counts = {
        error["message"].partition(" on ")[0]: error["count"] for error in project.json()["errors"]
    }
    assert counts == {
        "Regular expression took longer than 1 s": 6,  # three on each worker
        "Regular expression took longer than 20 ms": 6,
    }
    assert sorted(server.requests) == ["GET /two"] * 12 + ["POST /echo"] * 12
