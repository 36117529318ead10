"""Asking for a load configuration. It ends in the command line that writes it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from pytest_loadtool.casefile.quantities import format_duration
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.guiding import Lines
from pytest_loadtool.console.wizard import choice, question
from pytest_loadtool.load.formatting import seconds
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.workflow.errors import LoadValueError
from pytest_loadtool.workflow.load_editing import with_value

#: What to write for nothing.
_NONE = "none"

#: How many iterations a user should have time for, and what a duration is rounded up to (seconds).
_ITERATIONS, _ROUND = 3, 60.0

#: Seconds over which users begin, at most this part of the duration.
_RAMP, _RAMP_SHARE = 10.0, 5.0


@dataclass(frozen=True, slots=True)
class _Value:
    """A value to ask for: its key, the question, what an empty answer means, why it is asked."""

    key: str
    text: str
    default: str
    why: str


def load_lines(begun: LoadConfiguration, length: Length, others: Sequence[str], file: str) -> Lines:
    """Ask who does what for how long.

    ``begun`` is what there is without, ``length`` that of an iteration; ``others`` are test cases
    that could be played as well. ``file`` is the name of the configuration; empty: the usual one.
    """
    model = yield from choice(
        "Who is at work", _MODELS, "users", about=_about(length),
        why="Users slow down with the server, as people do; arrivals come whatever it does.",
    )  # fmt: skip
    made, options = begun, []
    more = (_cases(others),) if others else ()
    for one in (*_VALUES[model], *more, _THINK_TIME, _THRESHOLD):
        default = _default(one, length, made)
        answer = yield from question(f"{one.text}?", default, _understood(made, one), why=one.why)
        if answer == _NONE == one.default:
            continue
        made = _with(made, one.key, answer)
        options += [f"{_option(one.key)}={word}" for word in _words(one.key, answer)]
    names = [file] if file else []
    lines = ["create-load-configuration", *names, *options], ["load", *names]
    return tuple(map(shlex.join, lines))


_MODELS = {
    "users": "so many users, each beginning one iteration after the other",
    "rate": "so many iterations begin per second or minute, whatever the server does",
    "stages": "either of them, changing over the run",
}
_DURATION = _Value(
    "duration", "For how long", "1m", "Each user should finish some iterations in this time."
)
_RAMP_UP = _Value(
    "ramp_up", "Over how long do they begin (0s: all at once)", "",
    "All at once is a load of its own, which few servers ever see.",
)  # fmt: skip
_THINK_TIME = _Value(
    "think_time", "Think times (recorded, none, a factor as 0.5, the most as 5s)", "recorded",
    "Without the pauses of people, a few users make the load of many, of another kind.",
)  # fmt: skip
_THRESHOLD = _Value(
    "threshold", "What must hold, such as p95 < 800 ms (none: no errors)", _NONE,
    "What fails the test, besides errors. More of them: `load set threshold`.",
)  # fmt: skip

#: What is asked of each way to say how much there is.
_VALUES: Mapping[str, tuple[_Value, ...]] = {
    "users": (
        _Value("users", "How many users", "20", "They are at work at once, after the ramp-up."),
        _DURATION,
        _RAMP_UP,
    ),
    "rate": (
        _Value("rate", "How many iterations begin, such as 10/s or 300/min", "1/s",
               "One begins when its time has come, even if the ones before are not finished."),
        _Value("users", "How many users are at work at most", "100",
               "When all of them are, what should begin is dropped, and counted."),
        _DURATION,
        _RAMP_UP,
    ),
    "stages": (
        _Value("stages", "Stages, LEVEL:DURATION:RAMP each, such as 50:10m:2m 0:1m:1m", "20:10m:2m",
               "50 (or 10/s) for 10 minutes, the first 2 of which get there; then the next one."),
    ),
}  # fmt: skip


def _cases(others: Sequence[str]) -> _Value:
    there = f"there {'is' if len(others) == 1 else 'are'} {', '.join(others)}"
    return _Value(
        "case",
        f"Other test cases with their weights, such as {others[0]}:1 ({there})",
        _NONE,
        "Of four users, weights 3 and 1 give three to this test case and one to the other.",
    )


def _about(length: Length) -> str:
    if not length.total:
        return ""
    thinking = f", {seconds(round(length.thinking))} of it think time" if length.thinking else ""
    return f"One iteration takes {seconds(round(length.total))}{thinking}."


def _default(one: _Value, length: Length, made: LoadConfiguration) -> str:
    """Return what an empty answer means: never what the answers before rule out."""
    if one.key == "duration":
        return _enough(length)
    if one is _RAMP_UP and made.duration is not None:
        return format_duration(min(_RAMP, made.duration / _RAMP_SHARE))
    return one.default


def _enough(length: Length) -> str:
    """Return a duration in which a user finishes a few iterations."""
    return format_duration(max(1, ceil(_ITERATIONS * length.total / _ROUND)) * _ROUND)


def _option(key: str) -> str:
    return "--stage" if key == "stages" else f"--{key.replace('_', '-')}"


def _words(key: str, answer: str) -> Iterator[str]:
    """Yield the values of the options that an answer is."""
    yield from answer.split() if key in ("stages", "case") else [answer]


def _with(made: LoadConfiguration, key: str, answer: str) -> LoadConfiguration:
    for word in answer.split() if key == "case" else [answer]:
        made = with_value(made, key, word)
    return made


def _understood(made: LoadConfiguration, one: _Value) -> Callable[[str], str]:
    def understand(answer: str) -> str:
        if not answer == _NONE == one.default:
            try:
                _with(made, one.key, answer)
            except LoadValueError as error:
                raise UsageError(str(error)) from None
        return answer

    return understand
