"""Failures that are brought about for real: the cause is named first, and what is printed mends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.diagnosis.situations import golden
from tests.diagnosis.situations.bench import Outcome, Situation, bring_about, too_wide
from tests.diagnosis.situations.lists import LISTS
from tests.diagnosis.situations.strangers import STRANGERS
from tests.diagnosis.situations.strangers_again import STRANGERS_AGAIN
from tests.diagnosis.situations.table import SITUATIONS
from tests.diagnosis.situations.unseen import UNSEEN
from tests.diagnosis.situations.unseen_again import UNSEEN_AGAIN
from tests.diagnosis.situations.unseen_fifth import UNSEEN_FIFTH
from tests.diagnosis.situations.unseen_fourth import UNSEEN_FOURTH
from tests.diagnosis.situations.unseen_sixth import UNSEEN_SIXTH
from tests.diagnosis.situations.unseen_third import UNSEEN_THIRD
from tests.diagnosis.situations.wiki import WIKI


def _parameters(*every: Situation) -> list[Any]:
    return [
        pytest.param(one, id=one.name, marks=[pytest.mark.promise(n) for n in one.promises])
        for one in every
    ]


@pytest.mark.parametrize(
    "situation", _parameters(*SITUATIONS, *LISTS, *UNSEEN, *UNSEEN_AGAIN, *UNSEEN_FIFTH)
)
def test_situation(situation: Situation, tmp_path: Path) -> None:
    """The transaction to mend and the cause stand first; doing what is printed mends it; the block
    at the top is the one in its golden file, and no wider than a CI log."""
    found = bring_about(situation, tmp_path)
    told = _is_told(situation, found)
    assert found.mended == situation.mended, told


_TOLD = (*UNSEEN_THIRD, *UNSEEN_FOURTH, *STRANGERS, *STRANGERS_AGAIN, *UNSEEN_SIXTH)


@pytest.mark.parametrize("situation", _parameters(*_TOLD))
def test_what_is_told(situation: Situation, tmp_path: Path) -> None:
    """The same of what the first lines say; what is printed is done by the command alone."""
    _is_told(situation, bring_about(situation, tmp_path, doing=False))


@pytest.mark.heavy
@pytest.mark.parametrize("situation", _parameters(*WIKI))
def test_at_an_application(situation: Situation, tmp_path: Path) -> None:
    """At an application that takes a minute to install: it is told, and mended as printed."""
    found = bring_about(situation, tmp_path)
    assert found.mended == situation.mended, _is_told(situation, found)


def _is_told(situation: Situation, found: Outcome) -> str:
    told = "\n".join((found.text, *found.steps))
    assert situation.blamed in found.blamed, told
    assert re.search(situation.cause, found.cause), told
    words = " ".join(found.text.split())
    assert all(" ".join(one.split()) in words for one in situation.says), told
    assert not too_wide(found)
    assert golden.words(golden.steady(found.block)) == golden.words(golden.kept(situation.name))
    return told
