"""Wizards: generators of questions that know no terminal.

A wizard yields a question, is sent the answer, and returns what it found out. Who cannot be asked
(a script) answers each question with its default.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

from pytest_loadtool.console.errors import UsageError

__all__ = ["Question", "Wizard", "question"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Question:
    """One line to answer; ``default`` is what an empty answer means. ``reason`` says why again."""

    text: str
    default: str
    reason: str = ""


Wizard = Generator[Question, str, _T]


def question(text: str, default: str, understand: Callable[[str], _T]) -> Wizard[_T]:
    """Ask until ``understand``, which raises `UsageError`, makes something of the answer."""
    asked = Question(text, default)
    while True:
        answer = yield asked
        try:
            return understand(answer)
        except UsageError as error:
            asked = Question(text, default, str(error))
