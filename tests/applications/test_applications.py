"""Applications that nobody here wrote replay green, without an edit, and hold under load."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console, Settings
from pytest_loadtool.console.wizards import improve as improving
from pytest_loadtool.model.case import TestCase
from tests.applications import journey
from tests.applications.application import APPLICATIONS, application
from tests.applications.outcome import RIGHT, RIGHT_IF_UNIQUE, SESSIONS, USERS, examine
from tests.console.listener import Listener, do

RECORDINGS = Path(__file__).parent / "recordings"

#: Installed from PyPI, recorded, replayed and loaded in less than 20 seconds.
QUICK = ("fastapi-oauth2", "strawberry-graphql")
HEAVY = (
    *("django-admin", "jupyterlab", "oidc-provider", "redmine"),
    *("json-server", "json-graphql-server", "aria2", "spyne-soap", "tiddlywiki"),
    *("kinto", "isso", "pouchdb-server", "roundup", "sqlite-web", "radicale", "sqlpad"),
    *("alertmanager", "datasette", "tryton", "etcd", "h2-console", "postgraphile"),
    *("docker-registry", "mediawiki", "verdaccio", "wsgidav", "moto", "zope"),
    *("ihatemoney", "zabbix", "keystone", "parse-server", "vendure", "pocketbase"),
    "sveltekit-notes",
)
#: Of which runs are red, or leave another state than their sessions mean, and why. They are heavy.
WRONG = {
    "flask-appbuilder": "a hundred sessions make lists ten times as long, and that is told",
    "dokuwiki": "all users are one, whose name is what a revision is found by, and that is told",
    "phpmyadmin": "the numbers of rows in a table that each user makes anew are correlated",
    "wagtail": "of ten users at once, it answers one request now and then with status 500",
    "tomcat-manager": "its page of the status fails while another user undeploys",
    "shaarli": "the tags that a form came with are correlated, which are the same for all",
    "wordpress": "it calls a second file of a name `leaf-1.png`: the first one is described",
    "request-tracker": "ten users were not measured to the end",
    "fossil": "of ten users at once, 5 % of requests are refused: its database is locked",
    "adminer": "ten users fill its page of 50 rows, so that one's own row is not on it",
    "node-red": "a replay sends the recorded list of flows back, and takes those of others away",
    "rabbitmq": "a second replay without `unique` is green, and says that names were there before",
    "hledger-web": "a replay sends the recorded journal back, and takes others' entries away",
    "openrefine": "without pauses a job is asked for before it is done",
    "web-forms": "a hundred sessions make the list of orders ten times as long, and that is told",
    "syncthing": "the configuration is sent back: red where it would take others' folders away",
    "trac": "a version is correlated that need not be",
    "mlflow": "a version is correlated that is 1 on all servers",
    "fava": "ten users have one ledger, which refuses a change when another has come in between",
    "znc": "of more than five sessions from one address, it ends the oldest",
    "prefect": "three hundred runs are more than it gives out at once, and that is told",
    "ganache": "of ten users at once, it gives two payments of one account the same number",
    "ghost": "of ten users at once, it answers some with status 500",
    "react-router-notes": "versions are correlated: of its build, and of a new note, which is 1",
    "next-notes": "a second replay without `unique` is told; values of its build are correlated",
    "nuxt-notes": "an id of its build is correlated, and the version of a new note, which is 1",
    "qbittorrent": "a hash that the client has made is taken from where it is listed, by its place",
}
#: Those that come out right now and then.
CHANCE = (
    *(
        "trac",
        "wordpress",
        "znc",
        "tomcat-manager",
        "shaarli",
        "wagtail",
    ),
    *("flask-appbuilder", "fossil", "adminer", "node-red", "openrefine"),
)


def _check(name: str, folder: Path) -> None:
    outcome = examine(name, folder)
    assert outcome.transactions >= 15
    assert outcome.correlated or name in (
        "tiddlywiki",
        "zope",
    )  # where addresses are names that were typed
    assert not outcome.false_positives
    assert outcome.first == outcome.used == outcome.load == RIGHT
    assert outcome.second in (RIGHT, RIGHT_IF_UNIQUE)
    assert outcome.errors == 0
    sessions = getattr(application(name), "SESSIONS", SESSIONS)
    assert outcome.requests == USERS * sessions * outcome.transactions


@pytest.mark.promise(2, 3, 72)
@pytest.mark.parametrize("name", QUICK)
def test_application(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recorded, configured, replayed twice on a new server and on a used one, and loaded there.

    Each time the application has what its sessions mean, and nothing else.

    Then the rules are taken away: replays, and answers to changes, find every value that they know.
    """
    _check(name, tmp_path)
    case = tmp_path / f"{name}.case.toml"
    by_rules = _extractors(read_case(case))
    session = Console(Settings(directory=tmp_path), Listener(), COMMANDS, case)
    open_file(session)
    monkeypatch.setattr(improving, "rules_of", lambda *_: ())
    state = tmp_path / "improved"
    state.mkdir()
    with application(name).serve(state) as url:
        do(session, f"configure --replay --server {url}")
    improved = session.opened().case
    assert _extractors(improved) == by_rules
    made = [one for one in improved.variables.values() if one.set_by == "asm"]
    assert {one.rule for one in made} - {"made-id"} == {"replay-compare"}


def _extractors(case: TestCase) -> list[tuple[int, str]]:
    """Transaction and source of each."""
    return sorted(
        (index, str(extractor.source))
        for index, one in enumerate(case.transactions())
        for extractor in one.extractors
    )


@pytest.mark.heavy
@pytest.mark.parametrize("name", HEAVY)
def test_heavy_application(name: str, tmp_path: Path) -> None:
    """The same where that takes a minute or more, or more than PyPI."""
    _check(name, tmp_path)


@pytest.mark.promise(3)
def test_recording_of_another_day(tmp_path: Path) -> None:
    """A recording that is kept here replays green on a server of today."""
    name = "django-admin.case.toml"
    for file in (name, "django-admin.har"):
        shutil.copy(RECORDINGS / file, tmp_path)
    django = application("django-admin")
    django.install()
    state = tmp_path / "state"
    state.mkdir()
    with django.serve(state) as url:
        journey.replay(tmp_path / name, url)


@pytest.mark.heavy
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=pytest.mark.xfail(raises=AssertionError, strict=name not in CHANCE, reason=why),
        )
        for name, why in WRONG.items()
    ],
)
def test_application_with_a_wrong_state(name: str, tmp_path: Path) -> None:
    """One that comes out right belongs to the others."""
    _check(name, tmp_path)


def test_all_applications_are_tested() -> None:
    """One that is added to the table is in one of the lists."""
    assert sorted((*QUICK, *HEAVY, *WRONG)) == sorted(APPLICATIONS)
