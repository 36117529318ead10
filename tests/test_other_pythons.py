"""A session with each other Python that is on this machine: replay, record, load."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.applications.installed import make_environment, once, pip_install
from tests.plugin.serving import case, serving, transaction
from tests.test_packaging import ROOT, build

#: The one that runs the tests is left out.
OTHERS = [minor for minor in range(11, 15) if minor != sys.version_info.minor]

FORM = transaction("GET /form", 'extractors = [{ variable = "token", regex = \'value="(\\w+)"\' }]')


def login(validator: str) -> str:
    """Post the form's token, and want this of the answer."""
    kind = 'headers = ["Content-Type: application/x-www-form-urlencoded"]'
    return transaction(
        "POST /login", kind, 'body = "token=${token}"', f"validators = [{validator}]"
    )


RECORD = """\
record --browser none
run curl -sS --fail -o form.html {url}/form
run curl -sS --fail -o home.html --data token={token} {url}/login
stop
configure
save
"""

LOAD = """\
format = 1
name = "Rush hour"
users = 2
iterations = 3
[[case]]
file = "new.case.toml"
"""


@dataclass(frozen=True, slots=True)
class Session:
    """A directory of a user who has this project in an environment of that Python."""

    path: Path
    python: Path
    project: Path
    """Where the project is, unpacked from its wheel."""

    def run(self, *arguments: str, status: int = 0) -> str:
        """Run pytest to its end, which must be with ``status``; the value is what it wrote."""
        done = subprocess.run(
            [self.python, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
            cwd=self.path,
            env=os.environ | {"PYTHONPATH": str(self.project), "COLUMNS": "200"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        output = done.stdout + done.stderr
        assert done.returncode == status, output
        assert not done.stderr, output
        assert "Warning" not in output, output
        return done.stdout


def interpreters(name: str) -> Iterator[str]:
    """Where a Python of this name may be: on the path, and with pyenv."""
    if found := shutil.which(name):
        yield found
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(pyenv.glob(f"versions/*/bin/{name}")))


def version(interpreter: str) -> str:
    """Which Python that is in full; empty for what is none, as pyenv's commands for those that are
    not selected."""
    command = [interpreter, "-c", "import sys, venv; print(sys.version)"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def environment(interpreter: str, name: str) -> Path:
    """The Python of an environment that holds what this project needs, and not the project."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["record"]]

    def install(folder: Path) -> None:
        pip_install(make_environment(folder, interpreter), *wanted)

    return once(name, "\n".join((version(interpreter), *wanted)), install) / "bin/python"


@pytest.fixture(params=OTHERS, ids="python3.{}".format)
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Session:
    """An empty directory, and the project installed as its wheel in pure Python."""
    name = f"python3.{request.param}"
    interpreter = next(filter(version, interpreters(name)), None)
    if interpreter is None:
        pytest.skip(f"no {name} on this machine")
    run = build(tmp_path, PYTEST_LOADTOOL_PURE="1")
    assert run.returncode == 0, run.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "project")
    user = tmp_path / "user"
    user.mkdir()
    (user / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    session = Session(user, environment(interpreter, name), tmp_path / "project")
    assert f"-- Python {name.removeprefix('python')}." in session.run(status=5)
    return session


def test_a_session_with_another_python(session: Session) -> None:
    """Replays pass and fail, a recording passes with another token, users load over two workers;
    nothing warns."""
    with serving() as server:
        for name, text in (("good", "Welcome"), ("bad", "Farewell")):
            content = case(server.url, FORM, login(f'{{ text = "{text}" }}'))
            (session.path / f"{name}.case.toml").write_text(content)
        assert "1 passed" in session.run("good.case.toml")
        output = session.run(status=1)
        assert "1 failed, 1 passed" in output
        assert "Farewell" in output
        assert server.requests == ["GET /form", "POST /login"] * 3

        server.token = secrets.token_hex(16)
        (session.path / "script").write_text(RECORD.format(url=server.url, token=server.token))
        session.run("--record", "new.case.toml", "--record-script", "script")
        server.token = secrets.token_hex(16)
        assert "1 passed" in session.run("new.case.toml")

        server.requests.clear()
        (session.path / "new.load.toml").write_text(LOAD)
        output = session.run("--load", "-n", "2", "--load-json", "load.json")
        assert "2 users, 3 iterations each on 2 workers" in output
        assert sorted(server.requests) == ["GET /form"] * 6 + ["POST /login"] * 6
        report = json.loads((session.path / "load.json").read_text())["runs"][0]
        assert (report["verdict"], report["totals"]["status"]) == ("passed", {"200": 12})
