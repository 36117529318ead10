"""HTML tags without an HTML parser: attributes and form controls, straight from the text.

A full parse of every page is far too slow for the hot path, which wants a handful of tags.
What the HTML tokeniser (WHATWG HTML §13.2.5) makes of a tag is followed where pages in the wild
depend on it: attributes in any order and case, double, single or no quotes, ``>`` inside quotes,
character references in values, the first of two equal attributes. Comments, scripts and templates
hold no controls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape

from pytest_loadtool.codec.entities import unescape

# One attribute. Possessive: a tag that is never closed must not cost quadratic time.
_ATTRIBUTE = re.compile(
    r"""[\s/]*+([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+)))?"""
)
# A tag as programs write it: names in lower case, double quotes, no character references. It is
# read in two steps instead of one for each attribute.
_ORDERLY = re.compile(r"""(?:\s++[a-z][a-z0-9:_-]*+(?:="[^"&]*+")?)*+\s*+/?>""")
_PAIR = re.compile(r"""([a-z][a-z0-9:_-]*+)(?:="([^"]*+)")?""")
_CONTROL = re.compile(r"<(input|textarea|select|button|meta)(?=[\s/])", re.IGNORECASE)
# The letter behind a "<" is looked at first: that rules out most tags.
_SKIPPED = re.compile(
    r"<(?-i:(?=[!bBiImMsStT]))(?:!--.*?(?:-->|\Z)"
    r"|(script|template)\b(?:[^<]++|<(?!/\1\s*>))*+(?:</\1\s*>|\Z)"
    r"|(input|textarea|select|button|meta)(?=[\s/]))",
    re.IGNORECASE | re.DOTALL,
)
_TEXTAREA_END = re.compile(r"</textarea\s*>", re.IGNORECASE)
# WHATWG HTML §13.2.6.4.16: in a select, another one ends it.
_SELECT_END = re.compile(r"</select\s*>|<select(?=[\s/>])", re.IGNORECASE)
_OPTION = re.compile(r"<option(?=[\s/>])", re.IGNORECASE)
_OPTION_END = re.compile(r"<|\Z")
#: The value of an attribute, as it is written: one of three groups.
_WRITTEN = r"""(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>=]++))"""
_LABELLED_OPTION = re.compile(rf"<option[^<>]*?\svalue={_WRITTEN}[^<>]*>\s*+([^<>]*+)(?=<|\Z)")
# Between a control and its label: tags, but no input.
_FOLLOWING = re.compile(r"[^<>]*((?:>\s*<[^<>](?:[^n<>][^<>]*)?)*?)>\s*+([^<>\s][^<>]*+)<")
_FOR = re.compile(rf"\sfor={_WRITTEN}")
_ROW_ENDS = re.compile(r"</(?:tr|li|article|label|p)\b", re.IGNORECASE)
#: What has no label of its own, but a value that people read.
_NO_CHOICE = frozenset({"submit", "image", "reset", "file", "range", "button"})
_PLAIN_NAME = re.compile(r"[\w.:-]+", re.ASCII)
_RAW = (
    ("<!--", "-->"),
    ("<script", "</script"),
    ("<template", "</template"),
)
_BEFORE = frozenset("\"'= \t\r\n")
_AFTER = frozenset("\"'/> \t\r\n")


def attributes(text: str, position: int) -> tuple[dict[str, str], int]:
    """Return the attributes of a tag, from just behind its name, and where it ends (behind its
    ``>``).

    Names are in lower case, values with their character references decoded.
    """
    orderly = _ORDERLY.match(text, position)
    if orderly is not None:
        pairs = _PAIR.findall(text, position, orderly.end())
        return dict(reversed(pairs)), orderly.end()
    found: dict[str, str] = {}
    while (match := _ATTRIBUTE.match(text, position)) is not None:
        position = match.end()
        name, double, single, bare = match.groups()
        value = double or single or bare or ""
        name = name.lower()
        if name not in found:
            found[name] = unescape(value) if "&" in value else value
    end = text.find(">", position)
    return found, len(text) if end < 0 else end + 1


def control_at(text: str, start: int) -> tuple[str, dict[str, str], int] | None:
    """Return the form control or meta tag that starts at ``start``: its tag name, attributes and
    end."""
    match = _CONTROL.match(text, start)
    if match is None:
        return None
    found, end = attributes(text, match.end())
    return match[1].lower(), found, end


def controls(text: str) -> Iterator[tuple[str, dict[str, str], int, int]]:
    """Yield all form controls and meta tags: tag name, attributes, start and end of the tag."""
    end = 0
    while (match := _SKIPPED.search(text, end)) is not None:
        end = match.end()
        if (tag := match[2]) is not None:
            found, end = attributes(text, end)
            tag = tag.lower()
            yield tag, found, match.start(), end
            if tag == "textarea":  # what is in there is text
                close = _TEXTAREA_END.search(text, end)
                end = close.end() if close else len(text)


def control_value(text: str, tag: str, found: dict[str, str], end: int) -> str:
    """Return what the control submits as the page stands: its value, content, text or selected
    option."""
    if tag == "meta":
        return found.get("content", "")
    if tag == "textarea":
        close = _TEXTAREA_END.search(text, end)
        content = unescape(text[end : close.start() if close else len(text)])
        # HTML §13.1.2: one newline right behind the tag belongs to the markup.
        return content.removeprefix("\r").removeprefix("\n")
    if tag == "select":
        return _selected(text, end, "multiple" in found)
    return found.get("value", "")


def _selected(text: str, end: int, multiple: bool) -> str:
    """Return the value of the selected option of the select that opens at ``end``.

    Without one it is the first option, or where several may be selected, nothing.
    """
    limit = select_end(text, end)
    first = "" if multiple else None
    for match in _OPTION.finditer(text, end, limit):
        found, after = attributes(text, match.end())
        value = found.get("value")
        if value is None:
            stop = _OPTION_END.search(text, after)
            value = unescape(text[after : stop.start() if stop else limit]).strip()
        if "selected" in found:
            return value
        first = value if first is None else first
    return first or ""


def select_end(text: str, end: int) -> int:
    """Return where the content of the select ends whose tag ends at ``end``."""
    close = _SELECT_END.search(text, end)
    return close.start() if close else len(text)


def find_control(text: str, name: str, match: int) -> str | None:
    """Return the value of the ``match``-th (from 1) control of that name, or None."""
    for tag, found, end in named_controls(text, name):
        match -= 1
        if not match:
            return control_value(text, tag, found, end)
    return None


def named_controls(text: str, name: str) -> Iterator[tuple[str, dict[str, str], int]]:
    """Yield the controls of that name: tag name, attributes and end of the tag.

    Looks for the name first and for its tag around it, so that a large page costs little more than
    a search for a string.
    """
    last = -1
    position = text.find(name)
    while position >= 0:
        after = position + len(name)
        if text[position - 1 : position] in _BEFORE and text[after : after + 1] in _AFTER:
            start, control = _control_around(text, position, name)
            if control is not None and start > last and not _hidden(text, start):
                last = start
                yield control
        position = text.find(name, after)
    if last < 0 and "&" in text and not _PLAIN_NAME.fullmatch(name):  # with character references
        for tag, found, _, end in controls(text):
            if found.get("name") == name:
                yield tag, found, end


def _control_around(
    text: str, position: int, name: str
) -> tuple[int, tuple[str, dict[str, str], int] | None]:
    """Return where the control starts whose name stands at ``position``, and the control if there
    is one.

    A ``<`` inside a quoted value is not the start: then one further to the left may be.
    """
    start = position
    for _ in range(4):
        start = text.rfind("<", 0, start)
        if start < 0:
            break
        found = control_at(text, start)
        if found is not None:
            return start, found if found[2] > position and found[1].get("name") == name else None
    return -1, None


def _hidden(text: str, start: int) -> bool:
    """Return whether ``start`` lies in a comment, script or template."""
    for opening, closing in _RAW:
        # Forwards, because str.find is many times faster than str.rfind.
        position = text.find(opening, 0, start)
        while position >= 0:
            position = text.find(closing, position, start)
            if position < 0:
                return True
            position = text.find(opening, position, start)
    return False


def choices(
    text: str, tag: str, found: dict[str, str], end: int, labels: Mapping[str, int] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the choices of a control with those attributes, whose tag ends there: the value that
    each submits, and its label as the page writes it. ``labels`` are the page's, by `labels_for`,
    if those of all controls are sought."""
    if tag == "select":
        for *value, label in _LABELLED_OPTION.findall(text, end, select_end(text, end)):
            yield unescape("".join(value)), label.rstrip()
    elif found.get("value") and found.get("type", "").lower() not in _NO_CHOICE:
        id_ = escape(found.get("id", ""))
        named = _label_for(text, id_) if labels is None else labels.get(id_, -1)
        label = _label(text, named, end)
        if label:
            yield found["value"], label


def labels_for(text: str) -> dict[str, int]:
    """Return by the id of a control, as the page writes it, where the first ``label`` for it says
    so."""
    found: dict[str, int] = {}
    for one in _FOR.finditer(text):
        found.setdefault(one[1] or one[2] or one[3] or "", one.start())
    return found


def _label_for(text: str, id_: str) -> int:
    """Likewise, where that for one id says so; -1 if there is none."""
    if not id_:
        return -1
    written = (f'for="{id_}"', f"for='{id_}'", f"for={id_}>", f"for={id_} ")
    return next((at for one in written if (at := text.find(one)) >= 0), -1)


def _label(text: str, named: int, end: int) -> str:
    """Return the text of the ``label`` element for it, else the text behind it in the same row."""
    label = _FOLLOWING.match(text, named) if named >= 0 else None
    label = label or _FOLLOWING.match(text, end - 1)
    return "" if label is None or _ROW_ENDS.search(label[1]) else label[2].rstrip()
