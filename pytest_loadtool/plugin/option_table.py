"""The command line options and their twins in the configuration file: what there is.

Imported in every pytest run: nothing heavy may enter, and pytest need not look for assertions to
rewrite: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from typing import Any

import pytest

from pytest_loadtool import LOAD_SUFFIX

#: By the first word of the options; those with another are of replays. pytest compares each option
#: with all others of its group: three groups take a third of the time of one.
_GROUPS = {
    "record": "record HTTP traffic",
    "replay": "replay recorded HTTP traffic",
    "load": "load-test HTTP traffic",
}
#: Of which replays a file is kept.
KEEPING = ("no", "failed", "all")
#: Of which replays a page is made.
TRACING = ("off", "retain-on-failure", "on")

#: The options: each with what is typed for its value; below it, after ``ini:``, its help in the
#: configuration file if it stands there too; and what it does. In one text: pytest reads the
#: compiled modules of plugins piece by piece, a table of these texts in a thousand pieces.
_TOLD = """\
--record FILE
    Open the recording console instead of running tests, on the test case FILE (*.case.toml),
    new or existing. There, 'record' starts a browser, 'stop' makes the test case, 'help' says
    the rest. Needs pip install 'pytest-loadtool[record]'.
--record-url URL
    With --record: start recording at once, with the browser on this page.
--record-browser PATH
    ini: The Chromium or Chrome to record with
    With --record: the Chromium or Chrome to record. Default: the first one found on PATH.
    'none' opens no browser: point your own client at the recorder's proxy.
--record-script FILE
    With --record: take the console's commands from FILE, or with '-' from standard input, one
    on a line, without a terminal.
--record-reset COMMAND
    With --record: a command that brings the server back. 'configure --replay' runs it, without
    a shell, before the replays that want the server as it was.
--replay-har FILE
    With --record: look at the replay of the test case that FILE keeps, such as one that
    --loadtool-keep-replay has kept in CI.
--record-port PORT
    ini: The recorder's port
    With --record: the recorder's port on 127.0.0.1. Default: any free one.
--record-only DOMAIN
    ini: The domains to record
    When recording: record only this domain, with its subdomains; what others send passes
    through. May be given several times.
--record-block DOMAIN
    ini: The domains to block
    When recording: refuse requests to this domain and its subdomains; they are not sent at all.
    May be given several times.
--record-block-trackers
    ini: Whether trackers are blocked
    When recording: block common analytics, advertising and tracking services.
--record-from-tests DIR
    Run the tests as ever, and make a test case in DIR of what each passing test sends through
    the recording proxy. Those of pytest-playwright do so by themselves; others take it from the
    fixture loadtool_recorder.
--record-replace
    With --record-from-tests: record test cases anew that exist.
--load
    Run load tests instead of tests: each load configuration (*.load.toml) once. Nothing else is
    collected: Python tests and test cases are left out. With -n N, N workers share the load;
    without, this process makes it.
--load-on CLUSTER
    ini: The Dask cluster that makes the load
    With --load: have a Dask cluster make the load, one share on each of its workers:
    dask://HOST:PORT of its scheduler, dask+tls://HOST:PORT with Dask's TLS settings, or dask:N,
    N processes on this machine. Needs pip install 'pytest-loadtool[dask]'.
--load-install
    With --load-on: have workers of the cluster that have another version of this package
    install this one, with pip; without, they are refused.
--load-json FILE
    With --load: also write the results to FILE, as JSON.
--load-samples DIR
    With --load: where exchanges that failed are kept, to be opened with --record CASE
    --replay-har; 'no': nowhere. Default: NAME.failures, beside the file of --load-json or the
    load configuration.
--load-top N
    With --load: show the N transactions that took the most time in sum. Default: all, the
    static files of each page as one.
--load-html FILE
    ini: The HTML page with the results of load tests
    With --load: also write the results to FILE, as an HTML page with plots that needs no
    network. While a load test runs, FILE shows how it is getting on.
--load-csv DIR
    With --load: also write over-time.csv, transactions.csv and errors.csv into DIR: the numbers
    of --load-json.
--load-report NAME=FILE
    With --load: also write a report of an installed extension into FILE (entry points
    pytest_loadtool.reports).
--load-hdr DIR
    With --load: also write response and service times over the run into DIR, as logs of
    HdrHistogram.
--load-summary FILE
    With --load: also write the results to FILE in short, as Markdown: for the summary of a CI
    job or a comment on a pull request.
--load-profile NAME
    ini: The profile of load configurations that holds
    With --load: what [profile.NAME] of the load configurations, and of their test cases, says
    comes in place of their own values. Then also LOADTOOL_PROFILE in the environment.
--load-users N
    ini: So many virtual users; of arrivals, the most at work at once
    With --load: so many virtual users; of arrivals, the most at work at once, in place of what
    the load configurations say. Then also --users, and LOADTOOL_USERS in the environment.
--load-duration TIME
    ini: So long, such as 30s or 5m
    With --load: so long, such as 30s or 5m, in place of what the load configurations say. Then
    also --duration, and LOADTOOL_DURATION in the environment.
--load-ramp-up TIME
    ini: All users have started after this time
    With --load: all users have started after this time, in place of what the load
    configurations say. Then also --ramp-up, and LOADTOOL_RAMP_UP in the environment.
--load-rate RATE
    ini: So many iterations begin in a time, such as 50/s
    With --load: so many iterations begin in a time, such as 50/s, in place of what the load
    configurations say. Then also --rate, and LOADTOOL_RATE in the environment.
--load-iterations N
    ini: So many iterations of each user, at most
    With --load: so many iterations of each user, at most, in place of what the load
    configurations say. Then also --iterations, and LOADTOOL_ITERATIONS in the environment.
--load-once
    With --load: run each test case of the load configurations just once, by one user: to see
    whether all is well before the load. Then also --once.
--load-otlp URL
    ini: Where metrics of load tests go, by OTLP
    With --load: send metrics to an OpenTelemetry collector at URL (http://127.0.0.1:4318) while
    load tests run, by OTLP over HTTP. Headers, such as a token: OTEL_EXPORTER_OTLP_HEADERS in
    the environment. Needs pip install 'pytest-loadtool[otel]'.
--load-remote-write URL
    ini: Likewise, by Prometheus remote write
    With --load: send metrics to Prometheus at URL (http://127.0.0.1:9090/api/v1/write) while
    load tests run, by remote write with native histograms. Headers:
    LOADTOOL_REMOTE_WRITE_HEADERS in the environment, as name=value,…. Needs pip install
    'pytest-loadtool[prometheus]'.
--load-save FILE
    With --load: also keep the runs' response times in FILE, to be compared with.
--load-history N
    ini: How many runs of a load test are kept
    With --load-save: keep the newest N runs of each load test in FILE, not only this session's.
    Where there are several to compare with, their spread counts.
--load-compare FILE
    With --load: compare each run with the earlier ones in FILE, which --load-save has written,
    and fail it where it has become worse.
--load-tolerance PERCENT
    ini: How much worse a run may be than an earlier one
    With --load-compare: how much worse a run may be: longer response times (median, 95th, 99th
    percentile), more errors, less throughput. Default: 10%%.
--loadtool-server URL
    ini: The server to replay against
    Replay against this server (http://host:port) in place of the one that the test cases or
    load configurations name; fixtures named by 'server_fixture' are then not used.
--loadtool-profile NAME
    ini: The profile of test cases that holds
    Replay test cases with what their [profile.NAME] says in place of their own server and
    variables. With --load: --load-profile.
--loadtool-transport {raw,httpx}
    ini: What requests go over: raw, httpx
    What requests go over, in place of what the test cases say: 'raw' (HTTP/1.1, built for load;
    the default) or 'httpx' (also HTTP/2).
--loadtool-untrusted
    The test cases are from elsewhere: they may read no environment, keyring or other files, run
    no application or fixture of this project, and send to the server that --loadtool-server
    names, and no other.
--loadtool-strict
    ini: Whether what differs from the recording fails
    Fail each transaction whose answer differs from the recorded one (another status from 200 to
    399, kind, title, JSON keys, an empty list), which otherwise passes and is told, or from
    which a value is taken by its place in a list. In tests, load tests and the console.
--loadtool-traceparent
    ini: Whether requests have traces
    Send a trace of its own with each request, in the header traceparent of W3C Trace Context:
    the application's traces then have it. In tests and load tests.
--loadtool-app MODULE:NAME
    ini: The application to ask in this process
    Ask this ASGI or WSGI application, in this process and without a server, in place of the
    servers and applications that the test cases name.
--proxy-url URL
    ini: The proxy to replay through: URL, environment, none
    Replay and record through this HTTP proxy (http://[user:password@]host:port), in place of
    what the test cases say. 'environment' takes the one that HTTP_PROXY, HTTPS_PROXY, ALL_PROXY
    and NO_PROXY name, 'none' goes without.
--loadtool-keep-replay no|failed|all
    ini: Which replays are kept: no, failed, all
    Keep what a test sent and received, as a HAR file in CASE.replays beside the test case, for
    you alone: of no test (the default), of tests that failed, or of all (without a value, too).
    The last five of each test case stay. The console and browsers open them.
--loadtool-html FILE
    ini: The HTML page of the test cases of a run
    Write what the test cases did to FILE, as an HTML page that needs no network: pages,
    transactions over time, failures with what to fix first. Of load tests: --load-html.
--loadtool-trace off|retain-on-failure|on
    ini: Which pages are left: off, retain-on-failure, on
    Leave an HTML page of a test in CASE.replays beside the test case, and the HAR file of its
    replay: of no test (the default), of tests that failed (without a value, too), or of all.
    The page has what was recorded beside what was replayed, each value from producer to
    consumer, and what to fix first; secrets are cut. The last five of each test case stay.
--loadtool-think-time recorded|none|TIME
    ini: Pauses between pages: recorded, none, TIME
    How long to pause between pages when a test case is replayed as a test: as recorded (the
    default), not at all (Play Fast), or as recorded but at most TIME, such as 500ms or 2s.
--loadtool-timeout TIME
    ini: How long a request may take
    How long a request may take when a test case is replayed as a test: for connecting, and then
    to its last byte, such as 5s or 3m. Default: 60s. Load configurations have their own:
    timeout.
"""

#: What the text does not say of them. Those without a value are flags, and None where not given.
_PARTICULARS: dict[str, dict[str, Any]] = {
    "--record": {"nargs": "?", "const": ""},
    "--record-only": {"action": "append"},
    "--record-block": {"action": "append"},
    "--load": {"default": False},
    "--load-report": {"action": "append"},
    "--loadtool-untrusted": {"default": False},
    "--proxy-url": {"dest": "loadtool_proxy"},
    "--loadtool-keep-replay": {"nargs": "?", "const": "all"},
    "--loadtool-trace": {"nargs": "?", "const": "retain-on-failure"},
}

#: By their names, what pytest is told of the options.
OPTIONS: dict[str, dict[str, Any]] = {}
#: Options that do not depend on the single run, by their destination, which is their name in the
#: configuration file: their help there.
TWINS: dict[str, str] = {}


def _read() -> None:
    for told in _TOLD[2:-1].split("\n--"):
        head, _, text = told.partition("\n    ")
        word, _, metavar = head.partition(" ")
        name, twin = f"--{word}", ""
        if text.startswith("ini: "):
            twin, _, text = text[5:].partition("\n    ")
        value = {"metavar": metavar} if metavar else {"action": "store_true", "default": None}
        attributes = OPTIONS[name] = {
            "dest": word.replace("-", "_"),
            "help": text.replace("\n    ", " "),
            **value,
            **_PARTICULARS.get(name, {}),
        }
        if twin:
            TWINS[attributes["dest"]] = f"{twin}; see {name}."


_read()

#: What options of the size of a load test are called too, where no other plugin has that name.
_SHORT = ("users", "duration", "ramp-up", "rate", "iterations", "once")

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

#: What is no text in the configuration file, by what the option does.
_TYPES: dict[str, Any] = {"append": "args", "store_true": "bool"}


def untouched(config: pytest.Config) -> bool:
    """Return whether nothing is asked of this package, on the command line or in the configuration
    file: then there is nothing to check, and nothing to say."""
    for attributes in (*OPTIONS.values(), {"dest": "base_url"}):
        if getattr(config.option, attributes["dest"], None) not in (None, False):
            return False
    for argument in config.args:
        if LOAD_SUFFIX in argument:
            return False
    for name in (*TWINS, "loadtool_body_limit"):
        if config.getini(name):
            return False
    with contextlib.suppress(ValueError):  # only pytest-base-url declares it
        return not config.getini("base_url")
    return True


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options and their twins."""
    groups = {}
    for kind, title in _GROUPS.items():
        groups[kind] = parser.getgroup(f"loadtool-{kind}", f"{title} (pytest-loadtool)")
    for name, attributes in OPTIONS.items():
        group = groups.get(name[2:].partition("-")[0], groups["replay"])
        # With its destination each costs half: pytest need not look whether another has it.
        group.addoption(name, **attributes)
        if text := TWINS.get(dest := attributes["dest"]):
            parser.addini(dest, text, type=_TYPES.get(attributes.get("action", "")), default="")
    for name, text in _PREFERENCES.items():
        parser.addini(name, text, default="")
    parser.addini("loadtool_asm_rules", _ASM_RULES, type="paths")
    parser.addini("loadtool_body_limit", _BODY_LIMIT, default="")
    parser.addini("loadtool_outside_paths", _OUTSIDE_PATHS, type="paths")


@pytest.hookimpl(trylast=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> None:
    """Declare the options whose names are not ours alone, unless another plugin or a conftest has
    them, which is known now: the base URL of pytest-base-url and, for a load test, the short names
    of its size."""
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
    if early_config.known_args_namespace.load:
        for word in _SHORT:
            name = f"--load-{word}"
            wanted[f"--{word}"] = {**OPTIONS[name], "help": f"As {name}."}
    for name, attributes in wanted.items():
        group = parser.getgroup("loadtool-replay" if name == "--base-url" else "loadtool-load")
        with contextlib.suppress(ValueError, argparse.ArgumentError):
            group.addoption(name, **attributes)
