"""The User Identity Wizard with login forms."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_plus, urlencode

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.casefile import format_case, read_dataset
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from pytest_loadtool.model.exchange import Exchange
from tests.console.listener import Listener, do
from tests.console.running import ROOT
from tests.console.traffic import FORM, exchange, sign_in, write_har
from tests.plugin.serving import Server, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """An application with a login form."""
    with serving() as running:
        yield running


@pytest.fixture
def signed_in(session: Console, server: Server, tmp_path: Path, listener: Listener) -> Console:
    """A console with a recorded sign-in."""
    do(session, f"import {write_har(tmp_path / 'in.har', *sign_in(server.url))}")
    do(session, "configure")
    listener.said.clear()
    listener.asked.clear()
    return session


def body(session: Console) -> str:
    """What the form sends."""
    *_, last = session.opened().case.transactions()
    assert isinstance(last.request.body, str)
    return last.request.body.partition("&")[2]


@pytest.mark.promise(60)
def test_value_or_dataset_for_each_field(
    signed_in: Console, listener: Listener, server: Server, tmp_path: Path
) -> None:
    """The dataset has what was typed in its first row; what is sent then comes from it."""
    listener.lines = ["dataset", "", "dataset"]
    do(signed_in, "user-identity")
    assert (
        "  Login form 2 POST /login: user (Constant value, ann), password (Constant value)"
        in listener.said
    )
    assert [one.partition(" (")[0] for one in listener.asked] == [
        "user: a dataset, a value, or as it is",
        "A CSV or JSON file with the columns username, password, domain; made if there is none?",
        "password: a dataset, a value, or as it is",
        "Run it",
    ]
    assert body(signed_in) == "user=${users.username}&password=${users.password}"
    assert read_dataset(tmp_path / "users.csv").rows == (("ann", "correct horse 7", ""),)
    do(signed_in, "play --fast")
    assert server.requests[-1] == "POST /login"


@pytest.mark.promise(60)
def test_values(signed_in: Console, listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name as it is; a password from the environment: it does not go into the test case."""
    monkeypatch.delenv("SHOP_PASSWORD", raising=False)
    listener.lines = ["value", "ben & co", "env", "", ""]
    do(signed_in, "user-identity")
    assert "user-identity 2 --share 'ben & co' --password-env SHOP_PASSWORD" in listener.text
    assert body(signed_in) == "user=ben+%26+co&password=${SHOP_PASSWORD}"
    assert "Set SHOP_PASSWORD before it is replayed." in listener.said
    listener.lines = ["keep", "dataset", "other.csv", "correct horse 8"]
    do(signed_in, "user-identity 2")
    assert body(signed_in) == "user=ben+%26+co&password=${users.password}"


@pytest.mark.promise(60)
def test_one_field_each(
    signed_in: Console, listener: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The username from one place, the password from another; a password of somebody else than was
    recorded is the one that was typed. All of it is one step for `undo`, and in the session log are
    lines that a script can have."""
    monkeypatch.delenv("SHOP_PASSWORD", raising=False)
    before = body(signed_in)
    listener.lines = ["value", "ben", "dataset", "", "correct horse 8", "yes"]
    do(signed_in, "user-identity")
    assert body(signed_in) == "user=ben&password=${users.password}"
    assert read_dataset(tmp_path / "users.csv").rows == (("ben", "correct horse 8", ""),)
    assert [one.line for one in signed_in.log.entries[-2:]] == [
        "user-identity 2 --field username --share ben",
        "user-identity 2 --field password --dataset users.csv",
    ]
    do(signed_in, "undo")
    assert body(signed_in) == before
    assert "correct horse" not in signed_in.log.script()


@pytest.mark.promise(57)
@pytest.mark.promise(59)
def test_back_and_why(signed_in: Console, listener: Listener) -> None:
    """`back` asks the question before again, also from the last page; `?` says why it is asked;
    the steps are counted, as far as they depend on nothing that is still to be answered."""
    listener.lines = [
        "?", "value", "back", "back", "1", "users.csv", "dataset", "back", "keep", "no"
    ]  # fmt: skip
    before = body(signed_in)
    with pytest.raises(CommandError, match="nothing was changed"):
        do(signed_in, "user-identity 2")
    shown = [one for one in listener.said if one.startswith("User identity, step")]
    assert shown == [
        "User identity, step 1 of 2 to 5",
        "User identity, step 2 of 4 to 5",
        "User identity, step 1 of 2 to 5",
        "User identity, step 1 of 2 to 5",
        "User identity, step 2 of 4 to 5",
        "User identity, step 3 of 4 to 5",
        "User identity, step 4 of 4",
        "User identity, step 3 of 4 to 5",
        "User identity, step 4 of 4",
    ]
    assert "Left alone, all virtual users log in as the one who was recorded." in listener.text
    assert "This is the first question: Ctrl-C gives up." in listener.said
    assert "  user-identity 2 --field username --dataset users.csv" in listener.text
    assert body(signed_in) == before


def test_options(signed_in: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for HTTP authentication; undone in one step."""
    monkeypatch.setenv("HORSE", "correct")
    before = body(signed_in)
    do(signed_in, f"user-identity --dataset {tmp_path}/users.csv")
    assert body(signed_in) == "user=${users.username}&password=${users.password}"
    do(signed_in, "undo")
    assert body(signed_in) == before
    do(signed_in, "user-identity --share ben --password-env HORSE")
    assert body(signed_in) == "user=ben&password=${HORSE}"
    assert "correct" not in format_case(signed_in.opened().case)


def test_fields_within_a_value(
    session: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON in a form, as a script sends it: columns and values are written as they are there."""
    monkeypatch.setenv("HORSE", "correct")
    data = urlencode({"data": json.dumps({"user": "ann", "password": "x1"}), "z": "1"})
    har = write_har(tmp_path / "in.har", post("http://shop.test/login", data))
    do(session, f"import {har}")
    do(session, f"user-identity --dataset {tmp_path}/users.csv")
    assert sent(session) == (
        '{"user": "${users.username|json}", "password": "${users.password|json}"}'
    )
    assert read_dataset(tmp_path / "users.csv").rows == (("ann", "x1", ""),)
    do(session, "undo")
    do(session, """user-identity --share 'ben "b" & co' --password-env HORSE""")
    assert sent(session) == r'{"user": "ben \"b\" & co", "password": "${HORSE|json}"}'


def sent(session: Console) -> str:
    """The field ``data`` of what the form sends."""
    (one,) = session.opened().case.transactions()
    assert isinstance(one.request.body, str)
    return unquote_plus(one.request.body.removeprefix("data=").removesuffix("&z=1"))


def post(url: str, body: str) -> Exchange:
    """A form that was sent."""
    return exchange("POST", url, 0, ("Content-Type", FORM), body=body)


def test_what_is_no_login(signed_in: Console, session: Console, tmp_path: Path) -> None:
    """It is said so; and a script has to say what it wants."""
    with pytest.raises(CommandError, match="there is no user identity to change: 1 is no login"):
        do(signed_in, "user-identity 1")
    with pytest.raises(CommandError, match="give --dataset FILE, or --share USERNAME"):
        do(signed_in, "user-identity")
    page = sign_in("http://shop.test")[:1]
    do(session, f"import --discard {write_har(tmp_path / 'page.har', *page)}")
    with pytest.raises(CommandError, match="no HTTP authentication, no login form"):
        do(session, "user-identity")


@pytest.mark.promise(60)
@pytest.mark.promise(71)
def test_django_admin_with_a_dataset(session: Console, shop: ShopServer, tmp_path: Path) -> None:
    """The recorded example: its login is found, takes its user from the dataset, and lets in who
    that is; with a wrong password nobody."""
    for name in ("admin.case.toml", "admin.har"):
        shutil.copy(ROOT / "example_suite" / "cases" / name, tmp_path)
    session.case_path = tmp_path / "admin.case.toml"
    open_file(session)
    do(session, f"user-identity --dataset {tmp_path}/users.csv")
    assert isinstance(session.frontend, Listener)
    assert "  Login form" in session.frontend.text
    do(session, f"play --fast --server {shop.url}")
    dataset = tmp_path / "users.csv"
    dataset.write_text(dataset.read_text().replace(",admin-password,", ",wrong,"))
    with pytest.raises(CommandError, match="transactions failed"):
        do(session, f"play --fast --server {shop.url}")


def test_undo_takes_the_dataset_back(
    signed_in: Console, listener: Listener, tmp_path: Path
) -> None:
    """What the wizard has written goes with its change, and comes again; one that was edited since
    stays, and that is said."""
    path = tmp_path / "users.csv"
    do(signed_in, f"user-identity --dataset {path}")
    written = path.read_bytes()
    do(signed_in, "undo")
    assert not path.exists()
    assert not signed_in.opened().case.datasets
    do(signed_in, "redo")
    assert path.read_bytes() == written
    assert path.stat().st_mode & 0o077 == 0
    path.write_bytes(written + b"bob,bob-password\n")
    do(signed_in, "undo")
    assert path.exists()
    assert listener.text.count("users.csv was changed since, and stays as it is.") == 1
