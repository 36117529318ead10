"""The steps as functions: traffic in, a saved test case out, and nobody to ask."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case, read_har
from pytest_loadtool.errors import RecordingError
from pytest_loadtool.workflow.building import build, read_document
from pytest_loadtool.workflow.configuring import configure, decisions
from pytest_loadtool.workflow.errors import NothingRecordedError
from pytest_loadtool.workflow.project import Project
from pytest_loadtool.workflow.recording import Captured
from pytest_loadtool.workflow.saving import check_savable, reminders, save
from tests.console.traffic import THIRD_PARTY, sign_in, write_har


def test_from_traffic_to_a_saved_test_case(tmp_path: Path) -> None:
    """Each step returns data, and what there is to say of it as lines."""
    har = write_har(tmp_path / "in.har", *sign_in("http://127.0.0.1:9"))
    project, path = Project(tmp_path), tmp_path / "new" / "shop.case.toml"
    captured = Captured(read_har(har), har, unverified={"127.0.0.1": "self-signed"})
    built = build(project, path, captured)
    assert built.notes[1:] == (
        "  the certificate of 127.0.0.1 is not trusted (self-signed): replay will not check it",
    )
    assert built.document.evidence == har
    document = configure(project, path, built.document)
    assert [one.variable for one in decisions(document) if one.variable] == ["csrf_token[1]"]
    check_savable(document, path)
    saved = save(project, document, path)
    assert saved.document == read_document(project, path).document
    assert not read_case(path).tls.verify
    assert any("holds what was typed" in line for line in reminders(project, path, saved))
    assert THIRD_PARTY in {one.url.rpartition("/")[0] for one in read_har(har)}


def test_no_traffic_is_no_test_case(tmp_path: Path) -> None:
    """It is an error of recording, with what there was in its notes."""
    captured = Captured((), tmp_path / "none.har", problem="the disk is full")
    with pytest.raises(NothingRecordedError) as caught:
        build(Project(tmp_path), tmp_path / "shop.case.toml", captured)
    assert isinstance(caught.value, RecordingError)
    assert caught.value.notes == ("  not all of it is on disk: the disk is full",)


def test_no_interface_is_needed() -> None:
    """Importing every module of the room imports neither a console nor pytest; mitmproxy is
    imported when something is recorded."""
    program = """
import importlib, pkgutil, sys
import pytest_loadtool.workflow as room
for one in pkgutil.iter_modules(room.__path__):
    importlib.import_module(f"{room.__name__}.{one.name}")
known = {".".join(one.split(".")[:2]) for one in sys.modules}
wrong = {"pytest", "pytest_loadtool.console", "pytest_loadtool.plugin"}
assert not known & (wrong | {"prompt_toolkit", "mitmproxy"}), known
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
