"""DokuWiki from Debian on PHP's own web server: a wiki's pages, their revisions, a picture."""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import FilePayload

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "DokuWiki 2022-07-31"
BROWSER = True
UNIQUE: tuple[str, ...] = ("kinds", "leaf.png")

_CODE = Path("/usr/share/dokuwiki")
_ROOT = Path(__file__).parents[2]
#: With php-cgi, `dokuwiki` does not bring Apache.
_PACKAGES = ("php-cli", "php-cgi", "php-xml", "dokuwiki")
_FOLDERS = (
    *("attic", "cache", "index", "locks", "log", "media", "media_attic", "media_meta", "meta"),
    *("pages", "tmp"),
)
_PAGES = {
    "start": "====== Welcome ======\n\nAll about [[tea:start|tea & more]].\n",
    "tea/start": "====== Tea ======\n\nSee [[tea:kinds]], and [[start|the first page]].\n",
}
#: What the page "start" was before.
_OLD = "====== Welcome ======\n"
_PASSWORD = "correct-horse-battery"
#: A picture that PHP takes for one: a single pixel.
_PICTURE = FilePayload(
    name="leaf.png",
    mimeType="image/png",
    buffer=base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQaFAAAAGEAMFhTfg1AAAAAElFTkSu"
        "QmCC"
    ),
)


def install() -> None:
    """PHP and DokuWiki as Debian packages, for the whole machine."""
    if shutil.which("php") is None or not _CODE.exists():
        run("bash", ".ci/apt.sh", *_PACKAGES, folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new wiki with two pages and one user. The code stays where Debian has it.

    Every request has a process of its own, up to ten at once.
    """
    url = f"http://127.0.0.1:{free_port()}"
    settings = f"auto_prepend_file={_new_wiki(state)}"
    listen = url.removeprefix("http://")
    with serving(
        ("php", "-d", settings, "-S", listen, "-t", str(_CODE)),
        f"{url}/doku.php",
        state=state,
        environment={"PHP_CLI_SERVER_WORKERS": "10"},
    ):
        yield url


def _new_wiki(state: Path) -> Path:
    """Make a wiki's configuration and data. The value is the PHP file that leads to them."""
    configuration, data = state / "conf", state / "data"
    for folder in (configuration, *(data / name for name in _FOLDERS)):
        folder.mkdir(parents=True)
    yesterday = int(time.time()) - 86_400
    for name, text in _PAGES.items():
        page = data / "pages" / f"{name}.txt"
        page.parent.mkdir(exist_ok=True)
        page.write_text(text)
        os.utime(page, (yesterday, yesterday))
    lines, size = "", 0
    for when, text in ((yesterday - 3600, _OLD), (yesterday, _PAGES["start"])):
        (data / "attic" / f"start.{when}.txt.gz").write_bytes(gzip.compress(text.encode()))
        lines += f"{when}\t127.0.0.1\tE\tstart\teditor\t\t\t{len(text) - size}\n"
        size = len(text)
    (data / "meta" / "start.changes").write_text(lines)
    password = hashlib.md5(_PASSWORD.encode(), usedforsecurity=False).hexdigest()
    files = {
        "acl.auth.php": "*\t@ALL\t1\n*\t@user\t16\n",
        "users.auth.php": f"editor:{password}:Kim Editor:kim@example.com:user\n",
        "plugins.local.php": "<?php $plugins['testing'] = 0;\n",
        "local.php": f"<?php $conf['useacl'] = 1; $conf['savedir'] = '{data}';\n"
        "$conf['title'] = 'Tea wiki'; $conf['updatecheck'] = 0;\n",
    }
    for name, text in files.items():
        (configuration / name).write_text(text)
    first = state / "first.php"
    first.write_text(f"<?php define('DOKU_CONF', '{configuration}/');\n")
    return first


def state(url: str, folder: Path) -> State:
    """The pages and pictures, and the lines that the wiki writes about each change."""
    data = folder / "data"
    files = (
        f"{kind}/{one.relative_to(data / kind)}: {one.read_bytes()!r}"
        for kind in ("pages", "media")
        for one in (data / kind).rglob("*.*")
        if one.name != "start.txt"
    )
    lines = (
        line.split("\t")
        for kind in ("meta", "media_meta")
        for one in (data / kind).rglob("*.changes")
        if not one.name.startswith("_") and one.name != "start.changes"  # of all, or shared
        for line in one.read_text().splitlines()
    )
    changes = (
        repr([kind, page, user, text.partition("(")[0]])  # there is the time of a revision
        for _, _, kind, page, user, text, *_ in lines
    )
    start = {"start": (data / "pages" / "start.txt").read_text()}
    return State(Counter((*files, *changes)), shared=start)


def use(url: str, folder: Path) -> None:
    """Somebody else's page is there. The wiki numbers nothing."""
    (folder / "data" / "pages" / "tea" / "coffee.txt").write_text("====== Coffee ======\n")


def drive(url: str) -> None:
    """Add a page and edit it, restore an old revision of another, add a picture, log out."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())  # restoring asks whether one is sure
        page.goto(f"{url}/doku.php")
        follow(page, "text=Log In")
        page.fill("[name=u]", "editor")
        page.fill("[name=p]", _PASSWORD)
        follow(page, "#dw__login button")

        follow(page, "text=tea & more")
        follow(page, "text=kinds")
        follow(page, "#dokuwiki__pagetools .create a")
        page.fill("#wiki__text", "====== Kinds ======\n\n  * Green & black, 100 %\n")
        follow(page, "#edbtn__preview")
        page.fill("#edit__summary", "More than tea")
        follow(page, "#edbtn__save")
        follow(page, "#dokuwiki__pagetools .edit a")
        page.press("#wiki__text", "Control+End")
        page.locator("#wiki__text").press_sequentially("  * White")
        follow(page, "#edbtn__save")

        follow(page, ".breadcrumbs a >> text=start >> nth=0")
        follow(page, "#dokuwiki__pagetools .revs a")
        follow(page, "#page__revisions a.diff_link")
        follow(page, "#dokuwiki__pagetools .revs a")
        follow(page, "#page__revisions a.wikilink1 >> nth=1")
        follow(page, "#dokuwiki__pagetools .revert a")

        follow(page, "#dokuwiki__sitetools .media a")
        page.click("text=Upload")
        page.set_input_files("input[type=file]", _PICTURE)
        page.check(".dw__ow")
        page.click("#mediamanager__upload_button")
        page.click("a.select")
        page.click("text=History")
        page.wait_for_selector("#page__revisions")

        follow(page, "h1.logo a")
        page.fill("#qsearch__in", "green")
        follow(page, "#dw__search button")
        follow(page, "#dokuwiki__sitetools .recent a")
        follow(page, "#dokuwiki__sitetools .index a")
        follow(page, "#dokuwiki__usertools .logout a")
