"""Where applications are installed: a cache folder with an environment for each."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

__all__ = [
    *("CACHE", "make_environment", "node_modules", "node_program", "once", "pip_install"),
    *("python_environment", "run"),
]

#: LOADTOOL_APPLICATIONS names another folder.
CACHE = Path(
    os.environ.get("LOADTOOL_APPLICATIONS")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pytest-loadtool-tests"
)


def once(name: str, wanted: str, install: Callable[[Path], None]) -> Path:
    """The folder ``name`` of the cache, into which ``install`` has put what ``wanted`` describes.

    Installed at the first call, and anew from an empty folder when ``wanted`` has changed or an
    earlier attempt did not end. Several processes may ask at the same time.
    """
    folder = CACHE / name
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "installed.txt"
        if not done.exists() or done.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            install(folder)
            done.write_text(wanted)
    return folder


def python_environment(name: str, *requirements: str) -> Path:
    """The ``bin`` folder of a virtual environment that holds ``requirements``."""

    def install(folder: Path) -> None:
        pip_install(make_environment(folder), *requirements)

    return once(name, "\n".join((sys.version, *requirements)), install) / "bin"


def node_modules(name: str, *requirements: str) -> Path:
    """The folder with these packages from npm, and Node.js from Debian, where there is none."""

    def install(folder: Path) -> None:
        quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--silent")
        run("npm", "install", *quiet, "--prefix", str(folder), *requirements)

    node_program()
    return once(name, "\n".join(requirements), install) / "node_modules"


def node_program() -> None:
    """Make sure that there is Node.js with npm: from Debian, where there is none."""
    if shutil.which("npm") is None:
        run("bash", ".ci/apt.sh", "nodejs", "npm", folder=Path(__file__).parents[2])


def make_environment(folder: Path, interpreter: str = sys.executable) -> Path:
    """The Python of an empty virtual environment of ``interpreter``, made in ``folder``."""
    # Without pip: one of its own would take longer to install than most applications.
    run(interpreter, "-m", "venv", "--without-pip", str(folder))
    return folder / "bin" / "python"


def pip_install(python: Path, *arguments: str) -> None:
    """Install into the environment of ``python``, with the pip of this one."""
    pip = (sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-compile", *arguments)


def run(
    *command: str, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """What a command writes that is run to its end, in ``folder``, with ``environment`` added to
    this process's.

    Raises:
        RuntimeError: it failed; with what it wrote.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout
