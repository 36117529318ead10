"""What the benchmarks run: programs of Debian, Locust, and this checkout, each in its own place.

What is missing is installed on first use: Debian's packages with apt (as root, else with sudo), the
rest below ``~/.cache/pytest-loadtool``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["locust", "our_python", "program"]

ROOT = Path(__file__).parents[2]
CACHE = Path.home() / ".cache" / "pytest-loadtool"

#: Which of Debian's packages has a program.
_PACKAGES = {
    "nginx": "nginx-light",
    "wrk": "wrk",
    "hey": "hey",
    "taskset": "util-linux",
    "openssl": "openssl",
}

#: The builds of this checkout, by what PYTEST_LOADTOOL_PURE says to hatch_build.py.
_BUILDS = {"compiled": "0", "pure": "1"}


def program(name: str) -> str:
    """The path of one of Debian's programs, installed if it is missing."""
    path = os.environ["PATH"] + ":/usr/sbin"  # where Debian keeps servers
    if shutil.which(name, path=path) is None:
        subprocess.run(["bash", ROOT / ".ci/apt.sh", _PACKAGES[name]], check=True)
    found = shutil.which(name, path=path)
    if found is None:
        raise SystemExit(f"{name} is needed: apt-get install {_PACKAGES[name]}")
    return found


def locust() -> str:
    """Locust's command. LOCUST_VENV names an environment that has it already."""
    home = Path(os.environ.get("LOCUST_VENV", CACHE / "locust"))
    if not (home / "bin/locust").exists():
        _install(home, "locust")
    return str(home / "bin/locust")


def our_python(build: str) -> str:
    """The Python with this checkout, ``compiled`` or ``pure``; made anew when that has changed."""
    home = CACHE / build
    made_of = home / "made-of"
    sources = _hash_of_sources()
    if not made_of.exists() or made_of.read_text() != sources:
        print(f"installing the {build} build into {home}", file=sys.stderr)
        made_of.unlink(missing_ok=True)
        _install(home, str(ROOT), PYTEST_LOADTOOL_PURE=_BUILDS[build])
        made_of.write_text(sources)
    return str(home / "bin/python")


def _install(home: Path, requirement: str, **environment: str) -> None:
    if not (home / "bin/pip").exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
    subprocess.run(
        [home / "bin/pip", "install", "--quiet", "--disable-pip-version-check", requirement],
        env=os.environ | environment,
        check=True,
    )


def _hash_of_sources() -> str:
    files = [ROOT / "pyproject.toml", ROOT / "hatch_build.py"]
    files += sorted((ROOT / "pytest_loadtool").rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
