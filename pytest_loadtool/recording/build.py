"""The whole way from exchanges to a test case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pytest_loadtool.model.case import Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.recording.entry import Entry, sayable
from pytest_loadtool.recording.failures import expected_status
from pytest_loadtool.recording.filter.domains import with_recorded_hosts
from pytest_loadtool.recording.filter.rules import sift
from pytest_loadtool.recording.notes import Note
from pytest_loadtool.recording.pages.grouping import REFERRER_ANALYSIS, Grouping, group
from pytest_loadtool.recording.pages.naming import operation_name, page_names
from pytest_loadtool.recording.pages.timing import pauses, recorded, think_times
from pytest_loadtool.recording.report.answers import expected_answer
from pytest_loadtool.recording.report.fidelity import fidelity
from pytest_loadtool.recording.request.cookies import script_cookies
from pytest_loadtool.recording.request.header_sets import Headers, share
from pytest_loadtool.recording.request.template import Draft, draft, server_of
from pytest_loadtool.recording.request.uploads import Upload, Uploads


@dataclass(frozen=True, slots=True)
class Recording:
    """A test case made of recorded traffic, and what there is to say about the traffic."""

    case: TestCase
    notes: tuple[Note, ...]
    uploads: Mapping[str, Upload] = field(default_factory=lambda: MappingProxyType({}))
    """What the files hold that the test case names, which are still to be written."""


def build_case(
    exchanges: Sequence[Exchange],
    *,
    name: str,
    grouping: Grouping = REFERRER_ANALYSIS,
    told: Told = silent,
) -> Recording:
    """Return the test case that ``exchanges`` make, pages in the order of their start.

    ``exchanges`` may come in any order; each transaction's ``recorded.entry`` is its index there.
    Negotiations of HTTP authentication are folded under what they led to. What cannot be replayed
    is left out with a note, and so is what was refused because a token had expired. The case has no
    pages if nothing is left. ``told`` is told how far this has got.
    """
    recorded_exchanges, exchanges = exchanges, [sayable(one) for one in exchanges]
    entries = sift(exchanges)
    groups = group(entries, grouping)
    server = server_of(groups)
    uploads = Uploads(name)
    kept = [entry for page in groups for entry in page.entries]
    drafts: dict[int, Draft] = {}
    for done, entry in enumerate(kept):
        told("Reading requests", done, len(kept))
        drafts[entry.index] = draft(entry.exchange, server, uploads)
    cookies = script_cookies(exchanges, [entry.index for entry in kept])
    sharing = share([one.headers for one in drafts.values()])
    headers = dict(zip(drafts, sharing.requests, strict=True))
    waited = pauses(entries, {page.entries[0].index for page in groups})
    pages = tuple(
        Page(
            page_name,
            tuple(
                _transaction(
                    entry,
                    drafts,
                    headers,
                    cookies,
                    recorded(entry, page, waited.get(entry.index, 0.0)),
                )
                for entry in page.entries
            ),
            think_time,
        )
        for page_name, page, think_time in zip(
            page_names(groups), groups, think_times(groups), strict=True
        )
    )
    case = with_recorded_hosts(
        TestCase(
            name=name,
            pages=pages,
            server=server,
            headers=sharing.headers,
            header_sets=MappingProxyType(sharing.header_sets),
        )
    )
    return Recording(case, fidelity(case, recorded_exchanges), MappingProxyType(uploads.files))


def _transaction(
    entry: Entry,
    drafts: dict[int, Draft],
    headers: dict[int, tuple[str, Headers]],
    cookies: dict[int, tuple[str, ...]],
    shown: Recorded,
) -> Transaction:
    one = drafts[entry.index]
    header_set, own = headers[entry.index]
    return Transaction(
        request=Request(
            one.method,
            one.target,
            own,
            one.body,
            header_set,
            cookies.get(entry.index, ()),
            one.charset,
        ),
        name=operation_name(entry.exchange),
        status=expected_status(entry),
        validators=expected_answer(entry.exchange),
        recorded=shown,
    )
