"""Lists that have become longer than one page since the recording."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.requests import Request

from tests.correlation.client import Client
from tests.diagnosis.situations.bench import Situation
from tests.diagnosis.situations.strangers import Told, calls, site

_Show = Callable[[list[str], int], Told]
_TITLE = "Water the plants"


def _tasks(others: int, show: _Show) -> dict[str, Told | Callable[[Request, str], Told]]:
    """A list of tasks, the oldest first, that has so many of others."""
    kept = [f"Task of another {at}" for at in range(others)]

    def add(_request: Request, body: str) -> Told:
        form = parse_qs(body).get("title")
        kept.append(form[0] if form else json.loads(body)["title"])
        return Told({"added": True}, 201)

    def listed(request: Request, _body: str) -> Told:
        return show(kept, int(request.query_params.get("limit", 5)))

    return {"POST /tasks": add, "GET /tasks": listed}


def _document(kept: list[str], limit: int) -> Told:
    items = [{"id": at, "title": one} for at, one in enumerate(kept, 1)][:limit]
    return Told({"tasks": items, "has_more": len(kept) > limit})


def _page(kept: list[str], limit: int) -> Told:
    rows = "".join(f"<tr><td>{one}</td></tr>" for one in kept[:limit])
    more = '<a rel="next" href="/tasks?page=2">Next</a>' if len(kept) > limit else ""
    return Told(f"<html><head><title>Tasks</title></head><table>{rows}</table>{more}</html>")


def _by_pages(client: Client) -> None:
    client.open("/tasks")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    client.send("POST", "/tasks", f"title={_TITLE}".replace(" ", "+").encode(), form)
    client.open("/tasks")


LISTS = (
    Situation(
        "a list that has a second page now",
        site(
            calls(("POST", "/tasks", {"title": _TITLE}), ("GET", "/tasks?limit=5", None)),
            _tasks(2, _document),
            _tasks(9, _document),
        ),
        "GET /tasks",
        "may be on another page: the answer says that there is more than it shows, as it has "
        "'has_more'",
        filled={"NUMBER": "50"},
    ),
    Situation(
        "a page that links to the next one now",
        site(_by_pages, _tasks(2, _page), _tasks(9, _page)),
        "GET /tasks",
        "may be on another page: the answer says that there is more than it shows, as it links to",
        mended="server",
        outside='rel="next"',
    ),
    Situation(
        "a change that did nothing, beside a list that is whole",
        site(
            _by_pages,
            _tasks(2, _page),
            {**_tasks(4, _page), "POST /tasks": Told({"queued": True}, 201)},
        ),
        "POST /tasks",
        "did not take effect",
        mended="server",
        outside="queued",
    ),
)
