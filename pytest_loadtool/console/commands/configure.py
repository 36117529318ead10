"""Configuring the test case for replay, and telling why it is as it is."""

from __future__ import annotations

from pytest_loadtool.console.arguments import Hostnames, RulesFile, VariableName
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.guiding import guide
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import case as views
from pytest_loadtool.console.wizards.configure import (
    configure_application_state,
    configure_for_replay,
    hosts_line,
    other_hosts,
)
from pytest_loadtool.console.wizards.consent import may_replay
from pytest_loadtool.console.wizards.identity import needs_identity
from pytest_loadtool.console.wizards.improve import improve_by_replays
from pytest_loadtool.console.wizards.reset_server import words_of
from pytest_loadtool.correlation.autocorrelate import REPLAYS
from pytest_loadtool.editing.parts import proposed
from pytest_loadtool.model.decision import POLL
from pytest_loadtool.recording import hostnames
from pytest_loadtool.workflow.configuring import (
    decided,
    decisions,
    without_outcome,
    without_poll,
    without_variable,
)
from pytest_loadtool.workflow.document import Document


async def configure(
    session: Console,
    *,
    hosts: Hostnames | None = None,
    rules: RulesFile | None = None,
    replay: bool = False,
    replays: int = REPLAYS,
    server: str = "",
    reset: str = "",
) -> None:
    """Configure for Replay: restrict the hostnames, then find dynamic values and connect them.

    First: what goes to other hostnames than those of the first page's domain is deleted, because
    third parties are not to be tested. --hosts names others that stay, with commas between, or
    `all`; without it you are asked, and a script keeps none. Second: each dynamic value is taken
    from the response that sets it. Every decision is printed with its reason. It can be repeated:
    what it did before is done anew, what a person edited stays. --rules adds a file with rules of
    your own, which the test case remembers. The first `play` of a recording starts it by itself.

    --replay goes on: it replays the test case, compares the responses with the recorded ones,
    connects what the server gives out anew, and replays again, until all passes or it can say what
    is missing. One that is green is followed by a second on the same server. It makes at most
    --replays of them (10), to --server if that is given, and never sends what `mark-dangerous` has
    marked. --reset is a command that brings the server back, to be run before the replays that want
    it so. Ctrl-C keeps what the rounds before have found.

    Example: `configure --hosts cdn.example --replay`
    """
    if replays < 1:
        raise UsageError("--replays must be at least 1")
    if reset and not replay:
        raise UsageError("--reset means nothing without --replay")
    reset = reset or session.settings.reset
    if reset:
        words_of(reset)
    document = session.opened()
    if hosts is None and session.frontend.interactive and other_hosts(document):
        line = session.running.line if session.running is not None else "configure"
        await guide(session, "Configure for Replay", lambda: hosts_line(document, line))
        return
    await configure_for_replay(session, hosts or "", rules)
    if replay:
        if needs_identity(session.opened()):
            await execute(session, "test-case-configuration")
        await may_replay(session, server)
        await improve_by_replays(session, server=server, most=replays, reset=reset)
    else:
        session.say("`configure --replay` also finds what only replays show.")
    document = session.opened()
    session.tell(views.parts(document.case, proposed(document.case, document.exchanges)))


async def application_state(session: Console, *, rules: RulesFile | None = None) -> None:
    """Application State: find dynamic values anew, in a test case whose hostnames are restricted.

    It is the second part of `configure` by itself. --rules adds a file with rules of your own.

    Example: `application-state --rules shop.rules.toml`
    """
    document = session.opened().with_traffic()
    if not document.case.hosts:
        others = [use for use in hostnames(document.case, document.exchanges) if not use.own]
        if others:
            raise CommandError(
                "the hostnames are not restricted yet, and values of third parties are no use: "
                "`configure` does both"
            )
    configure_application_state(session, document, rules)


async def explain(session: Console, variable: VariableName | None = None) -> None:
    """List the decisions of application state management: what was found, and why.

    Each has the value, the response that sets it, the requests that use it, the rule or evidence
    and the confidence; values that were left alone come last. With VARIABLE, only what is about it.

    Example: `explain csrf_token[1]`
    """
    made = decisions(_decided(session))
    if variable is not None:
        made = tuple(one for one in made if one.variable == variable)
        if not made:
            raise UsageError(f"no decision is about {variable!r}: `explain` lists all")
    await session.page(views.decisions(made, numbered=variable is None))


async def undo_decision(session: Console, decision: VariableName) -> None:
    """Take one decision of application state management back, so that it does not come again.

    DECISION is the variable, or its number as `explain` lists it. Its values are sent as they were
    recorded, and their fields are noted in the test case as ignored, each for its request alone. Of
    an outcome, its number: nothing is asserted of that change then; of polling, too: it is asked as
    often as recorded.

    Example: `undo-decision 3`
    """
    document = _decided(session)
    made = views.taken_back_by_number(decisions(document))
    number = int(decision) if decision.isascii() and decision.isdigit() else 0
    if number > len(made):
        raise UsageError(f"there is no decision {number}: `explain` numbers them 1 to {len(made)}")
    name = made[number - 1].variable if number else str(decision)
    change = made[number - 1].producer if number else ""
    try:
        if number and made[number - 1].rule == POLL:
            session.document = without_poll(document, made[number - 1].value)
            session.say(f"{change} is asked as often as it was recorded:")
        elif name or not number:
            with session.frontend.progress() as told:
                session.document = without_variable(document, name, told)
            session.say(
                f"{name} is gone. What used it is sent as recorded, and left alone by `configure`:"
            )
        else:
            with session.frontend.progress() as told:
                session.document = without_outcome(document, change, told)
            session.say(f"Nothing is asserted of {change} any more:")
    except ValueError as error:
        raise UsageError(str(error)) from None
    ignored = session.opened().case.asm.ignore[len(document.case.asm.ignore) :]
    session.tell(f"  {one}" for one in ignored)


def _decided(session: Console) -> Document:
    """Return the open document with its decisions, which are kept with it."""
    with session.frontend.progress() as told:
        document = decided(session.settings, session.case_path, session.opened(), told)
    session.document = document
    return document
