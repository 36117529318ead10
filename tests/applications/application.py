"""What an application has to have. Each is a module of this package, listed in `APPLICATIONS`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from tests.applications.state import State

__all__ = ["APPLICATIONS", "Application", "application"]

#: Name on the command line, in test ids and of the recorded files: module.
APPLICATIONS = {
    "django-admin": "django_admin",
    "fastapi-oauth2": "fastapi_oauth2",
    "strawberry-graphql": "strawberry_graphql",
    "jupyterlab": "jupyterlab",
    "dokuwiki": "dokuwiki",
    "oidc-provider": "oidc_provider",
    "redmine": "redmine",
    "phpmyadmin": "phpmyadmin",
    "wordpress": "wordpress",
    "mediawiki": "mediawiki",
    "json-server": "json_server",
    "json-graphql-server": "json_graphql_server",
    "aria2": "aria2",
    "spyne-soap": "spyne_soap",
    "radicale": "radicale",
    "trac": "trac",
    "tiddlywiki": "tiddlywiki",
    "h2-console": "h2_console",
    "kinto": "kinto",
    "isso": "isso",
    "pouchdb-server": "pouchdb_server",
    "roundup": "roundup",
    "sqlite-web": "sqlite_web",
    "tomcat-manager": "tomcat_manager",
    "shaarli": "shaarli",
    "sqlpad": "sqlpad",
    "tryton": "tryton",
    "datasette": "datasette_write",
    "alertmanager": "alertmanager",
    "flask-appbuilder": "flask_appbuilder",
    "adminer": "adminer",
    "fossil": "fossil",
    "node-red": "node_red",
    "rabbitmq": "rabbitmq",
    "hledger-web": "hledger_web",
    "openrefine": "openrefine",
    "etcd": "etcd",
    "web-forms": "web_forms",
    "wagtail": "wagtail_admin",
    "syncthing": "syncthing",
    "docker-registry": "docker_registry",
    "fava": "fava_ledger",
    "postgraphile": "postgraphile",
    "znc": "znc_admin",
    "wsgidav": "wsgidav_files",
    "verdaccio": "verdaccio",
    "moto": "moto_aws",
    "zope": "zope_objects",
    "ihatemoney": "ihatemoney_bills",
    "mlflow": "mlflow_server",
    "qbittorrent": "qbittorrent",
    "prefect": "prefect_runs",
    "keystone": "keystone_identity",
    "parse-server": "parse_orders",
    "zabbix": "zabbix_api",
    "ghost": "ghost_blog",
    "ganache": "ganache_chain",
    "vendure": "vendure_shop",
    "pocketbase": "pocketbase_orders",
    "request-tracker": "request_tracker",
    "sveltekit-notes": "sveltekit_notes",
    "react-router-notes": "react_router_notes",
    "next-notes": "next_notes",
    "nuxt-notes": "nuxt_notes",
}


class Application(Protocol):
    """A module with these names.

    And perhaps ``SESSIONS``: how often each of ten users may repeat the session in the time there
    is, if not ten times; and ``IDENTITY``: the command that says who the users of HTTP
    authentication are.
    """

    TITLE: str
    """What the table calls it, with its version."""
    BROWSER: bool
    """Whether Chromium is recorded; otherwise a program that sends requests itself."""

    UNIQUE: tuple[str, ...]
    """Texts that `drive` types and the server takes only once, such as names of users."""

    def install(self) -> None:
        """Make sure that it is installed, under `installed.CACHE`. Quick when it is."""

    def serve(self, state: Path) -> AbstractContextManager[str]:
        """Serve it on a free loopback port, and stop it. The value is the base URL, without a path.

        ``state`` is an empty folder for all that it keeps. Its secrets are made anew each time.
        """

    def state(self, url: str, folder: Path) -> State:
        """What the server at ``url`` has in its database, which may be in that folder.

        What the session did there is what each replay has to do: some servers answer what they
        refuse with a page and status 200.
        """

    def use(self, url: str, folder: Path) -> None:
        """Use a new server for something else: others' rows are there, its ids begin elsewhere."""

    def drive(self, url: str) -> None:
        """The session that is recorded: log in, at least one create or edit, log out.

        At least 15 page views or calls. Runs in a process that the recorder's ``run`` has started:
        `browsing.recorded_page` is the page of the recorder's browser, and httpx finds its proxy in
        the environment.
        """


def application(name: str) -> Application:
    """The application of that name.

    Raises:
        KeyError: there is none.
    """
    return cast(Application, import_module(f"{__package__}.{APPLICATIONS[name]}"))
