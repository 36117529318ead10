"""Zope's management pages: commands are the names of buttons, and rows are chosen by boxes."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
from playwright.sync_api import Page

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import python_environment, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Zope 6.3"
BROWSER = True
#: A folder is there once; its title tells it from those of others.
UNIQUE: tuple[str, ...] = ("tea-shop", "Teas of Kim")
#: Credentials of HTTP authentication are no part of a test case: a person says who the users are.
IDENTITY = "test-case-configuration --share admin --password-env TEA_PASSWORD"

_REQUIREMENTS = ("Zope[wsgi]==6.3", "waitress==3.0.2")
_PASSWORD = "correct-horse-battery"


def install() -> None:
    """An environment with Zope."""
    _programs()


def _programs() -> Path:
    return python_environment("zope", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new instance, with nothing in it."""
    programs, port = _programs(), free_port()
    run(str(programs / "mkwsgiinstance"), "-d", str(state / "zope"), "-u", f"admin:{_PASSWORD}")
    settings = state / "zope" / "etc" / "zope.ini"
    settings.write_text(settings.read_text().replace("port = 8080", f"port = {port}"))
    os.environ["TEA_PASSWORD"] = _PASSWORD
    command = (str(programs / "runwsgi"), str(settings))
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, auth=("admin", _PASSWORD), timeout=60)


def state(url: str, folder: Path) -> State:
    """The folders of the root with their properties, and the documents in them, in their order."""
    rows: Counter[str] = Counter()
    with _client(url) as client:

        def asked(path: str, what: str) -> str:
            return client.get(f"{path}/{what}").raise_for_status().text

        def there(path: str, kind: str) -> list[str]:
            row = rf'<i title="{kind}"[^>]*>.*?<a href="([^"/]+)/manage_workspace"'
            return re.findall(row, asked(path, "manage_main"), re.DOTALL)

        for name in there("", r"Folder \(Ordered\)"):
            documents = there(f"/{name}", "DTML Document")
            rows[f"folder {name} {asked(f'/{name}', 'propertyItems')}: {documents}"] += 1
            titles = (asked(f"/{name}/{one}", "title_or_id") for one in documents)
            rows.update(
                f"{name}/{one}: {title}" for one, title in zip(documents, titles, strict=True)
            )
    return State(rows)


def use(url: str, folder: Path) -> None:
    """Others have folders with documents, in front and behind."""
    with _client(url) as client:
        for name in ("attic", "zoo"):
            made = {"id": name, "title": name.title()}
            client.post("/manage_addProduct/OFSP/manage_addOrderedFolder", data=made)
            for one in ("assam", "old"):
                where = f"/{name}/manage_addProduct/OFSP/addDTMLDocument"
                client.post(where, data={"id": one, "title": f"The {one}"})


def drive(url: str) -> None:
    """A folder with four documents: edited, renamed, copied, moved, deleted."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(url.replace("//", f"//admin:{_PASSWORD}@") + "/manage_main")
        page.goto(f"{url}/manage_addProduct/OFSP/addOrderedFolder")
        page.fill("[name=id]", "tea-shop")
        page.fill("[name=title]", "Teas of Kim")
        follow(page, "[type=submit][value=Add]")
        follow(page, "a >> text=tea-shop")
        shop = f"{url}/tea-shop"
        for name, title in (
            *(("assam", "Assam tea"), ("darjeeling", "First flush")),
            *(("yerba", "No tea"), ("rooibos", "Nor this")),
        ):
            page.goto(f"{shop}/manage_addProduct/OFSP/documentAdd")
            page.fill("[name=id]", name)
            page.fill("[name=title]", title)
            follow(page, "[type=submit][value=Add]")
        follow(page, "a >> text=assam")
        page.fill("input[name=title]", "Assam, second flush")
        follow(page, "[type=submit][value='Save Changes']")
        page.goto(f"{shop}/manage_propertiesForm")
        page.fill("[name='title:UTF-8:string']", "Teas of Kim and Lou")
        follow(page, "[name='manage_editProperties:method']")
        page.fill("[name='id:UTF-8:string']", "stock")
        page.select_option("[name=type]", "int")
        page.fill("[name^='value:']", "12")
        follow(page, "form[action$=manage_addProperty] [type=submit]")
        _of(page, shop, "manage_renameForm", "darjeeling")
        page.fill("[name='new_ids:list']", "darjeeling-ff")
        follow(page, "[name='manage_renameObjects:method']")
        _of(page, shop, "manage_copyObjects", "assam")
        follow(page, "[name='manage_pasteObjects:method']")
        _of(page, shop, "manage_move_objects_to_top", "rooibos")
        _of(page, shop, "manage_delObjects", "yerba", "rooibos")
        page.goto(f"{shop}/manage_main")


def _of(page: Page, shop: str, command: str, *names: str) -> None:
    page.goto(f"{shop}/manage_main")
    for name in names:
        page.check(f"[name='ids:list'][value={name}]")
    follow(page, f"[name='{command}:method']")
