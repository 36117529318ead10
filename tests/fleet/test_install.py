"""Workers of another version, in an environment of their own: refused, or given this one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pytest_loadtool
from pytest_loadtool.fleet.wheel import wheel
from pytest_loadtool.load.hot_path import build
from tests.fleet.clusters import Place, cluster
from tests.fleet.test_dask import SECRET, project, server, written
from tests.plugin.loading import Project
from tests.plugin.serving import Server

__all__ = ["project", "server"]


#: What the other environment has: an older version or, where this one is compiled, the same in pure
#: Python.
OTHER = "0.0.1" if build() == "pure Python" else pytest_loadtool.__version__


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The Python of an environment that has `OTHER`, and else what this one has."""
    home = tmp_path / "other"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    python = home / "bin" / "python"
    purelib = 'import sysconfig; print(sysconfig.get_path("purelib"))'
    there = subprocess.run([python, "-c", purelib], check=True, capture_output=True, text=True)
    site = Path(there.stdout.strip())
    below = (one for one in sys.path if Path(one).name == site.name)
    (site / "below.pth").write_text("\n".join(below), encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(pytest_loadtool, "__version__", OTHER)
        name, content = wheel()
    (tmp_path / name).write_bytes(content)
    install = ["-m", "pip", "install", "-q", "--no-deps", "--no-index", "--force-reinstall"]
    subprocess.run([python, *install, str(tmp_path / name)], check=True, capture_output=True)
    package = site / "pytest_loadtool"
    for compiled in package.rglob("*.so"):
        compiled.unlink()
    text = (package / "__init__.py").read_text(encoding="utf-8")
    version = '__version__ = "{}"'
    assert version.format(pytest_loadtool.__version__) in text
    text = text.replace(version.format(pytest_loadtool.__version__), version.format(OTHER))
    (package / "__init__.py").write_text(text, encoding="utf-8")
    return python


@pytest.mark.slow
def test_another_version_is_refused_or_given_this_one(
    project: Project, server: Server, other: Path, tmp_path: Path
) -> None:
    """By name; what is installed makes load in the worker that is there, and stays there. The last
    stage of the tests runs this on the compiled build: then it is compiled there, too."""
    written(project, server.url, more="iterations = 2", target="GET /more", secret="")
    with cluster(tmp_path, {"east": Place(), "old": Place(python=str(other))}) as two:
        done = project.run("--load", "--load-on", two.url)
        said = " ".join(done.stdout.split())
        assert done.returncode == 1
        assert (
            f"what this process is, pytest-loadtool {pytest_loadtool.__version__} ({build()})"
            in said
        )
        assert f"worker old has pytest-loadtool {OTHER} (pure Python)" in said
        assert "worker east" not in said
        assert "--load-install" in said
        assert not server.requests
        done = project.run(
            "--load", "--load-install", "--load-json", "out.json", "--load-on", two.url
        )
        assert "1 passed" in done.stdout, done.stdout
    assert [one["name"] for one in project.json()["workers"]] == ["worker east", "worker old"]
    assert len(server.requests) == project.json()["totals"]["requests"] == 6 * 2 * 2
    there = (
        "import pytest_loadtool as p; from pytest_loadtool.load.hot_path import build; "
        "print(p.__version__, build(), p.__file__)"
    )
    then = subprocess.run([other, "-c", there], check=True, capture_output=True, text=True)
    assert then.stdout.startswith(f"{pytest_loadtool.__version__} {build()} {tmp_path}")


def test_what_pip_says_is_said(project: Project, server: Server, tmp_path: Path) -> None:
    """Of a worker where nothing can be installed: by its name, and no load is made."""
    stub = tmp_path / "stub" / "pytest_loadtool"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "stub" / "pip.py").write_text("raise SystemExit('no room')", encoding="utf-8")
    written(project, server.url, more="", target="GET /more", secret=SECRET)
    bare = Place(environment={"PYTHONPATH": str(stub.parent)})
    with cluster(tmp_path, {"bare": bare}) as one:
        done = project.run("--load", "--load-install", "--load-on", one.url)
    assert "--load-install: worker bare: no room" in " ".join(done.stdout.split())
    assert not server.requests
