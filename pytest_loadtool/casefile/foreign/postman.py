"""Collections of Postman, versions 2.0 and 2.1: a page for each folder, a transaction for each
request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from pytest_loadtool.casefile.foreign.bodies import FORM_TYPE, FormEntry, multipart, url_encoded
from pytest_loadtool.casefile.foreign.building import Builder, Foreign, ForeignStep
from pytest_loadtool.casefile.foreign.postman_scripts import read_script
from pytest_loadtool.codec.template import Reference, escape
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.generator import Generator, RandomText, Timestamp, Uuid

_VARIABLE = re.compile(r"\{\{([^{}]+)\}\}")

#: Postman's own variables that are made up here as well; of the others, random text is as good.
_MADE_UP: Mapping[str, Generator] = MappingProxyType(
    {
        "$guid": Uuid(),
        "$randomUUID": Uuid(),
        "$timestamp": Timestamp("s"),
        "$isoTimestamp": Timestamp("iso"),
        "$randomInt": RandomText(3, "digits"),
        "$randomAlphaNumeric": RandomText(1, "alphanumeric"),
    }
)

#: The content type of a raw body by the language that it is shown in.
_LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        "json": "application/json",
        "xml": "application/xml",
        "html": "text/html",
        "javascript": "application/javascript",
        "text": "text/plain",
    }
)

#: Keys of an item that a test case has another word for, or no need of.
_KNOWN = frozenset(
    {
        *("id", "_postman_id", "name", "description", "request", "response", "event"),
        *("item", "auth", "variable", "protocolProfileBehavior"),
        *("postman_previewlanguage",),
    }
)


@dataclass(frozen=True, slots=True)
class _Around:
    """The settings that an item inherits from the folders around it."""

    path: tuple[str, ...] = ()
    auth: Any = None
    events: tuple[Mapping[str, Any], ...] = ()


def read_postman(text: str, path: str, server: str = "", environment: str = "") -> Foreign:
    """Return the test case of a collection. ``environment`` is the text of an exported environment,
    whose values take the place of the collection's.

    Raises:
        FileError: it is no collection of version 2.
    """
    collection = _object(text, path)
    collection = collection.get("collection", collection)
    info = collection.get("info")
    if "order" in collection or not isinstance(collection.get("item"), list):
        raise FileError(path, 0, "", "a collection of version 1: export it as version 2.1")
    name = info.get("name") if isinstance(info, dict) else ""
    reader = _CollectionReader(Builder(str(name or "collection"), server))
    values = [*_tables(collection.get("variable"))]
    if environment:
        values += _tables(_object(environment, path).get("values"))
    reader.variables("the collection", values)
    reader.items(collection, _Around(), top=True)
    case = reader.builder.case()
    if case is None:
        raise FileError(path, 0, "item", "there is no request in it that a test case could send")
    return Foreign((case,), tuple(reader.builder.left))


def _object(text: str, path: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        raise FileError(path, line, "", f"not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise FileError(path, 0, "", "not a collection: expected an object")
    return found


def _tables(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list that are not switched off."""
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict) and not one.get("disabled") and one.get("enabled", True):
            yield one


def _plain(value: Any) -> str:
    """Return a value as text; JSON for what is none."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


class _CollectionReader:
    """Goes through a collection."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def text(self, value: Any) -> str:
        """Return a text of the collection as a template."""
        plain = _plain(value)
        parts = _VARIABLE.split(plain)
        return "".join(
            self._placeholder(one.strip()) if index % 2 else escape(one)
            for index, one in enumerate(parts)
        )

    def _placeholder(self, name: str) -> str:
        if not name.startswith("$"):
            return f"${{{self.builder.names.of(name)}}}"
        made = _MADE_UP.get(name)
        if made is None and self.builder.names.of(name) not in self.builder.variables:
            self.builder.leave(f"{{{{{name}}}}}", "made up of random letters and digits here")
        return self.builder.generated(name, made or RandomText(12))

    def variables(self, where: str, values: Sequence[Mapping[str, Any]]) -> None:
        """Take the variables of the collection or of a folder."""
        for one in values:
            name = one.get("key") or one.get("id") or one.get("name")
            if not isinstance(name, str) or not name:
                self.builder.leave(where, "a variable without a name")
            else:
                self.builder.constant(name, self.text(one.get("value")))

    def items(self, holder: Mapping[str, Any], around: _Around, *, top: bool = False) -> None:
        """Take what is in the collection, or in a folder."""
        where = " / ".join(around.path) or "the collection"
        if not top:
            self.variables(where, [*_tables(holder.get("variable"))])
        around = replace(
            around,
            auth=holder["auth"] if holder.get("auth") else around.auth,
            events=(*around.events, *_tables(holder.get("event"))),
        )
        for item in _tables(holder.get("item")):
            name = str(item.get("name") or "")
            inner = replace(around, path=(*around.path, name))
            if isinstance(item.get("item"), list):
                self.items(item, inner)
            elif "request" in item:
                self._request(item, inner)
            else:
                self.builder.leave(" / ".join(inner.path), "an item without a request")

    def _request(self, item: Mapping[str, Any], around: _Around) -> None:
        request = item["request"]
        if isinstance(request, str):
            request = {"url": request}
        where = " / ".join(around.path)
        step = ForeignStep(where, str(request.get("method") or "GET").upper(), "")
        step.page = " / ".join(around.path[:-1]) or around.path[-1] or "Requests"
        step.name = around.path[-1]
        step.url = self._url(request.get("url"))
        header = request.get("header")
        if isinstance(header, str):
            lines = (one.partition(":") for one in header.splitlines() if ":" in one)
            header = [{"key": key.strip(), "value": value.strip()} for key, _, value in lines]
        for one in _tables(header):
            step.headers.append((_plain(one.get("key")).strip(), self.text(one.get("value"))))
        self._body(step, request.get("body"))
        auth = request.get("auth") if "auth" in request else around.auth
        if isinstance(auth, dict):
            self._auth(step, auth)
        for key in sorted(item.keys() - _KNOWN):
            self.builder.leave(where, key)
        self._behaviour(where, item.get("protocolProfileBehavior"))
        for event in (*around.events, *_tables(item.get("event"))):
            self._event(step, event)
        self.builder.steps.append(step)

    def _behaviour(self, where: str, behaviour: Any) -> None:
        for key, value in (behaviour if isinstance(behaviour, dict) else {}).items():
            if key == "strictSSL":
                self.builder.verify = self.builder.verify and bool(value)
            elif key != "disableBodyPruning":
                self.builder.leave(where, f"protocolProfileBehavior.{key} = {json.dumps(value)}")

    def _url(self, url: Any) -> str:
        if isinstance(url, str) or url is None:
            return self.text(url)
        raw = url.get("raw")
        if not isinstance(raw, str) or not raw:
            raw = _assembled(url)
        for one in _tables(url.get("variable")):
            name, value = one.get("key") or one.get("id"), _plain(one.get("value"))
            pattern = rf"(?<=/):{re.escape(str(name))}(?=[/?#]|$)"
            if not value and re.search(pattern, raw):
                value = f"{{{{{name}}}}}"
            raw = re.sub(pattern, lambda _, value=value: value, raw)  # type: ignore[misc]
        return self.text(raw)

    def _body(self, step: ForeignStep, body: Any) -> None:
        if not isinstance(body, dict) or body.get("disabled"):
            return
        mode = body.get("mode")
        content = body.get(mode) if isinstance(mode, str) else None
        if not content:
            return
        kind = ""
        if mode == "raw":
            step.body = self.text(content)
            options = body.get("options") or {}
            language = (options.get("raw") or {}).get("language", "text")
            kind = _LANGUAGES.get(language, "text/plain")
        elif mode == "urlencoded":
            fields = self._fields(step, content)
            step.body, kind = url_encoded(fields), FORM_TYPE
        elif mode == "formdata":
            kind, step.body = multipart(self._fields(step, content))
            step.headers = [one for one in step.headers if one[0].lower() != "content-type"]
        elif mode == "graphql":
            variables = content.get("variables") or ""
            inner = _plain(variables).strip() or "{}"
            query = self.text(json.dumps(content.get("query") or "", ensure_ascii=False))
            step.body, kind = f'{{"query": {query}, "variables": {self.text(inner)}}}', "json"
            kind = "application/json"
        elif mode == "file":
            source = content.get("src") if isinstance(content, dict) else None
            if not isinstance(source, str) or not source:
                self.builder.leave(step.where, "the file of its body has no name")
                return
            step.body = self._file(step, source)
        else:
            self.builder.leave(step.where, f"a body of the kind {mode}")
        if kind and not any(name.lower() == "content-type" for name, _ in step.headers):
            step.headers.append(("Content-Type", kind))

    def _fields(self, step: ForeignStep, fields: Any) -> list[FormEntry]:
        if isinstance(fields, str):
            pairs = (one.partition("=") for one in fields.split("&"))
            return [FormEntry(self.text(name), self.text(value)) for name, _, value in pairs]
        found = []
        for one in _tables(fields):
            name = self.text(one.get("key"))
            media = _plain(one.get("contentType"))
            if one.get("type") != "file":
                found.append(FormEntry(name, self.text(one.get("value")), media=media))
                continue
            sources = one.get("src")
            for source in sources if isinstance(sources, list) else [sources]:
                if isinstance(source, str) and source:
                    self._file(step, source)
                    found.append(FormEntry(name, file=source, media=media))
                else:
                    self.builder.leave(step.where, f"the field {name}: its file has no name")
        return found

    def _file(self, step: ForeignStep, source: str) -> str:
        self.builder.leave(step.where, f"the file {source} has to be there, from the test case on")
        return str(Reference.to_file(source))

    def _auth(self, step: ForeignStep, auth: Mapping[str, Any]) -> None:
        kind = str(auth.get("type") or "")
        given = auth.get(kind)
        if isinstance(given, list):
            given = {one.get("key"): one.get("value") for one in given if isinstance(one, dict)}
        values = {key: self.text(value) for key, value in (given or {}).items()}
        if kind in ("", "noauth"):
            return
        if kind == "basic":
            pair = f"{values.get('username', '')}:{values.get('password', '')}"
            step.headers.append(("Authorization", self.builder.basic(pair)))
        elif kind == "bearer":
            step.headers.append(("Authorization", f"Bearer {values.get('token', '')}"))
        elif kind == "oauth2" and "accessToken" in values:
            prefix = values.get("headerPrefix", "Bearer").strip()
            step.headers.append(("Authorization", f"{prefix} {values['accessToken']}"))
        elif kind == "apikey" and values.get("in") == "query":
            mark = "&" if "?" in step.url else "?"
            step.url += f"{mark}{values.get('key', '')}={values.get('value', '')}"
        elif kind == "apikey":
            step.headers.append((_plain((given or {}).get("key")), values.get("value", "")))
        else:
            self.builder.leave(step.where, f"authentication of the kind {kind}")

    def _event(self, step: ForeignStep, event: Mapping[str, Any]) -> None:
        script = event.get("script")
        lines = script.get("exec") if isinstance(script, dict) else script
        text = lines if isinstance(lines, str) else "\n".join(map(_plain, lines or ()))
        listen = str(event.get("listen") or "")
        if text.strip():
            read_script(text, listen, step, self.builder)


def _assembled(url: Mapping[str, Any]) -> str:
    """Return a URL of its parts."""
    host, path = url.get("host") or "", url.get("path") or ""
    host = ".".join(map(_plain, host)) if isinstance(host, list) else _plain(host)
    if isinstance(path, list):
        path = "/".join(_plain(one.get("value") if isinstance(one, dict) else one) for one in path)
    query = url.get("query")
    if not isinstance(query, str):
        pairs = ((_plain(one.get("key")), one.get("value")) for one in _tables(query))
        query = "&".join(k if v is None else f"{k}={_plain(v)}" for k, v in pairs)
    scheme = f"{url.get('protocol') or 'http'}://".replace(":////", "://")
    port = f":{url['port']}" if url.get("port") else ""
    start = "" if host.startswith("{{") else scheme
    return f"{start}{host}{port}/{str(path).lstrip('/')}" + (f"?{query}" if query else "")
