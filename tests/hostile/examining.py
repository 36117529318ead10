"""Every response, read in every way and judged by the others."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tests.hostile import over_sockets
from tests.hostile.by_curl import by_curl
from tests.hostile.corpus import Case
from tests.hostile.disagreements import Judge, Reason, reason_for
from tests.hostile.over_sockets import HUNG, RAISED
from tests.hostile.readers import by_h11, by_httptools, ours
from tests.hostile.reading import Reading, differences

__all__ = ["SPLITS", "Outcome", "examine", "pieces"]


def _bytes(wire: bytes) -> Iterable[bytes]:
    return (bytes([one]) for one in wire)


def pieces(wire: bytes) -> Iterable[bytes]:
    """Cut anywhere, into at most six; the same bytes always at the same places."""
    chosen = random.Random(wire)
    cuts = sorted(chosen.randint(0, len(wire)) for _ in range(5))
    return (wire[a:b] for a, b in zip([0, *cuts], [*cuts, len(wire)], strict=True) if a < b)


#: How a response is cut, but whole.
SPLITS = {"byte by byte": _bytes, "split at random": pieces}


@dataclass(frozen=True)
class Outcome:
    """What came of one response.

    ``reasons`` are those for which others differ, each with who does; ``unexplained`` are their
    differences without one, ``inconsistent`` those of our own readings from each other: in other
    pieces, or over a socket.
    """

    case: Case
    reasons: tuple[tuple[Judge, Reason], ...]
    unexplained: tuple[str, ...]
    inconsistent: tuple[str, ...]
    raised: bool
    hung: bool
    wrong_body: bool


def examine(cases: Sequence[Case]) -> list[Outcome]:
    """An outcome for each, in their order."""
    readings = [ours([case.wire]) for case in cases]
    closed = {"whole": over_sockets.closing(cases)} | {
        name: over_sockets.closing(cases, split) for name, split in SPLITS.items()
    }
    contents = over_sockets.contents(cases)
    curl = by_curl(cases)
    return [
        _outcome(
            case,
            readings[at],
            {f"{name}, over a socket": one[at] for name, one in closed.items()},
            replace(contents[at], keeps=readings[at].keeps),
            curl[at],
        )
        for at, case in enumerate(cases)
    ]


def _outcome(
    case: Case, read: Reading, sockets: dict[str, Reading], content: Reading, curl: Reading
) -> Outcome:
    reasons: list[tuple[Judge, Reason]] = []
    unexplained: list[str] = []
    wrong_body = False
    for judge, mine, theirs in _judged(case, read, content, curl):
        for aspect in differences(mine, theirs):
            reason = reason_for(judge, aspect, case.wire, mine, theirs)
            if reason is not None:
                reasons.append((judge, reason))
                continue
            unexplained.append(f"{aspect} as by {judge}: {mine}, {theirs}")
            wrong_body |= aspect == "body"
    problems = [one.problem for one in (*sockets.values(), content)]
    return Outcome(
        case,
        tuple(reasons),
        tuple(unexplained),
        (*_in_pieces(case, read), *_over_sockets(read, sockets)),
        raised=any(one.startswith(RAISED) for one in problems),
        hung=HUNG in problems,
        wrong_body=wrong_body,
    )


def _judged(
    case: Case, read: Reading, content: Reading, curl: Reading
) -> Iterator[tuple[Judge, Reading, Reading]]:
    """Who judges, what of ours, and what it has read itself; curl undoes the body's codings."""
    yield "h11", read, by_h11(case.wire)
    llhttp = by_httptools(case.wire)
    if llhttp is not None:
        yield "httptools", read, llhttp
    yield "curl", content, curl


def _in_pieces(case: Case, read: Reading) -> Iterator[str]:
    for name, split in SPLITS.items():
        other = ours(split(case.wire))
        if other != read:
            yield f"whole {read}, {name} {other}"


def _over_sockets(read: Reading, sockets: dict[str, Reading]) -> Iterator[str]:
    for name, other in sockets.items():
        if differences(replace(read, keeps=False), other):
            yield f"without a socket {read}, {name} {other}"
