"""Media types (RFC 9110 §8.3.1), of which most functions take the essence: see `media_type`.

It also has character sets of bodies, as their Content-Type declares them (RFC 9110 §8.3.2).
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

from pytest_loadtool.codec.batches import MIXED, answers_in
from pytest_loadtool.codec.flight import markup_of

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]+)", re.IGNORECASE)


def declared_charset(content_type: str) -> str:
    """Return the charset parameter; empty without one."""
    found = _CHARSET.search(content_type)
    return found[1] if found else ""


def decoded(body: bytes, content_type: str) -> str:
    """Return the body as text: UTF-8 where nothing is declared; where that is unknown UTF-8 if it
    is, else Latin-1. Bytes that cannot be decoded are U+FFFD. A page in rows of React is its
    markup, and answers of HTTP in one body are the list of theirs."""
    text = _in_charset(body, content_type)
    media = media_type(content_type)
    if media == FLIGHT:
        return markup_of(text)
    return answers_in(text) if media == MIXED else text


def _in_charset(body: bytes, content_type: str) -> str:
    codec = _codec(declared_charset(content_type) or "utf-8")
    if codec:
        return body.decode(codec, "replace")
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("latin-1")


@lru_cache(maxsize=64)
def _codec(charset: str) -> str:
    """Return Python's name of a character set, empty for what is none."""
    try:
        b"x".decode(charset, "replace")  # some that can be looked up do not make text of bytes
        name = codecs.lookup(charset).name
    except (LookupError, UnicodeError):
        return ""
    return "" if name.replace("-", "_") in _NO_CHARSETS else name


#: Encodings of Python's own that are no character sets, but take any bytes.
_NO_CHARSETS = frozenset({"punycode", "raw_unicode_escape", "unicode_escape"})


FORM = "application/x-www-form-urlencoded"

FLIGHT = "text/x-component"

_HTML = ("text/html", "application/xhtml+xml", FLIGHT)
_JSON = ("application/json", "text/json")
_XML = ("application/xml", "text/xml")
#: ``application/x-amz-json-1.0``, ``application/json-rpc``; not the lines of ``json-seq``.
_PROTOCOL = re.compile(r"[/.-]json(?:-rpc|-\d[\d.]*|request)?$")
#: Documents of JSON, one on each line (Elasticsearch's bulk API, JSON Lines, RFC 7464).
JSON_LINES = (
    *("application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-seq"),
    *("application/x-jsonlines", "application/x-json-stream"),
)


def media_type(content_type: str | None) -> str:
    """Return ``text/html`` of ``Text/HTML; charset=utf-8``; empty for None."""
    return (content_type or "").partition(";")[0].strip().lower()


def is_html(media: str) -> bool:
    """Return whether it says that it is a page."""
    return media in _HTML


def is_json(media: str) -> bool:
    """Return whether it says that it is JSON (RFC 6839 §3.1), or a protocol in JSON."""
    if media in _JSON or media.endswith("+json"):
        return True
    return "json" in media and _PROTOCOL.search(media) is not None


def is_xml(media: str) -> bool:
    """Return whether it says that it is XML (RFC 7303), be it a page."""
    return media in _XML or media.endswith("+xml")
