"""Postman's scripts: checks and variables that the lines of most of them say, by patterns.

A script is a program; what no pattern knows is told by its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_loadtool.casefile.foreign.building import Builder, ForeignStep
from pytest_loadtool.codec.template import escape
from pytest_loadtool.model.generator import Timestamp, Uuid
from pytest_loadtool.model.validator import StatusCodes

_STRING = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)"""
_LITERAL = rf"(?:{_STRING}|(-?\d+(?:\.\d+)?|true|false))"
_PATH = r"((?:\??\.[A-Za-z_$][\w$]*|\[\d+\]|\[(?:\"[^\"\]]*\"|'[^'\]]*')\])*)"
_JSON = r"(?:pm\.response\.json\(\)|JSON\.parse\((?:responseBody|pm\.response\.text\(\))\))"
_END = r"\s*;?\s*(?:\}\s*\)?\s*;?\s*)*"
_SET = (
    r"(?:pm\.(?:environment|globals|variables|collectionVariables)\.set"
    r"|postman\.set(?:Environment|Global)Variable)"
)

#: What stands around checks and does nothing itself.
_FRAME = re.compile(
    rf"""(?:pm\.test\(\s*{_STRING}\s*,\s*(?:async\s*)?(?:function\s*\w*\s*\(\w*\)|\(?\w*\)?\s*=>)\s*\{{?"""
    r"|//.*|/\*.*\*/|\*.*|['\"]use strict['\"];?|console\.\w+\(.*\);?"
    r"|(?:\}|\)|;|\s)+|(?:\}\s*)?(?:try|catch\s*\(\w*\))\s*\{\s*\}?|done\(\);?"
    r"|(?:var|let|const)\s+\w+\s*;|\w+\s*=\s*\{\};?|tests\[.*?\]\s*=\s*(?:true|false);?)"
)
#: What stands in a block of these is done, or not, by a program.
_BLOCK = re.compile(r"(?:\}\s*)?(?:pm\.test\.skip|if|else|for|while|switch|do|function)\b")
_TEST = re.compile(
    rf"pm\.test\(\s*{_STRING}\s*,\s*(?:function\s*\w*\s*\(\w*\)|\(?\w*\)?\s*=>)\s*\{{?\s*"
)
_OLD_TEST = re.compile(r"tests\[.*?\]\s*=\s*(.+?)\s*;?\s*")
_ALIAS = re.compile(
    rf"(?:try\s*\{{\s*)?(?:(?:var|let|const)\s+)?(\w+)\s*=\s*(\w+|{_JSON}){_PATH}\s*;?\s*\}}?"
)
_TEXT = re.compile(
    r"(?:(?:var|let|const)\s+)?(\w+)\s*=\s*(?:pm\.response\.text\(\)|responseBody)\s*;?"
)
_WORDS: dict[str, tuple[tuple[int, int], ...]] = {
    "ok": ((200, 299),),
    "success": ((200, 299),),
    "info": ((100, 199),),
    "redirection": ((300, 399),),
    "clientError": ((400, 499),),
    "serverError": ((500, 599),),
    "error": ((400, 599),),
    "accepted": ((202, 202),),
    "badRequest": ((400, 400),),
    "unauthorized": ((401, 401),),
    "forbidden": ((403, 403),),
    "notFound": ((404, 404),),
    "rateLimited": ((429, 429),),
}


@dataclass(slots=True)
class _Script:
    """A script as far as it has been read. ``json`` has the variables that hold the response's
    JSON, or a part of it, and the path of each."""

    step: ForeignStep
    builder: Builder
    json: dict[str, str] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    status: list[tuple[int, int]] = field(default_factory=list)


def read_script(text: str, listen: str, step: ForeignStep, builder: Builder) -> None:
    """Add what a script checks and sets to its step; tell what cannot be."""
    script = _Script(step, builder, {"jsonData": "$"})
    what = {"test": "test", "prerequest": "pre-request script"}.get(listen, listen)
    depth = 0
    for number, line in _statements(text):
        if depth or (_BLOCK.match(line) and not _FRAME.fullmatch(line)):
            depth = max(0, depth + line.count("{") - line.count("}"))
            builder.leave(f"{step.where}, {what}, line {number}", line[:120])
            continue
        if not line or _FRAME.fullmatch(line):
            continue
        inner = _TEST.sub("", line)
        if old := _OLD_TEST.fullmatch(inner):
            inner = re.sub(r"^\((.*)\)$", r"\1", old[1])
        if not (_before(script, inner) if listen == "prerequest" else _read(script, inner)):
            builder.leave(f"{step.where}, {what}, line {number}", line[:120])
    if script.status:
        step.status = StatusCodes(tuple(script.status))


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines, with those that go on with a ``.`` as one, and the number of each."""
    waiting, start = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line.startswith(".") and waiting:
            waiting += line
            continue
        if waiting:
            yield start, waiting
        waiting, start = line, number
    yield start, waiting


def _read(script: _Script, line: str) -> bool:
    """Take what a line of a test says; return False if it is not known."""
    if (found := _TEXT.fullmatch(line)) is not None:
        script.texts.add(found[1])
        return True
    if (found := _ALIAS.fullmatch(line)) is not None:
        base = "$" if not re.fullmatch(r"\w+", found[2]) else script.json.get(found[2])
        if base is None:
            return False
        script.json[found[1]] = base + _json_path(found[3])
        return True
    for pattern, act in _CHECKS:
        if (found := pattern.fullmatch(line)) is not None and act(script, found):
            return True
    return False


def _before(script: _Script, line: str) -> bool:
    """Take what a line of a pre-request script sets; return False if it is not known."""
    if found := re.fullmatch(rf"{_SET}\(\s*{_STRING}\s*,\s*{_LITERAL}\s*\)\s*;?", line):
        script.builder.constant(_text(found[1]), escape(_text(found[2]) if found[2] else found[3]))
        return True
    if found := re.fullmatch(
        rf"{_SET}\(\s*{_STRING}\s*,\s*(Date\.now\(\)|(?:require\('uuid'\)|uuid)(?:\.v4)?\(\))\s*\)\s*;?",
        line,
    ):
        made = Timestamp("ms") if found[2].startswith("Date") else Uuid()
        script.builder.generated(_text(found[1]), made)
        return True
    return False


def _text(literal: str) -> str:
    """Return the text of a string of JavaScript."""
    inner = literal[1:-1]
    if literal[0] != '"':
        inner = inner.replace("\\'", "'").replace("\\`", "`").replace('"', '\\"')
    try:
        return str(json.loads(f'"{inner}"'))
    except ValueError:
        return literal[1:-1]


def _value(text: str | None, other: str | None) -> str | int | float | bool:
    """Return a literal as a validator has it."""
    if text is not None:
        return escape(_text(text))
    found: str | int | float | bool = json.loads(other or "0")
    return found


def _json_path(steps: str) -> str:
    steps = steps.replace("?.", ".")
    return re.sub(r"""\["([^"]*)"\]""", r"['\1']", steps)


def _status(script: _Script, ranges: Sequence[tuple[int, int]]) -> bool:
    if any(not 100 <= low <= 999 for low, _ in ranges):
        return False
    script.status = [*script.status, *ranges] if not script.status else script.status
    return True


def _validate(**table: Any) -> Callable[[_Script, re.Match[str]], bool]:
    """Return what adds a validator: values that are numbers are groups of the match."""

    def act(script: _Script, found: re.Match[str]) -> bool:
        made = {
            key: escape(_text(found[one])) if type(one) is int else one
            for key, one in table.items()
        }
        script.step.validators.append(made)
        return True

    return act


def _json_check(script: _Script, found: re.Match[str]) -> bool:
    """Take ``expect(json.path).to.equal(literal)``; return False if a test case cannot say it."""
    path = _base(script, found["base"], found["path"])
    if path is None or found["not"]:
        return False
    equals = _value(found["text"], found["other"])
    script.step.validators.append({"json": path, "equals": equals})
    return True


def _has(script: _Script, found: re.Match[str]) -> bool:
    """Take ``expect(json).to.have.property("name")``, ``"name" in json.path``, ``_.has(json,
    "name")``: the value may be null, but is there. Return False if a test case cannot say it."""
    said = found.groupdict()
    path = _base(script, found["base"], found["path"])
    if path is None:
        return False
    table: dict[str, Any] = {"json": f"{path}.{_text(found['name'])}"}
    if said.get("not"):
        table["absent"] = True
    elif said.get("text") or said.get("other"):
        table["equals"] = _value(said["text"], said["other"])
    script.step.validators.append(table)
    return True


def _extract(script: _Script, found: re.Match[str]) -> bool:
    path = _base(script, found["base"], found["path"])
    if path is None:
        return False
    name = script.builder.names.of(_text(found["name"]))
    script.step.extractors.append({"variable": name, "json": path})
    return True


def _said(script: _Script, found: re.Match[str]) -> bool:
    if found[1] not in script.texts:
        return False
    table: dict[str, Any] = {"text": escape(_text(found[3]))}
    script.step.validators.append({**table, "absent": True} if found[2] else table)
    return True


def _header(script: _Script, found: re.Match[str]) -> bool:
    name = script.builder.names.of(_text(found[1]))
    script.step.extractors.append({"variable": name, "header": _text(found[2])})
    return True


def _constant(script: _Script, found: re.Match[str]) -> bool:
    value = escape(_text(found[2]) if found[2] else found[3])
    script.builder.constant(_text(found[1]), value)
    return True


def _base(script: _Script, base: str, path: str) -> str | None:
    start = script.json.get(base) if re.fullmatch(r"\w+", base) else "$"
    whole = None if start is None else start + _json_path(path)
    return None if whole is None or whole.endswith(".length") else whole


def _ranges(text: str) -> list[tuple[int, int]]:
    return [(int(one), int(one)) for one in re.findall(r"\d{3}", text)]


_OF = rf"(?P<base>\w+|{_JSON})(?P<path>{_PATH[1:-1]})"
_EQUAL = r"(?:eql|equal|equals|eq|be)"
_EXPECTED = rf"(?:(?P<text>{_STRING[1:-1]})|(?P<other>-?\d+(?:\.\d+)?|true|false))"

#: What lines say: a pattern for all of one, and what adds it.
_CHECKS: tuple[tuple[re.Pattern[str], Callable[[_Script, re.Match[str]], bool]], ...] = tuple(
    (re.compile(rf"{pattern}{_END}"), act)
    for pattern, act in (
        (r"pm\.response\.to\.have\.status\((\d{3})\)", lambda s, f: _status(s, _ranges(f[1]))),
        (
            r"pm\.response\.to\.(?:be|have)\.(\w+)(?:\(\))?",
            lambda s, f: f[1] in _WORDS and _status(s, _WORDS[f[1]]),
        ),
        (
            rf"pm\.expect\((?:pm\.response|responseCode)\.code\)\.to\.(?:be\.)?{_EQUAL}\((\d{{3}})\)",
            lambda s, f: _status(s, _ranges(f[1])),
        ),
        (
            r"pm\.expect\((?:pm\.response|responseCode)\.code\)\.to\.be\.oneOf\(\[([\d,\s]+)\]\)",
            lambda s, f: _status(s, _ranges(f[1])),
        ),
        (
            r"(?:pm\.response|responseCode)\.code\s*={2,3}\s*(\d{3})",
            lambda s, f: _status(s, _ranges(f[1])),
        ),
        (
            r"((?:\(?(?:pm\.response|responseCode)\.code\s*={2,3}\s*\d{3}\)?(?:\s*\|\|\s*)?){2,})",
            lambda s, f: _status(s, _ranges(f[1])),
        ),
        (
            rf"(?:pm\.expect\()?(?:pm\.response\.text\(\)|responseBody)\)?\.to\.(?:include|contain)\({_STRING}\)",
            _validate(text=1),
        ),
        (rf"pm\.response\.to\.have\.body\({_STRING}\)", _validate(text=1)),
        (rf"responseBody\.has\({_STRING}\)", _validate(text=1)),
        (
            rf"pm\.response\.to\.have\.header\({_STRING}\)",
            lambda s, f: _validate(header=1)(s, f),
        ),
        (
            rf"pm\.response\.to\.have\.header\({_STRING}\s*,\s*{_STRING}\)",
            _validate(header=1, equals=2),
        ),
        (
            rf"pm\.expect\(pm\.response\.headers\.get\({_STRING}\)\)\.to\.(?:include|contain)\({_STRING}\)",
            _validate(header=1, contains=2),
        ),
        (
            rf"pm\.expect\(pm\.response\.headers\.get\({_STRING}\)\)\.to\.{_EQUAL}\({_STRING}\)",
            _validate(header=1, equals=2),
        ),
        (
            rf"pm\.expect\({_OF}\)\.to\.(?P<not>not\.)?(?:be\.|deep\.)?{_EQUAL}\({_EXPECTED}\)",
            _json_check,
        ),
        (rf"{_OF}\s*={{2,3}}(?P<not>)\s*{_EXPECTED}", _json_check),
        (
            rf"pm\.expect\({_OF}\)\.to\.(?P<not>not\.)?have\.property\((?P<name>{_STRING[1:-1]})"
            rf"(?:(?:\s*,\s*|\)\.(?:and|that)\.(?:is\.)?{_EQUAL}\(){_EXPECTED})?\)",
            _has,
        ),
        (rf"(?P<name>{_STRING[1:-1]}) in {_OF}", _has),
        (rf"_\.has\({_OF}\s*,\s*(?P<name>{_STRING[1:-1]})\)", _has),
        (
            rf"\(?_\.get\({_OF}\s*,\s*(?P<name>{_STRING[1:-1]})\)\s*={{2,3}}\s*{_EXPECTED}\)?",
            _has,
        ),
        (
            rf"pm\.expect\((\w+)\)\.to\.(not\.)?(?:include|contain)\({_STRING}\)",
            _said,
        ),
        (rf"{_SET}\(\s*(?P<name>{_STRING[1:-1]})\s*,\s*{_OF}\s*\)", _extract),
        (rf"{_SET}\(\s*{_STRING}\s*,\s*pm\.response\.headers\.get\({_STRING}\)\s*\)", _header),
        (rf"{_SET}\(\s*{_STRING}\s*,\s*{_LITERAL}\s*\)", _constant),
    )
)
