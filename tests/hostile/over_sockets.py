"""Our replay of all responses over real sockets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_loadtool.codec.content_coding import ContentError
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay import Response
from pytest_loadtool.replay.user.head import parse_head
from tests.hostile.corpus import Case
from tests.hostile.reading import Reading
from tests.hostile.serving import Split, serving, whole
from tests.observed import Observed, replay

__all__ = ["HUNG", "RAISED", "closing", "contents", "holding"]

#: Seconds for a response that comes at once: beyond that, the reader waits for what never comes.
_PATIENCE = 30.0

#: What a reading says that ended only so, and one that ended with a defect of ours.
HUNG, RAISED = "hangs", "raises"

#: A response, if there is one, and what a user has against it.
Played = tuple[Response | None, tuple[Failure, ...]]


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
    played = list(_played(observed))
    return [
        (replace(_reading(first), keeps=number in server.kept), _reading(second).body)
        for number, (first, second) in enumerate(zip(played[::2], played[1::2], strict=True))
    ]


def _closing(cases: Sequence[Case], split: Split) -> Iterator[Played]:
    with serving(cases, split) as server:
        url = f"http://127.0.0.1:{server.port}"
        for number in range(len(cases)):  # each by a user of its own, whose connection is new
            try:
                yield from _played(replay(url, f"/{number}", timeout=_PATIENCE))
            except Exception as error:  # that there is none is what is counted
                yield None, (Failure("internal", repr(error)),)


def _played(observed: Observed) -> Iterator[Played]:
    return zip(observed.responses, observed.failures, strict=True)


def _reading(played: Played) -> Reading:
    response, failures = played
    for failure in failures:
        if failure.cause == "internal":
            return Reading(problem=f"{RAISED}: {failure.message}")
    assert response is not None
    ended = response.failure
    if ended is not None:
        return Reading(problem=HUNG if ended.cause == "timeout" else ended.message)
    return Reading(response.status, parse_head(response.head).fields, response.body)


def _content(played: Played) -> Reading:
    reading = _reading(played)
    response, _ = played
    if reading.problem or response is None:
        return reading
    try:
        return replace(reading, body=response.content)
    except ContentError as error:
        return Reading(problem=str(error))
