"""The forms for extractors and validators: of a value that is picked out of a response, and of an
actor that there is."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pytest_loadtool.casefile import extractor_pairs, validator_pairs
from pytest_loadtool.console.literals import written
from pytest_loadtool.console.screens.editor import Editor
from pytest_loadtool.console.screens.form import (
    Blank,
    CheckBox,
    Form,
    Part,
    Radio,
    chosen_blanks,
    form_of,
)
from pytest_loadtool.editing.actors import constants
from pytest_loadtool.editing.suggestions import (
    PlaceError,
    Suggested,
    suggested_extractors,
    suggested_validators,
)
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.extractor import Extractor, InItem, Source
from pytest_loadtool.model.validator import (
    COMPARISONS,
    DEFAULT_STATUS,
    MEASURES,
    OUTCOME_FLAGS,
    StatusCodes,
    Validator,
)

#: Boxes of transactions that a form has room for, and how many stand in a row.
_MOST_USES, _USES_IN_ROW = 9, 3
_NAME = re.compile(r"[A-Za-z_]\w*")

_Rows = tuple[tuple[Part, ...], ...]

#: What says which of several a value is, and what it is decoded from: each kind of source has its
#: own.
_WHICH = (
    Blank("match", "match", of="source", width=8),
    Blank("in-item", "in item", of="source"),
    Blank("item", "kind", of="source"),
)
_DECODED = (Blank("decode", "decode", of="source"), Blank("then", "then", of="source"))

_EXTRACTING: _Rows = (
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
    _DECODED,
)
#: What hardly any extractor has: its form has a row for it if it does.
_RARE: Mapping[str, Part] = {
    "split": Blank("split", "fields of the state", width=8),
    "by_place": CheckBox("by_place", "by its place in the list"),
}

_IS_THERE = "is there"
#: How a value is compared in a form, by what it is a value of, the most usual first; what else a
#: validator has stays.
_BOUNDS = ("at-most", "less-than", "at-least", "more-than")
_OF_TEXT = ("equals", "contains", "matches", "not-equals", *_BOUNDS, _IS_THERE)
_COMPARED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("regex", "json", "xml", "header"), _OF_TEXT),
    "response": (*_BOUNDS, "equals", "not-equals"),
}


def _compared(kind: str) -> tuple[Blank, Blank]:
    """Return the blanks of how a value is compared, and with what."""
    how = Blank(f"how {kind}", choices=_COMPARED[kind], fixed=True, width=11)
    return how, Blank(f"value {kind}")


_STATUS = (Radio("kind", "status", "Status Code"), Blank("status"))
_VALIDATING: _Rows = (
    (
        Radio("kind", "text", "Search text"),
        Blank("text"),
        Blank("row", "in the row of"),
        Blank("item"),
    ),
    (Radio("kind", "regex", "Regex"), Blank("regex"), *_compared("regex")),
    (Radio("kind", "json", "JSON path"), Blank("json"), *_compared("json")),
    (Radio("kind", "xml", "XML path"), Blank("xml"), *_compared("xml")),
    (Radio("kind", "header", "Header"), Blank("header"), *_compared("header")),
    (
        Radio("kind", "response", "Measure"),
        Blank("response", choices=MEASURES, fixed=True, width=8),
        *_compared("response"),
    ),
    _STATUS,
    (
        CheckBox("absent", "the opposite"),
        CheckBox("unrepeated", "no second time"),
        Blank("outcome", "outcome"),
    ),
)


def actor_form(editor: Editor) -> Form | None:
    """Return what edits the actor at the cursor."""
    if editor.actor is None:
        return None
    match editor.actor.actor:
        case StatusCodes() as status:
            return _status_form(editor, status)
        case Extractor() as extractor:
            return _extractor_form(editor, "Extractor of", extractor.variable, _source(extractor))
        case validator:
            rows = tuple(row for row in _VALIDATING if row is not _STATUS)
            values = _expecting(validator)
            return _validator_form(editor, "Validator", rows, values, editor.actor.number)


# Extractors.


def extractor_form(editor: Editor) -> Form | None:
    """Return what makes an extractor of the value that is picked, if there is one."""
    if editor.exchange is None:
        return None
    case, text = editor.tree.document.case, editor.picked
    values: dict[str, str] = {}
    found: tuple[Suggested, ...] = ()
    note = ""
    if text:
        try:
            found = suggested_extractors(editor.exchange, text, editor.place)
        except PlaceError as error:
            note = f"{error}: which of them is picked cannot be told, so nothing is filled in."
    for source, match in found:
        given = _source(Extractor("", source, match))
        kind = given.pop("source")
        if f"match {kind}" not in values and not _RARE.keys() & given.keys():
            values |= given
            values.setdefault("source", kind)
            values.setdefault("variable", _variable(case, source))
    if text and not note:
        note = _left_out(values)
    values.setdefault("source", "regex")
    values.setdefault("variable", _variable(case, None))
    return replace(_extractor_form(editor, "New extractor in", "", values, text), note=note)


def _left_out(values: Mapping[str, str]) -> str:
    """Return which of what goes by the text around a value is not filled in, and why."""
    kinds = [label for kind, label in _AROUND.items() if f"match {kind}" not in values]
    if not kinds:
        return ""
    return f"{' and '.join(kinds)}: what stands around it there does not tell this place."


_AROUND = {"regex": "Regex", "boundary": "Boundary"}


def _extractor_form(
    editor: Editor, title: str, variable: str, values: dict[str, str], text: str = ""
) -> Form:
    """Return a form with these values. A ``variable`` is given, else it is asked for; ``text`` is
    what is to be taken: where it is sent as a constant are boxes."""
    number, case = editor.tree.number, editor.tree.document.case
    uses = [(at + 1, field.name) for at, field in constants(case, number - 1, text)] if text else []
    boxes = [CheckBox(f"use {at}", f"{at} {name}") for at, name in uses[:_MOST_USES]]
    values |= {one.key: "yes" for one in boxes}
    rows: list[tuple[Part, ...]] = [] if variable else [(Blank("variable", "variable"),)]
    rows += [*_EXTRACTING, *((part,) for key, part in _RARE.items() if key in values)]
    rows += [tuple(boxes[at : at + _USES_IN_ROW]) for at in range(0, len(boxes), _USES_IN_ROW)]

    def line(values: Mapping[str, str]) -> str:
        kind = values["source"]
        words = [f"extract {number} {shlex.quote(variable or values.get('variable') or 'NAME')}"]
        for part in chosen_blanks(_EXTRACTING, values):
            words += _given(_option(part.key), values.get(part.key, ""))
        for part in (*_WHICH, *_DECODED):
            value = values.get(f"{part.key} {kind}", "")
            given = value.split() if part.key == "decode" else [value]
            words += (
                word
                for one in given
                if (part.key, one) != ("match", "1")
                for word in _given(part.key, one)
            )
        words += _given("split", values.get("split", ""))
        words += ["--by-place"] if values.get("by_place") else []
        chosen = dict.fromkeys(at for at, _ in uses if values.get(f"use {at}"))
        everything = len(uses) > _MOST_USES and all(values.get(one.key) for one in boxes)
        use = "all" if everything else ",".join(map(str, chosen))
        return " ".join([*words, *_given("use", use)])

    named = f"{title} {variable} in" if variable else title
    return form_of(f"{named} {_titled(editor)}", rows, values, line)


def _source(extractor: Extractor) -> dict[str, str]:
    """Return what is filled in for an extractor: its keys, some of which each kind has of its
    own."""
    pairs = extractor_pairs(extractor)
    del pairs["variable"]
    table: dict[str, Any] = {
        key: text if key == "then" else _read(text) for key, text in pairs.items()
    }
    kinds = (row[0].option for row in _EXTRACTING if isinstance(row[0], Radio))
    kind = next(one for one in kinds if one in table)
    left, right = table.pop("boundary", ("", ""))
    decode = table.pop("decode", ())
    found = {"source": kind, "left": left, "right": right, f"match {kind}": "1"}
    found[f"decode {kind}"] = decode if isinstance(decode, str) else " ".join(decode)
    own = {part.key: f"{part.key} {kind}" for part in (*_WHICH, *_DECODED)}
    own |= {"label": f"{kind} label"}
    for key, value in table.items():
        dashed = key if key in _RARE else key.replace("_", "-")
        found[own.get(dashed, dashed)] = "yes" if value is True else str(value)
    return found


def _variable(case: TestCase, source: Source | None) -> str:
    """Return a name that no variable has, after what its value is called there."""
    inner = source.source if isinstance(source, InItem) else source
    texts = [getattr(inner, name, "") for name in ("path", "name", "address", "left")]
    named = [word for text in texts for word in _NAME.findall(text)]
    name = (named or ["value"])[-1]
    number = next(n for n in range(1, 1 << 20) if f"{name}[{n}]" not in case.variables)
    return f"{name}[{number}]"


# Validators.


def validator_form(editor: Editor) -> Form | None:
    """Return what makes a validator, of the value that is picked if there is one."""
    text, exchange = editor.picked, editor.exchange
    if exchange is None:
        return None
    values: dict[str, str] = {}
    found: tuple[Validator, ...] = ()
    note = ""
    if text:
        try:
            found = suggested_validators(exchange, text, editor.place)
        except PlaceError as error:
            found = suggested_validators(exchange, text)
            note = f"{error}: a JSON path may be that of another."
    for one in found:
        given = _expecting(one)
        kind = given.pop("kind")
        if kind not in values:
            values |= given
            values.setdefault("kind", kind)
    values.setdefault("kind", "text")
    return replace(_validator_form(editor, "New validator", _VALIDATING, values), note=note)


def _validator_form(
    editor: Editor, what: str, rows: _Rows, values: Mapping[str, str], number: int = 0
) -> Form:
    """Return a form with these values; one that edits has the ``number`` of the validator."""
    transaction = editor.tree.number
    first = {f"how {kind}": how[0] for kind, how in _COMPARED.items()} | {"response": "size"}

    def line(values: Mapping[str, str]) -> str:
        kind = values["kind"]
        if kind == "status":
            return _status_line(transaction, values)
        words = [f"validate {transaction}"]
        how, value = values.get(f"how {kind}", ""), values.get(f"value {kind}", "")
        for part in chosen_blanks(rows, values):
            if part.key == f"value {kind}":
                words += _given(how if how != _IS_THERE else "", value)
            elif part.key != f"how {kind}":
                words += _given(part.key, values.get(part.key, ""))
        words += [f"--{key}" for key in ("absent", "unrepeated") if values.get(key)]
        words += values.get("kept", "").split("\0") if values.get("kept") else []
        words += _given("outcome", values.get("outcome", ""))
        return " ".join([*words, *_given("replace", str(number or ""))])

    named = f"{what} {number} in" if number else f"{what} in"
    return form_of(f"{named} {_titled(editor)}", rows, {**first, **values}, line)


def _status_form(editor: Editor, status: StatusCodes) -> Form:
    values = {"kind": "status", "status": str(status).replace(" ", "")}
    number = editor.tree.number
    title = f"Validator in {_titled(editor)}"
    return form_of(title, (_STATUS,), values, lambda values: _status_line(number, values))


def _status_line(number: int, values: Mapping[str, str]) -> str:
    return f"status {number} {shlex.quote(values.get('status') or str(DEFAULT_STATUS))}"


def _expecting(validator: Validator) -> dict[str, str]:
    """Return what is filled in for a validator. Whose outcome it is, the command knows."""
    pairs = validator_pairs(validator).items()
    known = ("change", *OUTCOME_FLAGS)
    table = {key: _read(text) for key, text in pairs if key not in known}
    kinds = (row[0].option for row in _VALIDATING if isinstance(row[0], Radio))
    kind = next(one for one in kinds if one in table)
    found, kept = {"kind": kind}, list[str]()
    if _IS_THERE in _COMPARED.get(kind, ()):
        found[f"how {kind}"] = _IS_THERE
    typed = kind in ("json", "response") or "count" in table
    for key, value in table.items():
        option = key.replace("_", "-")
        of_text = key in ("contains", "matches") or not typed
        shown = value if of_text and isinstance(value, str) else written(value)
        if option in _COMPARED.get(kind, ()) and f"value {kind}" not in found:
            found |= {f"how {kind}": option, f"value {kind}": shown}
        elif key in ("count", "ahead_of") or key in COMPARISONS:
            kept += [f"--{option}"] if value is True else [f"--{option}", shlex.quote(shown)]
        elif key in ("absent", "unrepeated"):
            found[key] = "yes"
        else:
            found[key] = value
    return found | ({"kept": "\0".join(kept)} if kept else {})


def _read(text: str) -> Any:
    return tomllib.loads(f"value = {text}")["value"]


def _given(option: str, value: str) -> Iterator[str]:
    """Yield an option with its value, if it has one."""
    if option and value:
        yield f"--{option} {shlex.quote(value)}"


def _option(key: str) -> str:
    """Return the option of a blank: ``link label`` is the label of a link."""
    return key.rpartition(" ")[2]


def _titled(editor: Editor) -> str:
    number = editor.tree.number
    return f"{number} {list(editor.tree.document.case.transactions())[number - 1].title}"
