"""Roundcube, in PHP over IMAP: answers to forms and calls are scripts that call the page's."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import FrameLocator, Page

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Roundcube 1.6, PHP"
BROWSER = True
#: A contact is there once, by its address.
UNIQUE: tuple[str, ...] = ("kim@example.com", "lou@example.com", "max@example.com")
SESSIONS = 1

_PACKAGES = ("roundcube", "roundcube-sqlite3", "dovecot-imapd", "php-cli")
_CODE = Path("/usr/share/roundcube")
_PASSWORD = "correct-horse-battery"
_MAIL = """\
protocols = imap
listen = 127.0.0.1
base_dir = {state}/run
log_path = {state}/mail.log
ssl = no
disable_plaintext_auth = no
mail_location = maildir:{state}/mail/%u
mail_uid = nobody
mail_gid = nogroup
first_valid_uid = 1
auth_mechanisms = plain login
default_vsz_limit = 0
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid=nobody gid=nogroup home={state}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
"""
_SETTINGS = """\
<?php
$config['db_dsnw'] = 'sqlite:///{state}/mail.sqlite?mode=0666';
$config['imap_host'] = '127.0.0.1:{port}';
$config['des_key'] = '{secret}';
$config['log_dir'] = '{state}/'; $config['temp_dir'] = '{state}/';
$config['enable_installer'] = false; $config['plugins'] = []; $config['skin'] = 'elastic';
$config['ip_check'] = false; $config['language'] = 'en_US'; $config['draft_autosave'] = 0;
"""
_ROWS = (
    "SELECT 'contact', name, email, firstname || ' ' || surname FROM contacts WHERE NOT del",
    "SELECT 'group', contactgroups.name, (SELECT group_concat(email) FROM (SELECT email FROM"
    " contactgroupmembers AS one JOIN contacts ON contacts.contact_id = one.contact_id WHERE"
    " one.contactgroup_id = contactgroups.contactgroup_id AND NOT contacts.del ORDER BY email)),"
    " '' FROM contactgroups WHERE NOT del",
    "SELECT 'identity', name, email, organization FROM identities WHERE NOT del AND NOT standard",
    "SELECT 'response', name, data, '' FROM responses WHERE NOT del",
)


def install() -> None:
    """Debian's packages."""
    if not _CODE.exists() or not Path("/usr/sbin/dovecot").exists():
        run("bash", ".ci/apt.sh", *_PACKAGES, folder=Path(__file__).parents[2])


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Mail of one person who has none, and no contacts."""
    mail, port = free_port(), free_port()
    (state / "mail").mkdir()
    state.parent.chmod(0o755)
    run("chown", "nobody:nogroup", str(state / "mail"))
    run("chmod", "755", str(state))
    (state / "dovecot.conf").write_text(_MAIL.format(state=state, port=mail, password=_PASSWORD))
    secret = re.sub(r"\W", "", state.name).ljust(24, "x")[:24]
    (state / "config.inc.php").write_text(_SETTINGS.format(state=state, port=mail, secret=secret))
    with contextlib.closing(sqlite3.connect(state / "mail.sqlite")) as database:
        database.executescript((_CODE / "SQL" / "sqlite.initial.sql").read_text())
    dovecot = ("/usr/sbin/dovecot", "-c", str(state / "dovecot.conf"))
    run(*dovecot)
    command = ("php", "-S", f"127.0.0.1:{port}", "-t", str(_CODE))
    environment = {"ROUNDCUBE_CONFIG_DIR": str(state), "RCUBE_CONFIG_PATH": str(state),
                   "PHP_CLI_SERVER_WORKERS": "4"}  # fmt: skip
    try:
        where = f"http://127.0.0.1:{port}/"
        with serving(command, where, state=state, environment=environment) as url:
            yield url
    finally:
        subprocess.run((*dovecot, "stop"), check=False)


def state(url: str, folder: Path) -> State:
    """Contacts, groups with their members, identities, responses, and how many drafts there are."""
    with contextlib.closing(sqlite3.connect(folder / "mail.sqlite", timeout=60)) as database:
        rows = Counter(str(row) for query in _ROWS for row in database.execute(query))
    for path in (folder / "mail").rglob("cur/*"):
        said = re.search(r"^Subject: (.*)", path.read_text(errors="replace"), re.MULTILINE)
        rows[f"mail in {path.parts[-3]}: {said and said[1].strip()} {'T' in path.name[-4:]}"] += 1
    return State(rows)


def use(url: str, folder: Path) -> None:
    """Others have contacts, groups and responses: its numbers begin elsewhere."""
    with contextlib.closing(sqlite3.connect(folder / "mail.sqlite")) as database, database:
        database.execute(
            "INSERT INTO users (user_id, username, mail_host) VALUES (41, 'otto', 'x')"
        )
        for number in range(1, 8):
            database.execute(
                "INSERT INTO contacts (contact_id, user_id, name, email) VALUES (?, 41, ?, '')",
                (number * 7, f"Old {number}"),
            )
            database.execute(
                "INSERT INTO contactgroups (contactgroup_id, user_id, name) VALUES (?, 41, ?)",
                (number * 5, f"Old {number}"),
            )
            database.execute(
                "INSERT INTO responses (response_id, user_id, name, data, is_html)"
                " VALUES (?, 41, ?, 'x', 0)",
                (number * 3, f"Old {number}"),
            )


def drive(url: str) -> None:
    """Contacts are made, changed and put into a group, one is deleted; an identity and two ready
    answers, of which one is changed and one deleted; a draft is saved."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(url)
        page.fill("#rcmloginuser", "anna@example.com")
        page.fill("#rcmloginpwd", _PASSWORD)
        follow(page, "#rcmloginsubmit")
        page.goto(f"{url}/?_task=addressbook")
        for first, last in (("Kim", "Cupmaker"), ("Lou", "Leafreader"), ("Max", "Sugarman")):
            page.click("a.create:visible")
            frame = page.frame_locator("#contact-frame")
            frame.locator("[name=_firstname]").fill(first)
            frame.locator("[name=_surname]").fill(last)
            frame.locator("[name='_email[]'], [name^=_email]").first.fill(
                f"{first.lower()}@example.com"
            )
            _saved(page, frame, f"#contacts-table >> text={last}")
        page.goto(f"{url}/?_task=addressbook")
        page.click("#contacts-table >> text=Leafreader")
        frame = page.frame_locator("#contact-frame")
        frame.locator("a.edit:visible, button.edit:visible").first.click()
        frame.locator("[name=_surname]").fill("Potreader")
        _saved(page, frame, "#contacts-table >> text=Potreader")
        page.click("#contacts-table >> text=Sugarman")
        frame.locator("text=Sugarman").first.wait_for()
        page.click("a.delete:visible")
        dialog = page.locator(".ui-dialog button.delete, .ui-dialog button.mainaction")
        if dialog.count():
            dialog.first.click()
        page.wait_for_selector("#contacts-table >> text=Sugarman", state="detached")
        for name, text in (("Thanks", "Thank you for the tea."), ("Sorry", "No tea today.")):
            page.goto(f"{url}/?_task=settings&_action=responses")
            page.click("a.create:visible")
            frame = page.frame_locator("#preferences-frame")
            frame.locator("[name=_name]").fill(name)
            frame.locator("[name=_text]").fill(text)
            _saved(page, frame, f"#responses-table >> text={name}")
        page.click("#responses-table >> text=Sorry")
        frame.locator("[name=_name]").wait_for()
        page.click("a.delete:visible")
        if page.locator(".ui-dialog button.delete, .ui-dialog button.mainaction").count():
            page.locator(".ui-dialog button.delete, .ui-dialog button.mainaction").first.click()
        page.wait_for_selector("#responses-table >> text=Sorry", state="detached")
        page.goto(f"{url}/?_task=addressbook")
        page.wait_for_load_state("networkidle")
        page.goto(f"{url}/?_task=settings&_action=responses")
        page.wait_for_load_state("networkidle")


def _saved(page: Page, frame: FrameLocator, shown: str) -> None:
    frame.locator("button.submit:visible, button.save:visible, a.save:visible").first.click()
    page.wait_for_selector(shown)
    page.wait_for_load_state("networkidle")
