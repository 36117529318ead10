"""The blocks at the top of failures, as they are to stand there: `python -m
tests.diagnosis.situations --write` writes them anew."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "golden"
#: What differs from run to run.
_NOT_AS_RECORDED = (
    (r"(127\.0\.0\.1|localhost):\d+", r"\1:PORT"),
    (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT", "DATE"),
    (r"\b\d+(\.\d+)? (s|ms)\b", r"N \2"),
    (r"--loadtool-timeout \d+s", "--loadtool-timeout Ns"),
    (r"(?<==)\S{4}…|(?<=Authorization: )\S{4}…|(?<= = )\S{4}…", "…"),
    (r"\b[0-9a-f]{12,}\b", "ID"),
    (r"\b1\d{9}\b", "TIME"),
    (r"(?<=arrival = )\d{4}-\d\d-\d\d", "DAY"),
    (r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{20,}", "TOKEN"),
    (r"/tmp/[\w/-]+/", "/tmp/"),
    (r"\b\d{4}\b(?= was sent| has|, the one)", "NUMBER"),
)


def steady(block: str) -> str:
    """The block without what differs from run to run."""
    for pattern, instead in _NOT_AS_RECORDED:
        block = re.sub(pattern, instead, block)
    return block


def words(block: str) -> list[str]:
    """What is compared: where lines break depends on the length of what differs."""
    return block.split()


def path_of(name: str) -> Path:
    """The file of a situation."""
    return FOLDER / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.txt"


def kept(name: str) -> str:
    """The block as it is kept."""
    path = path_of(name)
    return path.read_text(encoding="utf-8") if path.exists() else ""
