"""Plans of JMeter: a test case for each thread group, with the load configuration that it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from pytest_loadtool.casefile.foreign.building import Builder, DataFile, Foreign, Left
from pytest_loadtool.casefile.foreign.jmeter_actors import ACTORS, PAUSES
from pytest_loadtool.casefile.foreign.jmeter_functions import Functions
from pytest_loadtool.casefile.foreign.jmeter_requests import (
    DEFAULTS,
    HEADERS,
    SAMPLERS,
    arguments,
    headers_of,
    request,
)
from pytest_loadtool.casefile.foreign.jmeter_tree import PlanElement, nodes
from pytest_loadtool.casefile.foreign.xml_lines import read_xml
from pytest_loadtool.codec.template import escape
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import Once, TestCase
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.load import CaseShare, LoadConfiguration, OnError

_GROUPS: Mapping[str, Once | None] = MappingProxyType(
    {"ThreadGroup": None, "SetupThreadGroup": "start", "PostThreadGroup": "end"}
)

#: Controllers whose content is done once, in order: as it stands.
_PLAIN = frozenset({"GenericController", "TransactionController", "RecordingController"})

#: What draws, writes or sums up results: the report takes its place.
_LISTENERS = frozenset(
    {
        *("ResultCollector", "Summariser", "ResultSaver", "BackendListener"),
        *("MailerResultCollector",),
    }
)

#: What virtual users do anyway.
_ANYWAY = frozenset({"CacheManager", "DNSCacheManager"})

#: What runs elsewhere, or what stands elsewhere.
_NOT_DONE: Mapping[str, str] = MappingProxyType(
    {
        "IncludeController": "the plan that it includes: import that one",
        "ModuleController": "the part that it names stands elsewhere",
        "TestFragmentController": "a fragment, which only others name",
    }
)

#: Seconds that a load configuration gets where a plan says nothing of its end.
_DURATION = 60.0


@dataclass(frozen=True, slots=True)
class _Scope:
    """The settings that a sampler has from the elements around it."""

    page: str = ""
    once: Once | None = None
    defaults: tuple[PlanElement, ...] = ()
    headers: tuple[PlanElement, ...] = ()
    actors: tuple[PlanElement, ...] = ()
    pauses: tuple[PlanElement, ...] = ()


def read_jmeter(text: str, path: str, server: str = "") -> Foreign:
    """Return the test cases of a plan, one for each thread group that sends requests.

    Raises:
        FileError: it is no plan, or none of its requests can be sent.
    """
    root = read_xml(text, path)
    if root.name != "jmeterTestPlan":
        raise FileError(path, root.line, "", f"expected a <jmeterTestPlan>, got <{root.name}>")
    plan, left = nodes(root)
    found: list[TestCase] = []
    loads: dict[str, LoadConfiguration] = {}
    tables: list[DataFile] = []
    for group in _groups(plan):
        reader = _GroupReader(_named(group, found), server)
        reader.walk(_without_other_groups(plan, group), _Scope())
        left += [one for one in reader.builder.left if one not in left]
        if (case := reader.builder.case()) is not None:
            left += [one for one in reader.builder.left if one not in left]
            found.append(case)
            tables += [one for one in reader.tables if one not in tables]
            if (load := _load(group, case.name, reader)) is not None:
                loads[case.name] = load
            left += [one for one in reader.builder.left if one not in left]
    if not found:
        raise FileError(path, 0, "", f"there is no HTTP request in it to send{_first(left)}")
    return Foreign(tuple(found), tuple(left), MappingProxyType(loads), tuple(tables))


def _first(left: list[Left]) -> str:
    return f" ({'; '.join(map(str, left[:3]))})" if left else ""


def _named(group: PlanElement, found: list[TestCase]) -> str:
    name = group.name or "Thread Group"
    taken = {one.name for one in found}
    tries = (name if n == 1 else f"{name} {n}" for n in range(1, len(found) + 2))
    return next(one for one in tries if one not in taken)


def _groups(plan: list[PlanElement]) -> Iterator[PlanElement]:
    """Yield the thread groups; a plan that is a piece of others counts as one."""
    found = [one for node in plan for one in node.walk() if one.kind.endswith("ThreadGroup")]
    yield from found or plan[:1]


def _without_other_groups(within: list[PlanElement], group: PlanElement) -> list[PlanElement]:
    return [
        replace(one, below=_without_other_groups(one.below, group))
        for one in within
        if one.element is group.element or not one.kind.endswith("ThreadGroup")
    ]


class _GroupReader:
    """Goes through a plan as one of its thread groups does."""

    def __init__(self, name: str, server: str) -> None:
        self.builder = Builder(name, server)
        self.functions = Functions(self.builder)
        self.tables: list[DataFile] = []

    def walk(self, within: list[PlanElement], scope: _Scope) -> None:
        """Take the configuration that stands among these, then their samplers, in order."""
        for node in within:
            scope = self._configured(node, scope)
        pause = 0.0
        for node in within:
            before = len(self.builder.steps)
            if node.kind in SAMPLERS:
                self._sampler(node, scope)
            elif node.kind == "TestAction":
                pause += self._paused(node, scope)
            elif node.kind in _GROUPS:
                self.walk(node.below, replace(scope, once=scope.once))
                self._once_for_all(node)
            elif node.kind == "TestPlan" or node.kind in _PLAIN:
                page = node.name if node.kind == "TransactionController" else scope.page
                self.walk(node.below, replace(scope, page=page or scope.page))
            elif node.kind == "OnceOnlyController":
                first = not self.builder.steps
                if not first:
                    self.builder.leave(node.where, "it is not first: done in each iteration")
                self.walk(node.below, replace(scope, once="start" if first else scope.once))
            elif node.kind in _NOT_DONE:
                self.builder.leave(node.where, _NOT_DONE[node.kind])
            elif _holds_samplers(node):
                self._other_controller(node)
                self.walk(node.below, scope)
            if pause and len(self.builder.steps) > before:
                self.builder.steps[before].pause += pause
                pause = 0.0

    def _once_for_all(self, group: PlanElement) -> None:
        if _GROUPS[group.kind]:
            what = "once for all users: a test case of its own"
            self.builder.leave(group.where, f"it is done {what}")

    def _other_controller(self, node: PlanElement) -> None:
        loops = node.text("LoopController.loops") if node.kind == "LoopController" else ""
        if loops == "1":
            return
        detail = loops or next(
            filter(
                None, (node.text(f"{node.kind}.condition"), node.text("WhileController.condition"))
            ),
            "",
        )
        said = f" ({detail})" if detail else ""
        self.builder.leave(node.where, f"what is in it is done once, in each iteration{said}")

    def _configured(self, node: PlanElement, scope: _Scope) -> _Scope:
        """Return ``scope`` with what an element adds to it."""
        kind = node.kind
        if kind in ("TestPlan", "Arguments"):
            for name, value in arguments(node):
                self.builder.constant(name, self.functions.text(value, node.where))
        elif kind in DEFAULTS:
            return replace(scope, defaults=(*scope.defaults, node))
        elif kind in HEADERS:
            return replace(scope, headers=(*scope.headers, node))
        elif kind == "CookieManager":
            self._cookies(node)
        elif kind == "AuthManager":
            self._users(node)
        elif kind == "CSVDataSet":
            self._dataset(node)
        elif kind in ACTORS:
            return replace(scope, actors=(*scope.actors, node))
        elif kind in PAUSES:
            return replace(scope, pauses=(*scope.pauses, node))
        elif kind in _LISTENERS:
            self.builder.leave(node.where, "a listener: reports take its place")
        elif not (
            kind in SAMPLERS
            or kind in _ANYWAY
            or kind in ("TestAction", "OnceOnlyController", "ThreadGroup")
            or kind in _NOT_DONE
            or kind in _PLAIN
            or _holds_samplers(node)
        ):
            self.builder.leave(node.where, "there is nothing like it here")
        return scope

    def _sampler(self, node: PlanElement, scope: _Scope) -> None:
        inner = replace(scope)
        for one in node.below:
            inner = self._configured(one, inner)
        step = request(node, inner.defaults, self.functions)
        if step is None:
            return
        step.page, step.once = scope.page or node.name or step.name, scope.once
        step.headers = [
            *headers_of([*reversed(inner.headers)], self.functions, step.headers),
            *step.headers,
        ]
        step.pause = sum(self._pause(one) for one in inner.pauses)
        for actor in inner.actors:
            ACTORS[actor.kind](actor, step, self.functions)
        self.builder.steps.append(step)

    def _paused(self, node: PlanElement, scope: _Scope) -> float:
        """Return the seconds of a Flow Control Action, which pauses or does what nothing does
        here."""
        if node.text("ActionProcessor.action") not in ("1", ""):
            self.builder.leave(node.where, "it ends a user or a test: not done")
            return 0.0
        own = [one for one in node.below if one.kind in PAUSES]
        own_pause = self.functions.number(node.text("ActionProcessor.duration"), node.where) / 1000
        return own_pause + sum(self._pause(one) for one in (*scope.pauses, *own))

    def _pause(self, node: PlanElement) -> float:
        seconds, drawn = PAUSES[node.kind](node, self.functions)
        if drawn:
            self.builder.leave(node.where, f"a pause drawn at random: {seconds:g}s, its mean")
        return seconds

    def _cookies(self, node: PlanElement) -> None:
        for one in node.collection("CookieManager.cookies"):
            self.builder.leave(node.where, f"the cookie {one.attributes.get('name', '')}")

    def _users(self, node: PlanElement) -> None:
        for one in node.entries("AuthManager.auth_list"):
            url = self.functions.text(one.get("Authorization.url", ""), node.where)
            host = self.builder.resolved(url).partition("://")[2].partition("/")[0]
            name = self.functions.text(one.get("Authorization.username", ""), node.where)
            password = self.functions.text(one.get("Authorization.password", ""), node.where)
            if "${" not in password:
                own = self.builder.secret("password", password)
                password = f"${{{own.name}}}"
                self.builder.leave(node.where, f"its password: put it into {own.env}")
            domain = self.functions.text(one.get("Authorization.domain", ""), node.where)
            self.builder.identities.append(
                Identity(name, password, domain, host="" if "${" in host else host)
            )

    def _dataset(self, node: PlanElement) -> None:
        file = self.builder.resolved(self.functions.text(node.text("filename"), node.where))
        stem = file.replace("\\", "/").rpartition("/")[2].partition(".")[0]
        names = node.text("variableNames")
        columns = tuple(one.strip() for one in names.split(",") if one.strip())
        dataset = self.builder.names.of(f"dataset:{stem or node.name}").removeprefix("dataset_")
        for column in columns:
            self.builder.names.stands_for(column, f"{dataset}.{self.builder.names.of(column)}")
        if not columns:
            self.builder.leave(node.where, f"the columns of {file} are those of its first line")
        delimiter = node.text("delimiter").replace("\\t", "\t") or ","
        skipped = node.text("ignoreFirstLine") == "true"
        own = tuple(self.builder.names.of(one).partition(".")[2] for one in columns)
        self.tables.append(DataFile(dataset, file, own, delimiter, skipped))
        every = node.text("shareMode") == "shareMode.all"
        self.builder.datasets[dataset] = DatasetUse(
            dataset, f"{dataset}.csv", reusable=node.text("recycle") != "false", sharable=every
        )


def _holds_samplers(node: PlanElement) -> bool:
    return any(one.kind in SAMPLERS for below in node.below for one in below.walk())


_ON_ERROR: Mapping[str, OnError] = MappingProxyType(
    {
        "continue": "continue",
        "startnextloop": "stop iteration",
        "stopthread": "stop user",
    }
)


def _load(group: PlanElement, case: str, reader: _GroupReader) -> LoadConfiguration | None:
    """Return the load that a thread group is."""
    builder, functions = reader.builder, reader.functions
    if group.kind != "ThreadGroup":
        if group.kind.endswith("ThreadGroup"):
            builder.leave(group.where, "its load: `create-load-configuration` says one")
        return None

    def number(name: str) -> float:
        return functions.number(group.text(f"ThreadGroup.{name}"), group.where)

    users = max(1, round(number("num_threads")))
    loop = group.property("ThreadGroup.main_controller")
    said = loop.text("LoopController.loops") if loop is not None else ""
    loops = round(functions.number(said, group.where)) if said else -1
    timed = group.text("ThreadGroup.scheduler") == "true"
    duration = number("duration") if timed else 0.0
    on_error = group.text("ThreadGroup.on_sample_error") or "continue"
    if on_error not in _ON_ERROR:
        builder.leave(group.where, f"on an error: {on_error}")
    if timed and number("delay"):
        builder.leave(group.where, f"it begins after {number('delay'):g}s")
    if not duration and loops < 1:
        builder.leave(group.where, f"it goes on forever: {_DURATION:g}s here")
    ramp = number("ramp_time")
    length = duration or (None if loops > 0 else max(_DURATION, 2 * ramp))
    return LoadConfiguration(
        name=case,
        cases=(CaseShare(f"{escape(case)}.case.toml"),),
        users=users,
        duration=length,
        ramp_up=min(ramp, length) if length is not None else ramp,
        iterations=loops if loops > 0 else None,
        on_error=_ON_ERROR.get(on_error, "continue"),
        keep_connections=True,
    )
