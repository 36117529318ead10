"""Configuring a document for replay: what is decided is kept with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_loadtool.casefile import case_rules, read_decisions
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.decision import NO_OUTCOME, OUTCOME, POLL, Decision
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.model.rule import Rule
from pytest_loadtool.recording import with_answers
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.errors import CaseError
from pytest_loadtool.workflow.project import Project

if TYPE_CHECKING:
    from pytest_loadtool.correlation import Configuration


def rules_of(project: Project, case_path: Path, case: TestCase) -> tuple[Rule, ...]:
    """Return the test case's rules, then the project's, then the package's.

    Raises:
        FileError: something is wrong with one of the files.
    """
    return case_rules(case, case_path, project=project.rules, trust=project.trust)


def with_rules(case: TestCase, case_path: Path, file: Path) -> TestCase:
    """Return the test case with one more file of rules, which come before those it has."""
    name = Path(os.path.relpath(file.absolute(), case_path.parent)).as_posix()
    others = (one for one in case.asm.rules if one != name)
    return replace(case, asm=replace(case.asm, rules=(name, *others)))


def needs_configuration(document: Document) -> bool:
    """Return whether a document was recorded and never configured."""
    return bool(document.exchanges) and not document.case.configured


def configure(
    project: Project, case_path: Path, document: Document, told: Told = silent
) -> Document:
    """Find the dynamic values of a document and connect them.

    Raises:
        FileError: something is wrong with a file of rules.
    """
    from pytest_loadtool.editing.polling import with_polling

    made = _correlated(project, case_path, document, told)
    case = with_polling(made.case, document.exchanges)
    return replace(document, case=case, configuration=made)


def with_decisions(document: Document) -> Document:
    """Return the document with the decisions beside its traffic, if they are on its transactions:
    the test case may have been changed without them.

    Raises:
        FileError: the traffic cannot be read.
    """
    from pytest_loadtool.correlation import Configuration

    if not document.case.configured or document.evidence is None:
        return document
    made = read_decisions(document.evidence)
    titles = {title for title, _ in _titled(document.case)}
    if not made or not titles.issuperset(name for one in made for name in _named_in(one)):
        return document
    return replace(document, configuration=Configuration(document.case, made))


def decided(project: Project, case_path: Path, document: Document, told: Told = silent) -> Document:
    """Return the document with its decisions; its test case stays as it is. They are found anew if
    those beside its traffic are of another test case.

    Raises:
        CaseError: it has no traffic, or was never configured.
        FileError: something is wrong with a file of rules.
    """
    document.with_traffic()
    if document.configuration is not None:
        return document
    if needs_configuration(document):
        raise CaseError("nothing is decided yet: `configure` finds the dynamic values")
    made = _correlated(project, case_path, document, told)
    return replace(document, configuration=replace(made, case=document.case))


def decisions(document: Document) -> tuple[Decision, ...]:
    """Return what was decided, as far as it stands: transactions that were deleted since, and
    variables that are gone, are in no decision, and the others have the numbers of now."""
    from pytest_loadtool.editing.polling import poll_decisions

    made = document.configuration
    if made is None:
        return ()
    names = _renamed(made.case, document.case) if made.case is not document.case else {}
    known = document.case.variables
    found = (
        _told_anew(one, names) if names else one
        for one in made.decisions
        if one.rule != POLL and (not one.variable or one.variable in known)
    )
    return (*found, *poll_decisions(document.case, document.exchanges))


def without_variable(document: Document, name: str, told: Told = silent) -> Document:
    """Take the decision for a variable back, so that configuring does not make it again: its values
    are sent as recorded.

    Raises:
        ValueError: there is none of that name, a person set it, or something else needs it.
    """
    from pytest_loadtool.correlation.decisions.ignoring import IGNORED
    from pytest_loadtool.correlation.writing.revert import taken_back

    case = taken_back(document.case, document.exchanges, name)
    new = case.asm.ignore[len(document.case.asm.ignore) :]
    fields = dict.fromkeys(one.partition(": ")[2] for one in new)
    made = decisions(document)
    ignored = (
        replace(
            one,
            variable="",
            producer="",
            rule=IGNORED.name,
            reason=IGNORED.reason.format(field=field),
            confidence=0.5,
        )
        for one in made
        if one.variable == name
        for field in fields
    )
    others = (one for one in made if one.variable != name)
    return _decided_anew(document, case, (*others, *ignored), told)


def without_outcome(document: Document, change: str, told: Told = silent) -> Document:
    """Assert nothing any more of what a change brought about: ``change`` is its number and title.

    Raises:
        ValueError: nothing is asserted of it.
    """
    from pytest_loadtool.correlation.outcomes import without_outcome as without

    case = without(document.case, document.exchanges, change)
    return _decided_anew(document, case, decisions(document), told)


def without_poll(document: Document, flow: str) -> Document:
    """Ask as often as recorded for what a flow asks for until its answer has come.

    Raises:
        ValueError: polling was found in no flow of that name.
    """
    from pytest_loadtool.editing.polling import without_polling

    return replace(document, case=without_polling(document.case, document.exchanges, flow))


def with_values(document: Document, case: TestCase, told: Told = silent) -> Document:
    """Return the document with ``case``, in which other values are sent: what its changes bring
    about is asserted with these, if it was before."""
    outcomes = (one.outcome for each in case.transactions() for one in each.validators)
    if document.exchanges and any(one is not None and one.change for one in outcomes):
        return _decided_anew(document, case, decisions(document), told)
    return replace(document, case=case)


def _decided_anew(
    document: Document, case: TestCase, made: Iterable[Decision], told: Told
) -> Document:
    """Return the document with ``case``, in which these decisions stand, and what changes brought
    about is asserted with the values that it has now."""
    from pytest_loadtool.correlation.configuration import asserted_anew

    outcomes = asserted_anew(case, document.exchanges, told)
    others = (one for one in made if one.rule not in (OUTCOME, NO_OUTCOME))
    configuration = document.configuration and replace(
        document.configuration, case=outcomes.case, decisions=(*others, *outcomes.decisions)
    )
    return replace(document, case=outcomes.case, configuration=configuration)


def _correlated(project: Project, case_path: Path, document: Document, told: Told) -> Configuration:
    from pytest_loadtool.correlation import configure

    rules = rules_of(project, case_path, document.case)
    case = with_answers(document.case, document.exchanges)
    return configure(case, document.exchanges, rules=rules, told=told)


def _renamed(before: TestCase, after: TestCase) -> dict[str, str]:
    """Return by the number and title of each transaction before those of now; empty if it is
    gone."""
    now = {_entry(one): title for title, one in _titled(after)}
    return {title: now.get(_entry(one), "") for title, one in _titled(before)}


def _titled(case: TestCase) -> list[tuple[str, Transaction]]:
    return [(f"{n} {one.title}", one) for n, one in enumerate(case.transactions(), 1)]


def _named_in(one: Decision) -> Iterator[str]:
    """Yield the transactions that a decision is on."""
    yield from filter(None, (one.producer, *one.consumers))


def _entry(transaction: Transaction) -> int | None:
    return transaction.recorded.entry if transaction.recorded is not None else None


def _told_anew(one: Decision, names: dict[str, str]) -> Decision:
    reason = one.reason
    if one.producer and one.producer in names:
        reason = reason.replace(f'"{one.producer}"', f'"{names[one.producer] or one.producer}"')
    return replace(
        one,
        producer=names.get(one.producer, one.producer),
        consumers=tuple(filter(None, (names.get(user, user) for user in one.consumers))),
        reason=reason,
    )
