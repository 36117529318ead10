"""RabbitMQ's management page from Debian, in Erlang: scripts, a REST API, Basic credentials."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
from playwright.sync_api import Page

from tests.applications.browsing import recorded_page
from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "RabbitMQ 3.10, Erlang"
BROWSER = True
#: Its page sends them with each request, and they are no part of a test case: a person says them.
IDENTITY = "test-case-configuration --share guest --password-env TEA_PASSWORD"
UNIQUE: tuple[str, ...] = ("kettles", "teapots", "orders-in", "kim-tea")

_ROOT = Path(__file__).parents[2]
_PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
_USER = ("guest", "guest")
_SECRET = "correct-horse-battery"


def install() -> None:
    """RabbitMQ as a Debian package, for the whole machine."""
    if not _PROGRAM.exists():
        run("bash", ".ci/apt.sh", "rabbitmq-server", folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A broker of its own with its page, and a port mapper of its own."""
    port = free_port()
    settings = (
        f"listeners.tcp.default = {free_port()}",
        f"management.tcp.port = {port}",
        "management.tcp.ip = 127.0.0.1",
    )
    (state / "rabbitmq.conf").write_text("\n".join(settings) + "\n")
    (state / "plugins").write_text("[rabbitmq_management].")
    (state / "home").mkdir()
    mapper = {"ERL_EPMD_PORT": str(free_port()), "ERL_EPMD_ADDRESS": "127.0.0.1"}
    environment = mapper | {
        "HOME": str(state / "home"),
        "RABBITMQ_NODENAME": "tea@localhost",
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_MNESIA_BASE": str(state / "mnesia"),
        "RABBITMQ_LOG_BASE": str(state / "log"),
        "RABBITMQ_CONFIG_FILE": str(state / "rabbitmq.conf"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(state / "plugins"),
    }
    os.environ["TEA_PASSWORD"] = _USER[1]
    url = f"http://127.0.0.1:{port}/api/overview"
    try:
        with serving((str(_PROGRAM),), url, state=state, environment=environment) as base:
            yield base
    finally:  # it outlives the broker
        subprocess.run(("epmd", "-kill"), env=os.environ | mapper, capture_output=True, check=False)


def state(url: str, folder: Path) -> State:
    """Queues, exchanges, bindings and users."""
    found = httpx.get(f"{url}/api/definitions", auth=_USER, timeout=60).raise_for_status().json()
    rows = [f"queue {one['name']} {one['durable']} {one['arguments']}" for one in found["queues"]]
    rows += [f"exchange {one['name']} {one['type']}" for one in found["exchanges"]]
    rows += [
        f"{one['source']} to {one['destination']} by {one['routing_key']}"
        for one in found["bindings"]
    ]
    rows += [f"user {one['name']} {one['tags']}" for one in found["users"]]
    return State(Counter(rows))


def use(url: str, folder: Path) -> None:
    """Others have queues."""
    with httpx.Client(base_url=url, auth=_USER, timeout=60) as client:
        for name in ("attic", "zoo"):
            client.put(f"/api/queues/%2F/{name}", json={"durable": True}).raise_for_status()
        client.put("/api/exchanges/%2F/old", json={"type": "topic"}).raise_for_status()


def drive(url: str) -> None:
    """Two queues and an exchange, bound to one of them; a user; a queue is deleted."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(url)
        page.fill("[name=username]", _USER[0])
        page.fill("[name=password]", _USER[1])
        page.click("[value=Login]")
        for name in ("kettles", "teapots"):
            _fill(page, f"{url}/#/queues", "Add a new queue", "#/queues", name=name)
            _send(page, "[value='Add queue']", "PUT")
        _fill(page, f"{url}/#/exchanges", "Add a new exchange", "#/exchanges", name="orders-in")
        page.select_option("form[action='#/exchanges'] [name=type]", "topic")
        _send(page, "[value='Add exchange']", "PUT")
        binding = {"destination": "kettles", "routing_key": "tea.#"}
        _fill(page, f"{url}/#/exchanges/%2F/orders-in", "Bindings", "#/bindings", **binding)
        _send(page, "[value=Bind]", "POST")
        user = {"username": "kim-tea", "password": _SECRET, "password_confirm": _SECRET}
        _fill(page, f"{url}/#/users", "Add a user", "#/users-add", **user, tags="monitoring")
        _send(page, "[value='Add user']", "PUT")
        _fill(page, f"{url}/#/queues/%2F/teapots", "Delete", "#/queues")
        _send(page, "[value='Delete Queue']", "DELETE")
        page.goto(f"{url}/#/queues")
        page.wait_for_selector("text=kettles")
        page.wait_for_load_state("networkidle")


def _fill(page: Page, address: str, section: str, form: str, **fields: str) -> None:
    """A form of a view, in one of its sections, which may be closed."""
    page.goto(address)
    page.wait_for_load_state("networkidle")
    button = page.locator(f"form[action='{form}'] [type=submit]").first
    button.wait_for(state="attached")
    if not button.is_visible():
        page.locator(f"h2:text-is('{section}'), h2:has-text('{section} (')").first.click()
    for name, text in fields.items():
        page.fill(f"form[action='{form}'] [name={name}]", text)


def _send(page: Page, button: str, method: str) -> None:
    with page.expect_response(lambda one: one.request.method == method):
        page.click(f"{button} >> visible=true")
    page.wait_for_load_state("networkidle")
