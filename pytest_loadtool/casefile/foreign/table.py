"""Which document is of which tool, and who reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pytest_loadtool.casefile.foreign.building import Foreign
from pytest_loadtool.casefile.foreign.curl import read_curl
from pytest_loadtool.casefile.foreign.jmeter import read_jmeter
from pytest_loadtool.casefile.foreign.openapi import read_openapi
from pytest_loadtool.casefile.foreign.postman import read_postman


@dataclass(frozen=True, slots=True)
class Reader:
    """A kind of document: what it is called, how its text is known, and what reads it.

    ``read`` is given the text, what errors call its file, and the server of what names none.
    """

    kind: str
    known_by: re.Pattern[str]
    read: Callable[[str, str, str], Foreign]


#: In the order in which they are tried.
READERS = (
    Reader("JMeter plan", re.compile(r"<jmeterTestPlan\b"), read_jmeter),
    Reader(
        "OpenAPI description",
        re.compile(r'^\s*["\']?(?:openapi|swagger)["\']?\s*:|[{,]\s*"openapi"\s*:', re.MULTILINE),
        read_openapi,
    ),
    Reader(
        "Postman collection",
        re.compile(r'getpostman\.com|"_postman_id"|"item"\s*:|"requests"\s*:\s*\['),
        read_postman,
    ),
    Reader(
        "curl command",
        re.compile(r"^(?:\s*\$\s)?\s*(?:\S*/)?curl\s", re.MULTILINE),
        read_curl,
    ),
)


def reader_of(text: str) -> Reader | None:
    """Return who reads this text; None if nobody knows it."""
    return next((one for one in READERS if one.known_by.search(text)), None)
