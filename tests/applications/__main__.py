"""``python -m tests.applications [NAME ...]``: the table of applications, all or those named."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.applications.application import APPLICATIONS
from tests.applications.journey import JourneyError
from tests.applications.outcome import examine
from tests.applications.table import PAGE, table, updated


def main() -> None:
    """Examine them one after the other and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.applications", description=__doc__)
    parser.add_argument("name", nargs="*", help=f"one of {', '.join(APPLICATIONS)} (default: all)")
    parser.add_argument(
        "--write", action="store_true", help="put their rows into docs/correlation.md as well"
    )
    arguments = parser.parse_args()
    names = arguments.name or list(APPLICATIONS)
    unknown = [name for name in names if name not in APPLICATIONS]
    if unknown:
        parser.error(f"no application {unknown[0]!r}; there are {', '.join(APPLICATIONS)}")
    outcomes = []
    for name in names:
        with tempfile.TemporaryDirectory(prefix=f"{name}-") as folder:
            sys.stderr.write(f"{name} …\n")
            try:
                outcomes.append(examine(name, Path(folder)))
            except JourneyError as error:
                sys.stderr.write(f"{error}\n")
    sys.stdout.write("\n".join(table(outcomes)) + "\n")
    if arguments.write:
        PAGE.write_text(updated(PAGE.read_text(), outcomes))
    sys.exit(len(outcomes) != len(names))


if __name__ == "__main__":
    main()
