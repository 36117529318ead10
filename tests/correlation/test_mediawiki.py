"""What MediaWiki sends, as it sends it."""

from __future__ import annotations

import pytest

from tests.correlation.exchanges import html
from tests.correlation.talk import get, made, post, requests, run


def test_a_token_with_a_constant_end() -> None:
    """``+\\`` ends every token; what is before it is found, and nothing is said to be missing."""
    token = "90ad1e8ab3f6acf9a8a2ee8c6af0b36a6922ed3c"
    page = html(
        '<script>mw.user.tokens.set({"patrolToken":"71ff62d2ff5a6922ed3c+\\\\","csrfToken":"'
        f'{token}+\\\\"}});</script>'
    )
    configuration = run(
        get("/index.php/Tea", page),
        post("/api.php", f"action=watch&titles=Tea&token={token}%2B%5C"),
    )
    assert requests(configuration)[1] == "/api.php action=watch&titles=Tea&token=${token[1]}%5C"
    told = [one for one in configuration.decisions if one.rule != "no-outcome"]
    assert told == made(configuration)


def test_undoing() -> None:
    """Links with two revisions each; the form that one leads to has both, one called an id."""
    compared = '<a href="/index.php?title=Tea&amp;diff=13&amp;oldid=12">prev</a>'
    link = '<a href="/index.php?title=Tea&amp;action=edit&amp;undoafter=12&amp;undo=13">undo</a>'
    form = (
        '<form><input type="hidden" value="13" name="parentRevId"><input type="hidden" value="0" '
        'name="oldid"><input type="hidden" value="12" name="wpUndoAfter"><textarea name="text">'
    )
    configuration = run(
        get("/index.php?title=Tea", html("<p>Tea</p>")),
        post("/index.php?title=Tea&action=submit", "text=White+as+well"),
        get("/index.php?title=Tea&action=history", html(compared)),
        get("/index.php?title=Tea&diff=13&oldid=12", html(link)),
        get("/index.php?title=Tea&action=edit&undoafter=12&undo=13", html(form)),
        post(
            "/index.php?title=Tea&action=submit", "parentRevId=13&oldid=0&wpUndoAfter=12&text=Tea"
        ),
    )
    assert requests(configuration)[3:] == [
        "/index.php?title=Tea&diff=${diff[1]}&oldid=${oldid[1]}",
        "/index.php?title=Tea&action=edit&undoafter=${undoafter[1]}&undo=${undo[1]}",
        "/index.php?title=Tea&action=submit "
        "parentRevId=${parentRevId[1]}&oldid=0&wpUndoAfter=${undoafter[1]}&text=Tea",
    ]


@pytest.mark.parametrize(
    ("page", "sent"), [("index.php?title=Tea", "${editRevId[1]}"), ("start.php", "7")]
)
def test_a_script_sends_the_revision_of_the_form(page: str, sent: str) -> None:
    """What the form calls ``editRevId``, a script of that page calls ``baserevid``."""
    form = '<form><input type="hidden" value="7" name="editRevId"><textarea name="text">'
    configuration = run(
        get("/index.php?title=Tea", html(form)),
        post("/api.php", "baserevid=7", sent=(("Referer", f"http://shop.test/{page}"),)),
        post("/index.php?title=Tea", "editRevId=7&text=White"),
    )
    assert requests(configuration)[1:] == [
        f"/api.php baserevid={sent}",
        "/index.php?title=Tea editRevId=${editRevId[1]}&text=White",
    ]
