"""``*.rules.toml`` to rules of application state management."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TypeVar

from pytest_loadtool.casefile.files import read_text
from pytest_loadtool.casefile.syntax import pattern, plain_name, shown
from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.casefile.toml.schema import (
    Convert,
    Key,
    Node,
    Table,
    array,
    at_least,
    boolean,
    document,
    integer,
    number,
    parsed,
    tables,
    text,
)
from pytest_loadtool.casefile.toml.shape import shaped, takes
from pytest_loadtool.casefile.trust import TRUSTED, Trust, named_path
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import (
    EVIDENCE_NAMES,
    NamePatterns,
    ProducerKind,
    Role,
    Rule,
    same_name,
)

#: The package's own rules. The file has no privileges.
_PACKAGE = Path(__file__).parent.parent / "correlation" / "rules.toml"

_Choice = TypeVar("_Choice", bound=Enum)


def parse_rules(source: str, path: str) -> tuple[Rule, ...]:
    """Return the rules that a file's text says, in its order. ``path`` is what errors call it.

    Raises:
        FileError: something in it is wrong.
    """
    found, problems = document(source, path, _RULES)
    rules: tuple[Rule, ...] = found["rule"]
    first: dict[str, int] = {}
    for index, rule in enumerate(rules):
        if first.setdefault(rule.name, index) != index:
            line = problems.layout.line(("rule", first[rule.name]))
            message = f"there is a rule {shown(rule.name)} in line {line} already"
            problems.add(("rule", index, "name"), message)
    problems.raise_any()
    return rules


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Return the rules in a file.

    Raises:
        FileError: something in it is wrong.
    """
    return parse_rules(read_text(path), str(path))


@cache
def package_rules() -> tuple[Rule, ...]:
    """Return the rules that come with this package."""
    return read_rules(_PACKAGE)


def case_rules(
    case: TestCase, path: Path, *, project: Iterable[Path] = (), trust: Trust = TRUSTED
) -> tuple[Rule, ...]:
    """Return all rules for a test case, the most trusted first: its own come before the package's.

    ``path`` is its file, which need not exist and which the names of its files are relative to.
    The rules in the files of the ``project`` come behind the test case's own. ``trust`` says where
    those that the test case names may be.

    Raises:
        FileError: something in one of the files is wrong, or there is no such file.
    """
    rules: list[Rule] = []
    for index, name in enumerate(case.asm.rules):
        try:
            file = named_path(path, name, trust)
        except FileError as error:
            if not path.is_file():
                raise
            message = f"{name}: {error.message}"
            raise key_error(path, ("asm", "rules", index), message) from None
        if not file.is_file() and path.is_file():
            known = [one.name for one in file.parent.glob("*.toml")]
            message = f"no such file: {name}{did_you_mean(file.name, known)}"
            raise key_error(path, ("asm", "rules", index), message)
        rules += read_rules(file)
    rules += [rule for file in project for rule in read_rules(file)]
    return (*rules, *package_rules())


def _one_of(choices: type[_Choice], what: str) -> Convert[_Choice]:
    known = [one.value for one in choices]

    def parse(text: str) -> _Choice:
        try:
            return choices(text)
        except ValueError:
            near = did_you_mean(text, known) or f": expected one of {', '.join(known)}"
            raise ValueError(f"unknown {what} {shown(text)}{near}") from None

    return takes(enum=known)(parsed(parse))


def _evidence(text: str) -> str:
    if text not in EVIDENCE_NAMES:
        near = did_you_mean(text, EVIDENCE_NAMES)
        raise ValueError(
            f"unknown evidence {shown(text)}"
            + (near or f": expected one of {', '.join(EVIDENCE_NAMES)}")
        )
    return text


def _field(text: str) -> str:
    if not same_name(text):
        raise ValueError(
            f"{shown(text)} is not a field's name: expected letters or digits, with * for anything"
        )
    return text


def _capturing(text: str) -> str:
    if re.compile(pattern(text)).groups != 1:
        raise ValueError(f"{shown(text)} must have one group, (…), around the value")
    return text


def _sentence(text: str) -> str:
    try:
        text.format(field="", producer="")
    except (KeyError, IndexError, ValueError, AttributeError, TypeError):
        raise ValueError(
            f"{shown(text)}: only {{field}} and {{producer}} can be filled in; "
            "write {{ and }} for braces"
        ) from None
    return text


@takes("number", minimum=0, maximum=1)
def _share(node: Node) -> float:
    value = number(node)
    if value > 1:
        raise node.wrong(f"expected a number from 0 to 1, got {value:g}")
    return value


@takes("array", items={"type": "string"})
def _names(node: Node) -> NamePatterns:
    return NamePatterns(array(parsed(_field))(node))


@shaped(lambda describe: describe(array(_one_of(Place, "place"))))
def _places(node: Node) -> frozenset[Place]:
    return frozenset(array(_one_of(Place, "place"))(node))


#: A rule with none of these would take any value.
_NARROWING = ("used_as", "produced_as", "value", "pattern", "evidence")


@shaped(lambda describe: describe(_RULE))
def _rule(node: Node) -> Rule:
    found = _RULE.read(node)
    if not any(found.get(name) for name in _NARROWING):
        raise node.wrong(f"takes any value: say which by at least one of {', '.join(_NARROWING)}")
    return Rule(**found)


_RULE: Table = Table(
    "a rule",
    {
        "name": Key(parsed(plain_name("a rule's name")), 'name = "…"'),
        "reason": Key(parsed(_sentence)),
        "unfound": Key(parsed(_sentence)),
        "confidence": Key(_share),
        "used_as": Key(_names),
        "produced_as": Key(_names),
        "value": Key(parsed(pattern)),
        "pattern": Key(parsed(_capturing)),
        "places": Key(_places),
        "kinds": Key(array(_one_of(ProducerKind, "kind"))),
        "evidence": Key(array(takes(enum=list(EVIDENCE_NAMES))(parsed(_evidence)))),
        "variable": Key(parsed(plain_name("a variable's name"))),
        "matches": Key(at_least(1)),
        "leave": Key(boolean),
        "static": Key(boolean),
        "role": Key(_one_of(Role, "role")),
        "source": Key(text),
    },
)

_RULES: Table = Table(
    "the rules",
    {
        "format": Key(integer, "format = 1"),
        "rule": Key(tables(_rule, "rule"), "at least one [[rule]]"),
    },
)

#: Every kind of table in the file.
TABLES = (_RULES, _RULE)
