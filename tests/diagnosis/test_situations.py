"""Failures that are brought about for real: the cause is named first, and what is printed mends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.diagnosis.situations.bench import Situation, bring_about, too_wide
from tests.diagnosis.situations.table import SITUATIONS


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda one: one.name)
def test_situation(situation: Situation, tmp_path: Path) -> None:
    """The transaction to mend and the cause stand first; doing what is printed mends it."""
    found = bring_about(situation, tmp_path)
    assert situation.blamed in found.blamed, found.text
    assert re.search(situation.cause, found.cause), found.text
    assert found.mended, found.text + "".join(found.steps)
    assert not too_wide(found)
