"""etcd from Debian, in Go: revisions, leases, locks and elections, as JSON in base64."""

from __future__ import annotations

import base64
import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "etcd 3.4, Go"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

_ROOT = Path(__file__).parents[2]
_PROGRAM = Path("/usr/bin/etcd")


def install() -> None:
    """etcd as a Debian package, for the whole machine."""
    if not _PROGRAM.exists():
        run("bash", ".ci/apt.sh", "etcd-server", folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A store with one number in it."""
    url, peers = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    command = (
        *(
            str(_PROGRAM),
            "--data-dir",
            str(state / "data"),
            "--initial-cluster",
            f"default={peers}",
        ),
        *("--listen-client-urls", url, "--advertise-client-urls", url),
        *("--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers),
    )
    with serving(command, f"{url}/health", state=state) as base:
        with _client(base) as client:
            _ask(client, "kv/put", key=_coded("stock/kettles"), value=_coded("40"))
        yield base


def state(url: str, folder: Path) -> State:
    """What is stored, how often each was written, and how many leases there are."""
    with _client(url) as client:
        found = _ask(client, "kv/range", key=_coded("\0"), range_end=_coded("\0"))
        leases = _ask(client, "lease/leases").get("leases", ())
    rows: Counter[str] = Counter(lease=len(leases))
    values = {}
    for one in found.get("kvs", ()):
        key = base64.b64decode(one["key"]).decode()
        rows[key] = int(one["version"])
        values[key] = base64.b64decode(one["value"]).decode()
    return State(rows, values)


def use(url: str, folder: Path) -> None:
    """Others write and have a lease."""
    with _client(url) as client:
        for number in range(7):
            _ask(client, "kv/put", key=_coded("attic/boxes"), value=_coded(f"{number}"))
        _ask(client, "lease/grant", TTL="3600")


def drive(url: str) -> None:
    """Two notes are written under a lock, one of them if nobody else has changed it; who leads says
    something; a lease is given back."""
    with _client(url) as client:
        for note, text in (("kettle", "Boil it"), ("teapot", "Warm it")):
            key = _coded(f"notes/{note}")
            lease = _ask(client, "lease/grant", TTL="600")["ID"]
            lock = _ask(client, "lock/lock", name=_coded("writing"), lease=lease)["key"]
            _ask(client, "kv/put", key=key, value=_coded(text))
            written = _ask(client, "kv/range", key=key)["kvs"][0]
            kept = {"key": key, "target": "MOD", "modRevision": written["mod_revision"]}
            held = {"key": lock, "target": "VERSION", "version": "1"}
            change = {"requestPut": {"key": key, "value": _coded(f"{text} well")}}
            changed = _ask(client, "kv/txn", compare=[kept, held], success=[change])
            assert changed["succeeded"]
            _ask(client, "kv/range", key=key)
            _ask(client, "lock/unlock", key=lock)
            _ask(client, "lease/timetolive", ID=lease, keys=True)
        mine = _ask(
            client, "election/campaign", name=_coded("tea"), lease=lease, value=_coded("Kim")
        )
        leader = mine["leader"]
        _ask(client, "election/proclaim", leader=leader, value=_coded("Kim, at four"))
        _ask(client, "election/leader", name=_coded("tea"))
        _ask(client, "kv/put", key=_coded("notes/leader"), value=_coded("Kim"))
        _ask(client, "election/resign", leader=leader)
        _ask(client, "lease/revoke", ID=lease)
        _ask(client, "lease/leases")


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=f"{url}/v3", timeout=60)


def _ask(client: httpx.Client, what: str, **fields: Any) -> Any:
    return client.post(f"/{what}", json=fields).raise_for_status().json()


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
