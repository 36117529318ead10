"""Names of values in a text: a script's variable or key, or a ``data-`` attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pytest_loadtool.model.extractor import RegularExpression

#: At how many places of one value its name is looked for.
_MOST_PLACES = 8
#: How much text before a value is looked at.
_CONTEXT = 80
#: Quotes as HTML and JSON escape them in attributes and strings.
_ESCAPED_QUOTES = ("&quot;", "&#34;", "&#x22;", '\\"', "\\u0022")
_QUOTE = "|".join(map(re.escape, (*_ESCAPED_QUOTES, '"', "'")))
#: Name, what closes its quotes, ``:`` or ``=``, and what opens those of the value.
_NAME = re.compile(rf"(?:{_QUOTE})?([A-Za-z_$][\w$-]*)({_QUOTE})?\s*([:=])\s*({_QUOTE})?\Z")
#: Attributes of HTML: they tell what a value is for the browser, not what it is.
_HTML = frozenset(
    {
        *("action", "alt", "charset", "class", "content", "for", "form", "formaction", "height"),
        *("href", "http-equiv", "id", "integrity", "label", "lang", "media", "method", "name"),
        *("placeholder", "rel", "role", "size", "sizes", "src", "srcset", "style", "target"),
        *("title", "type", "value", "width"),
    }
)
#: What is before the names of parameters. A page has many addresses with the same ones.
_IN_ADDRESS = ("?", "&", "&amp;")


def _plain(text: str) -> str:
    """Return a pattern for a name or a quote. As re.escape, without what needs no escape."""
    return text.replace("\\", r"\\").replace("$", r"\$")


#: Group 1 is the value: in quotes of each kind, or in none.
_VALUES: Mapping[str | None, str] = {
    '"': '"([^"]*)"',
    "'": "'([^']*)'",
    None: "([\\w.~+/%|!-]+=*)",
    **{one: f"{_plain(one)}(.*?){_plain(one)}" for one in _ESCAPED_QUOTES},
}


def named(text: str, value: str) -> dict[str, list[str]]:
    """Return the names that a value has in the text, each with patterns that find it by that name.

    A pattern holds nothing of what is around the two, nor how much space is between them.
    """
    names: dict[str, list[str]] = {}
    position = text.find(value)
    for _place in range(_MOST_PLACES):
        if position < 0:
            break
        found = _NAME.search(text, max(0, position - _CONTEXT), position)
        in_address = found is not None and text.endswith(_IN_ADDRESS, 0, found.start(1))
        if found is not None and not in_address and found[1].lower() not in _HTML:
            name, closing, sign, opening = found.groups()
            quote = _plain(closing or "")
            start = quote or ("" if name.startswith("$") else "\\b")
            written = rf"{start}{_plain(name)}{quote}\s*{sign}\s*{_VALUES[opening]}"
            patterns = names.setdefault(name, [])
            if written not in patterns:
                patterns.append(written)
        position = text.find(value, position + len(value))
    return names


def named_sources(text: str, value: str, name: str) -> Iterator[RegularExpression]:
    """Return what takes a value of that name from the text."""
    return map(RegularExpression, named(text, value).get(name, ()))
