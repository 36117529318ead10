"""Links that lead to the page itself give nothing out of what the query of another address has."""

from __future__ import annotations

from tests.correlation.exchanges import html
from tests.correlation.talk import TOKEN, get, post, requests, run

_PAGE = (
    f"<html><title>Mail</title>{''.join(f'<a href=#part{at}>x</a>' for at in range(25))}"
    f"<form method='post'><input type='hidden' name='_token' value='{TOKEN}'></form></html>"
)


def test_a_token_in_a_query() -> None:
    """It is taken from the form of the page, however many links the page has to its own places."""
    configured = run(
        get("/?_task=login", html("<html><title>Login</title></html>")),
        post("/?_task=login", "name=kim", html("<html><title>Mail</title></html>")),
        *(get(f"/?_task={one}", html(_PAGE)) for one in ("mail", "list", "read")),
        get(f"/?_task=logout&_token={TOKEN}"),
    )
    assert requests(configured)[-1] == "/?_task=logout&_token=${csrf_token[1]}"
