"""What a reader makes of the bytes of one response, and where two readers differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Reading", "differences"]


@dataclass(frozen=True)
class Reading:
    """The final response to a GET, as it was taken; or ``problem``, why it was not.

    ``fields`` gives the values of each header in order, by its name in lower case, if the reader
    tells them. ``keeps`` says whether it would send the next request on the same connection.
    """

    status: int = 0
    fields: Mapping[str, list[str]] | None = None
    body: bytes = b""
    keeps: bool = False
    problem: str = ""


def differences(ours: Reading, theirs: Reading) -> tuple[str, ...]:
    """In what they differ: none when they agree.

    Two that take a response agree when status, headers, body and whether the connection is kept are
    equal. Two that do not take it agree, whatever each has against it, and however much of it each
    has read by then.
    """
    if ours.problem or theirs.problem:
        if ours.problem and theirs.problem:
            return ()
        return ("refused",) if ours.problem else ("taken",)
    aspects = {
        "status": ours.status == theirs.status,
        "headers": theirs.fields is None or ours.fields == theirs.fields,
        "body": ours.body == theirs.body,
        "connection": ours.keeps == theirs.keeps,
    }
    return tuple(aspect for aspect, same in aspects.items() if not same)
