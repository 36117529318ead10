"""What was uploaded: files beside the test case, and text around them."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import Uploads, build_case, unused_path, with_page
from pytest_loadtool.recording.request.template import draft
from pytest_loadtool.structure.uses import case_files, files_in
from tests.recording.samples import SHOP, call

PNG = b"\x89PNG\r\n\x1a\n"


def upload(name: str, content: bytes, at: float = 0, title: str = "Leaf") -> Exchange:
    """A form with a title and a file, for which the server's URL is its return address."""
    field = "--X\r\nContent-Disposition: form-data; name="
    body = f'{field}"title"\r\n\r\n{title}\r\n{field}"back"\r\n\r\n{SHOP}/home\r\n'.encode()
    body += f'{field}"picture"; filename="{name}"\r\n\r\n'.encode() + content + b"\r\n--X--\r\n"
    content_type = ("Content-Type", "multipart/form-data; boundary=X")
    return call("POST", f"{SHOP}/upload", at, content_type, body=body)


def test_the_text_beside_a_file_is_text() -> None:
    """A template, with the server's URL as a placeholder and a literal ``${`` escaped; in place of
    the file there is its path."""
    uploads = Uploads("shop")
    body = draft(upload("leaf.png", PNG, title="Gr\u00fcn ${x}"), SHOP, uploads).body
    assert isinstance(body, str)
    assert '"title"\r\n\r\nGr\u00fcn $${x}\r\n--X' in body
    assert '"back"\r\n\r\n${server}/home\r\n--X' in body
    assert 'filename="leaf.png"\r\n\r\n${file:shop.files/leaf.png}\r\n--X--\r\n' in body
    assert {path: one.content for path, one in uploads.files.items()} == {
        "shop.files/leaf.png": PNG
    }


def test_files_have_names_of_their_own() -> None:
    """Content that was uploaded twice is one file; another of that name has a number."""
    exchanges = [
        upload("leaf.png", PNG),
        upload("again.png", PNG, 1),
        upload("Leaf.png", PNG + b"\xff", 2),
        upload("leaf", PNG + b"\xfe", 3),
        upload("leaf", PNG + b"\xfd", 4),
    ]
    recording = build_case(exchanges, name="shop")
    names = ["leaf.png", "Leaf-2.png", "leaf", "leaf-2"]
    assert case_files(recording.case) == tuple(f"shop.files/{name}" for name in names)
    assert list(recording.uploads) == list(case_files(recording.case))
    first, second, *_ = recording.case.transactions()
    assert files_in(first.request) == files_in(second.request)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("C:\\fakepath\\leaf one.png", "leaf-one.png"),
        ("../../etc/passwd", "passwd"),
        (".htaccess", "htaccess"),
        ("Gr\u00fc\u00dfe}|{.png", "Gr\u00fc\u00dfe-.png"),
        ("", "picture"),
        ("...", "body.bin"),
        ("x" * 300 + ".png", "x" * 76 + ".png"),
    ],
)
def test_names_that_every_file_system_takes(name: str, path: str) -> None:
    """No folders, no characters that mean something somewhere, not too long."""
    uploads = Uploads("shop")
    draft(upload(name, PNG), SHOP, uploads)
    assert list(uploads.files) == [f"shop.files/{path}"]


def test_a_body_that_is_no_text_is_a_file_once_it_is_long() -> None:
    """Of a few bytes it stands in the test case."""
    uploads = Uploads("shop")
    short = call("PUT", f"{SHOP}/x", 0, body=PNG)
    assert draft(short, SHOP, uploads).body == PNG
    assert draft(call("PUT", f"{SHOP}/x", 0, body=PNG * 1000), SHOP, uploads).body == (
        "${file:shop.files/body.bin}"
    )


def test_a_page_that_is_added_has_files_that_nobody_else_has() -> None:
    """Those of the test case keep their names."""
    recording = build_case([upload("leaf.png", PNG)], name="shop")
    uploads = Uploads("shop", frozenset(case_files(recording.case)))
    case = with_page(recording.case, upload("leaf.png", PNG + b"\xff"), 1, uploads=uploads)
    assert case_files(case) == ("shop.files/leaf.png", "shop.files/leaf-2.png")
    assert list(uploads.files) == ["shop.files/leaf-2.png"]


def test_unused_paths() -> None:
    """The number comes before the suffix; a dot of the folder is none of the file."""
    assert unused_path("a.files/b.png", ()) == "a.files/b.png"
    assert unused_path("a.files/b.png", ("a.files/B.PNG",)) == "a.files/b-2.png"
    assert unused_path("a.files/b", ("a.files/b", "a.files/b-2")) == "a.files/b-3"
