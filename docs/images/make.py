"""Make the pictures of the documentation: real runs in a real terminal (tmux), as SVG.

    python docs/images/make.py

Run it from the project's folder, with the environment's Python. Needs tmux.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

FOLDER = Path(__file__).parent
COLUMNS, LINES = 100, 140

#: Picture: title, and the commands whose output it shows.
PICTURES = {
    "example": (
        "pytest-loadtool",
        ["pytest example_suite/cases/api.case.toml -v", "pytest example_suite --load -n 2"],
    ),
}

#: A longer screen is cut in its middle, between the first and the last of these many lines.
FIRST, LAST = 46, 22


def main() -> None:
    """Make all pictures."""
    for name, (title, commands) in PICTURES.items():
        screen = shortened(run(commands))
        console = Console(width=COLUMNS, record=True, file=StringIO())
        console.print(Text.from_ansi(screen), soft_wrap=False)
        console.save_svg(str(FOLDER / f"{name}.svg"), title=title)


def shortened(screen: str) -> str:
    """The screen without its middle, if it is long."""
    lines = screen.splitlines()
    if len(lines) <= FIRST + LAST:
        return screen
    return "\n".join([*lines[:FIRST], "    \033[0m⋮", *lines[-LAST:]])


def run(commands: list[str]) -> str:
    """What the terminal shows after the commands, colours included."""
    session = f"picture-{os.getpid()}"
    done = FOLDER / ".done"
    done.unlink(missing_ok=True)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    shell = "; ".join(
        f"printf '\\033[1;32m$\\033[0m {command}\\n'; {command}" for command in commands
    )
    tmux("new-session", "-d", "-s", session, "-x", str(COLUMNS), "-y", str(LINES),
         f"export PATH={path}; {shell}; touch {done}; cat")  # fmt: skip
    try:
        while not done.exists():
            time.sleep(0.2)
        time.sleep(0.5)  # tmux draws what came last
        return tmux("capture-pane", "-e", "-p", "-t", session).rstrip()
    finally:
        done.unlink(missing_ok=True)
        tmux("kill-session", "-t", session)


def tmux(*arguments: str) -> str:
    """The output of a tmux command."""
    return subprocess.run(["tmux", *arguments], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
