"""Importing and saving."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from pytest_loadtool.casefile import HarWriter, read_case, read_har
from pytest_loadtool.casefile.har.exchange import entry_from
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from pytest_loadtool.engine.prepare.resources import compile_from
from pytest_loadtool.model.tls import TlsSettings
from tests.console.listener import Listener, do
from tests.console.negotiated import with_basic
from tests.console.samples import LOGIN_PAGE
from tests.console.traffic import write_har

PAGE = replace(
    LOGIN_PAGE,
    request_headers=(("Accept", "text/html"),),
    response_body=b"<title>Welcome</title>",
)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A HAR file somewhere else."""
    path = tmp_path / "downloads.har"
    writer = HarWriter(path)
    writer.append(PAGE)
    writer.close()
    return path


@pytest.mark.promise(7)
def test_har_becomes_a_test_case(session: Console, listener: Listener, export: Path) -> None:
    """An import is a test case like one from the proxy, and is saved with its traffic."""
    do(session, f"import {export}")
    assert "1 page, 1 transaction" in listener.text
    do(session, "save")
    case = read_case(session.case_path)
    assert [page.name for page in case.pages] == ["Welcome"]
    assert read_har(session.case_path.with_name("shop.har")) == (PAGE,)
    assert export.exists()
    assert not session.unsaved


def test_saved_test_case_is_opened_again(
    session: Console, listener: Listener, export: Path
) -> None:
    """What was saved is what the next console shows, traffic included."""
    do(session, f"import {export}")
    do(session, "save")
    saved = session.document
    session.document = session.saved = None
    open_file(session)
    assert session.document == saved
    assert not session.unsaved


def test_unsaved_test_case_is_not_dropped_unasked(session: Console, export: Path) -> None:
    """A second import needs a word about the first one."""
    do(session, f"import {export}")
    first = session.document
    with pytest.raises(CommandError, match="`save` it, or give `import --discard`"):
        do(session, f"import {export}")
    assert session.document is first
    do(session, f"import {export} --discard")


def test_import_over_an_opened_test_case_does_not_save_over_it_unasked(
    session: Console, export: Path
) -> None:
    """A new recording replaces the file of an old one only when that is said."""
    do(session, f"import {export}")
    do(session, "save")
    before = session.case_path.read_bytes()
    do(session, f"import {export}")
    with pytest.raises(CommandError, match=r"shop\.case\.toml and shop\.har would be written over"):
        do(session, "save")
    assert session.case_path.read_bytes() == before
    do(session, "save --replace")
    do(session, "save")


def test_save_elsewhere_leaves_files_where_they_are(session: Console, tmp_path: Path) -> None:
    """Those that the test case names relative to its folder; and back again."""
    do(session, f"import {write_har(tmp_path / 'in.har', *with_basic())}")
    do(session, f"test-case-configuration --dataset {tmp_path}/users.csv")
    document = session.opened()
    authority, client = trustme.CA(), tmp_path / "client.pem"
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    authority.issue_cert("ann").private_key_and_cert_chain_pem.write_to_path(client)
    tls = TlsSettings(ca="ca.pem", client_certificate=str(client))
    session.document = replace(document, case=replace(document.case, tls=tls))
    do(session, f"save {tmp_path}/cases/login")
    case = read_case(tmp_path / "cases" / "login.case.toml")
    assert [one.file for one in case.datasets] == ["../users.csv"]
    assert case.tls == replace(tls, ca="../ca.pem")
    assert compile_from(tmp_path / "cases" / "login.case.toml", case).datasets
    do(session, f"save {tmp_path}/shop")
    case = read_case(tmp_path / "shop.case.toml")
    assert ([one.file for one in case.datasets], case.tls) == (["users.csv"], tls)


def test_save_elsewhere_makes_the_directory(session: Console, export: Path, tmp_path: Path) -> None:
    """`save cases/login` writes cases/login.case.toml and its traffic."""
    do(session, f"import {export}")
    do(session, f"save {tmp_path}/cases/login")
    assert sorted(path.name for path in (tmp_path / "cases").iterdir()) == [
        "login.case.toml",
        "login.har",
    ]
    assert session.case_path == tmp_path / "cases" / "login.case.toml"


@pytest.mark.parametrize("text", ["", "{}", '{"log": {"entries": 3}}', "\x00"])
def test_file_that_is_no_har_is_refused(session: Console, tmp_path: Path, text: str) -> None:
    """A file that holds no traffic is named, without a traceback."""
    path = tmp_path / "broken.har"
    path.write_text(text)
    with pytest.raises(CommandError, match=r"broken\.har"):
        do(session, f"import {path}")


def test_file_that_is_not_there_is_refused(session: Console) -> None:
    """A typo in a file name is told apart from a broken file."""
    with pytest.raises(CommandError, match=r"nowhere\.har: no such file"):
        do(session, "import nowhere.har")


def test_har_without_exchanges_is_nothing(session: Console, tmp_path: Path) -> None:
    """An empty export makes no test case."""
    HarWriter(tmp_path / "empty.har").close()
    with pytest.raises(CommandError, match="nothing was recorded") as caught:
        do(session, f"import {tmp_path}/empty.har")
    assert caught.value.status == 5


def test_one_bad_entry_does_not_cost_the_file(
    session: Console, listener: Listener, tmp_path: Path
) -> None:
    """Import names what it leaves out, `show fidelity` again, and all that is left is saved."""
    good, bad, line, gone = (json.loads(json.dumps(entry_from(PAGE))) for _ in range(4))
    bad["response"]["content"] = {"text": "AAAAA", "encoding": "base64"}
    line["request"]["headers"].append({"name": "GET /idcta/config?callback HTTP/1.1", "value": ""})
    gone["request"] = None
    log = {"creator": {"name": "WebPagetest"}, "entries": [good, bad, line, gone]}
    path = tmp_path / "downloads.har"
    path.write_text(json.dumps({"log": log}))
    do(session, f"import {path}")
    for said in (
        "could not be read, left out: 1",
        "log.entries[3].request: missing",
        "left out, as it could not be read: response.content.text: bad base64",
        "a line among the headers that is none is left out: GET /idcta/config?callback HTTP/1.1",
    ):
        assert said in listener.text
    do(session, "save")
    document = session.document
    session.document = session.saved = None
    open_file(session)
    assert session.document == document
    listener.said.clear()
    do(session, "show fidelity")
    assert "4 exchanges recorded: 3 in the test case, 1 not." in listener.text
    assert "log.entries[3].request: missing" in listener.text
