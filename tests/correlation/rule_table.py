"""The tables of docs/correlation.md: ``python -m tests.correlation.rule_table`` makes them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_loadtool.casefile import package_rules
from pytest_loadtool.correlation.evidence import EVIDENCE, OF_OWN
from pytest_loadtool.correlation.strategies.replay_diff import ReplayDiff
from pytest_loadtool.correlation.strategies.strategy import Strategy
from pytest_loadtool.correlation.strategies.table import strategies
from pytest_loadtool.model.rule import Rule

__all__ = ["PAGE", "updated"]

PAGE = Path(__file__).parents[2] / "docs" / "correlation.md"


def updated(text: str) -> str:
    """The page with its tables as the rules are today."""
    for name, lines in (
        ("strategies", _strategies()),
        ("rules", _rules()),
        ("evidence", _evidence()),
    ):
        between = re.compile(rf"(<!-- {name} -->\n).*(<!-- end of {name} -->)", re.DOTALL)
        table = "\n".join(lines).replace("\\", "\\\\")
        text = between.sub(rf"\g<1>\n{table}\n\n\g<2>", text)
    return text


def _strategies() -> Iterator[str]:
    yield "| strategy | goes by | known from |"
    yield "|---|---|---|"
    known: list[Strategy | type[ReplayDiff]] = [*strategies(()), ReplayDiff]
    for one in known:
        yield f"| `{one.name}` | {one.why} | {one.source} |"


def _rules() -> Iterator[str]:
    yield "| rule | used as | given out as | evidence | then | known from |"
    yield "|---|---|---|---|---|---|"
    for rule in package_rules():
        cells = (_used(rule), _given(rule), _asked(rule), _then(rule), rule.source)
        yield f"| `{rule.name}` | {' | '.join(cells)} |"


def _used(rule: Rule) -> str:
    places = ", ".join(sorted(place.value for place in rule.places))
    return _joined([_code(rule.used_as.spelled), f"in: {places}" if places else ""])


def _given(rule: Rule) -> str:
    if rule.leave:
        return ""
    kinds = ", ".join(kind.value for kind in rule.kinds)
    return _joined([_code(rule.produced_as.spelled), kinds])


def _asked(rule: Rule) -> str:
    return _joined([_code([rule.value]) if rule.value else "", ", ".join(rule.evidence)])


def _then(rule: Rule) -> str:
    if rule.leave:
        return "left alone"
    return f"{rule.confidence:.0%}" + (f", `{rule.variable}`" if rule.variable else "")


def _joined(parts: Iterable[str]) -> str:
    return "; ".join(filter(None, parts))


def _code(texts: Iterable[str]) -> str:
    return ", ".join("`" + text.replace("|", "\\|") + "`" for text in texts)


def _evidence() -> Iterator[str]:
    yield "| evidence | holds when |"
    yield "|---|---|"
    for name, function in {**EVIDENCE, **OF_OWN}.items():
        said = inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0]
        yield f"| `{name}` | {' '.join(said.split())} |"


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text()))
