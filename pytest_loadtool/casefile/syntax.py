"""The small languages inside the files' strings: request lines, headers, names, URLs, patterns.

Each function takes the text and gives what it means, or raises `ValueError` with a message for the
user.
"""

from __future__ import annotations

import base64
import binascii
import keyword
import re
import warnings
from collections.abc import Callable

from pytest_loadtool.codec.filters import FILTERS
from pytest_loadtool.codec.http import (
    HOST_AND_PORT,
    is_header_value,
    is_method,
    is_target,
    is_token,
    other_case,
)
from pytest_loadtool.codec.multipart import is_charset
from pytest_loadtool.codec.path_patterns import with_comparisons
from pytest_loadtool.codec.printable import on_one_line
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.codec.template import BUILTIN_NAMES, Template, UnknownFilterError
from pytest_loadtool.extensions import TRANSPORTS, is_extension
from pytest_loadtool.model.case import COMPUTED_HEADERS, OWN_TRANSPORTS, Header, Kind
from pytest_loadtool.model.xml_path import xml_steps

_ABSOLUTE = re.compile(r"https?://[^/?#\s]+", re.IGNORECASE)
_BASE_URL = re.compile(rf"https?://{HOST_AND_PORT}", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(?:\[[1-9][0-9]*\])?")
_DATASET = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_APP = re.compile(r"(?:(?:asgi|wsgi):)?[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d][\w.]*(?:\(\))?")
_FUNCTION = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*")
_ITEM = re.compile(r"[A-Za-z][\w-]*(?:\.[^\s.\"'<>&]+)*")
_SCRIPT_CALL = re.compile(r"[A-Za-z_$][\w$]*\(\)")
_RANGE = re.compile(r"(\d{3})(?:\s*-\s*(\d{3}))?", re.ASCII)
#: The end of a pattern so far: behind a backslash that escapes what comes, within a class.
_BACKSLASH = re.compile(r"(?<!\\)(?:\\\\)*\\\Z")
_IN_CLASS = re.compile(r"(?<!\\)(?:\\\\)*\[\^?[^\]]*\Z")
_COMPARED = r"""@(?:\.[A-Za-z_$][\w$-]*)*\s*==\s*(?:'[^'\\]*'|"[^"\\]*"|-?\d+|\$\{[^}]*\})"""
#: Paths that need no parser to be known good.
_PLAIN_JSON_PATH = re.compile(
    r"""\$(?:\.[A-Za-z_$][\w$-]*|\[\d{1,18}\]|\.\*|\[\*\]|\['[^'\\]*'\]|\["[^"\\]*"\]"""
    rf"|\[\?(?:{_COMPARED}|\({_COMPARED}\))\])*"
)


def request_line(text: str) -> tuple[str, str]:
    """Return ``"GET /path"`` as method and target (a template)."""
    method, space, target = text.partition(" ")
    if not space and (method.startswith("/") or _ABSOLUTE.match(method)):
        raise ValueError(f'expected "METHOD target", got {shown(text)}: write "GET {text}"')
    if not is_token(method):
        raise ValueError(
            f'{shown(method)} is not an HTTP method: expected "METHOD target" such as "GET /"'
        )
    if not is_method(method):
        raise ValueError(
            f"{shown(method)} is not an HTTP method: did you mean {other_case(method)!r}?"
        )
    if not target:
        raise ValueError(f'the target is missing: write "{method} /path"')
    if re.search(r" HTTP/\d(\.\d)?$", target):
        raise ValueError(f'leave out "{target.rpartition(" ")[2]}": write "{method} /path"')
    if not is_target(target):
        raise ValueError(
            f"the target {shown(target)} holds a space or control character: write %20 for a space"
        )
    if not target.startswith(("/", "${")) and not _ABSOLUTE.match(target):
        raise ValueError(
            f'the target {shown(target)} is neither a path nor a URL: it must start with "/", '
            '"http://" or "https://"'
        )
    return method, template(target)


def header_line(text: str) -> Header:
    """Return the header of ``"Name: value"`` (the value a template), or of ``"Name"``, which is a
    place."""
    name, colon, value = text.partition(":")
    if not colon and not is_token(name):
        raise ValueError(
            f'{shown(text)} is not a header: expected "Name: value", or a name alone for its place'
        )
    if not name:
        raise ValueError(f"{shown(text)} is no header that HTTP/1.1 knows: leave it out")
    if not is_token(name):
        raise ValueError(f'{shown(name)} is not a header name: expected "Name: value"')
    if not colon:
        return Header(name)
    if name.lower() in COMPUTED_HEADERS - {"host"}:
        hint = ', and cookies = ["name=value"] for one that no response sets'
        raise ValueError(
            f'{name} is worked out when the request is sent: write "{name}" alone for its place'
            f"{hint if name.lower() == 'cookie' else ''}"
        )
    if not is_header_value(value):
        raise ValueError(f"the value of {name} holds a line break or NUL, which no header can")
    return Header(name, template(value.removeprefix(" ")))


def own_header_line(text: str) -> Header:
    """Return the header of ``"Name: value"``, or of the name alone of a header that is computed."""
    header = header_line(text)
    if header.value is None and header.name.lower() not in COMPUTED_HEADERS:
        raise ValueError(
            f'{shown(text)} has no value: expected "{header.name}: value"; in a transaction only '
            "Host, Content-Length and Cookie, which are computed, may stand alone"
        )
    return header


def cookie_line(text: str) -> str:
    """Return ``"name=value"`` (a template), perhaps with attributes: ``"name=value;
    Path=/shop"``."""
    pair = text.partition(";")[0]
    name, equals, _ = pair.partition("=")
    if not equals or not name:
        raise ValueError(f'{shown(text)} is not a cookie: expected "name=value"')
    if not is_header_value(text):
        raise ValueError(f"the cookie {name} holds a line break or NUL, which no header can")
    return template(text)


def shown(text: str) -> str:
    """Return text of a user as it stands in a message: on one line, not too long."""
    short = text if len(text) <= 60 else f"{text[:59]}…"
    return f'"{on_one_line(short)}"'


def template(text: str) -> str:
    """Return text with placeholders; the text itself, once it is known to parse."""
    try:
        Template.parse(text)  # its TemplateError is a ValueError
    except UnknownFilterError as error:
        raise ValueError(f"{error}{did_you_mean(error.name, FILTERS)}") from None
    return text


def token(text: str) -> str:
    """Return a header name."""
    if not is_token(text):
        raise ValueError(f"{shown(text)} is not a header name")
    return text


def base_url(text: str) -> str:
    """Return scheme, host and port without a path."""
    match = _BASE_URL.match(text)
    if match is None or int(match[1] or 0) > 65535:
        raise ValueError(f'expected a base URL such as "http://127.0.0.1:8000", got {shown(text)}')
    if match.end() != len(text):
        raise ValueError(
            f'expected a base URL without a path: write "{match[0]}"; '
            f"{shown(text[match.end() :])} belongs to the targets"
        )
    return text


def variable_name(text: str) -> str:
    """Return a user variable's name: ``token``, ``csrf_token[1]``."""
    if text in BUILTIN_NAMES:
        raise ValueError(f"${{{text}}} is built in: choose another name")
    if not _VARIABLE.fullmatch(text):
        raise ValueError(
            f'{shown(text)} is not a variable name: expected letters, digits, "_" and "-", as in '
            '"token", or with a number, as in "csrf_token[1]"'
        )
    return text


def plain_name(what: str) -> Callable[[str], str]:
    """Return a check for names of letters, digits, "_" and "-"; errors say what they are not."""

    def check(text: str) -> str:
        if not _DATASET.fullmatch(text):
            raise ValueError(f'{shown(text)} is not {what}: expected letters, digits, "_" and "-"')
        return text

    return check


#: What stands before the dot in ``${users.username}``.
dataset_name = plain_name("a dataset name")

#: ``navigation``, ``navigation-2``.
header_set_name = plain_name("a header set's name")


#: The name of a profile of a load configuration: ``smoke``.
profile_name = plain_name("a profile's name")


def identifier(text: str) -> str:
    """Return the name of a pytest fixture or mark."""
    if not text.isidentifier() or keyword.iskeyword(text):
        raise ValueError(f'expected a Python name such as "smoke_test", got {shown(text)}')
    return text


def transport(text: str) -> str:
    """Return what requests go over."""
    if text not in OWN_TRANSPORTS and not is_extension(TRANSPORTS, text):
        known = " or ".join(f'"{one}"' for one in OWN_TRANSPORTS)
        raise ValueError(f"expected {known}, got {shown(text)}")
    return text


def app_name(text: str) -> str:
    """Return an application: ``module:attribute``, perhaps with its kind before and ``()`` after
    it."""
    if not _APP.fullmatch(text):
        raise ValueError(
            'expected "module:attribute" such as "myproject.asgi:application", or '
            f'"module:factory()", got {shown(text)}'
        )
    return text


def function_name(text: str) -> str:
    """Return a function of the project: ``module:function``."""
    if not _FUNCTION.fullmatch(text):
        raise ValueError(
            f'expected "module:function" such as "orders:new_number", got {shown(text)}'
        )
    return text


def kind(text: str) -> Kind:
    """Return the kind of a recorded response."""
    try:
        return Kind(text)
    except ValueError:
        known = [one.value for one in Kind]
        near = did_you_mean(text, known) or f": expected one of {', '.join(known)}"
        raise ValueError(f"unknown kind {shown(text)}{near}") from None


def code_range(text: str) -> tuple[int, int]:
    """Return ``"200"`` or ``"200-299"`` as an inclusive range."""
    match = _RANGE.fullmatch(text.strip())
    low = int(match[1]) if match else 0
    high = int(match[2] or match[1]) if match else 0
    if not 100 <= low <= high:
        raise ValueError(
            f'expected a status code or a range such as "200-299", got {shown(text)}: '
            "codes have three digits, the smaller one first"
        )
    return low, high


def pattern(text: str) -> str:
    """Return a regular expression of Python's `re`."""
    try:
        # What may change its meaning in some later Python is not the user's concern here.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text)
    except re.error as error:
        place = "" if error.pos is None else f" at position {error.pos}"
        raise ValueError(f"bad regular expression {shown(text)}: {error.msg}{place}") from None
    except (OverflowError, RecursionError) as error:
        raise ValueError(f"bad regular expression {shown(text)}: {error}") from None
    return text


def json_path(text: str) -> str:
    """Return a path into a JSON body, as jsonpath-ng reads it."""
    if _PLAIN_JSON_PATH.fullmatch(text):
        return text
    from jsonpath_ng.ext.parser import parse  # slow to import, and few paths need it

    try:
        path = parse(text)
    except Exception:  # some of its releases raise plain Exception, and none says much
        raise ValueError(
            f"bad JSON path {shown(text)}: expected a path such as '$.items[0].id'"
        ) from None
    with_comparisons(path, lambda comparison: pattern(str(comparison.value)))
    return text


def sought_path(text: str) -> str:
    """Return a JSON path that may have placeholders: in quotes, or alone behind ``==``."""
    if "${" not in text:
        return json_path(text)
    template(text)
    if not _PLAIN_JSON_PATH.fullmatch(text):
        raise ValueError(
            f"bad JSON path {shown(text)}: a placeholder stands in quotes or behind ==, as in "
            """'$.items[?(@.name=="${name}")].id'"""
        )
    return text


def sought_xml_path(text: str) -> str:
    """Return a path into XML that may have placeholders in its quotes."""
    template(text)
    try:
        xml_steps(text)
    except ValueError as error:
        raise ValueError(f"bad XML path {shown(text)}: {error}") from None
    return text


def sought_pattern(text: str) -> str:
    """Return a regular expression that may have placeholders."""
    if "${" not in text:
        return pattern(text)
    template(text)
    whole = ""
    for part in Template.parse(text).parts:
        if isinstance(part, str):
            whole += part
            continue
        if _BACKSLASH.search(whole):
            raise ValueError(
                f"bad regular expression {shown(text)}: {part} stands behind a backslash; for the "
                r"characters themselves write \$\{"
            )
        if _IN_CLASS.search(whole):
            raise ValueError(
                f"bad regular expression {shown(text)}: {part} stands in square brackets, where a "
                "text cannot; write (?:…|…)"
            )
        whole += "(?:x)"
    try:
        pattern(whole)
    except ValueError as error:
        reason = str(error).removeprefix(f"bad regular expression {shown(whole)}: ")
        reason = reason.partition(" at position ")[0]
        raise ValueError(f"bad regular expression {shown(text)}: {reason}") from None
    return text


def link_address(text: str) -> str:
    """Return an address in a page, ``*`` in place of the value."""
    if template(text).count("*") != 1:
        raise ValueError(
            f'expected an address with one * where the value is, as in "/orders/*/edit", got '
            f"{shown(text)}; ... stands for any text"
        )
    return _address(text)


def form_action(text: str) -> str:
    """Return the address that a form submits to."""
    if "*" in template(text):
        raise ValueError(f"{shown(text)} holds no value: write ... for any text, not *")
    if not text.replace("...", "").strip("/?&="):
        raise ValueError(f"every form submits to {shown(text)}: leave 'action' out")
    return _address(text)


def _address(text: str) -> str:
    if re.search(r"[\s\"'<>#]", re.sub(r"\$\{[^}]*\}", "", text)):
        raise ValueError(
            f"{shown(text)} is no address as a page has them: leave out what follows a #, "
            "and write %20 for a space"
        )
    return text


def item_kind(text: str) -> str:
    """Return what an item of a list is: ``div.card``."""
    if not _ITEM.fullmatch(text):
        raise ValueError(
            f'expected an element, perhaps with classes, such as "div.card", got {shown(text)}'
        )
    return text


def item_or_call(text: str) -> str:
    """Return what an item of a list is, or the call of a script: ``add_row()``."""
    return text if _SCRIPT_CALL.fullmatch(text) else item_kind(text)


def charset(text: str) -> str:
    """Return the name of a character set that bodies can be in."""
    if not is_charset(text):
        raise ValueError(
            f'{shown(text)} is no character set for bodies: expected a name such as "windows-1252"'
        )
    return text


def base64_bytes(text: str) -> bytes:
    """Return the bytes of base64 text (RFC 4648 §4); white space does not count."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"bad base64: {str(error)[:1].lower()}{str(error)[1:]}") from None
