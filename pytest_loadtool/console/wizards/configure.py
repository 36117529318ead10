"""Configure for Replay: its first page restricts hostnames, its second is application state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.guiding import Lines
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import case as views
from pytest_loadtool.console.wizard import question
from pytest_loadtool.recording import belongs, hostnames, restrict, what_sockets_did
from pytest_loadtool.workflow.configuring import configure, decisions, with_rules
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.telling import counted

#: The answer that no other hostname stays.
_NONE = "none"


def other_hosts(document: Document) -> tuple[str, ...]:
    """Return the hostnames that requests go to, besides those of the first page's domain."""
    document = document.with_traffic()
    uses = hostnames(document.case, document.exchanges)
    return tuple(use.name for use in uses if not use.own)


def hosts_line(document: Document, line: str) -> Lines:
    """Ask which other hostnames stay. It ends in ``line``, a command, with that as its option."""
    uses = hostnames(document.case, document.with_traffic().exchanges)
    others = [use.name for use in uses if not use.own]
    before = [name for name in others if name in document.case.hosts]
    answer = yield from question(
        "Which other hostnames stay (numbers or names with commas between, all, none)?",
        ",".join(before) or _NONE,
        lambda answer: ",".join(sorted(_understood(answer, others))) or _NONE,
        about="\n".join(views.hosts(uses, before)),
        why="A test is for your servers: what goes to others is left out of the test case.",
    )
    return (f"{line} --hosts {answer}",)


async def configure_for_replay(
    session: Console, hosts: str = "", rules: Path | None = None
) -> None:
    """Both pages. ``hosts`` are hostnames to keep, besides those of the first page's domain; empty:
    those that were kept before. ``rules`` is a file of rules to add.

    Raises:
        CaseError: the recorded traffic is not at hand.
        UsageError: no transaction goes to one of the hosts.
    """
    document = session.opened().with_traffic()
    uses = hostnames(document.case, document.exchanges)
    others = [use.name for use in uses if not use.own]
    before = {name for name in others if name in document.case.hosts}
    asked = _understood(hosts, others) if hosts else before
    if others and not hosts:
        session.decided(f"--hosts {','.join(sorted(asked)) or _NONE}")
    session.say("Configure for Replay, 1 of 2: hostnames")
    session.tell(views.hosts(uses, asked))
    keep = {use.name for use in uses if use.own} | asked
    document = replace(document, case=restrict(document.case, document.exchanges, keep))
    session.tell(views.left_out([use for use in uses if use.name not in keep], asked))
    session.say("Configure for Replay, 2 of 2: application state")
    configure_application_state(session, document, rules)


def configure_application_state(session: Console, document: Document, rules: Path | None) -> None:
    """Run application state management on a document, open what it makes, and tell its decisions.

    Raises:
        FileError: something is wrong with a file of rules.
    """
    if rules is not None:
        case = with_rules(document.case, session.case_path, rules)
        document = replace(document, case=case)
    with session.frontend.progress() as told:
        document = configure(session.settings, session.case_path, document, told)
    session.document = document
    made = decisions(document)
    session.tell(views.decisions(made))
    session.tell(views.in_doubt(document.case))
    if did := what_sockets_did(document.exchanges):
        session.say(f"  {did}")
    dynamic = len({decision.variable for decision in made if decision.variable})
    session.say(f"{counted(dynamic, 'dynamic value')} configured. `play` tries it.")


def _understood(answer: str, others: Sequence[str]) -> set[str]:
    """Return the hostnames that an answer names, by numbers, names or their beginnings; the name of
    a domain means all below it.

    Raises:
        UsageError: one of them is none of the others.
    """
    named = answer.replace(",", " ").lower().split()
    if named in (["all"], [_NONE], []):
        return set(others) if named == ["all"] else set()
    found: set[str] = set()
    for name in named:
        matching = {other for other in others if belongs(other, name)}
        if name.isdecimal() and 1 <= int(name) <= len(others):
            matching = {others[int(name) - 1]}
        beginning = [other for other in others if other.startswith(name)]
        if not matching and len(beginning) == 1:
            matching = set(beginning)
        if not matching:
            known = ", ".join(others) or "none but the first page's"
            raise UsageError(f"no transaction goes to {name!r}; other hostnames: {known}")
        found |= matching
    return found
