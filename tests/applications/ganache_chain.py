"""Ganache, a block chain for developers, by JSON-RPC: accounts, transfers and a contract."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications.installed import node_modules
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "Ganache 7.9, JSON-RPC"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

_REQUIREMENTS = ("ganache@7.9.2",)
_PASSPHRASE = "correct-horse-battery"
_ETHER = 10**18
#: It keeps the word that it is sent, and gives it back when it is sent none.
_CONTRACT = "0x6017600c60003960176000f3" + "36600f5760005460005260206000f35b60003560005500"


def install() -> None:
    """The package from npm."""
    node_modules("ganache", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A chain in the process's memory, with ten rich accounts that are the same each time."""
    program = node_modules("ganache", *_REQUIREMENTS) / ".bin" / "ganache"
    port = free_port()
    where = ("--server.host", "127.0.0.1", "--server.port", str(port))
    command = ("node", str(program), "--wallet.deterministic", *where, "--logging.quiet")
    with serving(command, f"http://127.0.0.1:{port}/", state=state) as url:
        yield url


class _Client(httpx.Client):
    """Calls procedures, each call with a number of its own."""

    def __init__(self, url: str) -> None:
        super().__init__(base_url=url, timeout=60)
        self._numbers = itertools.count(1)

    def call(self, method: str, *params: object) -> Any:
        """What the procedure gives back."""
        sent = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}
        answer = self.post("/", json=sent).raise_for_status().json()
        assert "error" not in answer, answer
        return answer["result"]

    def transact(self, **transaction: object) -> Any:
        """The receipt of a transaction."""
        return self.call("eth_getTransactionReceipt", self.call("eth_sendTransaction", transaction))

    def account(self) -> str:
        """A new one, which may send for a while."""
        made: str = self.call("personal_newAccount", _PASSPHRASE)
        self.call("personal_unlockAccount", made, _PASSPHRASE, 6000)
        return made


def state(url: str, folder: Path) -> State:
    """Of each account what it got and gave; of each contract what its maker got, and its word."""
    got: defaultdict[str, list[int]] = defaultdict(list)
    gave: defaultdict[str, list[int]] = defaultdict(list)
    makers: dict[str, str] = {}
    with _Client(url) as client:
        for number in range(1, int(client.call("eth_blockNumber"), 16) + 1):
            block = client.call("eth_getBlockByNumber", hex(number), True)
            for one in block["transactions"]:
                if one["to"] is None:
                    receipt = client.call("eth_getTransactionReceipt", one["hash"])
                    makers[receipt["contractAddress"]] = one["from"]
                    continue
                got[one["to"]].append(int(one["value"], 16))
                gave[one["from"]].append(int(one["value"], 16))
        rich = client.call("eth_accounts")[:10]
        rows = Counter(
            f"got {sorted(got[one])}, gave {sorted(gave[one])}"
            for one in (got.keys() | gave.keys()) - makers.keys() - set(rich)
        )
        for contract, maker in makers.items():
            word = client.call("eth_call", {"to": contract}, "latest")
            rows[f"of one who got {sorted(got[maker])}: {int(word, 16)}"] += 1
    return State(rows)


def use(url: str, folder: Path) -> None:
    """Others have accounts and a contract."""
    with _Client(url) as client:
        rich = client.call("eth_accounts")[0]
        for ether in (3, 2):
            other = client.account()
            client.transact(**{"from": rich, "to": other, "value": hex(ether * _ETHER)})
        client.transact(**{"from": other, "data": _CONTRACT, "gas": hex(200_000)})


def drive(url: str) -> None:
    """Two accounts: one is paid, pays the other, and makes two contracts, one of which is used."""
    with _Client(url) as client:
        client.call("web3_clientVersion")
        rich = client.call("eth_accounts")[0]
        ann, bob = client.account(), client.account()
        client.transact(**{"from": rich, "to": ann, "value": hex(10 * _ETHER)})
        sent = {"from": ann, "to": bob, "value": hex(4 * _ETHER)}
        paid = client.transact(**sent, gas=hex(21_000))
        client.call("eth_getBlockByHash", paid["blockHash"], True)
        client.call("eth_getTransactionByHash", paid["transactionHash"])
        client.call("eth_getBalance", bob, "latest")
        made = {"from": ann, "data": _CONTRACT, "gas": hex(200_000)}
        first = client.transact(**made)["contractAddress"]
        second = client.transact(**made)["contractAddress"]
        client.call("eth_getCode", first, "latest")
        client.transact(**{"from": ann, "to": second, "data": f"0x{41:064x}"})
        client.call("eth_call", {"to": second}, "latest")
        client.transact(**{"from": bob, "to": second, "data": f"0x{42:064x}"})
        client.call("eth_call", {"to": second}, "latest")
        client.transact(**{"from": bob, "to": ann, "value": hex(_ETHER), "gas": hex(21_000)})
        client.call("personal_lockAccount", ann)
        client.call("eth_getBalance", bob, paid["blockNumber"])
