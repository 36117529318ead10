"""What pytest collects of a `*.load.toml`: one item, whatever it runs on.

An item knows its files and its fixtures. How it is run (in this process, or as one share of
several) is the business of the `Engine` that the session has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import pytest

from pytest_loadtool import LOAD_SUFFIX
from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.engine.prepare.share import LoadTest, read_test
from pytest_loadtool.errors import FileError, LoadToolError
from pytest_loadtool.load import Summary
from pytest_loadtool.plugin.file_item import FileItem
from pytest_loadtool.plugin.functional.notices import in_doubt, unverified
from pytest_loadtool.plugin.load_overrides import overrides_of
from pytest_loadtool.plugin.options import server_of, trust_of
from pytest_loadtool.plugin.overrides import on_its_way
from pytest_loadtool.plugin.paths import shown_error, shown_path, slug
from pytest_loadtool.plugin.replay_hooks import hooks_for
from pytest_loadtool.plugin.report_failure import LoadFailure, WrappedText
from pytest_loadtool.plugin.server import server_from_fixture


class Engine(Protocol):
    """Runs load items."""

    def run(self, item: LoadItem, servers: tuple[str, ...]) -> None:
        """Run the load test of ``item``, whose fixtures are set up.

        ``servers`` has a base URL for each test case; an empty one leaves the case its own.

        Raises:
            LoadTestFailedError: it failed.
            LoadTestInconclusiveError: nothing can be said of it.
            LoadToolError: it could not be run.
        """


ENGINE = pytest.StashKey[Engine]()

#: The names of the load configurations so far, each with the first file that has it.
_NAMES = pytest.StashKey[dict[str, Path]]()


class LoadTestFailedError(LoadToolError, AssertionError):
    """A load test failed: as a failed assertion, for plugins that tell those from errors."""


class LoadTestInconclusiveError(LoadToolError):
    """A load test did neither fail nor pass."""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Collect nothing but load configurations."""
    if collection_path.name.endswith(LOAD_SUFFIX) or not collection_path.is_file():
        return None
    return True


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect load configurations."""
    if not file_path.name.endswith(LOAD_SUFFIX):
        return None
    file: pytest.Collector = LoadFile.from_parent(parent, path=file_path)
    return file


class LoadFile(pytest.File):
    """A ``*.load.toml``: one load test."""

    def collect(self) -> Iterator[LoadItem]:
        """Yield the test.

        Raises:
            CollectError: the file, or one that it names, is wrong; the text says where.
        """
        try:
            test = read_test(self.path, trust_of(self.config), overrides_of(self.config))
            self._check_name(test)
            hooks = tuple(
                hooks_for(self.config, case, test.path_of(number), test.path)
                for number, case in enumerate(test.cases)
            )
        except FileError as error:
            raise self.CollectError(shown_error(error, self.config)) from None
        name = slug(self.path.name.removesuffix(LOAD_SUFFIX))
        test = replace(test, hooks=hooks)
        yield LoadItem.from_parent(self, name=name, test=test)

    def _check_name(self, test: LoadTest) -> None:
        """Refuse a name that another one has already, where runs are kept or sought by it.

        Raises:
            FileError: it has.
        """
        option = self.config.option
        kept = (
            "--load-save" if option.load_save else "--load-compare" if option.load_compare else ""
        )
        name = test.configuration.name
        first = self.config.stash.setdefault(_NAMES, {}).setdefault(name, self.path)
        if kept and first != self.path:
            raise key_error(
                self.path,
                ("name",),
                f"{shown_path(first, self.config)} has the name {name!r}, too: {kept} tells runs "
                "apart by it, so give each its own",
            )


class LoadItem(FileItem):
    """One load test."""

    summary: Summary | None = None
    """The results, once it has run in this process."""

    def __init__(self, name: str, parent: LoadFile, *, test: LoadTest, **others: Any) -> None:
        config = parent.config
        test = replace(test, cases=tuple(on_its_way(one, config) for one in test.cases))
        self.load_test = test
        self._server = server_of(parent.config) or test.configuration.server
        self.fixture_keys = _fixture_keys(test, with_servers=not self._server)
        function = _function(test, tuple(self.fixture_keys))
        super().__init__(name, parent, callobj=function, **others)
        self.user_properties += [*unverified(test.cases), *in_doubt(test.cases)]
        self.extra_keyword_matches.update(
            [test.configuration.name, *(case.name for case in test.cases)]
        )

    def run_load(self, request: pytest.FixtureRequest) -> None:
        """Run the load test on whatever engine the session has."""
        servers = tuple(
            self._server or self._server_of(number, request)
            for number in range(len(self.load_test.cases))
        )
        self.config.stash[ENGINE].run(self, servers)

    # As pytest's own override does, without a style.
    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> Any:
        """Return the failure text alone where the load test is at fault, else pytest's usual
        traceback."""
        if isinstance(excinfo.value, LoadTestFailedError | LoadTestInconclusiveError):
            return LoadFailure(str(excinfo.value))
        if isinstance(excinfo.value, LoadToolError):
            return WrappedText(shown_error(excinfo.value, self.config))
        return super().repr_failure(excinfo)

    def _server_of(self, number: int, request: pytest.FixtureRequest) -> str:
        fixture = self.load_test.cases[number].server_fixture
        if not fixture:
            return ""
        try:
            return server_from_fixture(request, fixture)
        except ValueError as error:
            path = self.load_test.path_of(number)
            raise key_error(path, ("server_fixture",), str(error)) from None


def _fixture_keys(
    test: LoadTest, *, with_servers: bool
) -> dict[str, tuple[Path, tuple[str | int, ...]]]:
    """Return the fixtures that the test cases name, each with the first file and key that do."""
    found: dict[str, tuple[Path, tuple[str | int, ...]]] = {}
    for number, case in enumerate(test.cases):
        path = test.path_of(number)
        if case.server_fixture and with_servers:
            found.setdefault(case.server_fixture, (path, ("server_fixture",)))
        for position, fixture in enumerate(case.fixtures):
            found.setdefault(fixture, (path, ("fixtures", position)))
    return found


def _function(test: LoadTest, fixtures: tuple[str, ...]) -> Callable[[pytest.FixtureRequest], None]:
    """Return what pytest takes for the test function."""

    def run_load(request: pytest.FixtureRequest) -> None:
        request.node.run_load(request)

    run_load.__doc__ = test.configuration.name
    run_load.__dict__["pytestmark"] = [pytest.mark.usefixtures(*fixtures)] if fixtures else []
    return run_load
