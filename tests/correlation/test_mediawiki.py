"""What MediaWiki sends, as it sends it."""

from __future__ import annotations

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
    assert configuration.decisions == tuple(made(configuration))
