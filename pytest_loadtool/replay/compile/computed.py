"""Variables that are made rather than extracted: from other values, from the clock.

A case without them pays nothing: only the requests and checks that use one are wrapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from pytest_loadtool.codec.template import Template
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.case import Variable
from pytest_loadtool.model.generator import Timestamp
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.compile.format import VariableNames, joined, pieces
from pytest_loadtool.replay.compile.request import Render
from pytest_loadtool.replay.user.cookies import CookieJar
from pytest_loadtool.replay.user.exchange import Check, Response

#: Gives the seconds since 1970.
Clock = Callable[[], float]

#: Slots, and how their values are made of the others, in the order to do it.
Makers = tuple[tuple[int, Callable[[Sequence[str]], str]], ...]

#: An extractor that goes by the user's values.
Bound = Callable[[Response, list[str]], str | None]

_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000}


def makers(
    texts: Iterable[str],
    variables: Mapping[str, Variable],
    names: VariableNames,
    clock: Clock | None,
) -> Makers:
    """Return what must be made before these templates are used; without a clock, times are left
    alone.

    Raises:
        ReplayError: a variable is made of itself.
    """
    found: dict[str, tuple[int, Callable[[Sequence[str]], str]]] = {}
    for text in texts:
        _add_makers(text, variables, names, clock, found, ())
    return tuple(found.values())


def _add_makers(
    text: str,
    variables: Mapping[str, Variable],
    names: VariableNames,
    clock: Clock | None,
    found: dict[str, tuple[int, Callable[[Sequence[str]], str]]],
    around: tuple[str, ...],
) -> None:
    for name in (reference.name for reference in Template.parse(text).references):
        variable = variables.get(name)
        if variable is None or name in found:
            continue
        if name in around:
            raise ReplayError(f"variable {name!r} is made of itself")
        if variable.template is not None:
            _add_makers(variable.template, variables, names, clock, found, (*around, name))
            found[name] = names.slot(name), composed(Template.parse(variable.template), names)
        elif isinstance(variable.generate, Timestamp) and clock is not None:
            found[name] = names.slot(name), _time(variable.generate.unit, clock)


def rendering(render: Render, made: Makers) -> Render:
    """Return ``render`` with these values made before it."""
    if not made:
        return render

    def render_made(values: list[str], jar: CookieJar) -> bytes:
        for slot, make in made:
            values[slot] = make(values)
        return render(values, jar)

    return render_made


def checking(check: Check, made: Makers) -> Check:
    """Return ``check`` with these values made before it."""
    if not made:
        return check

    def check_made(response: Response, values: list[str]) -> Failure | None:
        for slot, make in made:
            values[slot] = make(values)
        return check(response, values)

    return check_made


def taking(bound: Bound, made: Makers) -> Bound:
    """Return ``bound`` with these values made before it."""
    if not made:
        return bound

    def take_made(response: Response, values: list[str]) -> str | None:
        for slot, make in made:
            values[slot] = make(values)
        return bound(response, values)

    return take_made


def composed(template: Template, names: VariableNames) -> Callable[[Sequence[str]], str]:
    """Return the text of a template from the user's values, filtered but not encoded for any
    place."""
    found = pieces(template, names)
    return lambda values: joined(found, values)


def _time(unit: str, clock: Clock) -> Callable[[Sequence[str]], str]:
    if unit == "iso":
        return lambda _values: _iso(clock())
    per_second = _PER_SECOND[unit]
    return lambda _values: str(int(clock() * per_second))


def _iso(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
