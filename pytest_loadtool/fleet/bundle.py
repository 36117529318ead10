"""What a share of a load test needs on another machine: its files, and what was asked of this one.

Files keep their places relative to each other. Passwords of the keyring travel as values, variables
of the environment by their names.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_loadtool.casefile.dataset import format_dataset, read_dataset
from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.casefile.trust import Reach, Trust, named_path, reached
from pytest_loadtool.engine.prepare.keyrings import keyring_password
from pytest_loadtool.engine.prepare.share import LoadTest
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.load import Share
from pytest_loadtool.load.cluster.share import rows_for
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.replay.compile.proxies import ENVIRONMENT
from pytest_loadtool.structure.uses import lasting_datasets

#: Bytes of a dataset's file beyond which each share gets its own rows only.
_LARGE = 1 << 20

#: Where the environment names proxies; each also in capitals.
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A load test, with all that it reads: files by their path below a folder that is made where
    it arrives, and variables of the environment."""

    test: LoadTest
    """Its path is relative to that folder."""
    files: dict[str, bytes] = field(repr=False)
    environment: dict[str, str] = field(repr=False)
    secret: bool
    """Whether something in it was in no file: of the environment or the keyring."""


@dataclass(frozen=True, slots=True)
class LargeDataset:
    """A dataset of which each share gets its own rows: where it is, and how test cases use it."""

    name: str
    dataset: Dataset
    uses: tuple[DatasetUse, ...]

    def part(self, share: Share, load: LoadConfiguration) -> bytes:
        """Return the file with all rows that are not for ``share`` empty: those keep their
        places."""
        (population, *others), rows = load.populations, self.dataset.rows
        schedule = population.schedule
        users, iterations = share.users(schedule.users), schedule.iterations
        if others:  # which of them take rows of it is known where its test cases are
            return format_dataset(self.dataset, self.name).encode()
        needed: set[int] = set()
        for use in self.uses:
            some = rows_for(use, len(rows), users, schedule.users, iterations)
            if some is None:
                return format_dataset(self.dataset, self.name).encode()
            needed |= some
        nothing = ("",) * len(self.dataset.columns)
        kept = tuple(row if at in needed else nothing for at, row in enumerate(rows))
        return format_dataset(replace(self.dataset, rows=kept), self.name).encode()


def _refuse_hooks(test: LoadTest) -> None:
    """Find out whether functions would have to be called where their modules are not.

    Raises:
        LoadToolError: they would.
    """
    for hooks in filter(None, test.hooks):
        hook = hooks.every[0]
        where = f"{hook.functions[0].shown}:{hook.functions[0].line}"
        raise LoadToolError(
            f"{where}: {hook.name} cannot be called on the machines of a cluster: "
            "make the load with pytest -n, or take the function away"
        )


def pack(test: LoadTest, *, secrets: bool) -> tuple[Bundle, tuple[LargeDataset, ...]]:
    """Read what ``test`` needs, and apart from it the datasets that are large; without what the
    environment and the keyring have unless ``secrets``.

    Raises:
        FileError: a file cannot be read or cannot travel, or a test case asks an application of
            this process.
        ReplayError: the keyring has no such password.
    """
    _refuse_hooks(test)
    paths = {test.path: test.path}
    for number, case in enumerate(test.cases):
        by = test.path_of(number)
        if case.app:
            raise key_error(
                by, ("app",), "an application in this process cannot be asked from other machines"
            )
        paths[by] = by
        for one in reached(case):
            if one.kind is Reach.FILE and one.at[0] != "asm":  # rules are for configuring only
                if Path(one.name).is_absolute():
                    raise key_error(
                        by,
                        one.at,
                        "an absolute path is another file on another machine: name it relative to "
                        "the test case",
                    )
                paths[by.parent / one.name] = named_path(by, one.name, test.trust)
    places = {Path(os.path.normpath(path.absolute())): source for path, source in paths.items()}
    root = Path(os.path.commonpath([path.parent for path in places]))
    large = tuple(_large(test, places, root))
    apart = {one.name for one in large}
    files = {
        name: read_bytes(source)
        for path, source in places.items()
        if (name := path.relative_to(root).as_posix()) not in apart
        and source.exists()  # of one that is not there the share says so, as without a cluster
    }
    names = _variables(test) if secrets else ()
    environment = {name: os.environ[name] for name in names if name in os.environ}
    cases = tuple(_with_passwords(case) for case in test.cases) if secrets else test.cases
    own = Path(os.path.normpath(test.path.absolute())).relative_to(root)
    bundle = Bundle(
        replace(test, path=own, cases=cases, trust=Trust(untrusted=test.trust.untrusted)),
        files,
        environment,
        secret=bool(environment) or cases != test.cases,
    )
    return bundle, large


def _large(test: LoadTest, places: Mapping[Path, Path], root: Path) -> Iterator[LargeDataset]:
    uses: dict[Path, list[DatasetUse]] = {}
    for number, case in enumerate(test.cases):
        folder = test.path_of(number).parent.absolute()
        for use in lasting_datasets(case):
            uses.setdefault(Path(os.path.normpath(folder / use.file)), []).append(use)
    for path, found in uses.items():
        source = places[path]
        if source.exists() and source.stat().st_size > _LARGE:
            name = path.relative_to(root).as_posix()
            yield LargeDataset(name, read_dataset(source), tuple(found))


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Write ``files``, by their paths below ``folder``."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@contextmanager
def unpacked(bundle: Bundle) -> Iterator[tuple[Path, LoadTest]]:
    """Yield a folder of its own, which only this user can read, and the load test with its files in
    there and its variables in the environment. Both are gone afterwards."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="loadtool-") as folder:
        write(Path(folder), bundle.files)
        os.environ.update(bundle.environment)
        try:
            yield Path(folder), replace(bundle.test, path=Path(folder, bundle.test.path))
        finally:
            for name in bundle.environment:
                if name in before:
                    os.environ[name] = before[name]
                else:
                    del os.environ[name]


def _variables(test: LoadTest) -> Iterator[str]:
    for case in test.cases:
        yield from (one.name for one in reached(case) if one.kind is Reach.ENVIRONMENT)
        if case.proxy is not None and case.proxy.url == ENVIRONMENT:
            yield from (each for one in _PROXIES for each in (one, one.upper()))


def _with_passwords(case: TestCase) -> TestCase:
    """Return the test case with passwords in place of what the keyring is asked for."""
    if all(one.keyring is None for one in case.variables.values()):
        return case
    variables = {name: _with_password(one) for name, one in case.variables.items()}
    return replace(case, variables=variables)


def _with_password(one: Variable) -> Variable:
    if one.keyring is None:
        return one
    password = keyring_password(one.keyring, one.username)
    return replace(one, value=password, keyring=None, username="")
