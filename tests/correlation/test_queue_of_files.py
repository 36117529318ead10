"""A queue of files that were sent by their names, and are shown without their endings. Judged by
the state of the server."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


def _short(name: str) -> dict[str, Any]:
    return {"called": name.removesuffix(".nzb")}


def _whole(name: str) -> dict[str, Any]:
    return {"NZBFilename": name}


@dataclass
class Queue:
    """What is done to its files is called by JSON-RPC, with arguments that have no names."""

    first: int = 1
    show: Callable[[str], dict[str, Any]] = _short
    files: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.files = [(at, f"old-{at}.nzb") for at in range(1, self.first)]

    def answer(self, method: str, _target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "GET":
            queue = [{"ID": at, "state": "queued"} | self.show(one) for at, one in self.files]
            return json_answer({"result": queue})
        call = json.loads(body)
        if call["method"] == "append":
            self.files.append((max((at for at, _ in self.files), default=0) + 1, call["params"][0]))
        elif call["params"][0] == "top":
            ids = call["params"][1]
            self.files.sort(key=lambda one: one[0] not in ids)
        else:
            self.files = [one for one in self.files if one[0] not in call["params"][1]]
        return json_answer({"result": True})


def _session(client: Client) -> None:
    def call(method: str, *params: Any) -> None:
        body = json.dumps({"method": method, "params": params}).encode()
        client.send("POST", "/rpc", body, {"Content-Type": "application/json"})
        client.send("GET", "/rpc/list")

    client.send("GET", "/rpc/list")
    for name in ("teahouse", "milkbar", "spoons"):
        call("append", f"{name}.nzb")
    call("edit", "top", [3, 2])
    call("edit", "remove", [1])


@pytest.mark.parametrize("show", [_short, _whole], ids=["without its ending", "in capitals"])
def test_a_file_by_its_name(show: Callable[[str], dict[str, Any]]) -> None:
    """Also under a key of which one alone could be a code, which all that is listed have; and those
    that are moved to an end are those whose ids were sent."""
    case, office = recorded(Queue(show=show), _session), Queue(first=4, show=show)
    assert colour(replayed(case, office)) == "GREEN"
    assert [name for _, name in office.files] == [
        *("milkbar.nzb", "spoons.nzb", "old-1.nzb", "old-2.nzb", "old-3.nzb")
    ]
