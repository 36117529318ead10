"""What the idle plugin adds to the start of pytest.

    python tests/benchmarks/startup.py [--runs N]

Runs ``pytest --version --version`` (which loads every plugin) with the plugin and with
``-p no:loadtool`` in alternation, in an empty folder, and prints both medians, their difference in
milliseconds and their ratio. The project must be installed in the Python that runs this.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time


def main() -> int:
    """Print medians, difference and ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=40, help="runs of each")
    runs = parser.parse_args().runs
    commands = {"with": [], "without": ["-p", "no:loadtool"]}
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs + 2):
            for name, options in commands.items():
                start = time.perf_counter()
                subprocess.run(
                    [sys.executable, "-m", "pytest", "--version", "--version", *options],
                    cwd=folder,
                    check=True,
                    capture_output=True,
                )
                if number >= 2:  # the first ones warm the file cache
                    times[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(values) * 1000 for name, values in times.items()}
    paired = statistics.median(a - b for a, b in zip(times["with"], times["without"], strict=True))
    print(f"with     {medians['with']:7.1f} ms")
    print(f"without  {medians['without']:7.1f} ms")
    print(f"added    {paired * 1000:7.1f} ms   ratio {medians['with'] / medians['without']:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
