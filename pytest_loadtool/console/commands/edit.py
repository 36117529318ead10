"""Taking things out of the test case, and taking commands back."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from pytest_loadtool.codec.suffixes import case_name
from pytest_loadtool.console.arguments import FieldName, SelectionWord, TransactionName
from pytest_loadtool.console.commands.fields import field_called
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.history import UndoStep
from pytest_loadtool.console.replays import selected_by
from pytest_loadtool.console.selection import NO_FILTERS, Filters, transaction_index
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.case import summary
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.recording import Uploads, page_span, restored, without
from pytest_loadtool.recording import strip as strip_case
from pytest_loadtool.structure.uses import case_files
from pytest_loadtool.workflow.datasets import take_back
from pytest_loadtool.workflow.document import Document, lost, setters
from pytest_loadtool.workflow.errors import CaseError
from pytest_loadtool.workflow.telling import counted

#: Transactions that are told one by one.
_TOLD = 8


async def strip(session: Console) -> None:
    """Strip Static Resources: delete style sheets, scripts, images, fonts, icons and sitemaps.

    What stays: pages, requests that scripts make, REST, GraphQL and SOAP calls, XML that is no
    sitemap, and a static resource that a value is taken from. The recorded traffic is not touched.

    Example: `strip`
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


async def delete(session: Console, *selected: SelectionWord, filters: Filters = NO_FILTERS) -> None:
    """Delete transactions or pages; a page that loses its last transaction goes with it.

    SELECTED is numbers (`4`, `4-8`, `5,6`), pages (`P3`, `P1-P3`, or a name), what transactions are
    (`/login`, `POST /login#2`, `/static/*`), or an expression (`~k image & ~d cdn.example`).
    --page, --kind, --host, --status (`404`, `4xx`) and --failed (when it was last replayed) narrow
    that; alone, they narrow the whole test case. The recorded traffic is not touched.

    Example: `delete 4-8 --kind image`
    """
    document = session.opened()
    if not selected and filters == NO_FILTERS:
        raise UsageError(
            "delete what? A number (4), a range (4-8), a page (P3), a name (POST /login) or "
            "a filter (--kind image)"
        )
    chosen = selected_by(session, selected, filters)
    before = list(document.case.transactions())
    _change(session, document, without(document.case, frozenset(chosen.transactions)))
    for page in chosen.pages:
        gone = document.case.pages[page]
        count = counted(len(gone.transactions), "transaction")
        session.say(f"Deleted the page {gone.name} with {count}")
    on_pages = {index for page in chosen.pages for index in page_span(document.case, page)}
    single = [index for index in chosen.transactions if index not in on_pages]
    for index in single[:_TOLD]:
        session.say(f"Deleted {index + 1}: {before[index].title}")
    if len(single) > _TOLD:
        session.say(f"Deleted {len(single) - _TOLD} more; the numbers of the others have changed.")
    _tell_lost(session, document.case)


async def unique(session: Console, *text: str) -> None:
    """Give each virtual user a text of its own in place of TEXT, which was typed while recording.

    For names that a server takes only once, such as those of users or files: without it the second
    user who replays at once is refused. In all requests a variable stands in its place that adds
    random characters, new for each iteration: `carol-x7kq2bd`; of an address they go into its path.
    Also where an address has `_` for a space, or is a slug (`green-teas`). Extractors that go by
    the text, or by an address with it, follow. Do it after `configure`.

    Example: `unique carol`
    """
    from pytest_loadtool.editing.unique_values import make_unique, owned_parts
    from pytest_loadtool.workflow.configuring import with_values

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
    with session.frontend.progress() as told:
        session.document = with_values(document, changed.case, told)
    used = counted(len(changed.transactions), "transaction")
    session.say(f"{changed.variable} stands for it in {used}.")


async def restore(session: Console, which: TransactionName, field: FieldName | None = None) -> None:
    """Give a transaction back the request that was recorded: address, headers and body.

    WHICH is its number in `tree`, or what it is. What was edited in it is gone, placeholders too:
    `application-state` connects its dynamic values again. What is expected of its response stays.
    With FIELD, a name that `fields` shows, only that field gets its recorded value back.

    Example: `restore POST /orders`
    """
    document = session.opened()
    index = transaction_index(document, which)
    before = list(document.case.transactions())[index]
    exchange = document.evidence_of(before)
    if exchange is None:
        raise CommandError(f"what was recorded of transaction {index + 1} is not at hand")
    if field is not None:
        _restore_field(session, document, index, field)
        return
    uploads = Uploads(case_name(session.case_path), frozenset(case_files(document.case)))
    case = restored(document.case, index, exchange, uploads)
    after = list(case.transactions())[index]
    if after == before:
        session.say(f"{index + 1} {before.title} is as it was recorded.")
        return
    document = replace(document, uploads={**document.uploads, **uploads.files})
    _change(session, document, case)
    session.say(f"{index + 1} {after.title} is as recorded: `application-state` connects it.")


def _restore_field(session: Console, document: Document, index: int, name: str) -> None:
    from pytest_loadtool.workflow.fields import with_recorded

    field = field_called(document, index, name)
    try:
        case = with_recorded(document, index, field)
    except CaseError as error:
        raise CommandError(str(error)) from None
    _change(session, document, case)
    session.say(f"{field.name} is as recorded: `application-state` connects it.")


async def mark_dangerous(session: Console, which: TransactionName, *, off: bool = False) -> None:
    """Mark a transaction as dangerous: what it does cannot be undone, such as a payment.

    `configure --replay` never sends it. `play`, tests and load tests do. WHICH is its number in
    `tree`, or what it is (`POST /pay`); --off takes the mark away.

    Example: `mark-dangerous 7`
    """
    document = session.opened()
    index = transaction_index(document, which)
    transactions = list(document.case.transactions())
    transactions[index] = replace(transactions[index], dangerous=not off)
    session.document = replace(document, case=with_transactions(document.case, transactions))
    said = "is no longer marked as" if off else "is marked as"
    session.say(f"{index + 1} {transactions[index].title} {said} dangerous.")


async def undo(session: Console) -> None:
    """Undo the last command that changed the test case, or a dataset; again: the one before it.

    Datasets get back the values that they had; those that a command has made are gone. Other files,
    the environment and the keyring stay as they are. You are asked before the recording itself is
    undone.

    Example: `undo`
    """
    history = session.history
    if not history.made:
        raise CommandError("there is nothing to undo")
    if history.made[-1].state.document is None and session.live is None:
        line = history.made[-1].line
        question = f"`{line}` made the test case: without it none is open. Undo it all the same?"
        if not await session.frontend.confirm(question, unattended=True):
            raise CommandError("nothing was undone")
    change = history.made.pop()
    history.undone.append(_crossed(session, change))
    session.say(f"Undid `{change.line}`. {_what_is_open(session)} `redo` does it again.")


async def redo(session: Console) -> None:
    """Do again what was undone last.

    Example: `redo`
    """
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


def _tell_lost(session: Console, before: TestCase) -> None:
    """Say who still needs what was deleted."""
    for name, users in lost(before, session.opened().case):
        more = f" and {len(users) - 1} more" if len(users) > 1 else ""
        setter = ", ".join(setters(before, name))
        session.say(
            f"  {name} was set by {setter}, which is gone, and is still used by {users[0]}{more}: "
            "`configure` looks for another source"
        )


def _what_is_open(session: Console) -> str:
    if session.document is None:
        return "No test case is open."
    return f"The test case has {summary(session.document)}."
