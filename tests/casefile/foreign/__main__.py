"""Imports what others have published, replays it unedited, and prints what fraction of it did.

    git clone --depth 1 https://github.com/apache/jmeter
    git clone --depth 1 https://github.com/Blazemeter/taurus
    git clone --depth 1 https://github.com/postmanlabs/newman
    git clone --depth 1 https://github.com/postmanlabs/postman-code-generators
    git clone --depth 1 https://github.com/postmanlabs/openapi-to-postman
    python -m tests.casefile.foreign jmeter taurus newman postman-code-generators openapi-to-postman

Folders are cloned repositories, or whatever else has such documents. A document counts if a test
case has something to send for it: plans of other protocols do not. Hosts are those of a server
here that answers anything; variables of the environment are set; nothing else is edited.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pytest_loadtool.casefile.foreign.table import READERS, reader_of
from tests.casefile.foreign.replaying import Outcome, echo_server, imported_and_replayed

SUFFIXES = {".jmx", ".json", ".yaml", ".yml"}


def documents(folders: list[Path]) -> Iterator[tuple[str, Path]]:
    """The documents in these folders, and the kind of each."""
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and ".git" not in path.parts:
                try:
                    text = path.read_text("utf-8-sig")
                except UnicodeDecodeError:
                    continue
                if (reader := reader_of(text)) is not None and _is_one(reader.kind, text):
                    yield reader.kind, path


def _is_one(kind: str, text: str) -> bool:
    """Whether a document is whole: no list of recipes that has such keys among others."""
    return kind != "Postman collection" or ('"info"' in text and '"item"' in text)


def measured(folders: list[Path]) -> dict[str, list[Outcome]]:
    """Print what became of each document, and the fractions; return it by kind."""
    outcomes: dict[str, list[Outcome]] = {one.kind: [] for one in READERS}
    failures: Counter[str] = Counter()
    with echo_server() as echo, tempfile.TemporaryDirectory() as scratch:
        for number, (kind, path) in enumerate(documents(folders)):
            outcome = imported_and_replayed(path, Path(scratch) / str(number), echo)
            said = "green" if outcome.is_green else "replays" if outcome.replays else "no"
            print(
                f"{said:8} {outcome.cases:3} cases {outcome.answered}/{outcome.requests} "
                f"{len(outcome.left)} left  {path}  {outcome.problem[:150]}"
            )
            outcomes[kind].append(outcome)
            failures += outcome.failures
    for kind, found in outcomes.items():
        with_requests = [one for one in found if one.cases]
        if with_requests:
            replaying = sum(one.replays for one in with_requests)
            green = sum(one.is_green for one in with_requests)
            print(
                f"{kind}s: {len(found)} read, {len(with_requests)} with HTTP requests; of these "
                f"{replaying} replay unedited ({replaying / len(with_requests):.0%}), "
                f"{green} with all their checks ({green / len(with_requests):.0%}); "
                f"{sum(one.requests for one in with_requests)} requests, "
                f"{sum(len(one.left) for one in found)} things left out and told"
            )
    for text, count in failures.most_common(12):
        print(f"  {count} of: {text}")
    return outcomes


if __name__ == "__main__":
    measured([Path(one) for one in sys.argv[1:]])
