"""Bring the failures about and print how well they were diagnosed::

python -m tests.diagnosis.situations [--only TABLE] [--write] [--texts] [NAME ...]
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.diagnosis.situations import golden
from tests.diagnosis.situations.bench import Outcome, Situation, bring_about
from tests.diagnosis.situations.lists import LISTS
from tests.diagnosis.situations.strangers import STRANGERS
from tests.diagnosis.situations.strangers_again import STRANGERS_AGAIN
from tests.diagnosis.situations.table import SITUATIONS
from tests.diagnosis.situations.unseen import UNSEEN
from tests.diagnosis.situations.unseen_again import UNSEEN_AGAIN
from tests.diagnosis.situations.unseen_fifth import UNSEEN_FIFTH
from tests.diagnosis.situations.unseen_fourth import UNSEEN_FOURTH
from tests.diagnosis.situations.unseen_sixth import UNSEEN_SIXTH
from tests.diagnosis.situations.unseen_third import UNSEEN_THIRD
from tests.diagnosis.situations.wiki import WIKI

#: The situations of each table of the page, by its mark.
TABLES = {
    "table": SITUATIONS,
    "lists": LISTS,
    "unseen": UNSEEN,
    "unseen again": UNSEEN_AGAIN,
    "unseen third": UNSEEN_THIRD,
    "unseen fourth": UNSEEN_FOURTH,
    "unseen fifth": UNSEEN_FIFTH,
    "unseen sixth": UNSEEN_SIXTH,
    "strangers": STRANGERS,
    "strangers again": STRANGERS_AGAIN,
    "wiki": WIKI,
}
PAGE = Path(__file__).parents[3] / "docs" / "diagnosis.md"


def right(situation: Situation, outcome: Outcome) -> bool:
    """Whether the transaction to mend and the cause are named first."""
    named = situation.blamed in outcome.blamed
    return named and re.search(situation.cause, outcome.cause) is not None


def false_remedy(situation: Situation, outcome: Outcome) -> bool:
    """Whether something is to be done or written that does not help."""
    return bool(outcome.changes or outcome.remedy.startswith("line")) and not outcome.mended


def score(found: Sequence[tuple[Situation, Outcome]]) -> str:
    """How many were right, and how many were mended in which way."""
    ways = Counter(outcome.mended for _, outcome in found)
    return (
        f"The right cause first: {sum(right(*one) for one in found)} of {len(found)}. Mended as "
        f"printed: {len(found) - ways['']} ({ways['command']} by commands, {ways['line']} by a "
        f"line, {ways['record']} by recording anew, {ways['server']} by the server that was "
        f"brought back). False remedies: {sum(false_remedy(*one) for one in found)}.\n"
    )


def table(found: Sequence[tuple[Situation, Outcome]]) -> str:
    """The table as Markdown, with the score at its end."""
    rows = []
    for situation, outcome in found:
        good = right(situation, outcome)
        cause = re.sub(r"\b[0-9a-f]{12,}\b|\b[\w-]{20,}\b", "…", outcome.cause)
        remedy = re.sub(r"(?<=127\.0\.0\.1:)\d+", "PORT", outcome.remedy)
        remedy = remedy if outcome.mended else f"**not**: {remedy}"
        cells = (situation.name, cause, "yes" if good else "**no**", remedy)
        rows.append("| " + " | ".join(one.replace("|", "\\|") for one in cells) + " |")
    head = "| brought about | cause named first | right | mended by |\n|---|---|---|---|\n"
    return f"{head}{chr(10).join(rows)}\n\n{score(found)}"


def main(arguments: list[str]) -> None:
    """Run as a command."""
    parser = argparse.ArgumentParser(prog="python -m tests.diagnosis.situations")
    parser.add_argument("names", nargs="*", help="parts of names; all without")
    parser.add_argument("--only", choices=TABLES, help="one table of the page")
    parser.add_argument("--write", action="store_true", help="into docs/diagnosis.md")
    parser.add_argument("--texts", action="store_true", help="what was printed and done, too")
    parser.add_argument("--jobs", type=int, default=2, help="at a time")
    options = parser.parse_args(arguments)
    every_one: list[tuple[Situation, Outcome]] = []
    for mark, every in TABLES.items():
        numbers = [
            number
            for number, one in enumerate(every)
            if not options.names or any(name in one.name for name in options.names)
            if options.only in (None, mark)
        ]
        with ProcessPoolExecutor(options.jobs) as pool:
            outcomes = list(pool.map(_one, [mark] * len(numbers), numbers))
        if options.texts:
            for outcome in outcomes:
                sys.stdout.write("\n".join((outcome.text, *outcome.steps, "=" * 78, "")))
        found = list(zip((every[one] for one in numbers), outcomes, strict=True))
        every_one += found
        text = table(found)
        if options.write:
            golden.FOLDER.mkdir(exist_ok=True)
            for one, outcome in zip(numbers, outcomes, strict=True):
                path = golden.path_of(every[one].name)
                path.write_text(golden.steady(outcome.block) + "\n", encoding="utf-8")
            if not options.names and numbers:
                _write(mark, text)
        elif outcomes:
            sys.stdout.write(text)
    if options.write and not options.names and not options.only:
        _write("all", f"All {len(TABLES)} tables, in one run: {score(every_one)}")
    sys.stdout.write(score(every_one))


def _one(mark: str, number: int) -> Outcome:
    """Bring one about, in a process of its own."""
    situation = TABLES[mark][number]
    with tempfile.TemporaryDirectory() as directory:
        try:
            outcome = bring_about(situation, Path(directory))
        except Exception as error:
            outcome = Outcome(f"{type(error).__name__}: {error}")
    sys.stderr.write(f"{outcome.mended or '-':8} {situation.name}\n")
    return outcome


def _write(mark: str, text: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->\n"
    before, _, rest = page.partition(begin)
    PAGE.write_text(before + begin + text + end + rest.partition(end)[2], encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
