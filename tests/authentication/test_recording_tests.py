"""Tests that log in by HTTP authentication, or with a token of their own, and are recorded: their
test cases log in, too."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from pytest_loadtool.casefile import read_case, read_dataset
from tests.authentication.accounts import USERS
from tests.authentication.peer import Peer
from tests.console.running import run
from tests.frameworks.site import serving

(USER, PASSWORD), (OTHER, OTHERS_PASSWORD) = USERS
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"

TESTS = """\
import httpx

def page(recorder, path, auth=None, **headers):
    with httpx.Client(auth=auth, headers=headers, **recorder.httpx) as client:
        for _ in range(2):
            assert client.get(path).status_code == 200
"""
BASIC = f"""
def test_basic(loadtool_recorder):
    page(loadtool_recorder, "<server>/basic/one/page", ("{USER}", "{PASSWORD}"))

def test_other(loadtool_recorder):
    page(loadtool_recorder, "<server>/basic/two/page", ("{OTHER}", "{OTHERS_PASSWORD}"))
"""
DIGEST = f"""
def test_digest(loadtool_recorder):
    page(loadtool_recorder, "<server>/digest/page", httpx.DigestAuth("{USER}", "{PASSWORD}"))
"""
BEARER = f"""
def test_bearer(loadtool_recorder):
    page(loadtool_recorder, "<server>/me", Authorization="Bearer {TOKEN}")
"""


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """It knows one token, which it gives to nobody."""

    @Request.application
    def application(request: Request) -> Response:
        right = request.headers.get("Authorization") == f"Bearer {TOKEN}"
        return Response("it is you", status=200 if right else 401)

    with serving(application) as url:
        yield url


def recorded(folder: Path, tests: str, *arguments: str) -> str:
    """What the report of a run says that recorded these tests."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_api.py").write_text(TESTS + tests, encoding="utf-8")
    return run(folder, "--record-from-tests", "cases", *arguments, "test_api.py").stdout


def columns(folder: Path) -> dict[str, str]:
    """Of the one dataset there is, which is its owner's alone and not for version control."""
    (file,) = (folder / "cases").rglob("*.csv")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert f"/{file.name}\n" in file.with_name(".gitignore").read_text()
    dataset = read_dataset(file)
    (row,) = dataset.rows
    return dict(zip(dataset.columns, row, strict=True))


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_they_log_in_as_the_tests_did(
    apache: Peer, service: str, tmp_path: Path, workers: tuple[str, ...]
) -> None:
    """Basic, Digest and a constant token, in one dataset, and in none of the test cases."""
    tests = (BASIC + DIGEST).replace("<server>", apache.url("http"))
    said = recorded(tmp_path, tests + BEARER.replace("<server>", service), *workers)
    assert columns(tmp_path) == {
        f"{USER}_password": PASSWORD,
        f"{OTHER}_password": OTHERS_PASSWORD,
        "token": TOKEN,
    }
    assert said.count("credentials.csv, column alice_password") == 2
    assert "a token that no response gave out is in" in said
    files = sorted((tmp_path / "cases").rglob("*.case.toml"))
    assert len(files) == 4
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert not any(one in text for one in (PASSWORD, OTHERS_PASSWORD, TOKEN))
        assert len(list(read_case(file).transactions())) == 2
    mark = apache.log.mark()
    done = run(tmp_path, "cases")
    assert "4 passed" in done.stdout
    users = [one.user for one in apache.log.since(mark, 7) if one.status == 200]
    assert sorted(users) == [USER] * 4 + [OTHER] * 2


def test_a_password_that_no_recording_knows(apache: Peer, tmp_path: Path) -> None:
    """Of Digest there is a hash alone: the report says where to write the password, and what a
    person has written stays when it is recorded again."""
    tests = DIGEST.replace("<server>", apache.url("http"))
    said = recorded(tmp_path, tests)
    assert "no recording knows its password. Write it into" in said
    assert columns(tmp_path) == {f"{USER}_password": ""}
    (file,) = (tmp_path / "cases").rglob("*.csv")
    file.write_text(f"{USER}_password\n{PASSWORD}\n")
    assert "1 passed" in run(tmp_path, "cases").stdout
    said = recorded(tmp_path, tests, "--record-replace")
    assert columns(tmp_path) == {f"{USER}_password": PASSWORD}
    assert "1 passed" in run(tmp_path, "cases").stdout
