"""Orders with ASP.NET Web Forms on Mono behind nginx: view state, event validation, a wizard."""

from __future__ import annotations

import contextlib
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

TITLE = "ASP.NET Web Forms, Mono 6.8"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Green tea", "Black tea", "Early grey")

_ROOT = Path(__file__).parents[2]
_PROGRAM = Path("/usr/bin/fastcgi-mono-server4")
_SITE = Path(__file__).parent / "served" / "web_forms"
_PASSWORD = "correct-horse-battery"
_SETTINGS = """\
daemon off;
user root;
pid {state}/nginx.pid;
events {{}}
http {{
  access_log off;
  client_body_temp_path {state}/bodies;
  fastcgi_temp_path {state}/answers;
  proxy_temp_path {state}/proxied;
  uwsgi_temp_path {state}/uwsgi;
  scgi_temp_path {state}/scgi;
  server {{
    listen 127.0.0.1:{port};
    root {state}/site;
    location / {{
      fastcgi_index Default.aspx;
      fastcgi_pass 127.0.0.1:{inner};
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_param PATH_INFO "";
    }}
  }}
}}
"""


def install() -> None:
    """Mono's ASP.NET and nginx as Debian packages, for the whole machine."""
    if not _PROGRAM.exists() or shutil.which("nginx", path="/usr/sbin") is None:
        run("bash", ".ci/apt.sh", "mono-fastcgi-server4", "nginx-light", folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """One order of somebody else's."""
    port, inner = free_port(), free_port()
    shutil.copytree(_SITE, state / "site")
    (state / "nginx.conf").write_text(_SETTINGS.format(state=state, port=port, inner=inner))
    (state / "orders.tsv").write_text("2\n1\t0a1b2c3d\tCamomile\t4\tpost\n")
    pages = f"{_PROGRAM} --applications=/:{state}/site --socket=tcp:127.0.0.1:{inner}"
    command = ("bash", "-c", f"{pages} & exec /usr/sbin/nginx -p {state} -c {state}/nginx.conf")
    environment = {"ORDERS": str(state / "orders.tsv"), "HOME": str(state)}
    url = f"http://127.0.0.1:{port}/Login.aspx"
    with serving(command, url, state=state, environment=environment) as base:
        _wait_for_pages(url)
        yield base


def state(url: str, folder: Path) -> State:
    """The orders."""
    lines = (folder / "orders.tsv").read_text().splitlines()[1:]
    return State(Counter(" ".join(line.split("\t")[2:]) for line in lines))


def use(url: str, folder: Path) -> None:
    """Others have ordered, and their orders stand before one's own and behind them."""
    others = ("214\t11112222\tAniseed\t1\tpost", "215\t33334444\tValerian\t2\tbicycle")
    lines = (folder / "orders.tsv").read_text().splitlines()[1:]
    (folder / "orders.tsv").write_text("\n".join(("216", *lines, *others)) + "\n")


def drive(url: str) -> None:
    """Three orders are made by a wizard; one is changed, another deleted from its row."""
    with recorded_page() as page:
        page.goto(url)
        page.fill("#Name", "kim")
        page.fill("#Password", _PASSWORD)
        follow(page, "#Send")
        for title, quantity, delivery in (
            ("Green tea", "11", "bicycle"),
            ("Black tea", "12", "post"),
            ("Early grey", "13", "bicycle"),
        ):
            follow(page, "text=New order")
            page.fill("[id$=Title1]", title)
            page.fill("[id$=Quantity]", quantity)
            follow(page, "[value=Next]")
            page.select_option("select", delivery)
            follow(page, "[value=Next]")
            follow(page, "[value=Finish]")
            follow(page, "text=Orders >> nth=-1")
        follow(page, _in_row("Early grey", "Open"))
        page.fill("#Quantity", "33")
        follow(page, "#Send")
        follow(page, _in_row("Black tea", "Delete"))
        _in_list(page, "Green tea", "Early grey")
        follow(page, "text=Log out")


def _in_row(title: str, link: str) -> str:
    return f"tr:has-text('{title}') a:has-text('{link}')"


def _in_list(page: Page, *titles: str) -> None:
    for title in titles:
        page.wait_for_selector(f"td:has-text('{title}')")


def _wait_for_pages(url: str) -> None:
    """Until the inner server answers as well: the outer one says 502 as long as it does not."""
    for _ in range(200):
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(url, timeout=60).status_code == 200:
                return
        time.sleep(0.2)
    raise RuntimeError(f"no page at {url}")
