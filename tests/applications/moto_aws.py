"""Moto, a stand-in for Amazon's services, asked by Amazon's own client: XML, JSON and forms."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.applications.installed import python_environment, run
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Moto 5.2, S3, SQS and EC2 by boto3"
BROWSER = False
UNIQUE: tuple[str, ...] = ("tea-orders", "tea-parcels")

_REQUIREMENTS = ("moto[server,s3,sqs,ec2]==5.2.5", "boto3==1.44.8")
_CLIENT = str(Path(__file__).parent / "served" / "boto3_client.py")


def install() -> None:
    """An environment with Moto and boto3."""
    _programs()


def _programs() -> Path:
    return python_environment("moto", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A cloud of its own, in memory."""
    port = free_port()
    command = (str(_programs() / "moto_server"), "-H", "127.0.0.1", "-p", str(port))
    small = {"S3_UPLOAD_PART_MIN_SIZE": "1024"}
    where = f"http://127.0.0.1:{port}/moto-api/"
    with serving(command, where, state=state, environment=small) as url:
        yield url


def _client(url: str, what: str) -> str:
    return run(str(_programs() / "python"), _CLIENT, url, what)


def state(url: str, folder: Path) -> State:
    """The objects with their texts and tags, the messages, and the groups with their rules."""
    return State(members=Counter(json.loads(_client(url, "state"))))


def use(url: str, folder: Path) -> None:
    """Others have objects, messages and groups."""
    _client(url, "use")


def drive(url: str) -> None:
    """Objects, one in parts; messages that are received and deleted; a group with rules."""
    run(str(_programs() / "python"), _CLIENT, url, "session")
