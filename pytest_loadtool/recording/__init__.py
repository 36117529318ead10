"""From recorded exchanges to a test case: pure functions, one step per module.

Filter what cannot be replayed, group the rest into pages (Referrer Analysis or
Activity Monitoring), name the pages, write the requests as text. What may not enter: I/O of any
kind, and any judgement about dynamic values (that is ``correlation``). Nothing is dropped
silently: what does not become a transaction becomes a `Note`.
"""

from pytest_loadtool.model.editing import page_span, without
from pytest_loadtool.recording.build import Recording, build_case
from pytest_loadtool.recording.filter.domains import (
    TRACKERS,
    Domain,
    DomainFilter,
    HostUse,
    belongs,
    hostnames,
    restrict,
)
from pytest_loadtool.recording.filter.static_resources import Stripped, strip
from pytest_loadtool.recording.importing import restored, with_page
from pytest_loadtool.recording.notes import Note
from pytest_loadtool.recording.pages.grouping import ALGORITHMS, Grouping
from pytest_loadtool.recording.pages.naming import distinct, suggested_name
from pytest_loadtool.recording.regrouping import paused, regrouped, with_pauses
from pytest_loadtool.recording.report.answers import with_answers
from pytest_loadtool.recording.report.fidelity import fidelity, transactions_of, what_sockets_did
from pytest_loadtool.recording.request.uploads import Upload, Uploads, folder_of, unused_path

__all__ = [
    "ALGORITHMS",
    "TRACKERS",
    "Domain",
    "DomainFilter",
    "Grouping",
    "HostUse",
    "Note",
    "Recording",
    "Stripped",
    "Upload",
    "Uploads",
    "belongs",
    "build_case",
    "distinct",
    "fidelity",
    "folder_of",
    "hostnames",
    "page_span",
    "paused",
    "regrouped",
    "restored",
    "restrict",
    "strip",
    "suggested_name",
    "transactions_of",
    "unused_path",
    "what_sockets_did",
    "with_answers",
    "with_page",
    "with_pauses",
    "without",
]
