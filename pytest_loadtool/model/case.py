"""The test case: pages, each with its HTTP transactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

from pytest_loadtool.model.answer import Answer
from pytest_loadtool.model.asm import USUAL_ASM, AsmSettings
from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.extractor import Extractor
from pytest_loadtool.model.flow import NamedFlow
from pytest_loadtool.model.generator import Generator
from pytest_loadtool.model.tls import USUAL_TLS, TlsSettings
from pytest_loadtool.model.validator import DEFAULT_STATUS, StatusCodes, Validator

#: Headers whose value is known only when the request goes out. Without a place they stand first
#: (Host) or last (the others).
COMPUTED_HEADERS = frozenset({"host", "content-length", "cookie"})


#: What a test case's requests can go over, besides the transports of extensions.
OWN_TRANSPORTS = ("raw", "httpx")


class Kind(Enum):
    """The kinds of response, from the content type."""

    HTML = "HTML"
    IMAGE = "image"
    CSS = "CSS"
    JAVASCRIPT = "JavaScript"
    JSON = "JSON"
    XML = "XML"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Header:
    """A header line (its value a template), or a place (no value): see `wire_headers`."""

    name: str
    value: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Request:
    """A request that is to be sent. ``target`` starts with ``/`` (on the test case's server) or is
    an absolute URL.

    ``target``, header values, cookies and a text body are templates. A bytes body goes out as is.
    Only a body can hold files (`Reference.file`).
    """

    method: str
    target: str = field(repr=False)  # like all that it sends: nobody knows what is secret in it
    headers: tuple[Header, ...] = ()
    body: str | bytes | None = field(default=None, repr=False)
    header_set: str = ""
    """The name of the header set that it follows; empty: the default, the test case's headers."""
    cookies: tuple[str, ...] = field(default=(), repr=False)
    """The cookies that a script sets before it is sent, each (a template) as it would be assigned
    to ``document.cookie``, but for the whole host unless it names a path."""
    charset: str = ""
    """The character set that a text body is sent in; empty: UTF-8."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The times and place of a transaction in the recording.

    ``entry`` is the 0-based index in the evidence (HAR); ``at`` the start and ``took`` the
    duration, in seconds, ``at`` counted from the start of the page. Replay overlaps transactions of
    a page as these overlapped. ``pause`` is for how long before it, in seconds, nothing at all was
    under way although its page had begun: its user did something, or a timer rang. Replay waits so
    long, as for a think time. ``negotiation`` are the entries of the exchanges (connection
    authentication negotiation) that ended in this one; replay makes its own. ``answer``
    is what the response looked like; None: only its status is known.
    """

    status: int
    kind: Kind = Kind.OTHER
    entry: int | None = None
    at: float = 0.0
    took: float = 0.0
    negotiation: tuple[int, ...] = ()
    pause: float = 0.0
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Transaction:
    """One HTTP exchange: what to send, what to take from the response, what it must look like."""

    request: Request
    name: str = ""
    """What reports call it; empty: the method and the path."""
    status: StatusCodes = DEFAULT_STATUS
    extractors: tuple[Extractor, ...] = ()
    validators: tuple[Validator, ...] = ()
    recorded: Recorded | None = None
    dangerous: bool = False
    """Whether it does what cannot be undone: looking for dynamic values never sends it."""
    refreshes: str = ""
    """The variable, a token, that it gets a new value for when that has expired."""
    flow: str = ""
    """The flow that it stands in; empty: that of its page, if that has one."""
    call: tuple[str, ...] = ()
    """The functions of the project that are called before it: ``module:function``."""
    opaque: str = ""
    """What of its body cannot be followed, as it is binary: that is sent as recorded."""
    line: int = field(default=0, compare=False)
    """Where it stands in its file, from 1; 0 when it came from elsewhere."""

    @property
    def title(self) -> str:
        """The name, or the method and the path without its query."""
        return self.name or f"{self.request.method} {self.request.target.partition('?')[0]}"


#: What a page may be done once for, by a virtual user of a load test: its start or its end.
Once = Literal["start", "end"]

#: The parts of a test case, in their order; None: what each iteration does.
PARTS: tuple[Once | None, ...] = ("start", None, "end")


@dataclass(frozen=True, slots=True)
class Page:
    """A top-level node of the test case. ``think_time`` is in seconds and comes after the page.

    ``once`` tells pages that a virtual user does once, before its first iteration or after its
    last, from those of each iteration (None). Those of the start come first, those of the end last.
    ``flow`` names the flow that it stands in as a whole, if it does.
    """

    name: str
    transactions: tuple[Transaction, ...]
    think_time: float = 0.0
    once: Once | None = None
    flow: str = ""


@dataclass(frozen=True, slots=True)
class Variable:
    """A user variable and what is known of it.

    ``value`` is its constant or first value (a recorded value is not: that is ``recorded``, used
    only to find it again and to explain). ``env`` names the environment variable it comes from,
    ``keyring`` the service in the system's keyring that has it as the password of ``username``,
    ``template`` is what it is made of each time it is used, ``generate`` how it is made up.
    ``set_by`` tells application state management, which may replace its own work, from a person,
    whose work it leaves alone.
    """

    name: str
    value: str | None = field(default=None, repr=False)
    env: str | None = None
    template: str | None = None
    generate: Generator | None = None
    recorded: str | None = field(default=None, repr=False)
    set_by: Literal["asm", "person"] = "person"
    rule: str = ""
    keyring: str | None = None
    username: str = ""

    @property
    def needs_extractor(self) -> bool:
        """Return whether it has no value until a response gives it one."""
        texts = (self.value, self.env, self.keyring, self.template)
        return self.generate is None and all(text is None for text in texts)


@dataclass(frozen=True, slots=True)
class CaseProfile:
    """The values that take the place of a test case's own on another occasion: its server, unless
    it is empty, and variables by their names."""

    server: str = ""
    variables: Mapping[str, Variable] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class TestCase:
    """All that replay needs. Equal to what its file says: no field is derived."""

    __test__ = False  # not for pytest to collect

    name: str
    pages: tuple[Page, ...]
    server: str = ""
    """Base URL, without a path: ``http://127.0.0.1:8000``. May be empty when every target is
    absolute or a fixture gives it."""
    server_fixture: str = ""
    """The pytest fixture whose value (a URL) replaces ``server`` on replay."""
    transport: str = ""
    """One of `OWN_TRANSPORTS`, or that of an extension; empty: whichever fits."""
    app: str = ""
    """The application in this process that answers in place of ``server``: ``module:attribute``."""
    fixtures: tuple[str, ...] = ()
    """More pytest fixtures to use, as with ``pytest.mark.usefixtures``."""
    marks: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    """The hostnames that Configure for Replay kept; empty: it has not run. Requests go to these and
    to ``server``."""
    recorded_hosts: tuple[str, ...] = ()
    """The hostnames in recorded targets that are whole URLs, as long as Configure for Replay has
    not run: requests go to these, too."""
    tls: TlsSettings = USUAL_TLS
    asm: AsmSettings = USUAL_ASM
    headers: tuple[Header, ...] = ()
    """Headers that transactions share, and places: see `wire_headers`."""
    header_sets: Mapping[str, tuple[Header, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """By name: likewise, for the transactions that name it."""
    datasets: tuple[DatasetUse, ...] = ()
    variables: Mapping[str, Variable] = field(default_factory=lambda: MappingProxyType({}))
    flows: Mapping[str, NamedFlow] = field(default_factory=lambda: MappingProxyType({}))
    """By name: what is done more than once, or not each time. See `structure.flow_tree`."""
    profiles: Mapping[str, CaseProfile] = field(default_factory=lambda: MappingProxyType({}))
    identities: tuple[Identity, ...] = ()
    """Who a virtual user is; the first that fits answers a challenge."""
    proxy: Proxy | None = None
    strict: bool = False
    """Whether what does not come as recorded fails."""
    traced: bool = False
    """Whether each request has a trace of its own (W3C Trace Context); no file says so."""
    show_negotiation: bool = False
    """Whether the tree shows the exchanges of connection authentication negotiation."""

    def with_profile(self, name: str) -> TestCase:
        """Return the test case with the values of a profile in the place of its own.

        Raises:
            KeyError: it has no profile of that name.
        """
        profile = self.profiles[name]
        made = replace(self, variables=MappingProxyType({**self.variables, **profile.variables}))
        if not profile.server:
            return made
        return replace(made, server=profile.server, server_fixture="", app="")

    def transactions(self) -> Iterator[Transaction]:
        """Yield all transactions in order."""
        for page in self.pages:
            yield from page.transactions

    @property
    def configured(self) -> bool:
        """Return whether Configure for Replay has run: it restricts the hosts, and correlates."""
        return bool(self.hosts) or any(one.set_by == "asm" for one in self.variables.values())

    def wire_headers(self, request: Request) -> tuple[Header, ...]:
        """Return the headers of a request of this test case: `wire_headers` of its set and its own.

        Raises:
            KeyError: there is no set of that name.
        """
        shared = self.header_sets[request.header_set] if request.header_set else self.headers
        return wire_headers(shared, request.headers)


def misplaced(pages: Sequence[Page]) -> tuple[int, str] | None:
    """Return the index of the first page whose ``once`` cannot be, and why; None if all can."""
    for index, (page, following) in enumerate(pairwise(pages)):
        if following.once == "start" and page.once != "start":
            return index + 1, "the start comes before all other pages"
        if page.once == "end" and following.once != "end":
            return index, "the end comes after all other pages"
    if all(page.once for page in pages):
        return 0, "one page at least has to be left for the iterations"
    return None


def wire_headers(shared: tuple[Header, ...], own: tuple[Header, ...]) -> tuple[Header, ...]:
    """Return the headers of one request in the order they are sent; computed ones as places (value
    None).

    ``shared``, a header set, gives the order. A request's own headers go where it has their name,
    and replace what it has there; of several places of one name each takes the next own header, the
    last all that are left. Those without a place come last. Places that nothing fills vanish,
    except those of computed headers. A place in ``own`` is for a computed header.

    Names are compared without case; an own header keeps its own spelling.
    """
    waiting: dict[str, list[Header]] = {}
    for header in own:
        waiting.setdefault(header.name.lower(), []).append(header)
    replaced = frozenset(waiting)
    places = Counter(header.name.lower() for header in shared)
    result: list[Header] = []
    computed: set[str] = set()
    for header in shared:
        name = header.name.lower()
        places[name] -= 1
        if name in replaced:
            mine = waiting.get(name, [])
            count = 1 if places[name] else len(mine)
            result += mine[:count]
            waiting[name] = mine[count:]
        elif header.value is not None:
            result.append(header)
        elif name in COMPUTED_HEADERS and name not in computed:
            computed.add(name)  # it has one place, however many the set has
            result.append(header)
    result += [header for header in own if header.name.lower() not in places]
    return tuple(result)
