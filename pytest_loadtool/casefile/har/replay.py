"""A kept replay as a HAR file, written entry by entry while it runs.

Developer tools of browsers open it. What HAR 1.2 has no place for stands in fields of our own:

* ``log._loadtool``: the test case, the server, the rows of datasets, and who each transaction was;
* ``_loadtool`` of an entry: the index of its transaction, what became of it, why it failed, which
  variables it set; of the first one to end also what all had at the ``start``. A request that was
  answered by a challenge says ``negotiation``, and no more;
* ``log._loadtool_end``: how the replay ended, and its cookies. It is missing as long as it runs.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self, get_args

from pytest_loadtool.casefile.files import check_file, file_errors
from pytest_loadtool.casefile.har.exchange import HEAD, seconds
from pytest_loadtool.casefile.har.lines import entries_of_lines
from pytest_loadtool.casefile.har.table import HarTable
from pytest_loadtool.casefile.har.writer import HarWriter
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.kept_replay import (
    DatasetRow,
    Ending,
    KeptCookie,
    KeptReplay,
    KeptTransaction,
    KeptVariable,
    Outcome,
    TransactionId,
)
from pytest_loadtool.model.result import Cause, Failure

_ABOUT, _END = "_loadtool", "_loadtool_end"
#: No string in JSON holds a line end as it is, so this stands nowhere inside an entry.
_LAST_LINE = f'\n],"{_END}":'.encode()


class ReplayWriter:
    """Writes a new file, private to its owner. Usable in a ``with`` statement.

    Raises:
        FileError: it cannot be created, or exists.
    """

    def __init__(
        self,
        path: Path,
        *,
        case: str,
        started: float,
        server: str,
        transactions: Iterable[TransactionId],
    ) -> None:
        self.path = path
        about = {
            "case": case,
            "started": started,
            "server": server,
            "transactions": [asdict(one) for one in transactions],
        }
        self._har = HarWriter(path, about={_ABOUT: about})

    def negotiation(
        self, index: int, exchange: Exchange, by: int, taken: Mapping[str, str]
    ) -> None:
        """Add a request for the transaction of that index that was answered by a challenge, or has
        refreshed a token: it was that of transaction ``by``, and has set these variables.

        Raises:
            FileError: it cannot be written; the file is then as it was before.
        """
        about = {"transaction": index, "negotiation": True, "by": by, "taken": dict(taken)}
        self._har.append(exchange, {_ABOUT: about})

    def transaction(
        self, one: KeptTransaction, exchange: Exchange, start: Mapping[str, str]
    ) -> None:
        """Add a transaction that has ended. ``start`` are the variables that have a value from the
        beginning, if they were not said before.

        Raises:
            FileError: as `negotiation`.
        """
        about = {
            "transaction": one.index,
            "outcome": one.outcome,
            "failures": [asdict(failure) for failure in one.failures],
            "otherwise": one.not_as_recorded,
            "taken": dict(one.taken),
            "start": dict(start),
            "undecoded": one.undecoded,
            "tunnels": one.tunnels,
        }
        waited = round(min(one.first_byte, exchange.took) * 1_000_000) / 1000
        received = round(exchange.took * 1_000_000 - waited * 1000) / 1000
        timings = {"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0}
        self._har.append(
            exchange,
            {
                "timings": timings | {"wait": waited, "receive": received},
                _ABOUT: {name: said for name, said in about.items() if said or said == 0},
            },
        )

    def end(
        self,
        ending: Ending,
        *,
        seconds: float,
        problem: str = "",
        cookies: Iterable[KeptCookie] = (),
        rows: Iterable[DatasetRow] = (),
    ) -> None:
        """Say how it ended.

        Raises:
            FileError: as `negotiation`.
        """
        self._har.conclude(
            {
                _END: {
                    "ending": ending,
                    "problem": problem,
                    "seconds": round(seconds, 6),
                    "cookies": [asdict(one) for one in cookies],
                    "rows": [asdict(one) for one in rows],
                }
            }
        )

    def close(self) -> None:
        """Close the file. Closing again does nothing."""
        self._har.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write_replay(path: Path, replay: KeptReplay, transactions: Iterable[TransactionId]) -> None:
    """Write a replay into a new file, private to its owner. ``transactions`` are all of the test
    case, of which the replay may have some.

    Raises:
        FileError: it cannot be created, or exists.
    """
    with ReplayWriter(
        path,
        case=replay.case,
        started=replay.started,
        server=replay.server,
        transactions=transactions,
    ) as to:
        for one in replay.sent:
            if one.exchange is not None:
                to.transaction(one, one.exchange, {})
        to.end(replay.ending, seconds=replay.seconds, rows=replay.rows)


def read_replay(path: Path) -> KeptReplay:
    """Return the replay that a file of ours keeps; large bodies stay in the file.

    Raises:
        FileError: it cannot be read, or is no kept replay.
    """
    check_file(path)
    with file_errors(path, "read"):
        about = _head(path)
        known = [_identity(one) for one in about.tables("transactions")]
        kept = {index: KeptTransaction(index, one) for index, one in enumerate(known)}
        waiting: dict[int, tuple[Exchange, ...]] = {}
        start: dict[str, str] = {}
        values: dict[str, KeptVariable] = {}
        for exchange, entry in entries_of_lines(path):
            said = HarTable.of(entry).table(_ABOUT)
            index = said.get("transaction", int, -1)
            if index not in kept:
                continue
            for name, value in _texts(said.table("taken")).items():
                before = values[name].set_by if name in values else ()
                by = said.get("by", int, index)
                values[name] = KeptVariable(name, value, (*before, by))
            if said.members.get("negotiation"):
                waiting[index] = (*waiting.get(index, ()), exchange)
                continue
            start |= _texts(said.table("start"))
            one = _transaction(kept[index], said, entry, exchange)
            kept[index] = replace(one, negotiation=waiting.pop(index, ()))
        end = _end(path)
    for name, value in start.items():
        values.setdefault(name, KeptVariable(name, value))
    for index, exchanges in waiting.items():
        kept[index] = replace(kept[index], negotiation=exchanges)
    started = about.get("started", (int, float), 0.0)
    ends = [one.exchange.started + one.exchange.took for one in kept.values() if one.exchange]
    return KeptReplay(
        case=about.get("case", str, ""),
        started=started,
        seconds=end.get("seconds", (int, float), max(0.0, max(ends, default=started) - started)),
        server=about.get("server", str, ""),
        transactions=tuple(kept.values()),
        variables=tuple(values.values()),
        cookies=tuple(map(_cookie, end.tables("cookies"))),
        rows=tuple(map(_row, end.tables("rows"))),
        ending=_one_of(Ending, end.get("ending", str, ""), "interrupted"),
        problem=end.get("problem", str, ""),
    )


def _head(path: Path) -> HarTable:
    with path.open("rb") as file:
        line = file.readline() if file.read(len(HEAD)) == HEAD else b""
    try:
        about = json.loads(HEAD + line + b"]}}")["log"].get(_ABOUT) if line else None
    except (ValueError, KeyError, TypeError, AttributeError):
        about = None
    if not isinstance(about, dict):
        raise FileError(
            str(path), 0, "", "no kept replay: `play` and --loadtool-keep-replay write them"
        )
    return HarTable.of(about)


def _end(path: Path) -> HarTable:
    """Return what the closing line says; nothing while the replay runs, or if it was killed."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        begin = content.rfind(_LAST_LINE)
        text = content[begin + len(_LAST_LINE) :] if begin >= 0 else b""
    try:
        found = json.loads(text.strip().removesuffix(b"}}"))
    except ValueError:
        found = {}
    return HarTable.of(found if isinstance(found, dict) else {})


def _identity(said: HarTable) -> TransactionId:
    return TransactionId(
        said.get("title", str, ""),
        said.get("page", str, ""),
        said.get("method", str, ""),
        said.get("target", str, ""),
        said.get("entry", int, None),
        said.get("line", int, 0),
    )


def _transaction(
    known: KeptTransaction, said: HarTable, entry: Mapping[str, Any], exchange: Exchange
) -> KeptTransaction:
    waited = HarTable.of(entry).table("timings").get("wait", (int, float), 0)
    return replace(
        known,
        outcome=_one_of(Outcome, said.get("outcome", str, ""), "passed"),
        exchange=exchange,
        failures=tuple(
            Failure(
                _one_of(Cause, one.get("cause", str, ""), "internal"),
                one.get("message", str, ""),
                one.get("seen", str, ""),
            )
            for one in said.tables("failures")
        ),
        not_as_recorded=said.get("otherwise", str, ""),
        taken=_texts(said.table("taken")),
        first_byte=seconds(waited),
        undecoded=said.get("undecoded", str, ""),
        tunnels=said.get("tunnels", int, 0),
    )


def _cookie(said: HarTable) -> KeptCookie:
    return KeptCookie(
        said.get("name", str, ""),
        said.get("value", str, ""),
        said.get("domain", str, ""),
        said.get("path", str, "/"),
        said.members.get("secure") is True,
        said.get("expires", (int, float), None),
    )


def _row(said: HarTable) -> DatasetRow:
    return DatasetRow(
        said.get("dataset", str, ""), said.get("file", str, ""), said.get("row", int, 0)
    )


def _texts(said: HarTable) -> dict[str, str]:
    return {name: value for name, value in said.members.items() if isinstance(value, str)}


def _one_of(words: Any, said: str, not_as_recorded: Any) -> Any:
    """Return what is said if it is one of the words, as it should be."""
    return said if said in get_args(words) else not_as_recorded
