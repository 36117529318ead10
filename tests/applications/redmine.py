"""Redmine from Debian, on Rails and SQLite: a project, its issues, hours and wiki."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import FilePayload

from tests.applications.browsing import recorded_page
from tests.applications.installed import once, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.applications.used import count_on_in_sqlite
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Redmine 5.0"
BROWSER = True
UNIQUE: tuple[str, ...] = ("tea-garden",)
#: SQLite takes one user at a time.
SESSIONS = 1

_CODE = Path("/usr/share/redmine")
_ROOT = Path(__file__).parents[2]
_PACKAGES = ("redmine", "redmine-sqlite", "puma")
#: The package wants Debian's own Bundler; Ruby has brought a newer one since, which does not find
#: Debian's gems.
_BUNDLER = {"BUNDLER_VERSION": "2.3.15", "DISABLE_DATABASE_ENVIRONMENT_CHECK": "1"}
_PASSWORD = "correct-horse-battery"
_FILE = FilePayload(name="plan.txt", mimeType="text/plain", buffer=b"Monday, Thursday\n")
_GEMS = 'eval_gemfile "/usr/share/redmine/Gemfile"\ngem "puma"\n'
_DATABASE = """\
production:
  adapter: sqlite3
  database: {}
  encoding: utf8
"""
#: An administrator, a colleague, and a project with issues of theirs, as a database in use has.
_USERS = f"""
admin = User.find_by(login: "admin")
dana = User.new(firstname: "Dana", lastname: "Reed", mail: "dana@example.com", language: "en")
dana.login = "dana"
[admin, dana].each do |user|
  user.password = user.password_confirmation = "{_PASSWORD}"
  user.must_change_passwd = false
  user.save!
end
project = Project.create!(name: "Cellar", identifier: "cellar", trackers: Tracker.all)
%w(Shelves Light).each do |subject|
  project.issues.create!(
    subject: subject, tracker: project.trackers.first, author: admin,
    status: IssueStatus.first, priority: IssuePriority.first
  )
end
"""
_CONTENTS = """
SELECT issue.subject, status.name, user.login, version.name, issue.done_ratio, journal.notes,
    watcher.user_id, hours.hours, hours.comments, file.filename, file.digest, file.description
FROM issues AS issue
JOIN issue_statuses AS status ON status.id = issue.status_id
LEFT JOIN users AS user ON user.id = issue.assigned_to_id
LEFT JOIN versions AS version
    ON version.id = issue.fixed_version_id AND version.project_id = issue.project_id
LEFT JOIN journals AS journal ON journal.journalized_id = issue.id
LEFT JOIN watchers AS watcher ON watcher.watchable_id = issue.id
LEFT JOIN time_entries AS hours ON hours.issue_id = issue.id
LEFT JOIN attachments AS file ON file.container_id = issue.id
UNION ALL
SELECT page.title, content.text, content.version, project.name, member.user_id, 0, 0, 0, 0, 0, 0, 0
FROM wiki_contents AS content
JOIN wiki_pages AS page ON page.id = content.page_id
JOIN wikis AS wiki ON wiki.id = page.wiki_id
JOIN projects AS project ON project.id = wiki.project_id
JOIN members AS member ON member.project_id = project.id
"""


def install() -> None:
    """Redmine as a Debian package, and a database with its tables."""
    if not _CODE.exists():
        run("bash", ".ci/apt.sh", *_PACKAGES, folder=_ROOT, environment=_BUNDLER)
    _template()


def _template() -> Path:
    """A folder with a database in which nothing has happened, from which each server gets a copy:
    to make one takes a minute."""

    def make(folder: Path) -> None:
        _configure(folder)
        rake = ("bundle", "exec", "rake")
        run("bundle", "install", "--local", folder=_CODE, environment=_environment(folder))
        for command in (
            (*rake, "db:migrate"),
            (*rake, "redmine:load_default_data"),
            ("bundle", "exec", "rails", "runner", _USERS),
        ):
            run(*command, folder=_CODE, environment=_environment(folder))

    return once("redmine", f"{_GEMS}{_USERS}", make)


def _environment(folder: Path) -> dict[str, str]:
    return {
        **_BUNDLER,
        "BUNDLE_GEMFILE": str(folder / "Gemfile"),
        # A folder below /var/lib/redmine, for Debian.
        "REDMINE_INSTANCE": f"../../../..{folder}",
        "REDMINE_LANG": "en",
        "RAILS_ENV": "production",
        "SCHEMA": os.devnull,
    }


def _configure(folder: Path) -> None:
    for name in ("config", "files", "log", "tmp"):
        (folder / name).mkdir()
    (folder / "Gemfile").write_text(_GEMS)
    (folder / "config" / "database.yml").write_text(_DATABASE.format(folder / "redmine.db"))
    (folder / "config" / "secret_key.txt").write_text(secrets.token_hex(64))


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Redmine with a database and a secret key of its own. The code stays where Debian has it.

    It does one thing after the other, as one process on SQLite should.
    """
    template = _template()
    _configure(state)
    for name in ("redmine.db", "Gemfile.lock"):
        shutil.copy(template / name, state)
    url = f"http://127.0.0.1:{free_port()}"
    options = ("--bind", url.replace("http", "tcp"), "--threads", "1:1", "--dir", str(_CODE))
    command = ("puma", "--environment", "production", *options)
    with serving(command, f"{url}/login", state=state, environment=_environment(state)):
        yield url


def state(url: str, folder: Path) -> State:
    """The issues with what belongs to them, and the wiki."""
    with contextlib.closing(sqlite3.connect(folder / "redmine.db")) as database:
        return State(Counter(map(repr, database.execute(_CONTENTS))))


def use(url: str, folder: Path) -> None:
    """What there is already goes on being there, with other numbers for all that comes."""
    count_on_in_sqlite(folder / "redmine.db")


def drive(url: str) -> None:
    """A project with a member, issues with notes, a relation and hours, a wiki page; log out."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{url}/projects")
        page.click("a.login")
        page.fill("#username", "admin")
        page.fill("#password", _PASSWORD)
        page.click("#login-submit")

        page.click("a.icon-add >> text=New project")
        page.locator("#project_name").press_sequentially("Tea garden")
        page.fill("#project_description", "Green & black")
        page.click("input[name=commit]")
        page.click("#tab-members")
        page.click("text=New member")
        page.check("#principals >> text=Dana Reed")
        page.check("#ajax-modal .roles-selection >> text=Developer")
        page.click("#member-add-submit")
        page.wait_for_selector("tr.member")
        page.click("#tab-versions")
        page.click("#tab-content-versions a.icon-add")
        page.fill("#version_name", "First flush")
        page.click("input[name=commit]")

        page.click("#main-menu a.issues")
        page.click(".contextual a.icon-add >> nth=0")
        page.fill("#issue_subject", "Water the seedlings")
        with page.expect_response("**/issues/new.js*"):
            page.select_option("#issue_tracker_id", label="Feature")
        page.fill("#issue_description", "Twice a week, 2 l")
        page.select_option("#issue_assigned_to_id", label="Dana Reed")
        page.select_option("#issue_fixed_version_id", label="First flush")
        page.click("input[name=commit]")
        first = page.url.rpartition("/")[2]

        page.click("#main-menu a.issues")
        page.click(".contextual a.icon-add >> nth=0")
        page.fill("#issue_subject", "Buy a kettle")
        page.click("input[name=commit]")
        with page.expect_response("**/watchers/watch*"):
            page.click("a.issue-" + page.url.rpartition("/")[2] + "-watcher >> nth=0")
        page.click("#relations a >> text=Add")
        page.fill("#relation_issue_to_id", first)
        page.click("#new-relation-form input[name=commit]")
        page.wait_for_selector("#relations tr[id^=relation-]")

        page.click("#main-menu a.issues")
        page.click("td.subject a >> text=Water the seedlings")
        page.click("a.icon-edit >> nth=0")
        with page.expect_response("**/issues/*/edit.js*"):
            page.select_option("#issue_status_id", label="In Progress")
        page.select_option("#issue_done_ratio", "50")
        page.fill("#issue_notes", "Half of them are *done*")
        with page.expect_response("**/uploads.js*"):
            page.set_input_files("#update input.file_selector", _FILE)
        page.fill("#update .attachments_fields input.description", "Plan")
        page.click("#issue-form > input[name=commit]")
        page.click(".attachments a.icon-attachment >> nth=0")
        page.click("#main-menu a.issues")
        page.click("td.subject a >> text=Water the seedlings")
        page.click("#history a.icon-edit")
        page.fill(".journal textarea", "Half of them are done, the other half is not")
        page.click(".journal input[type=submit]")
        page.wait_for_selector("text=the other half is not")

        page.click("a.icon-time-add >> nth=0")
        page.fill("#time_entry_hours", "1.5")
        page.select_option("#time_entry_activity_id", label="Development")
        page.fill("#time_entry_comments", "Watering")
        page.click("input[name=commit]")
        page.click("#main-menu a.time-entries")

        page.click("#main-menu a.wiki")
        page.fill("#content_text", "h1. Tea\n\nSee [[Kinds]]")
        page.click("input[name=commit]")
        page.click("a.icon-edit[href$='/Wiki/edit']")
        page.fill("#content_text", "h1. Tea\n\nSee [[Kinds]] and more")
        with page.expect_response("**/wiki/Wiki/preview*"):
            page.click("a.tab-preview")
        page.click("input[name=commit]")
        page.click("#content .contextual .drdn-trigger >> nth=0")
        page.click("a.icon-history")

        page.click("#main-menu a.issues")
        page.click("td.subject a >> text=Buy a kettle")
        page.click("#content > .contextual .drdn-trigger >> nth=0")
        page.click("#content > .contextual a.icon-del >> nth=0")
        page.fill("#q", "seedlings")
        page.press("#q", "Enter")
        page.click("a.logout")
        page.wait_for_selector("a.login")
