"""TiddlyWiki on Node.js: one page whose scripts keep each text at an address of its name."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import node_modules, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "TiddlyWiki 5.4"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Kinds of tea", "Teapots")

_REQUIREMENTS = ("tiddlywiki@5.4.1",)


def install() -> None:
    """The package from npm."""
    _program()


def _program() -> str:
    modules = node_modules("tiddlywiki", *_REQUIREMENTS)
    return str(modules / "tiddlywiki" / "tiddlywiki.js")


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """An empty wiki, in a folder."""
    wiki = str(state / "wiki")
    run("node", _program(), wiki, "--init", "server")
    port = free_port()
    options = ("--listen", "host=127.0.0.1", f"port={port}", "anon-username=kim")
    with serving(
        ("node", _program(), wiki, *options), f"http://127.0.0.1:{port}/status", state=state
    ) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The texts with their names and tags."""
    texts = (
        "\n".join(
            line
            for line in one.read_text().splitlines()
            if not line.startswith(("created:", "modified:"))
        )
        for one in (folder / "wiki" / "tiddlers").glob("*.tid")
        if not one.name.startswith("$__")
    )
    return State(Counter(texts))


def use(url: str, folder: Path) -> None:
    """Somebody has written a text."""
    text = "title: Coffee\ntype: text/vnd.tiddlywiki\n\nBlack"
    (folder / "wiki" / "tiddlers" / "Coffee.tid").write_text(text)


def drive(url: str) -> None:
    """Two texts; the first gets a tag and is changed, the second is deleted."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(url)
        _write(page, "button[aria-label='new tiddler']", "Kinds of tea", "Green & black, 100 %")
        _write(page, "button[aria-label='new tiddler']", "Teapots", "Two")
        edit = _tiddler("Kinds of tea") + " button[aria-label^='Edit']"
        _write(page, edit, None, "Green, black & white")
        page.click(_tiddler("Teapots") + " button[aria-label^='Edit']")
        with page.expect_response(lambda answer: answer.request.method == "DELETE"):
            page.click("button[aria-label^='Delete']")
        page.reload()
        page.wait_for_selector(".tc-site-title")
        page.goto(f"{url}/{quote('Kinds of tea')}")  # as those do who only read
        page.wait_for_selector("text=black & white")


def _tiddler(name: str) -> str:
    return f".tc-tiddler-frame[data-tiddler-title='{name}']"


def _write(page: Page, button: str, title: str | None, text: str) -> None:
    """Wait until what is confirmed has been saved."""
    page.click(button)
    if title is not None:
        page.fill("input.tc-titlebar", title)
    body = page.frame_locator("iframe.tc-edit-texteditor-body").locator("textarea")
    body.fill(text)
    with page.expect_response(
        lambda answer: answer.request.method == "PUT" and "Draft" not in answer.url
    ):
        body.press("Control+Enter")
