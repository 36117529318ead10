"""The recorder's browser, driven by Playwright."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Page, async_playwright

from pytest_loadtool.capture import Browser, Recorder, find_browser

__all__ = ["driven"]


@asynccontextmanager
async def driven(recorder: Recorder, url: str, *arguments: str) -> AsyncIterator[Page]:
    """A page of a recorded browser that was started with ``arguments``, once it shows ``url``."""
    async with (
        Browser(
            find_browser(),
            url,
            recorder.port,
            recorder.ca_certificate,
            headless=True,
            remote_debugging_port=0,
            arguments=arguments,
        ) as browser,
        async_playwright() as playwright,
    ):
        connected = await playwright.chromium.connect_over_cdp(browser.debugging_url)
        page = connected.contexts[0].pages[0]
        await page.wait_for_url(url)
        await page.wait_for_load_state("networkidle")
        yield page
