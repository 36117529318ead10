"""Zabbix's frontend from Debian on PHP's own web server, asked by its own client: JSON-RPC."""

from __future__ import annotations

import contextlib
import gzip
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.applications.installed import once, python_environment, run
from tests.applications.mariadb import PACKAGE, SOCKET, rows, with_database
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Zabbix 6.0, JSON-RPC by its own client"
BROWSER = False
UNIQUE: tuple[str, ...] = ("Tea shops", "tea-kettle", "tea-samovar", "Tea cleaning", "kim-watches")

_ROOT = Path(__file__).parents[2]
_CODE, _SCHEMA = Path("/usr/share/zabbix"), Path("/usr/share/zabbix-server-mysql")
_PACKAGES = (
    *("php-cli", "php-cgi", "php-mysql", "php-bcmath", "php-gd", "php-xml", "php-mbstring"),
    *(PACKAGE, "zabbix-frontend-php", "zabbix-server-mysql"),
)
_CLIENT = str(Path(__file__).parent / "served" / "zabbix_client.py")
_CONFIGURATION = """<?php
$DB = [
  'TYPE' => 'MYSQL', 'SERVER' => 'localhost', 'PORT' => '0', 'DATABASE' => 'app', 'USER' => 'root',
  'PASSWORD' => '', 'SCHEMA' => '', 'ENCRYPTION' => false, 'KEY_FILE' => '', 'CERT_FILE' => '',
  'CA_FILE' => '', 'VERIFY_HOST' => false, 'CIPHER_LIST' => '', 'VAULT_URL' => '',
  'VAULT_DB_PATH' => '', 'VAULT_TOKEN' => '', 'DOUBLE_IEEE754' => true,
];
$ZBX_SERVER = '';
$ZBX_SERVER_PORT = '';
$ZBX_SERVER_NAME = 'tea';
$IMAGE_FORMAT_DEFAULT = IMAGE_FORMAT_PNG;
"""
#: Templates have items and triggers, too.
_HOST = "hosts.status < 3"
_STATE = f"""
SELECT 'group', name FROM hstgrp;
SELECT 'host', host, name, status, description FROM hosts WHERE flags = 0 AND {_HOST};
SELECT 'in', host, hstgrp.name FROM hosts_groups JOIN hosts USING (hostid)
  JOIN hstgrp USING (groupid) WHERE {_HOST};
SELECT 'item', host, items.name, key_, items.status FROM items JOIN hosts USING (hostid)
  WHERE {_HOST};
SELECT 'trigger', triggers.description, priority, triggers.status FROM triggers
  WHERE triggerid IN (SELECT triggerid FROM functions JOIN items USING (itemid)
    JOIN hosts USING (hostid) WHERE {_HOST});
SELECT 'macro', host, macro, value FROM hostmacro JOIN hosts USING (hostid) WHERE {_HOST};
SELECT 'interface', host, ip, port FROM interface JOIN hosts USING (hostid) WHERE {_HOST};
SELECT 'maintenance', maintenances.name, maintenances.description, host FROM maintenances
  LEFT JOIN maintenances_hosts USING (maintenanceid) LEFT JOIN hosts USING (hostid);
SELECT 'user', username, name, surname, roleid FROM users;
SELECT 'tag', host, tag, value FROM host_tag JOIN hosts USING (hostid) WHERE {_HOST};
"""


def install() -> None:
    """The frontend, PHP and MariaDB as Debian packages, and the client; a new database, once."""
    if not _CODE.exists() or not _SCHEMA.exists():
        run("bash", ".ci/apt.sh", *_PACKAGES, folder=_ROOT)
    _programs()
    _database()


def _programs() -> Path:
    return python_environment("zabbix-client", "zabbix-utils==2.0.4")


def _database() -> Path:
    """With all that comes with Zabbix, which takes a while to read."""

    def make(folder: Path) -> None:
        texts = [
            gzip.decompress((_SCHEMA / f"{name}.sql.gz").read_bytes())
            for name in ("schema", "images", "data")
        ]
        begin = b"ALTER DATABASE app CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;"
        begin += b"SET SESSION innodb_strict_mode = OFF;"
        begin += b"SET GLOBAL innodb_flush_log_at_trx_commit = 0;"
        (folder / "all.sql").write_bytes(begin + b"\n".join(texts))
        ask = f"mariadb --no-defaults --socket={folder / SOCKET} --user=root"
        read = ("bash", "-c", f"{ask} app < {folder / 'all.sql'}; {ask} -e SHUTDOWN; wait")
        run(*with_database(folder, read))
        (folder / "all.sql").unlink()

    return once("zabbix-database", "6.0", make) / "database"


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A copy of the new database, and of the code."""
    host = f"127.0.0.1:{free_port()}"
    shutil.copytree(_database(), state / "database")
    code = state / "code"
    shutil.copytree(_CODE, code, ignore_dangling_symlinks=True)
    (state / "zabbix.conf.php").write_text(_CONFIGURATION)
    names = code / "include" / "classes" / "core" / "CConfigFile.php"
    named = names.read_text().replace("/etc/zabbix/zabbix.conf.php", f"{state}/zabbix.conf.php")
    names.write_text(named)
    data, socket = state / "database", state / SOCKET
    server = (
        f"mariadbd --no-defaults --user=root --datadir={data} --innodb-log-file-size=8M"
        f" --socket={socket} --skip-networking --innodb-flush-log-at-trx-commit=0"
    )
    options = f"-d mysqli.default_socket={socket} -d opcache.enable_cli=1 -d error_reporting=0"
    ask = f"mariadb --no-defaults --socket={socket} --user=root"
    script = (
        "PATH=$PATH:/usr/sbin",
        f"export TMPDIR={state}",
        f"{server} &",
        f"until {ask} -e 'SELECT 1'; do sleep 0.1; done",
        f"exec php {options} -S {host} -t {code}",
    )
    command = ("bash", "-c", "\n".join(script))
    workers = {"PHP_CLI_SERVER_WORKERS": "10"}
    where = f"http://{host}/api_jsonrpc.php"
    with serving(command, where, state=state, environment=workers) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """Hosts with their groups, items, triggers, macros; maintenance; users."""
    return State(Counter(rows(folder, _STATE).splitlines()))


def _client(url: str, what: str) -> None:
    run(str(_programs() / "python"), _CLIENT, url, what)


def use(url: str, folder: Path) -> None:
    """Others have hosts, before and behind."""
    _client(url, "use")


def drive(url: str) -> None:
    """Hosts with items and triggers: one item is changed, one deleted; one host is deleted."""
    _client(url, "session")
