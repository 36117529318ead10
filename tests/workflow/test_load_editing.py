"""Values of load configurations, as a person types them."""

from __future__ import annotations

import pytest

from pytest_loadtool.casefile import format_load, parse_load
from pytest_loadtool.model.load import CaseShare, LoadConfiguration, Schedule, Stage, ThinkTime
from pytest_loadtool.workflow.errors import LoadValueError
from pytest_loadtool.workflow.load_editing import KEYS, with_value

BEGUN = LoadConfiguration("shop", (CaseShare("shop.case.toml"),), 20, 60.0, 10.0)


@pytest.mark.parametrize(
    ("key", "text", "field", "value"),
    [
        ("users", "50", "users", 50),
        ("duration", "10m", "duration", 600.0),
        ("ramp-up", "30s", "ramp_up", 30.0),
        ("ramp_up", "-", "ramp_up", 0.0),
        ("rate", "300/min", "rate", 5.0),
        ("iterations", "3", "iterations", 3),
        ("max_error_rate", "1%", "max_error_rate", 0.01),
        ("keep_state", "true", "keep_state", True),
        ("name", "7", "name", "7"),
        ("think_time", "none", "think_time", ThinkTime(scale=0.0)),
        ("think_time", "0.5", "think_time", ThinkTime(scale=0.5)),
        ("think_time", "5s", "think_time", ThinkTime(cap=5.0)),
        ("think_time", "recorded", "think_time", ThinkTime()),
        ("think_time", "{ scale = 2, cap = '9s' }", "think_time", ThinkTime(2.0, 9.0)),
        ("stages", "5:1m", "stages", (Stage(60.0, 0.0, users=5),)),
        ("stages", "5/s:1m:30s 0/s:30s:30s", "stages",
         (Stage(60.0, 30.0, rate=5.0), Stage(30.0, 30.0, rate=0.0))),
        ("case", "api.case.toml:3", "cases",
         (CaseShare("shop.case.toml"), CaseShare("api.case.toml", 3))),
        ("case", "shop.case.toml:4", "cases", (CaseShare("shop.case.toml", 4),)),
        ("case", "api.case.toml users=5 duration=2m start=1m", "cases",
         (CaseShare("shop.case.toml"),
          CaseShare("api.case.toml", schedule=Schedule(5, 120.0, start=60.0)))),
        ("case", "api.case.toml users=9 stage=5/s:1m:30s stage=1/s:1m", "cases",
         (CaseShare("shop.case.toml"),
          CaseShare("api.case.toml", schedule=Schedule(9, 120.0, stages=(
              Stage(60.0, 30.0, rate=5.0), Stage(60.0, rate=1.0)))))),
    ],
)  # fmt: skip
def test_value_is_set(key: str, text: str, field: str, value: object) -> None:
    """And what comes of it can be written and read again."""
    made = with_value(BEGUN, key, text)
    assert getattr(made, field) == value
    assert parse_load(format_load(made), "") == made


def test_the_only_test_case_takes_the_schedule_with_it() -> None:
    """The file has none then, and has one again when its test case shares."""
    alone = with_value(BEGUN, "case", "shop.case.toml users=3 iterations=2")
    assert (alone.users, alone.all_users, alone.duration) == (0, 3, None)
    assert parse_load(format_load(alone), "") == alone
    again = with_value(alone, "case", "shop.case.toml")
    assert (again.users, again.iterations, again.cases) == (3, 2, BEGUN.cases)


def test_thresholds_add_up() -> None:
    """Each is there once; nothing takes all away."""
    made = BEGUN
    for text in ("p95 < 800 ms", "error rate < 1 %", "p95 < 800 ms"):
        made = with_value(made, "threshold", text)
    assert [one.text for one in made.thresholds] == ["p95 < 800 ms", "error rate < 1 %"]
    assert with_value(made, "threshold", "-").thresholds == ()


def test_stages_go_and_come() -> None:
    """They replace duration and ramp-up, and leave a duration behind."""
    staged = with_value(BEGUN, "stages", "50:10m:2m 0:1m:1m")
    assert (staged.users, staged.duration, staged.ramp_up) == (50, 660.0, 0.0)
    assert with_value(staged, "stages", "-").duration == 660.0


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("durtion", "1m", "a load configuration has no 'durtion': did you mean 'duration'?"),
        ("users", "many", "users: expected a whole number"),
        ("users", "-", "users: missing"),
        ("ramp_up", "2m", "ramp_up: must not be longer than 'duration'"),
        ("stages", "5", "stages: '5' is no stage: write LEVEL:DURATION:RAMP"),
        ("stages", "five:1m", "stages: 'five' is no number of users"),
        ("stages", "5:1m:2m", "ramp: must not be longer"),
        ("stages", "5:1m 5/s:1m", "needs 'users'"),
        ("think_time", "slow", "think_time: expected a duration"),
        ("threshold", "fast", "threshold: "),
        ("case", "shop.case.toml:0", "case: it is the only test case"),
        ("case", ":3", "case: ':3' is no test case"),
        ("case", "a.case.toml users", "case: 'users' is nothing of a schedule"),
        ("case", "a.case.toml usrs=3", "unknown key 'usrs'"),
        ("case", "a.case.toml users=3", "duration: missing"),
    ],
)
def test_value_that_cannot_be_is_told(key: str, text: str, message: str) -> None:
    """With the key that it is about, and what would do."""
    with pytest.raises(LoadValueError) as told:
        with_value(BEGUN, key, text)
    assert message in str(told.value)


@pytest.mark.parametrize("key", KEYS)
def test_examples_are_right(key: str) -> None:
    """What completion and documents show can be set, after what it needs."""
    begun = with_value(BEGUN, "rate", "1/s") if key in ("arrivals", "patience") else BEGUN
    assert with_value(begun, key, KEYS[key]) != begun
