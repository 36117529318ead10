"""What is printed, and what counts as unsaved."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.session import Console, printable
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.workflow.document import Document
from tests.console.listener import Listener


def test_control_characters_cannot_reach_the_terminal() -> None:
    """Recorded text must not move the cursor, change the title or ring: it is made visible."""
    assert printable("\x1b[2J\x07\x9b") == "\\x1b[2J\\x07\\x9b"
    assert printable("one\r\ntwo\tthree\n") == "one\ntwo\tthree\n"


def test_test_case_is_unsaved_until_it_is_as_on_disk(session: Console) -> None:
    """Unsaved is what differs from the file, not what was once touched."""
    case = TestCase(name="shop", pages=())
    states = []
    for document in (None, Document(case), Document(replace(case, name="store")), Document(case)):
        session.document = document
        states.append(session.unsaved)
        session.saved = session.saved or session.document
    assert states == [False, True, True, False]


def test_question_that_nobody_answers_is_a_no(session: Console) -> None:
    """A script is told what to write instead of being asked."""
    with pytest.raises(CommandError, match="say --replace"):
        asyncio.run(session.agree("Replace?", "say --replace"))


def test_agreement_lets_the_command_go_on(session: Console, listener: Listener) -> None:
    """A person who says yes is not refused."""
    listener.answers = [True]
    asyncio.run(session.agree("Replace?", "say --replace"))
    assert listener.asked == ["Replace?"]
