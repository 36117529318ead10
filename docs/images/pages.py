"""Make the pictures of HTML pages: real runs of the example, shown by Chromium, as PNG.

    python docs/images/pages.py [NAME ...]

Run it from the project's folder, with the environment's Python. Needs Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).parent
EXAMPLE = FOLDER.parent.parent / "example_suite"
WIDTH = 1180


@dataclass(frozen=True)
class Picture:
    """A run of pytest in a copy of the example, the page that it leaves, and what is done there."""

    options: tuple[str, ...]
    page: str
    act: Callable[[Page], None]
    height: int
    prepare: Callable[[Path], None] = lambda _folder: None


def forget_token(folder: Path) -> None:
    """Send the recorded token where the one of the form belongs, as whoever did not correlate."""
    case = folder / "cases/admin.case.toml"
    text = case.read_text(encoding="utf-8")
    recorded = text.partition('"csrf_token[2]" = { recorded = "')[2].partition('"')[0]
    used = "csrfmiddlewaretoken=${csrf_token[2]}"
    case.write_text(text.replace(used, f"csrfmiddlewaretoken={recorded}"), encoding="utf-8")


def follow(page: Page) -> None:
    """Ask where the recorded token comes from."""
    page.click(".value.stale")
    page.evaluate("window.scrollTo(0, 0)")


def point(page: Page) -> None:
    """Point at a moment of the run."""
    page.locator(".plot .u-over").first.hover(position={"x": 420, "y": 60})


PICTURES = {
    "trace": Picture(
        ("example_suite/cases/admin.case.toml", "--loadtool-trace", "--loadtool-think-time=none"),
        "example_suite/cases/admin.replays/*.html",
        follow,
        1000,
        forget_token,
    ),
    "load": Picture(
        ("example_suite", "--load", "-n2", "--load-html=load.html"), "load.html", point, 1420
    ),
}


def main() -> None:
    """Make the pictures that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)}")
    for name in parser.parse_args().names or PICTURES:
        with tempfile.TemporaryDirectory() as folder:
            take(PICTURES[name], Path(folder), FOLDER / f"{name}.png")


def take(picture: Picture, folder: Path, target: Path) -> None:
    """Run pytest, open the page that it leaves and take its picture."""
    shutil.copytree(EXAMPLE, folder / "example_suite")
    (folder / "pytest.ini").touch()
    picture.prepare(folder / "example_suite")
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *picture.options], cwd=folder, check=False
    )
    [file] = folder.glob(picture.page)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": WIDTH, "height": picture.height})
        page.goto(file.as_uri())
        picture.act(page)
        page.wait_for_timeout(500)
        page.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    main()
