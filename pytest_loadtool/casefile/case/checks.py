"""What must hold between the parts of a test case: servers, placeholders, order of extractors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_loadtool.casefile.case.authentication import literal_password
from pytest_loadtool.casefile.toml.diagnostics import Problems
from pytest_loadtool.casefile.toml.positions import KeyPath
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference, Template
from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import Header, TestCase, Transaction, misplaced
from pytest_loadtool.model.dataset import shown_columns
from pytest_loadtool.model.flow import Until, When, chain_of, parents_of
from pytest_loadtool.model.validator import XmlValidator, validator_texts
from pytest_loadtool.structure.flow_tree import flow_problems
from pytest_loadtool.structure.renewal import successors
from pytest_loadtool.structure.uses import references, used_names

#: The number of a transaction that would come before all others.
_BEFORE_ALL = -1

#: By dataset name its file and columns, as far as they are known.
Columns = Mapping[str, tuple[str, tuple[str, ...]]]


def check_case(case: TestCase, problems: Problems, *, columns: Columns) -> None:
    """Add to ``problems`` what is wrong between the parts of ``case``."""
    _check_way(case, problems)
    _check_parts(case, problems)
    names = _Names(case, columns)
    _check_made_of(case, problems)
    _check_profiles(case, problems)
    _check_flows(case, names, problems)
    _check_identities(case, names, problems)
    shared = {"": _dynamic(("headers",), case.headers)}
    for name, headers in case.header_sets.items():
        shared[name] = _dynamic(("header_sets", name), headers)
    reported: set[tuple[KeyPath, str]] = set()  # a shared header is wrong only once
    for number, (at, transaction) in enumerate(names.transactions):
        _check_server(case, at, transaction, problems)
        _check_refreshes(case, names, number, problems)
        templates = list(_templates(at, transaction))
        followed = transaction.request.header_set
        if followed not in shared:
            known = did_you_mean(followed, case.header_sets)
            hint = known or ": write it in [header_sets]"
            problems.add((*at, "header_set"), f"unknown header set {followed!r}{hint}")
        elif shared[followed]:
            sent = case.wire_headers(transaction.request)
            templates += [
                (path, header.value or "") for path, header in shared[followed] if header in sent
            ]
        for path, source in templates:
            for reference in Template.parse(source).references if "${" in source else ():
                message = (
                    _wrong_in_body(reference)
                    if path[-1] == "body" and reference.file is not None
                    else names.wrong(reference, number)
                )
                if message and (path, reference.name) not in reported:
                    reported.add((path, reference.name))
                    problems.add(path, message)
        _check_sought(at, transaction, names, number, problems)


def _check_profiles(case: TestCase, problems: Problems) -> None:
    """A profile has other values for variables that there are, and that no extractor sets."""
    for name, profile in case.profiles.items():
        for one in profile.variables:
            known = case.variables.get(one)
            if known is None:
                hint = did_you_mean(one, case.variables) or ": write it in [variables], too"
                message = f"there is no variable {one!r}{hint}"
            elif known.needs_extractor:
                message = "an extractor sets this variable: a profile cannot"
            else:
                continue
            problems.add(("profile", name, "variables", one), message)


def _check_sought(
    at: KeyPath, transaction: Transaction, names: _Names, number: int, problems: Problems
) -> None:
    """Check that what extractors look for is known: before the response, or from an extractor
    before them."""
    found: set[str] = set()
    for index, one in enumerate(transaction.extractors):
        path = (*at, "extractors", index)
        for reference in references(one.source):
            if reference.name in found or not (message := names.wrong(reference, number)):
                continue
            if names.set_by.get(reference.name) == number:
                message = (
                    f"${{{reference.name}}} is set by this extractor, or by one behind it: write "
                    "the extractor that sets it before this one"
                )
            problems.add(path, message)
        found.add(one.variable)


def _wrong_in_body(file: Reference) -> str:
    """Return what is wrong with a file in a body; "" for nothing."""
    return f"{file}: a file is sent as it is, without filters" if file.filters else ""


def _dynamic(at: KeyPath, headers: tuple[Header, ...]) -> list[tuple[KeyPath, Header]]:
    """Return the headers of a set that hold placeholders, and where each stands."""
    return [
        ((*at, index), header)
        for index, header in enumerate(headers)
        if header.value and "${" in header.value
    ]


def _check_way(case: TestCase, problems: Problems) -> None:
    """An application in this process leaves nothing for a server or a socket to do."""
    if case.app and case.server_fixture:
        problems.add(("app",), "there is a 'server_fixture' too: leave out one of them")
    if case.app and case.transport == "raw":
        problems.add(
            ("transport",), 'only "httpx" reaches an application in this process: leave it out'
        )


def _check_parts(case: TestCase, problems: Problems) -> None:
    """Pages of the start come before all others, those of the end after them."""
    if wrong := misplaced(case.pages):
        index, problem = wrong
        problems.add(("page", index, "once"), f"{problem}: move the page, or leave out 'once'")


def _check_made_of(case: TestCase, problems: Problems) -> None:
    """Check that no variable is made of itself, however many others there are between, or of
    files."""
    for name, variable in case.variables.items():
        for reference in Template.parse(variable.template or "").references:
            if reference.file is not None:
                problems.add(("variables", name, "template"), _no_place(reference))
        if variable.template and name in used_names((variable.template,), case.variables):
            problems.add(("variables", name, "template"), f"{name!r} is made of itself")


def _check_flows(case: TestCase, names: _Names, problems: Problems) -> None:
    """Flows can stand where they do, and what they go by is known there."""
    for place, problem in flow_problems(case):
        problems.add(place, problem)
    parents = parents_of(case.flows)
    spans: dict[str, list[int]] = {}
    for number, (at, transaction) in enumerate(names.transactions):
        page = case.pages[int(at[1])]
        for name in {*chain_of(page.flow, parents), *chain_of(transaction.flow, parents)}:
            spans.setdefault(name, []).append(number)
    for name, span in spans.items():
        rule = case.flows[name].rule if name in case.flows else None
        if not isinstance(rule, Until | When):
            continue
        # What goes on until something holds knows what its own responses have set.
        key, user = ("until", span[-1] + 1) if isinstance(rule, Until) else ("when", span[0])
        for text in validator_texts(rule.check).values():
            for reference in Template.parse(text).references:
                if message := names.wrong(reference, user):
                    problems.add(("flows", name, key), message)


def _check_identities(case: TestCase, names: _Names, problems: Problems) -> None:
    """Check that each user is known before its first request, and that no password is in the
    file."""
    found: list[tuple[KeyPath, Identity | Proxy]] = [
        (("identity", number), one) for number, one in enumerate(case.identities)
    ]
    if case.proxy is not None:
        found.append((("proxy",), case.proxy))
    for at, one in found:
        for key, source in zip(("username", "password", "domain"), one.templates, strict=True):
            for reference in Template.parse(source).references:
                if message := names.wrong(reference, _BEFORE_ALL):
                    problems.add((*at, key), message)
        if wrong := literal_password(one.password, case.variables):
            problems.add((*at, "password"), wrong)
        if isinstance(one, Identity) and not (one.host or names.has_server):
            problems.add((*at, "username"), 'the test case has no server: write host = "…"')


def _check_server(
    case: TestCase, at: KeyPath, transaction: Transaction, problems: Problems
) -> None:
    if case.server or case.server_fixture or case.app:
        return
    target = transaction.request.target
    if target.startswith(("/", "${")):
        problems.add(
            (*at, "request"),
            f'the target "{target}" needs a server: write server = "http://…" (or server_fixture, '
            "or app) at the top",
        )


def _check_refreshes(case: TestCase, names: _Names, number: int, problems: Problems) -> None:
    """Check that what a transaction refreshes is a variable, and gets a new value by it."""
    at, transaction = names.transactions[number]
    name = transaction.refreshes
    if not name:
        return
    path = (*at, "refreshes")
    if message := names.wrong(Reference(name), number + 1):  # its own response counts
        problems.add(path, message)
    elif name not in successors(case, transaction):
        problems.add(
            path,
            f"this transaction has no extractor that sets {name!r} anew: its 'extractors' need "
            f"one with that variable, or one that differs in the number only",
        )


def _templates(at: KeyPath, transaction: Transaction) -> Iterator[tuple[KeyPath, str]]:
    """Yield the texts of a transaction that may hold placeholders, and where each stands."""
    request = transaction.request
    yield (*at, "request"), request.target
    for index, header in enumerate(request.headers):
        if header.value:
            yield (*at, "headers", index), header.value
    for index, cookie in enumerate(request.cookies):
        yield (*at, "cookies", index), cookie
    if isinstance(request.body, str):
        yield (*at, "body"), request.body
    for index, validator in enumerate(transaction.validators):
        path = "xml" if isinstance(validator, XmlValidator) else "json"
        for name, text in validator_texts(validator).items():
            yield (*at, "validators", index, path if name == "path" else name), text


def _no_place(file: Reference) -> str:
    return f"{file}: only a body can hold a file"


class _Names:
    """The names that placeholders may have, and from which transaction on."""

    def __init__(self, case: TestCase, columns: Columns) -> None:
        self.transactions: list[tuple[KeyPath, Transaction]] = [
            (("page", outer, "transaction", inner), transaction)
            for outer, page in enumerate(case.pages)
            for inner, transaction in enumerate(page.transactions)
        ]
        self.variables = case.variables
        self.columns = columns
        self.datasets = {use.name for use in case.datasets}
        self.has_server = bool(case.server or case.server_fixture or case.app)
        self.set_by: dict[str, int] = {}  # the first transaction that extracts the variable
        for number, (_, transaction) in enumerate(self.transactions):
            for extractor in transaction.extractors:
                self.set_by.setdefault(extractor.variable, number)

    def wrong(self, reference: Reference, user: int) -> str:
        """Return what is wrong with a placeholder in the ``user``-th transaction; "" for
        nothing."""
        name = reference.name
        if reference.file is not None:
            return _no_place(reference)
        if name in BUILTIN_NAMES:
            return "" if self.has_server else f"${{{name}}} needs a server: there is none"
        if reference.dataset is not None:
            return self._wrong_column(name, reference.dataset)
        known = self.variables.get(name)
        if known is not None and known.template is not None:
            return self._wrong_within(known.template, name, user)
        if known is not None and not known.needs_extractor:
            return ""
        setter = self.set_by.get(name)
        if setter is not None and setter < user:
            return ""
        if setter is not None:
            return self._too_early(name, setter, own=setter == user)
        if known is not None:
            return (
                f"variable {name!r} has no value here: no extractor sets it; "
                "give it a value or env in [variables]"
            )
        return f"undefined placeholder ${{{name}}}" + (
            did_you_mean(name, self._known())
            or ": no extractor sets it and [variables] does not declare it"
        )

    def _wrong_within(self, template: str, name: str, user: int) -> str:
        """Return what is wrong with the first bad placeholder that the variable is made of."""
        for used in sorted(used_names((template,), self.variables) - {name}):
            variable = self.variables.get(used)
            plain = variable is None or variable.template is None
            if plain and (message := self.wrong(Reference(used), user)):
                return f"{name!r} is made of ${{{used}}}: {message}"
        return ""

    def _too_early(self, name: str, setter: int, *, own: bool) -> str:
        later = self.transactions[setter][1]
        when = (
            "is set by the response to this very request"
            if own
            else f"is set only later, by the response to {later.title} (line {later.line})"
        )
        return (
            f"${{{name}}} {when}: move its extractor to an earlier transaction, "
            "or give it a value in [variables]"
        )

    def _wrong_column(self, name: str, dataset: str) -> str:
        column = name.partition(".")[2]
        if dataset not in self.datasets:
            near = did_you_mean(dataset, self.datasets)
            return f"undeclared dataset {dataset!r}" + (near or f": write [datasets.{dataset}]")
        if dataset not in self.columns:
            return ""
        file, columns = self.columns[dataset]
        if column in columns:
            return ""
        near = did_you_mean(column, columns) or f": it has {shown_columns(columns)}"
        return f"{file} has no column {column!r}{near}"

    def _known(self) -> Iterator[str]:
        yield from BUILTIN_NAMES
        yield from self.variables
        yield from self.set_by
        for dataset, (_, columns) in self.columns.items():
            yield from (f"{dataset}.{column}" for column in columns)
