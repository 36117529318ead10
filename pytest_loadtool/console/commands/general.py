"""Finding one's way about, other programs, the session log, and leaving."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from pytest_loadtool.console.arguments import CommandName
from pytest_loadtool.console.environment import ended, finished
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.registry import Command
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.console.wizard import choice
from pytest_loadtool.workflow.files import absolute, there, write_private_text
from pytest_loadtool.workflow.telling import counted


async def help_(session: Console, *name: CommandName) -> None:
    """List the commands by groups, or explain a group or a command.

    NAME is that of a group, such as `edit`, or of a command, such as `create load`. Tab completes,
    the arrow keys bring back earlier lines, and Ctrl-R looks for one.

    Example: `help create load`
    """
    registry = session.registry
    words = [str(one) for one in name]
    group = next((one for one in registry.groups if [one.lower()] == words), "")
    lines: list[str] = []
    if words and (not group or words[0] in registry.commands):
        lines += [*explained(registry.split(words)[0]), ""]
    if group:
        lines += [*_group(group, registry.groups[group]), ""]
    hint = "`help edit` tells of a group, `help save` of a command."
    await session.page(lines[:-1] or [*_groups(session), hint])


def explained(command: Command) -> Iterator[str]:
    """The help of a command: its usage, paragraphs and example."""
    head, *others = command.usage.split(" ", 1)
    yield ViewLine((f"{head} ", "name"), ("".join(others), ""))
    for paragraph in command.help.split("\n\n"):
        yield ""
        yield ViewLine((" ".join(paragraph.split()), ""))
    if command.example:
        yield ""
        yield ViewLine(("Example: ", "heading"), (command.example, "name"))


def _groups(session: Console) -> Iterator[str]:
    """Yield each group with the names of its commands."""
    width = max(map(len, session.registry.groups))
    for name, group in session.registry.groups.items():
        commands = ", ".join(one.name for one in group)
        yield ViewLine((f"{name:<{width}}  ", "heading"), (commands, ""))


def _group(name: str, group: tuple[Command, ...]) -> Iterator[str]:
    """Yield the commands of a group with what each does."""
    width = max(len(one.name) for one in group)
    yield ViewLine((name, "heading"))
    for one in group:
        yield ViewLine((f"  {one.name:<{width}}  ", "name"), (one.summary, ""))


async def log(session: Console, *, save: Path | None = None, replace: bool = False) -> None:
    """Show the session log: each command that ran, its decisions, and what it said last.

    Commands of wizards and of the keys of a view are in it like those that were typed. What failed,
    needs a person or holds a secret is a comment. --save writes it to a file, for you alone, that
    does the same again: `pytest --record CASE --record-script FILE`; --replace writes over a file.
    All sessions with this test case are kept in `$XDG_STATE_HOME/pytest-loadtool/sessions`.

    Example: `log --save shop.session.txt`
    """
    script = session.log.script()
    if save is None:
        await session.page(script.splitlines() or ["No command has run yet."])
        return
    path = absolute(save)
    shown = session.shown(path)
    if there(path) and not replace:
        await session.agree(
            f"{shown} would be written over. Replace?",
            f"{shown} would be written over: give --replace, or another name",
        )
    write_private_text(path, script)
    left = sum(one.ending == "not repeated" for one in session.log.entries)
    session.say(
        f"Wrote {shown}: {counted(len(session.log.entries), 'command')}"
        + (f", of which {left} cannot be run again and are comments" if left else "")
        + "."
    )


#: The wizards, and the lines that open them.
_WIZARDS = {
    "Configure for Replay": "configure",
    "Test Case Configuration": "test-case-configuration",
    "User Identity": "user-identity",
    "Create Load Configuration": "create-load-configuration",
}


async def wizards(session: Console) -> None:
    """Tools, Wizards: choose one of the wizards, and open it.

    Each can also be opened by its own name, at any time. `back` leads to the question before, `?`
    tells why one is asked, and Ctrl-C gives up; the last page shows the commands that will run.

    Example: `wizards`
    """
    chosen = await session.consult(
        choice(
            "Which wizard",
            _WIZARDS,
            next(iter(_WIZARDS)),
            unattended="nobody is here to ask: each wizard is a command with options",
            why="The first finds what a recording needs to be played, the next two say who logs in "
            "and how, the last what a load test sends. Each asks again before it changes anything.",
        )
    )
    await execute(session, _WIZARDS[chosen])


async def clear(session: Console) -> None:
    """Clear the screen.

    Example: `clear`
    """
    session.frontend.clear()


async def shell(session: Console, *command: str) -> None:
    """Run a command of the system's shell, in the console's folder: `!ls` is `shell ls`.

    Its traffic is not recorded; `run` does that. After `!`, the line is the shell's as it stands.

    Example: `!ls *.toml`
    """
    process = await asyncio.create_subprocess_shell(
        " ".join(command), cwd=session.settings.directory
    )
    status = await finished(process)
    if status:
        raise CommandError(f"{' '.join(command)} {ended(status)}")


async def quit_(session: Console) -> None:
    """Leave the console.

    With a test case that is not saved, or a recording that runs, you are asked once. What was
    recorded stays in its traffic file either way.

    Example: `quit`
    """
    question, instead = "", ""
    if session.live is not None:
        path = session.settings.brief(session.live.evidence.path)
        question = f"A recording is running; its traffic stays in {path}. Quit without a test case?"
        instead = "`stop` makes the test case"
    elif session.unsaved:
        shown = session.settings.brief(session.case_path)
        question = f"The test case is not saved to {shown}. Quit all the same?"
        instead = "`save` writes the test case"
    if question and not await session.frontend.confirm(question, unattended=True):
        raise CommandError(f"still here: {instead}")
    session.done = True
