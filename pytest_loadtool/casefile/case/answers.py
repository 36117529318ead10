"""The table ``answer`` in ``recorded``: what the recorded answer looked like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from pytest_loadtool.casefile.toml.render import inline_array, inline_table, scalar, string
from pytest_loadtool.casefile.toml.schema import (
    Key,
    Node,
    Table,
    array,
    at_least,
    boolean,
    filled,
    integer,
    named,
    one_of,
)
from pytest_loadtool.casefile.toml.shape import shaped, takes
from pytest_loadtool.model.answer import Answer


@takes("string", "integer", "boolean")
def _said(node: Node) -> str | int | bool:
    if isinstance(node.value, bool):
        return boolean(node)
    return filled(node) if isinstance(node.value, str) else integer(node)


ANSWER: Table = Table(
    "'answer'",
    {
        "size": Key(at_least(0)),
        "json": Key(one_of("object", "array", "value")),
        "keys": Key(array(filled)),
        "lists": Key(array(filled)),
        "said": Key(named(str, _said)),
        "root": Key(filled),
        "title": Key(filled),
        "heading": Key(filled),
        "location": Key(filled),
        "login": Key(one_of("field", "page")),
        "failed": Key(filled),
    },
)


@shaped(lambda describe: describe(ANSWER))
def answer(node: Node) -> Answer:
    """Return what the table says."""
    found = ANSWER.read(node)
    return Answer(**(found | {"said": tuple(found.get("said", {}).items())}))


def answer_text(found: Answer) -> str:
    """Return the table as it is written: what there is to say."""
    written = {"size": str(found.size)}
    for one in fields(found)[1:]:
        value = getattr(found, one.name)
        if value:
            written[one.name] = string(value) if isinstance(value, str) else _many(value)
    return inline_table(written)


def _many(values: Iterable[str | tuple[str, str | int | bool]]) -> str:
    pairs = {one[0]: scalar(one[1]) for one in values if isinstance(one, tuple)}
    return inline_table(pairs) if pairs else inline_array(string(str(one)) for one in values)
