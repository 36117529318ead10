"""Make the pictures of the documentation: real runs in a real terminal (tmux), as SVG.

    python docs/images/make.py [NAME ...]

Run it from the project's folder, with the environment's Python. Needs tmux and nginx. What the
pictures show is in the table below; the load tests in them are in the folder runs.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import django
from rich.console import Console
from rich.text import Text

FOLDER = Path(__file__).parent
RUNS = FOLDER / "runs"
COLUMNS, LINES = 100, 140


@dataclass(frozen=True)
class Picture:
    """Commands, and what the terminal shows after them."""

    commands: tuple[str, ...]
    folder: Path = RUNS
    until: str = ""
    """The picture is taken as soon as this is on the screen; otherwise after the last command."""
    cut: tuple[int, int] = (46, 22)
    """A longer screen is cut in its middle, between the first and the last of so many lines."""


PICTURES = {
    "example": Picture(
        ("pytest example_suite/cases/api.case.toml -v", "pytest example_suite --load -n 2"),
        folder=FOLDER.parent.parent,
    ),
    "live": Picture(("pytest --load orders.load.toml -n 2",), until="12 s of 16 s"),
    "report": Picture(("pytest -q --load orders.load.toml -n 2",)),
    "freeze": Picture(
        (
            "(sleep 8; kill -STOP $NGINX; sleep 2; kill -CONT $NGINX) &",
            "pytest -q --load freeze.load.toml",
        )
    ),
    "inconclusive": Picture(("pytest -q --load slow.load.toml; echo exit status $?",), cut=(18, 8)),
    "comparison": Picture(
        (
            "pytest -q --load files.load.toml --load-save base.json | tail -n 1",
            "pytest -q --load files.load.toml --load-compare base.json"
            " --loadtool-server http://localhost:8090",
        ),
        cut=(9, 14),
    ),
}


def main() -> None:
    """Make the pictures that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)}")
    with nginx() as pid:
        for name in parser.parse_args().names or PICTURES:
            picture = PICTURES[name]
            screen = shortened(run(picture, {"NGINX": str(pid)}), picture.cut)
            console = Console(width=COLUMNS, record=True, file=StringIO())
            console.print(Text.from_ansi(screen), soft_wrap=False)
            console.save_svg(str(FOLDER / f"{name}.svg"), title="pytest-loadtool")
    (RUNS / "base.json").unlink(missing_ok=True)


@contextlib.contextmanager
def nginx() -> Iterator[int]:
    """The process of an nginx that serves the files of Django's admin, as nginx.conf says."""
    with tempfile.TemporaryDirectory(prefix="nginx-") as prefix:
        Path(prefix, "html").symlink_to(Path(django.__file__).parent / "contrib/admin/static/admin")
        command = ["nginx", "-p", prefix, "-c", str(RUNS.resolve() / "nginx.conf")]
        with subprocess.Popen(command) as process:
            try:
                yield process.pid
            finally:
                process.terminate()


def shortened(screen: str, cut: tuple[int, int]) -> str:
    """The screen without its middle, if it is long."""
    lines = screen.splitlines()
    first, last = cut
    if len(lines) <= first + last:
        return screen
    return "\n".join([*lines[:first], "    \033[0m⋮", *lines[-last:]])


def run(picture: Picture, variables: Mapping[str, str]) -> str:
    """What the terminal shows of the commands, colours included."""
    session = f"picture-{os.getpid()}"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        done = Path(folder, "done")
        shell = "\n".join(
            f"printf '\\033[1;32m$\\033[0m %s\\n' {shlex.quote(command)}\n{command}"
            for command in picture.commands
        )
        sets = " ".join(f"{name}={value}" for name, value in variables.items())
        tmux("new-session", "-d", "-s", session, "-x", str(COLUMNS), "-y", str(LINES),
             "-c", str(picture.folder),
             f"export PATH={path} {sets}\n{shell}\ntouch {done}\ncat")  # fmt: skip
        try:
            while True:
                finished = done.exists()
                screen = tmux("capture-pane", "-e", "-p", "-t", session).rstrip()
                if finished or (picture.until and picture.until in screen):
                    return screen
                time.sleep(0.5)  # after the end, too: tmux draws what came last
        finally:
            tmux("kill-session", "-t", session)


def tmux(*arguments: str) -> str:
    """The output of a tmux command."""
    return subprocess.run(["tmux", *arguments], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
