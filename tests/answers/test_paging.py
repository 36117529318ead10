"""Whether an answer shows all that there is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_loadtool.answers.paging import more_than_shown

_TWO = [{"id": 1}, {"id": 2}]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"items": _TWO, "has_more": True}, "it has 'has_more'"),
        ({"results": _TWO, "next": "http://a/tasks?page=2"}, "it has 'next'"),
        ({"data": {"tasks": _TWO, "pageInfo": {"hasNextPage": True}}}, "it has 'hasNextPage'"),
        ({"data": _TWO, "meta": {"total": 57}}, "'total' is 57, and 2 are listed"),
        ({"data": _TWO, "total": 57}, "'total' is 57, and 2 are listed"),
        ({"data": _TWO, "recordsFiltered": 3, "recordsTotal": 2}, "'recordsFiltered' is 3"),
        ({"content": _TWO, "totalPages": 2}, "'totalPages' is 2"),
        ({"content": _TWO, "totalPages": 1, "totalElements": 2}, ""),
        ({"items": _TWO, "has_more": False, "next": None, "cursor": ""}, ""),
        ({"items": _TWO, "total": 2}, ""),
        ({"total": 120, "currency": "EUR"}, ""),  # of money
        ({"items": [{"next": "x", "has_more": True}]}, ""),
        (_TWO, ""),
        (7, ""),
    ],
)
def test_documents(document: Any, said: str) -> None:
    """By the objects at the top, not by those in lists."""
    found = more_than_shown((), json.dumps(document))
    assert found.startswith(said) if said else not found


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ((("Link", '</t?page=2>; rel="next", </t?page=9>; rel="last"'),), "Link: "),
        ((("Link", '</t?page=1>; rel="prev"'),), ""),
        ((("Content-Range", "items 0-1/57"),), "Content-Range: items 0-1/57"),
        ((("Content-Range", "items 0-1/2"),), ""),
        ((("Content-Range", "items 0-1/*"),), ""),
        ((("X-Total-Count", "57"),), "X-Total-Count is 57, and 2 are listed"),
        ((("X-Total-Count", "2"),), ""),
    ],
)
def test_headers(headers: tuple[tuple[str, str], ...], said: str) -> None:
    """Of a list that says nothing itself."""
    found = more_than_shown(headers, json.dumps(_TWO))
    assert found.startswith(said) if said else not found


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ('<table></table><a rel="next" href="/tasks?page=2">Next</a>', "it links to more"),
        ('<a href="/tasks?sort=name&amp;page=2">2</a>', "it links to more"),
        ("<p>1-20 of 57</p>", "it shows 1-20 of 57"),
        ("<p>Showing 1 to 20 of 57</p>", "it shows 1 to 20 of 57"),
        ("<p>1 - 3 of 3</p>", ""),
        ("<p>2 of 3 done</p>", ""),
        ('<a href="/homepage">Home</a>', ""),
        ("", ""),
        ("{broken", ""),
    ],
)
def test_pages(page: str, said: str) -> None:
    """By links and by what a person reads."""
    assert more_than_shown((), page) == said
