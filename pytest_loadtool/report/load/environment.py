"""Where a load test was made: for the reader who compares it with another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RunEnvironment:
    """What made the load, and its ``target``: a base URL, empty if the test cases name theirs.

    ``build`` says compiled or pure.
    """

    target: str
    version: str
    build: str
    python: str
    system: str
    machine: str
    processors: int | None
    made_by: str

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what people are told, each with its name."""
        yield "Target", self.target or "as the test cases say"
        yield "pytest-loadtool", f"{self.version}, {self.build}"
        yield "Python", self.python
        yield "Machine", f"{self.system} {self.machine}, {self.processors} processors"
        yield "Made by", self.made_by

    def data(self) -> dict[str, Any]:
        """Return what the JSON has under ``environment``."""
        told = asdict(self)
        return {
            "tool": {"version": told.pop("version"), "build": told.pop("build")},
            **{key: value for key, value in told.items() if key != "target"},
        }
