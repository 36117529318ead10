"""Calendars over WebDAV: files that the client calls after a UUID, and versions beside an href."""

from __future__ import annotations

from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import answered, exchange
from tests.correlation.talk import EMPTY, UUID, made, requests, run

OTHER = "77c1d2e3-0a4b-4c5d-8e6f-708192a3b4c5"
CALENDAR = ("Content-Type", "text/calendar; charset=utf-8")
XML = ("Content-Type", "application/xml")


def listed(*rows: tuple[str, str], **sent: object) -> Exchange:
    """The calendar, as PROPFIND gives it out: hrefs and ETags."""
    responses = "".join(
        f"<response><href>/kim/tea/{name}</href><propstat><prop>"
        f"<getetag>&quot;{tag}&quot;</getetag></prop></propstat></response>"
        for name, tag in rows
    )
    text = f'<multistatus xmlns="DAV:">{responses}</multistatus>'
    answer = exchange(received=(XML,), answer=text.encode())
    return answered("PROPFIND", "/kim/tea/", answer, status=207)


def put(name: str, **more: object) -> Exchange:
    body = f"BEGIN:VEVENT\r\nUID:{name}\r\nDTSTART:20260102T100000Z\r\nEND:VEVENT\r\n"
    sent = (CALENDAR, *more.pop("sent", ()))  # type: ignore[misc]
    return answered("PUT", f"/kim/tea/{name}.ics", EMPTY, sent=sent, body=body.encode(), status=201)


def test_a_file_that_the_client_names() -> None:
    """Each user makes up its own name, in the path and in the text."""
    configured = run(put(UUID), answered("GET", f"/kim/tea/{UUID}.ics", EMPTY))
    (decision,) = made(configured)
    assert decision.rule == "client-uuid"
    name = decision.variable
    assert requests(configured) == [
        f"/kim/tea/${{{name}}}.ics BEGIN:VEVENT\r\nUID:${{{name}}}\r\n"
        "DTSTART:20260102T100000Z\r\nEND:VEVENT\r\n",
        f"/kim/tea/${{{name}}}.ics",
    ]


def test_an_etag_beside_its_href() -> None:
    """Of many in a list it is that of one's own file, wherever that stands."""
    rows = (f"{OTHER}.ics", "a1"), (f"{UUID}.ics", "b2")
    configured = run(
        put(UUID),
        listed(*rows),
        answered("DELETE", f"/kim/tea/{UUID}.ics", EMPTY, sent=(("If-Match", '"b2"'),)),
    )
    (extractor,) = [*configured.case.transactions()][1].extractors
    name = made(configured)[-1].variable
    assert not extractor.by_place
    assert str(extractor.source) == (
        f'XML path //response[href="/kim/tea/${{{name}}}.ics"]/propstat/prop/getetag'
    )
    assert requests(configured)[2].endswith(f"${{{extractor.variable}}}")


def test_an_id_with_an_ending() -> None:
    """``/items/17.json`` is about item 17."""
    location = (("Location", "/items/17"),)
    configured = run(
        answered("POST", "/items", EMPTY, status=201, received=location),
        answered("GET", "/items/17.json", EMPTY),
    )
    assert requests(configured)[1] == "/items/${item_id[1]}.json"


def test_a_lock_in_angle_brackets() -> None:
    """It is no XML: the token in it is found as that in the condition of a PUT is."""
    token = "opaquelocktoken:0xa9ab1dbe336ab0ff4dc67e4d700ecec5f74eaae481a9"
    locked = (("Lock-Token", f"<{token}>"),)
    configured = run(
        answered("LOCK", "/kim/tea.txt", EMPTY, received=locked),
        answered("PUT", "/kim/tea.txt", EMPTY, sent=(("If", f"(<{token}>)"),)),
        answered("UNLOCK", "/kim/tea.txt", EMPTY, sent=locked),
    )
    transactions = [*configured.case.transactions()]
    (extractor,) = transactions[0].extractors
    sent = [str(one.request.headers[-1].value) for one in transactions[1:]]
    assert all(f"${{{extractor.variable}}}" in one for one in sent)
    assert not any(token in one for one in sent)
