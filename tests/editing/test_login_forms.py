"""Login forms: found in real recordings, by the forms in pages and by names."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pytest_loadtool.casefile import read_case, read_har
from pytest_loadtool.editing.login_forms import LoginForm, logins
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from tests.console.traffic import FORM, exchange

ROOT = Path(__file__).parents[2]


def names(found: tuple[LoginForm, ...]) -> list[tuple[str, str]]:
    """Of each login, the fields."""
    return [(one.username.name if one.username else "", one.password.name) for one in found]


def found_in(body: str, page: str = "", content_type: str = FORM) -> list[tuple[str, str]]:
    """The logins in a recording of a page and what was sent then."""
    exchanges: tuple[Exchange, ...] = (
        exchange("GET", "http://shop.test/", 0, answer=page),
        exchange("POST", "http://shop.test/go", 1, ("Content-Type", content_type), body=body),
    )
    return names(logins(build_case(exchanges, name="shop").case, exchanges))


@pytest.mark.promise(60)
@pytest.mark.parametrize(
    ("file", "titles", "with_traffic"),
    [
        ("tests/applications/recordings/django-admin", ["POST /admin/login/"], True),
        ("tests/applications/recordings/django-admin", ["POST /admin/login/"], False),
        ("example_suite/cases/admin", ["POST /admin/login/"], True),
        ("example_suite/cases/api", ["POST /api/token"], True),
    ],
)
def test_real_recordings(file: str, titles: list[str], *, with_traffic: bool) -> None:
    """The login, and not the form of the Django admin that makes another user."""
    case = read_case(ROOT / f"{file}.case.toml")
    exchanges = read_har(ROOT / f"{file}.har") if with_traffic else ()
    found = logins(case, exchanges)
    transactions = list(case.transactions())
    assert [transactions[one.transaction].title for one in found] == titles
    assert names(found) == [("username", "password")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("user=ann&password=x1", [("user", "password")]),
        ("q=1&session%5Busername_or_email%5D=ann&session%5Bpassword%5D=x1",
         [("session[username_or_email]", "session[password]")]),
        ("password=x1&code=7", [("", "password")]),
        ("user=ann&show_password=on&password=x1", [("user", "password")]),
        ("user=ann&password=x1&password2=x1", []),
        ("old_password=x1&new_password=x2", []),
        ("user=ann&comment=hello", []),
    ],
)  # fmt: skip
def test_by_names(body: str, expected: list[tuple[str, str]]) -> None:
    """One password, and who one is; what only looks like a password is none."""
    assert found_in(body) == expected


def test_json() -> None:
    """An API's login."""
    body = json.dumps({"email": "ann@shop.test", "password": "x1"})
    assert found_in(body, content_type="application/json") == [("email", "password")]


@pytest.mark.parametrize(
    ("sent", "nested"),
    [
        ({"data": {"user": "ann", "password": "x1"}, "z": "1"}, ["data"]),
        ({"query": "mutation", "variables": {"input": {"email": "a@b.c", "password": "x1"}}}, []),
        ({"payload": {"user": "ann", "password": "x1"}}, ["payload"]),
    ],
)
@pytest.mark.parametrize("content_type", [FORM, "application/json"])
def test_within_another_value(
    sent: dict[str, object], nested: list[str], content_type: str
) -> None:
    """JSON in a field of a form, JSON in a string of JSON, the variables of GraphQL."""
    form = content_type == FORM
    texts = {
        name: json.dumps(value) if name in nested or (form and isinstance(value, dict)) else value
        for name, value in sent.items()
    }
    body = urlencode(texts) if form else json.dumps(texts)
    ((name, password),) = found_in(body, content_type=content_type)
    assert name in ("user", "email")
    assert password == "password"


def test_what_a_password_consists_of_is_no_other() -> None:
    """Nor who one is."""
    body = urlencode({"login": "ann", "password": json.dumps({"user": "x", "password": "y"})})
    assert found_in(body) == [("login", "password")]


def test_by_the_form_in_a_page() -> None:
    """Names that say nothing, as of WordPress and of other languages than English."""
    page = (
        '<form><input type="hidden" name="t"><input name="wer"><input type=password name="geheim">'
        '</form><!-- <input type="password" name="q"> --><input name="q">'
    )
    assert found_in("t=1&wer=ann&geheim=x1", page) == [("wer", "geheim")]
    assert found_in("t=1&wer=ann&geheim=x1") == []
    assert found_in("q=books", page) == []
