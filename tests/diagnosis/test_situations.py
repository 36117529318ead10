"""Failures that are brought about for real: the cause is named first, and what is printed mends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.diagnosis.situations.bench import Situation, bring_about, too_wide
from tests.diagnosis.situations.table import SITUATIONS


@pytest.mark.parametrize(
    "situation",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.promise(n) for n in one.promises])
        for one in SITUATIONS
    ],
)
def test_situation(situation: Situation, tmp_path: Path) -> None:
    """The transaction to mend and the cause stand first; doing what is printed mends it."""
    found = bring_about(situation, tmp_path)
    assert situation.blamed in found.blamed, found.text
    assert re.search(situation.cause, found.cause), found.text
    words = " ".join(found.text.split())
    assert all(" ".join(one.split()) in words for one in situation.says), found.text
    assert found.mended, found.text + "".join(found.steps)
    assert not too_wide(found)
