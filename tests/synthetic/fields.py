"""The values in a request, each by its place. How the package takes requests apart is not used."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.etree import ElementTree

__all__ = ["fields"]

#: Headers that no application reads.
_LEFT_OUT = ("host", "cookie", "content-length", "accept", "connection", "user-agent", "sec-fetch")


def fields(method: str, target: str, headers: list[tuple[str, str]], body: bytes) -> dict[str, str]:
    """All values of a request, by a name that tells where each stands."""
    address = urlsplit(target)
    found = {"method": method}
    for at, segment in enumerate(address.path.split("/")):
        found[f"path {at}"] = unquote(segment)
    found |= _numbered("query", parse_qsl(address.query, keep_blank_values=True))
    kind = ""
    for name, value in headers:
        if not name.lower().startswith(_LEFT_OUT):
            found[f"header {name.lower()}"] = value.removeprefix("http://shop.test")
        if name.lower() == "content-type":
            kind = value
    if not body:
        return found
    if "json" in kind:
        return found | _leaves("body", json.loads(body))
    if "xml" in kind:
        return found | _elements("body", ElementTree.fromstring(body))
    return found | _numbered("body", parse_qsl(body.decode(), keep_blank_values=True))


def _numbered(where: str, pairs: list[tuple[str, str]]) -> dict[str, str]:
    return {f"{where} {at} {name}": value for at, (name, value) in enumerate(pairs)}


def _leaves(where: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict | list):
        return {where: json.dumps(value) if isinstance(value, bool) else str(value)}
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    found: dict[str, str] = {}
    for key, one in pairs:
        found |= _leaves(f"{where} {key}", one)
    return found


def _elements(where: str, element: ElementTree.Element) -> dict[str, str]:
    found = {f"{where} {name}": value for name, value in element.attrib.items()}
    if (element.text or "").strip():
        found[where] = (element.text or "").strip()
    for at, one in enumerate(element):
        found |= _elements(f"{where} {at} {one.tag.rpartition('}')[2]}", one)
    return found
