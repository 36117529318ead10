"""Prometheus Alertmanager from Debian, in Go: a silence gets another id whenever it is changed."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from tests.applications.installed import run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Alertmanager 0.25, Go"
BROWSER = False
UNIQUE: tuple[str, ...] = ("KettleHot", "CupBroken", "SpoonBent")

#: What is behind the name of each user's own alert.
_UNIQUE = re.compile("-[A-Za-z0-9]+$")

_ROOT = Path(__file__).parents[2]
_PROGRAM = Path("/usr/bin/prometheus-alertmanager")
_SETTINGS = "route:\n  receiver: nobody\nreceivers:\n- name: nobody\n"


def install() -> None:
    """Alertmanager as a Debian package, for the whole machine."""
    if not _PROGRAM.exists():
        run("bash", ".ci/apt.sh", "prometheus-alertmanager", folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """No alerts, no silences."""
    (state / "alertmanager.yml").write_text(_SETTINGS)
    port = free_port()
    options = ("--config.file=alertmanager.yml", f"--storage.path={state}")
    ports = (f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address=")
    most = "--web.get-concurrency=64"  # at once; of further ones, it refuses each with a 503
    url = f"http://127.0.0.1:{port}/api/v2/status"
    with serving((str(_PROGRAM), *options, *ports, most), url, state=state) as base:
        yield base


def state(url: str, folder: Path) -> State:
    """Silences, whether they still hold, and alerts."""
    with _client(url) as client:
        silences = client.get("/silences").json()
        alerts = client.get("/alerts").json()
    rows = [
        f"{one['comment']} by {one['createdBy']}: {one['status']['state']}, "
        f"{[(each['name'], each['value']) for each in one['matchers']]}"
        for one in silences
    ]
    # Who sends an alert again that is there already adds none: of each user there is one.
    named = {
        (_UNIQUE.sub("", one["labels"]["alertname"]), *one["annotations"].values())
        for one in alerts
    }
    return State(Counter(rows), {"alerts": repr(sorted(named))})


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=f"{url}/api/v2", timeout=60)


def _silence(name: str, comment: str, more: Sequence[str] = (), **id_: str) -> dict[str, object]:
    now = datetime.now(UTC)

    def spelled(time: datetime) -> str:
        return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    matched = [("alertname", name), *(("team", one) for one in more)]
    return {
        "matchers": [
            {"name": key, "value": value, "isRegex": False, "isEqual": True}
            for key, value in matched
        ],
        "startsAt": spelled(now),
        "endsAt": spelled(now + timedelta(hours=2)),
        "createdBy": "Kim",
        "comment": comment,
        **id_,
    }


def use(url: str, folder: Path) -> None:
    """Others have silenced, too; one silence is over."""
    with _client(url) as client:
        for number in range(3):
            made = client.post("/silences", json=_silence(f"Old{number}", f"Old {number}")).json()
        client.delete(f"/silence/{made['silenceID']}").raise_for_status()


def drive(url: str) -> None:
    """Three silences: two are changed, and match less; one is ended; alerts are sent and looked at.

    One that matches the same and begins in the same second keeps its id; so it would depend on the
    time that a replay takes what it leaves.
    """
    with _client(url) as client:

        def get(path: str) -> Any:
            return client.get(path).raise_for_status().json()

        def put(name: str, comment: str, more: Sequence[str] = (), **id_: str) -> str:
            sent = _silence(name, comment, more, **id_)
            made: str = client.post("/silences", json=sent).raise_for_status().json()["silenceID"]
            return made

        get("/status")
        alert = {"labels": {"alertname": "KettleHot"}, "annotations": {"summary": "100 degrees"}}
        client.post("/alerts", json=[alert]).raise_for_status()
        get("/alerts?silenced=false")
        kettle = put("KettleHot", "It is meant to be")
        get(f"/silence/{kettle}")
        put("CupBroken", "Known")
        get("/silences?filter=alertname%3DCupBroken")
        kettle = put("KettleHot", "It is meant to be hot", ["kitchen"], id=kettle)
        get(f"/silence/{kettle}")
        spoon = put("SpoonBent", "Being straightened")
        mine = next(one for one in get("/silences") if one["comment"] == "Known")
        changed = put("CupBroken", "Known, glue is ordered", ["shelf"], id=mine["id"])
        get(f"/silence/{changed}")
        client.delete(f"/silence/{spoon}").raise_for_status()
        get("/silences")
        client.delete(f"/silence/{changed}").raise_for_status()
        get("/alerts/groups")
