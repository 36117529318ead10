"""Trying validators and extractors on responses that are known: recorded, or kept of a replay.

An actor may go by values of the user. What they were when a response came is known of variables,
not of rows of datasets in the recording: there it cannot be tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.codec.content import ContentError
from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.template import Template
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.errors import FileError, ReplayError, SlowPatternError
from pytest_loadtool.extraction.bound import bind_source
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Extractor, source_texts
from pytest_loadtool.model.validator import StatusCodes, Validator, expected_text
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.compile.validate import compile_validator
from pytest_loadtool.structure.uses import references, used_names
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.keeping import kept_replays
from pytest_loadtool.workflow.replays import OpenReplay

#: How many matches of an extractor are counted.
MOST_MATCHES = 50
#: How many of the kept replays are looked at.
_REPLAYS = 2
_HERE = Path()


@dataclass(frozen=True, slots=True)
class KnownResponse:
    """A response that actors are tried on: ``label`` says which, ``values`` is what placeholders
    stood for, as far as that is known."""

    label: str
    exchange: Exchange
    values: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ExtractorTrial:
    """The result of an extractor on a response: all ``matches``, and which of them it takes; or why
    it was not tried."""

    on: KnownResponse
    matches: tuple[str, ...] = field(default=(), repr=False)
    taken: str | None = field(default=None, repr=False)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ValidatorTrial:
    """Whether a validator holds on a response; if not, ``message`` says why. None: it was not
    tried, for the reason in ``message``."""

    on: KnownResponse
    holds: bool | None
    message: str = ""


def recorded_response(document: Document, index: int) -> Iterator[KnownResponse]:
    """Yield the recorded response of a transaction, if it is known."""
    transaction = list(document.case.transactions())[index]
    exchange = document.evidence_of(transaction)
    if exchange is not None and exchange.status:
        yield KnownResponse("recorded", exchange, recorded_values(document.case))


def kept_responses(case_path: Path, case: TestCase, index: int) -> Iterator[KnownResponse]:
    """Yield the responses of a transaction in the last replays that were kept, the latest first."""
    for path in kept_replays(case_path)[:_REPLAYS]:
        with suppress(FileError):  # it is gone, or was never finished: there are others
            opened = OpenReplay.read(path)
            kept = opened.transaction(case, index)
            if kept is not None and kept.exchange is not None and kept.exchange.status:
                began = datetime.fromtimestamp(opened.replay.started)
                yield KnownResponse(f"replay {began:%H:%M:%S}", kept.exchange, opened.values)


def recorded_values(case: TestCase) -> dict[str, str]:
    """Return what placeholders stood for in the recording, as far as that is known."""
    values = {}
    for name, one in case.variables.items():
        value = one.recorded if one.recorded is not None else one.value
        if value is not None:
            values[name] = value
    return values


def tried_extractor(extractor: Extractor, on: KnownResponse) -> ExtractorTrial:
    """Try an extractor on a response."""
    names = {one.name for one in references(extractor.source)}
    if missing := names - on.values.keys():
        return ExtractorTrial(on, problem=_unknown(missing))
    response = RecordedResponse(on.exchange)
    found: list[str] = []
    try:
        for match in range(1, max(MOST_MATCHES, extractor.match) + 1):
            value = _taken(extractor, match, response, on.values)
            if value is None:
                break
            found.append(value)
    except (SlowPatternError, ContentError) as error:
        return ExtractorTrial(on, tuple(found), problem=str(error))
    taken = found[extractor.match - 1] if len(found) >= extractor.match else None
    return ExtractorTrial(on, tuple(found), taken)


def _taken(
    extractor: Extractor, match: int, response: RecordedResponse, values: Mapping[str, str]
) -> str | None:
    if not source_texts(extractor.source):
        return compile_source(extractor.source, match)(response)

    def fill(template: Template) -> str:
        return template.filled(lambda one: filtered(values[one.name], one.filters))

    bound = bind_source(extractor.source, match, lambda template: lambda _: fill(template))
    return bound(response, ())


def tried_validator(
    validator: Validator | StatusCodes, on: KnownResponse, folder: Path = _HERE
) -> ValidatorTrial:
    """Try a validator on a response; the files that it names are in ``folder``."""
    if isinstance(validator, StatusCodes):
        holds = validator.accepts(on.exchange.status)
        return ValidatorTrial(on, holds, "" if holds else f"the status is {on.exchange.status}")
    if missing := used_names([expected_text(validator)], {}) - on.values.keys():
        return ValidatorTrial(on, None, _unknown(missing))
    schema = getattr(validator, "schema", None)
    try:
        files = {schema: read_bytes(folder / schema)} if schema else {}
        check = compile_validator(validator, VariableNames(on.values, files))
        failure = check(RecordedResponse(on.exchange), ())
    except (ContentError, FileError, ReplayError) as error:
        return ValidatorTrial(on, None, str(error))
    if failure is not None and not failure.certain:
        return ValidatorTrial(on, None, failure.told)
    return ValidatorTrial(on, failure is None, failure.told if failure else "")


def _unknown(names: set[str] | frozenset[str]) -> str:
    shown = ", ".join(f"${{{one}}}" for one in sorted(names))
    return f"not tried: {shown} is not known here"
