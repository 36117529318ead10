"""The open test case with the traffic it was made from, and what may be wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_loadtool.casefile import format_case, parse_case
from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.validator import expected_text
from pytest_loadtool.recording.request.uploads import Upload
from pytest_loadtool.structure.uses import needed_by, used_names
from pytest_loadtool.workflow.errors import CaseError

if TYPE_CHECKING:
    from pytest_loadtool.correlation import Configuration


@dataclass(frozen=True, slots=True)
class Document:
    """A test case and the traffic it was made from.

    ``evidence`` is the file that holds that traffic; without one it is in memory only, until it is
    saved. ``masked`` says that its credentials and tokens are stand-ins; ``troubles`` is what makes
    the recording as a whole doubtful.
    """

    case: TestCase
    exchanges: tuple[Exchange, ...] = ()
    evidence: Path | None = None
    masked: bool = False
    troubles: tuple[str, ...] = ()
    uploads: Mapping[str, Upload] = field(default_factory=dict)
    """What the files hold that the test case names, and saving has still to write."""
    configuration: Configuration | None = field(default=None, compare=False)
    """What configuring made of it, with its decisions; None if that was not done, or what the files
    have of it does not fit."""

    def evidence_of(self, transaction: Transaction) -> Exchange | None:
        """Return the exchange that a transaction was made from, if it is known."""
        recorded = transaction.recorded
        if recorded is None or recorded.entry is None or recorded.entry >= len(self.exchanges):
            return None
        return self.exchanges[recorded.entry]

    def negotiation_of(self, transaction: Transaction) -> tuple[Exchange, ...]:
        """Return the exchanges that negotiated the transaction's authentication, as far as
        known."""
        recorded = transaction.recorded
        entries = recorded.negotiation if recorded is not None else ()
        return tuple(self.exchanges[one] for one in entries if one < len(self.exchanges))

    def with_traffic(self) -> Document:
        """Return this document, which has its traffic.

        Raises:
            CaseError: it has none.
        """
        if not self.exchanges:
            raise CaseError(
                "the recorded traffic is not at hand, and dynamic values are found in it: "
                "put the .har file next to the test case and open it again"
            )
        return self


def was_recorded(case: TestCase) -> bool:
    """Return whether some of a test case was made of traffic, at hand or not."""
    recorded = (one.recorded for one in case.transactions())
    return any(one is not None and one.entry is not None for one in recorded)


def check(case: TestCase) -> None:
    """Make sure that every variable has a source.

    Raises:
        CaseError: one has none; the text says which and what to do.
    """
    missing = sorted(unset(case))
    if missing:
        raise CaseError(
            f"{', '.join(missing)}: used, but set by nothing; "
            "`configure` looks for a source, `delete` takes out what uses it"
        )


def readable(case: TestCase, path: Path) -> None:
    """Make sure that what is written of the test case could be read again.

    Raises:
        CaseError: it could not; the text says why.
    """
    try:
        parse_case(format_case(case), str(path))
    except FileError as error:
        first = error.message.partition("\n")[0]
        reason = ": ".join(part for part in (error.key, first) if part)
        raise CaseError(f"the test case cannot be saved as it is: {reason}") from None


def tidied(case: TestCase, before: TestCase) -> TestCase:
    """Return ``case`` without the variables and datasets that ``before`` has used for credentials,
    and that nothing uses any more."""
    used = of_users(case)
    for transaction in case.transactions():
        checked = map(expected_text, transaction.validators)
        used |= needed_by(case, transaction) | used_names(checked, case.variables)
    needless = of_users(before) - used
    datasets = {Reference(name).dataset for name in needless} - {
        Reference(name).dataset for name in used
    }
    return replace(
        case,
        variables={name: one for name, one in case.variables.items() if name not in needless},
        datasets=tuple(one for one in case.datasets if one.name not in datasets),
    )


def of_users(case: TestCase) -> frozenset[str]:
    """Return the names of the placeholders in identities and in the proxy."""
    owners = (*case.identities, *((case.proxy,) if case.proxy is not None else ()))
    texts = [text for one in owners for text in one.templates]
    return used_names(texts, case.variables)


def unset(case: TestCase) -> set[str]:
    """Return the variables that are used before anything sets them."""
    return {name for _, name in unset_uses(case)}


def unset_uses(case: TestCase) -> Iterator[tuple[int, str]]:
    """Yield the index of each transaction that uses a variable before anything sets it, and the
    variable."""
    known = {name for name, one in case.variables.items() if not one.needs_extractor}
    for index, transaction in enumerate(case.transactions()):
        yield from ((index, name) for name in _own(needed_by(case, transaction)) - known)
        known.update(extractor.variable for extractor in transaction.extractors)
        checked = map(expected_text, transaction.validators)
        yield from ((index, name) for name in _own(used_names(checked, case.variables)) - known)


def lost(before: TestCase, after: TestCase) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each variable that is set before it is used in one test case and not in the other, and
    who uses it without: numbers and titles of ``after``."""
    were = unset(before)
    titles = [f"{number} {one.title}" for number, one in enumerate(after.transactions(), 1)]
    found: dict[str, dict[str, None]] = {}
    for index, name in unset_uses(after):
        if name not in were:
            found.setdefault(name, {})[titles[index]] = None
    yield from ((name, tuple(users)) for name, users in sorted(found.items()))


def setters(case: TestCase, name: str) -> tuple[str, ...]:
    """Return who sets a variable, by number and title."""
    return tuple(
        f"{number} {one.title}"
        for number, one in enumerate(case.transactions(), 1)
        if any(extractor.variable == name for extractor in one.extractors)
    )


def users(case: TestCase, name: str) -> tuple[str, ...]:
    """Return whose requests and extractors use a variable, by number and title."""
    return tuple(
        f"{number} {one.title}"
        for number, one in enumerate(case.transactions(), 1)
        if name in needed_by(case, one)
    )


def _own(names: Iterable[str]) -> frozenset[str]:
    """Return the variables of the test case among the names of placeholders."""
    return frozenset(one for one in names if Reference(one).dataset is None) - BUILTIN_NAMES
