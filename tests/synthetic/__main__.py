"""``python -m tests.synthetic``: how much of what is dynamic is found, and how much wrongly.

Each session is recorded with each draw, and replayed against others. A line for each of which not
all is right, ``structure/draw``; then the sums.
"""

from __future__ import annotations

import argparse
import sys

from tests.synthetic.judging import Place, judge, unsteady
from tests.synthetic.score import Score


def main() -> None:
    """Judge sessions, and print what became of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.synthetic", description=__doc__)
    parser.add_argument("--sessions", type=int, default=1000, metavar="N", help="default: 1000")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="where to begin")
    parser.add_argument(
        "--draws", type=int, default=20, metavar="N",
        help="how many draws record each session; all have the same fields found (default: 20)",
    )  # fmt: skip
    arguments = parser.parse_args()
    score = Score()
    for structure in range(arguments.first, arguments.first + arguments.sessions):
        judgements = [judge(structure, draw) for draw in range(arguments.draws)]
        other = unsteady(judgements)
        score.add(judgements, steady=not other)
        for draw, one in enumerate(judgements):
            _tell(f"{structure}/{draw} missed", one.missed)
            _tell(f"{structure}/{draw} wrong", one.wrong)
        _tell(f"{structure} at times", other)
    sys.stdout.write(f"{score}\n")


def _tell(what: str, places: frozenset[Place]) -> None:
    if places:
        named = ", ".join(f"{at}: {name}" for at, name in sorted(places))
        sys.stdout.write(f"{what} {named}\n")


if __name__ == "__main__":
    main()
