"""Our replay of all responses over real sockets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_loadtool.replay import Response
from pytest_loadtool.replay.content import ContentError
from pytest_loadtool.replay.head import parse_head
from tests.hostile.corpus import Case
from tests.hostile.reading import Reading
from tests.hostile.serving import Split, serving, whole
from tests.observed import replay

__all__ = ["HUNG", "closing", "contents", "holding"]

#: Seconds for a response that comes at once: beyond that, the reader waits for what never comes.
_PATIENCE = 30.0

#: What a reading says that ended only so.
HUNG = "hangs"


def closing(cases: Sequence[Case], split: Split = whole) -> list[Reading]:
    """What each is taken for when the server closes behind it. Of whether the connection would be
    kept they say nothing."""
    return [_reading(one) for one in _closing(cases, split)]


def contents(cases: Sequence[Case]) -> list[Reading]:
    """The same, the bodies without their codings; one that has others is not taken."""
    return [_content(one) for one in _closing(cases, whole)]


def holding(cases: Sequence[Case]) -> list[tuple[Reading, bytes]]:
    """The same as `closing` where the server lets the client close; each with the body of the
    answer to the request that follows it, which the server answers well."""
    with serving(cases, hold=True) as server:
        targets = (one for number in range(len(cases)) for one in (f"/{number}", "/after"))
        observed = replay(f"http://127.0.0.1:{server.port}", *targets, timeout=_PATIENCE)
    return [
        (replace(_reading(first), keeps=number in server.kept), second.body)
        for number, (first, second) in enumerate(
            zip(observed.responses[::2], observed.responses[1::2], strict=True)
        )
    ]


def _closing(cases: Sequence[Case], split: Split) -> Iterator[Response]:
    with serving(cases, split) as server:
        url = f"http://127.0.0.1:{server.port}"
        for number in range(len(cases)):  # each by a user of its own, whose connection is new
            yield from replay(url, f"/{number}", timeout=_PATIENCE).responses


def _reading(response: Response) -> Reading:
    failure = response.failure
    if failure is not None:
        return Reading(problem=HUNG if failure.cause == "timeout" else failure.message)
    return Reading(response.status, parse_head(response.head).fields, response.body)


def _content(response: Response) -> Reading:
    reading = _reading(response)
    try:
        return reading if reading.problem else replace(reading, body=response.content)
    except ContentError as error:
        return Reading(problem=str(error))
