"""Starting the console as a user does, in a process of its own."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import httpx

__all__ = [
    "ROOT",
    "console_command",
    "console_environment",
    "fetch",
    "recording",
    "run",
    "run_script",
]

ROOT = Path(__file__).parents[2]


def console_command(*arguments: str) -> list[str]:
    """``pytest --record …`` with the plugin, installed or not."""
    installed = importlib.metadata.entry_points(group="pytest11", name="loadtool")
    plugin = () if installed else ("-p", "pytest_loadtool.plugin")
    return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugin, *arguments]


def console_environment(home: Path) -> dict[str, str]:
    """An environment that finds this project, and keeps history and the like in ``home``."""
    proxies = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
    kept = {name: value for name, value in os.environ.items() if name not in proxies}
    return kept | {
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
    }


def run(
    directory: Path, *arguments: str, typed: str = "", status: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run pytest in ``directory`` to its end, which must be with ``status``."""
    done = subprocess.run(
        console_command(*arguments),
        cwd=directory,
        env=console_environment(directory),
        input=typed,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


def run_script(
    directory: Path, script: str, *options: str, status: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run a script file for shop.case.toml in ``directory`` to its end, which must be with
    ``status``."""
    (directory / "script.txt").write_text(script, encoding="utf-8")
    scripted = ("--record", "shop.case.toml", "--record-script", "script.txt")
    return run(directory, *scripted, *options, status=status)


def recording(client: str, *commands: str) -> str:
    """A script that records what the program ``client`` does, and then has these commands."""
    return "\n".join(["record --browser none", f"run {client}", "stop", *commands, ""])


def fetch(proxy: str, url: str) -> None:
    """Get ``url`` through the proxy."""
    httpx.get(url, proxy=proxy, timeout=30)
