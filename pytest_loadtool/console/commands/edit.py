"""Taking things out of the test case, and taking commands back."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from pytest_loadtool.console.arguments import PageName, TransactionNumber
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.selection import page_index, transaction
from pytest_loadtool.console.session import Console, UndoStep
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import page_span, without
from pytest_loadtool.recording import strip as strip_case
from pytest_loadtool.workflow.datasets import take_back
from pytest_loadtool.workflow.document import Document, unset
from pytest_loadtool.workflow.telling import counted


async def strip(session: Console) -> None:
    """Strip Static Resources: delete style sheets, scripts, images, fonts, icons and sitemaps.

    What stays: pages, requests that scripts make, REST, GraphQL and SOAP calls, XML that is no
    sitemap, and a static resource that a value is taken from. The recorded traffic is not touched.
    """
    document = session.opened()
    before = list(document.case.transactions())
    stripped = strip_case(document.case, document.exchanges)
    kinds = Counter(
        one.recorded.kind.value if one.recorded else "other"
        for one in map(before.__getitem__, stripped.removed)
    )
    _change(session, document, stripped.case)
    by_kind = ", ".join(f"{kind}: {count}" for kind, count in kinds.most_common())
    count = counted(len(stripped.removed), "static resource")
    session.say(f"Stripped {count}" + (f" ({by_kind})" if by_kind else "") + ".")
    for index in stripped.needed:
        names = ", ".join(one.variable for one in before[index].extractors)
        session.say(f"  {before[index].title} stays: {names} is taken from it")
    session.say(f"The test case has {summary(session.opened())}.")


async def delete(
    session: Console, number: TransactionNumber | None = None, *, page: PageName | None = None
) -> None:
    """Delete a transaction or a page; a page that loses its last transaction goes with it.

    NUMBER is the transaction's, as `tree` shows it. --page is the page's name, or its number,
    counted from 1. The recorded traffic is not touched.
    """
    document = session.opened()
    if (number is None) == (page is None):
        raise UsageError("delete needs NUMBER or --page, and not both")
    if page is not None:
        index = page_index(document, page)
        _change(session, document, without(document.case, page_span(document.case, index)))
        gone = document.case.pages[index]
        count = counted(len(gone.transactions), "transaction")
        session.say(f"Deleted the page {gone.name} with {count}")
    elif number is not None:
        title = transaction(document, number).title
        _change(session, document, without(document.case, {number - 1}))
        session.say(f"Deleted {number}: {title}")
    _tell_unset(session, document.case)


async def unique(session: Console, *text: str) -> None:
    """Give each virtual user a text of its own in place of TEXT, which was typed while recording.

    For names that a server takes only once, such as those of users or files: without it the second
    user who replays at once is refused. In all requests a variable stands in its place that adds
    random characters, new for each iteration: `carol-x7kq2bd`; of an address they go into its path.
    Also where an address has `_` for a space. Extractors that go by the text, or by an address with
    it, follow. Do it after `configure`.
    """
    from pytest_loadtool.editing.unique_values import make_unique, owned_parts

    document = session.opened()
    whole = " ".join(text)
    changed = make_unique(document.case, whole)
    if changed is None:
        own = owned_parts(document.case, whole)
        if not own:
            raise CommandError(f"no request has the value {whole!r}: `show` tells what is sent")
        said = ", ".join(f"${{{one.name}}} stands for {one.recorded}" for one in own)
        session.say(f"It is each user's own already: {said}.")
        return
    session.document = replace(document, case=changed.case)
    used = counted(len(changed.transactions), "transaction")
    session.say(f"{changed.variable} stands for it in {used}.")


async def mark_dangerous(session: Console, number: TransactionNumber, *, off: bool = False) -> None:
    """Mark a transaction as dangerous: what it does cannot be undone, such as a payment.

    `configure --replay` never sends it. `play`, tests and load tests do. NUMBER is the one that
    `tree` shows; --off takes the mark away.
    """
    document = session.opened()
    marked = replace(transaction(document, number), dangerous=not off)
    pages = []
    position = 1
    for page in document.case.pages:
        own = list(page.transactions)
        if position <= number < position + len(own):
            own[number - position] = marked
        pages.append(replace(page, transactions=tuple(own)))
        position += len(own)
    session.document = replace(document, case=replace(document.case, pages=tuple(pages)))
    said = "is no longer marked as" if off else "is marked as"
    session.say(f"{number} {marked.title} {said} dangerous.")


async def undo(session: Console) -> None:
    """Undo the last command that changed the test case, or a dataset; again: the one before it.

    Datasets get back the values that they had. Other files that were written stay as they are.
    """
    history = session.history
    if not history.made:
        raise CommandError("there is nothing to undo")
    change = history.made.pop()
    history.undone.append(_crossed(session, change))
    session.say(f"Undid `{change.line}`. {_what_is_open(session)} `redo` does it again.")


async def redo(session: Console) -> None:
    """Do again what was undone last."""
    history = session.history
    if not history.undone:
        raise CommandError("there is nothing to redo: no command was undone since the last change")
    change = history.undone.pop()
    history.made.append(_crossed(session, change))
    session.say(f"Did `{change.line}` again. {_what_is_open(session)}")


def _crossed(session: Console, step: UndoStep) -> UndoStep:
    """Go to the other side of a step; return the step that leads back."""
    back = UndoStep(step.line, session.state, tuple(one.back for one in reversed(step.files)))
    session.state = step.state
    for one in step.files:
        if not take_back(one):
            session.say(f"{session.shown(one.path)} was changed since, and stays as it is.")
    return back


def _change(session: Console, document: Document, case: TestCase) -> None:
    if not case.pages:
        raise CommandError("nothing would be left of the test case")
    session.document = replace(document, case=case)


def _tell_unset(session: Console, before: TestCase) -> None:
    for name in sorted(unset(session.opened().case) - unset(before)):
        session.say(
            f"  {name} was set by it and is still used: `configure` looks for another source"
        )


def _what_is_open(session: Console) -> str:
    if session.document is None:
        return "No test case is open."
    return f"The test case has {summary(session.document)}."
