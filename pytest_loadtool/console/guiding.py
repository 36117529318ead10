"""Wizards at work: one step after the other, back and why, and a last page with the commands.

A wizard ends in command lines. They run like any others: each is in the session log, and a script
can do without the wizard.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.execution import execute
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.console.wizard import Question, Wizard, after, one_of, steps

#: A wizard that finds out which command lines to run.
Lines = Wizard[tuple[str, ...]]
#: The answers to the last page.
_AGREED = ("yes", "no", "back")


async def guide(session: Console, title: str, make: Callable[[], Lines]) -> None:
    """Ask what a wizard wants to know, step by step, show the commands that do it, and run them.

    `back` leads to the question before, `?` tells why one is asked. All that it does is one step
    for `undo`.

    Raises:
        CommandError: the person gave up, or nobody is there and no default will do; or one of the
            commands failed.
    """
    lines, known = await _found(session, title, make)
    if session.running is not None:
        session.running.only_asked = True
    if not lines:
        session.say("Nothing was changed.")
        return
    session.known_answers.update(known)
    try:
        for line in lines:
            await execute(session, line)
    finally:
        session.known_answers.clear()


async def _found(
    session: Console, title: str, make: Callable[[], Lines]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the lines that a wizard ends in, once somebody has agreed to them; and what was
    answered."""
    path: list[tuple[Question, str]] = []
    while True:
        answers = [answer for _, answer in path]
        step = after(make, answers)
        if isinstance(step, Question) and step.reason:
            path.pop()
            session.say(step.reason)
            if not session.attended:
                raise CommandError(step.unattended or step.reason)
            continue
        number = len(answers) + 1
        if isinstance(step, Question):
            asked, place = step, steps(make, answers, step).shown(number)
        elif not step:
            return (), {}
        else:
            asked, place = _last_page(step), f"step {number} of {number}"
        session.say(ViewLine((f"{title}, {place}", "heading")))
        answer = await session.answer(asked)
        if answer is None and asked.unattended:
            raise CommandError(asked.unattended)
        answer = asked.default if answer is None else answer
        if asked is step and not _is_back(asked, answer):
            path.append((asked, answer))
            continue
        agreed = "back" if asked is step else _agreed(session, answer)
        if agreed == "yes":
            return step, {question.text: answer for question, answer in path}  # type: ignore[return-value]
        if agreed == "no":
            raise CommandError("nothing was changed")
        if agreed == "back":
            _go_back(session, path)


def _agreed(session: Console, answer: str) -> str:
    try:
        return one_of(_AGREED, answer)
    except UsageError as error:
        session.say(str(error))
        return ""


def _is_back(asked: Question, answer: str) -> bool:
    return answer.strip().lower() == "back" and not asked.secret


def _go_back(session: Console, path: list[tuple[Question, str]]) -> None:
    """Forget the last answer, and what was typed as a secret after the one before."""
    if not path:
        session.say("This is the first question: Ctrl-C gives up.")
        return
    path.pop()
    while path and path[-1][0].secret:
        path.pop()


def _last_page(lines: Sequence[str]) -> Question:
    commands = "\n".join(f"  {line}" for line in lines)
    what = "These commands do it" if len(lines) > 1 else "This command does it"
    return Question(
        f"Run {'them' if len(lines) > 1 else 'it'} ({', '.join(_AGREED)})?",
        _AGREED[0],
        about=f"{what}:\n{commands}",
        why="The same line does it in a script, without questions.",
    )
