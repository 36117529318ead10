"""A load test of a server with every fault, for some seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.hostile.soaking import complaints, soak


@pytest.mark.alone
def test_every_fault_is_counted(tmp_path: Path) -> None:
    """The verdict is of the error rate, each error is counted under its cause, and no request is
    missing or there twice; the checks that say so see when it is otherwise."""
    soaked = soak(tmp_path, users=20, length='duration = "60s"\niterations = 4', pause=20)
    assert not complaints(soaked)
    given = soaked.given | {"garbage": soaked.given["garbage"] + 1}
    assert len(complaints(replace(soaked, given=given))) == 2
    assert complaints(replace(soaked, status=2))
