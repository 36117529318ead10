"""Bring all failures about and print what the diagnosis made of them.

``python -m tests.diagnosis.situations`` prints the table, ``--write`` puts it into
``docs/diagnosis.md``; names choose some.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.diagnosis.situations.bench import Outcome, Situation, bring_about
from tests.diagnosis.situations.table import SITUATIONS

PAGE = Path(__file__).parents[3] / "docs" / "diagnosis.md"
_BEGIN, _END = "<!-- table -->\n", "<!-- end of table -->\n"


def right(situation: Situation, outcome: Outcome) -> bool:
    """Whether the transaction to mend and the cause are named first."""
    named = situation.blamed in outcome.blamed
    return named and re.search(situation.cause, outcome.cause) is not None


def table(found: Iterable[tuple[Situation, Outcome]]) -> str:
    """The table as Markdown, with the score at its end."""
    rows, causes, mended, by_person, count = [], 0, 0, 0, 0
    for situation, outcome in found:
        good = right(situation, outcome)
        count, causes = count + 1, causes + good
        by_person += outcome.mended and situation.mend is not None
        mended += outcome.mended and situation.mend is None
        cause = re.sub(r"\b[0-9a-f]{12,}\b|\b[\w-]{20,}\b", "…", outcome.cause)
        remedy = outcome.remedy if outcome.mended else f"{outcome.remedy}, in vain"
        cause, remedy = (one.replace("|", "\\|") for one in (cause, remedy))
        rows.append(f"| {situation.name} | {cause} | {'yes' if good else '**no**'} | {remedy} |")
    score = (
        f"The right cause first: {causes} of {count}. Mended by a command or a line as printed: "
        f"{mended}; by a person who did what is printed, as far as a program can: {by_person}.\n"
    )
    head = "| brought about | cause named first | right | mended by |\n|---|---|---|---|\n"
    return f"{head}{chr(10).join(rows)}\n\n{score}"


def main(arguments: list[str]) -> None:
    """Run as a command."""
    parser = argparse.ArgumentParser(prog="python -m tests.diagnosis.situations")
    parser.add_argument("names", nargs="*", help="parts of names; all without")
    parser.add_argument("--write", action="store_true", help="into docs/diagnosis.md")
    options = parser.parse_args(arguments)
    chosen = [
        one
        for one in SITUATIONS
        if not options.names or any(name in one.name for name in options.names)
    ]
    found = []
    for situation in chosen:
        with tempfile.TemporaryDirectory() as directory:
            found.append((situation, bring_about(situation, Path(directory))))
        sys.stderr.write(f"{len(found)} of {len(chosen)}  {situation.name}\n")
    text = table(found)
    if not options.write:
        sys.stdout.write(text)
        return
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(_BEGIN)
    PAGE.write_text(before + _BEGIN + text + _END + rest.partition(_END)[2], encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
