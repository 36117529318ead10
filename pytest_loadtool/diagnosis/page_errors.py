"""What a page says is wrong: texts in what looks like an alert."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.printable import clip
from pytest_loadtool.extraction.tags import controls

#: What answers say of a name that is there already.
EXISTS = re.compile(
    r"(?<!not )(?<!n't )(?<!longer )\bexist(?:s|ing|ed)?\b"
    r"|already|\btaken\b|in use|duplicate|unique"
    r"|bereits|vergeben|déjà|ya est|già",
    re.IGNORECASE,
)

#: How many are shown, how long, and how much of an element is looked at, in characters.
MOST_SAID, LONGEST_SAID, _LONGEST_ELEMENT = 3, 150, 5000
_LONGEST_PAGE = 200_000

#: What says in such a place that it went well (Bootstrap: ``alert-success``) is no complaint.
_ELEMENT = re.compile(
    r"<(?P<tag>div|p|[uo]l|li|d[ltd]|span|strong|em|b|i|small|label|t[dr]|h[1-6]|section|aside)\b"
    r"""(?![^<>]*\bclass\s*=\s*["']?[^"'<>]*\balert-success\b)"""
    r"""(?=[^<>]*\b(?:role\s*=\s*["']?alert\b"""
    r"""|(?:class|id)\s*=\s*["']?[^"'<>]*(?:error|alert|invalid|danger|warning)))[^<>]*>""",
    re.IGNORECASE,
)
_SAYING = re.compile(r"<(h[1-3]|p|center)\b[^<>]*>(.{1,2000}?)</\1\s*>", re.IGNORECASE | re.DOTALL)
#: What stands below a text that is but a label for it.
_BELOW = re.compile(
    r"\s*<(pre|p|code|blockquote)\b[^<>]*>(.{1,2000}?)</\1\s*>", re.IGNORECASE | re.DOTALL
)
#: A status with its phrase, as nginx has it above what it says.
_STATUS = re.compile(r"(?:error )?\d{3}[ :-]+[\w -]{1,40}", re.IGNORECASE)
_CONTROL = re.compile(r"<(?:input|select|textarea)\b", re.IGNORECASE)
_MARKUP = re.compile(
    r"<!--.*?-->|<(script|style|template|button)\b.*?</\1\s*>|<[^<>]*>", re.IGNORECASE | re.DOTALL
)


def complaints(page: str, before: Iterable[str] = ()) -> list[str]:
    """Return such texts, the first few and not too long of each; none that pages ``before`` have,
    too: many carry hidden ones, for their scripts to show."""
    found = list(dict.fromkeys(_texts(page)))
    usual = {old for text in before for old in _texts(text)} if found else set()
    return [clip(one, LONGEST_SAID) for one in found if one not in usual][:MOST_SAID]


def _texts(page: str) -> Iterator[str]:
    end, described = 0, _described(page)
    for element in _ELEMENT.finditer(page):
        if element.start() < end:  # it is in the one before
            continue
        content_end = _end(page, element)
        content = page[element.end() : content_end]
        if _CONTROL.search(content) and _ELEMENT.search(content):
            continue  # a row of the form, with a message in it
        text = " ".join(unescape(_MARKUP.sub(" ", content)).split())
        if text:
            end = content_end
            own = _ID.search(element[0])
            name = described.get(own[1], "") if own is not None else ""
            yield f"{name}: {text}" if name else text


_ID = re.compile(r"""\bid\s*=\s*["']?([^"'<>\s]+)""", re.IGNORECASE)


def _described(page: str) -> dict[str, str]:
    """Return the names of controls by the ids of the texts that describe them (WAI-ARIA)."""
    if "aria-describedby" not in page.lower():
        return {}
    return {
        one: found["name"]
        for _, found, *_ in controls(page)
        if found.get("name")
        for one in found.get("aria-describedby", "").split()
    }


def _end(page: str, element: re.Match[str]) -> int:
    """Return where the content of an element ends."""
    limit = min(len(page), element.end() + _LONGEST_ELEMENT)
    depth = 1
    tags = re.compile(rf"<(/?){element['tag']}\b", re.IGNORECASE)
    for tag in tags.finditer(page, element.end(), limit):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.start()
    return limit


def field_names(page: str) -> frozenset[str]:
    """Return what the fields of a page's forms are called."""
    return frozenset(one["name"] for tag, one, *_ in controls(page) if one.get("name"))


def error_text(page: str) -> list[str]:
    """Return what a page of an error says below its title: the headings and paragraphs that say
    more than a status does."""
    labels = [(one, _plain(one[2])) for one in _SAYING.finditer(page)]
    below = [_BELOW.match(page, one.end()) if text.endswith(":") else None for one, text in labels]
    said = [_plain(one[2]) for one in below if one is not None]
    found = [*said, *(text for _, text in labels if not text.endswith(":"))]
    told = (one for one in found if one.count(" ") >= 2 and not _STATUS.fullmatch(one))
    return [clip(one, LONGEST_SAID) for one in told]


def _plain(markup: str) -> str:
    return " ".join(unescape(_MARKUP.sub(" ", markup)).split())


def visible_text(page: str) -> str:
    """Return the text that a person sees of an HTML page, or all of another text; of long ones the
    beginning."""
    page = page[:_LONGEST_PAGE]
    return " ".join(unescape(_MARKUP.sub(" ", page)).split())
