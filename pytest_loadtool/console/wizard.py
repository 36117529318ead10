"""Wizards: generators of questions that know no terminal.

A wizard yields a question, is sent the answer, and returns what it found out. Who cannot be asked
(a script) answers each question with its default; one that has none says what the command needs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pytest_loadtool.console.errors import UsageError

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Question:
    """One line to answer; ``default`` is what an empty answer means. ``reason`` says why again."""

    text: str
    default: str
    reason: str = ""
    secret: bool = False
    """Whether what is typed must not be seen. There is no default then."""
    otherwise: str = ""
    """What is told where nobody answers and the default will not do: what to pass instead."""


Wizard = Generator[Question, str, _T]


def question(
    text: str,
    default: str,
    understand: Callable[[str], _T],
    *,
    secret: bool = False,
    otherwise: str = "",
) -> Wizard[_T]:
    """Ask until ``understand``, which raises `UsageError`, makes something of the answer."""
    asked = Question(text, default, secret=secret, otherwise=otherwise)
    reason = ""
    while True:
        answer = yield replace(asked, reason=reason)
        try:
            return understand(answer)
        except UsageError as error:
            reason = str(error)


def choice(text: str, ways: Iterable[str], default: str, *, otherwise: str = "") -> Wizard[str]:
    """Ask which of some words; their first letters will do."""
    known = tuple(ways)
    asked = f"{text} ({', '.join(known)})?"
    return question(asked, default, lambda answer: one_of(known, answer), otherwise=otherwise)


def one_of(known: Sequence[str], answer: str) -> str:
    """Return the one that an answer is: its name, the beginning of it, or its number from 1 on.

    Raises:
        UsageError: it is none of them, or could be several.
    """
    wanted = answer.strip().lower()
    if wanted.isdecimal() and 1 <= int(wanted) <= len(known):
        return known[int(wanted) - 1]
    found = [one for one in known if wanted and one.lower().startswith(wanted)]
    exact = [one for one in found if one.lower() == wanted]
    if len(exact or found) != 1:
        raise UsageError(f"{answer!r} is none of {', '.join(known)}")
    return (exact or found)[0]
