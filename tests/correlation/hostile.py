"""Configures recordings of hostile texts: ``python -m tests.correlation.hostile request 524288``.

Each text has that many characters, and is a request or a response of a recording in which a later
request uses a token. The name of each is printed when it is configured.
"""

from __future__ import annotations

import base64
import json
import random
import sys
from collections.abc import Callable, Iterator

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from tests.correlation.exchanges import FORM, JSON, SERVER, exchange, html
from tests.correlation.talk import TOKEN, configure

__all__ = ["KINDS", "TEXTS", "recording"]

Make = Callable[[int], str]


def again(unit: str, before: str = "", after: str = "") -> Make:
    """``unit`` over and over."""
    return lambda size: before + unit * (size // len(unit)) + after


def numbered(unit: str, before: str = "", after: str = "") -> Make:
    """``unit`` over and over, with another number each time."""
    count = len(unit.format(100_000))

    def make(size: int) -> str:
        return before + "".join(map(unit.format, range(size // count))) + after

    return make


def noise(size: int) -> str:
    """Base64."""
    return base64.b64encode(random.Random(5).randbytes(size * 3 // 4)).decode()


FORM_TYPE, JSON_TYPE = FORM[1], JSON[1]
XML, HTML, SCRIPT, TEXT = "application/xml", "text/html", "text/javascript", "text/plain"
PARTS = "multipart/form-data; boundary=XX"
_PART = '--XX\r\nContent-Disposition: form-data; name="a"'

#: By name: the content type, and what makes the text.
TEXTS: dict[str, tuple[str, Make]] = {
    "form without =": (FORM_TYPE, again("a")),
    "form of &": (FORM_TYPE, again("&")),
    "form of flags": (FORM_TYPE, again("a&")),
    "form of escapes": (FORM_TYPE, again("%41")),
    "form of lines": (FORM_TYPE, again("line of text\n")),
    "form of pairs": (FORM_TYPE, numbered("a{0}=k{0}Zq&")),
    "form of one value": (FORM_TYPE, again("b", "a=")),
    "JSON string": (JSON_TYPE, again("a", '{"a":"', '"}')),
    "JSON string, not closed": (JSON_TYPE, again("a", '{"a":"')),
    "JSON string of escapes": (JSON_TYPE, again("\\u0041", '{"a":"', '"}')),
    "JSON of escaped quotes": (JSON_TYPE, again('\\"')),
    "JSON of quotes": (JSON_TYPE, again('"')),
    "JSON, deep": (JSON_TYPE, lambda size: "[" * (size // 2) + "]" * (size // 2)),
    "JSON, wide": (JSON_TYPE, numbered(',"a{0}":"k{0}Zq"', '{"z":1', "}")),
    "JSON of things": (JSON_TYPE, numbered(',{{"id":{0},"name":"n{0}"}}', "[1", "]")),
    "JSON number": (JSON_TYPE, again("1")),
    "JSON in JSON": (
        JSON_TYPE,
        lambda size: json.dumps({"a": json.dumps([{"id": f"k{n}Zq"} for n in range(size // 16)])}),
    ),
    "GraphQL of quotes": (JSON_TYPE, lambda size: json.dumps({"query": "{a" + '"' * size})),
    "XML of <": (XML, again("<")),
    "XML of tags": (XML, again("<a>")),
    "XML of elements": (XML, numbered("<b>k{0}Zq</b>", "<r>", "</r>")),
    "XML tag, not closed": (XML, again("a", "<")),
    "XML attribute without =": (XML, again("a", "<a ", ">")),
    "XML attributes": (XML, numbered('b{0}="k{0}Zq" ', "<a ", "/>")),
    "XML quotes, not closed": (XML, again('<a "')),
    "XML quotes of both kinds": (XML, again("<a '\"<b")),
    "XML comments, not closed": (XML, again("<!--")),
    "XML data, not closed": (XML, again("<![CDATA[")),
    "XML declarations, not closed": (XML, again("<!")),
    "multipart, one part": (PARTS, again("a", f"{_PART}\r\n\r\n", "\r\n--XX--\r\n")),
    "multipart of delimiters": (PARTS, again("--XX\r\n")),
    "multipart of parts": (PARTS, again(f"{_PART}\r\n\r\nb\r\n", "", "--XX--\r\n")),
    "multipart of parameters": (PARTS, again('; b="c"', _PART, "\r\n\r\nx\r\n--XX--\r\n")),
    "base64": (TEXT, noise),
    "slashes": (TEXT, again("/")),
    "backslashes": (TEXT, again("\\/")),
    "words": (TEXT, numbered("word{0} k{0}Zq ")),
    "tags": (HTML, numbered('<p class="c">k{0}Zq</p>')),
    "HTML of <": (HTML, again("<")),
    "HTML of quotes": (HTML, again('"')),
    "HTML of &": (HTML, again("&")),
    "HTML of references": (HTML, again("&#x41;")),
    "reference of many digits": (HTML, again("0", "<p>&#", ";</p>")),
    "comments, not closed": (HTML, again("<!--")),
    "scripts, not closed": (HTML, again("<script>")),
    "inputs": (HTML, numbered('<input type="hidden" name="a{0}" value="k{0}Zq">')),
    "inputs, not closed": (HTML, again("<input ")),
    "values, not closed": (HTML, again('<input value="')),
    "values without quotes, not closed": (HTML, again('<input name="a" value=')),
    "selects": (HTML, again("<select name=a>")),
    "selects, not closed": (HTML, again("<select ")),
    "options": (HTML, numbered('<option value="k{0}Zq">{0}</option>', "<select name=a>")),
    "text areas": (HTML, again("<textarea>")),
    "text areas, not closed": (HTML, again("<textarea ")),
    "meta tags, not closed": (HTML, again("<meta ")),
    "labels": (HTML, numbered('<b for="a{0}">x</b><input id=a{0} type=radio name=b value=1>')),
    "forms": (HTML, numbered('<form action="/f/{0}"><input name=a value={0}></form>')),
    "links": (HTML, numbered('<a href="/x/k{0}Zq">{0}</a>')),
    "links to one page, not closed": (HTML, again(" href=/use")),
    "script": (SCRIPT, numbered('var a{0}="k{0}Zq";')),
    "script of comments": (SCRIPT, again("/*")),
}  # fmt: skip

_PAGE = html(
    f'<form action="/use" method="post"><input type="hidden" name="t" value="{TOKEN}"></form>'
)


def _as_request(media: str, text: str) -> Exchange:
    return exchange("POST", f"{SERVER}/up", sent=(("Content-Type", media),), body=text.encode())


def _as_response(media: str, text: str) -> Exchange:
    return exchange(received=(("Content-Type", media),), answer=text.encode())


KINDS: dict[str, Callable[[str, str], Exchange]] = {
    "request": _as_request,
    "response": _as_response,
}


def recording(kind: str, name: str, size: int) -> Iterator[Exchange]:
    """A page with a token; the text; and a form with the token, of which the value is sought."""
    media, make = TEXTS[name]
    yield _PAGE
    yield KINDS[kind](media, make(size))
    yield exchange("POST", f"{SERVER}/use", sent=(FORM,), body=f"t={TOKEN}".encode())


def main(kind: str, size: int) -> None:
    """Configure all of them."""
    for name in TEXTS:
        exchanges = tuple(recording(kind, name, size))
        found = configure(build_case(exchanges, name="x").case, exchanges)
        if any(one.recorded == TOKEN for one in found.case.variables.values()):
            print(name, flush=True)  # noqa: T201  what it is for


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
