"""Forms with files: what is beside them, and what they are called."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.casefile import package_rules
from pytest_loadtool.correlation import configure
from pytest_loadtool.correlation.requests.fields import fields_of
from pytest_loadtool.correlation.writing.revert import taken_back
from pytest_loadtool.editing.bulk_edit import with_constant, with_reference
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.masking.case import masked
from pytest_loadtool.masking.found_secrets import moved, typed
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from pytest_loadtool.structure.uses import case_files
from tests.correlation.exchanges import SERVER, exchange, html, json_body
from tests.correlation.talk import TOKEN, get

PNG = b"\x89PNG\r\n\x1a\n\xff\xfe"
KEY = "7c3fa1d98f05b2e4e98d0c98ec18b27e"
JSON = f'{{"item": "{KEY}"}}'


def _part(disposition: str, content: bytes | str, *lines: str) -> bytes:
    head = "\r\n".join((f"--X\r\nContent-Disposition: form-data; {disposition}", *lines))
    content = content.encode() if isinstance(content, str) else content
    return head.encode() + b"\r\n\r\n" + content + b"\r\n"


BODY = b"".join(
    (
        _part('name="csrf_token"', TOKEN),
        _part('name="title"', "Leaf of Ann"),
        _part('name="picture"; filename="leaf.png"', PNG, "Content-Type: image/png"),
        _part('name="picture"; filename="tree.png"', PNG + PNG, "Content-Type: image/png"),
        _part('name="about"; filename="blob"', JSON, "Content-Type: application/json"),
        _part('name="password"', "correct horse 7"),
        _part('name="empty"; filename=""', "", "Content-Type: application/octet-stream"),
        b"--X--\r\n",
    )
)  # fmt: skip
PAGE = html(f'<form><input type="hidden" name="csrf_token" value="{TOKEN}"></form>')


@pytest.fixture(scope="module")
def exchanges() -> tuple[Exchange, ...]:
    """A form, and the form sent."""
    sent = (("Content-Type", "multipart/form-data; boundary=X"),)
    return (
        replace(get("/", PAGE), started=1.0),
        replace(get("/api/draft", json_body({"item": KEY})), started=1.5),
        replace(exchange("POST", f"{SERVER}/", sent=sent, body=BODY), started=2.0),
    )


@pytest.fixture(scope="module")
def case(exchanges: tuple[Exchange, ...]) -> TestCase:
    """Configured."""
    return configure(build_case(exchanges, name="shop").case, exchanges, rules=package_rules()).case


def body_of(case: TestCase) -> str:
    """The body of the form."""
    body = [*case.transactions()][-1].request.body
    assert isinstance(body, str)
    return body


def test_what_is_beside_files_is_found(case: TestCase, exchanges: tuple[Exchange, ...]) -> None:
    """The token in a field, and an id in the JSON that a script sends as a file; taken back, the
    case is as recorded."""
    assert '"csrf_token"\r\n\r\n${csrf_token[1]}\r\n' in body_of(case)
    assert JSON not in body_of(case)
    assert case_files(case) == ("shop.files/leaf.png", "shop.files/tree.png")
    assert configure(case, exchanges, rules=package_rules()).case == case
    for name in case.variables:
        case = taken_back(case, exchanges, name)
    assert body_of(case) == body_of(build_case(exchanges, name="shop").case)


def test_the_fields_of_such_a_form(case: TestCase) -> None:
    """Each field with its value, files by their names and paths."""
    found = {one.name: (one.value, one.datasource) for one in fields_of(case, 2)}
    found = {name: value for name, value in found.items() if name != "Content-Type"}
    constant = "Constant value"
    assert found["csrf_token"] == ("${csrf_token[1]}", "Extractor[1]")
    assert found["picture.filename"] == ("leaf.png", constant)
    assert found["picture.filename[2]"] == ("tree.png", constant)
    assert found["picture"] == ("${file:shop.files/leaf.png}", constant)
    assert found["picture[2]"] == ("${file:shop.files/tree.png}", constant)
    assert found["title"] == ("Leaf of Ann", constant)
    assert "empty" not in found


def test_fields_are_changed(case: TestCase) -> None:
    """A title from a dataset, another name for a file; the file itself is no text."""
    fields = {one.name: one for one in fields_of(case, 2)}
    changed = with_reference(case, 2, fields["title"], "users.title")
    assert '"title"\r\n\r\n${users.title}\r\n' in body_of(changed)
    changed = with_constant(case, 2, fields["picture.filename"], 'a"b')
    assert 'filename="a%22b"\r\n' in body_of(changed)
    with pytest.raises(ValueError, match=r"the file shop.files/leaf.png sends it"):
        with_constant(case, 2, fields["picture"], "x")


def test_a_name_is_made_unique(case: TestCase) -> None:
    """That of a file, too, with its suffix; the content stays where it is."""
    made = make_unique(case, "leaf.png")
    assert made is not None
    assert f'filename="${{{made.variable}}}"' in body_of(made.case)
    assert "\r\n\r\n${file:shop.files/leaf.png}\r\n" in body_of(made.case)


def test_stand_ins_leave_files_alone(case: TestCase, exchanges: tuple[Exchange, ...]) -> None:
    """Token and password go, from the evidence, too, where the files are byte for byte the same;
    and it correlates like before."""
    credentials = typed(case)
    assert [one.field.name for one in credentials] == ["password"]
    clean = moved(case, credentials, {"password": "users.password"})
    clean, evidence = masked(clean, exchanges, credentials, b"key")
    sent = evidence[2].request_body
    assert TOKEN.encode() not in sent
    assert b"correct horse 7" not in sent
    for content in (PNG, PNG + PNG):
        assert b"Content-Type: image/png\r\n\r\n" + content + b"\r\n--X" in sent
    assert configure(clean, evidence, rules=package_rules()).case == clean
    assert case_files(clean) == case_files(case)
