"""Wizards: generators of questions that know no terminal.

A wizard yields a question, is sent the answer, and returns what it found out. Who cannot be asked
(a script) answers each question with its default; one that has none says what the command needs.
A wizard changes nothing and says nothing: so it can be run again with one answer fewer, which is
how a person goes back, or with answers made up, which is how its steps are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.errors import LoadToolError

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Question:
    """One line to answer; ``default`` is what an empty answer means. ``reason`` says why again."""

    text: str
    default: str
    reason: str = ""
    secret: bool = False
    """Whether what is typed must not be seen. There is no default then."""
    unattended: str = ""
    """What is told where nobody answers and the default will not do: what to pass instead."""
    about: str = ""
    """What is said before it."""
    why: str = ""
    """Why it is asked, which is the answer to `?`."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """What there is to choose from, each with what it means."""


Wizard = Generator[Question, str, _T]


def question(
    text: str,
    default: str,
    understand: Callable[[str], _T],
    *,
    secret: bool = False,
    unattended: str = "",
    about: str = "",
    why: str,
) -> Wizard[_T]:
    """Ask until ``understand``, which raises `UsageError`, makes something of the answer; return
    that."""
    asked = Question(text, default, "", secret, unattended, about, why)
    return _asked(asked, understand)


def choice(
    text: str,
    ways: Iterable[str] | Mapping[str, str],
    default: str,
    *,
    unattended: str = "",
    about: str = "",
    why: str,
) -> Wizard[str]:
    """Ask which of some words, and return it; their numbers and first letters will do. A mapping
    says what each of them means."""
    known = tuple(ways)
    meanings = ways if isinstance(ways, Mapping) else dict.fromkeys(known, "")
    asked = Question(
        f"{text} ({', '.join(known)})?", default, "", False, unattended, about, why, meanings
    )
    return _asked(asked, lambda answer: one_of(known, answer))


def _asked(asked: Question, understand: Callable[[str], _T]) -> Wizard[_T]:
    reason = ""
    while True:
        answer = yield replace(asked, reason=reason)
        try:
            return understand(answer)
        except UsageError as error:
            reason = str(error)


def one_of(known: Sequence[str], answer: str) -> str:
    """Return the one that an answer is: its name, the beginning of it, or its number from 1 on.

    Raises:
        UsageError: it is none of them, or could be several.
    """
    wanted = _plain(answer)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(known):
        return known[int(wanted) - 1]
    found = [one for one in known if wanted and _plain(one).startswith(wanted)]
    exact = [one for one in found if _plain(one) == wanted]
    if len(exact or found) != 1:
        raise UsageError(f"{answer!r} is none of {', '.join(known)}")
    return (exact or found)[0]


def _plain(text: str) -> str:
    """Return the text as a name or as the command of that name: ``user-identity``."""
    return text.strip().lower().replace("-", " ")


def after(make: Callable[[], Wizard[_T]], answers: Iterable[str]) -> Question | _T:
    """Return what a wizard asks after these answers, or what it has found out with them."""
    wizard = make()
    try:
        asked = next(wizard)
        for answer in answers:
            asked = wizard.send(answer)
    except StopIteration as end:
        found: _T = end.value
        return found
    wizard.close()
    return asked


@dataclass(frozen=True, slots=True)
class Steps:
    """The number of questions that a wizard has from now on: at least, at most, or nobody knows how
    many."""

    least: int
    most: int
    more: bool = False

    def shown(self, step: int) -> str:
        """Return ``step 2 of 4``, ``step 2 of 3 to 5`` or ``step 2 of 3 or more``; the last is that
        page which shows the commands."""
        least, most = step + self.least, step + self.most
        if self.more:
            return f"step {step} of {least} or more"
        return f"step {step} of {least}" + (f" to {most}" if most > least else "")


#: Questions that are looked at to count what follows.
_LOOKED_AT = 100


def steps(make: Callable[[], Wizard[object]], answers: Sequence[str], asked: Question) -> Steps:
    """Count what follows a question, whichever of its choices and of those after it are taken."""
    left = iter(range(_LOOKED_AT))
    found = list(_lengths(make, [*answers], asked, left))
    exact = [length for length in found if length is not None]
    return Steps(min(exact, default=1), max(exact, default=1), more=None in found)


def _lengths(
    make: Callable[[], Wizard[object]], answers: list[str], asked: Question, left: Iterator[int]
) -> Iterator[int | None]:
    """Yield how many pages follow on each way from a question; None where nobody can tell."""
    if asked.reason or next(left, None) is None:
        yield None
        return
    for answer in asked.choices or [asked.default or "x"]:
        try:
            then = after(make, [*answers, answer])
        except LoadToolError:
            yield None
            continue
        if not isinstance(then, Question):
            yield 1 if then else 0  # the page that shows the commands, if there are any
            continue
        for length in _lengths(make, [*answers, answer], then, left):
            yield None if length is None else length + 1
