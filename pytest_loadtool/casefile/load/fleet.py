"""The table ``[fleet]`` of a load configuration: who of a cluster makes the load."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_loadtool.casefile.toml.render import KeyedLine, inline_array, inline_table, scalar
from pytest_loadtool.casefile.toml.schema import (
    Key,
    Node,
    Table,
    array,
    filled,
    named,
    number,
    one_of,
)
from pytest_loadtool.casefile.toml.shape import shaped
from pytest_loadtool.model.load import Fleet


@shaped(lambda describe: describe(FLEET))
def fleet(node: Node) -> Fleet:
    """Return the table."""
    found = FLEET.read(node)
    if "resources" in found:
        found["resources"] = tuple(sorted(found["resources"].items()))
    return Fleet(**found)


def fleet_lines(of: Fleet) -> Iterator[KeyedLine]:
    """Yield its lines, with the header if anything is not as usual."""
    usual = Fleet()
    written = {
        "workers": inline_array([scalar(one) for one in of.workers]),
        "resources": inline_table({name: scalar(much) for name, much in of.resources}),
        "secrets": scalar(of.secrets),
        "share": scalar(of.share),
    }
    yield KeyedLine(("fleet",), "[fleet]", gap=True, usual=of == usual)
    for name, value in written.items():
        same = getattr(of, name) == getattr(usual, name)
        yield KeyedLine(("fleet", name), f"{name} = {value}", usual=same)


FLEET: Table = Table(
    "'fleet'",
    {
        "workers": Key(array(filled)),
        "resources": Key(named(str, number)),
        "secrets": Key(one_of("encrypted", "always", "never")),
        "share": Key(one_of("processors", "evenly")),
    },
)
