"""No output shows a secret by itself: which one may stand where."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from tests.console.running import console_command, console_environment, recording, run_script
from tests.end_to_end.echoing import SECRETS, echoing, found_in

#: How a transaction comes to fail: its path, what it has besides, and the identity that it needs.
FAILURES = {
    "status": ("/fail", "", ""),
    "text": ("/echo", 'validators = [{ text = "not there" }]', ""),
    "extractor": ("/echo", 'extractors = [{ variable = "x", json = "$.none" }]', ""),
    "httpx": ("/fail", "", ""),
    "basic": ("/basic", "", "BASIC"),
    "digest": ("/digest", "", "DIGEST"),
}

CASE = """
format = 1
name = "{name}"
server = "{server}"
transport = "{transport}"
headers = ["Host", "Content-Length", "Cookie"]

[[page]]
name = "Shop"

[[page.transaction]]
request = "POST /login"
headers = ["Content-Type: application/x-www-form-urlencoded"]
body = "user=${{users.username}}&password=${{users.password}}"

[[page.transaction]]
request = "POST {path}?api_key={api_key}&again=${{users.password}}"
headers = [
  {authorization}"X-API-Key: {x_api_key}", "X-Ring: ${{RING}}", "Content-Type: application/json",
]
body = '{{"of": "${{ENVIRONMENT}}", "password": "${{users.password}}"}}'
{more}

[datasets.users]
file = "users.csv"

[variables]
ENVIRONMENT = {{ env = "SHOP_ENVIRONMENT" }}
RING = {{ keyring = "shop", username = "ann" }}
BASIC = {{ env = "SHOP_BASIC" }}
DIGEST = {{ env = "SHOP_DIGEST" }}
{identity}
"""
LOCKED = """
format = 1
name = "locked"
server = "https://127.0.0.1:1"

[[page]]
name = "Shop"

[[page.transaction]]
request = "GET /"

[tls]
client_certificate = "ann.pem"
client_key = "ann.key"
client_key_password_env = "SHOP_KEY"
"""
IDENTITY = """
[[identity]]
username = "ann"
password = "${{{}}}"
"""

#: Raises where it is told to, after what is there has done its work or in place of it.
CONFTEST = """
import importlib, os
import keyring
from tests.rings import Ring

keyring.set_keyring(Ring({("shop", "ann"): os.environ["SHOP_RING"]}))

if place := os.environ.get("SHOP_CRASH"):
    module, _, path = place.partition(":")
    owner = importlib.import_module(module)
    *names, last = path.split(".")
    for name in names:
        owner = getattr(owner, name)

    def crash(*arguments, **named):
        try:
            raise KeyError("another")
        except KeyError as error:
            raise RuntimeError("a mistake of ours") from error

    setattr(owner, last, crash)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """It echoes."""
    with echoing() as url:
        yield url


@pytest.fixture
def project(server: str, tmp_path: Path) -> Path:
    """A folder with a test case for each way to fail, and a load test of all."""
    for name, (path, more, identity) in FAILURES.items():
        bearer = "" if identity else f'"Authorization: Bearer {SECRETS["bearer"]}", '
        text = CASE.format(
            name=name,
            server=server,
            transport="httpx" if name == "httpx" else "raw",
            path=path,
            api_key=SECRETS["api_key"],
            authorization=bearer,
            x_api_key=SECRETS["X-API-Key"],
            more=more,
            identity=IDENTITY.format(identity) if identity else "",
        )
        (tmp_path / f"{name}.case.toml").write_text(text)
    cases = "".join(f'[[case]]\nfile = "{name}.case.toml"\n' for name in FAILURES)
    (tmp_path / "all.load.toml").write_text(
        f'format = 1\nname = "all"\nusers = {len(FAILURES)}\niterations = {len(FAILURES)}\n{cases}'
    )
    (tmp_path / "locked.case.toml").write_text(LOCKED)
    ann = trustme.CA().issue_cert("ann")
    ann.cert_chain_pems[0].write_to_path(tmp_path / "ann.pem")
    key = load_pem_private_key(ann.private_key_pem.bytes(), None)
    locked = BestAvailableEncryption(SECRETS["key"].encode())
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, locked)
    (tmp_path / "ann.key").write_bytes(pem)
    (tmp_path / "users.csv").write_text(f"username,password\nann,{SECRETS['password']}\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    return tmp_path


def run(folder: Path, *arguments: str, **environment: str) -> str:
    """All that a run of pytest says, which fails."""
    secrets = {
        "SHOP_ENVIRONMENT": SECRETS["environment"],
        "SHOP_RING": SECRETS["keyring"],
        "SHOP_BASIC": SECRETS["Basic"],
        "SHOP_DIGEST": SECRETS["Digest"],
        "SHOP_KEY": SECRETS["key"],
    }
    done = subprocess.run(
        console_command(*arguments),
        cwd=folder,
        env=console_environment(folder) | secrets | environment,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout + done.stderr


VERBOSE = (
    *("-vv", "-l", "--full-trace", "-rA", "--log-level=DEBUG"),
    *("--junitxml=out.xml", "-o", "junit_logging=all"),
)


@pytest.mark.parametrize("options", [(), VERBOSE, (*VERBOSE, "-n", "2")])
def test_replay_that_fails(project: Path, options: tuple[str, ...]) -> None:
    """Whatever it fails by: its text, its steps and JUnit's file."""
    output = run(project, *(f"{name}.case.toml" for name in FAILURES), *options)
    assert f"{len(FAILURES)} failed" in output
    for name in FAILURES:
        assert f"{name}.case.toml" in output
    assert "Authorization: Bearer bear…" in output
    assert found_in(output) == {}
    if options:
        assert found_in((project / "out.xml").read_text()) == {}


def test_load_test(project: Path) -> None:
    """Its report, what programs get, and what later runs are compared with."""
    output = run(
        project, "--load", "--load-json=out.json", "--load-save=base", "all.load.toml", *VERBOSE
    )
    report = json.loads((project / "out.json").read_text())["runs"][0]
    examples = [one["example"] for one in report["errors"]]
    assert sum("<title>Oops</title>" in one for one in examples) == len(FAILURES)
    assert all(f"api_key={SECRETS['api_key'][:4]}…" in one for one in examples)
    assert "Oops" in output
    kept = [(project / name).read_text() for name in ("out.json", "base")]
    for text in (output, *kept, (project / "out.xml").read_text()):
        assert found_in(text) == {}


@pytest.mark.parametrize(
    ("place", "file"),
    [
        ("pytest_loadtool.engine.prepare.resources:compile_case", "basic.case.toml"),
        ("pytest_loadtool.replay.compile.case:_initial", "basic.case.toml"),
        ("pytest_loadtool.replay.user.user:VirtualUser._settle", "basic.case.toml"),
        ("pytest_loadtool.replay.user.cookies:CookieJar.store", "basic.case.toml"),
        ("pytest_loadtool.auth.basic:b64encode", "basic.case.toml"),
        ("pytest_loadtool.replay.user.exchange:Response.header_values", "basic.case.toml"),
        ("pytest_loadtool.plugin.functional.steps:step_result", "basic.case.toml"),
        ("pytest_loadtool.report.failure:carried_by", "basic.case.toml"),
        ("pytest_loadtool.masking.text:Mask.text", "basic.case.toml"),
        ("ssl:SSLContext.load_cert_chain", "locked.case.toml"),
        ("pytest_loadtool.engine.samples:carried_by", "all.load.toml"),
        ("pytest_loadtool.replay.user.user:VirtualUser._settle", "all.load.toml"),
        ("pytest_loadtool.engine.load:LoadRunner.__init__", "all.load.toml"),
    ],
)
@pytest.mark.parametrize("options", [(), VERBOSE])
def test_crash(project: Path, place: str, file: str, options: tuple[str, ...]) -> None:
    """A mistake of ours, with all that pytest can say of it; one in judging a response is the
    failure of that request."""
    load = ["--load", "--load-json=out.json"] if file == "all.load.toml" else []
    output = run(project, *load, file, *options, SHOP_CRASH=place)
    if load:  # the report has the first lines of an example, the file all
        output += (project / "out.json").read_text()
    assert "a mistake of ours" in output or "a defect of pytest-loadtool" in output
    assert found_in(output) == {}
    if options:
        assert found_in((project / "out.xml").read_text()) == {}


def session(folder: Path, server: str) -> list[str]:
    """Command lines of a client whose traffic is recorded."""
    curl = f"curl -sS -o {folder}/out.html -b {folder}/jar -c {folder}/jar"
    password = shlex.quote(f"password={SECRETS['password']}")
    login = f"--data-urlencode user=ann --data-urlencode {password}"
    keys = f"-H {shlex.quote('X-API-Key: ' + SECRETS['X-API-Key'])}"
    bearer = f"-H {shlex.quote('Authorization: Bearer ' + SECRETS['bearer'])}"
    basic = f"-u ann:{SECRETS['Basic']}"
    return [
        f"{curl} {login} {server}/login",
        f"{curl} {keys} {bearer} {server}/echo?api_key={SECRETS['api_key']}",
        f"{curl} {keys} {bearer} {server}/fail?api_key={SECRETS['api_key']}",
        f"{curl} {basic} {server}/basic?again=1",
    ]


#: What the console shows of a recording.
LOOKING = (
    *("tree", "show errors", "show fidelity", "configure --hosts all", "explain"),
    *(f"show {number}" for number in (1, 2, 3)),
    *(f"fields {number}" for number in (1, 2, 3)),
)


@pytest.mark.parametrize(
    ("way", "kept"),
    [
        ("keep", {"shop.case.toml", "shop.har"}),
        ("dataset", {"shop.users.csv"}),
        ("env", set()),
    ],
)
def test_console(way: str, kept: set[str], server: str, tmp_path: Path) -> None:
    """What it prints while it records, looks, replays and saves; and which files have secrets."""
    client = tmp_path / "client.sh"
    client.write_text("\n".join(session(tmp_path, server)))
    script = recording(f"sh {client}", *LOOKING, f"save --secrets {way}")
    done = run_script(tmp_path, script)
    assert "recorded GET" in done.stdout
    assert "The cookie sid carries the session" in done.stdout
    assert found_in(done.stdout + done.stderr) == {}
    files = {one.name: found_in(one.read_text()) for one in tmp_path.glob("shop.*")}
    assert {name for name, found in files.items() if found} == kept, files


@pytest.mark.parametrize("name", list(FAILURES))
def test_play(name: str, project: Path) -> None:
    """The console tells why a replay failed, and shows what was kept of it."""
    (project / "script.txt").write_text("show 2\nfields 2\nplay --fast\n")
    arguments = ("--record", f"{name}.case.toml", "--record-script", "script.txt")
    output = run(project, *arguments)
    assert "transaction 2 'POST" in output
    assert found_in(output) == {}
    (project / "script.txt").write_text("replays\nreplays 1\nwhy\nplay\n")
    output = run(project, *arguments)
    assert "sent to http" in output
    assert found_in(output) == {}
