"""`import` of documents of other tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case, read_load
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.session import Console
from tests.casefile.foreign.test_jmeter import SHOP as PLAN
from tests.casefile.foreign.test_openapi import SHOP as API
from tests.casefile.foreign.test_postman import collection, item
from tests.console.listener import Listener, do


def test_a_command_of_curl_is_opened_and_saved(
    session: Console, listener: Listener, tmp_path: Path
) -> None:
    """It is a test case like any other; headers that all requests share stand once."""
    text = (
        "curl http://a/x -H 'X-A: 1' -H 'Accept: b'\ncurl -L http://a/y -H 'X-A: 1' -H 'Accept: b'"
    )
    (tmp_path / "copied.sh").write_text(text)
    do(session, f"import {tmp_path / 'copied.sh'}")
    assert listener.said[-4:] == [
        "copied.sh: curl command.",
        "Left out, or not as it was (1):",
        "  line 2: --location: what a redirect leads to is a request of its own in a test case",
        "The test case has 2 pages, 2 transactions.",
    ]
    do(session, "save")
    case = read_case(session.case_path)
    assert [header.name for header in case.headers] == ["X-A", "Accept"]
    assert [one.request.headers for one in case.transactions()] == [(), ()]


def test_a_plan_brings_its_load_and_its_dataset(
    session: Console, listener: Listener, tmp_path: Path
) -> None:
    """They are written beside the test case, which its load configuration names; files that are
    there stay."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "plan.jmx").write_text(PLAN)
    (tmp_path / "in" / "people.txt").write_text("ann;1234\n")
    do(session, f"import {tmp_path / 'in' / 'plan.jmx'}")
    assert listener.said[-2:] == ["  wrote shop.load.toml", "  wrote people.csv"]
    do(session, "save")
    load = read_load(tmp_path / "shop.load.toml")
    assert ([one.file for one in load.cases], load.users) == (["shop.case.toml"], 5)
    assert read_case(tmp_path / "shop.case.toml").datasets[0].name == "people"
    (tmp_path / "people.csv").write_text("login,pin\nme,1\n")
    do(session, f"import {tmp_path / 'in' / 'plan.jmx'} --discard")
    assert "people.csv is there already, and stays as it is" in listener.said[-1]
    assert (tmp_path / "people.csv").read_text() == "login,pin\nme,1\n"


def test_operations_of_an_api_go_to_a_folder(
    session: Console, listener: Listener, tmp_path: Path
) -> None:
    """One that is there already is not written over."""
    (tmp_path / "api.yaml").write_text(API)
    do(session, f"import {tmp_path / 'api.yaml'}")
    assert [one.name for one in sorted((tmp_path / "api").iterdir())] == [
        *("addItem.case.toml", "deleteItem.case.toml", "getItem.case.toml"),
    ]
    assert session.document is None
    with pytest.raises(CommandError, match="api is there already: move it away first"):
        do(session, f"import {tmp_path / 'api.yaml'}")


def test_values_of_an_environment(session: Console, tmp_path: Path) -> None:
    """--environment and --server say what the collection leaves open."""
    (tmp_path / "c.json").write_text(collection(item("a", url="{{api}}/x")))
    values = {"values": [{"key": "api", "value": "http://there"}]}
    (tmp_path / "e.json").write_text(json.dumps(values))
    do(session, f"import {tmp_path / 'c.json'} --environment {tmp_path / 'e.json'}")
    assert session.opened().case.server == "http://there"
    do(session, f"import {tmp_path / 'c.json'} --server http://here --discard")
    assert session.opened().case.server == "http://here"


@pytest.mark.parametrize(
    ("name", "text", "options", "message"),
    [
        ("x.txt", "wget http://a/", "", "expected a HAR file, or one of JMeter plans, OpenAPI"),
        ("x.sh", "curl http://a/", "--block-trackers", "--block-trackers are for HAR files"),
        ("x.har", '{"log": {"entries": []}}', "--server http://a", "are for documents of other"),
    ],
)
def test_what_cannot_be_imported(
    session: Console, tmp_path: Path, name: str, text: str, options: str, message: str
) -> None:
    """It says what was expected."""
    (tmp_path / name).write_text(text)
    with pytest.raises(CommandError) as caught:
        do(session, f"import {tmp_path / name} {options}")
    assert message in str(caught.value)
