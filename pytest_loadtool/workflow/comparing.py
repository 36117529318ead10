"""A transaction as recorded beside what a replay made of it: what differs, and what explains it.

A difference is expected where the two lines are the same once each known value is taken for the
placeholder that it stands for: values of variables and datasets, the server, cookies. Others are
pointed out: a value that nobody passed on, a header that was sent and no longer is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal
from urllib.parse import urlsplit

from pytest_loadtool.codec.spellings import spellings
from pytest_loadtool.correlation.responses.recorded import is_noise
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.kept_replay import KeptTransaction
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.message_lines import (
    LONGEST_READ,
    MessageLine,
    body_lines,
    header_lines,
)
from pytest_loadtool.workflow.replays import OpenReplay, mask_for
from pytest_loadtool.workflow.value_flow import sent_in

#: Lines of a body that are compared.
_MOST_LINES = 5000

Mark = Literal["same", "expected", "different"]
#: What stands for a known value while lines are compared: no text has it.
_KNOWN = "\ue000{}\ue001"
_TOKEN = re.compile("\ue000(.*?)\ue001")
_SERVER = "the server"


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A line on both sides, or on one of them (None: the other has none). ``why`` says what
    explains an expected difference."""

    was: MessageLine | None
    now: MessageLine | None
    mark: Mark = "same"
    why: str = ""

    @property
    def recorded(self) -> str | None:
        """The recorded line, as it is shown."""
        return self.was.shown if self.was is not None else None

    @property
    def replayed(self) -> str | None:
        """The line of the replay, as it is shown."""
        return self.now.shown if self.now is not None else None


@dataclass(frozen=True, slots=True)
class DiffSection:
    """One part of the exchange, with all its lines."""

    title: str
    rows: tuple[DiffRow, ...]

    @property
    def unexplained(self) -> int:
        """Return how many differences nothing explains."""
        return sum(1 for one in self.rows if one.mark == "different")

    @property
    def expected(self) -> int:
        """Return how many differences are expected."""
        return sum(1 for one in self.rows if one.mark == "expected")


def compared(
    document: Document,
    index: int,
    opened: OpenReplay,
    *,
    mask: Mask | None = None,
    longest: int = LONGEST_READ,
) -> tuple[DiffSection, ...]:
    """Return the differences between what was recorded of a transaction, by its index, and what the
    replay kept of it: its request, its status, headers and body. Without ``mask``, secrets are cut.
    Of a body ``longest`` characters are read.

    Raises:
        ValueError: it was not recorded, the traffic is not at hand, or it was not replayed.
    """
    transaction = list(document.case.transactions())[index]
    was, kept = document.evidence_of(transaction), opened.transaction(document.case, index)
    if was is None:
        raise ValueError("what was recorded of it is not at hand")
    if kept is None or kept.exchange is None:
        raise ValueError(_not_sent(kept))
    now, mask = kept.exchange, mask or mask_for(document, opened)
    comparing = _Comparing(*_known(document.case, transaction, was, now, opened))
    before = _parts(was, mask, longest)
    after = _parts(now, mask, longest, like=was)
    return tuple(
        DiffSection(title, tuple(comparing.rows(before[title], after[title]))) for title in before
    )


def replayed_alone(
    now: Exchange, mask: Mask, *, longest: int = LONGEST_READ
) -> tuple[DiffSection, ...]:
    """Return the sections of a transaction of which nothing recorded is at hand."""
    return tuple(
        DiffSection(title, tuple(DiffRow(line, line) for line in lines[:_MOST_LINES]))
        for title, lines in _parts(now, mask, longest).items()
    )


def _parts(
    one: Exchange, mask: Mask, longest: int, like: Exchange | None = None
) -> dict[str, list[MessageLine]]:
    """Return the lines of an exchange by section; a body without a type is taken for one ``like``
    that."""
    sent_as, came_as = (
        next(filter(None, types), "")
        for types in (
            [each.request_header("content-type") for each in (one, like) if each is not None],
            [each.response_header("content-type") for each in (one, like) if each is not None],
        )
    )
    return {
        "Request": [_start(one, mask)],
        "Request headers": header_lines(one.request_headers, mask),
        "Request body": body_lines(one.request_body, sent_as, mask, longest),
        "Status": [_status(one)],
        "Response headers": header_lines(one.response_headers, mask),
        "Response body": body_lines(one.response_body, came_as, mask, longest),
    }


def _not_sent(kept: KeptTransaction | None) -> str:
    if kept is None:
        return "the replay knows no such transaction: it was added since, or made another"
    return "it was not sent in that replay, or got no answer before that ended"


def _start(one: Exchange, mask: Mask) -> MessageLine:
    text = f"{one.method} {one.url}"
    return MessageLine(text, f"{one.method} {mask.text(one.url)}")


def _status(one: Exchange) -> MessageLine:
    text = f"{one.status} {one.reason}".rstrip() if one.status else f"no response: {one.error}"
    return MessageLine(text, text)


def _known(
    case: TestCase,
    transaction: Transaction,
    was: Exchange,
    now: Exchange,
    opened: OpenReplay,
) -> tuple[dict[str, str], dict[str, str]]:
    """Return by value what it stands for: when it was recorded, and in the replay."""
    recorded: dict[str, set[str]] = {}
    replayed: dict[str, set[str]] = {}
    for name, variable in case.variables.items():
        if variable.recorded:
            recorded.setdefault(name, set()).add(variable.recorded)
    for one in opened.replay.transactions:
        for name, value in one.taken.items():
            replayed.setdefault(name, set()).add(value)
    for name, value in opened.values.items():
        replayed.setdefault(name, set()).add(value)
    for exchange, found in ((was, recorded), (now, replayed)):
        for name, value in sent_in(case, transaction, exchange).items():
            found.setdefault(name, set()).add(value)
        server = urlsplit(exchange.url).netloc
        found[_SERVER] = {server} if server else set()
    names = recorded.keys() & replayed.keys()
    return tuple(  # type: ignore[return-value]  # two of them
        {value: name for name in sorted(names) for value in found[name] if value}
        for found in (recorded, replayed)
    )


class _Comparing:
    """Compares lines by what they say once known values are taken for what they stand for."""

    def __init__(self, recorded: Mapping[str, str], replayed: Mapping[str, str]) -> None:
        self._was = _KnownValues(recorded)
        self._now = _KnownValues(replayed)

    def rows(self, was: Sequence[MessageLine], now: Sequence[MessageLine]) -> Iterator[DiffRow]:
        """Yield the lines of both sides, those that stand for each other together."""
        left = max(len(was), len(now)) - _MOST_LINES
        was, now = was[:_MOST_LINES], now[:_MOST_LINES]
        old = [self._was.read(one) for one in was]
        new = [self._now.read(one) for one in now]
        matcher = SequenceMatcher(None, old, new, autojunk=len(old) > 500)
        for _, a, b, c, d in matcher.get_opcodes():
            yield from self._paired(was[a:b], now[c:d], old[a:b], new[c:d])
        if left > 0:
            more = f"… {left:,} more lines"
            yield DiffRow(MessageLine(more, more), None)

    def _paired(
        self,
        was: Sequence[MessageLine],
        now: Sequence[MessageLine],
        old: Sequence[str],
        new: Sequence[str],
    ) -> Iterator[DiffRow]:
        """Yield lines in the place of each other: those of one name together, or one after the
        other."""
        named: dict[str, list[int]] = {}
        for at, one in enumerate(now):
            named.setdefault(one.name, []).append(at)
        taken: set[int] = set()
        for at, one in enumerate(was):
            if not named.get(one.name):
                yield _alone(one, recorded=True)
                continue
            other = named[one.name].pop(0)
            taken.add(other)
            yield _row(one, now[other], old[at], new[other])
        for at, one in enumerate(now):
            if at not in taken:
                yield _alone(one, recorded=False)


def _alone(one: MessageLine, *, recorded: bool) -> DiffRow:
    was, now = (one, None) if recorded else (None, one)
    if one.name in _EACH_TIME:
        return DiffRow(was, now, "expected", "differs each time")
    return DiffRow(was, now, "different")


def _row(was: MessageLine, now: MessageLine, old: str, new: str) -> DiffRow:
    if was.text == now.text:
        return DiffRow(was, now)
    if old == new:
        why = ", ".join(dict.fromkeys(_TOKEN.findall(old)))
        return DiffRow(was, now, "expected", why)
    if was.name and _may_differ(was, now):
        return DiffRow(was, now, "expected", "differs each time")
    return DiffRow(was, now, "different")


def _may_differ(was: MessageLine, now: MessageLine) -> bool:
    """Return whether a header differs each time by nature: a date, a length, cookies of the same
    names."""
    if was.name == "cookie" or was.name.startswith("set-cookie "):
        return _cookie_names(was.text) == _cookie_names(now.text)
    return was.name in _EACH_TIME or is_noise(was.name)


def _cookie_names(line: str) -> list[str]:
    name, _, value = line.partition(": ")
    pairs = value.split("; ") if name.lower() == "cookie" else [value.partition(";")[0]]
    return sorted(pair.partition("=")[0] for pair in pairs)


#: Headers whose value follows from the rest of the message, or from the time.
_EACH_TIME = frozenset({"content-length", "date", "expires", "last-modified", "age", "etag"})


class _KnownValues:
    """The known values of one side."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = {
            form: name for value, name in names.items() for form in _forms(value) if form
        }
        forms = sorted(self._names, key=len, reverse=True)
        found = "|".join(map(re.escape, forms))
        self._pattern = re.compile(rf"(?<![^\W_])(?:{found})(?![^\W_])") if forms else None

    def read(self, line: MessageLine) -> str:
        """Return the line with known values replaced."""
        if self._pattern is None:
            return line.text
        return self._pattern.sub(lambda match: _KNOWN.format(self._names[match[0]]), line.text)


def _forms(value: str) -> Iterable[str]:
    """Return how a value may be written."""
    return spellings(value) if len(value) > 1 else ()
