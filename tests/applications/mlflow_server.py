"""MLflow: a REST API as its own client speaks it, with ids of 32 characters and of 18 digits."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.applications.installed import python_environment
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "MLflow 3.17, its own client"
BROWSER = False
UNIQUE: tuple[str, ...] = ("tea-leaves", "cup-model")
_REQUIREMENTS = ("mlflow==3.17.2",)

_SESSION = """
import sys
import time

from mlflow.entities import Metric, Param, RunTag
from mlflow.tracking import MlflowClient

client = MlflowClient(tracking_uri=sys.argv[1], registry_uri=sys.argv[1])
experiment = client.create_experiment("tea-leaves", tags={"owner": "Ada"})
runs = []
for name in ("green", "black", "oolong"):
    run = client.create_run(experiment, run_name=name, tags={"team": "cups"}).info.run_id
    now = int(time.time() * 1000)
    client.log_batch(
        run,
        metrics=[Metric("steep", 3.5, now, 0), Metric("steep", 4.5, now, 1)],
        params=[Param("leaf", name), Param("water", "95")],
        tags=[RunTag("note", name + " tea")],
    )
    client.log_metric(run, "score", 0.5)
    client.set_terminated(run)
    runs.append(run)
client.set_tag(runs[1], "note", "changed")
client.delete_run(runs[2])
(found,) = client.search_runs([experiment], filter_string="params.leaf = 'green'")
client.update_run(found.info.run_id, name="green again")
client.delete_tag(runs[0], "team")
client.create_registered_model("cup-model", description="Cups")
for run in runs[:2]:
    version = client.create_model_version("cup-model", f"runs:/{run}/model", run).version
client.update_registered_model("cup-model", description="Cups and saucers")
client.set_registered_model_alias("cup-model", "champion", "1")
client.set_model_version_tag("cup-model", version, "checked", "yes")
client.get_model_version_by_alias("cup-model", "champion")
client.set_experiment_tag(experiment, "season", "autumn")
client.search_runs([experiment])
"""
_OF_RUNS = "join runs r using (run_uuid)"
_TABLES = (
    "'experiment', name, lifecycle_stage from experiments",
    "'run', name, status, lifecycle_stage from runs",
    f"'param', r.name, p.key, p.value from params p {_OF_RUNS}",
    f"'metric', r.name, p.key, p.value, p.step from metrics p {_OF_RUNS}",
    f"'tag', r.name, p.key, p.value from tags p {_OF_RUNS} where key not like 'mlflow.%'",
    "'tag', e.name, p.key, p.value from experiment_tags p join experiments e using (experiment_id)",
    "'model', name, description from registered_models",
    "'version', m.name, version, (select name from runs where run_uuid = run_id)"
    " from model_versions m",
    "'alias', name, alias, version from registered_model_aliases",
    "'tag', name, version, key, value from model_version_tags",
)


def install() -> None:
    """An environment with MLflow."""
    _programs()


def _programs() -> Path:
    return python_environment("mlflow", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """An empty server."""
    port = free_port()
    command = (
        *(str(_programs() / "mlflow"), "server", "--host", "127.0.0.1", "--port", str(port)),
        *("--workers", "1", "--backend-store-uri", f"sqlite:///{state}/mlflow.db"),
        *("--default-artifact-root", f"{state}/artifacts"),
    )
    with serving(command, f"http://127.0.0.1:{port}/health", state=state) as base:
        yield base


def state(url: str, folder: Path) -> State:
    """Experiments, runs with what was logged, and models."""
    rows: Counter[str] = Counter()
    with contextlib.closing(sqlite3.connect(folder / "mlflow.db")) as database:
        for table in _TABLES:
            rows.update(map(str, database.execute(f"select {table}")))
    return State(rows)


def use(url: str, folder: Path) -> None:
    """Somebody else has done the same with other names."""
    _run(_SESSION.replace("tea-leaves", "old").replace("cup-model", "old-model"), url)


def _run(text: str, url: str) -> None:
    command = (str(_programs() / "python"), "-c", text, url)
    subprocess.run(command, check=True, capture_output=True)


def drive(url: str) -> None:
    """Three runs of an experiment, of which one is deleted, and two versions of a model."""
    _run(_SESSION, url)
