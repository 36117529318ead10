"""Preferences."""

from __future__ import annotations

from dataclasses import replace

from pytest_loadtool.casefile import format_duration
from pytest_loadtool.console.arguments import Duration
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.session import Session
from pytest_loadtool.recording import ALGORITHMS, Grouping


async def preferences(
    session: Session, *, grouping: str = "", activity_threshold: Duration | None = None
) -> None:
    """Preferences, Recording: how transactions are grouped into pages; the next `stop` obeys.

    --grouping is `referrer` (Referrer Analysis: a transaction belongs to the page that it names as
    its Referer) or `activity` (Activity Monitoring: what happens without a pause is one page).
    --activity-threshold is the pause that ends a page, such as 2s. Without options they are only
    shown. To keep them, put them into pytest's configuration file. A recording that was made before
    is grouped anew by `regroup --activity`.
    """
    old = session.settings.grouping
    try:
        new = Grouping(
            grouping or old.algorithm,
            old.threshold if activity_threshold is None else activity_threshold,
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    session.settings = replace(session.settings, grouping=new)
    session.say("Recording:")
    session.say(f"  record_grouping = {new.algorithm}  ({ALGORITHMS[new.algorithm]})")
    session.say(f"  record_activity_threshold = {format_duration(new.threshold)}")
