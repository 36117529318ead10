"""Fields of a refused request that look like tokens."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.diagnosis.suspects import Suspects
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.asm import AsmSettings
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction, Variable

TOKEN = "dGhpcyBpcyBh+3Qq8/Kn2w=="
FORM = Transaction(Request("GET", "/posts/new"))
SAVE = Transaction(
    Request(
        "POST",
        "/posts?sig=9f86d081884c7d65",
        (Header("Content-Type", "application/json"), Header("X-Api-Key", "k3y-Zz81QpWm2LxT")),
        '{"meta": {"csrf": "${token}"}, "title": "Tea", "author": "Kim", "password": "abc-Zz81Qp"}',
    )
)
CASE = TestCase(
    "shop",
    (Page("p", (FORM, SAVE)),),
    variables={"token": Variable("token", recorded=TOKEN, set_by="asm", rule="csrf-form-field")},
)


def told(case: TestCase, sent: str, *, anew: bool = True) -> str:
    """What is said of the second transaction, whose token was sent as this."""
    return "\n".join(
        Suspects(case, 1, {"token": sent}, Mask(["k3y-Zz81QpWm2LxT"])).tokens(anew=anew)
    )


def test_constants_are_named() -> None:
    """Wherever they stand; what a person types is none, and secrets are cut."""
    text = told(CASE, "new")
    assert "  sig = 9f86d081884c7d65 is a constant: it was sent as recorded" in text
    assert "  X-Api-Key = k3y-… is a constant" in text
    assert "password" not in text
    assert "title" not in text
    assert "`configure` has found nothing that gives it out" in text


def test_remedy_goes_by_what_was_done() -> None:
    """Not configured yet: configure; ignored by its name: the entry."""
    new = replace(CASE, variables={"token": Variable("token", value="x")})
    assert "`configure` in the console connects it" in told(new, "x")
    ignoring = replace(CASE, asm=AsmSettings(ignore=("s*g",)))
    assert 'ignore = ["s*g"]: take that out, then `configure`' in told(ignoring, "x")


def test_value_as_recorded_is_known_however_it_is_written() -> None:
    """A placeholder's value is seen as it was encoded for its place."""
    for sent in (TOKEN, "dGhpcyBpcyBh%2B3Qq8%2FKn2w%3D%3D", "dGhpcyBpcyBh%2B3Qq8/Kn2w%3D%3D"):
        text = told(CASE, sent)
        assert "csrf = ${token}, by the rule csrf-form-field; no transaction before" in text
        assert "    the recorded value" in text
    assert "    not the recorded value" in told(CASE, "other")
    assert "${token}" not in told(CASE, "other", anew=False)


def name(body: str, *complaints: str) -> str:
    """The name that may exist already, of a form with that body."""
    form = (Header("Content-Type", "application/x-www-form-urlencoded"),)
    save = Transaction(Request("POST", "/posts", form, body))
    case = replace(CASE, pages=(Page("p", (FORM, save)),))
    return Suspects(case, 1, {}, Mask()).name(complaints)


def test_the_name_that_may_exist() -> None:
    """A text under a name for names, as it was typed."""
    assert Suspects(CASE, 1, {}, Mask()).name() == "Tea"
    assert name("price=Tea&title=12&on=true") == ""


@pytest.mark.parametrize(
    ("body", "complaint", "expected"),
    [
        ("title=Tea&name=Pot&username=kim", "", "kim"),
        ("title=Tea&name=Pot", "", "Tea"),
        ("title=Tea&name=Pot&username=kim", "There is a 'Pot' already.", "Pot"),
        ("first_name=Kim&login_name=kim&title=Tea", "A post with that title exists.", "Tea"),
        ("email=a%40b.org&username=kim", "Email is in use", "a@b.org"),
        ("username=kim&password=x", "Wrong user name or password.", ""),
        ("username=kim&password=x", "", ""),
        ("username=kim&password=x", "That user already exists", "kim"),
        ("username=kim&password1=x&password2=x", "", "kim"),
    ],
)
def test_the_one_name_that_helps(body: str, complaint: str, expected: str) -> None:
    """What the page complains of, else who somebody is; of a login that was refused, none."""
    assert name(body, complaint) == expected


def test_credentials_are_cut() -> None:
    """A bearer token and a cookie that are sent as recorded, whatever the mask knows."""
    headers = (Header("Authorization", "Bearer gVVxQ7m_KeLLML_M2qG"),)
    request = Request("GET", "/items", headers, cookies=("basket=k3yZz81QpWm2LxT",))
    case = TestCase("shop", (Page("p", (Transaction(request),)),))
    text = "\n".join(Suspects(case, 0, {}, Mask()).tokens(anew=True))
    assert "  Authorization = gVVx… is a constant" in text
    assert "  Cookie basket = k3yZ… is a constant" in text
