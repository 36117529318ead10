"""Configure for Replay: its first page restricts hostnames, its second is application state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.rules import rules_of, with_rules
from pytest_loadtool.console.session import Document, Session
from pytest_loadtool.console.views import case as views
from pytest_loadtool.console.views.text import counted
from pytest_loadtool.console.wizard import question
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.recording import belongs, hostnames, restrict, what_sockets_did, with_answers

if TYPE_CHECKING:
    from pytest_loadtool.correlation import Configuration


def needs_configuration(document: Document) -> bool:
    """Whether a first replay starts with Configure for Replay: it was recorded, and not yet run."""
    return bool(document.exchanges) and not document.case.configured


async def configure_for_replay(
    session: Session, hosts: str = "", rules: Path | None = None
) -> None:
    """Both pages. ``hosts`` are hostnames to keep, besides those of the first page's domain;
    ``rules`` is a file of rules to add.

    Raises:
        CommandError: the recorded traffic is not at hand.
        UsageError: no transaction goes to one of the hosts.
    """
    document = with_traffic(session)
    uses = hostnames(document.case, document.exchanges)
    others = [use.name for use in uses if not use.own]
    session.say("Configure for Replay, 1 of 2: hostnames")
    for line in views.hosts(uses):
        session.say(line)
    if hosts or not others:
        asked = _understood(hosts, others)
    else:
        asked = await session.consult(
            question(
                "Which other hostnames stay (`all`, or names with commas between)?",
                "",
                lambda answer: _understood(answer, others),
            )
        )
    keep = {use.name for use in uses if use.own} | asked
    document = replace(document, case=restrict(document.case, document.exchanges, keep))
    for line in views.left_out([use for use in uses if use.name not in keep]):
        session.say(line)
    session.say("Configure for Replay, 2 of 2: application state")
    configure_application_state(session, document, rules)


def configure_application_state(session: Session, document: Document, rules: Path | None) -> None:
    """Run application state management on a document, open what it makes, and tell its decisions.

    Raises:
        FileError: something is wrong with a file of rules.
    """
    if rules is not None:
        case = with_rules(document.case, session.case_path, rules)
        document = replace(document, case=case)
    result = configured(session, document)
    session.document = replace(document, case=result.case)
    for line in views.decisions(result.decisions):
        session.say(line)
    for line in views.by_place(result.case):
        session.say(line)
    if did := what_sockets_did(document.exchanges):
        session.say(f"  {did}")
    dynamic = len({decision.variable for decision in result.decisions if decision.variable})
    session.say(f"{counted(dynamic, 'dynamic value')} configured. `play` tries it.")


def configured(session: Session, document: Document) -> Configuration:
    """What application state management makes of a document, by its rules.

    Raises:
        FileError: something is wrong with a file of rules.
    """
    from pytest_loadtool.correlation import configure

    rules = rules_of(session, document.case)
    case = with_answers(document.case, document.exchanges)
    with session.frontend.progress() as told:
        return configure(case, document.exchanges, rules=rules, told=told)


def standing(session: Session, document: Document) -> tuple[Decision, ...]:
    """The decisions that the document's test case shows: none if it was never configured, or if a
    file of rules cannot be read."""
    if not any(one.set_by == "asm" for one in document.case.variables.values()):
        return ()
    try:
        made = configured(session, document).decisions
    except LoadToolError:
        return ()
    return tuple(one for one in made if not one.variable or one.variable in document.case.variables)


def with_traffic(session: Session) -> Document:
    """The open document, with its traffic.

    Raises:
        CommandError: there is none.
    """
    document = session.opened()
    if not document.exchanges:
        raise CommandError(
            "the recorded traffic is not at hand, and dynamic values are found in it: "
            "put the .har file next to the test case and open it again"
        )
    return document


def _understood(answer: str, others: Sequence[str]) -> set[str]:
    """The hostnames that an answer names; the name of a domain means all below it.

    Raises:
        UsageError: one of them is none of the others.
    """
    if answer.strip() == "all":
        return set(others)
    found: set[str] = set()
    for name in answer.replace(",", " ").split():
        matching = {other for other in others if belongs(other, name.lower())}
        if not matching:
            known = ", ".join(others) or "none but the first page's"
            raise UsageError(f"no transaction goes to {name!r}; other hostnames: {known}")
        found |= matching
    return found
