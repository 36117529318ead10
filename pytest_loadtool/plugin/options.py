"""What the options say, once they are checked against each other and filled from the configuration
file. Imported where one of them is given."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from pytest_loadtool import LOAD_SUFFIX
from pytest_loadtool.plugin.option_table import KEEPING, OPTIONS, TRACING, TWINS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_loadtool.casefile.trust import Trust

#: Options that mean nothing without another one; those of load tests, if nothing else is said,
#: without ``--load``.
_NEEDS = {
    **{name: ("load",) for one in OPTIONS.values() if (name := one["dest"]).startswith("load_")},
    "record_url": ("record",),
    "record_browser": ("record",),
    "record_script": ("record",),
    "record_reset": ("record",),
    "replay_har": ("record",),
    "record_port": ("record",),
    "record_only": ("record", "record_from_tests"),
    "record_block": ("record", "record_from_tests"),
    "record_block_trackers": ("record", "record_from_tests"),
    "record_replace": ("record_from_tests",),
    "load_install": ("load_on",),
    "load_history": ("load_save",),
    "load_tolerance": ("load_compare",),
}

#: Kinds of runs, of which one excludes the others.
_KINDS = {
    "record": "opens the console",
    "record_from_tests": "records tests",
    "load": "runs load tests",
}

#: Options that replace each other: the one on the command line makes that in the file void.
_INSTEAD = {"loadtool_server": "loadtool_app", "loadtool_app": "loadtool_server"}


def settle(config: pytest.Config) -> None:
    """Check the options against each other, then fill those not given from the configuration file.

    Raises:
        pytest.UsageError: they contradict each other, or a value is not what it should be.
    """
    option = config.option
    kinds = [name for name in _KINDS if _given(option, name)]
    if len(kinds) > 1:
        one, other = kinds[:2]
        raise pytest.UsageError(
            f"{_spelled(one)} and {_spelled(other)}: one {_KINDS[one]}, the other {_KINDS[other]}"
        )
    for name, needed in _NEEDS.items():
        if getattr(option, name) is not None and not any(_given(option, one) for one in needed):
            raise pytest.UsageError(
                f"{_spelled(name)} means nothing without {' or '.join(map(_spelled, needed))}"
            )
    if option.load and option.loadtool_profile is not None:
        raise pytest.UsageError("--loadtool-profile is for tests: with --load, --load-profile")
    if option.load and option.loadtool_html is not None:
        raise pytest.UsageError("--loadtool-html is for tests: with --load write --load-html")
    _settle_server(config)
    if option.load:
        from pytest_loadtool.plugin.load_overrides import settle as settle_sizes

        settle_sizes(config)
    given = {name for name in TWINS if getattr(option, name) is not None}
    for name in TWINS:
        if name not in given and _INSTEAD.get(name) not in given:
            setattr(option, name, config.getini(name) or None)
    if option.loadtool_server and option.loadtool_app:
        raise pytest.UsageError(
            "--loadtool-server and --loadtool-app: requests go to the one or to the other"
        )
    if option.loadtool_untrusted and option.record is None and not option.loadtool_server:
        raise pytest.UsageError(
            "--loadtool-untrusted: name the server that the test cases may send to, with "
            "--loadtool-server URL; the one in their files was chosen by somebody else"
        )
    _check_values(config)
    for problem in _misplaced(config):
        raise pytest.UsageError(problem)


def server_of(config: pytest.Config) -> str:
    """Return the server that replaces the test cases' own, or nothing."""
    return config.getoption("loadtool_server", default=None) or ""


def profile_of(config: pytest.Config) -> str:
    """Return the profile of the test cases that holds, or nothing; a load test has its own way to
    say so."""
    return "" if config.option.load else config.option.loadtool_profile or ""


def trust_of(config: pytest.Config) -> Trust:
    """Return what the files of this project may reach."""
    from pytest_loadtool.casefile.trust import Trust

    return Trust(
        config.rootpath,
        tuple(config.getini("loadtool_outside_paths")),
        untrusted=bool(config.getoption("loadtool_untrusted", default=False)),
    )


def _settle_server(config: pytest.Config) -> None:
    """Replay against the base URL of the other tests, where nothing else is named for that."""
    option = config.option
    if option.record is not None or option.loadtool_server or option.loadtool_app:
        return
    url = getattr(option, "base_url", None)
    if not url and not (config.getini("loadtool_server") or config.getini("loadtool_app")):
        with contextlib.suppress(ValueError):  # only pytest-base-url declares it
            url = config.getini("base_url")
    if url:
        from pytest_loadtool.plugin.server import server_from_base_url

        option.loadtool_server = server_from_base_url(url)


@contextlib.contextmanager
def _refusing(option: str) -> Iterator[None]:
    """Raise each `ValueError` in here as a `pytest.UsageError` about the option."""
    try:
        yield
    except ValueError as error:
        raise pytest.UsageError(f"{option}: {error}") from None


def _check_values(config: pytest.Config) -> None:
    port = config.option.record_port
    if port and not (port.isdecimal() and int(port) < 65536):
        raise pytest.UsageError(f"--record-port: expected a number up to 65535, got {port!r}")
    if config.option.load_tolerance:
        from pytest_loadtool.casefile.quantities import parse_share

        with _refusing("--load-tolerance"):
            parse_share(config.option.load_tolerance)
    if not (history := str(config.option.load_history or 1)).isdecimal() or not int(history):
        raise pytest.UsageError(f"--load-history: expected a number from 1, got {history!r}")
    if server_of(config):
        from pytest_loadtool.plugin.server import checked_server

        with _refusing("--loadtool-server"):
            config.option.loadtool_server = checked_server(server_of(config))
    if config.option.loadtool_transport:
        from pytest_loadtool.casefile.syntax import transport

        with _refusing("--loadtool-transport"):
            transport(config.option.loadtool_transport)
    for name, words in (("loadtool_keep_replay", KEEPING), ("loadtool_trace", TRACING)):
        got = getattr(config.option, name)
        if got not in (None, *words):
            usual = OPTIONS[_spelled(name)]["const"]
            hint = f"; if that is a file: {_spelled(name)}={usual} {got}" if "." in got else ""
            raise pytest.UsageError(
                f"{name}: expected {', '.join(words[:-1])} or {words[-1]}, got {got!r}{hint}"
            )
    if config.option.loadtool_proxy:
        from pytest_loadtool.plugin.proxy import check_proxy

        check_proxy(config)
    if config.option.loadtool_app:
        from pytest_loadtool.casefile.syntax import app_name

        with _refusing("--loadtool-app"):
            app_name(config.option.loadtool_app)
    times = config.option.loadtool_think_time, config.option.loadtool_timeout
    if any((*times, config.getini("loadtool_body_limit"))):
        from pytest_loadtool.plugin.quantities import body_limit_of, think_time_of, timeout_of

        for read in (think_time_of, timeout_of, body_limit_of):
            read(config)


def _misplaced(config: pytest.Config) -> Iterator[str]:
    """Yield what to say of files named on the command line that this kind of run would pass over in
    silence."""
    if config.option.record is not None or config.args_source is not config.ArgsSource.ARGS:
        return
    for argument in config.args:
        file = argument.partition("::")[0]
        if config.option.load:
            if not file.endswith(LOAD_SUFFIX) and (config.invocation_params.dir / file).is_file():
                yield (
                    f"{file} is no load configuration: --load runs *{LOAD_SUFFIX} files only; "
                    "leave out --load to run it as a test"
                )
        elif file.endswith(LOAD_SUFFIX):
            yield f"{file} is a load configuration: run it with pytest --load {file}"


def _given(option: argparse.Namespace, name: str) -> bool:
    return getattr(option, name) not in (None, False)


def _spelled(name: str) -> str:
    return "--" + name.replace("_", "-")
