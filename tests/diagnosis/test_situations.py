"""Failures that are brought about for real: the cause is named first, and what is printed mends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.diagnosis.situations import golden
from tests.diagnosis.situations.bench import Outcome, Situation, bring_about, too_wide
from tests.diagnosis.situations.table import SITUATIONS
from tests.diagnosis.situations.unseen import UNSEEN
from tests.diagnosis.situations.unseen_again import UNSEEN_AGAIN
from tests.diagnosis.situations.unseen_fourth import UNSEEN_FOURTH
from tests.diagnosis.situations.unseen_third import UNSEEN_THIRD


def _parameters(*every: Situation) -> list[Any]:
    return [
        pytest.param(one, id=one.name, marks=[pytest.mark.promise(n) for n in one.promises])
        for one in every
    ]


@pytest.mark.parametrize("situation", _parameters(*SITUATIONS, *UNSEEN, *UNSEEN_AGAIN))
def test_situation(situation: Situation, tmp_path: Path) -> None:
    """The transaction to mend and the cause stand first; doing what is printed mends it; the block
    at the top is the one in its golden file, and no wider than a CI log."""
    found = bring_about(situation, tmp_path)
    told = _is_told(situation, found)
    assert found.mended == situation.mended, told


@pytest.mark.parametrize("situation", _parameters(*UNSEEN_THIRD, *UNSEEN_FOURTH))
def test_what_is_told(situation: Situation, tmp_path: Path) -> None:
    """The same of what the first lines say; what is printed is done by the command alone."""
    _is_told(situation, bring_about(situation, tmp_path, doing=False))


def _is_told(situation: Situation, found: Outcome) -> str:
    told = "\n".join((found.text, *found.steps))
    assert situation.blamed in found.blamed, told
    assert re.search(situation.cause, found.cause), told
    words = " ".join(found.text.split())
    assert all(" ".join(one.split()) in words for one in situation.says), told
    assert not too_wide(found)
    assert golden.words(golden.steady(found.block)) == golden.words(golden.kept(situation.name))
    return told
