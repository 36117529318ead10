"""Radicale: calendars over WebDAV, where each change needs the last ETag."""

from __future__ import annotations

import contextlib
import re
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.applications.installed import python_environment
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Radicale 3.9, WebDAV"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

_REQUIREMENTS = ("radicale==3.9.0",)
_CALENDAR = "/kim/tea/"
_EVENT = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Example//Client//EN
BEGIN:VEVENT
UID:{uid}
DTSTAMP:20260101T120000Z
DTSTART:20260102T{hour}0000Z
DTEND:20260102T{hour}3000Z
SUMMARY:{summary}
END:VEVENT
END:VCALENDAR
"""
_MAKE = """<?xml version="1.0" encoding="utf-8"?>
<D:mkcol xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop>
<D:resourcetype><D:collection/><C:calendar/></D:resourcetype>
<D:displayname>Tea</D:displayname></D:prop></D:set></D:mkcol>"""
_LIST = """<?xml version="1.0" encoding="utf-8"?>
<D:propfind xmlns:D="DAV:"><D:prop><D:getetag/><D:displayname/></D:prop></D:propfind>"""
_FIND = """<?xml version="1.0" encoding="utf-8"?>
<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/>
<C:calendar-data/></D:prop><C:filter><C:comp-filter name="VCALENDAR"/></C:filter>
</C:calendar-query>"""


def install() -> None:
    """An environment with Radicale."""
    _programs()


def _programs() -> Path:
    return python_environment("radicale", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Kim's empty calendar, in a folder. Who one is is believed."""
    port = free_port()
    options = {
        "server-hosts": f"127.0.0.1:{port}",
        "auth-type": "none",
        "rights-type": "authenticated",
        "storage-filesystem-folder": str(state / "collections"),
        "web-type": "none",
    }
    arguments = (text for name, value in options.items() for text in (f"--{name}", value))
    command = (str(_programs() / "radicale"), *arguments)
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        with _client(url) as client:
            client.request("MKCOL", _CALENDAR, content=_MAKE).raise_for_status()
        yield url


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, auth=("kim", "correct-horse-battery"))


def _put(client: httpx.Client, name: str, hour: str, summary: str, **sent: str) -> httpx.Response:
    headers = {"Content-Type": "text/calendar; charset=utf-8"}
    headers |= {key.replace("_", "-"): value for key, value in sent.items()}
    event = _EVENT.format(uid=name, hour=hour, summary=summary)
    path = f"{_CALENDAR}{name}.ics"
    return client.put(path, content=event, headers=headers).raise_for_status()


def state(url: str, folder: Path) -> State:
    """The summaries and hours of the events."""
    events = (folder / "collections" / "collection-root" / "kim" / "tea").glob("*.ics")
    return State(
        Counter(
            " ".join(
                re.findall(r"(?:SUMMARY:|DTSTART:\d+)(.+?)\r?$", one.read_text(), re.MULTILINE)
            )
            for one in events
        )
    )


def use(url: str, folder: Path) -> None:
    """Other events are in the calendar; one is no more."""
    with _client(url) as client:
        for name in ("aaa", "bbb", "zzz"):
            _put(client, name, "08", f"Meeting {name}")
        client.delete(f"{_CALENDAR}bbb.ics").raise_for_status()


def drive(url: str) -> None:
    """Three events: one is moved twice, one renamed as the list has it, one deleted."""
    with _client(url) as client:

        def ask(method: str, body: str, depth: str = "1") -> httpx.Response:
            headers = {"Content-Type": "application/xml", "Depth": depth}
            answer = client.request(method, _CALENDAR, content=body, headers=headers)
            return answer.raise_for_status()

        ask("PROPFIND", _LIST, "0")
        ask("PROPFIND", _LIST)
        tea, cups, spoons = (str(uuid.uuid4()) for _ in range(3))
        etag = _put(client, tea, "10", "Tea with Dana", If_None_Match="*").headers["ETag"]
        client.get(f"{_CALENDAR}{tea}.ics").raise_for_status()
        etag = _put(client, tea, "11", "Tea with Dana", If_Match=etag).headers["ETag"]
        _put(client, cups, "14", "Buy cups", If_None_Match="*")
        ask("PROPFIND", _LIST)
        _put(client, tea, "12", "Tea with Dana and Kim", If_Match=etag)
        _put(client, spoons, "15", "Polish spoons", If_None_Match="*")
        listed = ask("PROPFIND", _LIST).text
        found = re.search(rf"{cups}\.ics</href>.*?<getetag>(.*?)</getetag>", listed, re.DOTALL)
        assert found, listed
        headers = {"If-Match": found[1].replace("&quot;", '"')}
        client.delete(f"{_CALENDAR}{cups}.ics", headers=headers).raise_for_status()
        spoon = client.get(f"{_CALENDAR}{spoons}.ics").raise_for_status().headers["ETag"]
        _put(client, spoons, "15", "Polish all spoons", If_Match=spoon)
        ask("REPORT", _FIND)
        client.get(f"{_CALENDAR}{tea}.ics").raise_for_status()
        ask("PROPFIND", _LIST)
