"""What a recording shows of its answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.answers.documents import MOST_KEYS
from pytest_loadtool.answers.shape import LONGEST_READ, answer_of
from pytest_loadtool.model.answer import Answer
from pytest_loadtool.model.case import Kind, Recorded
from pytest_loadtool.model.exchange import Exchange


def exchange(body: bytes, *headers: tuple[str, str], status: int = 200) -> Exchange:
    return Exchange(
        0.0, 0.1, "GET", "http://h/", "HTTP/1.1", (), b"", status, "", headers, response_body=body
    )


def of_json(text: str) -> Answer:
    found = answer_of(Recorded(200, Kind.JSON), exchange(text.encode()))
    assert found is not None
    assert found.size == len(text)
    return replace(found, size=0)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            '{"status": "ok", "code": 0, "items": [1], "none": []}',
            Answer(
                json="object",
                keys=("status", "code", "items", "none"),
                lists=("items",),
                said=(("status", "ok"), ("code", 0)),
            ),
        ),
        ('{"code": 481516}', Answer(json="object", keys=("code",))),
        ('{"code": "481516"}', Answer(json="object", keys=("code",))),
        ('{"17": 1, "name": 2}', Answer(json="object", keys=("name",))),
        ('{"ann": {"a": 1}, "bob": {"a": 2}}', Answer(json="object")),
        (str({f"k{'x' * one}": 1 for one in range(MOST_KEYS + 1)}).replace("'", '"'),
         Answer(json="object")),
        ("[]", Answer(json="array")),
        ("[1]", Answer(json="array", lists=("$",))),
        ("3", Answer(json="value")),
        ("{broken", Answer()),
        ("[" * 100_000, Answer()),
    ],
)  # fmt: skip
def test_json(text: str, answer: Answer) -> None:
    """Its keys, without those of things; and no numbers that may be codes of somebody."""
    assert of_json(text) == answer


def test_pages_and_redirects() -> None:
    """A page has a title, in its own charset; a redirect a place, without what is of a thing."""
    html = exchange(
        "<title>Gr\xfc\xdfe &amp; K\xfcsse</title>".encode("latin-1"),
        ("Content-Type", "text/html; charset=iso-8859-1"),
    )
    found = answer_of(Recorded(200, Kind.HTML), html)
    assert found == Answer(size=32, title="Gr\xfc\xdfe & K\xfcsse")
    moved = exchange(b"", ("Location", "http://h/orders/17/edit?token=secret#x"), status=302)
    assert answer_of(Recorded(302), moved) == Answer(location="/orders/*/edit")


def test_what_is_not_in_the_recording_is_not_known() -> None:
    """A file of a browser may lack bodies; of a large one only the size is compared."""
    lost = exchange(b"", ("Content-Length", "17"))
    assert answer_of(Recorded(200, Kind.JSON), lost) is None
    assert answer_of(Recorded(0), exchange(b"", status=0)) is None
    large = b"[" + b"1," * LONGEST_READ + b"1]"
    found = answer_of(Recorded(200, Kind.JSON), exchange(large))
    assert found == Answer(size=len(large))
