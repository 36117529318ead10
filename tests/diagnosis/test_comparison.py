"""Received against recorded."""

from __future__ import annotations

import pytest

from pytest_loadtool.diagnosis.comparison import body_differences, header_differences, title_of


def test_equal_bodies() -> None:
    """What is equal is said to be."""
    assert body_differences("same", "same").lines == ("body: as recorded",)


def test_empty_bodies() -> None:
    """Where one of the two is empty, its size says it all."""
    assert body_differences("", "<h1>No</h1>").lines == ("body: empty, now 11 characters",)
    assert body_differences("<h1>Yes</h1>", "").lines == ("body: 12 characters, now empty",)


def test_tokens_and_times_are_no_difference() -> None:
    """Values that every session has anew are left aside."""
    recorded = '<input value="Zk3vQ8sN2pLx7RtB">\n<p>09:15:02, order 100234</p>'
    received = '<input value="Bq9wE5yU1oPa4SdF">\n<p>17:40:51, order 100977</p>'
    assert body_differences(recorded, received).lines == (
        "body: as recorded, but for values like tokens and times",
    )


@pytest.mark.parametrize(
    ("recorded", "received", "hints"),
    [
        ("<p>one</p>\n<p>two</p>", "<p>one</p>\n<p>three</p>", ["- two</p>", "+ three</p>"]),
        ('{"a":1,"is":"ok","b":2}', '{"a":1,"is":"bad","b":2}', ['- "is":"ok",', '+ "is":"bad",']),
        ("<h1>No</h1>", "<h1>No</h1><p>and", ["+ <p>and"]),
        ("<h1>Yes</h1><p>and", "<h1>Yes</h1>", ["- <p>and"]),
    ],
)  # fmt: skip
def test_hints(recorded: str, received: str, hints: list[str]) -> None:
    """What was there and what is there now, in markup and JSON on one line too."""
    difference = body_differences(recorded, received)
    assert list(difference.lines[1:]) == hints
    plus = [hint[2:] for hint in hints if hint.startswith("+")]
    assert received[difference.place :].startswith(tuple(plus) or "")


def test_three_places_are_shown() -> None:
    """Of many differences three are shown, each on a short line, and the others counted."""
    recorded = "\n".join(f"line {n} same\nwas {'x' * 500}{chr(97 + n)} {n}" for n in range(9))
    received = recorded.replace("was ", "is not ")
    lines = body_differences(recorded, received).lines
    assert sum(line.startswith("- ") for line in lines) == 3
    assert lines[-1] == "and 6 more places"
    assert all(len(line) < 160 for line in lines)


def test_headers() -> None:
    """Where it leads, what it is, and cookies that are no longer set; not the date."""
    recorded = [
        ("location", "/a"),
        ("Date", "x"),
        ("Set-Cookie", "id=1; Path=/"),
        ("Set-Cookie", "b=2"),
    ]
    received = [("Content-Type", "text/html"), ("Date", "y"), ("Set-Cookie", "b=3")]
    assert list(header_differences(recorded, received)) == [
        "Location: /a, now absent",
        "Content-Type: absent, now text/html",
        "Set-Cookie: id was set, now it is not",
    ]


def test_title() -> None:
    """The title of a page, on one line."""
    assert title_of("<head><TITLE lang=en>\n Log in\n now </TITLE>") == "Log in now"
    assert title_of("{}") == ""
