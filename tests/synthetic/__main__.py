"""``python -m tests.synthetic``: how much of what is dynamic is found, and how much wrongly.

A line for each structure in which not all is right, with its number; then the sums.
"""

from __future__ import annotations

import argparse
import sys

from tests.synthetic.judging import judge, unsteady
from tests.synthetic.score import Score


def main() -> None:
    """Judge sessions, and print what became of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.synthetic", description=__doc__)
    parser.add_argument("--sessions", type=int, default=1000, metavar="N", help="default: 1000")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="where to begin")
    parser.add_argument(
        "--draws", type=int, default=20, metavar="N",
        help="how many draws of each session must have the same fields found (default: 20)",
    )  # fmt: skip
    arguments = parser.parse_args()
    score = Score()
    for structure in range(arguments.first, arguments.first + arguments.sessions):
        judgement, other = judge(structure), unsteady(structure, arguments.draws)
        score.add(judgement, steady=not other)
        for what, places in (
            ("missed", judgement.missed), ("wrong", judgement.wrong), ("at times", other)
        ):  # fmt: skip
            if places:
                named = ", ".join(f"{at}: {name}" for at, name in sorted(places))
                sys.stdout.write(f"{structure} {what} {named}\n")
    sys.stdout.write(f"{score}\n")


if __name__ == "__main__":
    main()
