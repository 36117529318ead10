"""The page of the recorder's browser, for sessions that are recorded in it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from playwright.sync_api import Page, sync_playwright

__all__ = ["follow", "recorded_page"]

#: Milliseconds for each step: machines that do much else at once take their time.
_PATIENCE = 300_000


@contextlib.contextmanager
def recorded_page() -> Iterator[Page]:
    """The open page of the browser that LOADTOOL_CDP names, which stays open afterwards."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(os.environ["LOADTOOL_CDP"])
        try:
            context = browser.contexts[0]
            context.set_default_timeout(_PATIENCE)
            yield context.pages[0] if context.pages else context.new_page()
        finally:
            browser.close()  # of a browser one has connected to, this is the connection only


def follow(page: Page, selector: str) -> None:
    """Click there and wait for the whole page that it leads to, pictures included."""
    with page.expect_navigation():
        page.click(selector)
