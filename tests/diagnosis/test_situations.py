"""Failures that are brought about for real: the cause is named first, and what is printed mends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.diagnosis.situations import golden
from tests.diagnosis.situations.bench import Situation, bring_about, too_wide
from tests.diagnosis.situations.table import SITUATIONS
from tests.diagnosis.situations.unseen import UNSEEN
from tests.diagnosis.situations.unseen_again import UNSEEN_AGAIN
from tests.diagnosis.situations.unseen_fourth import UNSEEN_FOURTH
from tests.diagnosis.situations.unseen_third import UNSEEN_THIRD


@pytest.mark.parametrize(
    "situation",
    [
        pytest.param(
            one,
            id=one.name,
            marks=[
                *(pytest.mark.promise(n) for n in one.promises),
                *([pytest.mark.xfail(reason=one.wanting, strict=False)] if one.wanting else []),
            ],
        )
        for one in (*SITUATIONS, *UNSEEN, *UNSEEN_AGAIN, *UNSEEN_THIRD, *UNSEEN_FOURTH)
    ],
)
def test_situation(situation: Situation, tmp_path: Path) -> None:
    """The transaction to mend and the cause stand first; doing what is printed mends it; the block
    at the top is the one in its golden file, and no wider than a CI log."""
    found = bring_about(situation, tmp_path)
    told = "\n".join((found.text, *found.steps))
    assert situation.blamed in found.blamed, told
    assert re.search(situation.cause, found.cause), told
    words = " ".join(found.text.split())
    assert all(" ".join(one.split()) in words for one in situation.says), told
    assert found.mended == situation.mended, told
    assert not too_wide(found)
    assert golden.words(golden.steady(found.block)) == golden.words(golden.kept(situation.name))
