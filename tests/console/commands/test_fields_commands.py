"""The Fields View."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.session import Console
from tests.console.listener import Listener
from tests.console.traffic import sign_in, write_har
from tests.plugin.serving import Server, serving


def do(session: Console, line: str) -> None:
    asyncio.run(execute(session, line))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Shows what was posted to it."""
    with serving() as server:
        yield server


@pytest.fixture
def configured(session: Console, server: Server, tmp_path: Path, listener: Listener) -> Console:
    """A console with a recorded sign-in, configured."""
    do(session, f"import {write_har(tmp_path / 'in.har', *sign_in(server.url))}")
    do(session, "configure")
    listener.said.clear()
    return session


def body(session: Console) -> str:
    text = list(session.opened().case.transactions())[1].request.body
    assert isinstance(text, str)
    return text


@pytest.mark.promise(25)
@pytest.mark.promise(26)
@pytest.mark.promise(70)
def test_fields_are_listed(configured: Console, listener: Listener) -> None:
    """With their datasource; what was correlated is gray, what was typed is sent as it was."""
    (token,) = configured.opened().case.variables
    do(configured, "fields 2")
    assert listener.said == [
        "POST /login",
        "PATH",
        "  path[1]   Constant value  login",
        "POST content",
        f"  token     Extractor[1]    ${{{token}}}",
        "  user      Constant value  ann",
        "  password  Constant value  corr…",
    ]
    assert listener.gray == [listener.said[4]]


@pytest.mark.promise(71)
def test_constant_is_set(configured: Console, listener: Listener) -> None:
    """And taken back, like any change."""
    do(configured, "set-field 2 password --constant 'a&b'")
    assert "password=a%26b" in body(configured)
    assert listener.said == ["password: Constant value, …"]
    do(configured, "undo")
    assert "password=correct+horse+7" in body(configured)


@pytest.mark.promise(71)
def test_dataset_is_set(configured: Console, tmp_path: Path, server: Server) -> None:
    """Its file lies beside the test case; the login then takes its row."""
    (tmp_path / "users.csv").write_text("username,password\nben,secret\n")
    do(configured, "set-field 2 user --dataset users.username")
    do(configured, "set-field 2 password dataset=users.password")
    assert [use.file for use in configured.opened().case.datasets] == ["users.csv"]
    assert body(configured).endswith("&user=${users.username}&password=${users.password}")
    do(configured, "save")
    with pytest.raises(CommandError, match="no column 'name': it has username, password"):
        do(configured, "set-field 2 user --dataset users.name")
    with pytest.raises(CommandError, match=r"others\.csv: no such file"):
        do(configured, "set-field 2 user --dataset others.name")
    with pytest.raises(UsageError, match=r"--dataset is DATASET\.COLUMN"):
        do(configured, "set-field 2 user --dataset users")


@pytest.mark.promise(71)
def test_variable_is_set(configured: Console) -> None:
    """A new one has the value that was there; then other fields can use it too."""
    do(configured, "set-field 2 user --variable name")
    assert configured.opened().case.variables["name"].value == "ann"
    do(configured, "set-field 2 password --variable name")
    assert body(configured).endswith("&user=${name}&password=${name}")
    with pytest.raises(UsageError, match=r"there is no variable 'nme': .*token"):
        do(configured, "set-field 2 password --variable nme")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("set-field 2 user", "needs one of --constant, --dataset and --variable"),
        ("set-field 2 user --constant a --variable b", "needs one of --constant"),
        ("set-field 2 usr --constant a", "has no field 'usr'; did you mean 'user'"),
        ("set-field 2 zzz --constant a", "has no field 'zzz'; `fields 2` lists them"),
        ("set-field 9 user --constant a", "there is no transaction 9"),
        ("fields 9", "there is no transaction 9"),
    ],
)
def test_slip_is_named(configured: Console, line: str, message: str) -> None:
    """Nothing is changed then."""
    before = configured.document
    with pytest.raises(UsageError, match=message):
        do(configured, line)
    assert configured.document is before
