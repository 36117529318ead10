"""Starting the console as a user does, in a process of its own."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

__all__ = ["ROOT", "console_command", "console_environment", "run_script"]

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


def run_script(
    directory: Path, script: str, *options: str, file: str = "shop.case.toml"
) -> subprocess.CompletedProcess[str]:
    """Run a script file in ``directory`` to its end."""
    (directory / "script.txt").write_text(script, encoding="utf-8")
    return subprocess.run(
        console_command("--record", file, "--record-script", "script.txt", *options),
        cwd=directory,
        env=console_environment(directory),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=180,
    )
