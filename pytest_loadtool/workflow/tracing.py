"""A replay as one page: what was recorded beside what was replayed, and each value's way.

It is kept beside the HAR of the replay, under its name. Unlike in that, secrets are cut in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pytest_loadtool.casefile.files import replace_file
from pytest_loadtool.codec.printable import on_one_line, printable
from pytest_loadtool.diagnosis.kept import matched
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.kept_replay import KeptTransaction
from pytest_loadtool.report.failure import DiagnosedFailure
from pytest_loadtool.report.html.diagnosis import diagnosis_data
from pytest_loadtool.report.html.page import page
from pytest_loadtool.workflow.comparing import DiffRow, DiffSection, compared, replayed_alone
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.keeping import trace_path
from pytest_loadtool.workflow.message_lines import MessageLine
from pytest_loadtool.workflow.replays import OpenReplay, mask_for
from pytest_loadtool.workflow.value_flow import (
    Happened,
    ValueFinder,
    ValueFlow,
    ValuePlace,
    flows_of,
    shown_value,
)

#: How many bytes of JSON all exchanges of a page may take, so that it stays below 2 MB, and
#: what one may take as long as that much is left for each of the others.
TRACE_LIMIT, _TRACE_LEAST = 1_200_000, 2_000
#: The most of one, and characters of a line, that are shown; and equal lines around a difference.
MOST_OF_EXCHANGE, LONGEST_TRACE_LINE, _AROUND = 200_000, 2_000, 3
#: Characters of a body that are read for the page: what is cut off may be half a secret, so they
#: are more than are shown.
_TRACE_READ = 400_000
_READ_BEYOND = 20_000
#: Characters of a value that are shown where it is followed.
LONGEST_VALUE_SHOWN = 200


def write_trace(
    document: Document,
    kept: Path,
    *,
    path: str,
    failure: DiagnosedFailure | None,
    secrets: Sequence[str] = (),
) -> Path:
    """Write the page of the replay that the file ``kept`` keeps; ``path`` is the test case's, and
    ``failure`` why it failed, if it did. ``secrets`` are cut wherever they stand, besides those
    that the messages carry.

    Raises:
        FileError: the replay cannot be read, or the page cannot be written.
    """
    opened = OpenReplay.read(kept)
    mask = mask_for(document, opened, secrets)
    target = trace_path(kept)
    content = _Trace(document, opened, mask, path, failure).page()
    replace_file(target, content, private=True)
    return target


class _Trace:
    """A replay of a test case, about to become a page."""

    def __init__(
        self,
        document: Document,
        opened: OpenReplay,
        mask: Mask,
        path: str,
        failure: DiagnosedFailure | None,
    ) -> None:
        self._document, self._opened, self._mask = document, opened, mask
        self._path, self._failure = path, failure
        kept = matched(document.case, opened.replay)
        self._kept = [kept.get(index) for index, _ in enumerate(document.case.transactions())]
        self._happened = [
            Happened(
                index,
                one,
                document.evidence_of(one),
                kept.exchange if kept is not None else None,
                kept.taken if kept is not None else {},
            )
            for (index, one), kept in zip(
                enumerate(document.case.transactions()), self._kept, strict=True
            )
        ]
        self._flows = flows_of(document.case, self._happened)
        self._was = ValueFinder(self._flows, recorded=True)
        self._now = ValueFinder(self._flows, recorded=False)

    def page(self) -> bytes:
        """Return the page."""
        details = self._details()
        rows = [self._row(index, details[index]) for index, _ in enumerate(self._happened)]
        replay = self._opened.replay
        ends = [one["at"] + one["wait"] + one["receive"] for one in rows]
        failed = len(replay.failed)
        found = self._failure
        shown = {
            "title": f"{self._document.case.name}: {'failed' if failed else replay.ending}",
            "case": self._document.case.name,
            "path": self._path,
            "har": self._opened.path.name,
            "outcome": "failed" if failed or replay.ending == "error" else "passed",
            "problem": self._mask.known(replay.problem),
            "started": datetime.fromtimestamp(replay.started, UTC)
            .astimezone()
            .isoformat(" ", "seconds"),
            "seconds": replay.seconds,
            "server": replay.server,
            "total": len(rows),
            "sent": sum(1 for one in rows if one["sent"]),
            "failed": failed,
            "diagnosis": diagnosis_data(found.diagnosis, found.mask, self._path)
            if found is not None
            else None,
            "pages": self._pages(rows),
            "span": max([*ends, 1.0]),
            "recorded": bool(self._document.exchanges),
            "cut": sum(1 for one in details if one.get("cut")),
        }
        opened = [one["number"] - 1 for one in rows if one["outcome"] == "failed"][:1]
        if found is not None:
            opened = [*{found.diagnosis.mend.index: 0, found.diagnosis.failed.index: 0}]
        data = {"transactions": details, "values": self._values(), "open": opened}
        return page("trace.html", shown, data=data, scripts=("static/common.js", "static/trace.js"))

    def _pages(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        waiting = iter(rows)
        return [
            {"name": one.name, "transactions": [next(waiting) for _ in one.transactions]}
            for one in self._document.case.pages
        ]

    def _row(self, index: int, details: dict[str, Any]) -> dict[str, Any]:
        """Return a transaction in the waterfall; times in milliseconds."""
        kept, one = self._kept[index], self._happened[index]
        now = one.now
        recorded = one.transaction.recorded
        wait = min(kept.first_byte, now.took) * 1000 if kept is not None and now else 0.0
        return {
            "number": index + 1,
            "title": one.transaction.title,
            "line": one.transaction.line,
            "sent": now is not None,
            "outcome": kept.outcome if kept is not None else "never sent",
            "status": now.status if now else 0,
            "was": recorded.status if recorded is not None else 0,
            "at": max(0.0, now.started - self._opened.replay.started) * 1000 if now else 0.0,
            "wait": wait,
            "receive": now.took * 1000 - wait if now else 0.0,
            "different": details["different"],
            "said": self._said(kept) if kept is not None else "",
            "negotiation": len(kept.negotiation) if kept is not None else 0,
        }

    def _said(self, kept: KeptTransaction) -> str:
        said = "; ".join(one.told for one in kept.failures) or kept.not_as_recorded
        return printable(self._mask.known(said))

    # What was sent and received.

    def _details(self) -> list[dict[str, Any]]:
        """Return each exchange, those that tell most first, as long as there is room."""
        details: dict[int, dict[str, Any]] = {}
        left, waiting = TRACE_LIMIT, len(self._happened)
        for index in self._by_importance():
            waiting -= 1
            room = min(MOST_OF_EXCHANGE, max(left - waiting * _TRACE_LEAST, 0))
            details[index] = found = self._exchange(index, room)
            left -= _weight(json.dumps(found["sections"], ensure_ascii=False))
        return [details[index] for index, _ in enumerate(self._happened)]

    def _by_importance(self) -> list[int]:
        """Return the transaction to mend, that which failed first, all that failed, those that gave
        a value to one of these; then the rest."""
        found = self._failure
        first = [found.diagnosis.mend.index, found.diagnosis.failed.index] if found else []
        first += [one.index for one in self._opened.replay.failed if one.index < len(self._kept)]
        wanted = set(first)
        givers = [
            place.index
            for flow in self._flows
            if wanted & {one.index for one in flow.sent}
            for place in flow.given
        ]
        return [*dict.fromkeys([*first, *givers, *range(len(self._happened))])]

    def _exchange(self, index: int, room: int) -> dict[str, Any]:
        one, note = self._happened[index], ""
        longest = min(_TRACE_READ, _READ_BEYOND + 2 * room)
        sections: Sequence[DiffSection] = ()
        if one.now is not None and one.was is not None:
            sections = compared(
                self._document, index, self._opened, mask=self._mask, longest=longest
            )
        elif one.now is not None:
            sections = replayed_alone(one.now, self._mask, longest=longest)
            note = "What was recorded of it is not at hand, so there is nothing to compare with."
        else:
            note = "It was not sent, or got no answer before the replay ended."
        told, is_cut = self._told(sections, room)
        return {
            "title": one.transaction.title,
            "page": self._page_of(index),
            "note": note,
            "different": sum(part.unexplained for part in sections),
            "sections": told,
            "cut": is_cut,
        }

    def _page_of(self, index: int) -> str:
        for one in self._document.case.pages:
            if index < len(one.transactions):
                return one.name
            index -= len(one.transactions)
        return ""

    def _told(self, sections: Sequence[DiffSection], room: int) -> tuple[list[Any], bool]:
        """Return sections with their rows up to ``room`` characters, and whether something is left
        out."""
        told: list[Any] = []
        is_cut = False
        for part in sections:
            rows: list[Any] = []
            for row in _folded(part.rows, whole=part.title != "Response body" or room > 50_000):
                if isinstance(row, int):
                    rows.append(row)
                    continue
                encoded = self._encoded(row)
                room -= sum(_weight(str(one)) + 4 for one in encoded)
                if room < 0:
                    is_cut = True
                    break
                rows.append(encoded)
            if part.rows:
                left = len(part.rows) - sum(one if isinstance(one, int) else 1 for one in rows)
                told.append([part.title, part.unexplained, part.expected, rows, left])
        return told, is_cut

    def _encoded(self, row: DiffRow) -> list[Any]:
        """Return ``[mark, recorded, replayed, why]``: of what is the same the text once."""
        if row.mark == "same" and row.now is not None:
            return ["s", self._line(self._now, row.now)]
        was = self._line(self._was, row.was) if row.was is not None else None
        now = self._line(self._now, row.now) if row.now is not None else None
        return ["e" if row.mark == "expected" else "d", was, now, row.why]

    def _line(self, finder: ValueFinder, line: MessageLine) -> Any:
        """Return the text; where values stand in it, a list of text and ``[value's name, text]``,
        with "stale" for one that is no longer the right one."""
        text = printable(line.shown).replace("\n", " ")
        values = finder.find(line) if text == line.shown else []
        more = len(text) - LONGEST_TRACE_LINE
        pieces: list[Any] = []
        position = 0
        for one in values:
            if one.stop <= LONGEST_TRACE_LINE:
                value = [one.name, text[one.start : one.stop], *(["stale"] if one.stale else [])]
                pieces += [text[position : one.start], value]
                position = one.stop
        end = text[position:LONGEST_TRACE_LINE] + (
            f" … {more:,} characters more" if more > 0 else ""
        )
        return [*pieces, end] if pieces else end

    # Where values come from and go to.

    def _values(self) -> dict[str, Any]:
        return {
            flow.name: {
                "origin": flow.origin,
                "missing": flow.missing,
                "given": [self._place(flow, one) for one in flow.given],
                "sent": [self._place(flow, one) for one in flow.sent],
            }
            for flow in self._flows
        }

    def _place(self, flow: ValueFlow, one: ValuePlace) -> list[Any]:
        was, now = (shown_value(self._mask, flow.name, value) for value in (one.recorded, one.now))
        same = one.recorded is not None and one.recorded == one.now
        reached = self._happened[one.index].now is not None
        how = self._mask.known(one.how)
        return [one.index, on_one_line(how), _short(was), _short(now), same, reached]


def _weight(text: str) -> int:
    """Return how many bytes a text takes in a page, where some characters are escaped."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return size + 5 * sum(map(text.count, "<>&"))


def _short(value: str | None) -> str | None:
    if value is None:
        return None
    more = "…" if len(value) > LONGEST_VALUE_SHOWN else ""
    return on_one_line(value[:LONGEST_VALUE_SHOWN]) + more


def _folded(rows: Sequence[DiffRow], *, whole: bool) -> Iterator[DiffRow | int]:
    """Yield the rows; unless ``whole``, of equal ones that are far from any difference their
    number."""
    if whole:
        yield from rows
        return
    marks = [index for index, one in enumerate(rows) if one.mark != "same"]
    near = {at + by for at in marks for by in range(-_AROUND, _AROUND + 1)}
    near |= set(range(_AROUND * 2))
    skipped = 0
    for index, row in enumerate(rows):
        if index not in near:
            skipped += 1
            continue
        if skipped:
            yield skipped
            skipped = 0
        yield row
    if skipped:
        yield skipped
