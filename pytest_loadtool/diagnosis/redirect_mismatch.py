"""A page where a redirect was recorded, or the other way round: what that means.

Both are successes to the Status Code validator, unless it is edited: a form that was refused has
status 200, and so has the form to log in that many servers answer with, or redirect to.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from pytest_loadtool.codec.http import SAFE_METHODS

#: What makes a client go elsewhere (RFC 9110 §15.4); 304 does not.
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_OF_A_RESOURCE = re.compile(r"\d|.{24}")


def led_elsewhere(recorded: int, status: int) -> bool:
    """Return whether one is a redirect and the other a success that is none."""
    return {recorded in _REDIRECTS, status in _REDIRECTS} == {True, False} and all(
        one in _REDIRECTS or 200 <= one <= 299 for one in (recorded, status)
    )


def led_to_another_page(recorded: str, location: str) -> bool:
    """Return whether the ``Location`` of a redirect leads to another page than the recorded one:
    numbers and what has some aside, which are of the things that the page is about."""
    return _shape(recorded) != _shape(location)


def _shape(location: str) -> str:
    segments = urlsplit(location).path.rstrip("/").split("/")
    return "/".join("*" if _OF_A_RESOURCE.search(one) else one for one in segments)


def was_refused(method: str, recorded: int, status: int) -> bool:
    """Return whether a change that a redirect had confirmed was answered with a page."""
    return method not in SAFE_METHODS and recorded in _REDIRECTS and led_elsewhere(recorded, status)
