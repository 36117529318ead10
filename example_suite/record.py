"""Record the example's test cases anew: ``python -m example_suite.record``.

Each case is what the console makes of a script, with nothing changed afterwards but one line: the
fixture that starts the shop on replay. Needs the extra ``record``, Playwright and Chromium.
"""

from __future__ import annotations

import argparse
import dataclasses
import subprocess
import sys
import tempfile
from pathlib import Path

from example_suite.server import ShopServer
from pytest_loadtool.casefile import read_case, save_case

__all__: list[str] = []

_CASES = Path(__file__).parent / "cases"

#: Test case: whether a browser is recorded, and the program that is driven.
_SESSIONS = {
    "admin": ("record", "example_suite.record_admin"),
    "api": ("record --browser none", "example_suite.record_api"),
}


def record(name: str) -> None:
    """Record one session against a fresh shop."""
    command, program = _SESSIONS[name]
    path = _CASES / f"{name}.case.toml"
    for old in (path, path.with_name(f"{name}.har")):
        old.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as home, ShopServer(Path(home)) as shop:
        script = [command, f"run {sys.executable} -m {program} {shop.url}", "stop", "configure"]
        subprocess.run(
            [sys.executable, "-m", "pytest", "--record", str(path), "--record-script", "-"],
            input="\n".join([*script, "play", "save"]),
            text=True,
            check=True,
        )
    save_case(path, dataclasses.replace(read_case(path), server_fixture="shop"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m example_suite.record", description=__doc__)
    parser.add_argument(
        "case", nargs="*", default=list(_SESSIONS), help="admin, api (default: all)"
    )
    for name in parser.parse_args().case:
        record(name)


if __name__ == "__main__":
    main()
