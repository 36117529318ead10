"""docs/tutorial.md: what it tells to do is done, and what it shows is seen.

``python -m tests.end_to_end.test_tutorial`` writes the screens and pictures anew.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from example_suite.server import ShopServer
from tests.console.running import ROOT
from tests.console.terminal import Terminal
from tests.end_to_end.following import SMALL, Follower, followed

PAGE = ROOT / "docs" / "tutorial.md"


def follow(folder: Path, *, write: bool) -> str:
    """The document as it should be, from a day at the console in ``folder``.

    Raises:
        DifferenceError: it says something else, and is not to be written.
    """
    path = f"PATH={Path(sys.executable).parent}:{os.environ['PATH']}"
    home = (f"HOME={folder}", f"XDG_STATE_HOME={folder / 'state'}")
    shell = ["env", path, *home, "PS1=$ ", "bash", "--norc", "--noprofile"]
    with ShopServer(folder / "shop") as shop:
        (folder / "work").mkdir()
        terminal = Terminal(folder / "work", shell, size=SMALL)
        try:
            return followed(PAGE, Follower(terminal, shop.url), write=write)
        finally:
            terminal.close()


def test_the_tutorial_is_true(tmp_path: Path) -> None:
    """Each step is done in a terminal, with a browser, and each screen is compared."""
    follow(tmp_path, write=False)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        PAGE.write_text(follow(Path(home), write=True), encoding="utf-8")
