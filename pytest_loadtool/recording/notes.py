"""What a recording says about itself."""

from __future__ import annotations

from dataclasses import dataclass

#: Kinds of notes.
FILTERED = "filtered by domain"
BACKGROUND = "the browser's own traffic, left out"
UNREADABLE = "could not be read, left out"
UNREPLAYABLE = "not replayable, kept as evidence"
NEGOTIATION = "made anew by replay, left out"
CANCELLED = "cancelled by the client, left out"
REMOVED = "taken out of the test case"
CHANGED = "replayed, but not quite as recorded"
EXPECTED = "expected on replay, beyond a status of 200 to 399"
RECORDING_ERROR = "recording error"
INCOMPLETE = "incomplete evidence"


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that the user should know about one exchange.

    ``kind`` is a heading, ``subject`` what the note is about (a request, a host). ``message`` is
    one line and the same for equal findings, so that notes can be grouped by it. ``serious`` means
    that the recording may have to be made again.
    """

    kind: str
    subject: str
    message: str
    serious: bool = False
