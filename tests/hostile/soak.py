"""``python -m tests.hostile.soak``: 20 minutes of a server with every fault at 1 %."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median

from tests.hostile.faulty import FAULTS
from tests.hostile.soaking import Soaked, complaints, soak

#: How much more memory a worker may have in the last third of the time than in the one before: the
#: histograms of some megabytes still get rows of buckets that they had not, as what is rare comes.
_MOST_GROWTH = 1.1


def main() -> None:
    """Run it, say what was counted and whether all of it is right."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20, help="how long (default: 20)")
    parser.add_argument("--users", type=int, default=200, help="virtual users (default: 200)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        soaked = soak(
            Path(folder),
            users=arguments.users,
            length=f'duration = "{arguments.minutes * 60:.0f}s"',
            pause=400,
            workers=arguments.workers,
        )
    wrong = [*complaints(soaked), *_growing(soaked)]
    sys.stdout.write("\n".join((*_told(soaked), *wrong, "")))
    sys.exit(bool(wrong))


def _told(soaked: Soaked) -> list[str]:
    causes: Counter[str] = Counter()
    for name, fault in FAULTS.items():
        causes[fault.cause or "none: it is put up with"] += soaked.given.get(name, 0)
    totals = soaked.data.get("totals", {})
    return [
        f"{sum(soaked.given.values())} requests at the server, {totals.get('requests')} counted, "
        f"{totals.get('errors')} of them failed",
        *(f"{count} times cause {cause}" for cause, count in sorted(causes.items())),
        *(
            f"worker {pid}: {', '.join(f'{one / 1e6:.1f}' for one in _medians(samples))} MB"
            for pid, samples in soaked.memory.items()
        ),
    ]


def _medians(samples: list[int]) -> list[float]:
    """Those of each third of the time."""
    third = max(1, len(samples) // 3)
    return [median(samples[at : at + third] or samples) for at in (0, third, 2 * third)]


def _growing(soaked: Soaked) -> list[str]:
    return [
        f"worker {pid} grows from the second to the last third of the time"
        for pid, samples in soaked.memory.items()
        for _, before, last in [_medians(samples)]
        if last > before * _MOST_GROWTH
    ]


if __name__ == "__main__":
    main()
