"""Schedules, shares, metrics and verdicts of a load test: arithmetic on numbers and messages.

No I/O, no clock, no asyncio, no knowledge of HTTP, pytest or xdist may enter: what happened and
when is told to this room, and who carries its messages is not its business. Everything here is
cheap to import.
"""

from pytest_loadtool.load.cluster.merger import (
    Merger,
    RunResult,
    WorkerResult,
    WorkerState,
    WorkerTotals,
)
from pytest_loadtool.load.cluster.share import Share, case_of, preflight, row_of
from pytest_loadtool.load.metrics.errorlog import ErrorLog, ErrorRecord
from pytest_loadtool.load.metrics.histogram import Histogram
from pytest_loadtool.load.metrics.keys import PageKey, TransactionKey
from pytest_loadtool.load.metrics.measures import Spans, TransactionMetrics
from pytest_loadtool.load.metrics.merged import MergedMetrics
from pytest_loadtool.load.metrics.metrics import LoadMetrics
from pytest_loadtool.load.progress import Progress, ProgressRow, ProgressTracker
from pytest_loadtool.load.verdict.summarise import summarise
from pytest_loadtool.load.verdict.summary import Summary
from pytest_loadtool.load.verdict.threshold import ThresholdResult, ThresholdState, ThresholdWatch
from pytest_loadtool.load.verdict.verdict import Verdict, verdict

__all__ = [
    "ErrorLog",
    "ErrorRecord",
    "Histogram",
    "LoadMetrics",
    "MergedMetrics",
    "Merger",
    "PageKey",
    "Progress",
    "ProgressRow",
    "ProgressTracker",
    "RunResult",
    "Share",
    "Spans",
    "Summary",
    "ThresholdResult",
    "ThresholdState",
    "ThresholdWatch",
    "TransactionKey",
    "TransactionMetrics",
    "Verdict",
    "WorkerResult",
    "WorkerState",
    "WorkerTotals",
    "case_of",
    "preflight",
    "row_of",
    "summarise",
    "verdict",
]
