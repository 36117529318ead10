"""``python -m tests.applications [NAME ...]``: the table of applications, all or those named.

With ``--sabotage``: which changes that were not done make a replay red. With ``--score [HAR ...]``:
what each rule and strategy of correlation finds in the recordings of the tests, and in these.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from tests.applications.application import APPLICATIONS
from tests.applications.installed import CACHE
from tests.applications.journey import JourneyError
from tests.applications.outcome import SESSIONS, examine
from tests.applications.sabotage import PLACES, REPLAYS, SABOTAGED, kept, report
from tests.applications.score import PAGE as SCORES
from tests.applications.score import Scores, corpus, scored
from tests.applications.table import PAGE, table, updated

_Done = TypeVar("_Done")


def main() -> None:
    """Examine them one after the other and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.applications", description=__doc__)
    parser.add_argument(
        "name",
        nargs="*",
        help=f"one of {', '.join(APPLICATIONS)} (default: all; of sabotage, the quick ones)",
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="put their rows into docs/correlation.md as well, the scores into docs/scores.md",
    )
    parser.add_argument(
        "--sabotage", action="store_true", help="answer changes as recorded, and do not do them"
    )
    parser.add_argument("--places", type=int, default=PLACES, help="so many changes of each")
    parser.add_argument("--replays", type=int, default=REPLAYS, help="so many without sabotage")
    parser.add_argument(
        "--results",
        type=Path,
        default=CACHE / "sabotaged",
        metavar="FOLDER",
        help="keep what came of each sabotaged application there, and do not do that again"
        " (default: %(default)s)",
    )
    parser.add_argument(
        "--sessions", type=int, default=SESSIONS, help="of each of the ten users, at most"
    )
    parser.add_argument(
        "--score", nargs="*", type=Path, metavar="HAR", help="score rules and strategies, no more"
    )
    arguments = parser.parse_args()
    if arguments.score is not None:
        _score(arguments.score, write=arguments.write)
        return
    names = arguments.name or list(SABOTAGED if arguments.sabotage else APPLICATIONS)
    unknown = [name for name in names if name not in APPLICATIONS]
    if unknown:
        parser.error(f"no application {unknown[0]!r}; there are {', '.join(APPLICATIONS)}")
    if arguments.sabotage:
        how = (arguments.places, arguments.replays, arguments.results)
        sabotaged = list(_each(names, lambda name, folder: kept(name, folder, *how)))
        _print(report(sabotaged))
        sys.exit(len(sabotaged) != len(names))
    outcomes = list(_each(names, lambda name, folder: examine(name, folder, arguments.sessions)))
    _print(table(outcomes))
    if arguments.write:
        PAGE.write_text(updated(PAGE.read_text(), outcomes))
    sys.exit(len(outcomes) != len(names))


def _score(recordings: Sequence[Path], *, write: bool) -> None:
    """Print what rules and strategies find; ``write`` it for people, too."""
    scores = Scores()
    for session in corpus(recordings):
        sys.stderr.write(f"{session.name} …\n")
        scores.add(session)
    _print(scores.lines())
    if write:
        SCORES.write_text(scored(SCORES.read_text(), scores))


def _each(names: Iterable[str], do: Callable[[str, Path], _Done]) -> Iterator[_Done]:
    """What came of each application with which it could be done; of others, why it could not."""
    for name in names:
        with tempfile.TemporaryDirectory(prefix=f"{name}-") as folder:
            sys.stderr.write(f"{name} …\n")
            try:
                yield do(name, Path(folder))
            except JourneyError as error:
                sys.stderr.write(f"{error}\n")


def _print(lines: Iterable[str]) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
