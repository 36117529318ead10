"""A Django site, recorded with Chromium, becomes a test case."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from urllib.parse import urlsplit

import pytest

from pytest_loadtool.capture import Recorder
from pytest_loadtool.model.case import Kind, TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.validator import StatusCodes
from pytest_loadtool.recording import Recording, build_case
from tests.capture.clients import curl, through
from tests.capture.driving import driven


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The URL of the running site."""
    command = [sys.executable, "-m", "tests.capture.django_site"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


@pytest.fixture(scope="module")
def exchanges(site: str) -> list[Exchange]:
    """Log in, look at a note, and ask the API with curl as well: as recorded."""
    return asyncio.run(asyncio.wait_for(_record(site), timeout=120))


@pytest.fixture(scope="module")
def recording(exchanges: list[Exchange]) -> Recording:
    """What that becomes."""
    return build_case(exchanges, name="desk")


async def _record(site: str) -> list[Exchange]:
    got: list[Exchange] = []
    paths: asyncio.Queue[str] = asyncio.Queue()

    def take(one: Exchange) -> None:
        got.append(one)
        paths.put_nowait(urlsplit(one.url).path)

    async def answered(*expected: str) -> None:
        missing = {*expected}  # a browser that is busy may seem idle
        while missing:
            missing.discard(await paths.get())

    async with Recorder(take) as recorder, driven(recorder, "about:blank") as page:
        await page.goto(f"{site}/")
        await page.fill("[name=user]", "Ann")
        await page.fill("[name=password]", "secret & safe")
        await page.click("button")
        await answered("/photo.gif", "/style.css", "/frame/", "/api/notes")
        await page.click("text=Buy milk")
        await answered("/missing.png")
        await curl(*through(recorder), f"{site}/api/notes")
    return got


def _tree(case: TestCase) -> dict[str, list[tuple[str, Kind]]]:
    return {
        page.name: [
            (one.title, one.recorded.kind) for one in page.transactions if one.recorded is not None
        ]
        for page in case.pages
    }


@pytest.mark.promise(1)
@pytest.mark.promise(6)
@pytest.mark.promise(11)
@pytest.mark.promise(20)
@pytest.mark.promise(22)
def test_it_reads_like_what_was_done(recording: Recording) -> None:
    """Pages by title with their forwards, resources, frame and calls; the API client's apart."""
    tree = _tree(recording.case)
    assert list(tree) == ["Log in — Desk", "Desk of Ann", "notes", "notes (2)"]
    assert tree["Log in — Desk"] == [("GET /", Kind.HTML), ("GET /login/", Kind.HTML)]
    assert tree["Desk of Ann"][:2] == [("POST /login/", Kind.HTML), ("GET /", Kind.HTML)]
    assert sorted(tree["Desk of Ann"][2:]) == [
        ("GET /api/notes", Kind.JSON),
        ("GET /frame/", Kind.HTML),
        ("GET /photo.gif", Kind.IMAGE),
        ("GET /style.css", Kind.CSS),
    ]
    assert tree["notes"] == [("GET /notes/7/", Kind.HTML), ("GET /missing.png", Kind.HTML)]
    assert tree["notes (2)"] == [("GET /api/notes", Kind.JSON)]


@pytest.mark.promise(43)
def test_every_response_has_its_validator(recording: Recording) -> None:
    """200 to 399 for all but the login, which was confirmed by a redirect, and the missing image;
    both are told."""
    unusual = [
        (one.title, one.status)
        for one in recording.case.transactions()
        if one.status != StatusCodes()
    ]
    assert unusual == [
        ("POST /login/", StatusCodes(((300, 399),))),
        ("GET /missing.png", StatusCodes(((404, 404),))),
    ]
    login, missing = recording.notes
    assert "a form that is refused" in login.message
    assert "harmless" in missing.message
    assert not missing.serious


@pytest.mark.promise(21)
def test_replay_would_send_what_chromium_sent(
    recording: Recording, exchanges: list[Exchange]
) -> None:
    """Every header of every request, in order and spelling, from the shared and its own list."""
    case = recording.case
    for one in case.transactions():
        assert one.recorded is not None
        assert one.recorded.entry is not None
        exchange = exchanges[one.recorded.entry]
        wire = case.wire_headers(one.request)
        values = {"cookie": exchange.request_header("cookie")}
        values["host"] = exchange.request_header("host")
        values["content-length"] = exchange.request_header("content-length")
        sent = [
            (header.name, header.value if header.value is not None else values[header.name.lower()])
            for header in wire
        ]
        assert [
            (name, value.replace("${server}", case.server))
            for name, value in sent
            if value is not None
        ] == list(exchange.request_headers)


def test_the_server_is_named_once(recording: Recording, site: str) -> None:
    """Wherever else its URL stood, the case says ``${server}``."""
    case = recording.case
    assert case.server == site
    login = next(one for one in case.transactions() if one.request.method == "POST")
    assert login.request.target == "/login/?next=${server}%2F"
    assert isinstance(login.request.body, str)
    assert login.request.body.endswith("&user=Ann&password=secret+%26+safe")
    address = site.partition("://")[2]
    texts = [f"{one.request.target} {one.request.headers}" for one in case.transactions()]
    assert [text for text in texts if address in text] == []


@pytest.mark.promise(136)
def test_pages_can_be_read(exchanges: list[Exchange]) -> None:
    """Django compressed them; the evidence is text."""
    desk = next(one for one in exchanges if b"Desk of" in one.response_body)
    assert desk.response_header("content-encoding") == "gzip"


def test_think_times_are_those_between_the_pages(
    recording: Recording, exchanges: list[Exchange]
) -> None:
    """From the last response of a page to the first request of the next, none at the end."""
    pages = [
        [exchanges[one.recorded.entry or 0] for one in page.transactions if one.recorded]
        for page in recording.case.pages
    ]
    gaps = [
        max(0, min(one.started for one in after) - max(one.started + one.took for one in before))
        for before, after in pairwise(pages)
    ]
    thought = [page.think_time for page in recording.case.pages]
    # Less than ten milliseconds is no thinking.
    assert thought == pytest.approx([*(gap if gap >= 0.01 else 0 for gap in gaps), 0], abs=0.001)
    assert min(one.recorded.at for one in recording.case.transactions() if one.recorded) == 0
