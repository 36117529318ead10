"""A browser session in the admin to be recorded.

In the console, ``run python -m example_suite.record_admin URL`` drives the browser that the
recorder opened. Without one it launches Chromium itself, and sends it through the recorder's proxy.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
from collections.abc import Iterator

from playwright.sync_api import Browser, Page, sync_playwright

__all__ = ["browser_page", "session"]

#: What would otherwise add requests of Chromium's own to the recording.
_QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
)


def session(page: Page, url: str) -> None:
    """Log in, open the first product, change its name, price and description, save, log out."""

    def click(selector: str) -> None:
        # Only when all of the page is there: what it has not yet got would be asked for again.
        page.wait_for_selector(selector)
        page.wait_for_load_state()
        page.click(selector)

    page.goto(f"{url}/admin/")
    page.fill("#id_username", "admin")
    page.fill("#id_password", "admin-password")
    click("input[type=submit]")
    click("tr.model-product th a")
    click("#result_list tbody tr:first-child th a")
    page.fill("#id_name", "Large teapot")
    page.fill("#id_price", "29.90")
    page.fill("#id_description", "Holds eight cups & keeps them warm, even in winter.")
    click("input[name=_save]")
    page.wait_for_selector(".messagelist .success")
    click("#logout-form button")
    page.wait_for_selector("text=Logged out")
    page.wait_for_load_state()


@contextlib.contextmanager
def browser_page(
    *, proxy: str | None = None, cdp: str | None = None, executable: str | None = None
) -> Iterator[Page]:
    """A page of the browser at the DevTools address ``cdp``, else of a Chromium launched for it."""
    with sync_playwright() as playwright:
        if cdp:
            browser: Browser = playwright.chromium.connect_over_cdp(cdp)
            context = browser.contexts[0]
            page = context.pages[0] if context.pages else context.new_page()
        else:
            # Chromium's sandbox does not start as root.
            sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
            browser = playwright.chromium.launch(
                executable_path=executable or shutil.which("chromium"),
                args=[*_QUIET, *sandbox],
                # Chromium sends loopback addresses past a proxy unless told not to.
                proxy={"server": proxy, "bypass": "<-loopback>"} if proxy else None,
            )
            page = browser.new_page()
        try:
            yield page
        finally:
            # Of a browser at `cdp` this closes the connection only.
            browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m example_suite.record_admin", description=__doc__
    )
    parser.add_argument("url", help="where the shop is, http://127.0.0.1:PORT")
    parser.add_argument(
        "--cdp",
        default=os.environ.get("LOADTOOL_CDP"),
        help="DevTools address of an open browser, http://127.0.0.1:PORT (default: LOADTOOL_CDP)",
    )
    parser.add_argument(
        "--proxy",
        default=os.environ.get("LOADTOOL_PROXY"),
        help="for a browser launched here, http://127.0.0.1:PORT (default: LOADTOOL_PROXY)",
    )
    parser.add_argument("--browser", help="Chromium's program, if not on PATH")
    arguments = parser.parse_args()
    with browser_page(
        proxy=arguments.proxy, cdp=arguments.cdp, executable=arguments.browser
    ) as page:
        session(page, arguments.url.rstrip("/"))


if __name__ == "__main__":
    main()
