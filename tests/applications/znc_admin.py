"""ZNC's web pages from Debian, in C++: users and networks by long forms with a token each."""

from __future__ import annotations

import contextlib
import hashlib
import re
import shlex
import shutil
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

TITLE = "ZNC 1.8, C++"
BROWSER = True
UNIQUE: tuple[str, ...] = ("kettle", "saucer", "teahouse")

_ROOT = Path(__file__).parents[2]
_PROGRAM = Path("/usr/bin/znc")
_ADMIN = "/mods/global/webadmin"
_PASSWORD, _SALT = "correct-horse-battery", "0123456789abcdefghij"
_HASH = hashlib.sha256(f"{_PASSWORD}{_SALT}".encode()).hexdigest()
_CONFIGURATION = f"""Version = 1.8.2
ProtectWebSessions = true
AnonIPLimit = 1000
LoadModule = webadmin
<Listener l>
    AllowIRC = false
    AllowWeb = true
    Host = 127.0.0.1
    IPv4 = true
    IPv6 = false
    Port = {{port}}
    SSL = false
</Listener>
<User admin>
    Admin = true
    Nick = admin
    <Pass password>
        Hash = {_HASH}
        Method = sha256
        Salt = {_SALT}
    </Pass>
</User>
"""
_LOGIN = {"submitted": "1", "user": "admin", "pass": _PASSWORD}
_FIELDS = "Nick|RealName|QuitMsg|MaxNetworks|Server|Motd|IRCConnectEnabled|LoadModule|Disabled"


def install() -> None:
    """ZNC as a Debian package, for the whole machine."""
    if not _PROGRAM.exists():
        run("bash", ".ci/apt.sh", "znc", folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """One administrator. Root would be warned and kept waiting."""
    port = free_port()
    (state / "configs").mkdir()
    settings = state / "configs" / "znc.conf"
    settings.write_text(_CONFIGURATION.format(port=port))
    for one in (state, settings.parent, settings):
        shutil.chown(one, "nobody", "nogroup")
    as_nobody = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
    command = (*as_nobody, str(_PROGRAM), "--foreground", "--datadir", str(state))
    reach = f"chmod a+x {shlex.quote(str(state.parent))}; exec {shlex.join(command)}"
    with serving(("bash", "-c", reach), f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The users, their networks and channels with some of what is said of them."""
    rows: list[str] = []
    within: list[str] = []
    for line in (folder / "configs" / "znc.conf").read_text().splitlines():
        if re.match(r"\s*</\w+>", line):
            within.pop()
        elif opened := re.match(r"\s*<(\w+) (.*)>", line):
            within.append(f"{opened[1]} {opened[2]}")
            rows.append(" ".join(within))
        elif re.match(rf"\s*(?:{_FIELDS}) =", line):
            rows.append(f"{' '.join(within)}: {line.strip()}")
    return State(Counter(row for row in rows if re.match("User (?!admin)", row)))


def use(url: str, folder: Path) -> None:
    """Others are there."""
    with httpx.Client(base_url=url, timeout=60, follow_redirects=True) as client:
        client.post("/login", data=_LOGIN)
        page = client.get(f"{_ADMIN}/adduser").text
        token = re.findall(r'name="_CSRF_Check" value="(\w+)"', page)[0]
        for name in ("attic", "zoe"):
            sent = {"_CSRF_Check": token, "submitted": "1", "user": name, "nick": name}
            password = {"password": "old-cups", "password2": "old-cups"}
            client.post(f"{_ADMIN}/adduser", data=sent | password).raise_for_status()


def drive(url: str) -> None:
    """Two users, one with a network; one is changed, one deleted, and the settings are, too."""
    with recorded_page() as page:
        page.goto(f"{url}/")
        page.fill("#user", "admin")
        page.fill("#pass", _PASSWORD)
        follow(page, "[value=Login]")
        for name in ("kettle", "saucer"):
            page.goto(f"{url}{_ADMIN}/adduser")
            for field in ("user", "nick", "realname"):
                page.fill(f"[name={field}]", name)
            for field in ("password", "password2"):
                page.fill(f"[name={field}]", "old-cups-and-spoons")
            follow(page, "[name=submit_return]")
        follow(page, "tr:has-text('kettle') a:has-text('Edit')")
        page.fill("[name=quitmsg]", "Tea is ready")
        page.fill("[name=maxnetworks]", "5")
        follow(page, "[name=submit_continue]")
        _network(page)
        page.goto(f"{url}{_ADMIN}/listusers")
        follow(page, "tr:has-text('saucer') a:has-text('Delete')")
        follow(page, "[type=submit] >> visible=true >> nth=0")
        page.goto(f"{url}{_ADMIN}/listusers")
        page.goto(f"{url}/")
        follow(page, "a:has-text('Logout')")


def _network(page: Page) -> None:
    follow(page, "a:has-text('Add')")
    page.fill("[name=name]", "teahouse")
    page.uncheck("[name=doconnect]")
    follow(page, "[name=submit_return]")
