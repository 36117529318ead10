"""Finding one's way about, and leaving."""

from __future__ import annotations

from pytest_loadtool.console.arguments import CommandName
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.session import Console


async def help_(session: Console, command: CommandName | None = None) -> None:
    """List the commands, or explain one."""
    commands = session.registry.commands
    if command:
        chosen = session.registry.command(command)
        session.say(f"{chosen.usage}\n\n{chosen.help}")
        return
    width = max(map(len, commands))
    for one in commands.values():
        session.say(f"  {one.name:<{width}}  {one.summary}")
    session.say(
        "`help COMMAND` tells more. Tab completes, the arrow keys bring back earlier lines."
    )


async def quit_(session: Console) -> None:
    """Leave the console.

    With a test case that is not saved, or a recording that runs, you are asked once. What was
    recorded stays in its traffic file either way.
    """
    question = ""
    if session.live is not None:
        path = session.shown(session.live.evidence.path)
        question = f"A recording is running; its traffic stays in {path}. Quit without a test case?"
    elif session.unsaved:
        question = (
            f"The test case is not saved to {session.shown(session.case_path)}. Quit all the same?"
        )
    if question and not await session.frontend.confirm(question, unattended=True):
        raise CommandError("still here: `save` writes the test case")
    session.done = True
