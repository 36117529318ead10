"""Validators of transactions, made from what is known of their responses."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from pytest_loadtool.casefile import parse_validator
from pytest_loadtool.casefile.syntax import code_range
from pytest_loadtool.console.arguments import OptionGroup, TransactionName, with_options
from pytest_loadtool.console.commands.actors import (
    changed,
    known_responses,
    pick,
    suggested_for,
    titled,
)
from pytest_loadtool.console.errors import UsageError, as_usage
from pytest_loadtool.console.literals import parsed
from pytest_loadtool.console.selection import transaction_index
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import actors as views
from pytest_loadtool.editing import actors as editing
from pytest_loadtool.editing.suggestions import suggested_validators
from pytest_loadtool.model.validator import (
    BOUNDS,
    COMPARISONS,
    VALIDATOR_KINDS,
    StatusCodes,
)
from pytest_loadtool.workflow.trying import tried_validator

#: The options that say what is looked at. A value is checked by flows alone: nothing of a response.
_KINDS = tuple(key for key in VALIDATOR_KINDS if key != "value")
_OWN = tuple(key for kind in _KINDS for key in VALIDATOR_KINDS[kind].own)
_FLAGS = ("empty", "count", "unrepeated")


@with_options({key: bool if key in _FLAGS else str for key in (*_KINDS, *_OWN, *COMPARISONS)})
class Requirement(OptionGroup):
    """A requirement on a response: the keys of a test case's validators, as they are typed."""

    absent: bool = False
    outcome: str | None = None

    @property
    def keys(self) -> dict[str, Any]:
        """Return what is given, as the test case has it: numbers where numbers are compared."""
        typed = {one.name: getattr(self, one.name) for one in fields(self)}
        given = {name: one for name, one in typed.items() if one not in (None, False)}
        numbers = set(BOUNDS)
        if not given.keys().isdisjoint(("count", "json", "response")):
            numbers |= {"equals", "not_equals"}
        return {n: parsed(one) if one and n in numbers else one for n, one in given.items()}


NOTHING_REQUIRED = Requirement()


async def status(
    session: Console, which: TransactionName, codes: str, *, preview: bool = False
) -> None:
    """Edit the Status Code validator of a transaction.

    CODES are codes and ranges with commas between. They take the place of 200-399, so a transaction
    that is meant to fail passes with its error code, and with no other. --preview only shows which
    known responses have one of them.

    Example: `status DELETE /items/7 404,500-599`
    """
    document = session.opened()
    index = transaction_index(document, which)
    with as_usage():
        wanted = StatusCodes(tuple(code_range(one) for one in codes.split(",")))
    trials = [tried_validator(wanted, on) for on in known_responses(session, index)]
    session.tell(views.tried_validator(trials))
    if preview:
        return
    changed(session, editing.with_status(document.case, index, wanted))
    session.say(f"{titled(document, index)}: {views.described(wanted)}")


async def validate(
    session: Console,
    which: TransactionName,
    *,
    required: Requirement = NOTHING_REQUIRED,
    replace: int | None = None,
    from_: str | None = None,
    place: int = 0,
    choose: int = 1,
    preview: bool = False,
    anyway: bool = False,
) -> None:
    """Add a validator: what a response must have.

    One of --text, a text of the body (`${users.name}` is a dataset field), with --row, another text
    of the row of the page that it is sought in, and --item, what a row is there, such as div.card,
    or with --ahead-of, a text that has to come behind it;
    --regex, a regular expression; --json or --xml, a path; --header, its name; --response, one of
    status, size (bytes) and duration (`800ms`).
    What is there is compared by --equals (of JSON, '"17"' is a text, 17 a number), --not-equals,
    --contains, a text in it, --matches, a regular expression, --less-than, --at-most, --more-than,
    --at-least, --empty, where nothing is to be there; a JSON value by --type, too (string, number,
    integer, boolean, array, object, null), or --schema, the file of a JSON Schema; of --json, --xml
    and --regex by --than-before, what the last answer to the same request had: other, more, less or
    same. With --count,
    how many there are is.
    --absent wants the opposite; --unrepeated only that a text, or a value at a JSON path, is not
    there a second time; --outcome says in words what is so then. --replace 2 takes the place of
    validator 2; with --outcome it stays the proof of the change that this one was found for, and
    `configure` leaves it as it is.
    Whether it holds is shown before it is taken, on the recorded response and on those of the last
    replays; one that does not hold on the recorded one is taken if you agree; --anyway takes it
    unasked. --preview only shows.

    --from is a text of the response: what could look for it is listed. The first is taken; --choose
    2 takes the second. --place 2 is the second of the places that have the text, as for `extract`.

    Example: `validate GET /cart --text "Your cart"`
    """
    document = session.opened()
    index = transaction_index(document, which)
    if from_ is not None:
        found = await suggested_for(session, index, from_, place, suggested_validators)
        validator = pick(session, found, views.described, from_, choose)
    elif set(_KINDS).isdisjoint(required.keys):
        known = ", ".join(f"--{kind}" for kind in _KINDS)
        raise UsageError(
            "validate what? --from TEXT proposes what could look for a text of the response, "
            f"or one of {known} says it; `status` is for codes"
        )
    else:
        with as_usage():
            validator = parse_validator(required.keys)
    with as_usage():
        case = editing.with_validator(document.case, index, validator, replace)
    folder = session.case_path.parent
    trials = [tried_validator(validator, on, folder) for on in known_responses(session, index)]
    session.tell(views.tried_validator(trials))
    if preview:
        return
    if any(one.holds is False and one.on.label == "recorded" for one in trials) and not anyway:
        await session.agree(
            "It does not hold on the recorded response. Take it all the same?",
            "it does not hold on the recorded response: give --anyway, or look for something else",
            "--anyway",
        )
    changed(session, case)
    made = list(case.transactions())[index].validators[(replace or 0) - 1]
    session.say(f"{titled(document, index)}: {views.described(made)}")


async def remove_validator(session: Console, which: TransactionName, number: int) -> None:
    """Remove a validator from a transaction.

    NUMBER is the one that `validators` has for it. The Status Code validator stays; `status`
    changes it.

    Example: `remove-validator POST /login 1`
    """
    document = session.opened()
    index = transaction_index(document, which)
    with as_usage():
        case = editing.without_validator(document.case, index, number)
    gone = list(document.case.transactions())[index].validators[number - 1]
    changed(session, case)
    session.say(f"Removed from {titled(document, index)}: {views.described(gone)}")
    if gone.outcome is not None and gone.outcome.was_found:
        session.say("  `configure` finds it again, unless `undo-decision` takes it out for good")
