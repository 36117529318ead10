"""Extractors of transactions, made from what is known of their responses."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from typing import Any

from pytest_loadtool.casefile import parse_extractor
from pytest_loadtool.casefile.syntax import variable_name
from pytest_loadtool.console.arguments import (
    NewVariable,
    OptionGroup,
    SelectionWord,
    TransactionName,
    VariableName,
    with_options,
)
from pytest_loadtool.console.commands.actors import (
    changed,
    known_responses,
    pick,
    suggested_for,
    titled,
)
from pytest_loadtool.console.errors import UsageError, as_usage
from pytest_loadtool.console.selection import select, transaction_index
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import actors as views
from pytest_loadtool.editing import actors as editing
from pytest_loadtool.editing.suggestions import suggested_extractors
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.extractor import SOURCE_KINDS, Extractor
from pytest_loadtool.workflow.document import unset
from pytest_loadtool.workflow.trying import ExtractorTrial, tried_extractor

#: What a source is called by in a test case, or, of an array, what is in it.
_OF_SOURCES = {
    name: str
    for kind in SOURCE_KINDS.values()
    for key, field in kind.keys.items()
    for name in ((key,) if isinstance(field, str) else field)
}


#: The options that say what is taken, besides the two sides of a boundary.
_KEYS = tuple(kind.key for kind in SOURCE_KINDS.values() if kind.key in _OF_SOURCES)


@with_options(_OF_SOURCES)
class Whereabouts(OptionGroup):
    """A place in a response: the keys of a test case's extractors, and what else tells it."""

    split: int | None = None
    in_item: str | None = None
    item: str | None = None
    match: int | None = None
    decode: tuple[str, ...] = ()
    then: str | None = None
    by_place: bool = False

    @property
    def keys(self) -> dict[str, Any]:
        """Return what is given, as the test case has it."""
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        absent = (None, (), False)
        found = {n: v for n, v in given.items() if not any(v is one for one in absent)}
        left, right = found.pop("left", ""), found.pop("right", "")
        if left or right:
            found["boundary"] = [left, right]
        if "decode" in found:
            found["decode"] = list(found["decode"])
        if "then" in found:
            found["then"] = _table("--then", found["then"])
        return found


ANYWHERE = Whereabouts()


async def extract(
    session: Console,
    which: TransactionName,
    variable: NewVariable,
    *,
    content: Whereabouts = ANYWHERE,
    from_: str | None = None,
    place: int = 0,
    choose: int = 1,
    use: SelectionWord | None = None,
    preview: bool = False,
    anyway: bool = False,
    secrets: bool = False,
) -> None:
    """Add an extractor: what is taken from a response.

    It fills the user VARIABLE, for later requests. One of --json, a path from the root; --xml, a
    path of elements; --form, a form field, with --action, the address that its form goes to;
    --link, an address with * in place of the value, with --label, the text of the link; --choice, a
    form field, of which --label is the text that is chosen; --header, its name, with --pattern, a
    regular expression for its value; --cookie, its name; --regex, a regular expression; --left, the
    text before the value, with --right, the text behind it (Boundary). --match 2 takes the second
    one; --in-item TEXT looks into the item of a list that has this text, of the kind that --item
    says, such as div.card; --decode base64 reads what is encoded, and --then '{ json = "$.id" }'
    reads in that. --split and --by-place are rare. All of it is as in the file of a test case. An
    extractor of that variable which the transaction has is replaced.

    What it gives is shown before it is taken, on the recorded response and on those of the last
    replays; where it finds nothing in the recorded one, it is taken if you agree; --anyway takes it
    unasked. Where later requests send the recorded value as a constant is listed; --use names those
    that take the variable there, such as 5,7 or all. --preview only shows; --secrets shows all of
    passwords and tokens.

    --from is a text of the response: what could take it is listed, the steadiest first. That is
    taken; --choose 2 takes the second. Where the text stands at several places, these are listed,
    and you are asked which is meant; --place 2 says so, and a script takes any.

    Example: `extract POST /orders order --from 9b89be4a --use all`
    """
    document = session.opened()
    index = transaction_index(document, which)
    with as_usage():
        variable_name(variable)
    if from_ is None:
        extractor = _extractor(variable, content)
    elif content == ANYWHERE:
        found = await suggested_for(session, index, from_, place, suggested_extractors)
        made = [Extractor(variable, source, match) for source, match in found]
        extractor = pick(session, made, views.taken_by, from_, choose)
    else:
        raise UsageError("--from finds out where the text is: leave the other options out")
    recorded = _tried(session, index, extractor, secrets=secrets)
    value = recorded.taken if recorded is not None else None
    uses = tuple(editing.constants(document.case, index, value)) if value else ()
    wanted = set(select(document, [use]).transactions) if use is not None else set()
    chosen = [one for one in uses if one[0] in wanted]
    titles = [one.title for one in document.case.transactions()]
    session.tell(views.constants([one for one in uses if one not in chosen], titles))
    if preview:
        return
    await _agreed(session, recorded, anyway=anyway)
    with as_usage():
        case = editing.with_extractor(document.case, index, extractor, value)
        case = editing.with_uses(case, chosen, variable)
    changed(session, case)
    session.say(
        f"{variable}: Extractor[{_number(case, index, variable)}], {views.taken_by(extractor)}"
    )
    session.tell(f"  {at + 1} {titles[at]} sends it as {field.name}" for at, field in chosen)
    if len(chosen) < len(uses):
        session.say("  --use all has them send it")


def _number(case: TestCase, index: int, variable: str) -> int:
    """Return the number of the extractor of a variable at a transaction."""
    return next(
        one.number
        for one in editing.placed_extractors(case)
        if one.transaction == index and one.extractor.variable == variable
    )


async def move_extractor(
    session: Console,
    which: TransactionName,
    variable: VariableName,
    to: TransactionName,
    *,
    anyway: bool = False,
    secrets: bool = False,
) -> None:
    """Move an extractor to another transaction.

    From then on VARIABLE is taken from the response of TO, in the same way. What that gives is
    shown, as by `extract`; where it finds nothing in the recorded response, it is moved if you
    agree; --anyway moves it unasked. --secrets shows all of passwords and tokens.

    Example: `move-extractor GET /form csrf_token[1] GET /order`
    """
    document = session.opened()
    index, target = transaction_index(document, which), transaction_index(document, to)
    with as_usage():
        extractor = editing.extractor_of(document.case, index, variable)
    if index == target:
        raise UsageError(f"{variable} is taken from {titled(document, index)} already")
    recorded = _tried(session, target, extractor, secrets=secrets)
    await _agreed(session, recorded, anyway=anyway)
    value = recorded.taken if recorded is not None else None
    with as_usage():
        case, early = editing.with_moved_extractor(document.case, index, variable, target, value)
    changed(session, case)
    session.say(f"{variable}: from {titled(document, target)} now, {views.taken_by(extractor)}")
    if early:
        numbers = ", ".join(str(at + 1) for at in early)
        session.say(f"  {numbers} needs it before that: what was recorded is sent there")


async def remove_extractor(
    session: Console, which: TransactionName, variable: VariableName
) -> None:
    """Remove an extractor from a transaction.

    If no other response sets its VARIABLE, what was recorded is sent in its place, where that is
    known.

    Example: `remove-extractor POST /orders order`
    """
    document = session.opened()
    index = transaction_index(document, which)
    with as_usage():
        case = editing.without_extractor(document.case, index, variable)
    changed(session, case)
    session.say(f"Removed the extractor of {variable} from {titled(document, index)}.")
    for name in sorted(unset(case) - unset(document.case)):
        session.say(f"  {name} is still used, and set by nothing: `undo`, or another `extract`")


def _tried(
    session: Console, index: int, extractor: Extractor, *, secrets: bool
) -> ExtractorTrial | None:
    """Show what an extractor gives on the known responses of a transaction, and return what it
    gives on the recorded one."""
    trials = [tried_extractor(extractor, on) for on in known_responses(session, index)]
    session.tell(views.tried_extractor(extractor.variable, trials, secrets=secrets))
    return next((one for one in trials if one.on.label == "recorded"), None)


async def _agreed(session: Console, recorded: ExtractorTrial | None, *, anyway: bool) -> None:
    """Have the person agree to an extractor that finds nothing."""
    found_nothing = recorded is not None and recorded.taken is None and not recorded.problem
    if found_nothing and not anyway:
        await session.agree(
            "It finds nothing in the recorded response. Take it all the same?",
            "it finds nothing in the recorded response: give --anyway, or look elsewhere",
            "--anyway",
        )


def _extractor(variable: str, content: Whereabouts) -> Extractor:
    if content == ANYWHERE:
        raise UsageError(
            "extract what? --from TEXT proposes what could take a text of the response, or one of "
            f"{', '.join(f'--{key}' for key in _KEYS)}, --left and --right says it"
        )
    with as_usage():
        return parse_extractor({"variable": variable, **content.keys})


def _table(option: str, text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{option} is written as in a test case, '{{ json = \"$.id\" }}': {error}"
        ) from None
