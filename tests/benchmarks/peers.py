"""How much one core drives: pytest-loadtool beside its peers, and what it takes of memory and time.

    python tests/benchmarks/peers.py [--json FILE] [--seconds S] [--rounds N] [--soak-seconds S]
                                     [--only NAME ...]

nginx serves on one core, the contenders run on another. Contenders of a race run in turn, in short
slices, every other round in the opposite order; a ratio is the median of the rounds' ratios, as
machines drift within minutes. Absolute figures are medians, and vary from machine to machine.

What is asked of the server is described in works.py, what is measured in scenarios.py. Our own
build is the compiled one of this checkout, ``pure`` the same in pure Python. ``wrk`` sends B's
requests without taking anything from responses: the ceiling of the machine, not a peer.

Installs what it needs (see environments.py). Traffic goes to loopback only. Needs two cores, Linux
and any Python from 3.11.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # for a Python that knows nothing of us

from tests.benchmarks.contenders import CONTENDERS
from tests.benchmarks.scenarios import SCENARIOS, Race, Tried
from tests.benchmarks.servers import Site, serve

#: Ten thousand users, on either side, and some more.
_OPEN_FILES = 12_000

#: The rates of each round, by entrant.
Rates = dict[str, list[float]]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=4, help="length of each slice of a race")
    parser.add_argument("--rounds", type=int, default=7, help="slices of each contender")
    parser.add_argument("--soak-seconds", type=int, default=60, help="length of SOAK")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[*SCENARIOS],
                        default=[*SCENARIOS], help=f"of {' '.join(SCENARIOS)}")  # fmt: skip
    options = parser.parse_args()
    _allow_open_files()
    races: dict[str, Rates] = {}
    tried: dict[str, Tried] = {}
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder), _OPEN_FILES) as site:
        clients = Path(folder) / "clients"
        clients.mkdir()
        (clients / "pytest.ini").write_text("[pytest]\n")
        for name in options.only:
            scenario = SCENARIOS[name]
            if isinstance(scenario, Race):
                races[name] = _run_race(scenario, site, clients, options.seconds, options.rounds)
                _print_race(name, races[name])
            else:
                tried[name] = scenario.measure(site, clients, options.soak_seconds)
                _print_trial(name, tried[name])
    if options.json:
        options.json.write_text(json.dumps(_figures(races, tried), indent=1) + "\n")
    return 0


def _run_race(race: Race, site: Site, folder: Path, seconds: int, rounds: int) -> Rates:
    rates: Rates = {entrant: [] for entrant in race.entrants}
    for number in range(rounds):
        for entrant in [*race.entrants][:: -1 if number % 2 else 1]:
            contender, _ = race.entrants[entrant]
            job = race.job(entrant, site, folder, seconds)
            rates[entrant].append(CONTENDERS[contender](job))
    return rates


def _ratio(rates: Rates, entrant: str) -> float:
    ours, *_ = rates.values()
    return statistics.median(a / b for a, b in zip(ours, rates[entrant], strict=True))


def _print_race(name: str, rates: Rates) -> None:
    for entrant, values in rates.items():
        rate = statistics.median(values)
        spread = f"{min(values):,.0f} to {max(values):,.0f}"
        print(
            f"{name:8} {entrant:9} {rate:9,.0f}/s {1e6 / rate:8.1f} µs"
            f"   x {_ratio(rates, entrant):6.2f}   ({spread})",
            flush=True,
        )


def _print_trial(name: str, tried: Tried) -> None:
    for what, value in tried.items():
        print(f"{name:8} {what} = {value}", flush=True)


def _figures(races: dict[str, Rates], tried: dict[str, Tried]) -> dict[str, object]:
    """What goes into the file. A ratio is named after the scenario and who it is in relation to."""
    rps = {
        name: {entrant: statistics.median(values) for entrant, values in rates.items()}
        for name, rates in races.items()
    }
    return {
        "ratios": {
            f"{name}/{entrant}": round(_ratio(rates, entrant), 3)
            for name, rates in races.items()
            for entrant in [*rates][1:]
        },
        "rps": {name: {k: round(v) for k, v in one.items()} for name, one in rps.items()},
        "us_per_request": {
            name: {k: round(1e6 / v, 1) for k, v in one.items()} for name, one in rps.items()
        },
        "trials": tried,
    }


def _allow_open_files() -> None:
    """Raise the limit for what is started here; a soft limit needs no privilege up to the hard."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < _OPEN_FILES:
        raise SystemExit(f"{_OPEN_FILES} open files are needed, the limit is {hard}: ulimit -Hn")
    if soft != resource.RLIM_INFINITY and soft < _OPEN_FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, hard))


if __name__ == "__main__":
    sys.exit(main())
