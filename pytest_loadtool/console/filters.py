"""Which domains a recording holds: what a command says, else what the options say."""

from __future__ import annotations

from pytest_loadtool.console.session import Session
from pytest_loadtool.recording import TRACKERS, Domain, DomainFilter


def domains(
    session: Session,
    only: tuple[Domain, ...],
    block: tuple[Domain, ...],
    *,
    block_trackers: bool,
) -> DomainFilter:
    """The filter of a recording, or of an import."""
    given = session.settings.domains
    if block_trackers:
        block += TRACKERS
    return DomainFilter(only or given.only, block or given.block)
