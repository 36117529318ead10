"""HTTP requests of a plan, with the defaults around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_loadtool.casefile.foreign.bodies import FORM_TYPE, FormEntry, multipart, url_encoded
from pytest_loadtool.casefile.foreign.building import ForeignStep
from pytest_loadtool.casefile.foreign.jmeter_functions import Functions
from pytest_loadtool.casefile.foreign.jmeter_tree import PlanElement
from pytest_loadtool.codec.template import Reference

SAMPLERS = frozenset(
    {"HTTPSamplerProxy", "HTTPSampler", "HTTPSampler2", "HTTPSamplerFull", "GraphQLHTTPSampler"}
)
DEFAULTS = frozenset({"ConfigTestElement"})
HEADERS = frozenset({"HeaderManager"})

_BODIES = frozenset({"POST", "PUT", "PATCH"})


def arguments(node: PlanElement, name: str = "Arguments.arguments") -> Iterator[tuple[str, str]]:
    """Yield the names and values of user defined variables."""
    holder = node.property("TestPlan.user_defined_variables") or node
    for one in holder.entries(name):
        if one.get("Argument.name"):
            yield one["Argument.name"], one.get("Argument.value", "")


def headers_of(
    managers: Sequence[PlanElement], functions: Functions, own: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the headers of the managers around a request, the nearest first; each name once."""
    taken = {name.lower() for name, _ in own}
    for manager in managers:
        inner: set[str] = set()
        for one in manager.entries("HeaderManager.headers"):
            name = one.get("Header.name", "").strip()
            if name and name.lower() not in taken:
                inner.add(name.lower())
                yield name, functions.text(one.get("Header.value", "").strip(), manager.where)
        taken |= inner


def request(
    node: PlanElement, defaults: Sequence[PlanElement], functions: Functions
) -> ForeignStep | None:
    """Return the step that a sampler is."""
    around = [node, *reversed(defaults)]

    def said(name: str) -> str:
        found = (one.text(f"HTTPSampler.{name}").strip() for one in around)
        return functions.text(next(filter(None, found), ""), node.where)

    where = node.where
    method = said("method") or "GET"
    step = ForeignStep(
        where, method, _url(said("protocol"), said("domain"), said("port"), said("path"))
    )
    step.name = node.name
    fields, raw = _arguments(around, functions)
    files = list(_files(node, functions))
    for one in files:
        what = f"the file {one.file} has to be there, from the test case on"
        functions.builder.leave(where, what)
    multi = node.text("HTTPSampler.DO_MULTIPART_POST") == "true"
    if raw is not None:
        step.body = raw
    elif len(files) == 1 and not files[0].name and not fields:
        step.body = str(Reference.to_file(files[0].file))
        if files[0].media:
            step.headers.append(("Content-Type", files[0].media))
    elif files or (multi and method in _BODIES):
        kind, step.body = multipart([*fields, *files])
        step.headers.append(("Content-Type", kind))
    elif method in _BODIES and fields:
        if any(one.name for one in fields):
            step.body = url_encoded(fields)
            step.headers.append(("Content-Type", FORM_TYPE))
        else:
            step.body = "".join(one.value for one in fields)
    elif fields:
        step.url += f"{'&' if '?' in step.url else '?'}{url_encoded(fields)}"
    for name, value, what in _UNDONE:
        if node.text(f"HTTPSampler.{name}") == value:
            functions.builder.leave(where, what)
    return step


#: Properties that a request here has not, and the value that asks for it.
_UNDONE = (
    ("follow_redirects", "true", "follow redirects: what one leads to is a request of its own"),
    ("auto_redirects", "true", "follow redirects: what one leads to is a request of its own"),
    ("image_parser", "true", "the resources of its page: each is a request of its own"),
    ("md5", "true", "the MD5 sum of its response"),
)


def _url(protocol: str, host: str, port: str, path: str) -> str:
    if "://" in path.partition("?")[0]:
        return path
    path = path if path.startswith("/") else f"/{path}"
    if not host:
        return path
    host = host.partition("://")[2] if "://" in host else host
    return f"{protocol.lower() or 'http'}://{host}{f':{port}' if port else ''}{path}"


def _arguments(
    around: Sequence[PlanElement], functions: Functions
) -> tuple[list[FormEntry], str | None]:
    """Return the fields of a request, or all of its body."""
    for node in around:
        holder = node.property("HTTPsampler.Arguments") or node.property("HTTPSampler.Arguments")
        if holder is None:
            continue
        entries = [*holder.entries("Arguments.arguments")]
        if not entries:
            continue
        if node.text("HTTPSampler.postBodyRaw") == "true":
            return [], "".join(
                functions.text(one.get("Argument.value", ""), node.where) for one in entries
            )
        return [
            FormEntry(
                functions.text(one.get("Argument.name", ""), node.where),
                functions.text(one.get("Argument.value", ""), node.where),
            )
            for one in entries
        ], None
    return [], None


def _files(node: PlanElement, functions: Functions) -> Iterator[FormEntry]:
    """Yield the files that a request sends."""
    holder = node.property("HTTPsampler.Files")
    entries = [] if holder is None else [*holder.entries("HTTPFileArgs.files")]
    old = {name: node.text(f"HTTPSampler.{name}") for name in _OLD_FILE}
    if old["FILE_NAME"]:
        entries.append({new: old[name] for name, new in _OLD_FILE.items()})
    for one in entries:
        path = functions.text(one.get("File.path", ""), node.where)
        if path:
            yield FormEntry(
                functions.text(one.get("File.paramname", ""), node.where),
                file=functions.builder.resolved(path),
                media=one.get("File.mimetype", ""),
            )


_OLD_FILE = {
    "FILE_NAME": "File.path",
    "FILE_FIELD": "File.paramname",
    "FILE_MIMETYPE": "File.mimetype",
}
