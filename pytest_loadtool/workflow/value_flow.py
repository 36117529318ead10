"""Each value of a replay from who gives it out to who sends it, now and when it was recorded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pytest_loadtool.codec.cookie import sent_cookies, set_cookies
from pytest_loadtool.codec.media import declared_charset
from pytest_loadtool.codec.spellings import spellings
from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference
from pytest_loadtool.diagnosis.kept import target_of
from pytest_loadtool.diagnosis.subject import sent_values
from pytest_loadtool.masking.text import Mask, cut
from pytest_loadtool.model.case import TestCase, Transaction, Variable
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.structure.uses import needed_by, used_names
from pytest_loadtool.workflow.message_lines import MessageLine

#: What the value of a cookie is called, before the cookie's name.
COOKIE = "cookie "
#: The shortest value that is looked for in messages, in characters: a shorter one stands anywhere.
_SHORTEST = 3
#: The shortest that is looked for where nothing says that it stands there.
_SHORTEST_STALE = 8


@dataclass(frozen=True, slots=True)
class Happened:
    """A transaction of which both sides are known, as far as they are."""

    index: int
    transaction: Transaction
    was: Exchange | None
    now: Exchange | None
    taken: Mapping[str, str]
    """What its response has set now, by variable."""


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """A value in one transaction, its index from 0. ``how`` says where it stands there, or where it
    was taken from; None: that is not known, or there was none."""

    index: int
    how: str
    recorded: str | None
    now: str | None


@dataclass(frozen=True, slots=True)
class ValueFlow:
    """A value by its name: ``origin`` says what gives it out where that is no response."""

    name: str
    origin: str
    given: tuple[ValuePlace, ...]
    sent: tuple[ValuePlace, ...]

    @property
    def missing(self) -> bool:
        """Return whether it is sent, was to be taken from a response, and none has given it out."""
        return bool(self.given and self.sent) and all(one.now is None for one in self.given)


@dataclass(frozen=True, slots=True)
class ValueAt:
    """The place of a value in a line as it is shown. ``stale``: the replay has the recorded one
    there, which is another now."""

    start: int
    stop: int
    name: str
    stale: bool = False


def flows_of(case: TestCase, happened: list[Happened]) -> list[ValueFlow]:
    """Return the values of a replay in the order in which they come up."""
    given: dict[str, list[ValuePlace]] = {}
    sent: dict[str, list[ValuePlace]] = {}
    for one in happened:
        for name, place in _sent(case, one):
            sent.setdefault(name, []).append(place)
        for name, place in _given(case, one):
            given.setdefault(name, []).append(place)
    for name, place in _sent_stale(given, happened):
        sent.setdefault(name, []).append(place)
    names = dict.fromkeys([*sent, *given])
    return [
        ValueFlow(name, _origin(case, name), tuple(given.get(name, ())), tuple(sent.get(name, ())))
        for name in names
        if name in sent or not name.startswith(COOKIE)  # of cookies, those that matter
    ]


def _sent(case: TestCase, one: Happened) -> Iterator[tuple[str, ValuePlace]]:
    now = sent_in(case, one.transaction, one.now) if one.now else {}
    was = sent_in(case, one.transaction, one.was) if one.was else {}
    for name in sorted(needed_by(case, one.transaction) - BUILTIN_NAMES):
        where = _where(case, one.transaction, name)
        yield name, ValuePlace(one.index, where, was.get(name), now.get(name))
    recorded = dict(sent_cookies(one.was.request_headers)) if one.was else {}
    replayed = dict(sent_cookies(one.now.request_headers)) if one.now else {}
    for name in dict.fromkeys([*recorded, *replayed]):
        yield COOKIE + name, ValuePlace(one.index, "Cookie", recorded.get(name), replayed.get(name))


def _sent_stale(
    given: Mapping[str, list[ValuePlace]], happened: list[Happened]
) -> Iterator[tuple[str, ValuePlace]]:
    """Yield the requests that send what a response has given out when it was recorded, and that
    gives out something else now."""
    stale = {form: name for name, places in given.items() for form in _stale_forms(places)}
    pattern = _any_of(stale)
    for one in happened:
        if one.now is not None and pattern is not None:
            headers = "\n".join(value for _, value in one.now.request_headers)
            body = one.now.request_body.decode("utf-8", "replace")
            found = pattern.findall("\n".join((one.now.url, headers, body)))
            for name, form in {stale[form]: form for form in found}.items():
                yield name, ValuePlace(one.index, "a constant", form, form)


def _stale_forms(places: Iterable[ValuePlace]) -> Iterator[str]:
    """Yield how values are written that were given out when it was recorded, and are not now."""
    now = {one.now for one in places}
    for one in places:
        if one.recorded and len(one.recorded) >= _SHORTEST_STALE and one.recorded not in now:
            yield from spellings(one.recorded)


def _any_of(forms: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern of whole values, longer ones first."""
    found = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
    return re.compile(rf"(?<![^\W_])(?:{found})(?![^\W_])") if found else None


def _given(case: TestCase, one: Happened) -> Iterator[tuple[str, ValuePlace]]:
    for extractor in one.transaction.extractors:
        name = extractor.variable
        variable = case.variables.get(name)
        which = f", match {extractor.match}" if extractor.match > 1 else ""
        recorded = variable.recorded if variable is not None else None
        yield (
            name,
            ValuePlace(one.index, f"{extractor.source}{which}", recorded, one.taken.get(name)),
        )
    recorded_cookies = dict(set_cookies(one.was.response_headers)) if one.was else {}
    replayed = dict(set_cookies(one.now.response_headers)) if one.now else {}
    for name in dict.fromkeys([*recorded_cookies, *replayed]):
        place = ValuePlace(one.index, "Set-Cookie", recorded_cookies.get(name), replayed.get(name))
        yield COOKIE + name, place


def sent_in(case: TestCase, transaction: Transaction, exchange: Exchange) -> dict[str, str]:
    """Return the values of the placeholders of a request, as this exchange sent them."""
    request = transaction.request
    head = [f"{exchange.method} {target_of(exchange)} HTTP/1.1"]
    head += [f"{name}: {value}" for name, value in exchange.request_headers]
    charset = request.charset or declared_charset(exchange.request_header("content-type") or "")
    body = exchange.request_body.decode(charset or "utf-8", "replace")
    return sent_values(request, case.wire_headers(request), head, body)


def _where(case: TestCase, transaction: Transaction, name: str) -> str:
    """Return the parts of a request that hold a placeholder, or what an extractor looks for."""
    request = transaction.request
    parts = [
        ("URL", [request.target]),
        *((one.name, [one.value]) for one in case.wire_headers(request) if one.value),
        ("Cookie", list(request.cookies)),
        ("body", [request.body] if isinstance(request.body, str) else []),
    ]
    found = [part for part, texts in parts if name in used_names(texts, case.variables)]
    return ", ".join(dict.fromkeys(found)) or "an extractor"


def _origin(case: TestCase, name: str) -> str:
    if name.startswith(COOKIE):
        return "the virtual user's cookie jar"
    if (dataset := Reference(name).dataset) is not None:
        return f"dataset {dataset}"
    variable = case.variables.get(name)
    return origin_of(variable) if variable is not None else ""


def origin_of(variable: Variable) -> str:
    """Return where a variable has its value from that no transaction sets; may be empty."""
    if variable.env is not None:
        return f"environment variable {variable.env}"
    if variable.keyring is not None:
        return f"the system's keyring, {variable.keyring}"
    if variable.template is not None:
        return f"made of {variable.template}"
    if variable.generate is not None:
        return f"made up anew: {type(variable.generate).__name__}"
    return "a constant of the test case" if variable.value is not None else ""


class ValueFinder:
    """Finds the values of one side in the lines of its messages."""

    def __init__(self, flows: list[ValueFlow], *, recorded: bool) -> None:
        self._names: dict[str, str] = {}
        for flow in flows:
            for place in (*flow.given, *flow.sent):
                value = place.recorded if recorded else place.now
                for form in spellings(value) if value and len(value) >= _SHORTEST else ():
                    self._names.setdefault(form, flow.name)
        self._stale: set[str] = set()
        for flow in flows if not recorded else ():
            for form in _stale_forms(flow.given):
                self._stale.add(form)
                self._names.setdefault(form, flow.name)
        self._pattern = _any_of(self._names)

    def find(self, line: MessageLine) -> list[ValueAt]:
        """Return where values stand in a line as it is shown, where secrets are cut."""
        if self._pattern is None:
            return []
        found: list[ValueAt] = []
        position = 0
        for match in self._pattern.finditer(line.text):
            for form in (match[0], cut(match[0])):
                at = _at(line, form, match.start(), position)
                if at >= 0:
                    position = at + len(form)
                    name, stale = self._names[match[0]], match[0] in self._stale
                    found.append(ValueAt(at, position, name, stale))
                    break
        return found


def _at(line: MessageLine, form: str, place: int, position: int) -> int:
    """Return where ``form`` is shown, with what stood before it at ``place`` of the text; -1 if
    nowhere.

    The next one that looks like it is another value's if something else is before it.
    """
    at = line.shown.find(form, position)
    before = line.text[max(0, place - 2) : place]
    return at if at >= 0 and line.shown[:at].endswith(before) else -1


def shown_value(mask: Mask, name: str, value: str | None) -> str | None:
    """Return a value as it may be shown."""
    if value is None:
        return None
    return cut(value) if name.startswith(COOKIE) else mask.value(name, value)
