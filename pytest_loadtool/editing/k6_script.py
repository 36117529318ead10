"""A test case as a script of k6, and what of it such a script cannot say here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pytest_loadtool.codec.places import body_places, header_places, target_places
from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.correlation.requests.parts import content_type
from pytest_loadtool.model.case import Page, TestCase, Transaction, Variable
from pytest_loadtool.model.extractor import (
    Boundary,
    CookieValue,
    Extractor,
    FormField,
    HeaderValue,
    JsonPath,
    RegularExpression,
)
from pytest_loadtool.model.generator import Generator, Timestamp, Uuid
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.validator import (
    JsonValidator,
    RegexValidator,
    StatusCodes,
    TextValidator,
    Validator,
    comparisons,
)
from pytest_loadtool.structure.uses import needed_by

#: The function of the script that writes a value where it lands; none: as it is.
_ENCODERS: Mapping[Place, str] = MappingProxyType(
    {
        Place.WHOLE_TARGET: "encodeURI",
        Place.PATH: "encodeURIComponent",
        Place.QUERY: "encodeURIComponent",
        Place.FORM: "form",
        Place.JSON_STRING: "jsonString",
        Place.JSON: "jsonValue",
        Place.XML: "xml",
    }
)
#: The filters that the script has a function for.
_FILTERS = {"url": "encodeURIComponent", "form": "form", "json": "jsonString", "html": "xml"}
#: What both languages of patterns read in the same way, as far as one sees.
_OTHER_PATTERN = re.compile(r"\(\?(?![:=!])|\\[AZ]|[*+?}]\+")
_PATH = re.compile(r"\$(?:\.[A-Za-z_]\w*|\[\d+\]|\['[^'\"\\]+'\])*", re.ASCII)
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]|\['([^']+)'\]", re.ASCII)
#: Headers that k6 makes itself.
_MADE = frozenset({"host", "content-length", "cookie", "connection", "accept-encoding"})

_HELPERS = r"""
const uuid = () => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(
  /x/g, () => Math.floor(Math.random() * 16).toString(16));
const form = (value) => encodeURIComponent(value).replace(/%20/g, '+');
const jsonString = (value) => JSON.stringify(`${value}`).slice(1, -1);
const xml = (value) => `${value}`.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
const jsonValue = (value) => {
  try {
    return typeof JSON.parse(value) === 'string' ? JSON.stringify(value) : value;
  } catch (error) {
    return JSON.stringify(value);
  }
};
const text = (value) => (value === undefined || value === null || typeof value === 'string'
  ? value : JSON.stringify(value));
const at = (response, path) => {
  try {
    return path.reduce((value, step) => value[step], JSON.parse(response.body));
  } catch (error) {
    return undefined;
  }
};
const match = (source, pattern) => {
  const found = new RegExp(pattern).exec(source || '');
  return found ? found[found.length > 1 ? 1 : 0] : undefined;
};
const header = (response, name) => {
  const found = Object.keys(response.headers).find((one) => one.toLowerCase() === name);
  return found && response.headers[found];
};
const take = (values, name, value) => {
  if (check(value, { [`${name} is there`]: (one) => one !== undefined && one !== null })) {
    values[name] = text(value);
  }
};
"""


@dataclass(frozen=True, slots=True)
class Script:
    """A script, and what is left out of it, each with its line in the test case (0: unknown)."""

    text: str = field(repr=False)
    left: tuple[tuple[int, str], ...]


def k6_script(case: TestCase, rows: Mapping[str, Sequence[Mapping[str, str]]]) -> Script:
    """Return a script that does what ``case`` does. ``rows`` are those of its datasets."""
    left: list[tuple[int, str]] = []
    used = {name for one in case.transactions() for name in needed_by(case, one)}
    body = [line for page in case.pages for line in _page(case, page, left)]
    starting = [
        line
        for name, variable in case.variables.items()
        if name in used
        for line in _variable(name, variable, left)
    ]
    taken = [name for name in rows if any(Reference(one).dataset == name for one in used)]
    starting += [f"  row(values, {_js(name)});" for name in taken]
    data = {name: list(rows[name]) for name in taken}
    _leave_settings(case, left)
    lines = [
        _remark(f"{case.name}: made by pytest-loadtool."),
        *(_remark(f"Left out{f', line {at}' if at else ''}: {what}") for at, what in left),
        "import http from 'k6/http';",
        "import exec from 'k6/execution';",
        "import { check, group, sleep } from 'k6';",
        "",
        "export const options = { vus: 1, iterations: 1, maxRedirects: 0 };",
        "",
        f"const server = __ENV.SERVER || {_js(case.server)};",
        f"const datasets = {json.dumps(data, indent=1, ensure_ascii=False)};",
        _HELPERS.strip(),
        "const row = (values, name) => {",
        "  const all = datasets[name];",
        "  const found = all[exec.scenario.iterationInTest % all.length];",
        "  Object.keys(found).forEach((one) => { values[`${name}.${one}`] = found[one]; });",
        "};",
        "",
        "export default function () {",
        "  const values = { server, host: server.split('/')[2] };",
        "  let response;",
        *starting,
        *body,
        "}",
    ]
    return Script("\n".join(lines) + "\n", tuple(left))


def _remark(text: str) -> str:
    return f"// {' '.join(text.split())}"


def _js(value: object) -> str:
    """Return a literal of JavaScript."""
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028")


def _page(case: TestCase, page: Page, left: list[tuple[int, str]]) -> Iterator[str]:
    line = page.transactions[0].line
    if page.once:
        left.append((line, f"page {page.name!r} is done once: it is done in each iteration here"))
    if page.flow:
        left.append((line, f"page {page.name!r} stands in the flow {page.flow!r}: it is done once"))
    yield f"  group({_js(page.name)}, () => {{"
    for one in page.transactions:
        yield from (f"    {text}" for text in _transaction(case, one, left))
    yield "  });"
    if page.think_time:
        yield f"  sleep({page.think_time:g});"


def _transaction(case: TestCase, one: Transaction, left: list[tuple[int, str]]) -> Iterator[str]:
    def leave(what: str) -> None:
        left.append((one.line, f"{one.title}: {what}"))

    request = one.request
    if one.flow:
        leave(f"it stands in the flow {one.flow!r}, and is done once")
    if request.cookies:
        leave("cookies that a script sets")
    if isinstance(request.body, bytes) or request.charset:
        leave("its body is no text in UTF-8")
    headers = case.wire_headers(request)
    target = Template.parse(request.target)
    address = _filled(target, target_places(target), leave)
    if not request.target.lower().startswith(("http:", "https:", "${server}")):
        address = f"server + {address}"
    sent = {
        each.name: _filled(template, header_places(template), leave)
        for each in headers
        if each.value is not None and each.name.lower() not in _MADE
        for template in [Template.parse(each.value)]
    }
    body = "null"
    if isinstance(request.body, str):
        sent = {name: value for name, value in sent.items() if name.lower() != "content-encoding"}
        template = Template.parse(request.body)
        body = _filled(template, body_places(template, content_type(headers)), leave)
    options = ", ".join(f"{_js(name)}: {value}" for name, value in sent.items())
    yield _remark(one.title)
    yield f"response = http.request({_js(request.method)}, {address}, {body}, {{"
    yield f"  headers: {{ {options} }}, redirects: 0, tags: {{ name: {_js(one.title)} }},"
    yield "});"
    checks = {f"status is {one.status}": _status(one.status)}
    for validator in one.validators:
        found = _check(validator)
        if found is None:
            leave(f"a validator of {type(validator).__name__.removesuffix('Validator').lower()}")
        else:
            checks |= found
    yield "check(response, {"
    yield from (f"  {_js(name)}: (r) => {test}," for name, test in checks.items())
    yield "});"
    for extractor in one.extractors:
        value = _taken(extractor)
        if value is None:
            leave(f"${{{extractor.variable}}} is taken by {extractor.source}: take it by hand")
        else:
            yield f"take(values, {_js(extractor.variable)}, {value});"


def _filled(template: Template, places: Sequence[Place], leave: Callable[[str], None]) -> str:
    """Return an expression for the text of a template."""
    remaining, parts = iter(places), []
    for part in template.parts:
        if isinstance(part, str):
            parts.append(_js(part))
            continue
        place = next(remaining)
        if part.file is not None:
            leave(f"the content of {part.file}")
            parts.append("''")
            continue
        value = f"values[{_js(part.name)}]"
        for one in part.filters:
            if one not in _FILTERS:
                leave(f"the filter {one} of {part}")
            value = f"{_FILTERS[one]}({value})" if one in _FILTERS else value
        encoder = _ENCODERS.get(place)
        parts.append(f"{encoder}({value})" if encoder else value)
    return " + ".join(parts) or "''"


def _status(codes: StatusCodes) -> str:
    ranges = (f"(r.status >= {low} && r.status <= {high})" for low, high in codes.ranges)
    return " || ".join(ranges)


def _check(validator: Validator) -> dict[str, str] | None:
    """Return a check by its name; None: it cannot be said."""
    compared = comparisons(validator)
    match validator:
        case TextValidator(text=text, absent=absent, row="", unrepeated=False, ahead_of="") if (
            not compared
        ):
            if (literal := Template.parse(text).literal) is None:
                return None
            found = f"(r.body || '').includes({_js(literal)})"
            return {f"{'no ' if absent else ''}text {literal}": f"!{found}" if absent else found}
        case RegexValidator(pattern=pattern, absent=absent) if not compared and _is_alike(pattern):
            found = f"new RegExp({_js(pattern)}).test(r.body || '')"
            name = f"{'no ' if absent else ''}match of {pattern}"
            return {name: f"!{found}" if absent else found}
        case JsonValidator(path=path, absent=False, unrepeated=False):
            steps = _steps(path)
            if steps is None or compared.keys() - {"equals"}:
                return None
            value = f"at(r, {_js(steps)})"
            if "equals" not in compared:
                return {path: f"{value} !== undefined"}
            expected = compared["equals"]
            if isinstance(expected, str) and Template.parse(expected).literal is None:
                return None
            return {f"{path} is {expected}": f"{value} === {_js(expected)}"}
        case _:
            return None


def _taken(extractor: Extractor) -> str | None:
    """Return an expression for what an extractor takes; None: it cannot be said."""
    source, number = extractor.source, extractor.match
    if number != 1:
        return None
    match source:
        case JsonPath(path):
            steps = _steps(path)
            return None if steps is None else f"at(response, {_js(steps)})"
        case RegularExpression(pattern) if _is_alike(pattern):
            return f"match(response.body, {_js(pattern)})"
        case HeaderValue(name, None):
            return f"header(response, {_js(name.lower())})"
        case HeaderValue(name, str(pattern)) if _is_alike(pattern):
            return f"match(header(response, {_js(name.lower())}), {_js(pattern)})"
        case CookieValue(name) if Template.parse(name).literal is not None:
            return f"((response.cookies[{_js(name)}] || [])[0] || {{}}).value"
        case Boundary(left, right) if right and not _has_placeholder((left, right)):
            between = rf"{_escaped(left)}([\s\S]*?){_escaped(right)}"
            return f"match(response.body, {_js(between)})"
        case FormField(name, 0, "") if not _has_placeholder((name,)) and '"' not in name:
            selector = f'[name="{name}"]'
            value = f"response.html().find({_js(selector)}).first()"
            return f"{value}.attr('value') || {value}.attr('content')"
        case _:
            return None


def _has_placeholder(texts: Iterable[str]) -> bool:
    return any(Template.parse(one).literal is None for one in texts)


def _is_alike(pattern: str) -> bool:
    return not _OTHER_PATTERN.search(pattern) and not _has_placeholder((pattern,))


def _escaped(text: str) -> str:
    literal = Template.parse(text).literal or ""
    return re.sub(r"[\\^$.*+?()\[\]{}|/]", r"\\\g<0>", literal)


def _steps(path: str) -> list[str | int] | None:
    """Return the keys and indexes of a plain path."""
    if not _PATH.fullmatch(path):
        return None
    return [int(index) if index else name or key for name, index, key in _STEP.findall(path)]


def _variable(name: str, variable: Variable, left: list[tuple[int, str]]) -> Iterator[str]:
    value = "undefined"
    if variable.value is not None:
        value = _js(variable.value)
    elif variable.env is not None:
        value = f"__ENV[{_js(variable.env)}]"
    elif variable.template is not None:
        filled = Template.parse(variable.template)

        def leave(what: str) -> None:
            left.append((0, f"${{{name}}}: {what}"))

        leave("it is made once in each iteration, not anew for each request")
        value = _filled(filled, [Place.TEXT] * len(filled.references), leave)
    elif variable.generate is not None:
        made = _generated(variable.generate)
        if made is None:
            left.append((0, f"${{{name}}} is made up: the script has its recorded value"))
        value = made or _js(variable.recorded or "")
    elif variable.keyring is not None:
        left.append((0, f"${{{name}}} is in the keyring: it is __ENV[{_js(name)}] here"))
        value = f"__ENV[{_js(name)}]"
    else:
        return
    yield f"  values[{_js(name)}] = {value};"


def _generated(generator: Generator) -> str | None:
    match generator:
        case Uuid(None):
            return "uuid()"
        case Timestamp("ms"):
            return "`${Date.now()}`"
        case Timestamp("s"):
            return "`${Math.floor(Date.now() / 1000)}`"
        case Timestamp("iso"):
            return "new Date().toISOString()"
        case _:
            return None


def _leave_settings(case: TestCase, left: list[tuple[int, str]]) -> None:
    for there, what in (
        (case.identities, "the identities: k6 has Basic, Digest and NTLM by params.auth"),
        (case.proxy, "the proxy: k6 takes HTTP_PROXY and HTTPS_PROXY"),
        (case.app, "the application in pytest's process: name a server with -e SERVER=…"),
        (case.server_fixture, "the fixture that is the server: name it with -e SERVER=…"),
        (not case.tls.verify or case.tls.client_certificate, "[tls]: k6 has tlsAuth in options"),
    ):
        if there:
            left.append((0, what))
