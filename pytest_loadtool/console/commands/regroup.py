"""How transactions become pages: in the next recording, and in one that was made before."""

from __future__ import annotations

from dataclasses import replace

from pytest_loadtool.casefile import format_duration
from pytest_loadtool.console.arguments import Duration, GroupingName
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.recording import ALGORITHMS, Grouping, regrouped, with_pauses
from pytest_loadtool.workflow.telling import replayed


async def regroup(
    session: Console, *, activity: bool = False, activity_threshold: Duration | None = None
) -> None:
    """Group again what was recorded before, without losing what was edited since.

    Alone it keeps the pages, and takes the pauses within them from the recorded traffic, so that
    replay waits as the user did: test cases of earlier versions lack them. --activity (Activity
    Monitoring) makes a page of each thing that was done, with the time before it as think time;
    --activity-threshold is the pause that ends a page, such as 1s, without it that of
    `preferences`. Transactions stay as they are, and so do the names and think times of pages that
    begin and end as before; what was moved goes back to where it was recorded.

    Example: `regroup --activity --activity-threshold 2s`
    """
    document = session.opened()
    if not document.exchanges:
        raise CommandError("the recorded traffic is not at hand, which tells when things happened")
    if activity_threshold is not None and not activity:
        raise UsageError("--activity-threshold goes with --activity")
    if activity:
        threshold = session.settings.grouping.threshold
        try:
            grouping = Grouping(
                "activity", threshold if activity_threshold is None else activity_threshold
            )
        except ValueError as error:
            raise UsageError(str(error)) from None
        case = regrouped(document.case, document.exchanges, grouping)
    else:
        case = with_pauses(document.case, document.exchanges)
    session.document = replace(document, case=case)
    session.say(f"The test case has {summary(session.document)}.")
    session.tell(replayed(case) if not activity else ())


async def preferences(
    session: Console,
    *,
    grouping: GroupingName | None = None,
    activity_threshold: Duration | None = None,
) -> None:
    """Preferences, Recording: how transactions are grouped into pages; the next `stop` obeys.

    --grouping is `referrer` (Referrer Analysis: a transaction belongs to the page that it names as
    its Referer) or `activity` (Activity Monitoring: what happens without a pause is one page).
    --activity-threshold is the pause that ends a page, such as 2s. Without options they are only
    shown. To keep them, put them into pytest's configuration file. A recording that was made before
    is grouped anew by `regroup --activity`.

    Example: `preferences --grouping activity`
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
