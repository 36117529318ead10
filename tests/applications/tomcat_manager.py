"""Tomcat's manager from Debian, in Java: servlets, a nonce in the address of each form and link."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Tomcat manager 10.1, Java"
BROWSER = True
UNIQUE: tuple[str, ...] = ("/tea", "/cups", "/spoons")
#: Credentials of HTTP authentication are no part of a test case: a person says who the users are.
IDENTITY = "test-case-configuration --share admin --password-env TEA_PASSWORD"

_HOME, _CODE = Path("/usr/share/tomcat10"), Path("/usr/share/tomcat10-admin/manager")
_ROOT = Path(__file__).parents[2]
_PASSWORD = "correct-horse-battery"
_USERS = f"""<tomcat-users xmlns="http://tomcat.apache.org/xml">
<user username="admin" password="{_PASSWORD}" roles="manager-gui"/>
<user username="script" password="{_PASSWORD}" roles="manager-script"/>
</tomcat-users>
"""
_SERVER = """<Server port="-1"><GlobalNamingResources>
<Resource name="UserDatabase" type="org.apache.catalina.UserDatabase"
 factory="org.apache.catalina.users.MemoryUserDatabaseFactory" pathname="conf/tomcat-users.xml"/>
</GlobalNamingResources><Service name="Catalina">
<Connector port="{port}" address="127.0.0.1"/>
<Engine name="Catalina" defaultHost="localhost">
<Realm className="org.apache.catalina.realm.UserDatabaseRealm" resourceName="UserDatabase"/>
<Host name="localhost" appBase="webapps"/>
</Engine></Service></Server>
"""
_MANAGER = f'<Context docBase="{_CODE}" privileged="true"/>\n'
#: Debian's libraries are not searched for tags at each deployment, which takes seconds.
_CONTEXT = '<Context><JarScanner scanClassPath="false" scanManifest="false"/></Context>\n'


def install() -> None:
    """Tomcat, its manager and Java as Debian packages, for the whole machine."""
    if not _CODE.exists():
        packages = ("default-jre-headless", "tomcat10", "tomcat10-admin")
        run("bash", ".ci/apt.sh", *packages, folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A server with nothing but its manager, and a folder with what can be deployed."""
    (state / "conf/Catalina/localhost").mkdir(parents=True)
    for name in ("logs", "temp", "webapps", "work"):
        (state / name).mkdir()
    shutil.copy(_HOME / "etc/web.xml", state / "conf")
    port = free_port()
    for name, text in {
        "server.xml": _SERVER.format(port=port),
        "tomcat-users.xml": _USERS,
        "context.xml": _CONTEXT,
        "Catalina/localhost/manager.xml": _MANAGER,
    }.items():
        (state / "conf" / name).write_text(text)
    os.environ["TEA_PASSWORD"] = _PASSWORD
    classes = ":".join(str(_HOME / "bin" / one) for one in ("bootstrap.jar", "tomcat-juli.jar"))
    options = (f"-Dcatalina.home={_HOME}", f"-Dcatalina.base={state}", "-cp", classes)
    url = f"http://127.0.0.1:{port}/manager/html"
    command = ("java", *options, "org.apache.catalina.startup.Bootstrap", "start")
    with serving(command, url, state=state) as base:
        yield base


def _ask(url: str, what: str, **query: str) -> str:
    return httpx.get(
        f"{url}/manager/text/{what}", params=query, auth=("script", _PASSWORD), timeout=60
    ).text


def state(url: str, folder: Path) -> State:
    """The applications, and whether they run."""
    lines = _ask(url, "list").splitlines()[1:]
    parts = (line.split(":") for line in lines)
    return State(Counter(f"{path} is {running}" for path, running, *_ in parts))


def use(url: str, folder: Path) -> None:
    """Others have deployed, too: before and behind those of the session; one is stopped."""
    for path in ("/attic", "/cellar", "/zoo"):
        assert _ask(url, "deploy", path=path, war=f"file:{_site()}").startswith("OK")
    _ask(url, "stop", path="/cellar")


def _site() -> Path:
    """What is deployed, a page, at one place for all servers: the session has its address."""
    folder = Path(tempfile.gettempdir()) / "pytest-loadtool-site"
    (folder / "WEB-INF").mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text("<title>Tea</title>")
    return folder


def drive(url: str) -> None:
    """Three applications are deployed; one is stopped, one reloaded, one taken away."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(url.replace("//", f"//admin:{_PASSWORD}@") + "/manager/html")
        for path in UNIQUE:
            page.fill("[name=deployPath]", path)
            page.fill("[name=deployWar]", f"file:{_site()}")
            follow(page, "form[action*='/html/deploy'] [type=submit]")
        for what, path in (
            *(("stop", "/tea"), ("reload", "/cups"), ("stop", "/spoons"), ("start", "/spoons")),
            *(("expire", "/cups"), ("undeploy", "/spoons")),
        ):
            follow(page, f"form[action*='/{what}?path={path}&'] [type=submit]")
        for link in ("Server Status", "Complete Server Status", "List Applications"):
            follow(page, f"a:text-is('{link}')")
