"""The responses of other projects' test suites, as they are kept in ``responses/``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["RESPONSES", "Case", "read_responses", "write_responses"]

RESPONSES = Path(__file__).with_name("responses")


@dataclass(frozen=True)
class Case:
    """One response: where it comes from, and the bytes that a server sends."""

    source: str
    name: str
    wire: bytes

    def __str__(self) -> str:
        return f"{self.source}: {self.name}"


def read_responses(source: str | None = None) -> list[Case]:
    """Those of one source, or of all; none of them twice."""
    return [
        Case(path.stem, case["case"], case["bytes"].encode("latin-1"))
        for path in sorted(RESPONSES.glob(f"{source or '*'}.jsonl"))
        for case in map(json.loads, path.read_text(encoding="ascii").splitlines())
    ]


def write_responses(source: str, cases: Iterable[Case]) -> None:
    """Keep these as those of ``source``: a line each, whose characters are bytes."""
    lines = (
        json.dumps({"case": case.name, "bytes": case.wire.decode("latin-1")}) for case in cases
    )
    (RESPONSES / f"{source}.jsonl").write_text("\n".join(lines) + "\n", encoding="ascii")
