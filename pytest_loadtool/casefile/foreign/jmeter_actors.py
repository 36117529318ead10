"""Extractors, assertions and timers of a plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from pytest_loadtool.casefile.foreign.building import ForeignStep
from pytest_loadtool.casefile.foreign.jmeter_functions import Functions
from pytest_loadtool.casefile.foreign.jmeter_tree import PlanElement
from pytest_loadtool.model.validator import StatusCodes

Actor = Callable[[PlanElement, ForeignStep, Functions], None]

_NOT, _OR, _EQUALS, _CONTAINS, _MATCHES, _SUBSTRING = 4, 32, 8, 2, 1, 16


def _leave(functions: Functions, node: PlanElement, what: str) -> None:
    functions.builder.leave(node.where, what)


def _match(node: PlanElement, text: str, functions: Functions, several: str = "") -> int:
    """Return the number of the match that is meant; the first where any is."""
    number = int(text) if re.fullmatch(r"-?\d+", text) else 1
    if number < 0:
        _leave(functions, node, f"all matches{several}: the first is taken")
    elif not number and text:
        _leave(functions, node, "a match at random: the first is taken")
    return max(1, number)


def _scoped(node: PlanElement, functions: Functions) -> None:
    """Tell what an extractor or assertion looks at besides the response itself."""
    scope = node.text("Sample.scope")
    if scope and scope != "parent":
        _leave(functions, node, f"it looks at {scope}: the response alone here")


def _default(node: PlanElement, value: str, functions: Functions) -> None:
    if value and value.upper() not in ("NOT_FOUND", "NOTFOUND", "NOT FOUND", "ERROR", "NULL"):
        _leave(functions, node, f"its default {value}: what is not found fails")


def _name(functions: Functions, name: str) -> str:
    return functions.builder.names.of(name.strip() or "value")


def _regex(node: PlanElement, step: ForeignStep, functions: Functions) -> None:
    _scoped(node, functions)
    pattern = functions.text(node.text("RegexExtractor.regex"), node.where)
    template = node.text("RegexExtractor.template") or "$1$"
    group = re.fullmatch(r"\$?(\d+)\$?", template)
    if group is None or group[1] not in ("0", "1"):
        _leave(functions, node, f"the template {template}: a test case takes group 1")
        return
    if group[1] == "0":
        pattern = f"({pattern})"
    _default(node, node.text("RegexExtractor.default"), functions)
    match = _match(node, node.text("RegexExtractor.match_number"), functions)
    field = node.text("RegexExtractor.useHeaders")
    name = _name(functions, node.text("RegexExtractor.refname"))
    if field in ("", "false", "unescaped", "as_document"):
        step.extractors.append({"variable": name, "regex": pattern, **_more(match)})
    elif field == "true" and (header := re.match(r"\^?([A-Za-z-]+):\s*(?:\\s\*)?", pattern)):
        rest = pattern[header.end() :]
        step.extractors.append({"variable": name, "header": header[1], "pattern": rest})
    else:
        _leave(functions, node, f"it looks at the response's {field}: a test case cannot")


def _more(match: int) -> dict[str, Any]:
    return {} if match == 1 else {"match": match}


def _json(node: PlanElement, step: ForeignStep, functions: Functions) -> None:
    _scoped(node, functions)
    names = node.text("JSONPostProcessor.referenceNames").split(";")
    paths = node.text("JSONPostProcessor.jsonPathExprs").split(";")
    numbers = node.text("JSONPostProcessor.match_numbers").split(";")
    for value in node.text("JSONPostProcessor.defaultValues").split(";"):
        _default(node, value.strip(), functions)
    for index, (name, path) in enumerate(zip(names, paths, strict=False)):
        number = numbers[index].strip() if index < len(numbers) else ""
        match = _match(node, number, functions)
        path = functions.text(path.strip(), node.where)
        table = {"variable": _name(functions, name), "json": path, **_more(match)}
        step.extractors.append(table)


def _plugin_json(node: PlanElement, step: ForeignStep, functions: Functions) -> None:
    _default(node, node.text("DEFAULT"), functions)
    path = functions.text(node.text("JSONPATH").strip(), node.where)
    step.extractors.append({"variable": _name(functions, node.text("VAR")), "json": path})


def _boundary(node: PlanElement, step: ForeignStep, functions: Functions) -> None:
    _scoped(node, functions)
    if node.text("BoundaryExtractor.useHeaders") not in ("", "false", "unescaped"):
        _leave(functions, node, "it looks at something else than the body: a test case cannot")
        return
    left, right = (
        functions.text(node.text(f"BoundaryExtractor.{one}boundary"), node.where) for one in "lr"
    )
    match = _match(node, node.text("BoundaryExtractor.match_number"), functions)
    _default(node, node.text("BoundaryExtractor.default"), functions)
    name = _name(functions, node.text("BoundaryExtractor.refname"))
    step.extractors.append({"variable": name, "boundary": [left, right], **_more(match)})


def _xpath(node: PlanElement, step: ForeignStep, functions: Functions) -> None:
    kind = "XPathExtractor2" if node.kind == "XPathExtractor2" else "XPathExtractor"
    path = functions.text(node.text(f"{kind}.xpathQuery"), node.where)
    path = re.sub(r"/text\(\)$", "", path)
    name = _name(functions, node.text(f"{kind}.refname"))
    _default(node, node.text(f"{kind}.default"), functions)
    step.extractors.append({"variable": name, "xml": path})


def _html(node: PlanElement, step: ForeignStep, functions: Functions) -> None:
    selector = node.text("HtmlExtractor.expr")
    found = re.fullmatch(r"(?:input|meta)?\[name=['\"]?([\w.:-]+)['\"]?\]", selector.strip())
    attribute = node.text("HtmlExtractor.attribute")
    if found is None or attribute not in ("value", "content"):
        _leave(functions, node, f"the selector {selector}, {attribute or 'its text'}")
        return
    name = _name(functions, node.text("HtmlExtractor.refname"))
    step.extractors.append({"variable": name, "form": found[1]})


def _response(node: PlanElement, step: ForeignStep, functions: Functions) -> None:
    _scoped(node, functions)
    texts = [one.text for one in node.collection("Asserion.test_strings")]
    how = int(node.text("Assertion.test_type") or _CONTAINS)
    field = node.text("Assertion.test_field").rpartition(".")[2] or "response_data"
    if node.text("Assertion.assume_success") == "true":
        step.status = StatusCodes(((100, 999),))
    if how & _OR and len(texts) > 1:
        said = " or ".join(texts)
        if field == "response_code" and not how & _NOT and all(map(_is_code, texts)):
            step.status = StatusCodes(tuple((int(one), int(one)) for one in texts))
        else:
            _leave(functions, node, f"one of several texts: {said}")
        return
    for text in texts:
        made = _checked(field, how, functions.text(text, node.where), step)
        if not made:
            _leave(functions, node, f"{field} {_words(how)} {text}"[:160])


def _words(how: int) -> str:
    table = {_MATCHES: "matches", _CONTAINS: "contains", _EQUALS: "is", _SUBSTRING: "has"}
    word = next((said for bit, said in table.items() if how & bit), "has")
    return f"not: {word}" if how & _NOT else word


def _is_code(text: str) -> bool:
    return re.fullmatch(r"[1-5]\d\d", text.strip()) is not None


def _checked(field: str, how: int, text: str, step: ForeignStep) -> bool:
    """Add what an assertion says of one text; return False if a test case cannot say it."""
    absent = {"absent": True} if how & _NOT else {}
    if field == "response_code":
        if _is_code(text) and not absent:
            step.status = StatusCodes(((int(text), int(text)),))
            return True
        if not absent and re.fullmatch(r"\^?([1-5])(\\d\\d|\.\.|\[0-9\]\[0-9\]|\.\*)\$?", text):
            low = int(text.lstrip("^")[0]) * 100
            step.status = StatusCodes(((low, low + 99),))
            return True
        return False
    if field in ("response_data", "response_data_as_document"):
        if how & _SUBSTRING:
            step.validators.append({"text": text, **absent})
        elif how & _EQUALS:
            step.validators.append({"regex": rf"\A{re.escape(text)}\Z", **absent})
        else:
            whole = rf"\A(?:{text})\Z" if how & _MATCHES else text
            step.validators.append({"regex": whole.replace("$${", "${"), **absent})
        return True
    if field == "response_headers" and not absent:
        name, colon, value = text.partition(":")
        if re.fullmatch(r"[A-Za-z-]+", name) and colon and how & (_SUBSTRING | _EQUALS):
            step.validators.append({"header": name, "contains": value.strip()})
            return True
    return False


def _json_path(node: PlanElement, step: ForeignStep, functions: Functions) -> None:
    path = functions.text(node.text("JSON_PATH"), node.where)
    expected = functions.text(node.text("EXPECTED_VALUE"), node.where)
    table: dict[str, Any] = {"json": path}
    if node.text("INVERT") == "true":
        table["absent"] = True
    if node.text("EXPECT_NULL") == "true":
        _leave(functions, node, f"{path} is null")
        return
    if node.text("JSONVALIDATION") == "true":
        if node.text("ISREGEX") != "false" and re.escape(expected) != expected.replace("-", r"\-"):
            _leave(functions, node, f"{path} matches {expected}: it is there, here")
        else:
            table["equals"] = _number(expected)
    step.validators.append(table)


def _number(text: str) -> str | int | float | bool:
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?(?:0|[1-9]\d*)", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?(?:0|[1-9]\d*)\.\d+", text) else text


def _xpath_assertion(node: PlanElement, step: ForeignStep, functions: Functions) -> None:
    path = functions.text(node.text("XPath.xpath"), node.where)
    step.validators.append(
        {"xml": path, **({"absent": True} if node.text("XPath.negate") == "true" else {})}
    )


#: By the class of an element: what adds it to a step.
ACTORS: Mapping[str, Actor] = MappingProxyType(
    {
        "RegexExtractor": _regex,
        "JSONPostProcessor": _json,
        "JSONPathExtractor": _plugin_json,
        "BoundaryExtractor": _boundary,
        "XPathExtractor": _xpath,
        "XPathExtractor2": _xpath,
        "HtmlExtractor": _html,
        "ResponseAssertion": _response,
        "JSONPathAssertion": _json_path,
        "XPathAssertion": _xpath_assertion,
        "XPath2Assertion": _xpath_assertion,
    }
)


def _constant(node: PlanElement, functions: Functions) -> tuple[float, bool]:
    return functions.number(node.text("ConstantTimer.delay"), node.where) / 1000, False


def _uniform(node: PlanElement, functions: Functions) -> tuple[float, bool]:
    seconds, _ = _constant(node, functions)
    width = functions.number(node.text("RandomTimer.range"), node.where) / 1000
    return seconds + width / 2, bool(width)


def _about(node: PlanElement, functions: Functions) -> tuple[float, bool]:
    return _constant(node, functions)[0], True


#: By the class of a timer: its pause in seconds, and whether that is drawn at random.
PAUSES: Mapping[str, Callable[[PlanElement, Functions], tuple[float, bool]]] = MappingProxyType(
    {
        "ConstantTimer": _constant,
        "UniformRandomTimer": _uniform,
        "GaussianRandomTimer": _about,
        "PoissonRandomTimer": _about,
    }
)
