"""The server of the test case, and ``${server}`` where its URL stood.

A text is changed only if replay, with the recorded server, would send the very bytes that were
recorded: the same places and encoders decide (`pytest_loadtool.codec.place`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.place import Place, body_places, encode, header_places, target_places
from pytest_loadtool.codec.template import Reference, Template, escape
from pytest_loadtool.recording.entry import origin
from pytest_loadtool.recording.pages.common import Group

#: Not within a word, unless that is an encoded character, nor after "$": that would escape it.
_BEFORE = r"(?:(?<![\w$])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))"
#: Not where the host name or the port goes on.
_AFTER = r"(?![\w.:-]|%3[Aa]\d)"


def server_of(groups: Sequence[Group]) -> str:
    """The origin of the first navigation, else the most used one; empty without requests."""
    for page in groups:
        if page.navigated:
            return origin(page.entries[0].exchange.url)
    counts = Counter(origin(entry.exchange.url) for page in groups for entry in page.entries)
    return counts.most_common(1)[0][0] if counts else ""


def target_text(url: str, server: str) -> str:
    """The target of a request as a template: relative on ``server``, else the absolute URL."""
    url = url.partition("#")[0]
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if "?" in url else "")
    target = path if origin(url) == server else f"{parts.scheme}://{parts.netloc}{path}"
    before, mark, query = target.partition("?")
    marked = escape(before) + mark + _marked(query, {encode(Place.QUERY, server): "${server}"})
    return _if_equal(marked, target, server, target_places)


def header_text(value: str, server: str) -> str:
    """A header's value as a template: also where a Referer has the URL in its query."""
    wanted = {server: "${server}", encode(Place.QUERY, server): "${server|url}"}
    return _if_equal(_marked(value, wanted), value, server, header_places)


def body_text(body: str, content_type: str, server: str) -> str:
    """A text body as a template."""
    form = content_type.lower().startswith("application/x-www-form-urlencoded")
    wanted = encode(Place.FORM, server) if form else server
    return _if_equal(
        _marked(body, {wanted: "${server}"}),
        body,
        server,
        lambda template: body_places(template, content_type),
    )


def _marked(text: str, wanted: Mapping[str, str]) -> str:
    """``text`` as a template, with these placeholders for what is ``wanted`` and a whole origin."""
    escaped = escape(text)
    if "" in wanted:  # there is no server
        return escaped
    origins = "|".join(map(re.escape, wanted))
    return re.sub(f"{_BEFORE}(?:{origins}){_AFTER}", lambda found: wanted[found[0]], escaped)


def _if_equal(
    marked: str, text: str, server: str, places: Callable[[Template], tuple[Place, ...]]
) -> str:
    """``marked`` if replay sends ``text`` for it, else ``text`` without placeholders."""
    template = Template.parse(marked)
    upcoming = iter(places(template))
    sent = "".join(
        encode(next(upcoming), filtered(server, part.filters))
        if isinstance(part, Reference)
        else part
        for part in template.parts
    )
    return marked if sent == text else escape(text)
