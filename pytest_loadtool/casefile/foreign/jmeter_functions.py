"""Variables and functions in the texts of a plan: ``${login}``, ``${__P(users,10)}``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pytest_loadtool.casefile.foreign.building import Builder
from pytest_loadtool.codec.template import escape
from pytest_loadtool.model.generator import Generator, RandomText, Timestamp, Uuid

_ARGUMENT = re.compile(r"(?:\\.|[^,\\])*(?:,|$)")


class Functions:
    """Turns texts of a plan into templates."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def text(self, text: str, where: str) -> str:
        """Return a text as a template; what no function here does comes from the environment."""
        made, at = "", 0
        while (start := text.find("${", at)) >= 0:
            end = _end(text, start)
            if end < 0:
                break
            made += escape(text[at:start]) + self._value(text[start + 2 : end], where)
            at = end + 1
        return made + escape(text[at:])

    def number(self, text: str, where: str) -> float:
        """Return the number that a text says; 0 if it says none."""
        found = self.builder.resolved(self.text(text.strip(), where))
        try:
            return float(found or 0)
        except ValueError:
            self.builder.leave(where, f"{text} is no number")
            return 0.0

    def _value(self, inner: str, where: str) -> str:
        if not inner.startswith("__"):
            return f"${{{self.builder.names.of(inner.strip())}}}"
        name, _, rest = inner.partition("(")
        given = [_unescaped(one, self, where) for one in _arguments(rest.rpartition(")")[0])]
        made = _FUNCTIONS.get(name.strip())
        if made is not None and (found := made(self.builder, given)) is not None:
            return found
        self.builder.leave(where, f"the function ${{{inner}}}")
        return f"${{{self.builder.names.of(inner)}}}"


def _end(text: str, start: int) -> int:
    """Return where the ``}`` of the ``${`` at ``start`` stands; -1 if it is not closed."""
    depth = 0
    for at in range(start, len(text)):
        if text.startswith("${", at):
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if not depth:
                return at
    return -1


def _arguments(text: str) -> list[str]:
    return [one.removesuffix(",") for one in _ARGUMENT.findall(text) if one]


def _unescaped(text: str, functions: Functions, where: str) -> str:
    return functions.text(re.sub(r"\\(.)", r"\1", text.strip()), where)


def _property(builder: Builder, given: Sequence[str]) -> str | None:
    """Return a property, which a run of JMeter may be given: its default."""
    name = f"property {given[0] if given else ''}"
    if len(given) > 1:
        builder.constant(name, given[-1])
    return f"${{{builder.names.of(name)}}}"


def _made(named: str, generator: Generator) -> Callable[[Builder, Sequence[str]], str | None]:
    return lambda builder, _given: builder.generated(named, generator)


def _random_text(builder: Builder, given: Sequence[str]) -> str | None:
    length = int(given[0]) if given and given[0].isdigit() else 0
    if not 0 < length < 10_000:
        return None
    return builder.generated(f"random {length}", RandomText(length))


def _random(builder: Builder, given: Sequence[str]) -> str | None:
    """Return a number between two: of as many digits as the greater one, less one."""
    if len(given) < 2 or not given[1].isdigit():
        return None
    length = max(1, len(given[1]) - 1)
    return builder.generated(f"random digits {length}", RandomText(length, "digits"))


def _time(builder: Builder, given: Sequence[str]) -> str | None:
    if given and given[0] not in ("", "/1000"):
        return None
    unit = Timestamp("s" if given and given[0] else "ms")
    return builder.generated(f"time in {unit.unit}", unit)


_FUNCTIONS: Mapping[str, Callable[[Builder, Sequence[str]], str | None]] = MappingProxyType(
    {
        "__P": lambda builder, given: _property(
            builder, given if len(given) > 1 else [*given, "1"]
        ),
        "__property": lambda builder, given: _property(builder, [given[0], *given[2:]]),
        "__UUID": _made("uuid", Uuid()),
        "__time": _time,
        "__RandomString": _random_text,
        "__Random": _random,
        "__urlencode": lambda _builder, given: given[0].replace("}", "|url}") if given else None,
        "__V": lambda builder, given: f"${{{builder.names.of(given[0])}}}" if given else None,
    }
)
