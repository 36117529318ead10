"""Which placeholders and files the texts of a test case use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pytest_loadtool.codec.template import Reference, Template, escape, files_of
from pytest_loadtool.model.case import Request, TestCase, Transaction, Variable
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.extractor import Source, source_texts, with_texts
from pytest_loadtool.model.validator import JsonValidator


def files_in(request: Request) -> tuple[str, ...]:
    """Return the files in the body of a request, by their paths from the test case's folder.

    Raises:
        TemplateError: a placeholder is malformed.
    """
    return files_of(request.body) if isinstance(request.body, str) else ()


def named_files(transaction: Transaction) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the files that a transaction names, each with where: in its body, or as the JSON Schema
    of a validator.

    Raises:
        TemplateError: as `files_in`.
    """
    for file in dict.fromkeys(files_in(transaction.request)):
        yield ("body",), file
    for index, one in enumerate(transaction.validators):
        if isinstance(one, JsonValidator) and one.schema is not None:
            yield ("validators", index, "schema"), one.schema


def case_files(case: TestCase) -> tuple[str, ...]:
    """Return the files that the transactions of a test case name, each once.

    Raises:
        TemplateError: as `files_in`.
    """
    found = (file for one in case.transactions() for _, file in named_files(one))
    return tuple(dict.fromkeys(found))


def references(source: Source) -> tuple[Reference, ...]:
    """Return the placeholders of an extractor's source, in order."""
    texts = source_texts(source)
    return tuple(one for text in texts for one in Template.parse(text).references)


def escaped(source: Source) -> Source:
    """Return a source whose texts are no templates yet, as one in which they stand for
    themselves."""
    return with_texts(source, escape)


def used_by(case: TestCase, request: Request) -> frozenset[str]:
    """Return the names of the placeholders in all that a request of the test case sends.

    Raises:
        KeyError: as `TestCase.wire_headers`.
        TemplateError: a placeholder is malformed.
    """
    return used_names(sent_texts(case, request), case.variables)


def needed_by(case: TestCase, transaction: Transaction) -> frozenset[str]:
    """Return the names that must have a value before a transaction: `used_by` its request, and what
    its extractors look for that no extractor before them finds in the same response.

    Raises:
        KeyError, TemplateError: as `used_by`.
    """
    names = used_by(case, transaction.request)
    found: set[str] = set()
    for extractor in transaction.extractors:
        texts = map(str, references(extractor.source))
        names |= used_names(texts, case.variables) - found
        found.add(extractor.variable)
    return names


def sent_texts(case: TestCase, request: Request) -> Iterator[str]:
    """Yield the texts of a request of the test case in which placeholders may stand.

    Raises:
        KeyError: as `TestCase.wire_headers`.
    """
    yield request.target
    yield from (header.value for header in case.wire_headers(request) if header.value)
    yield from request.cookies
    if isinstance(request.body, str):
        yield request.body


def lasting_datasets(case: TestCase) -> tuple[DatasetUse, ...]:
    """Return the datasets of a test case, as its virtual users take rows of them.

    A row that its start uses, or its identities where it has a start, is who the user is: it lasts
    as long as the user does.

    Raises:
        KeyError, TemplateError: as `used_by`.
    """
    start = [one for page in case.pages if page.once == "start" for one in page.transactions]
    if not start:
        return case.datasets
    known = [text for one in case.identities for text in one.templates]
    names = used_names(known, case.variables).union(*(needed_by(case, one) for one in start))
    kept = {name.partition(".")[0] for name in names if "." in name}
    return tuple(
        replace(use, lifespan="virtual user") if use.name in kept else use for use in case.datasets
    )


def used_names(texts: Iterable[str], variables: Mapping[str, Variable]) -> frozenset[str]:
    """Return the names of the placeholders in these templates, and in what variables are made of;
    files are not among them.

    Raises:
        TemplateError: a placeholder is malformed.
    """
    names: set[str] = set()
    waiting = list(texts)
    while waiting:
        text = waiting.pop()
        for one in Template.parse(text).references if "${" in text else ():
            if one.file is None and one.name not in names:
                names.add(one.name)
                made_of = variables[one.name].template if one.name in variables else None
                waiting.append(made_of or "")
    return frozenset(names)
