"""The reference of the commands for the documentation, made from the registry.

``python -m tests.console.reference docs/console.md`` brings the file up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.registry import Registry

BEGIN = "<!-- commands: made by python -m tests.console.reference -->"
END = "<!-- end of commands -->"


def reference(registry: Registry) -> str:
    """A section per command: its usage, then its help."""
    return "\n".join(
        f"### {command.name}\n\n```text\n{command.usage}\n```\n\n{command.help}\n\n"
        f"```text\nloadtool> {command.example}\n```\n"
        for command in registry.commands.values()
    )


def updated(text: str, registry: Registry) -> str:
    """A page with what stands between the two marks replaced by the reference.

    Raises:
        ValueError: the marks are not there.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page must hold {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n\n{reference(registry)}\n{END}{after}"


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(updated(page.read_text(encoding="utf-8"), COMMANDS), encoding="utf-8")
