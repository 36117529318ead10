"""What WordPress sends, as it sends it."""

from __future__ import annotations

from pytest_loadtool.model.extractor import RegularExpression
from tests.correlation.exchanges import html
from tests.correlation.talk import get, requests, run, sources


def test_a_token_in_a_link() -> None:
    """The nonce of a link is taken from that link, not from the first that has one."""
    page = html(
        '<a href="http://shop.example/wp-admin/comment.php?c=1&#038;_wpnonce=0b6161ff3b">Spam</a>'
        '<a class="screen-reader-shortcut" href="http://shop.example/wp-login.php?action=logout'
        '&#038;_wpnonce=3a36a9f395">Log Out</a>'
    )
    configuration = run(
        get("/wp-admin/", page), get("/wp-login.php?action=logout&_wpnonce=3a36a9f395")
    )
    assert requests(configuration)[1] == "/wp-login.php?action=logout&_wpnonce=${csrf_token[1]}"
    ((_, source, match),) = sources(configuration)
    assert isinstance(source, RegularExpression)
    assert r"/wp-login\.php\?action=" in source.pattern
    assert match == 1
