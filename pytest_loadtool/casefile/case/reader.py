"""``*.case.toml`` to `TestCase`.

It also looks whether the files that transactions of a test case name are there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_loadtool.casefile.case.answers import ANSWER, answer
from pytest_loadtool.casefile.case.asm import ASM, asm_settings
from pytest_loadtool.casefile.case.authentication import IDENTITY, PROXY, identity, proxy
from pytest_loadtool.casefile.case.checks import check_case
from pytest_loadtool.casefile.case.extractors import EXTRACTOR, extractor
from pytest_loadtool.casefile.case.flows import FLOW, flow, flow_name
from pytest_loadtool.casefile.case.tls import TLS, check_tls_files, tls_settings
from pytest_loadtool.casefile.case.validators import VALIDATOR, validator
from pytest_loadtool.casefile.case.variables import PROFILE, VARIABLE, case_profile, variable
from pytest_loadtool.casefile.dataset import read_dataset
from pytest_loadtool.casefile.files import check_file, read_text
from pytest_loadtool.casefile.quantities import parse_duration
from pytest_loadtool.casefile.syntax import (
    app_name,
    base64_bytes,
    base_url,
    charset,
    code_range,
    cookie_line,
    dataset_name,
    function_name,
    header_line,
    header_set_name,
    identifier,
    kind,
    own_header_line,
    profile_name,
    request_line,
    template,
    transport,
    variable_name,
)
from pytest_loadtool.casefile.toml.diagnostics import Problems
from pytest_loadtool.casefile.toml.schema import (
    Key,
    Node,
    Table,
    array,
    at_least,
    boolean,
    document,
    filled,
    integer,
    named,
    number,
    one_of,
    parsed,
    tables,
    text,
)
from pytest_loadtool.casefile.toml.shape import shaped, takes
from pytest_loadtool.casefile.trust import TRUSTED, Trust, check_untrusted, named_path
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.asm import USUAL_ASM
from pytest_loadtool.model.case import Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.tls import USUAL_TLS
from pytest_loadtool.model.validator import StatusCodes
from pytest_loadtool.structure.uses import named_files


def check_contents(case: TestCase, path: Path, trust: Trust, problems: Problems) -> None:
    """Add to ``problems`` which files that transactions of the file ``path`` name are missing, or
    may not or cannot be read."""
    for outer, page in enumerate(case.pages):
        for inner, transaction in enumerate(page.transactions):
            for where, file in named_files(transaction):
                try:
                    check_file(named_path(path, file, trust))
                except FileError as error:
                    at = ("page", outer, "transaction", inner, *where)
                    problems.add(at, f"{file}: {error.message}{_remedy(file)}")


def _remedy(file: str) -> str:
    folder = file.rpartition("/")[0]
    if not folder.endswith(".files") or "/" in folder:
        return ""
    return f" (the folder {folder} belongs to the test case: copy it, too)"


def parse_case(source: str, path: str) -> TestCase:
    """Return the test case that a file's text says. ``path`` is what errors call it.

    Raises:
        FileError: something in it is wrong; other files are not looked at.
    """
    case, problems = _case(source, path)
    check_case(case, problems, columns={})
    problems.raise_any()
    return case


def read_case(path: Path, trust: Trust = TRUSTED, profile: str = "") -> TestCase:
    """Return the test case in a file; its datasets must be there and have the columns that it uses,
    and the files in its bodies must be there. ``trust`` says what it may reach; the values of
    ``profile`` are in the place of its own, if it has one of that name.

    Raises:
        FileError: something in it, or in a file that it names, is wrong.
    """
    case, problems = _case(read_text(path), str(path))
    if profile in case.profiles:
        case = case.with_profile(profile)
    if trust.untrusted:
        check_untrusted(case, problems)
        problems.raise_any()  # before anything is read
    check_case(case, problems, columns=_columns(case, path, trust, problems))
    check_tls_files(case.tls, path, trust, problems)
    check_contents(case, path, trust, problems)
    problems.raise_any()
    return case


def _case(source: str, path: str) -> tuple[TestCase, Problems]:
    found, problems = document(source, path, _CASE)
    return (
        TestCase(
            name=found["name"],
            pages=found["page"],
            server=found.get("server", ""),
            server_fixture=found.get("server_fixture", ""),
            transport=found.get("transport", ""),
            app=found.get("app", ""),
            fixtures=found.get("fixtures", ()),
            marks=found.get("marks", ()),
            hosts=found.get("hosts", ()),
            recorded_hosts=found.get("recorded_hosts", ()),
            tls=found.get("tls", USUAL_TLS),
            asm=found.get("asm", USUAL_ASM),
            headers=found.get("headers", ()),
            header_sets=MappingProxyType(found.get("header_sets", {})),
            datasets=tuple(found.get("datasets", {}).values()),
            variables=MappingProxyType(found.get("variables", {})),
            flows=MappingProxyType(found.get("flows", {})),
            profiles=MappingProxyType(found.get("profile", {})),
            identities=found.get("identity", ()),
            proxy=found.get("proxy"),
            strict=found.get("strict", False),
            show_negotiation=found.get("show_negotiation", False),
        ),
        problems,
    )


def _columns(
    case: TestCase, path: Path, trust: Trust, problems: Problems
) -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Return the file and columns of each dataset that can be read, by its name."""
    columns = {}
    for use in case.datasets:
        try:
            dataset = read_dataset(named_path(path, use.file, trust))
            columns[use.name] = use.file, dataset.columns
        except FileError as error:
            if error.line:
                problems.include(error)
            else:  # the file as a whole: then its name here may be the mistake
                problems.add(("datasets", use.name, "file"), f"{use.file}: {error.message}")
    return columns


@shaped(lambda describe: describe(_PAGE))
def _page(node: Node) -> Page:
    found = _PAGE.read(node)
    return Page(
        name=found["name"],
        transactions=found["transaction"],
        think_time=found.get("think_time", 0.0),
        once=found.get("once"),
        flow=found.get("flow", ""),
    )


@shaped(lambda describe: describe(_TRANSACTION))
def _transaction(node: Node) -> Transaction:
    found = _TRANSACTION.read(node)
    if "body" in found and "body_base64" in found:
        raise node.child("body_base64", None).wrong(
            "there is a 'body' too: write 'body' for text, or 'body_base64' for other bytes"
        )
    if "body_charset" in found and "body" not in found:
        raise node.child("body_charset", None).wrong("means nothing without a 'body'")
    method, target = found["request"]
    return Transaction(
        request=Request(
            method=method,
            target=target,
            headers=found.get("headers", ()),
            body=found.get("body", found.get("body_base64")),
            header_set=found.get("header_set", ""),
            cookies=found.get("cookies", ()),
            charset=found.get("body_charset", ""),
        ),
        name=found.get("name", ""),
        status=found.get("status", StatusCodes()),
        extractors=found.get("extractors", ()),
        validators=found.get("validators", ()),
        recorded=found.get("recorded"),
        dangerous=found.get("dangerous", False),
        refreshes=found.get("refreshes", ""),
        flow=found.get("flow", ""),
        call=found.get("call", ()),
        opaque=found.get("opaque", ""),
        line=node.problems.layout.line(node.at),
    )


@shaped(lambda describe: describe(_RECORDED))
def _recorded(node: Node) -> Recorded:
    return Recorded(**_RECORDED.read(node))


_CODES = {"type": ["integer", "string"]}


@takes(anyOf=[_CODES, {"type": "array", "items": _CODES, "minItems": 1}])
def _status(node: Node) -> StatusCodes:
    if isinstance(node.value, list):
        if not node.value:
            raise node.wrong("must not be empty: no response could pass")
        return StatusCodes(array(_range)(node))
    return StatusCodes((_range(node),))


def _call(node: Node) -> tuple[str, ...]:
    if isinstance(node.value, list):
        return array(parsed(function_name))(node)
    return (parsed(function_name)(node),)


def _range(node: Node) -> tuple[int, int]:
    if isinstance(node.value, bool) or not isinstance(node.value, int | str):
        raise node.expected('a status code, a range such as "200-299", or an array of these')
    try:
        return code_range(str(node.value))
    except ValueError as error:
        raise node.wrong(str(error)) from None


@shaped(lambda describe: describe(_DATASET))
def _dataset(node: Node) -> DatasetUse:
    return DatasetUse(name=str(node.at[-1]), **_DATASET.read(node))


_HEADERS = array(parsed(header_line))

_RECORDED: Table = Table(
    "'recorded'",
    {
        "status": Key(integer, "status = 200"),
        "kind": Key(parsed(kind)),
        "entry": Key(at_least(0)),
        "at": Key(number),
        "took": Key(number),
        "pause": Key(number),
        "negotiation": Key(array(at_least(0))),
        "answer": Key(answer),
    },
)

_TRANSACTION_KEYS: dict[str, Key] = {
    "request": Key(parsed(request_line), 'request = "GET /path"'),
    "name": Key(text),
    "dangerous": Key(boolean),
    "refreshes": Key(filled),
    "flow": Key(parsed(flow_name)),
    "call": Key(_call),
    "header_set": Key(parsed(header_set_name)),
    "headers": Key(array(parsed(own_header_line))),
    "cookies": Key(array(parsed(cookie_line))),
    "body": Key(parsed(template)),
    "body_base64": Key(parsed(base64_bytes)),
    "body_charset": Key(parsed(charset)),
    "opaque": Key(filled),
    "status": Key(_status),
    "extractors": Key(array(extractor)),
    "validators": Key(array(validator)),
    "recorded": Key(_recorded),
}

_PAGE_KEYS: dict[str, Key] = {
    "name": Key(filled, 'name = "…"'),
    "think_time": Key(parsed(parse_duration, "s")),
    "once": Key(one_of("start", "end")),
    "flow": Key(parsed(flow_name)),
    "transaction": Key(
        tables(_transaction, "page.transaction"), "at least one [[page.transaction]] below it"
    ),
}

_CASE_KEYS: dict[str, Key] = {
    "format": Key(integer, "format = 1"),
    "name": Key(filled, 'name = "…"'),
    "server": Key(parsed(base_url)),
    "server_fixture": Key(parsed(identifier)),
    "transport": Key(parsed(transport)),
    "app": Key(parsed(app_name)),
    "fixtures": Key(array(parsed(identifier))),
    "marks": Key(array(parsed(identifier))),
    "hosts": Key(array(filled)),
    "recorded_hosts": Key(array(filled)),
    "tls": Key(tls_settings),
    "asm": Key(asm_settings),
    "strict": Key(boolean),
    "show_negotiation": Key(boolean),
    "proxy": Key(proxy),
    "headers": Key(_HEADERS),
    "header_sets": Key(named(header_set_name, _HEADERS)),
    "datasets": Key(named(dataset_name, _dataset)),
    "flows": Key(named(flow_name, flow)),
    "identity": Key(tables(identity, "identity")),
    "page": Key(tables(_page, "page"), "at least one [[page]]"),
    "variables": Key(named(variable_name, variable)),
    "profile": Key(named(profile_name, case_profile)),
}


def _elsewhere(*others: tuple[Mapping[str, Any], str]) -> dict[str, str]:
    return {name: where for keys, where in others for name in keys}


_AT_TOP = (_CASE_KEYS, "at the top of the file, before the first [table]")
_IN_PAGE = (_PAGE_KEYS, "under [[page]]")
_IN_TRANSACTION = (_TRANSACTION_KEYS, "under [[page.transaction]]")
_IN_TLS = (TLS.keys, "under [tls]")
_IN_ASM = (ASM.keys, "under [asm]")
_IN_IDENTITY = (IDENTITY.keys, "under [[identity]]")
_IN_FLOW = (FLOW.keys, "under [flows.NAME]")
_IN_ACTORS = ({**EXTRACTOR.keys, **VALIDATOR.keys}, "inside 'extractors' or 'validators'")

_CASE: Table = Table(
    "the test case",
    _CASE_KEYS,
    _elsewhere(_IN_IDENTITY, _IN_TLS, _IN_ASM, _IN_TRANSACTION, _IN_PAGE),
)
_PAGE: Table = Table("a page", _PAGE_KEYS, _elsewhere(_IN_FLOW, _AT_TOP, _IN_TRANSACTION))
_TRANSACTION: Table = Table(
    "a transaction", _TRANSACTION_KEYS, _elsewhere(_IN_FLOW, _AT_TOP, _IN_PAGE, _IN_ACTORS)
)
_DATASET: Table = Table(
    "a dataset",
    {
        "file": Key(filled, 'file = "….csv"'),
        "lifespan": Key(one_of("virtual user", "test case")),
        "reusable": Key(boolean),
        "sharable": Key(boolean),
        "order": Key(one_of("sequential", "random")),
    },
)

#: Every kind of table in the file, extractors and validators aside.
TABLES = (
    *(_CASE, _PAGE, _TRANSACTION, _RECORDED, ANSWER, _DATASET, VARIABLE, TLS, ASM, IDENTITY),
    PROXY,
    FLOW,
    PROFILE,
)
