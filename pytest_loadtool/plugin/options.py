"""The command line options, their twins in the configuration file, and what contradicts what.

Imported in every pytest run: nothing heavy may enter.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_loadtool import LOAD_SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_loadtool.casefile.trust import Trust

#: Of which replays a file is kept.
KEEPING = ("no", "failed", "all")
#: Of which replays a page is made.
TRACING = ("off", "retain-on-failure", "on")

_OPTIONS: dict[str, dict[str, Any]] = {
    "--record": {
        "nargs": "?",
        "const": "",
        "metavar": "FILE",
        "help": (
            "Open the recording console instead of running tests, on the test case FILE "
            "(*.case.toml), new or existing. There, 'record' starts a browser, 'stop' makes the "
            "test case, 'help' says the rest. Needs pip install 'pytest-loadtool[record]'."
        ),
    },
    "--record-url": {
        "metavar": "URL",
        "help": "With --record: start recording at once, with the browser on this page.",
    },
    "--record-browser": {
        "metavar": "PATH",
        "help": (
            "With --record: the Chromium or Chrome to record. Default: the first one found on "
            "PATH. 'none' opens no browser: point your own client at the recorder's proxy."
        ),
    },
    "--record-script": {
        "metavar": "FILE",
        "help": (
            "With --record: take the console's commands from FILE, or with '-' from standard "
            "input, one on a line, without a terminal."
        ),
    },
    "--record-reset": {
        "metavar": "COMMAND",
        "help": (
            "With --record: a command that brings the server back. 'configure --replay' runs it, "
            "without a shell, before the replays that want the server as it was."
        ),
    },
    "--replay-har": {
        "metavar": "FILE",
        "help": (
            "With --record: look at the replay of the test case that FILE keeps, such as one that "
            "--loadtool-keep-replay has kept in CI."
        ),
    },
    "--record-port": {
        "metavar": "PORT",
        "help": "With --record: the recorder's port on 127.0.0.1. Default: any free one.",
    },
    "--record-only": {
        "action": "append",
        "metavar": "DOMAIN",
        "help": (
            "When recording: record only this domain, with its subdomains; what others send passes "
            "through. May be given several times."
        ),
    },
    "--record-block": {
        "action": "append",
        "metavar": "DOMAIN",
        "help": (
            "When recording: refuse requests to this domain and its subdomains; they are not sent "
            "at all. May be given several times."
        ),
    },
    "--record-block-trackers": {
        "action": "store_true",
        "default": None,
        "help": "When recording: block common analytics, advertising and tracking services.",
    },
    "--record-from-tests": {
        "metavar": "DIR",
        "help": (
            "Run the tests as ever, and make a test case in DIR of what each passing test sends "
            "through the recording proxy. Those of pytest-playwright do so by themselves; others "
            "take it from the fixture loadtool_recorder."
        ),
    },
    "--record-replace": {
        "action": "store_true",
        "default": None,
        "help": "With --record-from-tests: record test cases anew that exist.",
    },
    "--load": {
        "action": "store_true",
        "default": False,
        "help": (
            "Run load tests instead of tests: each load configuration (*.load.toml) once. Nothing "
            "else is collected: Python tests and test cases are left out. With -n N, N workers "
            "share the load; without, this process makes it."
        ),
    },
    "--load-json": {
        "metavar": "FILE",
        "help": "With --load: also write the results to FILE, as JSON.",
    },
    "--load-samples": {
        "metavar": "DIR",
        "help": (
            "With --load: where exchanges that failed are kept, to be opened with --record CASE "
            "--replay-har; 'no': nowhere. Default: NAME.failures, beside the file of --load-json "
            "or the load configuration."
        ),
    },
    "--load-top": {
        "metavar": "N",
        "help": (
            "With --load: show the N transactions that took the most time in sum. Default: all, "
            "the static files of each page as one."
        ),
    },
    "--load-html": {
        "metavar": "FILE",
        "help": (
            "With --load: also write the results to FILE, as an HTML page with plots that needs "
            "no network. While a load test runs, FILE shows how it is getting on."
        ),
    },
    "--load-summary": {
        "metavar": "FILE",
        "help": (
            "With --load: also write the results to FILE in short, as Markdown: for the summary of "
            "a CI job or a comment on a pull request."
        ),
    },
    "--load-save": {
        "metavar": "FILE",
        "help": "With --load: also keep the runs' response times in FILE, to be compared with.",
    },
    "--load-history": {
        "metavar": "N",
        "help": (
            "With --load-save: keep the newest N runs of each load test in FILE, not only this "
            "session's. Where there are several to compare with, their spread counts."
        ),
    },
    "--load-compare": {
        "metavar": "FILE",
        "help": (
            "With --load: compare each run with the earlier ones in FILE, which --load-save has "
            "written, and fail it where it has become worse."
        ),
    },
    "--load-tolerance": {
        "metavar": "PERCENT",
        "help": (
            "With --load-compare: how much worse a run may be: longer response times (median, "
            "95th, 99th percentile), more errors, less throughput. Default: 10%%."
        ),
    },
    "--loadtool-server": {
        "metavar": "URL",
        "help": (
            "Replay against this server (http://host:port) in place of the one that the test cases "
            "or load configurations name; fixtures named by 'server_fixture' are then not used."
        ),
    },
    "--loadtool-transport": {
        "choices": ("raw", "httpx"),
        "help": (
            "What requests go over, in place of what the test cases say: 'raw' (HTTP/1.1, built "
            "for load; the default) or 'httpx' (also HTTP/2)."
        ),
    },
    "--loadtool-untrusted": {
        "action": "store_true",
        "default": False,
        "help": (
            "The test cases are from elsewhere: they may read no environment, keyring or other "
            "files, run no application or fixture of this project, and send to the server that "
            "--loadtool-server names, and no other."
        ),
    },
    "--loadtool-strict": {
        "action": "store_true",
        "default": None,
        "help": (
            "Fail each transaction whose answer differs from the recorded one (another status "
            "from 200 to 399, kind, title, JSON keys, an empty list), which otherwise passes and "
            "is told. In tests, load tests and the console."
        ),
    },
    "--loadtool-app": {
        "metavar": "MODULE:NAME",
        "help": (
            "Ask this ASGI or WSGI application, in this process and without a server, in place of "
            "the servers and applications that the test cases name."
        ),
    },
    "--proxy-url": {
        "dest": "loadtool_proxy",
        "metavar": "URL",
        "help": (
            "Replay and record through this HTTP proxy (http://[user:password@]host:port), in "
            "place of what the test cases say. 'environment' takes the one that HTTP_PROXY, "
            "HTTPS_PROXY, ALL_PROXY and NO_PROXY name, 'none' goes without."
        ),
    },
    "--loadtool-keep-replay": {
        "nargs": "?",
        "const": "all",
        "metavar": "no|failed|all",
        "help": (
            "Keep what a test sent and received, as a HAR file in CASE.replays beside the test "
            "case, for you alone: of no test (the default), of tests that failed, or of all "
            "(without a value, too). The last five of each test case stay. The console and "
            "browsers open them."
        ),
    },
    "--loadtool-html": {
        "metavar": "FILE",
        "help": (
            "Write what the test cases did to FILE, as an HTML page that needs no network: pages, "
            "transactions over time, failures with what to fix first. Of load tests: --load-html."
        ),
    },
    "--loadtool-trace": {
        "nargs": "?",
        "const": "retain-on-failure",
        "metavar": "off|retain-on-failure|on",
        "help": (
            "Leave an HTML page of a test in CASE.replays beside the test case, and the HAR file "
            "of its replay: of no test (the default), of tests that failed (without a value, "
            "too), or of all. The page has what was recorded beside what was replayed, each value "
            "from producer to consumer, and what to fix first; secrets are cut. The last five of "
            "each test case stay."
        ),
    },
    "--loadtool-think-time": {
        "metavar": "recorded|none|TIME",
        "help": (
            "How long to pause between pages when a test case is replayed as a test: as recorded "
            "(the default), not at all (Play Fast), or as recorded but at most TIME, such as 500ms "
            "or 2s."
        ),
    },
    "--loadtool-timeout": {
        "metavar": "TIME",
        "help": (
            "How long a request may take when a test case is replayed as a test: for connecting, "
            "and then to its last byte, such as 5s or 3m. Default: 60s. Load configurations have "
            "their own: timeout."
        ),
    },
}

#: Options that do not depend on the single run, and their help in the configuration file. The name
#: there is the option's own, with underscores.
_TWINS = {
    "record_browser": "The Chromium or Chrome to record with; see --record-browser.",
    "record_port": "The recorder's port; see --record-port.",
    "record_only": "The domains to record; see --record-only.",
    "record_block": "The domains to block; see --record-block.",
    "record_block_trackers": "Whether trackers are blocked; see --record-block-trackers.",
    "load_html": "The HTML page with the results of load tests; see --load-html.",
    "load_history": "How many runs of a load test are kept; see --load-history.",
    "load_tolerance": "How much worse a run may be than an earlier one; see --load-tolerance.",
    "loadtool_server": "The server to replay against; see --loadtool-server.",
    "loadtool_transport": "What requests go over: raw, httpx; see --loadtool-transport.",
    "loadtool_strict": "Whether what differs from the recording fails; see --loadtool-strict.",
    "loadtool_app": "The application to ask in this process; see --loadtool-app.",
    "loadtool_proxy": "The proxy to replay through: URL, environment, none; see --proxy-url.",
    "loadtool_keep_replay": "Which replays are kept: no, failed, all; see --loadtool-keep-replay.",
    "loadtool_html": "The HTML page of the test cases of a run; see --loadtool-html.",
    "loadtool_trace": "Which pages are left: off, retain-on-failure, on; see --loadtool-trace.",
    "loadtool_think_time": "Pauses between pages: recorded, none, TIME; see --loadtool-think-time.",
    "loadtool_timeout": "How long a request may take; see --loadtool-timeout.",
}

#: The size of a load test: by the key of a load configuration, what is typed and what it means.
_SIZES = {
    "users": ("N", "So many virtual users; of arrivals, the most at work at once"),
    "duration": ("TIME", "So long, such as 30s or 5m"),
    "ramp_up": ("TIME", "All users have started after this time"),
    "rate": ("RATE", "So many iterations begin in a time, such as 50/s"),
    "iterations": ("N", "So many iterations of each user, at most"),
}

_ASM_RULES = (
    "Files with rules of application state management (*.rules.toml) for all test cases of the "
    "project: they come before those of the package. Relative to this file."
)

_BODY_LIMIT = (
    "The largest body of a response that is kept when a test case is replayed as a test, such as "
    "200 MB. Default: 64 MB. Load configurations have their own: body_limit."
)

_OUTSIDE_PATHS = (
    "Folders and files outside of pytest's root directory that test cases may read: datasets, "
    "uploads, certificates, rules. Relative to this file."
)

#: Preferences of the console, which has a command for them.
_PREFERENCES = {
    "record_grouping": (
        "How recorded transactions are grouped into pages: referrer (Referrer Analysis, the "
        "default) or activity (Activity Monitoring)."
    ),
    "record_activity_threshold": (
        "The pause that ends a page of Activity Monitoring, such as 1500ms. Default: 2s."
    ),
}

#: What is no text in the configuration file.
_TYPES: dict[str, Any] = {
    "record_only": "args",
    "record_block": "args",
    "record_block_trackers": "bool",
    "loadtool_strict": "bool",
}

#: Options that mean nothing without another one.
_NEEDS = {
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
    "load_json": ("load",),
    "load_html": ("load",),
    "load_summary": ("load",),
    "load_save": ("load",),
    "load_samples": ("load",),
    "load_top": ("load",),
    "load_compare": ("load",),
    "load_history": ("load_save",),
    "load_tolerance": ("load_compare",),
    **dict.fromkeys((f"load_{key}" for key in _SIZES), ("load",)),
}

#: Kinds of runs, of which one excludes the others.
_KINDS = {
    "record": "opens the console",
    "record_from_tests": "records tests",
    "load": "runs load tests",
}

#: Options that replace each other: the one on the command line makes that in the file void.
_INSTEAD = {"loadtool_server": "loadtool_app", "loadtool_app": "loadtool_server"}


def declare(parser: pytest.Parser) -> None:
    """Add the options and their twins."""
    group = parser.getgroup(
        "loadtool", "record, replay and load-test HTTP traffic (pytest-loadtool)"
    )
    for name, attributes in _OPTIONS.items():
        group.addoption(name, **attributes)
    for name, text in {**_TWINS, **_PREFERENCES}.items():
        parser.addini(name, text, type=_TYPES.get(name, "string"), default="")
    for key, (metavar, meaning) in _SIZES.items():
        option = f"load-{key}".replace("_", "-")
        group.addoption(
            f"--{option}",
            metavar=metavar,
            help=(
                f"With --load: {meaning[0].lower()}{meaning[1:]}, in place of what the load "
                f"configurations say. Then also --{option.removeprefix('load-')}, and "
                f"LOADTOOL_{key.upper()} in the environment."
            ),
        )
        parser.addini(f"load_{key}", f"{meaning}; see --{option}.", default="")
    parser.addini("loadtool_asm_rules", _ASM_RULES, type="paths")
    parser.addini("loadtool_body_limit", _BODY_LIMIT, default="")
    parser.addini("loadtool_outside_paths", _OUTSIDE_PATHS, type="paths")


def declare_unless_taken(parser: pytest.Parser, *, load: bool) -> None:
    """Add the options whose names are not ours alone, unless another plugin or a conftest has them:
    the base URL of pytest-base-url and, for a load test, the short names of its size."""
    wanted: dict[str, dict[str, Any]] = {
        "--base-url": {
            "metavar": "URL",
            "default": os.environ.get("PYTEST_BASE_URL"),
            "help": (
                "As --loadtool-server, by the name that pytest-base-url and pytest-playwright have "
                "for it; of a path in it nothing is taken."
            ),
        }
    }
    if load:
        for key, (metavar, meaning) in _SIZES.items():
            short = f"--{key.replace('_', '-')}"
            wanted[short] = {"dest": f"load_{key}", "metavar": metavar, "help": f"{meaning}."}
    group = parser.getgroup("loadtool")
    for name, attributes in wanted.items():
        with contextlib.suppress(ValueError, argparse.ArgumentError):
            group.addoption(name, **attributes)


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
    if option.load and option.loadtool_html is not None:
        raise pytest.UsageError("--loadtool-html is for tests: with --load write --load-html")
    _settle_server(config)
    if option.load:
        from pytest_loadtool.plugin import load_overrides

        load_overrides.settle(config)
    given = {name for name in _TWINS if getattr(option, name) is not None}
    for name in _TWINS:
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
    """The server that replaces the test cases' own, or nothing."""
    return config.getoption("loadtool_server", default=None) or ""


def trust_of(config: pytest.Config) -> Trust:
    """What the files of this project may reach."""
    from pytest_loadtool.casefile.trust import Trust

    return Trust(
        config.rootpath,
        tuple(config.getini("loadtool_outside_paths")),
        untrusted=bool(config.getoption("loadtool_untrusted", default=False)),
    )


def header(config: pytest.Config) -> list[str]:
    """What the head of pytest's report says."""
    names = ("server", "app", "transport", "think_time")
    said = {name: config.getoption(f"loadtool_{name}", default=None) for name in names}
    parts = [f"{name.replace('_', ' ')} {value}" for name, value in said.items() if value]
    if config.option.loadtool_proxy:
        from pytest_loadtool.plugin.proxy import shown_proxy

        parts.append(f"proxy {shown_proxy(config)}")
    if config.option.loadtool_strict:
        parts.append("strict")
    if config.option.loadtool_untrusted:
        parts.append("test cases untrusted")
    if config.option.load:
        from pytest_loadtool.plugin.load_overrides import overrides_of

        parts.insert(0, build())
        parts += [one.said for one in overrides_of(config)]
    return [f"loadtool: {', '.join(parts)}"] if parts else []


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


def _check_values(config: pytest.Config) -> None:
    port = config.option.record_port
    if port and not (port.isdecimal() and int(port) < 65536):
        raise pytest.UsageError(f"--record-port: expected a number up to 65535, got {port!r}")
    if config.option.load_tolerance:
        from pytest_loadtool.casefile.quantities import parse_share

        try:
            parse_share(config.option.load_tolerance)
        except ValueError as error:
            raise pytest.UsageError(f"--load-tolerance: {error}") from None
    if not (history := str(config.option.load_history or 1)).isdecimal() or not int(history):
        raise pytest.UsageError(f"--load-history: expected a number from 1, got {history!r}")
    if server_of(config):
        from pytest_loadtool.plugin.server import checked_server

        try:
            config.option.loadtool_server = checked_server(server_of(config))
        except ValueError as error:
            raise pytest.UsageError(f"--loadtool-server: {error}") from None
    if config.option.loadtool_transport not in (None, "raw", "httpx"):
        got = config.option.loadtool_transport
        raise pytest.UsageError(f"loadtool_transport: expected 'raw' or 'httpx', got {got!r}")
    for name, words in (("loadtool_keep_replay", KEEPING), ("loadtool_trace", TRACING)):
        got = getattr(config.option, name)
        if got not in (None, *words):
            usual = _OPTIONS[_spelled(name)]["const"]
            hint = f"; if that is a file: {_spelled(name)}={usual} {got}" if "." in got else ""
            raise pytest.UsageError(
                f"{name}: expected {', '.join(words[:-1])} or {words[-1]}, got {got!r}{hint}"
            )
    if config.option.loadtool_proxy:
        from pytest_loadtool.plugin.proxy import check_proxy

        check_proxy(config)
    if config.option.loadtool_app:
        from pytest_loadtool.casefile.syntax import app_name

        try:
            app_name(config.option.loadtool_app)
        except ValueError as error:
            raise pytest.UsageError(f"--loadtool-app: {error}") from None
    if config.option.loadtool_think_time:
        from pytest_loadtool.plugin.think_time import think_time_of

        think_time_of(config)
    if config.option.loadtool_timeout:
        from pytest_loadtool.plugin.think_time import timeout_of

        timeout_of(config)
    if config.getini("loadtool_body_limit"):
        from pytest_loadtool.plugin.body_limit import body_limit_of

        body_limit_of(config)


def _misplaced(config: pytest.Config) -> Iterator[str]:
    """Files named on the command line that this kind of run would pass over in silence."""
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


def build() -> str:
    """Return what the hot path is: all of its modules are compiled, or none of them is."""
    from pytest_loadtool.load.metrics import histogram

    return "pure Python" if histogram.__file__.endswith(".py") else "compiled"
