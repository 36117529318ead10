"""What a replayed response has different from the recorded one, in a few lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pytest_loadtool.codec.printable import clip

#: Headers that say what kind of answer it is. Others (dates, identifiers) differ every time.
_TELLING = ("Location", "Content-Type", "WWW-Authenticate", "Retry-After")

#: How many differences are shown, how wide, and how much of a body is looked at.
_MOST_SHOWN, _LONGEST, _MOST_UNITS = 3, 150, 4000

# Markup, JSON and text alike fall into pieces small enough to compare.
_UNIT = re.compile(r"[^\n>,]+[\n>,]?|[\n>,]")
# What differs from one session to the next by nature: tokens, identifiers, times.
_TOKEN = re.compile(r"[A-Za-z0-9_+/=-]{16,}")
_NUMBER = re.compile(r"\d{4,}|\d{1,2}:\d{2}(?::\d{2})?")
_TITLE = re.compile(r"<title[^<>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)

#: Name and value pairs.
Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where the received body differs from the recorded one, and how, as lines."""

    place: int
    lines: tuple[str, ...]


def title_of(text: str) -> str:
    """Return the title of an HTML document, or nothing."""
    match = _TITLE.search(text)
    return clip(match[1], _LONGEST) if match else ""


def header_differences(recorded: Headers, received: Headers) -> Iterator[str]:
    """Yield telling headers that differ, and cookies that were set and no longer are."""
    for name in _TELLING:
        was, now = _first(recorded, name), _first(received, name)
        if was != now:
            yield f"{name}: {was or 'absent'}, now {now or 'absent'}"
    for name in sorted(_cookie_names(recorded) - _cookie_names(received)):
        yield f"Set-Cookie: {name} was set, now it is not"


def body_differences(recorded: str, received: str) -> Difference:
    """Return how ``received`` differs, values aside that look like tokens, identifiers or times."""
    if recorded == received:
        return Difference(0, ("body: as recorded",))
    if not recorded or not received:  # what there is, is shown in full or not worth it
        return Difference(0, (f"body: {_size(recorded)}, now {_size(received)}",))
    was, now = _units(recorded), _units(received)
    matcher = SequenceMatcher(None, [one for one, _, _ in was], [one for one, _, _ in now])
    changes = [one for one in matcher.get_opcodes() if one[0] != "equal"]
    if not changes:
        return Difference(0, ("body: as recorded, but for values like tokens and times",))
    lines = [f"body: {_size(recorded)}, now {_size(received)}"]
    for _, a, b, c, d in changes[:_MOST_SHOWN]:
        lines += [f"- {clip(one, _LONGEST)}" for one in _joined(recorded, was[a:b])]
        lines += [f"+ {clip(one, _LONGEST)}" for one in _joined(received, now[c:d])]
    if len(changes) > _MOST_SHOWN:
        lines.append(f"and {len(changes) - _MOST_SHOWN} more places")
    first = changes[0][3]
    return Difference(now[first][1] if first < len(now) else len(received), tuple(lines))


def _size(text: str) -> str:
    return f"{len(text):,} characters" if text else "empty"


#: A piece of text as compared, and where it starts and ends.
_Unit = tuple[str, int, int]


def _units(text: str) -> list[_Unit]:
    units: list[_Unit] = []
    for match in _UNIT.finditer(text):
        compared = _NUMBER.sub("#", _TOKEN.sub("#", match[0].strip()))
        if compared:
            units.append((compared, *match.span()))
        if len(units) == _MOST_UNITS:
            break
    return units


def _joined(text: str, units: Sequence[_Unit]) -> Iterator[str]:
    if units:
        yield text[units[0][1] : units[-1][2]]


def _first(headers: Headers, name: str) -> str:
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), "")


def _cookie_names(headers: Headers) -> set[str]:
    return {
        value.partition("=")[0].strip() for key, value in headers if key.lower() == "set-cookie"
    }
