"""The writer of load configurations."""

from __future__ import annotations

from hypothesis import given

from pytest_loadtool.casefile import format_load, parse_load
from pytest_loadtool.model.load import CaseShare, LoadConfiguration, ThinkTime
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
