"""Files in bodies: read once, sent with each request."""

from __future__ import annotations

import pytest

from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.replay import compile_case
from pytest_loadtool.replay.user.cookies import CookieJar

PNG = b"\x89PNG%b%%\r\n\xff${x}"
BODY = (
    '--X\r\nContent-Disposition: form-data; name="p"; filename="${name}"\r\n\r\n${file:a/b.png}\r\n'
)
TYPE = Header("Content-Type", "multipart/form-data; boundary=X")


def sent(body: str, *values: str, files: dict[str, bytes], charset: str = "") -> bytes:
    """The request with that body, by a user with these values."""
    page = Page("Home", (Transaction(Request("POST", "/", (TYPE,), body, charset=charset)),))
    case = TestCase("case", (page,), "http://h", variables={"name": Variable("name", value="n")})
    plan = compile_case(case, files=files)
    (step,) = plan.steps
    return step.render([*values, *plan.initial[len(values) :]], CookieJar())


def test_a_file_is_sent_byte_for_byte() -> None:
    """Whatever its bytes mean elsewhere; the length is that of the whole body."""
    head, _, body = sent("${file:a/b.png}", files={"a/b.png": PNG}).partition(b"\r\n\r\n")
    assert body == PNG
    assert b"Content-Length: %d\r\n" % len(PNG) in head + b"\r\n"
    assert sent("${file:e}", files={"e": b""}).endswith(b"Content-Length: 0\r\n\r\n")


def test_values_beside_it_are_encoded_for_their_place() -> None:
    """The name of a file cannot end its quotes, nor the line."""
    request = sent(BODY, 'a"b\r\nX: 1', files={"a/b.png": PNG})
    expected = b'filename="a%22b%0D%0AX: 1"\r\n\r\n' + PNG + b"\r\n"
    assert request.endswith(expected)
    head, _, body = request.partition(b"\r\n\r\n")
    assert b"Content-Length: %d\r\n" % len(body) in head + b"\r\n"


def test_a_file_that_nobody_read_is_an_error() -> None:
    """Whoever compiles reads them."""
    with pytest.raises(ReplayError, match=r"the file a/b\.png was not read"):
        sent(BODY, "x", files={})


def test_a_form_in_another_charset() -> None:
    """Its text and its values, but not its files. What the charset has not is a reference, as
    browsers send it."""
    title = '--X\r\nContent-Disposition: form-data; name="t"\r\n\r\nGr\u00fc\u00dfe von ${name}\r\n'
    request = sent(
        title + "${file:f}", "J\u00fcrgen \u010capek", files={"f": PNG}, charset="latin-1"
    )
    assert request.endswith(b"\r\n\r\nGr\xfc\xdfe von J\xfcrgen &#268;apek\r\n" + PNG)
