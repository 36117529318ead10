"""``python -m tests.hostile``: how the responses of other projects' test suites are read."""

from __future__ import annotations

import argparse
import sys

from tests.hostile.corpus import read_responses
from tests.hostile.examining import examine
from tests.hostile.gathering import gather
from tests.hostile.sources import SOURCES
from tests.hostile.table import PAGE, lines, updated


def main() -> None:
    """Examine them and print the tables; or take them from their packages again."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument(
        "--write", action="store_true", help="put the tables into docs/reliability.md as well"
    )
    parser.add_argument(
        "--fetch",
        nargs="*",
        metavar="SOURCE",
        help=f"first take the responses from their packages anew, and say what has changed: of "
        f"{', '.join(SOURCES)} (default: all)",
    )
    arguments = parser.parse_args()
    if arguments.fetch is not None:
        unknown = [name for name in arguments.fetch if name not in SOURCES]
        if unknown:
            parser.error(f"no source {unknown[0]!r}; there are {', '.join(SOURCES)}")
        for change in gather(arguments.fetch or list(SOURCES)):
            sys.stdout.write(f"{change}\n")
    outcomes = examine(read_responses())
    sys.stdout.write("\n".join(lines(outcomes)) + "\n")
    unlike = [
        f"{one.case}: {what}" for one in outcomes for what in (*one.unexplained, *one.inconsistent)
    ]
    sys.stderr.write("".join(f"{one}\n" for one in unlike))
    if arguments.write:
        PAGE.write_text(updated(PAGE.read_text(encoding="utf-8"), outcomes), encoding="utf-8")
    sys.exit(bool(unlike))


if __name__ == "__main__":
    main()
