"""Request Tracker from Debian, in Perl with Mason: tickets by long forms whose fields have ids."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
from playwright.sync_api import Page

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import once, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Request Tracker 5.0, Perl"
BROWSER = True
UNIQUE: tuple[str, ...] = ("Tea orders",)
#: Each has a hundred requests, of a second and more where others have the processor.
SESSIONS = 3

_ROOT = Path(__file__).parents[2]
_PROGRAM = Path("/usr/share/request-tracker5/libexec/rt-server")
_PACKAGES = (
    *("request-tracker5", "rt5-db-sqlite", "rt5-standalone", "dbconfig-no-thanks"),
    *("libdbd-sqlite3-perl", "starlet"),
)
_SETTINGS = """\
Set($rtname, 'tea');
Set($WebDomain, '127.0.0.1'); Set($WebPort, {port}); Set($WebPath, '');
Set($DatabaseType, 'SQLite'); Set($DatabaseName, '{state}/rt.sqlite');
Set($MailCommand, 'testfile'); Set($MessageBoxRichText, 0);
Set($LogToSyslog, undef); Set($LogToSTDERR, 'warning');
$RT::MasonDataDir = '{state}/mason'; $RT::MasonSessionDir = '{state}/session';
1;
"""
_STATE = """
SELECT 'queue', Queues.Name, Description FROM Queues WHERE Name NOT LIKE '\\_%' ESCAPE '\\';
SELECT 'ticket', Subject, Status, Priority, Queues.Name, Users.Name FROM Tickets
  JOIN Queues ON Queues.id = Queue JOIN Users ON Users.id = Owner;
SELECT 'said', Tickets.Subject, t.Type, Content FROM Attachments
  JOIN Transactions t ON t.id = TransactionId JOIN Tickets ON Tickets.id = ObjectId
  WHERE ObjectType = 'RT::Ticket' AND ContentType = 'text/plain'
  AND t.Type IN ('Create', 'Correspond', 'Comment');
"""


def install() -> None:
    """Request Tracker with SQLite as Debian packages, and a database to copy."""
    if not _PROGRAM.exists():
        run("bash", ".ci/apt.sh", *_PACKAGES, folder=_ROOT)
    _database()


def _database() -> Path:
    def make(folder: Path) -> None:
        command = ("rt-setup-database-5", "--action", "init", "--skip-create")
        run(*command, environment=_environment(folder, 80))

    return once("request-tracker", TITLE, make) / "rt.sqlite"


def _environment(state: Path, port: int) -> Mapping[str, str]:
    for name in ("mason", "session", "none"):
        (state / name).mkdir(exist_ok=True)
    settings = state / "settings.pm"
    settings.write_text(_SETTINGS.format(state=state, port=port))
    return {"RT_SITE_CONFIG": str(settings), "RT_SITE_CONFIG_DIR": str(state / "none")}


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """The database as it is after its installation; SQLite waits for who writes at once."""
    port = free_port()
    shutil.copy(_database(), state)
    address = ("--host", "127.0.0.1", "--port", str(port))
    command = (str(_PROGRAM), "--server", "Starlet", "--max-workers", "4", *address)
    environment = _environment(state, port)
    with serving(command, f"http://127.0.0.1:{port}/", state=state, environment=environment) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """The tickets with what was said of them, and the queues."""
    with contextlib.closing(sqlite3.connect(folder / "rt.sqlite", timeout=60)) as database:
        rows = [row for one in _STATE.split(";\n") for row in database.execute(one)]
    return State(Counter(map(str, rows)))


def use(url: str, folder: Path) -> None:
    """Others have queues with tickets."""
    with httpx.Client(base_url=f"{url}/REST/2.0", auth=("root", "password"), timeout=60) as client:
        for name in ("Old attic", "Old cellar"):
            client.post("/queue", json={"Name": name}).raise_for_status()
            for number in range(3):
                old = {"Subject": f"Old {number}", "Queue": name, "Content": "Long ago"}
                client.post("/ticket", json=old).raise_for_status()


def drive(url: str) -> None:
    """A queue with four tickets: one is answered, taken and edited, two are closed at once, and
    one of these is opened again."""
    with recorded_page() as page:
        page.goto(f"{url}/")
        page.fill("[name=user]", "root")
        page.fill("[name=pass]", "password")
        follow(page, "input[type=submit]")
        _visit(page, url, "/Admin/Queues/Modify.html?Create=1")
        page.fill("[name=Name]", "Tea orders")
        page.fill("[name=Description]", "What people drink")
        follow(page, "form[name=ModifyQueue] [type=submit] >> nth=0")
        queue = _id(page)
        subjects = ("Kettle is broken", "Two cups wanted", "Spoons are gone", "Too much milk")
        kettle, cups, spoons, _ = [_ticket(page, url, subject) for subject in subjects]
        _say(page, url, f"Action=Respond&id={kettle}", "A new one is on its way")
        _say(page, url, f"Action=Comment&id={cups}", "Ask Kim & Lou first")
        _visit(page, url, f"/Ticket/Display.html?Action=Take&id={kettle}")
        _visit(page, url, f"/Ticket/Modify.html?id={kettle}")
        page.fill("[name=Subject]", "Kettle is very broken")
        page.select_option("[name=Status]", "stalled")
        page.select_option("[name=Priority]", label="High")
        follow(page, "[name=SubmitTicket] >> visible=true >> nth=0")
        _visit(page, url, "/Search/Bulk.html?Query=Queue%3D'Tea orders'&OrderBy=id&Order=ASC")
        for other in (kettle, cups):
            page.locator(f"#UpdateTicket-{other}").evaluate("one => one.click()")
        page.select_option("[name=Status]", "resolved")
        follow(page, "form[name=BulkUpdate] [type=submit][value=Update] >> visible=true >> nth=0")
        _visit(page, url, f"/Ticket/Display.html?id={spoons}")
        _visit(page, url, f"/Ticket/Display.html?Status=open&id={spoons}")
        _visit(page, url, f"/Admin/Queues/Modify.html?id={queue}")
        page.fill("[name=Description]", "All that people drink")
        follow(page, "form[name=ModifyQueue] [type=submit] >> nth=0")
        _visit(page, url, "/Search/Results.html?Query=Queue%3D'Tea orders'")
        _visit(page, url, f"/Ticket/Display.html?id={kettle}")
        _visit(page, url, "/NoAuth/Logout.html")


def _visit(page: Page, url: str, path: str) -> None:
    """As from a link: it asks who comes from elsewhere whether they mean it."""
    page.goto(f"{url}{path}", referer=f"{url}/")


def _id(page: Page) -> str:
    found = re.search(r"\bid=(\d+)", page.url)
    assert found is not None, page.url
    return found[1]


def _ticket(page: Page, url: str, subject: str) -> str:
    _visit(page, url, "/")
    follow(page, "text=Create new ticket")
    page.select_option("#CreateTicketInQueue [name=Queue], select[name=Queue]", label="Tea orders")
    page.fill("[name=Subject]", subject)
    page.fill("textarea[name=Content]", f"About: {subject}")
    follow(page, "[name=SubmitTicket] >> visible=true >> nth=0")
    return _id(page)


def _say(page: Page, url: str, asked: str, text: str) -> None:
    _visit(page, url, f"/Ticket/Update.html?{asked}")
    page.fill("textarea[name=UpdateContent]", text)
    follow(page, "[name=SubmitTicket] >> visible=true >> nth=0")
