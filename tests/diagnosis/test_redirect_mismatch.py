"""Pages where redirects were recorded, and redirects where pages were."""

from __future__ import annotations

import pytest

from pytest_loadtool.diagnosis.redirect_mismatch import (
    led_elsewhere,
    led_to_another_page,
    was_refused,
)


@pytest.mark.parametrize(
    ("recorded", "status", "expected"),
    [
        (302, 200, True),
        (303, 204, True),
        (200, 302, True),
        (302, 303, False),
        (200, 201, False),
        (200, 304, False),  # a copy in a cache, now or then
        (304, 200, False),
        (302, 304, False),
        (302, 403, False),  # fails anyhow
        (404, 302, False),
        (200, 0, False),
    ],
)
def test_which_lead_elsewhere(recorded: int, status: int, expected: bool) -> None:
    """A redirect against a success that is none; nothing else."""
    assert led_elsewhere(recorded, status) is expected


@pytest.mark.parametrize(
    ("method", "recorded", "status", "refused"),
    [("POST", 302, 200, True), ("GET", 302, 200, False), ("POST", 200, 302, False)],
)
def test_refused_forms(method: str, recorded: int, status: int, refused: bool) -> None:
    """A change that comes back as a page was refused."""
    assert was_refused(method, recorded, status) is refused


@pytest.mark.parametrize(
    ("recorded", "location", "expected"),
    [
        ("/posts/17", "/posts/18/", False),
        ("http://a:1/posts/17?x=1", "http://b:2/posts/18?x=2#top", False),
        ("/wiki/Tea2", "/wiki/Tea3", False),
        ("/posts/17", "/posts/create", True),  # Laravel: back to the form
        ("/home", "/login?next=/home", True),
        ("/", "/", False),
    ],
)
def test_which_redirects_lead_to_another_page(recorded: str, location: str, expected: bool) -> None:
    """By their paths, without what is of a thing."""
    assert led_to_another_page(recorded, location) is expected
