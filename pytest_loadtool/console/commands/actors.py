"""The Actors View: what is taken from responses, and what they must be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from pytest_loadtool.console.arguments import SelectionWord
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.replays import selected_by
from pytest_loadtool.console.selection import NO_FILTERS, Filters
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import actors as views
from pytest_loadtool.console.wizard import question
from pytest_loadtool.editing.actors import placed_extractors
from pytest_loadtool.editing.suggestions import PickedPlace, places
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.validator import StatusCodes
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.trying import KnownResponse, kept_responses, recorded_response

Chosen = TypeVar("Chosen")

_ANY = "any"


async def validators(
    session: Console, *selected: SelectionWord, filters: Filters = NO_FILTERS
) -> None:
    """Actors View, Validators: list what responses must be.

    The first of each is the automatic Status Code validator; `status` changes it. The others have
    the numbers that `remove-validator` takes. SELECTED, --page, --kind, --host, --status and
    --failed are as for `delete`; without them it is all of the test case that have validators of
    their own.

    Example: `validators POST /login`
    """
    document = session.opened()
    transactions = list(document.case.transactions())
    chosen = selected_by(session, selected, filters).transactions
    everything = not selected and filters == NO_FILTERS
    shown = [
        index
        for index in chosen
        if not everything or transactions[index].validators or _own_status(transactions[index])
    ]
    lines: list[str] = [line for at in shown for line in views.validators(at + 1, transactions[at])]
    if left := len(chosen) - len(shown):
        lines.append(views.others(left))
    await session.page(lines)


def _own_status(one: Transaction) -> bool:
    return one.status != StatusCodes()


async def extractors(
    session: Console, *selected: SelectionWord, filters: Filters = NO_FILTERS
) -> None:
    """Actors View, Extractors: list what is taken from responses.

    Each fills a user variable. Extractor[3] is the third of the test case, as `fields` has it.
    SELECTED, --page, --kind, --host, --status and --failed are as for `delete`.

    Example: `extractors 2-5`
    """
    document = session.opened()
    transactions = list(document.case.transactions())
    chosen = set(selected_by(session, selected, filters).transactions)
    placed = placed_extractors(document.case)
    lines: list[str] = []
    for index in dict.fromkeys(one.transaction for one in placed if one.transaction in chosen):
        own = [one for one in placed if one.transaction == index]
        lines += views.extractors(index + 1, transactions[index], own)
    await session.page(lines or ["No extractors: `extract N NAME --from TEXT` makes one."])


def known_responses(session: Console, index: int) -> Iterator[KnownResponse]:
    """The responses of a transaction that are known, the recorded one first."""
    document = session.opened()
    yield from recorded_response(document, index)
    yield from kept_responses(session.case_path, document.case, index)


def pick(
    session: Console,
    found: Sequence[Chosen],
    described: Callable[[Chosen], str],
    text: str,
    choose: int,
) -> Chosen:
    """The one of several that was chosen; all of them are listed.

    Raises:
        CommandError: there are none.
        UsageError: there is none of that number.
    """
    if not found:
        raise CommandError(f"no known response of it has {text!r}: `show` tells what is there")
    if not 1 <= choose <= len(found):
        raise UsageError(f"--choose is 1 to {len(found)}, not {choose}")
    session.tell(views.proposed(at, described(one)) for at, one in enumerate(found, 1))
    return found[choose - 1]


async def suggested_for(
    session: Console,
    index: int,
    text: str,
    number: int,
    suggested: Callable[[Exchange, str, PickedPlace | None], Sequence[Chosen]],
) -> Sequence[Chosen]:
    """What is ``suggested`` for a text of a known response of a transaction; ``number`` is the one
    of its places that is meant, from 1; 0: who is there is asked, and any else.

    Raises:
        CommandError: nothing is, at that place.
        UsageError: there is no place of that number.
    """
    found: Sequence[Chosen] = ()
    for on in known_responses(session, index):
        session.secrets |= {text} & views.secrets_in(on.exchange)  # the session log is kept
        if found or not (found := suggested(on.exchange, text, None)):
            continue
        shown = places(on.exchange, text)
        at = [suggested(on.exchange, text, one.place) for one in shown[: number or views.LISTED]]
        if number > len(shown):
            raise UsageError(f"--place is 1 to {len(shown) or 1}, not {number}")
        if not number and len(set(map(tuple, at))) > 1:
            session.say(f"{text} stands at {len(shown)} places:")
            session.tell(views.places(shown, on.exchange))
            number = await _number(session, len(shown))
        if number and not (found := suggested(on.exchange, text, shown[number - 1].place)):
            raise CommandError(f"nothing tells place {number} of {text!r} from the others")
    return found


async def _number(session: Console, count: int) -> int:
    """Ask which of so many places is meant; 0: any."""
    number = await session.consult(
        question(
            f"Which of them (1 to {count}, or any)?",
            _ANY,
            partial(_number_of, count),
            why="What stands there now may be another text than at the other places in the next "
            "answer. `any` takes what is steadiest.",
        )
    )
    if number:
        session.decided(f"--place {number}")
    return number


def _number_of(count: int, answer: str) -> int:
    if _ANY.startswith(answer.lower()):
        return 0
    if answer.isdecimal() and 1 <= int(answer) <= count:
        return int(answer)
    raise UsageError(f"a number from 1 to {count}, or any, not {answer!r}")


def titled(document: Document, index: int) -> str:
    """A transaction with its number."""
    return f"{index + 1} {list(document.case.transactions())[index].title}"


def changed(session: Console, case: TestCase) -> None:
    """Put another test case in place of the one that is open."""
    session.document = replace(session.opened(), case=case)
