"""Prefect on PostgreSQL, by its own client: runs, whose ids are in filters and states."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.applications import postgres
from tests.applications.installed import python_environment, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Prefect 3.9, its own client"
BROWSER = False
UNIQUE: tuple[str, ...] = (
    *("tea-workers", "pack-parcels", "tea_price", "kettle_place", "kettle-uses"),
)

_REQUIREMENTS = ("prefect==3.9.1",)
_CLIENT = str(Path(__file__).parent / "served" / "prefect_client.py")
_STATE = """
SELECT 'flow', name FROM flow;
SELECT 'deployment', deployment.name, flow.name, paused, description
  FROM deployment JOIN flow ON flow.id = flow_id;
SELECT 'run', name, state_type, parameters, tags FROM flow_run;
SELECT 'state', flow_run.name, flow_run_state.type, message
  FROM flow_run_state JOIN flow_run ON flow_run.id = flow_run_id;
SELECT 'pool', name, description, is_paused, concurrency_limit FROM work_pool;
SELECT 'queue', name, is_paused, priority, concurrency_limit FROM work_queue;
SELECT 'variable', name, value, tags FROM variable;
SELECT 'artifact', key, data, description FROM artifact;
SELECT 'limit', name, "limit", active FROM concurrency_limit_v2;
"""


def install() -> None:
    """An environment with Prefect, and PostgreSQL."""
    _programs()
    postgres.install()


def _programs() -> Path:
    return python_environment("prefect", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new database; without the services that work in the background."""
    port = free_port()
    environment = {
        "PREFECT_HOME": str(state),
        "PREFECT_API_DATABASE_CONNECTION_URL": (
            f"postgresql+asyncpg://postgres@/postgres?host={state}"
        ),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    }
    options = ("--host", "127.0.0.1", "--port", str(port), "--no-services", "--no-ui")
    command = (str(_programs() / "prefect"), "server", "start", *options)
    where = f"http://127.0.0.1:{port}/api/health"
    database = postgres.with_database(state, command)
    with serving(database, where, state=state, environment=environment) as url:
        yield url


def state(url: str, folder: Path) -> State:
    """Flows, deployments, runs with their states, pools, queues, variables, limits."""
    return State(Counter(postgres.rows(folder, _STATE).splitlines()))


def _client(url: str, what: str) -> None:
    run(str(_programs() / "python"), _CLIENT, what, environment={"PREFECT_API_URL": f"{url}/api"})


def use(url: str, folder: Path) -> None:
    """Others have deployments and runs."""
    _client(url, "use")


def drive(url: str) -> None:
    """Deployments and runs: one goes through its states, one is renamed, one deleted."""
    _client(url, "session")
