"""Make the pictures of HTTP authentication: who sends what to whom, in which order, as SVG.

python docs/images/exchanges.py [NAME ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parent
WIDTH, MARGIN, TOP = 760, 110, 60
#: Heights: of a line of text, and of what is between two messages.
LINE, GAP = 17, 26
INK, CHALLENGE, AGREED, FAINT = "#24292f", "#b35900", "#1a7f37", "#8c959f"


@dataclass(frozen=True)
class Message:
    """What one side sends another; ``lines`` are its first line and the headers that matter."""

    sender: int
    receiver: int
    lines: tuple[str, ...]
    colour: str = INK


@dataclass(frozen=True)
class Note:
    """What counts from here on."""

    text: str


@dataclass(frozen=True)
class Exchange:
    """The sides, from left to right, and what happens between them."""

    title: str
    sides: tuple[str, ...]
    events: tuple[Message | Note, ...]


def asks(*lines: str) -> Message:
    """A request to the server."""
    return Message(0, 1, lines)


def refuses(*lines: str) -> Message:
    """A challenge."""
    return Message(1, 0, lines, CHALLENGE)


def agrees(*lines: str) -> Message:
    """The response that was wanted."""
    return Message(1, 0, lines, AGREED)


TWO = ("virtual user", "server")
EXCHANGES = {
    "basic": Exchange(
        "Basic: two transactions, then one",
        TWO,
        (
            asks("GET /reports/today"),
            refuses("401", 'WWW-Authenticate: Basic realm="Reports"'),
            asks("GET /reports/today", "Authorization: Basic YWxpY2U6c2VjcmV0MQ=="),
            agrees("200"),
            Note("known now: what is below /reports/ takes the same credentials"),
            asks("GET /reports/archive", "Authorization: Basic YWxpY2U6c2VjcmV0MQ=="),
            agrees("200"),
        ),
    ),
    "digest": Exchange(
        "Digest: two transactions, then one as long as the nonce is good",
        TWO,
        (
            asks("GET /reports/today"),
            refuses("401", 'WWW-Authenticate: Digest realm="Reports", nonce="dcd98b", qop="auth"'),
            asks("GET /reports/today", 'Authorization: Digest username="alice", nc=00000001, …'),
            agrees("200"),
            asks("GET /reports/archive", 'Authorization: Digest username="alice", nc=00000002, …'),
            agrees("200"),
            Note("after a while the nonce is stale"),
            asks("GET /", 'Authorization: Digest username="alice", nc=00000003, …'),
            refuses("401", 'WWW-Authenticate: Digest …, nonce="5ccc06", stale=true'),
            asks("GET /", 'Authorization: Digest username="alice", nc=00000001, …'),
            agrees("200"),
        ),
    ),
    "negotiate": Exchange(
        "Negotiate and NTLM: three transactions for the first URL of a connection, then one",
        TWO,
        (
            asks("GET /reports/today"),
            refuses("401", "WWW-Authenticate: Negotiate", "WWW-Authenticate: NTLM"),
            asks("GET /reports/today", "Authorization: Negotiate TlRMTVNTUAAB…  (who: nobody yet)"),
            refuses("401", "WWW-Authenticate: Negotiate TlRMTVNTUAAC…  (a challenge)"),
            asks("GET /reports/today", "Authorization: Negotiate TlRMTVNTUAAD…  (user and proof)"),
            agrees("200"),
            Note("the connection is authenticated, as long as it lasts"),
            asks("GET /reports/archive"),
            agrees("200"),
        ),
    ),
    "proxy": Exchange(
        "A proxy that wants NTLM, for a server over HTTPS: once for each tunnel",
        ("virtual user", "proxy", "server"),
        (
            asks("CONNECT shop.example:443"),
            refuses("407", "Proxy-Authenticate: NTLM"),
            asks("CONNECT shop.example:443", "Proxy-Authorization: NTLM TlRM…AAB"),
            refuses("407", "Proxy-Authenticate: NTLM TlRM…AAC"),
            asks("CONNECT shop.example:443", "Proxy-Authorization: NTLM TlRM…AAD"),
            agrees("200"),
            Note("a tunnel: what is in it the proxy does not see"),
            Message(0, 2, ("GET /",)),
            Message(2, 0, ("200, or a 401 of the server's own",), AGREED),
        ),
    ),
}


def main() -> None:
    """Make the pictures that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(EXCHANGES)}")
    for name in parser.parse_args().names or EXCHANGES:
        text = "\n".join(drawn(EXCHANGES[name])) + "\n"
        (FOLDER / f"{name}.svg").write_text(text, encoding="utf-8")


def drawn(exchange: Exchange) -> Iterator[str]:
    """The lines of the picture."""
    height = TOP + sum(_height(event) for event in exchange.events) + GAP
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" font-family="ui-monospace, Menlo, Consolas, monospace"'
        ' font-size="12.5">'
    )
    yield f"<title>{escape(exchange.title)}</title>"
    yield f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#ffffff" stroke="#d0d7de"/>'
    places = [_place(number, len(exchange.sides)) for number in range(len(exchange.sides))]
    for place, side in zip(places, exchange.sides, strict=True):
        yield _text(place, 28, side, INK, bold=True)
        yield f'<line x1="{place}" y1="40" x2="{place}" y2="{height - 14}" stroke="#d0d7de"/>'
    top = TOP
    for event in exchange.events:
        yield from _drawn(event, places, top)
        top += _height(event)
    yield "</svg>"


def _place(number: int, sides: int) -> int:
    return MARGIN + number * (WIDTH - 2 * MARGIN) // (sides - 1)


def _height(event: Message | Note) -> int:
    return (len(event.lines) if isinstance(event, Message) else 1) * LINE + GAP


def _drawn(event: Message | Note, places: list[int], top: int) -> Iterator[str]:
    if isinstance(event, Note):
        yield _text((places[0] + places[-1]) // 2, top + 14, f"— {event.text} —", FAINT)
        return
    start, end = places[event.sender], places[event.receiver]
    for number, line in enumerate(event.lines):
        yield _text((start + end) // 2, top + number * LINE + 10, line, event.colour)
    y = top + len(event.lines) * LINE + 2
    head = 8 if end > start else -8
    yield f'<line x1="{start}" y1="{y}" x2="{end}" y2="{y}" stroke="{event.colour}"/>'
    points = f"{end},{y} {end - head},{y - 4} {end - head},{y + 4}"
    yield f'<polygon points="{points}" fill="{event.colour}"/>'


def _text(x: int, y: int, text: str, colour: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="middle"{weight}>{escape(text)}</text>'
    )


if __name__ == "__main__":
    main()
