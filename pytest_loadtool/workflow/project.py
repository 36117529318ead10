"""What is said about a project, and goes for all of its recordings, test cases and replays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pytest_loadtool.casefile.trust import TRUSTED, Trust
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.hook import Hooks
from pytest_loadtool.recording.filter.domains import NO_FILTER, DomainFilter
from pytest_loadtool.recording.pages.grouping import REFERRER_ANALYSIS, Grouping
from pytest_loadtool.replay.compile.proxies import DIRECT, ENVIRONMENT, ProxyUrl

#: Characters of a path that is shown whole, and its parts at either end that always are.
_BRIEF, _KEPT_PARTS = 48, 4


def no_hooks(_case: TestCase, *_paths: Path) -> None:
    """Return the hooks where nobody implements any."""


@dataclass(frozen=True, slots=True)
class Project:
    """Options of the command line and of the configuration file, with paths made absolute."""

    directory: Path
    """Paths are shown relative to it."""
    port: int = 0
    """The port that the recorder listens on; 0 for a free one."""
    domains: DomainFilter = NO_FILTER
    grouping: Grouping = REFERRER_ANALYSIS
    proxy: str = field(default="", repr=False)  # it may have a password
    """What ``--proxy-url`` says."""
    strict: bool = False
    """Whether ``--loadtool-strict`` was given."""
    rules: tuple[Path, ...] = ()
    """Files with the project's rules of application state management."""
    trust: Trust = TRUSTED
    """What the files of the project may reach."""
    hooks: Callable[..., Hooks | None] = no_hooks
    """The functions that are called as a test case is replayed; paths tell which count for it, the
    first is its own."""

    def shown(self, path: Path) -> str:
        """Return a path as a person would type it in the project's directory."""
        try:
            return str(path.relative_to(self.directory))
        except ValueError:
            return str(path)

    def brief(self, path: Path) -> str:
        """Return a path to read and not to type: the middle of a long one is left out."""
        shown = self.shown(path)
        parts = Path(shown).parts
        if len(shown) <= _BRIEF or len(parts) <= _KEPT_PARTS:
            return shown
        return str(Path(*parts[:2], "…", *parts[-2:]))

    @property
    def upstream(self) -> ProxyUrl | None:
        """The proxy that the recorder goes through, if a URL names one: it can have one for all
        servers only, and the environment may name several, or exceptions."""
        if self.proxy in ("", DIRECT, ENVIRONMENT):
            return None
        return ProxyUrl.parse(self.proxy)
