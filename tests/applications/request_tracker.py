"""Request Tracker, in Perl: tickets, comments, owners and links between them on rendered pages."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import once, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.applications.used import count_on_in_sqlite
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Request Tracker 5.0, Perl"
BROWSER = True
#: A queue is there once.
UNIQUE: tuple[str, ...] = ("Tea desk",)
#: A session takes a while.
SESSIONS = 1

_PACKAGES = ("request-tracker5", "rt5-db-sqlite", "rt5-standalone", "starlet")
_PROGRAMS = Path("/usr/share/request-tracker5/libexec")
_SETTINGS = """\
Set($rtname, 'tea'); Set($Organization, 'example.com');
Set($WebDomain, '127.0.0.1'); Set($WebPort, {port}); Set($WebPath, '');
Set($DatabaseType, 'SQLite'); Set($DatabaseName, '{database}');
Set($MailCommand, 'testfile'); Set($LogToFile, undef); Set($LogToSyslog, undef);
Set($MasonSessionDir, '{folder}'); Set($MasonDataDir, '{pages}');
1;
"""
_ROWS = (
    "SELECT 'queue', Name, Description, '' FROM Queues",
    "SELECT 'ticket', Subject, Status, Queues.Name || ' ' || Tickets.Priority || ' ' || Users.Name"
    " FROM Tickets JOIN Queues ON Queues.id = Queue JOIN Users ON Users.id = Owner",
    "SELECT Transactions.Type, Tickets.Subject, coalesce(Field, ''), coalesce(Attachments.Content,"
    " '') FROM Transactions JOIN Tickets ON Tickets.id = ObjectId LEFT JOIN Attachments ON"
    " TransactionId = Transactions.id AND ContentType LIKE 'text/%'"
    " WHERE ObjectType = 'RT::Ticket' AND Transactions.Type IN ('Create', 'Comment', 'Correspond')",
    "SELECT Links.Type, one.Subject, other.Subject, '' FROM Links JOIN Tickets AS one ON"
    " one.id = LocalBase JOIN Tickets AS other ON other.id = LocalTarget",
)


def install() -> None:
    """Debian's packages, and a database in which nothing is."""
    if not (_PROGRAMS / "rt-server").exists() or shutil.which("plackup") is None:
        run("bash", ".ci/apt.sh", *_PACKAGES, folder=Path(__file__).parents[2])
    _made()


def _configured(folder: Path, port: int) -> dict[str, str]:
    pages = _made() / "pages" if port else folder / "pages"
    settings = folder / "RT_SiteConfig.pm"
    settings.write_text(
        _SETTINGS.format(port=port, database=folder / "rt.sqlite", folder=folder, pages=pages)
    )
    return {"RT_SITE_CONFIG": str(settings), "RT_SITE_CONFIG_DIR": str(folder / "none")}


def _made() -> Path:
    """The folder with a database that is new, and what pages are compiled to."""

    def make(folder: Path) -> None:
        (folder / "pages").mkdir()
        made = ("rt-setup-database-5", "--action", "init", "--dba", "root", "--dba-password", "")
        run(*made, environment=_configured(folder, 0))

    return once("request-tracker", " ".join(_PACKAGES), make)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A desk without queues but the first."""
    shutil.copy(_made() / "rt.sqlite", state)
    port = free_port()
    environment = _configured(state, port)
    command = (
        *(str(_PROGRAMS / "rt-server"), "--port", str(port), "--host", "127.0.0.1"),
        *("--server", "Starlet", "--max-workers", "6"),
    )
    with serving(command, f"http://127.0.0.1:{port}/", state=state, environment=environment) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """Queues; tickets with what was said, who has them, and which depends on which."""
    with contextlib.closing(sqlite3.connect(folder / "rt.sqlite", timeout=60)) as database:
        return State(Counter(str(row) for query in _ROWS for row in database.execute(query)))


def use(url: str, folder: Path) -> None:
    """Others have tickets; its ids begin elsewhere."""
    count_on_in_sqlite(folder / "rt.sqlite")
    with contextlib.closing(sqlite3.connect(folder / "rt.sqlite")) as database, database:
        for number in range(1, 40):
            database.execute(
                "INSERT INTO Tickets (id, EffectiveId, Queue, Type, Owner, Subject, Status,"
                " Priority, Creator, LastUpdatedBy)"
                " VALUES (?, ?, 1, 'ticket', 6, ?, 'open', 0, 1, 1)",
                (number, number, f"Old {number}"),
            )


def drive(url: str) -> None:
    """A queue with four tickets: answered, owned, linked, renamed, resolved and rejected."""
    with recorded_page() as page:
        page.goto(url)
        page.fill("[name=user]", "root")
        page.fill("[name=pass]", "password")
        follow(page, "[type=submit]")
        _go(page, f"{url}/Admin/Queues/Modify.html?Create=1")
        page.fill("[name=Name]", "Tea desk")
        page.fill("[name=Description]", "All about tea")
        follow(page, "form:has([name=Description]) [type=submit]:visible >> nth=-1")
        queue = page.locator("form:has([name=Description]) [name=id]").first.get_attribute("value")
        for subject, text in (
            *(("The green tea is cold", "Please warm it."), ("Cups are missing", "Two of them.")),
            *(("Sugar?", "Where is it?"), ("Nonsense", "Never mind.")),
        ):
            _go(page, f"{url}/Ticket/Create.html?Queue={queue}")
            page.fill("form:has([name=Content]) [name=Subject]", subject)
            _write(page, "Content", text)
        ticket = _found(page, url, "Cups are missing")
        _go(page, f"{url}/Ticket/Modify.html?id={ticket}")
        page.fill("form:has([name=FinalPriority]) [name=Subject]", "Cups are found")
        follow(page, "form:has([name=FinalPriority]) [name=SubmitTicket]")
        for subject, state, text in (
            ("The green tea is cold", "open", "It is warm now."),
            ("Sugar?", "resolved", "In the cup."),
            ("Nonsense", "rejected", "Indeed."),
        ):
            ticket = _found(page, url, subject)
            _go(page, f"{url}/Ticket/Update.html?Action=Comment&DefaultStatus={state}&id={ticket}")
            _write(page, "UpdateContent", text)
        _found(page, url, "Cups are found")
        page.goto(f"{url}/NoAuth/Logout.html")


def _go(page: Page, address: str) -> None:
    """From one of its own pages: it asks about others."""
    page.goto(address, referer=page.url)


def _found(page: Page, url: str, subject: str) -> str:
    """Its number, by the list of the queue's tickets and its own page."""
    query = "Queue%20%3D%20%27Tea%20desk%27&RowsPerPage=0"
    _go(page, f"{url}/Search/Results.html?Query={query}")
    follow(page, f"a >> text={subject}")
    return page.url.partition("id=")[2].partition("&")[0]


def _write(page: Page, field: str, text: str) -> None:
    """A text for the editor, which a script hides, and the button of its form."""
    page.wait_for_load_state("networkidle")
    page.evaluate(
        """([field, text]) => {
          document.querySelector(`textarea[name=${field}]`).value = text;
          for (const one of Object.values(window.CKEDITOR?.instances || {})) one.setData(text);
        }""",
        [field, text],
    )
    follow(page, f"form:has([name={field}]) [name=SubmitTicket]:visible >> nth=-1")
