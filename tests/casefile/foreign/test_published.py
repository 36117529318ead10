"""What others have published is imported, and replayed unedited: the test folders of the tools."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.applications.installed import once
from tests.casefile.foreign.__main__ import measured

#: Repositories, and the commit that was measured. None of their files is kept here.
PUBLISHED = {
    "apache/jmeter": "bb30edfe8c3157c1ca57e810a569bf5cbe983837",
    "postmanlabs/newman": "74a45548df1bc6632f338e1b5e8239a25f314c5d",
}


def cloned(repository: str, commit: str) -> Path:
    """A repository as it was at that commit."""

    def install(folder: Path) -> None:
        for command in (
            ("init", "--quiet"),
            ("fetch", "--quiet", "--depth=1", f"https://github.com/{repository}", commit),
            ("checkout", "--quiet", "FETCH_HEAD"),
        ):
            subprocess.run(["git", *command], cwd=folder, check=True, timeout=600)

    return once(f"published-{repository.replace('/', '-')}", f"{repository} {commit}", install)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("repository", "kind", "least"),
    [("apache/jmeter", "JMeter plan", 20), ("postmanlabs/newman", "Postman collection", 10)],
)
def test_most_of_what_is_published_replays_unedited(repository: str, kind: str, least: int) -> None:
    """Of so many documents with HTTP requests nine of ten do, hosts aside; what fraction is
    printed."""
    outcomes = measured([cloned(repository, PUBLISHED[repository])])[kind]
    found = [one for one in outcomes if one.cases]
    assert len(found) >= least
    assert sum(one.replays for one in found) >= 0.9 * len(found)
