"""What opening the page of a load test costs: ``python -m tests.benchmarks.opening``.

The page of 30 minutes of 700 transactions is opened in Chromium, five times each, beside an empty
one. Printed are the seconds of processor time of the process that shows it, until the first plots
are drawn, and of the wall, the best of each, and the size of the file.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.report.html.test_load import long_run, write

_TIMES = 5


def _opened(browser: Browser, file: Path, until: str) -> tuple[float, float]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    page = context.new_page()
    start = time.perf_counter()
    page.goto(file.as_uri())
    page.wait_for_function(until)
    wall = time.perf_counter() - start
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    context.close()
    return sum(one["cpuTime"] for one in found if one["type"] == "renderer"), wall


def _best(file: Path, until: str) -> tuple[float, float]:
    taken = []
    for _ in range(_TIMES):
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
            taken.append(_opened(browser, file, until))
            browser.close()
    return min(one for one, _ in taken), min(one for _, one in taken)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = write(Path(folder) / "page.html", long_run())
        empty = Path(folder) / "empty.html"
        empty.write_text("<title>nothing</title>")
        nothing, _ = _best(empty, "() => true")
        drawn, wall = _best(page, "() => document.querySelectorAll('.plot canvas').length > 1")
        print(
            f"{page.stat().st_size / 1e6:.2f} MB, first plots: {drawn - nothing:.2f} s of processor"
        )
        print(f"time more than an empty page, {wall:.2f} s of the wall")


if __name__ == "__main__":
    main()
