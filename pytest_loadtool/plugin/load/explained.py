"""Why a load test failed: looked into when it is over, with samples of what failed in files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_loadtool import LOAD_SUFFIX
from pytest_loadtool.casefile.files import make_private_folder
from pytest_loadtool.casefile.har.replay import write_replay
from pytest_loadtool.diagnosis.kept import identities_of
from pytest_loadtool.diagnosis.load.diagnose import diagnose_load
from pytest_loadtool.diagnosis.load.situation import KnownCase, LoadSituation
from pytest_loadtool.engine.prepare.share import LoadTest, read_test
from pytest_loadtool.errors import FileError
from pytest_loadtool.load import Summary
from pytest_loadtool.plugin.evidence import evidence_of
from pytest_loadtool.plugin.options import trust_of
from pytest_loadtool.plugin.paths import shown_error, shown_path
from pytest_loadtool.report.load.firsts import Told

#: What samples are called: by the number of their group, and their own from the second on.
_NAME = re.compile(r"\d+(?:-\d+)?\.har", re.ASCII)

#: Of how many groups samples are written.
MOST_SAMPLED = 20


@dataclass(frozen=True, slots=True)
class LoadResult:
    """The results of the load test in the file ``path``, and why its iterations failed, if any did.
    ``problem`` says why samples were not written."""

    path: Path
    summary: Summary
    told: Told | None = None
    problem: str = ""


def explained(summary: Summary, path: Path, config: pytest.Config) -> LoadResult:
    """Return the results of the load test of that file with what is to be mended first."""
    failing = summary.failing
    if not failing.groups and not failing.exhausted:
        return LoadResult(path, summary)
    try:
        test = read_test(path, trust_of(config))
    except FileError as error:  # somebody has changed it while it ran
        return LoadResult(path, summary, problem=shown_error(error, config))
    cases = [
        KnownCase(
            case,
            shown_path(test.path_of(number), config),
            evidence_of(test.path_of(number), case, trust_of(config)),
        )
        for number, case in enumerate(test.cases)
    ]
    diagnosis = diagnose_load(LoadSituation(summary, cases, shown_path(path, config)))
    files: Mapping[object, str] = {}
    problem = ""
    folder = _folder(path, config)
    if folder is not None and failing.groups:
        try:
            files = dict(_written(summary, test, folder, config))
        except FileError as error:
            problem = shown_error(error, config)
    return LoadResult(path, summary, Told(diagnosis, files, [one.path for one in cases]), problem)


def _folder(path: Path, config: pytest.Config) -> Path | None:
    """Return where the samples go: beside the results' JSON, if that is written, or the load
    configuration."""
    wanted = config.getoption("load_samples", default=None)
    if wanted == "no":
        return None
    if wanted:
        return Path(config.invocation_params.dir, wanted)
    name = path.name.removesuffix(LOAD_SUFFIX)
    written = config.getoption("load_json", default=None)
    beside = Path(config.invocation_params.dir, written).parent if written else path.parent
    return beside / f"{name}.failures"


def _written(
    summary: Summary, test: LoadTest, folder: Path, config: pytest.Config
) -> Iterator[tuple[object, str]]:
    """Write the samples, in place of those of the run before, and yield the first file of each
    group.

    Raises:
        FileError: the folder cannot be made, or a file not be written.
    """
    make_private_folder(folder, "samples")
    for old in folder.iterdir():
        if _NAME.fullmatch(old.name):
            with suppress(OSError):  # it is somebody else's, or gone already
                old.unlink()
    for number, group in enumerate(summary.failing.groups[:MOST_SAMPLED], 1):
        identities = list(identities_of(test.cases[group.case_number]))
        for sample_number, sample in enumerate(group.samples, 1):
            name = f"{number}.har" if sample_number == 1 else f"{number}-{sample_number}.har"
            write_replay(folder / name, sample, identities)
            if sample_number == 1:
                yield group.key, shown_path(folder / name, config)
