"""The forms of the editor: what they ask, and the command that the answers are.

An extractor and a validator are made of a value that is picked out of a response; a field gets one
of the five datasources.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from pytest_loadtool.console.screens.editor import Editor
from pytest_loadtool.console.screens.field_rows import sent_name
from pytest_loadtool.console.screens.form import (
    Blank,
    CheckBox,
    Form,
    Part,
    Radio,
    chosen_blanks,
    form_of,
)
from pytest_loadtool.correlation.requests.fields import (
    CONSTANT,
    DATASET,
    SERVER_AUTHENTICATION,
    USER_VARIABLE,
)
from pytest_loadtool.editing.actors import constants
from pytest_loadtool.editing.suggestions import suggested_extractors, suggested_validators
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    CookieValue,
    FormField,
    HeaderValue,
    InItem,
    JsonPath,
    Link,
    RegularExpression,
    Source,
    XmlPath,
)
from pytest_loadtool.model.validator import JsonValidator, RegexValidator, TextValidator, Validator

#: Boxes of transactions that a form has room for, and how many stand in a row.
_MOST_USES, _USES_IN_ROW = 9, 3
_NAME = re.compile(r"[A-Za-z_]\w*")

_Values = Mapping[str, str]


def field_form(editor: Editor, columns: Sequence[str], wanted: str = "") -> Form | None:
    """Return what edits the field at the cursor; ``columns`` are those of datasets, ``wanted`` is
    the datasource that is chosen at first, by default the one it has."""
    row = editor.field
    if row is None:
        return None
    field, document = row.field, editor.tree.document
    secret = BY_NAME.field(field) != field.value
    name = sent_name(field.value)
    constant = field.value if field.datasource == CONSTANT and not secret else ""
    extracted = [
        one.variable
        for each in list(document.case.transactions())[: row.number - 1]
        for one in each.extractors
    ]
    known = tuple(one for one in document.case.variables if one not in extracted)
    now = {
        CONSTANT: "constant",
        DATASET: "dataset",
        USER_VARIABLE: "variable",
        SERVER_AUTHENTICATION: "server authentication",
    }.get(field.datasource, "extractor")
    rows: list[tuple[Part, ...]] = [
        (Radio("source", "constant", "Constant value"), Blank("constant", secret=secret)),
        (Radio("source", "dataset", "Dataset"), Blank("dataset", choices=tuple(columns))),
        (Radio("source", "variable", "User variable"), Blank("variable", choices=known)),
        (Radio("source", "extractor", "Extractor"), Blank("extractor", choices=tuple(extracted))),
        (Radio("source", "server authentication", "Server authentication header"),),
    ]
    also = [number for number in row.also if number != row.number]
    if also and field.slot is not None:
        shown = ", ".join(map(str, also[:_MOST_USES])) + (", …" if len(also) > _MOST_USES else "")
        rows.append((CheckBox("all", f"same value in {len(also)} more ({shown}): change all"),))
    values = {"source": wanted or now, "constant": constant, now: name or constant}

    def line(values: _Values) -> str:
        chosen = values["source"]
        text = values.get(chosen, "")
        given = f"--{chosen} {shlex.quote(text)}" if chosen in _VALUED else f"--{_dashed(chosen)}"
        every = " --all" if values.get("all") else ""
        return f"set-field {row.number} {shlex.quote(field.name)} {given}{every}"

    title = f"Edit {field.name} of {row.number} {_title(document.case, row.number)}"
    return form_of(title, rows, values, line)


_VALUED = ("constant", "dataset", "variable", "extractor")


def extractor_form(editor: Editor, columns: Sequence[str]) -> Form | None:
    """Return what makes an extractor of the value that is picked."""
    del columns
    number, text = editor.tree.number, editor.picked
    exchange = editor.exchange
    if exchange is None or not text:
        return None
    case = editor.tree.document.case
    values: dict[str, str] = {}
    for source, match in suggested_extractors(exchange, text):
        kind, given = _extracting(source, match)
        if kind and not values.get(f"match {kind}"):
            values |= given
            values.setdefault("source", kind)
            values.setdefault("variable", _variable(case, source))
    values.setdefault("source", "regex")
    values.setdefault("variable", _variable(case, None))
    uses = [(at + 1, field.name) for at, field in constants(case, number - 1, text)]
    boxes = [CheckBox(f"use {at}", f"{at} {name}") for at, name in uses[:_MOST_USES]]
    values |= {one.key: "yes" for one in boxes}
    rows = [(Blank("variable", "variable"),), *_EXTRACTING]
    rows += [tuple(boxes[at : at + _USES_IN_ROW]) for at in range(0, len(boxes), _USES_IN_ROW)]

    def line(values: _Values) -> str:
        kind = values["source"]
        words = [f"extract {number} {shlex.quote(values.get('variable') or 'NAME')}"]
        for part in chosen_blanks(_EXTRACTING, values):
            words += _given(_option(part.key), values.get(part.key, ""))
        for part in _WHICH:
            value = values.get(f"{part.key} {kind}", "")
            words += _given(part.key, "" if (part.key, value) == ("match", "1") else value)
        chosen = dict.fromkeys(at for at, _ in uses if values.get(f"use {at}"))
        everything = len(uses) > _MOST_USES and all(values.get(one.key) for one in boxes)
        use = "all" if everything else ",".join(map(str, chosen))
        return " ".join([*words, *_given("use", use)])

    return form_of(f"New extractor in {number} {_title(case, number)}", rows, values, line)


#: What says which of several a value is: each kind of source has its own.
_WHICH = (
    Blank("match", "match", of="source", width=8),
    Blank("in-item", "in item", of="source"),
    Blank("item", "kind", of="source"),
    Blank("decode", "decode", of="source", width=10),
)

_EXTRACTING: tuple[tuple[Part, ...], ...] = (
    (Radio("source", "json", "JSON path"), Blank("json")),
    (Radio("source", "xml", "XML path"), Blank("xml")),
    (Radio("source", "form", "Form field"), Blank("form"), Blank("action", "action")),
    (Radio("source", "link", "Link"), Blank("link"), Blank("link label", "label")),
    (Radio("source", "choice", "Choice"), Blank("choice"), Blank("choice label", "label")),
    (Radio("source", "header", "Header"), Blank("header"), Blank("pattern", "pattern")),
    (Radio("source", "cookie", "Cookie"), Blank("cookie")),
    (Radio("source", "regex", "Regex"), Blank("regex")),
    (Radio("source", "boundary", "Boundary"), Blank("left"), Blank("right", "…")),
    _WHICH,
)


def _extracting(source: Source, match: int) -> tuple[str, dict[str, str]]:
    """The kind of a source, and what is filled in for it; an empty kind: no form has that."""
    around: dict[str, str] = {}
    if isinstance(source, InItem):
        around = {"in-item": source.text, "item": source.item}
        source = source.source
    found: dict[str, str]
    match source:
        case JsonPath(path=path):
            found = {"json": path}
        case XmlPath(path=path):
            found = {"xml": path}
        case FormField(name=name, split=0, action=action):
            found = {"form": name, "action": action}
        case Link(address=address, label=label):
            found = {"link": address, "link label": label}
        case Choice(name=name, label=label):
            found = {"choice": name, "choice label": label}
        case HeaderValue(name=name, pattern=pattern):
            found = {"header": name, "pattern": pattern or ""}
        case CookieValue(name=name):
            found = {"cookie": name}
        case RegularExpression(pattern=pattern):
            found = {"regex": pattern}
        case Boundary(left=left, right=right):
            return _of("boundary", {"left": left, "right": right}, {"match": str(match)})
        case _:
            return "", {}
    return _of(next(iter(found)), found, {"match": str(match), **around})


def _of(kind: str, found: dict[str, str], which: _Values) -> tuple[str, dict[str, str]]:
    return kind, {**found, **{f"{key} {kind}": value for key, value in which.items()}}


def _variable(case: TestCase, source: Source | None) -> str:
    """A name that no variable has, after what its value is called there."""
    inner = source.source if isinstance(source, InItem) else source
    texts = [getattr(inner, name, "") for name in ("path", "name", "address", "left")]
    named = [word for text in texts for word in _NAME.findall(text)]
    name = (named or ["value"])[-1]
    number = next(n for n in range(1, 1 << 20) if f"{name}[{n}]" not in case.variables)
    return f"{name}[{number}]"


def validator_form(editor: Editor, columns: Sequence[str]) -> Form | None:
    """Return what makes a validator of the value that is picked."""
    del columns
    number, text, exchange = editor.tree.number, editor.picked, editor.exchange
    if exchange is None:
        return None
    values = {"how": "equals"}
    for one in suggested_validators(exchange, text) if text else ():
        kind, given = _validating(one)
        if kind not in values:
            values |= given
            values.setdefault("kind", kind)
    values.setdefault("kind", "text")

    def line(values: _Values) -> str:
        kind = values["kind"]
        if kind == "status":
            return f"status {number} {shlex.quote(values.get('status') or '200-399')}"
        words = [f"validate {number}"]
        how = values.get("how", "")
        for part in chosen_blanks(_VALIDATING, values):
            if part.key == "value":
                words += _given(how if how != _IS_THERE else "", values.get("value", ""))
            elif part.key != "how":
                words += _given(_option(part.key), values.get(part.key, ""))
        words += ["--absent"] if values.get("absent") else []
        return " ".join([*words, *_given("outcome", values.get("outcome", ""))])

    title = f"New validator in {number} {_title(editor.tree.document.case, number)}"
    return form_of(title, _VALIDATING, values, line)


_IS_THERE = "is there"

_VALIDATING: tuple[tuple[Part, ...], ...] = (
    (Radio("kind", "text", "Search text"), Blank("text"), Blank("row", "in the row of")),
    (Radio("kind", "regex", "Regex"), Blank("regex")),
    (Radio("kind", "json", "JSON path"), Blank("json"), Blank("json equals", "=")),
    (Radio("kind", "xml", "XML path"), Blank("xml"), Blank("xml equals", "=")),
    (
        Radio("kind", "header", "Header"),
        Blank("header"),
        Blank("how", choices=("equals", "contains", "matches", _IS_THERE), fixed=True, width=8),
        Blank("value"),
    ),
    (Radio("kind", "status", "Status Code"), Blank("status")),
    (CheckBox("absent", "the opposite"), Blank("outcome", "outcome")),
)


def _validating(one: Validator) -> tuple[str, dict[str, str]]:
    match one:
        case TextValidator(text=text):
            return "text", {"text": text}
        case RegexValidator(pattern=pattern):
            return "regex", {"regex": pattern}
        case JsonValidator(path=path, equals=equals):
            return "json", {"json": path, "json equals": "" if equals is None else str(equals)}
        case _:
            raise AssertionError(one)  # nothing else is proposed


def _given(option: str, value: str) -> Iterator[str]:
    """An option with its value, if it has one."""
    if option and value:
        yield f"--{option} {shlex.quote(value)}"


def _option(key: str) -> str:
    """The option of a blank: ``link label`` is the label of a link."""
    return key.rpartition(" ")[2]


def _dashed(text: str) -> str:
    return text.replace(" ", "-")


def _title(case: TestCase, number: int) -> str:
    return list(case.transactions())[number - 1].title


FORMS: Mapping[str, Callable[[Editor, Sequence[str]], Form | None]] = MappingProxyType(
    {
        "field": field_form,
        "field from a dataset": lambda editor, columns: field_form(editor, columns, "dataset"),
        "field from a variable": lambda editor, columns: field_form(editor, columns, "variable"),
        "extractor": extractor_form,
        "validator": validator_form,
    }
)
"""By what keys call them: the forms."""
