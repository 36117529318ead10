"""An application of one document, recorded with Chromium and grouped both ways."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from pytest_loadtool.capture import Recorder
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.recording import Grouping, build_case
from pytest_loadtool.replay import compile_case
from tests.capture.driving import driven
from tests.capture.servers import Connection, WireServer, answer
from tests.replay.playbook import Diary

_PAGE = b"""<!doctype html><title>Orders</title><link rel=icon href=data:,>
<button id=go>Go</button><button id=more>More</button><p></p><script>
function get(url) {
  return new Promise(done => {
    const call = new XMLHttpRequest()
    call.open("GET", url)
    call.onload = () => done(JSON.parse(call.responseText))
    call.send()
  })
}
document.querySelector("#more").onclick = async () => {
  const count = document.querySelectorAll("li").length
  const order = await get(`/api/more/${count}`)
  document.body.append(document.createElement("li"))
}
document.querySelector("#go").onclick = async () => {
  history.pushState({}, "", "/orders/7")
  const order = await get("/api/orders/7")
  await fetch(`/api/customers/${order.customer}`, {referrerPolicy: "no-referrer"})
  document.querySelector("p").textContent = "done"
}
get("/api/session").then(() => get("/api/orders"))
</script>"""

#: What the page and its script ask for before anybody does anything.
_LOADED = ["GET /", "GET /api/session", "GET /api/orders"]


def _application(connection: Connection, request: bytes) -> bool:
    if b" /api/" in request.split(b"\r\n")[0]:
        return answer(b'{"customer": 3}', "Content-Type: application/json")(connection, request)
    return answer(_PAGE, "Content-Type: text/html")(connection, request)


async def _record(url: str) -> list[Exchange]:
    """What was recorded."""
    got: list[Exchange] = []
    async with Recorder(got.append) as recorder, driven(recorder, url) as page:
        # The browser has its response a moment before that is reported, which nothing else tells.
        while len(got) < len(_LOADED):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        # A pause that is longer than any there was, however slow the machine.
        await asyncio.sleep(1 + 4 * max(_gaps(got)))
        await page.click("#go")
        await page.wait_for_selector("text=done")
    return got


#: For how long (seconds) the user thinks before each click, and how often it clicks.
_THOUGHT, _CLICKS = 1.0, 4


async def _record_clicks(url: str) -> list[Exchange]:
    """What was recorded while somebody clicked now and then."""
    got: list[Exchange] = []
    async with Recorder(got.append) as recorder, driven(recorder, url) as page:
        for count in range(1, _CLICKS + 1):
            await asyncio.sleep(_THOUGHT)
            await page.click("#more")
            await page.wait_for_selector(f"li:nth-of-type({count})", state="attached")
        while len(got) < len(_LOADED) + _CLICKS:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return got


def _gaps(exchanges: list[Exchange]) -> list[float]:
    return [after.started - (one.started + one.took) for one, after in pairwise(exchanges)]


@pytest.mark.promise(13)
@pytest.mark.promise(11)
def test_each_thing_done_is_a_page_with_its_calls() -> None:
    """The document with what it loads, the click with the calls it causes, one of them without a
    Referer. By Referrer Analysis all of it is one page."""
    with WireServer(_application) as server:
        got = asyncio.run(asyncio.wait_for(_record(f"{server.origin}/"), timeout=120))
    pause = _gaps(got)[len(_LOADED) - 1]
    threshold = (pause + max(gap for gap in _gaps(got) if gap != pause)) / 2

    def pages(grouping: Grouping) -> list[tuple[str, list[str]]]:
        case = build_case(got, name="orders", grouping=grouping).case
        return [(page.name, [one.title for one in page.transactions]) for page in case.pages]

    clicked = ["GET /api/orders/7", "GET /api/customers/3"]
    assert pages(Grouping("activity", threshold)) == [("Orders", _LOADED), ("orders", clicked)]
    assert pages(Grouping()) == [("Orders", _LOADED + clicked)]
    case = build_case(got, name="orders", grouping=Grouping("activity", threshold)).case
    assert case.pages[0].think_time == pytest.approx(pause, abs=0.001)


def test_pauses_within_a_page_are_replayed() -> None:
    """Somebody who clicks now and then in an application of one document is as slow on replay, with
    the grouping that nobody has changed; without think times nothing is waited for."""
    with WireServer(_application) as server:
        got = asyncio.run(asyncio.wait_for(_record_clicks(f"{server.origin}/"), timeout=120))
        case = build_case(got, name="orders").case
        paused = {
            one.title: one.recorded.pause for one in case.transactions() if one.recorded is not None
        }
        clicks = [f"GET /api/more/{number}" for number in range(_CLICKS)]
        assert [len(page.transactions) for page in case.pages] == [len(_LOADED) + _CLICKS]
        assert all(paused[title] > 0.9 * _THOUGHT for title in clicks)
        diary = Diary()
        replay_once(compile_case(case), observer=diary)
        assert [failures for _, failures in diary.transactions] == [()] * len(paused)
        (took,), (page_took,) = diary.took, diary.durations
        assert took >= sum(paused.values())
        assert page_took == pytest.approx(took - sum(paused.values()))
        without = compile_case(case, think_time=ThinkTime(scale=0.0))
        assert [page.parts for page in without.pages] == [()]
