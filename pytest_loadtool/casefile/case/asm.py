"""The table ``[asm]`` of a test case: settings of application state management."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_loadtool.casefile.toml.render import KeyedLine, string
from pytest_loadtool.casefile.toml.schema import Key, Node, Table, array, filled
from pytest_loadtool.casefile.toml.shape import shaped
from pytest_loadtool.model.asm import AsmSettings

ASM: Table = Table(
    "'asm'",
    {
        "rules": Key(array(filled)),
        "ignore": Key(array(filled)),
    },
)


@shaped(lambda describe: describe(ASM))
def asm_settings(node: Node) -> AsmSettings:
    """Return what the table says."""
    return AsmSettings(**ASM.read(node))


def asm_lines(settings: AsmSettings) -> Iterator[KeyedLine]:
    """Yield the table's lines; none if it says nothing."""
    lists = {name: getattr(settings, name) for name in ("rules", "ignore")}
    if any(lists.values()):
        yield KeyedLine(("asm",), "[asm]", gap=True)
    for name, values in lists.items():
        if values:
            yield KeyedLine(("asm", name), f"{name} = ", elements=tuple(map(string, values)))
