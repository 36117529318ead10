"""From a test case to a plan."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.codec.http import IDEMPOTENT_METHODS
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.extraction.bound import bind_source
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.model.case import Page, TestCase, Transaction
from pytest_loadtool.model.dataset import Dataset, shown_columns
from pytest_loadtool.model.extractor import Extractor, source_texts
from pytest_loadtool.model.hook import Hook, Hooks
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import Validator, expected_text
from pytest_loadtool.replay.compile.before import (
    answers_before,
    compared_whole,
    dropping,
    keeping,
)
from pytest_loadtool.replay.compile.computed import (
    Clock,
    checking,
    composed,
    makers,
    rendering,
    taking,
)
from pytest_loadtool.replay.compile.flows import Flows, all_chosen
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.compile.generating import generators
from pytest_loadtool.replay.compile.identities import accounts_of, constant_facts
from pytest_loadtool.replay.compile.listed import if_it_shows, shown_again
from pytest_loadtool.replay.compile.namesakes import of_one_name
from pytest_loadtool.replay.compile.order import order_of
from pytest_loadtool.replay.compile.pauses import pauses_after, pauses_inside
from pytest_loadtool.replay.compile.proxies import Routes
from pytest_loadtool.replay.compile.references import References
from pytest_loadtool.replay.compile.request import compile_request, traced
from pytest_loadtool.replay.compile.servers import Servers
from pytest_loadtool.replay.compile.tokens import renewals_of
from pytest_loadtool.replay.compile.validate import (
    accepted_codes,
    compile_validator,
    noting,
    of_what_comes,
)
from pytest_loadtool.replay.user.exchange import Check, CompiledExtractor, Step
from pytest_loadtool.replay.user.failures import not_as_recorded
from pytest_loadtool.replay.user.origin import Origin, origin_of
from pytest_loadtool.replay.user.plan import DatasetSlots, PagePlan, Pause, Plan, Visit, Visits
from pytest_loadtool.structure.doubts import doubts_of
from pytest_loadtool.structure.uses import lasting_datasets, needed_by, sent_texts

#: The password that a service's user has in the system's keyring.
Keyring = Callable[[str, str], str]

#: What an application in this process takes for its own address when the case does not say.
_APP_SERVER = "http://localhost"

_NOTHING: Mapping[str, str] = MappingProxyType({})
_NO_FILES: Mapping[str, bytes] = MappingProxyType({})
_NO_DATASETS: Mapping[str, Dataset] = MappingProxyType({})


def _no_keyring(service: str, username: str) -> str:
    raise ReplayError(f"there is no keyring to ask for the password of {username} for {service}")


def compile_case(
    case: TestCase,
    *,
    server: str = "",
    datasets: Mapping[str, Dataset] = _NO_DATASETS,
    environ: Mapping[str, str] = _NOTHING,
    keyring: Keyring = _no_keyring,
    think_time: ThinkTime | None = None,
    folder: str = "",
    files: Mapping[str, bytes] = _NO_FILES,
    clock: Clock = time.time,
    alone: bool = False,
    hooks: Hooks | None = None,
) -> Plan:
    """Compile ``case`` once for all virtual users of this process.

    ``server`` replaces the case's own, and its application; ``datasets`` are by the names the case
    gives them; ``environ`` is where variables with ``env`` come from, and proxies that are left to
    it, ``keyring`` where those with ``keyring`` do; ``think_time`` None means as recorded;
    ``folder`` is where the files are that the case names, ``files`` what those in its bodies hold;
    ``clock`` gives the seconds since 1970 that timestamps are made of; ``alone`` says that requests
    may go to ``server`` and nowhere else; ``hooks`` are functions that are called meanwhile.

    Raises:
        ReplayError: there is no server to talk to, or a request would go to one that is not named;
        an environment variable, dataset or file is missing, or a variable is made of itself.
    """
    app = "" if server else case.app
    base = (server or case.server or (_APP_SERVER if app else "")).rstrip("/")
    names = VariableNames(
        {"server": base, "host": origin_of(base).authority if base else ""}, files
    )
    servers = Servers.of(case, base, alone=alone)
    yardsticks = References(case, datasets)
    case = replace(case, server=base, app=app, tls=case.tls.in_folder(folder))
    routes = Routes(case, environ, names, direct=base if app else "")
    main = routes.origin(base) if base else None
    before = answers_before(case)
    last_use = {kept: at for (at, _), kept in before.items()}  # in their order
    whole, again = compared_whole(case, before), shown_again(case)
    parts = _Parts(
        case, names, servers, routes, main, yardsticks, clock, before, last_use, whole, again
    )
    flows = Flows(case, parts.check)
    pages = tuple(parts.pages(think_time or ThinkTime(), flows))
    every = tuple(step for page in pages for step in page.steps)
    servers.check(case, every)
    accounts = accounts_of(case, every, main, names)
    renewals = renewals_of(case, every, names)
    calls = dict(_calls(every, hooks or Hooks()))
    # Only now are all slots known: extractors may set variables that only a validator uses.
    initial = _initial(case, names, environ, keyring)
    rows = tuple(_dataset_slots(case, names, datasets))
    return Plan(
        case=case,
        pages=pages,
        visits=_visits(case, names, pages, rows, flows, clock),
        initial=initial,
        slots=names.named,
        datasets=rows,
        accounts=accounts,
        facts=tuple(map(constant_facts, every)) if accounts else (),
        ahead=any(one.ahead for one in case.identities),
        renewals=renewals,
        guarded=any(step.refuse for step in every),
        at_proxies=_at_proxies(every),
        hooks=hooks,
        calls=calls,
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """Compiles the parts of ``case``, with what all of them share."""

    case: TestCase
    names: VariableNames
    servers: Servers
    routes: Routes
    main: Origin | None
    """Where requests go that name no server; None: there is no such place."""
    yardsticks: References
    clock: Clock
    before: Mapping[tuple[int, int], int]
    """By a transaction and the position of a validator of it the transaction whose text is kept for
    that."""
    last_use: Mapping[int, int]
    """By a transaction whose text is kept the last that needs it."""
    whole: Set[int]
    """The transactions whose text is compared as a whole."""
    again: Set[tuple[int, int]]
    """The validators in lists of what an answer at an address of its own shows, too."""

    def pages(self, think_time: ThinkTime, flows: Flows) -> Iterator[PagePlan]:
        """Yield all pages in order."""
        index = 0
        pauses = pauses_after(self.case, think_time)
        for number, (page, pause) in enumerate(zip(self.case.pages, pauses, strict=True)):
            steps = tuple(
                self._step(page, transaction, index + position, position)
                for position, transaction in enumerate(page.transactions)
            )
            index += len(steps)
            inside = pauses_inside(page, number, think_time)
            yield _page(self.case, page, number, steps, pause, inside, flows)

    def _step(self, page: Page, transaction: Transaction, index: int, position: int) -> Step:
        request, origin = transaction.request, self._origin(transaction)
        headers, texts = self.case.wire_headers(request), sent_texts(self.case, request)
        if self.case.traced:
            headers = traced(headers)
        render = compile_request(request, headers, origin, self.names)
        return Step(
            index=index,
            position=position,
            title=transaction.title,
            page_title=page.name,
            transaction=transaction,
            origin=origin,
            render=rendering(render, makers(texts, self.case.variables, self.names, self.clock)),
            accepted=accepted_codes(transaction.status),
            checks=(*self._checks(transaction, index), *self._sure(transaction)),
            takes=tuple(map(self._take, transaction.extractors)),
            without_body=request.method == "HEAD",
            idempotent=request.method in IDEMPOTENT_METHODS,
            refuse=self.servers.refusing(request.target, origin, self.names),
            compare=self.yardsticks.comparing(transaction),
        )

    def _origin(self, transaction: Transaction) -> Origin:
        target = transaction.request.target
        if target.lower().startswith("http"):
            return self.routes.origin(target)
        if self.main is None:
            raise ReplayError(
                f"{transaction.title}: there is no server to send it to; set 'server' in the test "
                "case, 'server_fixture', or --loadtool-server"
            )
        return self.main

    def _checks(self, transaction: Transaction, index: int) -> Iterator[Check]:
        """Yield those of its validators, what keeps its text for those of later ones, and what
        drops the text that it was the last to need."""
        slot, kept = self.names.unnamed, set[int]()
        for position, one in enumerate(transaction.validators):
            before = self.before.get((index, position))
            check = self.check(one, None if before is None else slot(before))
            yield if_it_shows(check) if (index, position) in self.again else check
            kept |= set() if before is None else {before}
        if index in self.last_use:
            yield keeping(slot(index), whole=index in self.whole)
        yield from (dropping(slot(at)) for at in sorted(kept) if self.last_use[at] == index)

    def check(self, validator: Validator, kept: int | None = None) -> Check:
        """Compile a validator. A check may use what is made of other values; a time is that of the
        last request."""
        made = makers((expected_text(validator),), self.case.variables, self.names, None)
        strict = self.case.strict
        check = checking(compile_validator(validator, self.names, strict=strict, kept=kept), made)
        outcome = validator.outcome
        if outcome is not None and validator.absent and not outcome.before:
            check = of_what_comes(check, outcome)
        if outcome is None or not (outcome.before or outcome.doubtful):
            return check
        return noting(check, outcome, strict)

    def _sure(self, transaction: Transaction) -> Iterator[Check]:
        """Yield what looks whether values are those of one's own: nothing that is in doubt, if the
        test case is strict, nor the first of several that have one name."""
        for doubt in doubts_of(transaction) if self.case.strict else ():
            yield _failing(not_as_recorded(doubt.said))
        for one in transaction.extractors:
            if check := of_one_name(one, self.case.strict):
                yield check

    def _take(self, extractor: Extractor) -> CompiledExtractor:
        source, match = extractor.source, extractor.match
        slot = self.names.slot(extractor.variable)
        missing = Failure(
            "extractor", f"Extractor found nothing for ${{{extractor.variable}}}: {source}"
        )
        texts = source_texts(source)
        if not texts:
            return CompiledExtractor(slot, compile_source(source, match), missing)
        made = makers(texts, self.case.variables, self.names, None)
        bound = bind_source(source, match, lambda template: composed(template, self.names))
        return CompiledExtractor(slot, None, missing, taking(bound, made))


def _failing(failure: Failure) -> Check:
    return lambda _response, _values: failure


def _visits(
    case: TestCase,
    names: VariableNames,
    pages: tuple[PagePlan, ...],
    rows: tuple[DatasetSlots, ...],
    flows: Flows,
    clock: Clock,
) -> Visits:
    """Return what a user does in one go. What the start has made up lasts as long as the user."""
    made = tuple(generators(case.variables, names, clock))
    parts = [page.once for page in case.pages]
    start, end = parts.count("start"), len(parts) - parts.count("end")
    starting = [one for page in case.pages[:start] for one in page.transactions]
    lasting = {names.slots.get(name) for one in starting for name in needed_by(case, one)}
    again = tuple(one for one in made if one[0] not in lasting)
    body, last = pages[start:end], start - 1
    flow = flows.of_pages(case.pages[:end], pages[:end])
    first = Visit(pages[:end], rows, made, fresh=True, last_of_start=last, flow=flow)
    of_body = flow[start:]  # pages of the start have none
    whole = all_chosen(flows.of_pages(case.pages, pages) or pages)
    return Visits(
        whole=replace(first, pages=pages, flow=whole if case.flows else ()),
        first=first,
        again=Visit(body, rows, again, flow=of_body) if start else first,
        kept=Visit(body, (), again, flow=of_body),
        end=Visit(pages[end:], is_iteration=False),
    )


def _page(
    case: TestCase,
    page: Page,
    index: int,
    steps: tuple[Step, ...],
    pause: Pause | None,
    inside: Mapping[int, Pause],
    flows: Flows,
) -> PagePlan:
    """Return a page; ``pause`` comes after it, those ``inside`` before the positions that they
    have."""
    producers = _producers(case, page)

    def stretch(begin: int, end: int, pause: Pause | None) -> PagePlan:
        own = [[one - begin for one in many if one >= begin] for many in producers[begin:end]]
        order = order_of(page.transactions[begin:end], own)
        return PagePlan(
            index=index,
            name=page.name,
            steps=steps[begin:end],
            pause=pause,
            overlapped=order.overlapped,
            finish_order=tuple(begin + one for one in order.finish_order),
            after=order.after,
        )

    whole = stretch(0, len(steps), pause)
    if flow := flows.of_page(page, inside, stretch):
        return replace(whole, parts=(whole,), flow=flow)
    if not inside:
        return whole
    ends = [*inside, len(steps)]
    parts = [stretch(begin, end, inside.get(end)) for begin, end in pairwise([0, *ends])]
    return replace(whole, parts=tuple(parts))


def _producers(case: TestCase, page: Page) -> list[list[int]]:
    """Return for each transaction the positions of the latest earlier ones that set what it
    uses."""
    setters: dict[str, int] = {}
    result = []
    calling: set[int] = set()  # functions are called when all before has come, and before the rest
    for position, transaction in enumerate(page.transactions):
        used = needed_by(case, transaction)
        before = {setters[name] for name in used if name in setters} | calling
        if transaction.call:
            before, calling = set(range(position)), {position}
        result.append(sorted(before))
        for extractor in transaction.extractors:
            setters[extractor.variable] = position
    return result


def _calls(steps: Iterable[Step], hooks: Hooks) -> Iterator[tuple[int, tuple[Hook, ...]]]:
    """Yield the functions that are called before a step, by its index."""
    for step in steps:
        if names := step.transaction.call:
            missing = next((name for name in names if name not in hooks.calls), "")
            if missing:
                raise ReplayError(f"{step.title}: nobody knows the function {missing!r} here")
            yield step.index, tuple(hooks.calls[name] for name in names)


def _at_proxies(steps: Iterable[Step]) -> tuple[Callable[[list[str]], Credentials], ...]:
    vias = dict.fromkeys(step.origin.via for step in steps)
    return tuple(via.account.credentials for via in vias if via is not None and via.account)


def _initial(
    case: TestCase, names: VariableNames, environ: Mapping[str, str], keyring: Keyring
) -> tuple[str, ...]:
    """Return what a virtual user's values are before anything is extracted.

    A variable that an extractor should have set starts as the recorded value: when the extractor
    finds nothing its own transaction fails, and later ones show what the server says to a stale
    value.
    """
    values = [""] * len(names.slots)
    for name, slot in names.slots.items():
        variable = case.variables.get(name)
        if variable is None:
            continue
        if variable.env is not None:
            values[slot] = _from_environment(name, variable.env, environ)
        elif variable.keyring is not None:
            try:
                values[slot] = keyring(variable.keyring, variable.username)
            except ReplayError as error:
                raise ReplayError(str(error), ("variables", name, "keyring")) from None
        else:
            values[slot] = variable.value if variable.value is not None else variable.recorded or ""
    return tuple(values)


def _from_environment(name: str, variable: str, environ: Mapping[str, str]) -> str:
    if variable not in environ:
        raise ReplayError(
            f"the environment variable {variable} is not set: it has to hold the value of "
            f"${{{name}}} (export {variable}=… before the run)",
            ("variables", name, "env"),
        )
    return environ[variable]


def _dataset_slots(
    case: TestCase, names: VariableNames, datasets: Mapping[str, Dataset]
) -> Iterable[DatasetSlots]:
    for use in lasting_datasets(case):
        columns = {
            name.partition(".")[2]: slot
            for name, slot in names.slots.items()
            if name.partition(".")[0] == use.name and "." in name
        }
        if not columns:
            continue  # an unused dataset consumes nothing
        dataset = datasets.get(use.name)
        if dataset is None:
            raise ReplayError(f"dataset {use.name!r} was not read")
        missing = sorted(set(columns) - set(dataset.columns))
        if missing:
            raise ReplayError(
                f"{use.file} has no column {missing[0]!r}, which ${{{use.name}.{missing[0]}}} is: "
                f"it has {shown_columns(dataset.columns)}; add it there, or name one of these",
                ("datasets", use.name, "file"),
            )
        yield DatasetSlots(
            use,
            dataset,
            tuple((dataset.columns.index(column), slot) for column, slot in columns.items()),
        )
