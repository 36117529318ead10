"""Spyne: SOAP with ids in elements and arrays, called by Zeep, which reads the WSDL first."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.applications.installed import python_environment, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Spyne 2.14, SOAP"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

#: Spyne brings an old copy of six, which Python 3.12 can no longer load.
_REQUIREMENTS = ("spyne==2.14.0", "zeep==4.3.3", "six>=1.17")
_SERVED = Path(__file__).parent / "served"


def install() -> None:
    """An environment with Spyne and Zeep."""
    _python()


def _python() -> str:
    return str(python_environment("spyne-soap", *_REQUIREMENTS) / "python")


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Everything is in the process's memory."""
    port = free_port()
    command = (_python(), str(_SERVED / "spyne_orders.py"), str(port))
    with serving(command, f"http://127.0.0.1:{port}/?wsdl", state=state) as url:
        yield url


def _client(url: str, what: str) -> tuple[str, ...]:
    return (_python(), str(_SERVED / "zeep_client.py"), url, what)


def state(url: str, folder: Path) -> State:
    """What was done to orders."""
    done = subprocess.run(_client(url, "journal"), capture_output=True, text=True, check=True)
    return State(Counter(json.loads(done.stdout)))


def use(url: str, folder: Path) -> None:
    """Orders of others, of which one is cancelled."""
    run(*_client(url, "use"))


def drive(url: str) -> None:
    """Three orders: one is changed, two get a status together, one is cancelled."""
    run(*_client(url, "session"))
