"""`--record-from-tests DIR`: tests whose traffic goes through the proxy become test cases.

A recording lasts from the set-up of a test to the end of its teardown, so that what its fixtures
send is in it. One proxy serves all tests of a process, because a browser may serve several of them;
it starts when the first test asks for it. Should it die, that is an error of the test that it was
recording, and the next has another, where fixtures of the session look for it.

It also has what the test case that is recorded from a test is called.

It also has which fixtures gave a test its server: its test case can use them too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path, PurePath, PurePosixPath
from shutil import copyfile

import pytest

from pytest_loadtool import CASE_SUFFIX
from pytest_loadtool.capture import RecordingProxy
from pytest_loadtool.capture.tempdir import Scratch
from pytest_loadtool.errors import RecordingError
from pytest_loadtool.plugin.paths import slug
from pytest_loadtool.plugin.private import fixture_place
from pytest_loadtool.plugin.server import checked_server
from pytest_loadtool.workflow.process import RecordingProcess, existing_case
from pytest_loadtool.workflow.project import Project
from pytest_loadtool.workflow.unattended import End, RecordedCase

#: Has a value only where an option gives it one (pytest-base-url, pytest-playwright).
_OPTIONAL = "base_url"


def server_fixtures(item: pytest.Item, directory: Path) -> dict[str, str]:
    """Return by base URL the fixture that gave it to a test that is set up, if tests in
    ``directory`` see that fixture as well."""
    found: dict[str, str] = {}
    if not isinstance(item, pytest.Function) or not directory.is_relative_to(item.config.rootpath):
        return found
    folder = directory.relative_to(item.config.rootpath)
    for name, value in item.funcargs.items():
        place = fixture_place(item, name)
        if name == _OPTIONAL or place is None or not is_seen_from(folder, place):
            continue
        url = value if isinstance(value, str) else getattr(value, "url", None)
        if isinstance(url, str):
            try:
                found.setdefault(checked_server(url), name)
            except ValueError:  # some other text
                continue
    return found


def is_seen_from(folder: PurePath, baseid: str) -> bool:
    """Return whether tests in ``folder`` see the fixtures of a conftest in ``baseid``, both from
    pytest's rootdir on; those of plugins have none."""
    return "::" not in baseid and folder.is_relative_to(baseid or ".")


#: Characters. File systems allow 255 bytes, and a recording's files add to the name.
_LONGEST = 120


def case_path(directory: Path, nodeid: str) -> Path:
    """Return the test case of a test: ``tests/test_shop.py::TestCart::test_add[2]`` becomes
    ``tests/test_shop.TestCart.test_add-2.case.toml`` below ``directory``.

    Two tests never have the same: where it cannot say all, it ends with a digest.
    """
    file, _, name = nodeid.partition("::")
    name, bracket, parameters = name.partition("[")
    path = PurePosixPath(file)
    last = ".".join(filter(None, (path.stem, *name.split("::"))))
    said = [*path.parts[:-1], last + ("-" + parameters.removesuffix("]") if bracket else "")]
    plain = [slug(part).strip(".") for part in said]
    if plain != said or len(plain[-1]) > _LONGEST:
        digest = hashlib.sha256(nodeid.encode()).hexdigest()[:8]
        plain[-1] = f"{plain[-1][:_LONGEST]}-{digest}"
    *folders, last = filter(None, plain)
    return directory.joinpath(*folders, last + CASE_SUFFIX)


class FromTests:
    """The plugin of a session that records its tests into ``directory``; what becomes of each
    recording goes to ``recorded``."""

    def __init__(
        self, directory: Path, project: Project, recorded: list[RecordedCase], *, replace: bool
    ) -> None:
        self._directory = directory
        self._project = project
        self._recorded = recorded
        self._replace = replace
        self._process: RecordingProcess | None = None
        self._scratch: Scratch | None = None
        self._path: Path | None = None
        """The test case that is being recorded."""
        self._servers: dict[str, str] = {}
        self._passed = False

    @property
    def proxy(self) -> RecordingProxy:
        """The proxy, which starts now if it has not.

        Raises:
            RecordingError: it cannot start.
        """
        if self._process is None:
            self._process = self._start(self._project.port)
            self._begin()
        return replace(self._process.proxy, ca=str(self._certificate))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        """Begin a recording."""
        path = case_path(self._directory, item.nodeid)
        self._path, self._servers, self._passed = path, {}, False
        self._begin()
        yield
        self._servers = server_fixtures(item, path.parent)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note how the test went."""
        report = yield
        if call.when == "call":
            self._passed = report.passed
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, None, None]:
        """End the recording, after the fixtures."""
        try:
            yield
        except BaseException:
            self._passed = False
            raise
        finally:
            self._end("the test did not pass")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """End what Ctrl-C has left open, then the proxy; all fixtures have ended by now."""
        self._passed = False
        path = self._path
        try:
            self._end("the test was interrupted")
        except RecordingError as error:
            self._recorded.append(RecordedCase(str(path), reason=str(error)))
        if self._process is not None:
            self._process.__exit__(None, None, None)
        if self._scratch is not None:
            self._scratch.remove()

    def _begin(self) -> None:
        if self._process is None or self._path is None:
            return
        if not self._process.alive:
            path, self._path = self._path, None  # nothing is recorded if it cannot start
            self._process.__exit__(None, None, None)
            self._process = self._start(int(str(self._process.proxy.url).rpartition(":")[2]))
            self._path = path
        existing = existing_case(self._path)
        if existing is not None and not self._replace:
            self._path = None
            reason = "exists, and was not recorded anew (--record-replace does)"
            self._recorded.append(RecordedCase(str(existing), reason=reason))
        else:
            self._process.begin(self._path)

    @property
    def _certificate(self) -> Path:
        """A copy of the proxy's, in a place that stays."""
        if self._scratch is None:
            self._scratch = Scratch("tests")
        return self._scratch.path / "ca.pem"

    def _start(self, port: int) -> RecordingProcess:
        process = RecordingProcess(replace(self._project, port=port)).__enter__()
        copyfile(str(process.proxy.ca), self._certificate)
        return process

    def _end(self, reason: str) -> None:
        path, self._path = self._path, None
        if self._process is None or path is None:
            return
        result = self._process.end(End(self._passed, self._servers))
        if result is not None:
            self._recorded.append(result if self._passed else replace(result, reason=reason))
