"""The writer of load configurations."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from pytest_loadtool.casefile import format_load, parse_load
from pytest_loadtool.model.load import CaseShare, Distribution, LoadConfiguration, Stage, ThinkTime
from tests.casefile.models import FILES, loads


@FILES
@given(loads())
def test_a_load_configuration_reads_back_as_it_was_written(load: LoadConfiguration) -> None:
    """Any load configuration is the same after writing and reading, its times to the last bit."""
    text = format_load(load)
    assert parse_load(text, "x.load.toml") == load
    assert format_load(parse_load(text, "x.load.toml")) == text


def test_what_is_as_usual_is_left_out() -> None:
    """A plain configuration has only what must be said."""
    load = LoadConfiguration(
        "Smoke", (CaseShare("a.case.toml"), CaseShare("b.case.toml", 3)), 5, 10.0
    )
    assert format_load(load) == (
        'format = 1\nname = "Smoke"\nusers = 5\nduration = "10s"\n'
        '\n[[case]]\nfile = "a.case.toml"\n'
        '\n[[case]]\nfile = "b.case.toml"\nweight = 3\n'
    )


def test_think_times_are_written_in_their_shortest_form() -> None:
    """By name where one says it, else as a table of what differs."""

    def written(think_time: ThinkTime) -> str:
        load = LoadConfiguration("x", (CaseShare("a"),), 1, 1.0, think_time=think_time)
        return "".join(line for line in format_load(load).split("\n") if "think" in line)

    assert written(ThinkTime()) == ""
    assert written(ThinkTime(scale=0.0)) == 'think_time = "none"'
    assert written(ThinkTime(cap=5.0)) == 'think_time = { cap = "5s" }'
    assert written(ThinkTime(0.5, 0.25)) == 'think_time = { scale = 0.5, cap = "250ms" }'


def test_a_load_that_changes_is_written_as_stages() -> None:
    """What the stages say is not said again; a rate is in the unit that is round."""
    load = LoadConfiguration(
        "Spike",
        (CaseShare("a.case.toml"),),
        users=500,
        duration=90.0,
        stages=(Stage(60.0, 30.0, rate=100 / 60), Stage(30.0, rate=50.0)),
    )
    assert format_load(load) == (
        'format = 1\nname = "Spike"\nusers = 500\n'
        '\n[[stage]]\nrate = "100/min"\nduration = "1m"\nramp = "30s"\n'
        '\n[[stage]]\nrate = "50/s"\nduration = "30s"\n'
        '\n[[case]]\nfile = "a.case.toml"\n'
    )


def test_pacing_and_random_think_times() -> None:
    """A constant is a duration, anything else a table of its distribution."""

    def written(**changes: Any) -> str:
        load = LoadConfiguration("x", (CaseShare("a"),), 1, None, iterations=2, **changes)
        return format_load(load).split("\n")[4]

    assert written(pacing=Distribution("constant", (10.0,))) == 'pacing = "10s"'
    uniform = Distribution("uniform", (8.0, 12.0))
    assert written(pacing=uniform) == 'pacing = { uniform = ["8s", "12s"] }'
    drawn = ThinkTime(cap=20.0, drawn=Distribution("exponential", (3.0,)))
    assert written(think_time=drawn) == 'think_time = { exponential = "3s", cap = "20s" }'
