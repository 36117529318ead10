"""Files that a test case uploads: written by `save`, and never over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case, read_har
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from pytest_loadtool.errors import FileError
from pytest_loadtool.replay.user.cookies import CookieJar
from pytest_loadtool.structure.uses import case_files
from pytest_loadtool.workflow.replaying import plan_of
from tests.console.listener import Listener, do
from tests.console.traffic import exchange, write_har

SERVER = "http://shop.test"
PNG = b"\x89PNG\r\n\x1a\n\xff\xfe"
TYPE = ("Content-Type", "multipart/form-data; boundary=X")


def export(path: Path, content: bytes = PNG) -> Path:
    """Traffic of a form with a password and a picture."""
    field = "--X\r\nContent-Disposition: form-data; name="
    form = f'{field}"password"\r\n\r\ncorrect horse 7\r\n{field}"picture"; filename="leaf.png"'
    body = form.encode() + b"\r\n\r\n" + content + b"\r\n--X--\r\n"
    sent = replace(exchange("POST", f"{SERVER}/upload", 1, TYPE), request_body=body)
    page = exchange("GET", f"{SERVER}/", 0, ("Accept", "text/html"), answer="<title>Form</title>")
    return write_har(path, page, sent)


@pytest.fixture
def saved(session: Console, tmp_path: Path) -> Path:
    """The folder with files of a test case that was imported and saved."""
    do(session, f"import {export(tmp_path / 'in.har')}")
    do(session, "save")
    return tmp_path / "shop.files"


def contents(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir()}


def test_save_writes_them(session: Console, listener: Listener, saved: Path) -> None:
    """Beside the test case, which names them; the next console has the same."""
    assert contents(saved) == {"leaf.png": PNG}
    assert "shop.files has 1 file that it uploads." in listener.text
    assert case_files(read_case(session.case_path)) == ("shop.files/leaf.png",)
    known = session.document
    session.document = session.saved = None
    open_file(session)
    assert session.document == known
    (saved / "leaf.png").unlink()
    with pytest.raises(FileError, match=r"shop.files/leaf.png: no such file \(the folder shop"):
        open_file(session)


def test_save_leaves_what_is_there(session: Console, tmp_path: Path, saved: Path) -> None:
    """A file that a person has put there, and one of an earlier recording."""
    (saved / "leaf.png").write_bytes(b"another leaf")
    do(session, "save")
    assert contents(saved) == {"leaf.png": b"another leaf"}
    do(session, f"import {export(tmp_path / 'new.har')}")
    do(session, "save --replace")
    assert contents(saved) == {"leaf.png": b"another leaf", "leaf-2.png": PNG}
    assert case_files(read_case(session.case_path)) == ("shop.files/leaf-2.png",)
    do(session, f"import {export(tmp_path / 'same.har')}")
    do(session, "save --replace")
    assert set(contents(saved)) == {"leaf.png", "leaf-2.png"}


def test_save_elsewhere(session: Console, tmp_path: Path, saved: Path) -> None:
    """What was saved before stays where it is; what was not goes along."""
    do(session, f"save {tmp_path}/cases/other")
    assert case_files(read_case(tmp_path / "cases" / "other.case.toml")) == (
        "../shop.files/leaf.png",
    )
    do(session, f"import {export(tmp_path / 'new.har', PNG + PNG)}")
    do(session, f"save {tmp_path}/third")
    assert case_files(read_case(tmp_path / "third.case.toml")) == ("third.files/leaf.png",)
    assert contents(tmp_path / "third.files") == {"leaf.png": PNG + PNG}
    assert contents(saved) == {"leaf.png": PNG}


def test_undone_and_saved_again(session: Console, tmp_path: Path, saved: Path) -> None:
    """What was there before another recording comes back, and finds its file. That a file has got
    another name is a change, too."""
    do(session, f"import {export(tmp_path / 'new.har', PNG + PNG)}")
    do(session, "save --replace")
    do(session, "undo")
    do(session, "undo")
    do(session, "save --replace")
    assert contents(saved) == {"leaf.png": PNG, "leaf-2.png": PNG + PNG}
    assert case_files(read_case(session.case_path)) == ("shop.files/leaf.png",)


def test_replaying_before_it_was_saved(session: Console, tmp_path: Path) -> None:
    """From the traffic."""
    do(session, f"import {export(tmp_path / 'in.har')}")
    plan = plan_of(session.settings, session.case_path, session.opened())
    assert PNG in plan.steps[1].render([*plan.initial], CookieJar())


def test_save_with_stand_ins(session: Console, tmp_path: Path, saved: Path) -> None:
    """The password beside the picture goes; the picture stays as it is, in the traffic too."""
    do(session, "configure")
    do(session, "save --secrets dataset")
    body = [*read_case(session.case_path).transactions()][1].request.body
    assert '"password"\r\n\r\n${users.password}\r\n' in str(body)
    sent = read_har(tmp_path / "shop.har")[1].request_body
    assert b"correct horse 7" not in sent
    assert b'filename="leaf.png"\r\n\r\n' + PNG + b"\r\n--X--\r\n" in sent
    assert contents(saved) == {"leaf.png": PNG}


def test_views(session: Console, listener: Listener, saved: Path) -> None:
    """The recorded request with the size of the picture in its place; the fields with its name."""
    assert saved.is_dir()
    listener.said.clear()
    do(session, "show 2")
    assert 'filename="leaf.png"\n\n(10 bytes)\n--X--' in listener.text
    do(session, "fields 2")
    assert "picture.filename" in listener.text
    assert "${file:shop.files/leaf.png}" in listener.text


def test_import_page(session: Console, tmp_path: Path, saved: Path) -> None:
    """A page whose request has another picture of that name."""
    request, response = tmp_path / "request.txt", tmp_path / "response.txt"
    body = (
        b'--X\r\nContent-Disposition: form-data; name="p"; filename="leaf.png"\r\n\r\n\xff\r\n--X--'
    )
    request.write_bytes(
        b"POST /more HTTP/1.1\r\nHost: shop.test\r\n"
        b"Content-Type: multipart/form-data; boundary=X\r\n\r\n" + body
    )
    response.write_bytes(b"HTTP/1.1 204 No Content\r\n\r\n")
    do(session, f"import-page {request} {response}")
    do(session, "save")
    assert contents(saved) == {"leaf.png": PNG, "leaf-2.png": b"\xff"}
    assert case_files(read_case(session.case_path)) == (
        "shop.files/leaf.png",
        "shop.files/leaf-2.png",
    )
