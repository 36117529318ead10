"""What readers of other tools' documents have in common: steps become a test case, and whatever no
test case can hold is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, groupby
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from pytest_loadtool.casefile.case.extractors import parse_extractor
from pytest_loadtool.casefile.case.validators import parse_validator
from pytest_loadtool.casefile.syntax import base_url, cookie_line, header_line, request_line
from pytest_loadtool.codec.http import DEFAULT_PORTS
from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference, Template
from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import Header, Once, Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.generator import Generator
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.model.tls import USUAL_TLS
from pytest_loadtool.model.validator import DEFAULT_STATUS, StatusCodes, validator_texts
from pytest_loadtool.structure.uses import needed_by, used_names

#: Headers that are worked out when a request is sent, or that say how it travels.
_MADE = frozenset(
    {"content-length", "transfer-encoding", "expect", "proxy-connection", "http2-settings"}
)

_URL = re.compile(r"(?:(https?):)?//([^/?#]*)([^#]*)", re.IGNORECASE)
_UNSAFE = re.compile(r"[\s\x00-\x20\x7f\"<>\\^`|]")
_PLACEHOLDER = re.compile(r"\$\{[^}]*\}")

#: An extractor or a validator, with the keys that a test case's file has for it.
Table = dict[str, Any]

#: How deep constants may be made of constants.
_DEPTH_LIMIT = 8


_Actor = TypeVar("_Actor")


@dataclass(frozen=True, slots=True)
class Left:
    """Something of a document that is in no test case: ``where`` it stands, and ``what`` it is."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class DataFile:
    """A CSV file of another tool that a dataset is to be made of: ``file`` is its path there.

    ``columns`` are the names of its columns; none: its first row has them, which ``skipped`` says
    of a row that counts for nothing.
    """

    dataset: str
    file: str
    columns: tuple[str, ...] = ()
    delimiter: str = ","
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Foreign:
    """All that a document gave: test cases, the load configurations of those that have one (by
    name), the tables of their datasets, and what was left out."""

    cases: tuple[TestCase, ...]
    left: tuple[Left, ...] = ()
    loads: Mapping[str, LoadConfiguration] = field(default_factory=lambda: MappingProxyType({}))
    tables: tuple[DataFile, ...] = ()


@dataclass(slots=True)
class ForeignStep:
    """A request of a document, all of its texts templates. ``where`` is its place there.

    ``url`` is a whole URL, or a path on the test case's server. Steps of the same ``page``, one
    after another, are one page; ``pause`` is in seconds and comes before the request.
    """

    where: str
    method: str
    url: str
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: str | bytes | None = None
    page: str = ""
    name: str = ""
    once: Once | None = None
    cookies: list[str] = field(default_factory=list)
    status: StatusCodes = DEFAULT_STATUS
    extractors: list[Table] = field(default_factory=list)
    validators: list[Table] = field(default_factory=list)
    pause: float = 0.0


class Names:
    """The names that variables of a document have here, where they are letters and digits."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}

    def stands_for(self, name: str, own: str) -> None:
        """Have what is called ``name`` there be ``own`` here."""
        self._given[name] = own

    def of(self, name: str) -> str:
        """Return the name here of what is called ``name`` there: always the same one."""
        if name not in self._given:
            plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_") or "value"
            plain = plain if re.match(r"[A-Za-z_]", plain) else f"_{plain}"
            taken = {*self._given.values(), *BUILTIN_NAMES}
            tries = (plain if n == 1 else f"{plain}_{n}" for n in count(1))
            self._given[name] = next(one for one in tries if one not in taken)
        return self._given[name]


@dataclass(slots=True)
class Builder:
    """A test case in the making.

    ``server`` is where requests go whose own server nothing says; empty: to a name that nobody has.
    """

    name: str
    server: str = ""
    names: Names = field(default_factory=Names)
    variables: dict[str, Variable] = field(default_factory=dict)
    datasets: dict[str, DatasetUse] = field(default_factory=dict)
    identities: list[Identity] = field(default_factory=list)
    steps: list[ForeignStep] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    verify: bool = True
    _secrets: dict[str, Variable] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    def leave(self, where: str, what: str) -> None:
        """Tell what is in no test case."""
        self.left.append(Left(where, what))

    def constant(self, name: str, value: str) -> None:
        """Give a variable a value, a template."""
        own = self.names.of(name)
        plain = "${" not in value
        self.variables[own] = Variable(own, value) if plain else Variable(own, template=value)

    def generated(self, name: str, generator: Generator) -> str:
        """Return the placeholder of a value that is made up."""
        own = self.names.of(name)
        self.variables[own] = Variable(own, generate=generator)
        return f"${{{own}}}"

    def basic(self, credentials: str) -> str:
        """Return a header's value for Basic authentication with ``user:password``, a template."""
        tries = ("credentials" if n == 1 else f"credentials_{n}" for n in count(1))
        for name in tries:
            known = self.variables.get(self.names.of(name))
            if known is None or credentials in (known.value, known.template):
                self.constant(name, credentials)
                break
        return f"Basic ${{{self.names.of(name)}|base64}}"

    def secret(self, name: str, value: str) -> Variable:
        """Return the variable of a password, which comes from the environment: it may be in no
        file."""
        own = self._secrets.get(value)
        if own is None:
            number = f"_{len(self._secrets) + 1}" if self._secrets else ""
            given = self.names.of(f"{name}{number}")
            own = Variable(given, env=given.upper())
            self._secrets[value] = self.variables[given] = own
        return own

    def resolved(self, text: str) -> str:
        """Return a template with the values of those variables that are constants."""
        for _ in range(_DEPTH_LIMIT):
            known = _PLACEHOLDER.sub(self._value, text)
            if known == text:
                break
            text = known
        return text

    def _value(self, found: re.Match[str]) -> str:
        name, *filters = found[0][2:-1].split("|")
        one = self.variables.get(name)
        if one is None or filters:
            return found[0]
        return next((text for text in (one.value, one.template) if text is not None), found[0])

    def case(self) -> TestCase | None:
        """Return the test case; None if no request is left."""
        made = [(step, one) for step in self.steps if (one := self._transaction(step)) is not None]
        if not made:
            return None
        case = TestCase(
            name=self.name or "imported",
            pages=tuple(_pages(made)),
            server=self.server,
            datasets=tuple(self.datasets.values()),
            variables=MappingProxyType(self.variables),
            identities=tuple(self.identities),
            tls=USUAL_TLS if self.verify else replace(USUAL_TLS, verify=False),
        )
        return self._complete(case)

    def _transaction(self, step: ForeignStep) -> Transaction | None:
        try:
            method, target = request_line(f"{step.method} {self._target(step)}")
        except ValueError as error:
            self.leave(step.where, f"the request: {error}")
            return None
        headers, cookies = [], [one for one in step.cookies if self._fits(step, one, cookie_line)]
        for name, value in step.headers:
            if name.lower() == "cookie":
                pairs = (one.strip() for one in value.split(";"))
                cookies += [one for one in pairs if one and self._fits(step, one, cookie_line)]
            elif name.lower() not in _MADE and self._fits(step, f"{name}: {value}", header_line):
                headers.append(Header(name, value))
        body = step.body or None
        if isinstance(body, str) and not self._fits(step, body, Template.parse):
            body = None
        return Transaction(
            Request(method, target, tuple(headers), body, cookies=tuple(cookies)),
            name=step.name,
            status=step.status,
            extractors=tuple(self._read(step, step.extractors, parse_extractor)),
            validators=tuple(self._read(step, step.validators, parse_validator)),
        )

    def _fits(self, step: ForeignStep, text: str, check: Callable[[str], Any]) -> bool:
        try:
            check(text)
        except ValueError as error:
            self.leave(step.where, str(error))
            return False
        return True

    def _read(
        self, step: ForeignStep, tables: Iterable[Table], read: Callable[[Table], _Actor]
    ) -> Iterator[_Actor]:
        """Yield the extractors or validators that these keys say, as far as a file can say them."""
        for one in tables:
            try:
                yield read(one)
            except ValueError as error:
                keys = ", ".join(f"{key} = {value!r}" for key, value in one.items())
                self.leave(step.where, f"{keys}: {error}")

    def _target(self, step: ForeignStep) -> str:
        """Return the target of a request, a path if it goes to the test case's server."""
        url = step.url.strip()
        if not url.startswith("/") or url.startswith("//"):
            head, rest = _head(url)
            url = self.resolved(head) + rest
            if not _URL.match(url):
                url = f"http://{url}"
        found = _URL.match(url)
        if found is None:
            self.server = self.server or self._nowhere(step, "")
            return _encoded(url or "/")
        scheme, host, rest = (found[1] or "http").lower(), found[2], found[3]
        host = host.rpartition("@")[2]
        known = host and "${" not in host
        origin = _origin(scheme, host) if known else self._nowhere(step, host)
        self.server = self.server or origin
        rest = rest if rest.startswith("/") else f"/{rest}"
        return _encoded(rest if origin == self.server else f"{origin}{rest}")

    def _used(self, case: TestCase) -> dict[str, Variable]:
        """Return the variables that something in the test case is made of."""
        texts = [text for one in case.identities for text in one.templates]
        for step in case.transactions():
            for one in step.validators:
                texts += validator_texts(one).values()
            texts += (f"${{{name}}}" for name in needed_by(case, step))
        used = used_names(texts, self.variables)
        return {name: one for name, one in self.variables.items() if name in used}

    def _from_environment(
        self, where: str, names: set[str], known: set[str], setters: set[str]
    ) -> None:
        """Have variables that nothing sets in time come from the environment."""
        for name in sorted(names):
            env = re.sub(r"\W", "_", name).upper()
            why = "only set later" if name in setters else "set by nothing"
            self.leave(where, f"${{{name}}} is {why}: it comes from the environment, {env}")
            self.variables[name] = Variable(name, env=env)
            known.add(name)

    def _checkable(self, step: Transaction, known: set[str], setters: set[str]) -> Transaction:
        """Return a transaction without the checks of what its own response sets first."""
        kept = []
        for one in step.validators:
            names = _own(used_names(validator_texts(one).values(), self.variables)) - known
            if names & setters:
                said = " ".join(validator_texts(one).values())
                self.leave(step.title, f"the check of {said}: its value is set too late")
            else:
                self._from_environment(step.title, names, known, setters)
                kept.append(one)
        return replace(step, validators=tuple(kept))

    def _nowhere(self, step: ForeignStep, host: str) -> str:
        """Return a server for requests whose own nobody knows."""
        if self.server and not self.server.endswith(".invalid"):
            return self.server
        name = "-".join(re.findall(r"[A-Za-z0-9]+", host)).lower() or "server"
        origin = f"http://{name}.invalid"
        what = f"the host {host} has no value" if host else "it has no host"
        if host not in self._told:
            self._told.add(host)
            self.leave(step.where, f"{what}: {origin} stands for it (import --server URL)")
        self.server = self.server or origin
        return self.server if self.server.endswith(".invalid") else origin

    def _complete(self, case: TestCase) -> TestCase:
        """Return ``case`` with a source for each variable that nothing has set before it is
        used."""
        known = {name for name, one in self.variables.items() if not one.needs_extractor}
        setters = {one.variable for step in case.transactions() for one in step.extractors}
        needed = used_names([text for one in case.identities for text in one.templates], {})
        self._from_environment("its users", _own(needed) - known, known, setters)
        steps = []
        for step in case.transactions():
            names = _own(needed_by(case, step)) - known
            self._from_environment(step.title, names, known, setters)
            steps.append(self._checkable(step, known, setters))
            known.update(one.variable for one in step.extractors)
        case = with_transactions(case, steps)
        used = {
            Reference(name).dataset for one in case.transactions() for name in needed_by(case, one)
        }
        for identity in case.identities:
            for text in identity.templates:
                used |= {one.dataset for one in Template.parse(text).references}
        return replace(
            case,
            variables=MappingProxyType(self._used(case)),
            datasets=tuple(one for one in case.datasets if one.name in used),
        )


def _head(url: str) -> tuple[str, str]:
    """Return the part of a URL in which its host stands, and the rest; a ``/`` in a placeholder is
    none of them."""
    plain = _PLACEHOLDER.sub(lambda found: "x" * len(found[0]), url)
    start = plain.find("://")
    ends = [at for one in "/?#" if (at := plain.find(one, start + 3 if start >= 0 else 0)) >= 0]
    end = min(ends, default=len(url))
    return url[:end], url[end:]


def _origin(scheme: str, host: str) -> str:
    origin = base_url(f"{scheme}://{host.lower()}")
    port = urlsplit(origin).port
    return origin.removesuffix(f":{port}") if port == DEFAULT_PORTS[scheme] else origin


def _encoded(target: str) -> str:
    """Return a target with what none can hold percent-encoded."""
    target = target.partition("#")[0] if "${" not in target else target
    parts = re.split(r"(\$\{[^}]*\})", target)
    return "".join(
        one if index % 2 else _UNSAFE.sub(lambda found: quote(found[0]), one)
        for index, one in enumerate(parts)
    )


def _own(names: Iterable[str]) -> set[str]:
    return {one for one in names if Reference(one).dataset is None} - BUILTIN_NAMES


def _pages(made: list[tuple[ForeignStep, Transaction]]) -> Iterator[Page]:
    """Yield the pages; the pauses of one come after the page before it, that of the first at the
    end."""
    groups = [list(group) for _, group in groupby(made, key=lambda one: (one[0].page, one[0].once))]
    groups.sort(key=lambda group: {"start": 0, None: 1, "end": 2}[group[0][0].once])
    taken: dict[str, int] = {}
    for index, group in enumerate(groups):
        following = groups[(index + 1) % len(groups)]
        pause = following[0][0].pause + sum(step.pause for step, _ in group[1:])
        name = group[0][0].page or group[0][1].title
        taken[name] = taken.get(name, 0) + 1
        name = name if taken[name] == 1 else f"{name} ({taken[name]})"
        yield Page(name, tuple(one for _, one in group), round(pause, 3), group[0][0].once)
