"""What configuring reads of a recording again and again is kept; and Python collects as before."""

from __future__ import annotations

import gc

import pytest

from pytest_loadtool.correlation.responses.recorded import LastRead
from pytest_loadtool.correlation.strategies.rules import Rules
from tests.correlation.talk import get, run


def test_a_response_is_kept_until_many_others_were_read() -> None:
    """It is the same one, with what was parsed of it."""
    first, *others = (get(f"/{number}") for number in range(200))
    kept = LastRead()
    response = kept.of(first)
    for one in others[:20]:
        kept.of(one)
    assert kept.of(first) is response
    for one in others:
        kept.of(one)
    assert kept.of(first) is not response


def test_python_collects_garbage_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not while a case is configured, also one that cannot be."""
    run(get("/"))
    assert gc.isenabled()
    seen: list[bool] = []

    def propose(*_: object) -> None:
        seen.append(gc.isenabled())
        raise RuntimeError

    monkeypatch.setattr(Rules, "propose", propose)
    with pytest.raises(RuntimeError):
        run(get("/things?id=12345"))
    assert seen == [False]
    assert gc.isenabled()
