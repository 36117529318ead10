"""`TestCase` to ``*.case.toml``."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from pytest_loadtool.casefile.case.answers import answer_text
from pytest_loadtool.casefile.case.asm import asm_lines
from pytest_loadtool.casefile.case.authentication import identity_lines, proxy_lines
from pytest_loadtool.casefile.case.extractors import extractor_pairs
from pytest_loadtool.casefile.case.flows import flow_pairs
from pytest_loadtool.casefile.case.tls import tls_lines
from pytest_loadtool.casefile.case.validators import validator_pairs
from pytest_loadtool.casefile.case.variables import GENERATORS
from pytest_loadtool.casefile.quantities import format_duration
from pytest_loadtool.casefile.toml.positions import KeyPath
from pytest_loadtool.casefile.toml.render import (
    KeyedLine,
    Scalar,
    inline_array,
    inline_table,
    key,
    multiline,
    render,
    scalar,
    string,
)
from pytest_loadtool.casefile.toml.schema import FORMAT
from pytest_loadtool.model.case import (
    CaseProfile,
    Header,
    Kind,
    Page,
    Recorded,
    Request,
    TestCase,
    Transaction,
    Variable,
)
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.flow import NamedFlow
from pytest_loadtool.model.generator import Generator
from pytest_loadtool.model.validator import (
    StatusCodes,
)


def format_case(case: TestCase) -> str:
    """Return the text that `parse_case` reads back as ``case``. What is as usual is left out."""
    return render(line for line in case_lines(case) if not line.usual)


def case_lines(case: TestCase) -> Iterator[KeyedLine]:
    """Yield the lines of a test case's file."""
    yield _pair((), "format", FORMAT)
    yield _pair((), "name", case.name)
    yield from _filled((), "server", case.server)
    yield from _filled((), "server_fixture", case.server_fixture)
    yield from _filled((), "transport", case.transport)
    yield from _filled((), "app", case.app)
    yield from _strings((), "fixtures", case.fixtures)
    yield from _strings((), "marks", case.marks)
    yield from _strings((), "hosts", case.hosts)
    yield from _strings((), "recorded_hosts", case.recorded_hosts)
    yield _pair((), "strict", case.strict, usual=not case.strict)
    yield _pair((), "show_negotiation", case.show_negotiation, usual=not case.show_negotiation)
    yield from _strings((), "headers", map(_header, case.headers), gap=True)
    yield from tls_lines(case.tls)
    yield from proxy_lines(case.proxy)
    yield from asm_lines(case.asm)
    if case.header_sets:
        yield KeyedLine(("header_sets",), "[header_sets]", gap=True)
    for name, headers in case.header_sets.items():
        written = tuple(string(_header(one)) for one in headers)
        yield KeyedLine(("header_sets", name), f"{key(name)} = ", elements=written)
    for use in case.datasets:
        yield from _dataset(use)
    for flow in case.flows.values():
        yield from _flow(flow)
    yield from identity_lines(case.identities)
    for index, page in enumerate(case.pages):
        yield from _page(("page", index), page)
    if case.variables:
        yield KeyedLine(("variables",), "[variables]", gap=True)
    for name, variable in case.variables.items():
        yield KeyedLine(("variables", name), f"{key(name)} = {_variable(variable)}")
    for name, profile in case.profiles.items():
        yield from _profile(("profile", name), profile)


def _profile(table: KeyPath, profile: CaseProfile) -> Iterator[KeyedLine]:
    yield KeyedLine(table, f"[profile.{table[-1]}]", gap=True)
    yield from _filled(table, "server", profile.server)
    if profile.variables:
        yield KeyedLine((*table, "variables"), f"[profile.{table[-1]}.variables]", gap=True)
    for name, one in profile.variables.items():
        yield KeyedLine((*table, "variables", name), f"{key(name)} = {_variable(one)}")


def _pair(table: KeyPath, name: str, value: Scalar, *, usual: bool = False) -> KeyedLine:
    return KeyedLine((*table, name), f"{name} = {scalar(value)}", usual=usual)


def _filled(table: KeyPath, name: str, value: str) -> Iterator[KeyedLine]:
    """Yield a pair that there is no way to write when it is empty."""
    if value:
        yield _pair(table, name, value)


def _strings(
    table: KeyPath, name: str, elements: Iterable[str], *, gap: bool = False
) -> Iterator[KeyedLine]:
    """Yield an array of strings, left out when empty."""
    written = tuple(string(one) for one in elements)
    if written:
        yield KeyedLine((*table, name), f"{name} = ", gap=gap, elements=written)


def _tables(
    table: KeyPath, name: str, elements: Iterable[Mapping[str, str]]
) -> Iterator[KeyedLine]:
    """Yield an array of inline tables, one per line, left out when empty."""
    written = tuple(inline_table(one) for one in elements)
    if written:
        yield KeyedLine((*table, name), f"{name} = ", elements=written, spread=True)


def _dataset(use: DatasetUse) -> Iterator[KeyedLine]:
    table = ("datasets", use.name)
    default = DatasetUse(use.name, use.file)
    yield KeyedLine(table, f"[datasets.{key(use.name)}]", gap=True)
    yield _pair(table, "file", use.file)
    for name in ("lifespan", "reusable", "sharable", "order"):
        value = getattr(use, name)
        yield _pair(table, name, value, usual=value == getattr(default, name))


def _flow(flow: NamedFlow) -> Iterator[KeyedLine]:
    table = ("flows", flow.name)
    yield KeyedLine(table, f"[flows.{key(flow.name)}]", gap=True)
    for name, value, usual in flow_pairs(flow, validator_pairs):
        yield KeyedLine((*table, name), f"{name} = {value}", usual=usual)


def _page(table: KeyPath, page: Page) -> Iterator[KeyedLine]:
    yield KeyedLine(table, "[[page]]", gap=True)
    yield _pair(table, "name", page.name)
    pause = format_duration(page.think_time)
    yield _pair(table, "think_time", pause, usual=not page.think_time)
    yield from _filled(table, "once", page.once or "")
    yield from _filled(table, "flow", page.flow)
    for index, transaction in enumerate(page.transactions):
        yield from _transaction((*table, "transaction", index), transaction)


def _transaction(table: KeyPath, transaction: Transaction) -> Iterator[KeyedLine]:
    request = transaction.request
    yield KeyedLine(table, "[[page.transaction]]", gap=True)
    yield _pair(table, "request", f"{request.method} {request.target}")
    yield from _filled(table, "name", transaction.name)
    yield _pair(table, "dangerous", transaction.dangerous, usual=not transaction.dangerous)
    yield from _filled(table, "refreshes", transaction.refreshes)
    yield from _filled(table, "flow", transaction.flow)
    if len(transaction.call) == 1:
        yield _pair(table, "call", transaction.call[0])
    else:
        yield from _strings(table, "call", transaction.call)
    yield from _filled(table, "header_set", request.header_set)
    yield from _strings(table, "headers", map(_header, request.headers))
    yield from _strings(table, "cookies", request.cookies)
    yield from _body(table, request)
    yield from _filled(table, "opaque", transaction.opaque)
    yield _status(table, transaction.status)
    yield from _tables(table, "extractors", map(extractor_pairs, transaction.extractors))
    yield from _tables(table, "validators", map(validator_pairs, transaction.validators))
    if transaction.recorded is not None:
        recorded = inline_table(_recorded(transaction.recorded))
        yield KeyedLine((*table, "recorded"), f"recorded = {recorded}")


def _header(header: Header) -> str:
    if header.value is None:
        return header.name
    return f"{header.name}: {header.value}" if header.value else f"{header.name}:"


def _body(table: KeyPath, request: Request) -> Iterator[KeyedLine]:
    match request.body:
        case str(text):
            yield KeyedLine((*table, "body"), f"body = {multiline(text)}")
            yield from _filled(table, "body_charset", request.charset)
        case bytes(content):
            encoded = base64.b64encode(content).decode()
            yield _pair(table, "body_base64", encoded)
        case None:
            pass


def _status(table: KeyPath, status: StatusCodes) -> KeyedLine:
    written = tuple(
        str(low) if low == high else string(f"{low}-{high}") for low, high in status.ranges
    )
    path = (*table, "status")
    if len(written) == 1:
        return KeyedLine(path, f"status = {written[0]}", usual=status == StatusCodes())
    return KeyedLine(path, "status = ", elements=written)


def _recorded(recorded: Recorded) -> dict[str, str]:
    pairs: dict[str, Scalar] = {"status": recorded.status}
    negotiation = inline_array(map(str, recorded.negotiation))
    if recorded.kind is not Kind.OTHER:
        pairs["kind"] = recorded.kind.value
    if recorded.entry is not None:
        pairs["entry"] = recorded.entry
    if recorded.at:
        pairs["at"] = recorded.at
    if recorded.took:
        pairs["took"] = recorded.took
    if recorded.pause:
        pairs["pause"] = recorded.pause
    written = {name: scalar(value) for name, value in pairs.items()}
    written |= {"negotiation": negotiation} if recorded.negotiation else {}
    return written | ({"answer": answer_text(recorded.answer)} if recorded.answer else {})


def _variable(variable: Variable) -> str:
    if variable == Variable(variable.name, variable.value) and variable.value is not None:
        return string(variable.value)
    origin: dict[str, Scalar | None] = {
        "value": variable.value,
        "env": variable.env,
        "keyring": variable.keyring,
        "username": variable.username or None,
        "template": variable.template,
    }
    notes: dict[str, Scalar | None] = {
        "recorded": variable.recorded,
        "set_by": None if variable.set_by == "person" else variable.set_by,
        "rule": variable.rule or None,
    }
    return inline_table({**_scalars(origin), **_generate(variable.generate), **_scalars(notes)})


def _scalars(pairs: Mapping[str, Scalar | None]) -> dict[str, str]:
    return {name: scalar(one) for name, one in pairs.items() if one is not None}


#: What is written out even if it is as usual: how a made-up value looks is read there.
_SHOWN = ("length", "alphabet", "unit")


def _generate(generator: Generator | None) -> dict[str, str]:
    """Return the keys of a generator with their values as written."""
    if generator is None:
        return {}
    kind = next(name for name, one in GENERATORS.items() if isinstance(generator, one))
    pairs = {"generate": string(kind)}
    for one in fields(generator):
        value = getattr(generator, one.name)
        if one.name in _SHOWN or not (value == one.default or value == {}):
            pairs[one.name] = _detail(one.name, value)
    return pairs


def _detail(name: str, value: Any) -> str:
    if not isinstance(value, Mapping):
        return scalar(value)
    if name == "choices" and set(value.values()) == {1}:
        return inline_array(map(string, value))
    return inline_table({name: scalar(one) for name, one in value.items()})
