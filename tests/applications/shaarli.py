"""Shaarli from Debian on PHP's own web server: links with short codes, a token in each form."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
from playwright.sync_api import Page

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Shaarli 0.12, PHP"
BROWSER = True
#: A link that is there already is edited instead; and all are on one page, by their titles.
UNIQUE: tuple[str, ...] = (
    *("http://127.0.0.1:9/tea", "http://127.0.0.1:9/cups"),
    *("Green & black, 100 %", "Cups of all sizes", "Water first, then milk"),
)

_CODE = Path("/usr/share/shaarli")
_ROOT = Path(__file__).parents[2]
_PACKAGES = ("php-cli", "php-cgi", "php-gd", "php-intl", "php-xml", "shaarli")
_PASSWORD = "correct-horse-battery"


def install() -> None:
    """PHP and Shaarli as Debian packages, for the whole machine."""
    if not _CODE.exists():
        run("bash", ".ci/apt.sh", *_PACKAGES, folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new Shaarli. It has its folders in its code, which is copied.

    One request at a time: it reads all links, and writes them, and does not look between.
    """
    code, port = _code(state), free_port()
    listen = f"127.0.0.1:{port}"
    command = ("php", "-d", "error_reporting=0", "-S", listen, "-t", str(code))
    with serving(command, f"http://{listen}/install", state=state) as url:
        with httpx.Client(base_url=url, follow_redirects=True, timeout=60) as client:
            client.get("/install").raise_for_status()
            typed = {"setlogin": "kim", "setpassword": _PASSWORD, "title": "Tea links"}
            typed |= {"continent": "Europe", "city": "London", "enableApi": "on"}
            client.post("/install", data=typed).raise_for_status()
        yield url


def _code(state: Path) -> Path:
    code, data, cache = state / "code", state / "data", state / "cache"
    without = shutil.ignore_patterns("cache")
    shutil.copytree(_CODE, code, ignore=without, ignore_dangling_symlinks=True)
    for folder in (data, *(cache / one for one in ("cache", "pagecache", "tmp"))):
        folder.mkdir(parents=True)
    (code / "cache").symlink_to(cache / "cache")
    for name in ("index.php", "init.php", "application/config/ConfigManager.php"):
        text = (code / name).read_text()
        for was, now in (("lib/shaarli/data", data), ("cache/shaarli", cache)):
            text = text.replace(f"/var/{was}", str(now))
        text = text.replace(str(_CODE), str(code))
        (code / name).write_text(text)
    return code


def _links(url: str, folder: Path, new: object = None) -> list[dict[str, str]]:
    """By its API, with a token of its secret: what is there, and one more if ``new``."""
    settings = (folder / "data/config.json.php").read_text()
    secret = json.loads(settings[settings.index("{") : settings.rindex("}") + 1])["api"]["secret"]
    parts = ({"typ": "JWT", "alg": "HS512"}, {"iat": int(time.time()) - 5})
    text = ".".join(_base64(json.dumps(one).encode()) for one in parts)
    signed = hmac.new(secret.encode(), text.encode(), hashlib.sha512).digest()
    headers = {"Authorization": f"Bearer {text}.{_base64(signed)}"}
    with httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=60) as client:
        if new is not None:
            client.post("/links", json=new).raise_for_status()
        answer = client.get("/links", params={"limit": "all"}).raise_for_status()
    found: list[dict[str, str]] = answer.json()
    return found


def _base64(text: bytes) -> str:
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def state(url: str, folder: Path) -> State:
    """The links and notes. Of a note, the address is its code."""
    rows = (
        f"{re.sub('.*/shaare/.*', 'note', one['url'])} {one['title']}: {one['description'][:40]!r} "
        f"{one['tags']}"
        for one in _links(url, folder)
    )
    return State(Counter(rows))


def use(url: str, folder: Path) -> None:
    """There are other links."""
    for number in range(3):
        _links(url, folder, {"title": f"Old {number}", "url": f"http://127.0.0.1:9/{number}"})


def drive(url: str) -> None:
    """Two links and a note: one is edited, one pinned, one deleted."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{url}/login")
        page.fill("#login-form input[name=login]", "kim")
        page.fill("#login-form input[name=password]", _PASSWORD)
        follow(page, "#login-form [type=submit]")
        page.goto(f"{url}/links-per-page?nb=100")
        _save(page, url, "http://127.0.0.1:9/tea", "Green & black, 100 %", "leaves kinds")
        _save(page, url, "http://127.0.0.1:9/cups", "Cups of all sizes", "kitchen")
        _save(page, url, "", "Water first, then milk", "howto")
        _row(page, "Green & black", "Edit")
        page.fill("textarea[name=lf_description]", "Loose only")
        follow(page, "[name=save_edit]")
        _row(page, "Water first", "Toggle sticky")
        page.goto(f"{url}/?searchtags=kinds")
        page.goto(url)
        _row(page, "Water first", "Toggle sticky")
        page.goto(url)
        _row(page, "Cups of all sizes", "Delete")
        page.goto(f"{url}/tags/cloud")
        page.goto(url)
        follow(page, "a[href$='/admin/logout'] >> visible=true")


def _save(page: Page, url: str, address: str, title: str, tags: str) -> None:
    page.goto(f"{url}/admin/add-shaare")
    page.fill("#shaare", address)
    follow(page, "form[name=addform] [type=submit]")
    page.fill("[name=lf_title]", title)
    page.fill("[name=lf_description]", f"About {title}")
    page.fill("[name=lf_tags]", tags)
    follow(page, "[name=save_edit]")


def _row(page: Page, title: str, what: str) -> None:
    follow(page, f".linklist-item:has-text('{title}') a[title='{what}'] >> visible=true")
